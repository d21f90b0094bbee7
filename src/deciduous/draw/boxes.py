"""The box of a node and the label of an edge: how large they are, and the shapes in them."""

from __future__ import annotations

from dataclasses import dataclass

from deciduous.draw.cards import Card
from deciduous.draw.inside import Chart, Charts
from deciduous.draw.metrics import ASCENT, LINE, width, wrap
from deciduous.draw.shapes import Bar, Path, Rect, Shape, Text, Weight
from deciduous.draw.theme import Theme
from deciduous.draw.view import View

#: Figures and labels are a little smaller than titles.
SMALL = 0.92
#: The height of the bar of classes, and the side of the square before a class, in font sizes.
BAR, SWATCH = 0.5, 0.62
#: The least width of a box, in font sizes.
LEAST = 6.0


@dataclass(frozen=True)
class Label:
    """The label of an edge, in lines."""

    width: float
    height: float
    lines: tuple[str, ...]

    def shapes(self, x: float, y: float, card: Card, theme: Theme) -> list[Shape]:
        """Return the lines, centred in the label whose upper left corner is (x, y)."""
        size = theme.font_size * SMALL
        ink, weight = theme.highlight if card.lit else theme.ink, _weight(card)
        return [
            Text(x + self.width / 2, y + (i * LINE + ASCENT) * size, line, size, ink, weight, "middle")
            for i, line in enumerate(self.lines)
        ]


def label_of(card: Card, theme: Theme) -> Label:
    """Return the label of the edge that leads to a node."""
    if not card.reply:
        return Label(0.0, 0.0, ())
    size, weight = theme.font_size * SMALL, _weight(card)
    lines = wrap(card.reply, theme.most_width, size, weight, theme.most_lines)
    return Label(max(width(line, size, weight) for line in lines), len(lines) * LINE * size, lines)


def _weight(card: Card) -> Weight:
    return "bold" if card.lit else "normal"


@dataclass(frozen=True)
class Box:
    """The box of a node: a title, a chart if there is one, figures (a block so wide), and the bar of classes."""

    width: float
    height: float
    card: Card
    view: View
    theme: Theme
    title: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]
    block: float
    chart: Chart | None

    @property
    def inset(self) -> float:
        """How far text keeps from the sides: more where they are round, so that it is beside no curve."""
        return _inset(self.view, self.theme)

    def shapes(self, x: float, y: float) -> tuple[Shape, ...]:
        """Return the shapes of the box whose upper left corner is (x, y)."""
        at = y + self.theme.padding
        titles = self._titles(x, at)
        at += len(self.title) * LINE * self.theme.font_size
        chart: tuple[Shape, ...] = ()
        if self.chart is not None:
            chart = self.chart.shapes(x + (self.width - self.chart.width) / 2, at + 5)
            at += self.chart.height + 7
        return (self._frame(x, y), *titles, *chart, *self._figures(x, at), *self._bar(x, y))

    def _frame(self, x: float, y: float) -> Rect:
        card, theme = self.card, self.theme
        colour = theme.of_class(card.answer) if card.answer >= 0 else theme.of_number(card.level)
        fill = theme.card if card.is_open or card.is_set else theme.tinted(colour)
        stroke, line = (theme.highlight, 2.4) if card.lit else (theme.outline, 1.0)
        radius = min(self.inset, self.height / 2) if self.view.shape == "round" else theme.radius
        closed = not (card.is_open or card.is_leaf)
        return Rect(x, y, self.width, self.height, fill, stroke, line, radius, dashed=closed)

    def _titles(self, x: float, y: float) -> list[Shape]:
        size, middle = self.theme.font_size, x + self.width / 2
        return [
            Text(middle, y + (i * LINE + ASCENT) * size, line, size, self.theme.ink, "bold", "middle")
            for i, line in enumerate(self.title)
        ]

    def _figures(self, x: float, y: float) -> list[Shape]:
        """Return the lines of figures, set as a block in the middle of the box, each class behind its colour."""
        theme, size = self.theme, self.theme.font_size * SMALL
        left = x + (self.width - self.block) / 2
        shapes: list[Shape] = []
        for i, (line, swatch) in enumerate(self.lines):
            base = y + (i * LINE + ASCENT) * size
            if swatch >= 0:
                side = SWATCH * size
                shapes.append(Rect(left, base - side - 0.04 * size, side, side, theme.of_class(swatch), radius=1.5))
                shapes.append(Text(left + _indent(swatch, size), base, line, size, theme.ink))
            else:
                shapes.append(Text(x + self.width / 2, base, line, size, theme.muted, "normal", "middle"))
        return shapes

    def _bar(self, x: float, y: float) -> list[Shape]:
        """Return the bar at the bottom: the share of each class, or where the value lies among all."""
        if not self.view.counts or (self.card.answer >= 0 and not self.card.shares):
            return []
        theme, inset = self.theme, self.inset
        height = BAR * theme.font_size
        left, top, room = x + inset, y + self.height - theme.padding - height, self.width - 2 * inset
        if self.card.answer < 0:
            track = mid = top + height / 2
            knob = left + self.card.level * (room - height)
            line = Path(((left, mid), (left + room, track)), theme.outline, 1.5)
            return [line, Rect(knob, top, height, height, theme.of_number(self.card.level), theme.outline, 0.8, 2.0)]
        widths = tuple([room * share for share in self.card.shares])
        return [Bar(left, top, height, widths, tuple(map(theme.of_class, self.card.codes)))]


def box_of(card: Card, view: View, theme: Theme, charts: Charts) -> Box:
    """Return the box of a node, as large as what is in it."""
    size, small = theme.font_size, theme.font_size * SMALL
    inset = _inset(view, theme)
    title = wrap(card.title, theme.most_width, size, "bold", theme.most_lines)
    lines = tuple((wrap(line.text, theme.most_width, small)[0], line.swatch) for line in card.lines)
    block = max((width(line, small) + _indent(swatch, small) for line, swatch in lines), default=0.0)
    chart = charts.get(card.node)
    widths = [*(width(line, size, "bold") for line in title), block, LEAST * size]
    widths += [0.0 if chart is None else chart.width]
    height = 2 * theme.padding + (len(title) * size + len(lines) * small) * LINE
    height += 0.0 if chart is None else chart.height + 7
    height += BAR * size + 3 if view.counts and (card.answer < 0 or card.shares) else 0.0
    return Box(max(widths) + 2 * inset, height, card, view, theme, title, lines, block, chart)


def _inset(view: View, theme: Theme) -> float:
    return theme.padding + (theme.font_size * 1.6 if view.shape == "round" else 0.0)


def _indent(swatch: int, size: float) -> float:
    """Return how far a line stands in: the room of the coloured square."""
    return (SWATCH + 0.35) * size if swatch >= 0 else 0.0
