"""From the nodes that are shown to shapes with a place: what every pen draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciduous.draw.boxes import Box, Label, box_of, label_of
from deciduous.draw.cards import Card, Outline, outline_of
from deciduous.draw.inside import charts_of
from deciduous.draw.layout import Ints, layout_of
from deciduous.draw.metrics import clean
from deciduous.draw.shapes import Group, Path, Picture, Point, Shape
from deciduous.draw.theme import Theme
from deciduous.draw.view import View
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.text import headline
from deciduous.model.tree import Tree

#: The room between an edge's label and its box, and how far an edge runs straight beside its label.
CLEARANCE = 4.0
#: Edges that run further across than this get a deeper gap to do it in, up to so many times the usual one.
USUAL_REACH, MOST_FAN = 360.0, 4.0


def picture_of(tree: Tree, view: View, theme: Theme) -> Picture:
    """Return the picture of a tree."""
    outline = outline_of(tree, view)
    charts = charts_of(outline, theme)
    boxes = [box_of(card, view, theme, charts) for card in outline.cards]
    labels = [label_of(card, theme) for card in outline.cards]
    placed = _Placed(outline, boxes, labels, theme)
    title = clean(headline(tree))
    lit_last = sorted(range(1, len(boxes)), key=lambda i: outline.cards[i].lit)  # on top of the others
    edges, nodes = _Drawn(placed.edge, lit_last), _Drawn(placed.node, range(len(boxes)))
    return Picture(*placed.size, theme.paper, theme.fonts, title, edges, nodes)


class _Drawn(Sequence[Group]):
    """Groups that are drawn when they are asked for: a large picture is never held as shapes, only its boxes are."""

    def __init__(self, draw: Callable[[int], Group], order: Sequence[int]) -> None:
        self.draw, self.order = draw, order

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, i: Any) -> Any:
        """Return the group at a place, or those of a slice."""
        return _Drawn(self.draw, self.order[i]) if isinstance(i, slice) else self.draw(self.order[i])

    def __iter__(self) -> Iterator[Group]:
        return map(self.draw, self.order)


@dataclass(frozen=True)
class _Axis:
    """Turns depth and breadth into x and y."""

    across: bool

    def point(self, breadth: float, depth: float) -> Point:
        return (depth, breadth) if self.across else (breadth, depth)


class _Placed:
    """Boxes and edges with their places: levels one after the other, each as deep as its deepest box."""

    def __init__(self, outline: Outline, boxes: list[Box], labels: list[Label], theme: Theme) -> None:
        self.outline, self.boxes, self.labels, self.theme = outline, boxes, labels, theme
        self.across = outline.view.direction == "right"
        self.axis = _Axis(self.across)
        slots = [
            max(self._breadth(box.width, box.height), self._breadth(label.width, label.height))
            for box, label in zip(boxes, labels, strict=True)
        ]
        layout = layout_of(outline.parent, slots, theme.gap, theme.family_gap)
        self.breadth = (layout.breadth + theme.margin).tolist()
        self.level = layout.level.tolist()
        self.top, self.bottom, self.label_top = self._levels(layout.level)
        extent, depth = layout.extent + 2 * theme.margin, self.bottom[-1] + theme.margin
        self.size = self.axis.point(extent, depth)

    def _breadth(self, width: float, height: float) -> float:
        return height if self.across else width

    def _depth(self, width: float, height: float) -> float:
        return width if self.across else height

    def _levels(self, level: Ints) -> tuple[list[float], list[float], list[float]]:
        """Return where the boxes of each level begin and end, and where the labels above them begin."""
        n = int(level.max()) + 1
        deepest, labels = np.zeros(n), np.zeros(n)
        np.maximum.at(deepest, level, [self._depth(box.width, box.height) for box in self.boxes])
        np.maximum.at(labels, level, [self._depth(label.width, label.height) for label in self.labels])
        before: Floats = self.theme.level_gap * self._fan(level) + labels + 2 * CLEARANCE
        before[0] = self.theme.margin
        bottom = np.cumsum(before + deepest)
        top = bottom - deepest
        return top.tolist(), bottom.tolist(), (top - labels - 2 * CLEARANCE).tolist()

    def _fan(self, level: Ints) -> Floats:
        """Return how many times as deep as usual the gap above each level is: more where edges run far across."""
        breadth, parent = np.array(self.breadth), np.array(self.outline.parent)
        reach = np.zeros(int(level.max()) + 1)
        np.maximum.at(reach, level[1:], np.abs(breadth[1:] - breadth[parent[1:]]))
        fan: Floats = np.clip(reach / USUAL_REACH, 1.0, MOST_FAN)
        return fan

    def node(self, i: int) -> Group:
        """Return the shapes of a node."""
        box, card = self.boxes[i], self.outline.cards[i]
        middle, top = self.breadth[i], self.top[self.level[i]]
        x, y = self.axis.point(middle - self._breadth(box.width, box.height) / 2, top)
        return Group(card.node, _kind(card), _title(card), (x, y, box.width, box.height), box.shapes(x, y))

    def edge(self, i: int) -> Group:
        """Return the shapes of the edge that leads to a node: from the box above, past the label, to the box."""
        above, level, theme = self.outline.parent[i], self.level[i], self.theme
        card, label, parent = self.outline.cards[i], self.labels[i], self.boxes[above]
        at = self.axis.point
        start = self.top[level - 1] + self._depth(parent.width, parent.height)
        leave, arrive, end = self.bottom[level - 1], self.label_top[level], self.top[level]
        half = (leave + arrive) / 2
        a, b = self.breadth[above], self.breadth[i]
        deep = self._depth(label.width, label.height)
        begins = arrive + CLEARANCE if self.across else end - CLEARANCE - deep
        stroke, width = (theme.highlight, 2.4) if card.lit else (theme.edge, 1.2)
        until = begins - 3.0 if label.lines else end
        points = (at(a, start), at(a, leave), at(a, half), at(b, half), at(b, arrive), at(b, until))
        shapes: list[Shape] = [Path(points, stroke, width, curved=True)]
        if label.lines:
            shapes.append(Path((at(b, begins + deep + 2.0), at(b, end)), stroke, width))
            x, y = at(b - self._breadth(label.width, label.height) / 2, begins)
            shapes.extend(label.shapes(x, y, card, theme))
            box = (x, y, label.width, label.height)
        else:
            box = (*at(b, begins), 0.0, 0.0)
        return Group(card.node, "edge lit" if card.lit else "edge", card.condition, box, tuple(shapes))


def _kind(card: Card) -> str:
    kind = "question" if card.is_open else "set" if card.is_set else "leaf" if card.is_leaf else "closed"
    return f"{kind} lit" if card.lit else kind


def _title(card: Card) -> str:
    """Return what a screen reader says, and a tooltip shows, of a node."""
    parts = [_("node {node}").format(node=card.node), card.condition, card.title, *(line.text for line in card.lines)]
    return "; ".join(part for part in parts if part)
