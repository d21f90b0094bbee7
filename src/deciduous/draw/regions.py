"""Decision regions: the exact rectangles into which a tree divides one or two columns, the others held fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciduous.data.table import Table
from deciduous.errors import DataError
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.route import branches_of
from deciduous.model.split import Split
from deciduous.model.tree import Tree

#: The part of an axis that a region covers: numbers above the first and up to the second; codes of categories.
Interval = tuple[float, float]
Codes = frozenset[int]


@dataclass(frozen=True)
class Region:
    """A part of the plane that one node answers; `bounds`: an interval or codes of categories for each axis.

    `share`: the part of the answer that this node gives, less than 1 where a missing cell among those held fixed
    divides rows.
    """

    node: int
    bounds: tuple[Interval | Codes, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Tile:
    """A rectangle, x0 to x1 and y0 to y1, and the nodes that answer there with their shares. Category i of an axis
    lies from i - 0.5 to i + 0.5.
    """

    x0: float
    x1: float
    y0: float
    y1: float
    answers: tuple[tuple[int, float], ...]


def regions_of(tree: Tree, features: Sequence[int], fixed: Mapping[int, Any]) -> list[Region]:
    """Return the regions of one or two columns, by walking down the tree once.

    `features`: positions of the columns on the axes; `fixed`: a cell for every other column that the tree asks for,
    None for a missing one. DataError names a column that lacks a cell.
    """
    walk = _Walk(tree, tuple(features), _fixed_table(tree, features, fixed))
    found: list[Region] = []
    stack = [Region(0, tuple(_whole(tree, j) for j in features))]
    while stack:
        region = stack.pop()
        if tree.first_child[region.node] < 0:
            found.append(region)
            continue
        ends, goes_on = walk.step(region)
        found += ends
        stack += goes_on
    return found


def _whole(tree: Tree, feature: int) -> Interval | Codes:
    column = tree.schema.features[feature]
    return (-np.inf, np.inf) if column.kind == "numeric" else frozenset(range(len(column.categories)))


def _fixed_table(tree: Tree, features: Sequence[int], fixed: Mapping[int, Any]) -> Table | None:
    needed = [j for j in tree.used_features if j not in features]
    names = tree.schema.names
    for j in needed:
        if j not in fixed:
            raise DataError(f"the tree asks for column {names[j]!r} too: say where to cut, at={{{names[j]!r}: ...}}.")
    if not needed:
        return None
    row = [fixed.get(j) for j in range(len(names))]
    table = [dict(zip(names, row, strict=True))] if tree.schema.named else np.array([row], dtype=object)
    return Table.encode_like(table, tree.schema, needed=needed, who="the tree")


@dataclass(frozen=True)
class _Walk:
    tree: Tree
    features: tuple[int, ...]
    fixed: Table | None

    def step(self, region: Region) -> tuple[list[Region], list[Region]]:
        """Divide a region by the question of its node: the parts that end there, and those that go on below."""
        split = self.tree.split(region.node)
        if split.feature not in self.features:
            assert self.fixed is not None
            cells = self.fixed.columns[split.feature]
            assert cells is not None
            branch = int(branches_of(split, cells, self.tree.unseen == "missing")[0])
            return self._sent(region, split, branch)
        axis = self.features.index(split.feature)
        bound = region.bounds[axis]
        if isinstance(bound, frozenset):
            return self._by_category(region, split, axis, bound)
        if split.kind == SplitKind.MISSING:  # every place on an axis is a known cell
            return [], [self._below(region, split, 0)]
        low, high = bound
        parts = ((low, min(high, split.threshold)), (max(low, split.threshold), high))
        below = [self._below(_with(region, axis, part), split, b) for b, part in enumerate(parts) if part[0] < part[1]]
        return [], below

    def _by_category(self, region: Region, split: Split, axis: int, codes: Codes) -> tuple[list[Region], list[Region]]:
        cells = np.array(sorted(codes), dtype=np.int32)
        ends: list[Region] = []
        goes_on: list[Region] = []
        branches = branches_of(split, cells, self.tree.unseen == "missing")
        for branch in np.unique(branches).tolist():
            part = _with(region, axis, frozenset(cells[branches == branch].tolist()))
            here, below = self._sent(part, split, branch)
            ends += here
            goes_on += below
        return ends, goes_on

    def _sent(self, region: Region, split: Split, branch: int) -> tuple[list[Region], list[Region]]:
        """Send a region down a branch; -1 is a missing cell, which follows the shares, -2 one that stops."""
        if branch >= 0:
            return [], [self._below(region, split, branch)]
        shares = split.shares if branch == -1 else np.zeros(0)
        below = [
            replace(self._below(region, split, b), share=region.share * float(share))
            for b, share in enumerate(shares)
            if share > 0
        ]
        return ([] if below else [region]), below

    def _below(self, region: Region, split: Split, branch: int) -> Region:
        return replace(region, node=int(self.tree.first_child[region.node]) + branch)


def _with(region: Region, axis: int, bound: Interval | Codes) -> Region:
    bounds = tuple(bound if i == axis else old for i, old in enumerate(region.bounds))
    return replace(region, bounds=bounds)


def tiles_of(regions: Sequence[Region], frame: Sequence[Interval]) -> list[Tile]:
    """Return the rectangles of regions within a frame, an interval for each axis; none overlaps another.

    With one axis, rectangles run from 0 to 1 on the other. Where parts of an answer come from several nodes, the plane
    is cut at all edges of these parts, and each piece adds them up.
    """
    tiles = [tile for region in regions for tile in _tiles(region, frame)]
    whole = [tile for tile in tiles if tile.answers[0][1] == 1.0]
    parts = [tile for tile in tiles if tile.answers[0][1] != 1.0]
    return whole + _added(parts)


def _tiles(region: Region, frame: Sequence[Interval]) -> list[Tile]:
    spans = [_spans(bound, limits) for bound, limits in zip(region.bounds, frame, strict=True)]
    across, up = spans[0], spans[1] if len(spans) == 2 else [(0.0, 1.0)]
    return [Tile(*x, *y, ((region.node, region.share),)) for x in across for y in up]


def _spans(bound: Interval | Codes, limits: Interval) -> list[Interval]:
    """Return the stretches of an axis that a bound covers, neighbouring categories as one."""
    if not isinstance(bound, frozenset):
        low, high = max(bound[0], limits[0]), min(bound[1], limits[1])
        return [(low, high)] if low < high else []
    spans: list[Interval] = []
    for code in sorted(bound):
        if spans and spans[-1][1] == code - 0.5:
            spans[-1] = (spans[-1][0], code + 0.5)
        else:
            spans.append((code - 0.5, code + 0.5))
    return spans


def _added(parts: Sequence[Tile]) -> list[Tile]:
    xs = np.unique([edge for t in parts for edge in (t.x0, t.x1)])
    ys = np.unique([edge for t in parts for edge in (t.y0, t.y1)])
    pieces: dict[tuple[int, int], dict[int, float]] = {}
    for t in parts:
        for i in range(*np.searchsorted(xs, (t.x0, t.x1)).tolist()):
            for j in range(*np.searchsorted(ys, (t.y0, t.y1)).tolist()):
                piece = pieces.setdefault((i, j), {})
                node, share = t.answers[0]
                piece[node] = piece.get(node, 0.0) + share
    return [
        Tile(float(xs[i]), float(xs[i + 1]), float(ys[j]), float(ys[j + 1]), tuple(sorted(piece.items())))
        for (i, j), piece in pieces.items()
    ]


def answer_of(tree: Tree, tile: Tile) -> Floats:
    """Return what a tree answers in a tile: the class distribution, or the number, shape (1,)."""
    nodes = np.array([node for node, _ in tile.answers])
    shares = np.array([share for _, share in tile.answers])
    answers: Floats = tree.distribution(nodes) if tree.task == "class" else tree.value[nodes][:, None]
    mixed: Floats = (answers * shares[:, None]).sum(axis=0)
    return mixed
