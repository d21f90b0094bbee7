"""Pictures with matplotlib, and as PNG and PDF files: the only file that imports it."""

from __future__ import annotations

import importlib
import io
import warnings
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from deciduous.draw.metrics import clean
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Bar, Dot, Path, Picture, Rect, Shape, Text
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.view import View, tree_of
from deciduous.errors import DataWarning, OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Fonts that hold Chinese, Japanese, Korean or symbols, looked for in this order.
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "PingFang SC", "Hiragino Sans GB"),
    *("Microsoft YaHei", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Arial Unicode MS"),
    *("Noto Emoji", "Segoe UI Emoji", "Symbola", "Noto Sans Symbols 2"),
)
#: Pixels of a picture to an inch, as in SVG.
PIXELS = 96.0
#: No file of pixels is larger than this on a side: programs refuse to open it.
MOST_PIXELS = 30_000
#: The key beside a chart has so many lines before it gets another column.
KEY_LINES = 16
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def plot_tree(model: Any, *, ax: Axes | None = None, theme: Theme | str = "light", **options: Any) -> Axes:
    """Draw a fitted estimator or a tree with matplotlib and return the axes.

    ax: where to draw; by default a new figure, as large as the picture. In axes of your own everything is scaled to
        fit, text too.
    theme: `light`, `dark`, `grey` or a `Theme`.
    options: see `View`: direction, max_depth, max_nodes, collapse, splits, row, data, counts, impurity, numbers, ...
    """
    picture = picture_of(tree_of(model), View.of(options), theme_of(theme))
    if ax is None:
        width, height = picture.width / PIXELS, picture.height / PIXELS
        ax = new_axes(width, height, (0.0, 0.0, 1.0, 1.0))
    _draw(picture, ax)
    return ax


def new_axes(width: float, height: float, place: tuple[float, float, float, float] | None = None) -> Axes:
    """Return the axes of a new figure of so many inches; `place`: left, bottom, width, height within it."""
    figure = required("matplotlib.pyplot").figure(figsize=(width, height), layout=None if place else "constrained")
    axes: Axes = figure.add_axes(place) if place else figure.add_subplot()
    return axes


def colour_bar(ax: Axes, colours: tuple[str, str], limits: tuple[float, float], name: str) -> None:
    """Add the scale of a shade beside axes: its colours at the least and the largest number."""
    colour, scale = required("matplotlib.colors"), required("matplotlib.cm")
    mappable = scale.ScalarMappable(
        colour.Normalize(*limits), colour.LinearSegmentedColormap.from_list("numbers", list(colours))
    )
    bar = ax.figure.colorbar(mappable, ax=ax)
    bar.set_label(clean(name), fontfamily=families(), parse_math=False)


def named(ax: Axes, **names: str) -> None:
    """Set the names of axes (`xlabel`, `ylabel`) or the `title`, in any script, with dollar signs as they are."""
    for what, name in names.items():
        size = {"fontsize": 10} if what == "title" else {}
        getattr(ax, f"set_{what}")(clean(name), fontfamily=families(), parse_math=False, **size)


def key(ax: Axes, title: str | None = None) -> None:
    """Add the key of what is drawn: within the axes, or under a title beside them, in columns where it is long."""
    beside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "title": title}
    n = len(ax.get_legend_handles_labels()[0])
    if title is not None and n > KEY_LINES:
        beside |= {"ncols": -(-n // KEY_LINES), "fontsize": 8, "columnspacing": 0.8, "handletextpad": 0.4}
    legend = ax.legend(frameon=False, **(beside if title is not None else {}))
    for text in (*legend.get_texts(), legend.get_title()):
        text.set(fontfamily=families(), parse_math=False)


def to_png(picture: Picture, scale: float = 2.0) -> bytes:
    """Return a picture as a PNG file of `scale` pixels for each of its own."""
    most = MOST_PIXELS / max(picture.width, picture.height)
    if most < 0.5:
        raise OptionError(
            f"the picture is {picture.width:.0f} x {picture.height:.0f} pixels, too large for a PNG; "
            "draw less (max_depth=, max_nodes=) or write SVG or PDF."
        )
    return _file(picture, "png", PIXELS * min(scale, most))


def to_pdf(picture: Picture) -> bytes:
    """Return a picture as a PDF file."""
    return _file(picture, "pdf", 72.0)


def _file(picture: Picture, kind: str, dpi: float) -> bytes:
    figure_of = required("matplotlib.figure").Figure
    figure = figure_of(figsize=(picture.width / PIXELS, picture.height / PIXELS))
    _draw(picture, figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    buffer = io.BytesIO()
    stamp = {"CreationDate": None} if kind == "pdf" else {"Software": None}  # the same picture, the same file
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=stamp)
    if any("missing from" in str(warning.message) for warning in caught):
        warnings.warn(
            "no font that is installed has all characters of this picture, so some are drawn as empty boxes; install "
            "one that has (for Chinese: fonts-noto-cjk), or write SVG, which browsers draw with their own fonts.",
            DataWarning,
            stacklevel=4,
        )
    return buffer.getvalue()


def required(module: str) -> Any:
    """Import a module of matplotlib; OptionError says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OptionError(
            f"this picture needs matplotlib, which is not installed ({error}): pip install 'deciduous[plot]'. "
            "SVG, DOT, Mermaid, TikZ and text need nothing."
        ) from None


def _draw(picture: Picture, ax: Axes) -> None:
    """Draw a picture in axes; text and lines are scaled as the picture is."""
    patches, transforms = required("matplotlib.patches"), ax.figure.dpi_scale_trans
    ax.set_axis_off()
    ax.set(xlim=(0, picture.width), ylim=(picture.height, 0), aspect="equal")
    ax.figure.set_facecolor(picture.paper)
    inches = ax.get_window_extent().transformed(transforms.inverted())
    scale = 72.0 * min(inches.width / picture.width, inches.height / picture.height)
    pen = _Pen(ax, scale, families(), patches)
    for group in chain(picture.edges, picture.nodes):
        for shape in group.shapes:
            pen.draw(shape)


class _Pen:
    """Draws single shapes; `points`: how many points a pixel of the picture is."""

    def __init__(self, ax: Axes, points: float, fonts: list[str], patches: Any) -> None:
        self.ax, self.points, self.fonts, self.patches = ax, points, fonts, patches
        self.path = required("matplotlib.path").Path
        self.order = 1.0

    def draw(self, shape: Shape) -> None:
        """Add a shape on top of those before it."""
        self.order += 0.0001
        if isinstance(shape, Text):
            self._text(shape)
        elif isinstance(shape, Bar):
            for part in shape.rects():
                self.draw(part)
        else:
            maker = {Rect: self._rect, Path: self._path, Dot: self._dot}[type(shape)]
            patch = maker(shape)  # type: ignore[operator]
            patch.set(zorder=self.order, clip_on=False)
            self.ax.add_patch(patch)

    def _text(self, t: Text) -> None:
        size = t.size * self.points
        place = {"ha": ANCHORS[t.anchor], "va": "baseline", "zorder": self.order, "clip_on": False}
        look = {"fontsize": size, "color": t.fill, "fontweight": t.weight, "fontfamily": self.fonts}
        # parse_math: a dollar sign in a name is a dollar sign
        self.ax.text(t.x, t.y, clean(t.text), parse_math=False, **place, **look)  # type: ignore[arg-type]

    def _rect(self, r: Rect) -> Any:
        radius = min(r.radius, r.height / 2, r.width / 2)
        style = f"round,pad=0,rounding_size={radius}" if radius > 0 else "square,pad=0"
        return self.patches.FancyBboxPatch(
            (r.x, r.y),
            r.width,
            r.height,
            boxstyle=style,
            facecolor=r.fill or "none",
            edgecolor=r.stroke or "none",
            linewidth=r.line_width * self.points if r.stroke else 0.0,
            linestyle=(0, (4, 3)) if r.dashed else "-",
        )

    def _path(self, p: Path) -> Any:
        code = self.path
        codes = [code.MOVETO] + [code.LINETO] * (len(p.points) - 1)
        if p.curved:
            codes = [code.MOVETO, code.LINETO, code.CURVE4, code.CURVE4, code.CURVE4, code.LINETO]
        return self.patches.PathPatch(
            self.path(p.points, codes),
            facecolor="none",
            edgecolor=p.stroke,
            linewidth=p.line_width * self.points,
            linestyle=(0, (4, 3)) if p.dashed else "-",
            capstyle="butt",
        )

    def _dot(self, d: Dot) -> Any:
        return self.patches.Circle((d.x, d.y), d.radius, facecolor=d.fill, edgecolor="none", linewidth=0.0)


@cache
def families() -> list[str]:
    """Return the fonts to draw with: DejaVu Sans, which comes with matplotlib, then those installed that hold more.

    Only fonts that are there are asked for, so that none is reported as missing.
    """
    there = set(required("matplotlib.font_manager").get_font_names())
    return ["DejaVu Sans", *(font for font in FALLBACKS if font in there)]
