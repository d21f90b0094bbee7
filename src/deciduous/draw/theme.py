"""How pictures look: one frozen record, and the few that come along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from deciduous.errors import OptionError, listing, nearest

#: Colours of classes, in order. The first seven are those of Okabe and Ito (2008); every further one is the colour
#: furthest from all before it (Oklab), for normal sight, protanopia and deuteranopia alike (Machado et al. 2009).
PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8a0316"),
    *("#4e3d6c", "#93cea8", "#8a70fc", "#0935b1", "#b23b19", "#556f6d", "#9bd2fa", "#a6eca5"),
    *("#405853", "#92b07b", "#655384", "#2a5cda", "#7985d4", "#b4c96d", "#6fc0c8", "#c3ded8"),
    *("#406940", "#268956", "#d5d240", "#35973a", "#514490", "#749cc9", "#2d56b6", "#7f8cf9"),
)
#: Fonts to look for, the widths of the first two being those that boxes are made for.
FONTS = (
    *("DejaVu Sans", "Verdana", "Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei"),
    *("WenQuanYi Micro Hei", "sans-serif"),
)


@dataclass(frozen=True)
class Theme:
    """Fonts, colours and measures of a picture.

    Colours are `#rrggbb`; measures are in pixels (1/96 inch in SVG, points in LaTeX and PDF). `palette`: a colour for
    each class, in the order of the classes; where there are more classes they begin again. `low`, `high`: the colours
    of the least and the largest number predicted. `tint`: how much of its colour a leaf shows. `most_width`: wider text
    is wrapped, and cut after `most_lines`.
    """

    fonts: tuple[str, ...] = FONTS
    font_size: float = 12.0
    ink: str = "#1b1f24"
    muted: str = "#59636e"
    paper: str = "#ffffff"
    card: str = "#ffffff"
    outline: str = "#8c959f"
    edge: str = "#8c959f"
    highlight: str = "#c2185b"
    palette: tuple[str, ...] = PALETTE
    low: str = "#dbe9f6"
    high: str = "#084a91"
    tint: float = 0.18
    radius: float = 5.0
    padding: float = 8.0
    gap: float = 14.0
    family_gap: float = 26.0
    level_gap: float = 34.0
    margin: float = 12.0
    most_width: float = 210.0
    most_lines: int = 3

    def of_class(self, code: int) -> str:
        """Return the colour of a class."""
        return self.palette[code % len(self.palette)]

    def of_number(self, share: float) -> str:
        """Return the colour of a number that lies so far from the least (0) to the largest (1)."""
        return mix(self.low, self.high, share)

    def tinted(self, colour: str) -> str:
        """Return the background of a leaf of a colour, which the ink can be read on."""
        return mix(self.card, colour, self.tint)


LIGHT = Theme()
DARK = Theme(
    ink="#e6edf3",
    muted="#b1bac4",
    paper="#0d1117",
    card="#161b22",
    outline="#6e7681",
    edge="#6e7681",
    highlight="#ff7ab2",
    low="#1d3a5f",
    high="#9ecbff",
    tint=0.24,
)
#: For black and white print: classes differ in lightness.
GREY = replace(
    LIGHT,
    palette=("#4d4d4d", "#b8b8b8", "#808080", "#dedede", "#262626", "#9c9c9c", "#676767", "#cccccc"),
    low="#eeeeee",
    high="#3a3a3a",
    highlight="#000000",
    ink="#000000",
)
THEMES = {"light": LIGHT, "dark": DARK, "grey": GREY}


def theme_of(theme: Theme | str) -> Theme:
    """Return a theme by its name, or as it is; OptionError for an unknown name."""
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise OptionError(
            f"theme={theme!r} is not one of {listing(THEMES)}, nor a deciduous.draw.Theme.{nearest(theme, THEMES)}"
        )
    return THEMES[theme]


@lru_cache(maxsize=1024)
def mix(first: str, second: str, share: float) -> str:
    """Return the colour that lies `share` of the way from one to another."""
    parts = [round(a + (b - a) * share) for a, b in zip(channels(first), channels(second), strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def channels(colour: str) -> Sequence[int]:
    """Return red, green and blue of `#rrggbb`, 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
