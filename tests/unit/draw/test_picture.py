"""The geometry of pictures: nothing overlaps, nothing leaves the page or its box; on random trees, in both directions.

`make soak` tries 500 trees. Text is measured by our own widths here, and by Chromium in tests/surface/test_browser.py.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from deciduous import CARTClassifier
from deciduous.draw.metrics import ASCENT, DESCENT, width
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Bar, Dot, Group, Path, Picture, Rect, Shape, Text
from deciduous.draw.svg import to_svg
from deciduous.draw.theme import LIGHT
from deciduous.draw.view import View
from tests.chains import chain
from tests.drawings import random_tree
from tests.trees import leaf, node, tree_of

N_TREES = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 24
Extent = tuple[float, float, float, float]


def extent_of(shape: Shape) -> Extent:
    """The left, top, right and bottom of a shape."""
    if isinstance(shape, Bar):
        return shape.x, shape.y, shape.x + sum(shape.widths), shape.y + shape.height
    if isinstance(shape, Rect):
        return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    if isinstance(shape, Dot):
        return shape.x - shape.radius, shape.y - shape.radius, shape.x + shape.radius, shape.y + shape.radius
    if isinstance(shape, Path):
        x, y = zip(*shape.points, strict=True)
        return min(x), min(y), max(x), max(y)
    wide = width(shape.text, shape.size, shape.weight)
    left = shape.x - {"start": 0.0, "middle": wide / 2, "end": wide}[shape.anchor]
    return left, shape.y - ASCENT * shape.size, left + wide, shape.y + DESCENT * shape.size


def inside(inner: Extent, outer: Extent, slack: float = 0.01) -> bool:
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def overlapping(extents: list[Extent]) -> list[tuple[int, int]]:
    """The pairs of boxes that share some area."""
    left, top, right, bottom = np.array(extents).T
    meet = (left[:, None] < right - 0.01) & (right[:, None] > left + 0.01)
    meet &= (top[:, None] < bottom - 0.01) & (bottom[:, None] > top + 0.01)
    i, j = np.nonzero(np.triu(meet, 1))
    return list(zip(i.tolist(), j.tolist(), strict=True))


def box_of(group: Group) -> Extent:
    x, y, w, h = group.box
    return x, y, x + w, y + h


def check_geometry(picture: Picture) -> None:
    page = (0.0, 0.0, picture.width, picture.height)
    boxes = [box_of(group) for group in picture.nodes]
    labels = [box_of(group) for group in picture.edges if group.box[2] > 0]
    assert not overlapping(boxes + labels)
    for groups, kinds in ((picture.nodes, (Rect, Bar, Dot, Path, Text)), (picture.edges, (Text,))):
        for group in groups:
            assert inside(box_of(group), page)
            for shape in group.shapes:
                assert inside(extent_of(shape), page), (group.title, shape)
                if isinstance(shape, kinds):
                    assert inside(extent_of(shape), box_of(group)), (group.title, shape)


def check_edges(picture: Picture) -> None:
    """No edge crosses a box: its curve lies between the levels, and the rest runs along the middles of boxes."""
    boxes = np.array([box_of(group) for group in picture.nodes])
    for edge in picture.edges:
        for path in edge.shapes:
            if not isinstance(path, Path):
                continue
            for x, y in _points_on(path):
                within = (x > boxes[:, 0] + 0.5) & (x < boxes[:, 2] - 0.5) & (y > boxes[:, 1] + 0.5)
                assert not (within & (y < boxes[:, 3] - 0.5)).any()


def _points_on(path: Path) -> list[tuple[float, float]]:
    pieces = [path.points[i : i + 2] for i in range(len(path.points) - 1)]
    found = []
    if path.curved:
        a, b, c, d = (np.array(p) for p in path.points[1:5])
        for t in np.linspace(0, 1, 12):
            curve = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
            found.append((float(curve[0]), float(curve[1])))
        pieces = [path.points[:2], path.points[4:]]
    for (x0, y0), (x1, y1) in pieces:
        found += [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in np.linspace(0.02, 0.98, 8)]
    return found


@pytest.mark.parametrize("seed", range(N_TREES))
def test_nothing_overlaps_and_all_text_is_inside(seed: int) -> None:
    tree = random_tree(seed)
    tree.check()
    options = [{}, {"direction": "right"}, {"shape": "round", "impurity": True}, {"max_depth": 2, "numbers": True}]
    picture = picture_of(tree, View(**options[seed % 4]), LIGHT)
    check_geometry(picture)
    check_edges(picture)


@pytest.mark.parametrize(
    ("seed", "hostile", "direction"), [(7, False, "down"), (99, True, "right"), (499, True, "down")]
)
def test_two_thousand_nodes_in_a_second(seed: int, hostile: bool, direction: str) -> None:
    """With room to spare, also where 30 classes lie in most nodes and names are long and strange (99, 499)."""
    tree = random_tree(seed, 2000, hostile)
    to_svg(random_tree(1))  # tables of widths are read once
    taken = []
    for _ in range(2):  # other programs, and what the collector of garbage finds, may slow one down
        begin = time.process_time()
        svg = to_svg(tree, direction=direction)
        taken.append(time.process_time() - begin)
    assert svg.count("data-node") >= 2 * 1990 - 1
    assert len(svg) < 10_000_000
    assert min(taken) < 1.0


@pytest.mark.parametrize("direction", ["down", "right"])
def test_two_thousand_nodes_have_their_room(direction: str) -> None:
    check_geometry(picture_of(random_tree(7, 2000, hostile=False), View(direction=direction), LIGHT))


def test_a_chain_of_questions_is_drawn_without_recursion() -> None:
    tree = chain(1200)
    check_geometry(picture_of(tree, View(counts=False, max_depth=40), LIGHT))
    assert to_svg(tree, counts=False).count("<g ") == 2 * len(tree) - 1


def test_edges_that_run_far_have_room_to_do_it() -> None:
    """A fan of 40 branches has a deeper gap below its question than a fork has."""

    def gap(n: int) -> float:
        picture = picture_of(tree_of(node(*(leaf(1, 2) for _ in range(n)))), View(), LIGHT)
        return picture.nodes[1].box[1] - picture.nodes[0].box[1] - picture.nodes[0].box[3]

    assert gap(2) == gap(3) < gap(20) < gap(40) <= 5 * gap(2)


@pytest.mark.parametrize("options", [{}, {"impurity": True, "numbers": True}, {"counts": False}])
def test_round_boxes_hold_all_that_is_in_them(options: dict[str, bool]) -> None:
    """Corners are no rounder than text, bars and charts keep from the sides."""
    X, y = np.arange(40.0)[:, None], np.arange(40) // 10
    model = CARTClassifier().fit(X, y)
    for group in picture_of(model.tree_, View(shape="round", data=(X, y), **options), LIGHT).nodes:
        frame = group.shapes[0]
        assert isinstance(frame, Rect)
        for shape in group.shapes[1:]:
            left, _, right, _ = extent_of(shape)
            assert left >= frame.x + frame.radius - 0.5
            assert right <= frame.x + frame.width - frame.radius + 0.5
