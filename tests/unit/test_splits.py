"""Splits by the batch, and ragged arrays."""

import numpy as np
import pytest

from deciduous.grow.splits import NOTHING, Splits
from deciduous.kernels import SplitKind
from deciduous.model.ragged import starts_of, take
from deciduous.model.split import Split

SINGLE = [
    Split(3, SplitKind.THRESHOLD, 2, 1.5, shares=np.array([1.0, 0.0])),
    Split(0, SplitKind.MULTIWAY, 3, category_branch=np.array([0, 1, 2], np.int32), shares=np.array([0.0, 0.0, 1.0])),
    Split(1, SplitKind.SUBSET, 2, category_branch=np.array([1, 0, -1, 1], np.int32), shares=np.array([0.25, 0.75])),
]
BATCH = Splits.of(SINGLE, [True, True, False])


def same(one: Split, other: Split) -> bool:
    return (one.feature, one.kind, one.n_branches, repr(one.threshold)) == (
        other.feature,
        other.kind,
        other.n_branches,
        repr(other.threshold),
    ) and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("category_branch", "shares"))


@pytest.mark.parametrize("which", [[0, 1, 2], [2, 0], [1], [], [1, 1]])
def test_some_of_a_batch(which: list[int]) -> None:
    taken = BATCH.take(np.array(which, dtype=np.int64))
    assert len(taken) == len(which)
    assert all(same(taken[k], SINGLE[i]) for k, i in enumerate(which))
    assert taken.exact.tolist() == [i != 2 for i in which]
    assert taken.n_branches.tolist() == [SINGLE[i].n_branches for i in which]


def test_flags_choose_too() -> None:
    assert same(BATCH.take(np.array([False, False, True]))[0], SINGLE[2])


def test_batches_one_behind_the_other() -> None:
    joined = Splits.joined([BATCH.take(np.array([1])), NOTHING.splits, BATCH])
    assert [same(joined[k], SINGLE[i]) for k, i in enumerate([1, 0, 1, 2])] == [True] * 4


def test_ragged_parts() -> None:
    starts, values = starts_of([2, 0, 3]), np.array([10, 11, 30, 31, 32])
    assert starts.tolist() == [0, 2, 2, 5]
    taken, parts = take(starts, values, np.array([2, 1, 0]))
    assert (taken.tolist(), parts.tolist()) == ([0, 3, 3, 5], [30, 31, 32, 10, 11])
