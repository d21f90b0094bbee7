"""`plot_regions`: the regions of a tree with the rows it was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciduous.draw.matplotlib import colour_bar, families, key, named, new_axes
from deciduous.draw.metrics import clean, wrap
from deciduous.draw.regions import Interval, Tile, answer_of, regions_of, tiles_of
from deciduous.draw.sample import Sample, sample_of
from deciduous.draw.theme import Theme, mix, theme_of
from deciduous.draw.view import single_of
from deciduous.errors import DataError, OptionError, listing
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.model.route import route
from deciduous.model.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: How far the frame reaches beyond the rows, as a share of their range.
MARGIN = 0.06
#: The weakest and strongest shade of a region: those of a class without and with all of the probability.
SHADES = (0.12, 0.5)
#: Of larger tables so many rows are drawn, evenly chosen.
MOST_POINTS = 2000
#: Rows of a category are spread over this part of its width.
SPREAD = 0.6


def plot_regions(
    model: Any,
    X: Any,
    y: Any,
    *,
    features: Sequence[str | int] | None = None,
    at: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
    theme: Theme | str = "light",
    points: bool = True,
) -> Axes:
    """Draw how a tree divides the plane of two columns, exactly, with the rows; return the axes.

    Colours are the classes, the shade the probability of the class predicted (for numbers: the value). A tree for
    numbers over one column is drawn as its steps.

    Args:
        model: a fitted estimator, or a `Tree`.
        X, y: the rows, as `fit` takes them; `y` may be the name of a column.
        features: one or two columns, by name or position; by default those that the tree asks for, if there are at
            most two, else the two most important ones by the tree's order of questions.
        at: where to cut the other columns that the tree asks for, by name; None is a missing cell. By default the
            median of a column of numbers, the most frequent category of others; the title says so. Rows that end in
            a leaf which this slice does not meet are rings: what is drawn below them is not their answer.
        ax, theme: where to draw, and how.
        points: whether to draw the rows.

    Raises:
        DataError: for an unknown column, or rows that do not fit the tree. OptionError: for more than two columns.
    """
    tree, look = single_of(model, "plot_regions"), theme_of(theme)
    sample = sample_of(tree, X, y)
    axes = _axes(tree, features)
    fixed = _cuts(tree, sample, axes, at or {})
    frame = [_frame(tree, sample, j) for j in axes]
    tiles = tiles_of(regions_of(tree, axes, fixed), frame)
    if ax is None:
        ax = new_axes(6.4, 4.8)
    plot = _Plot(tree, sample, axes, frame, ax, look)
    if len(axes) == 1 and tree.task == "number":
        plot.steps(tiles)
    else:
        plot.tiles(tiles)
    notes = [_("at {cuts}").format(cuts=plot.words(fixed))] if fixed else []
    if points and plot.points(_ending_in(tree, sample, tiles)):
        notes.append(_("rings: rows that the tree sends elsewhere"))
    plot.label(notes)
    return ax


def _ending_in(tree: Tree, sample: Sample, tiles: Sequence[Tile]) -> NDArray[np.bool_]:
    """Return which rows end, in part or whole, in a node of these tiles, and not in one that the slice leaves out."""
    arrivals = route(tree, sample.table)
    inside = np.zeros(sample.table.n_rows, dtype=bool)
    inside[arrivals.rows[np.isin(arrivals.nodes, [node for tile in tiles for node, _share in tile.answers])]] = True
    return inside


def _axes(tree: Tree, features: Sequence[str | int] | None) -> list[int]:
    """Return the columns of the axes, by position."""
    if features is not None:
        chosen = [j if isinstance(j, int) else tree.schema.index(j) for j in features]
        if not 1 <= len(chosen) <= 2 or len(set(chosen)) < len(chosen):
            raise OptionError(f"features={list(features)!r} must name one column, or two different ones.")
        wrong = [j for j in chosen if not (0 <= j < len(tree.schema) and tree.schema.features[j].is_split_on)]
        if wrong:
            raise DataError(f"column {wrong[0]} cannot be an axis; the columns are {listing(tree.schema.names)}.")
        return chosen
    asked = list(dict.fromkeys(tree.feature[~tree.is_leaf].tolist()))
    if len(asked) < 2 and tree.task == "class":
        asked += [j for j, f in enumerate(tree.schema.features) if f.is_split_on and j not in asked][: 2 - len(asked)]
    if not asked:
        asked = [j for j, f in enumerate(tree.schema.features) if f.is_split_on][:1]
    return sorted(asked[:2])


def _cuts(tree: Tree, sample: Sample, axes: Sequence[int], at: Mapping[str, Any]) -> dict[int, Any]:
    """Return a cell for every other column that the tree asks for."""
    fixed = {tree.schema.index(name): cell for name, cell in at.items()}
    for j in tree.used_features:
        if j in axes or j in fixed:
            continue
        cells = sample.cells(j)
        known = cells[~np.isnan(cells)]
        feature = tree.schema.features[j]
        if not len(known):
            fixed[j] = None
        elif feature.kind == "numeric":
            fixed[j] = float(np.median(known))
        else:
            fixed[j] = feature.categories[int(np.bincount(known.astype(np.int64)).argmax())]
    return {j: cell for j, cell in fixed.items() if j not in axes}


def _frame(tree: Tree, sample: Sample, feature: int) -> Interval:
    column = tree.schema.features[feature]
    if column.kind != "numeric":
        return -0.5, len(column.categories) - 0.5
    cells = sample.cells(feature)
    asked = tree.threshold[(tree.feature == feature) & ~np.isnan(tree.threshold)]
    known = np.concatenate([cells[~np.isnan(cells)], asked])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = MARGIN * (high - low) or 1.0
    return low - room, high + room


class _Plot:
    def __init__(
        self, tree: Tree, sample: Sample, axes: Sequence[int], frame: Sequence[Interval], ax: Axes, theme: Theme
    ) -> None:
        self.tree, self.sample, self.axes, self.frame, self.ax, self.theme = tree, sample, axes, frame, ax, theme
        self.fonts = families()
        values = tree.value if tree.task == "number" else np.array([0.0, 1.0])
        self.least, self.span = float(values.min()), float(np.ptp(values)) or 1.0

    def tiles(self, tiles: Sequence[Tile]) -> None:
        """Draw rectangles in the colour of their answer."""
        for tile in tiles:
            colour = self._shade(answer_of(self.tree, tile))
            width, height = tile.x1 - tile.x0, tile.y1 - tile.y0
            self.ax.bar(tile.x0, height, width, tile.y0, align="edge", color=colour, edgecolor=colour, linewidth=0.3)
        for tile in tiles:
            edges = ([tile.x0, tile.x1, tile.x1, tile.x0, tile.x0], [tile.y0, tile.y0, tile.y1, tile.y1, tile.y0])
            self.ax.plot(*edges, color=self.theme.paper, linewidth=0.8, zorder=1.5)
        if self.tree.task == "number":
            colour_bar(
                self.ax, (self.theme.low, self.theme.high), (self.least, self.least + self.span), self.tree.target
            )

    def steps(self, tiles: Sequence[Tile]) -> None:
        """Draw the answers over one column as a line of steps."""
        for tile in sorted(tiles, key=lambda t: t.x0):
            value = float(answer_of(self.tree, tile)[0])
            self.ax.plot([tile.x0, tile.x1], [value, value], color=self.theme.highlight, linewidth=2.2, zorder=4)
        asked = sorted({tile.x0 for tile in tiles} - {self.frame[0][0]})
        for x in asked:
            self.ax.axvline(x, color=self.theme.outline, linewidth=0.6, linestyle=(0, (4, 3)), zorder=1)

    def _shade(self, answer: Floats) -> str:
        if self.tree.task == "number":
            return self.theme.of_number((float(answer[0]) - self.least) / self.span)
        low, high = SHADES
        code = int(answer.argmax())
        return mix(self.theme.paper, self.theme.of_class(code), low + (high - low) * float(answer[code]))

    def points(self, inside: NDArray[np.bool_]) -> bool:
        """Draw the rows, those of a class in its colour, those not inside as rings; in a category they are spread.

        Return whether there are rings.
        """
        n = self.sample.table.n_rows
        rows = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(np.int64)) if n else np.arange(0)
        x, inside = self._places(0)[rows], inside[rows]
        target = self.sample.target[rows]
        number = self.tree.task == "number"
        alone = target if number else 0.1 + 0.8 * _spread(n)[rows]  # where there is no second column
        y = self._places(1)[rows] if len(self.axes) == 2 else alone
        if not number:
            for code, label in enumerate(self.tree.classes):
                mine = target == code
                if mine.any():
                    name = wrap(str(label) or "''", 200.0, 12.0)[0]
                    self._dots(x[mine], y[mine], self.theme.of_class(code), inside[mine], self.theme.paper, name)
        elif len(self.axes) == 1:
            self._dots(x, y, mix(self.theme.paper, self.theme.muted, 0.45), inside, self.theme.paper)
        else:
            shares = np.clip((target - self.least) / self.span, 0, 1)
            colours = [self.theme.of_number(float(share)) for share in shares]
            self._dots(x, y, np.array(colours), inside, self.theme.ink)
        return not (inside | np.isnan(x) | np.isnan(y)).all()

    def _dots(self, x: Floats, y: Floats, colour: Any, inside: NDArray[np.bool_], edge: str, name: str = "") -> None:
        """Draw rows as dots with an edge, of one colour or one for each, those not inside as rings."""
        one = isinstance(colour, str)
        look: dict[str, Any] = {"s": 22, "zorder": 3}
        dots = self.ax.scatter(
            x[inside], y[inside], c=colour if one else colour[inside], edgecolors=edge, linewidths=0.6, **look
        )
        if name:
            dots.set_label(name)
        if not inside.all():
            rings = look | {"s": 14, "linewidths": 0.9, "facecolors": "none"}
            self.ax.scatter(x[~inside], y[~inside], edgecolors=colour if one else self.theme.muted, **rings)

    def _places(self, axis: int) -> Floats:
        feature = self.axes[axis]
        cells = self.sample.cells(feature)
        if self.tree.schema.features[feature].kind == "numeric":
            return cells
        return cells + SPREAD * (_spread(len(cells), axis) - 0.5)

    def label(self, notes: Sequence[str]) -> None:
        """Name the axes, the classes, and where other columns are cut."""
        tree, ax = self.tree, self.ax
        font: dict[str, Any] = {"fontfamily": self.fonts, "parse_math": False}
        names = [wrap(tree.schema.features[j].name, 300.0, 12.0)[0] for j in self.axes]
        named(ax, xlabel=names[0])
        ax.set_xlim(*self.frame[0])
        if len(names) == 2:
            named(ax, ylabel=names[1])
            ax.set_ylim(*self.frame[1])
        elif tree.task == "number":
            named(ax, ylabel=tree.target)
        else:
            ax.set(ylim=(0, 1), yticks=[])
        for axis, j in zip((ax.xaxis, ax.yaxis), self.axes, strict=False):
            feature = tree.schema.features[j]
            if feature.kind != "numeric":
                labels = [wrap(str(c), 110.0, 12.0)[0] for c in feature.categories]
                axis.set_ticks(range(len(labels)), labels, **font)
        if notes:
            ax.set_title("\n".join(wrap(note, 420.0, 10.0)[0] for note in notes), fontsize=10, **font)
        if tree.task == "class" and ax.get_legend_handles_labels()[0]:
            key(ax, wrap(tree.target, 160.0, 12.0)[0])

    def words(self, fixed: Mapping[int, Any]) -> str:
        """Say where the other columns are cut."""
        return ", ".join(f"{self.tree.schema.names[j]} = {_cell(cell)}" for j, cell in fixed.items())


def _cell(cell: Any) -> str:
    return _("missing") if cell is None else significant(cell) if isinstance(cell, float) else clean(str(cell))


def _spread(n: int, axis: int = 0) -> Floats:
    """Return n numbers from 0 to 1 that lie evenly and follow no order of the rows, for both axes evenly in the plane:
    multiples of 1/p and 1/p^2 with p^3 = p + 1.
    """
    spread: Floats = np.modf((np.arange(n) + 1) * (0.7548776662466927, 0.5698402909980532)[axis])[0]
    return spread
