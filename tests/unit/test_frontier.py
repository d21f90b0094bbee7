"""Which nodes are split next."""

from typing import Any

import numpy as np

from deciduous.grow.frontier import BestFirst, LevelByLevel, Pending
from deciduous.grow.rows import Entries
from deciduous.kernels import SplitKind
from deciduous.model.split import Split

ENTRIES = Entries(np.zeros(0, dtype=np.int64), np.zeros(0))
SPLIT = Split(0, SplitKind.THRESHOLD, 2)


def pending(node: int, decrease: float = 0.0) -> Pending:
    return Pending(node, 0, ENTRIES, SPLIT, gain=0.0, decrease=decrease)


def popped(frontier: Any) -> list[int]:
    return [p.node for p in frontier.pop()]


def test_a_level_at_a_time() -> None:
    frontier = LevelByLevel()
    assert popped(frontier) == []
    frontier.push([pending(1), pending(2)])
    frontier.push([pending(3)])
    assert popped(frontier) == [1, 2, 3]
    frontier.push([pending(4)])
    assert popped(frontier) == [4]
    assert popped(frontier) == []


def test_the_best_first() -> None:
    frontier = BestFirst()
    assert popped(frontier) == []
    frontier.push([pending(1, 0.2), pending(2, 0.9)])
    assert popped(frontier) == [2]
    frontier.push([pending(3, 0.1), pending(4, 0.5)])
    assert [popped(frontier) for _ in range(4)] == [[4], [1], [3], []]


def test_the_older_one_of_equals() -> None:
    frontier = BestFirst()
    frontier.push([pending(5, 0.5), pending(3, 0.5), pending(4, 0.5)])
    assert [popped(frontier) for _ in range(3)] == [[3], [4], [5]]
