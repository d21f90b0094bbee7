"""Which nodes are split next."""

from typing import Any

import numpy as np

from deciduous.grow.frontier import BestFirst, LevelByLevel
from deciduous.grow.splits import NOTHING, Pending, Splits
from deciduous.kernels import SplitKind
from deciduous.model.split import Split


def pending(*nodes: tuple[int, float]) -> Pending:
    """Return nodes with their decreases; the threshold of each split is the node's number."""
    numbers, decreases = (np.array(part) for part in zip(*nodes, strict=True))
    splits = Splits.of(
        [Split(0, SplitKind.THRESHOLD, 2, float(n), shares=np.ones(2)) for n in numbers], [True] * len(nodes)
    )
    zeros = np.zeros(len(nodes))
    return Pending(numbers, zeros.astype(np.int64), zeros, splits, gain=zeros, decrease=decreases)


def popped(frontier: Any) -> list[int]:
    batch = frontier.pop()
    assert batch is None or batch.splits.threshold.tolist() == batch.node.tolist()
    return [] if batch is None else batch.node.tolist()


def test_a_level_at_a_time() -> None:
    frontier = LevelByLevel()
    assert popped(frontier) == []
    frontier.push(pending((1, 0.0), (2, 0.0)))
    assert popped(frontier) == [1, 2]
    assert popped(frontier) == []
    frontier.push(NOTHING)
    assert popped(frontier) == []


def test_the_best_first() -> None:
    frontier = BestFirst()
    assert popped(frontier) == []
    frontier.push(pending((1, 0.2), (2, 0.9)))
    assert popped(frontier) == [2]
    frontier.push(pending((3, 0.1), (4, 0.5)))
    assert [popped(frontier) for _ in range(4)] == [[4], [1], [3], []]


def test_the_older_one_of_equals() -> None:
    frontier = BestFirst()
    frontier.push(pending((5, 0.5), (3, 0.5), (4, 0.5)))
    assert [popped(frontier) for _ in range(3)] == [[3], [4], [5]]
