"""Where the boxes of a tree go: a tidy layout for any number of branches and boxes of any size, in linear time.

Levels lie one after the other along the depth of the picture. Across it (the breadth), a parent stands in the middle of
its first and last child, and neighbours on a level keep a gap. Subtrees are packed as closely as their outlines allow:
outlines are merged level by level, which takes only as long as the shorter of the two is deep (Reingold and Tilford
1981, section IV; van der Ploeg 2014 treats boxes of several sizes).

Packing from the left pushes small subtrees to the left of the room they have; so the tree is packed from both ends,
and the mean of both is taken. It keeps every gap and every parent in the middle, since these are linear conditions, and
a tree that is its own mirror image is drawn so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where boxes go: `breadth`, the middle of each box across the picture, from 0, shape (boxes,); `level`, how many
    boxes lie above each; `extent`: how broad the picture is.
    """

    breadth: Floats
    level: Ints
    extent: float


def layout_of(parent: Sequence[int], size: Sequence[float], gap: float, family_gap: float | None = None) -> Layout:
    """Return the layout of a tree whose boxes are listed with every parent before its children, these in order.

    `parent`: the place of the parent in the list, -1 for the root; `size`: the breadth of each box; `gap`: the least
    distance of neighbours on a level, `family_gap` of those with different parents (`gap` if None).
    """
    children = _children(parent)
    half = [s / 2 for s in size]
    family = gap if family_gap is None else family_gap
    left = _absolute(parent, _packed(children, half, gap, family))
    mirrored = _absolute(parent, _packed([c[::-1] for c in children], half, gap, family))
    breadth = (np.array(left) - np.array(mirrored)) / 2
    sizes = np.array(half)
    start = float((breadth - sizes).min())
    level = [0] * len(parent)
    for i in range(1, len(parent)):
        level[i] = level[parent[i]] + 1
    return Layout(breadth - start, np.array(level), float((breadth + sizes).max()) - start)


def _children(parent: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parent]
    for i in range(1, len(parent)):
        children[parent[i]].append(i)
    return children


def _absolute(parent: Sequence[int], offset: list[float]) -> list[float]:
    """Return positions from distances to the parent."""
    at = offset.copy()
    for i in range(1, len(at)):
        at[i] += at[parent[i]]
    return at


class _Outline:
    """One side of a subtree: how far it reaches on each level, from the deepest to the top, all moved by `shift`."""

    __slots__ = ("reach", "shift")

    def __init__(self, reach: list[float]) -> None:
        self.reach, self.shift = reach, 0.0

    def __len__(self) -> int:
        return len(self.reach)

    def replace_top(self, other: _Outline) -> None:
        """Take over the levels of another outline, which is at most as deep, at the top."""
        n, move = len(other), other.shift - self.shift
        self.reach[len(self.reach) - n :] = [value + move for value in other.reach]


def _packed(children: list[list[int]], half: list[float], gap: float, family_gap: float) -> list[float]:
    """Return the distance of each box from its parent, everything packed from the left; 0 for the root."""
    offset = [0.0] * len(children)
    sides: list[tuple[_Outline, _Outline] | None] = [None] * len(children)
    for node in range(len(children) - 1, -1, -1):
        left, right = _Outline([]), _Outline([])
        for i, child in enumerate(children[node]):
            its_left, its_right = sides[child] or (left, right)
            sides[child] = None
            if i == 0:
                left, right = its_left, its_right
                continue
            offset[child] = _distance(right, its_left, gap, family_gap)
            its_left.shift += offset[child]
            its_right.shift += offset[child]
            deeper = len(its_left) > len(left)
            if deeper:
                its_left.replace_top(left)
                left, right = its_left, its_right
            else:
                right.replace_top(its_right)
        if children[node]:
            middle = (offset[children[node][0]] + offset[children[node][-1]]) / 2
            for child in children[node]:
                offset[child] -= middle
            left.shift -= middle
            right.shift -= middle
        left.reach.append(-half[node] - left.shift)
        right.reach.append(half[node] - right.shift)
        sides[node] = left, right
    return offset


def _distance(right: _Outline, left: _Outline, gap: float, family_gap: float) -> float:
    """Return how far a subtree must move to stand right of another: `gap` between brothers, `family_gap` below."""
    n = min(len(right), len(left))
    ours, theirs = right.reach[len(right) - n :], left.reach[len(left) - n :]
    move = right.shift - left.shift
    brothers = ours[-1] - theirs[-1] + gap
    below = max((a - b for a, b in zip(ours[:-1], theirs[:-1], strict=True)), default=-np.inf) + family_gap
    return float(max(brothers, below) + move)
