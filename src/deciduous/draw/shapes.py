"""What pens draw: boxes, lines, dots and text with a place and a colour, grouped by the node they belong to.

x runs to the right and y down, in pixels. Colours are `#rrggbb`; None is not drawn. Shapes are tuples, since large
trees have tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

Anchor = Literal["start", "middle", "end"]
Weight = Literal["normal", "bold"]
Point = tuple[float, float]


class Rect(NamedTuple):
    """A box; `dashed`: its outline."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    line_width: float = 1.0
    radius: float = 0.0
    dashed: bool = False


class Bar(NamedTuple):
    """Boxes in a row, side by side from the upper left corner (x, y), each with its width and its colour."""

    x: float
    y: float
    height: float
    widths: tuple[float, ...]
    fills: tuple[str, ...]

    def lefts(self) -> list[float]:
        """Return where each box begins."""
        return list(accumulate(self.widths[:-1], initial=self.x))

    def rects(self) -> list[Rect]:
        """Return the boxes one by one."""
        parts = zip(self.lefts(), self.widths, self.fills, strict=True)
        return [Rect(left, self.y, width, self.height, fill) for left, width, fill in parts]


class Text(NamedTuple):
    """A line of text; (x, y) is where its baseline starts, is in the middle, or ends."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    weight: Weight = "normal"
    anchor: Anchor = "start"


class Path(NamedTuple):
    """A line through points: straight from the first to the second, and so on; with `curved`, the points are start,
    end of a straight piece, two control points, start of the last straight piece, end.
    """

    points: tuple[Point, ...]
    stroke: str
    line_width: float = 1.0
    curved: bool = False
    dashed: bool = False


class Dot(NamedTuple):
    """A small filled circle."""

    x: float
    y: float
    radius: float
    fill: str


Shape = Rect | Bar | Text | Path | Dot


def moved(shape: Shape, dx: float, dy: float) -> Shape:
    """Return a shape that lies elsewhere."""
    if isinstance(shape, Path):
        return shape._replace(points=tuple((x + dx, y + dy) for x, y in shape.points))
    return shape._replace(x=shape.x + dx, y=shape.y + dy)


@dataclass(frozen=True, slots=True)
class Group:
    """The shapes of one node, or of the edge that leads to it. `box`: x, y, width and height that hold them."""

    node: int
    kind: str
    title: str
    box: tuple[float, float, float, float]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of shapes: the edges, then the nodes."""

    width: float
    height: float
    paper: str
    fonts: tuple[str, ...]
    title: str
    edges: Sequence[Group]
    nodes: Sequence[Group]
