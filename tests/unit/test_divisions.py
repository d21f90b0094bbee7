"""Sets of divisions, and the best of one."""

import numpy as np
import pytest

from deciduous.criteria import CRITERIA
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.divisions import Cuts, Divisions, all_partitions
from deciduous.search.items import Items

TABLE = np.array([[4, 0], [4, 0], [0, 1], [0, 1], [1, 1]], dtype=float)


def items(**limits: int) -> Items:
    rule = Rule(CRITERIA["class", "gini"], "error", "subset", 1e-10, **limits)
    return Items(Contingency(TABLE, TABLE.sum(axis=1).astype(np.int64), np.zeros(2), 0), rule)


def test_the_cuts_hold_the_best_of_all() -> None:
    found = items()
    cuts, every = Cuts(found, found.order_by(np.array([1.0, 0.0]))), Divisions(found, all_partitions(5))
    assert cuts.order.tolist() == [2, 3, 4, 0, 1]
    assert cuts.top == pytest.approx(every.top)
    assert (cuts.tried, every.tried) == (4, 15)
    best, same = cuts.best(exact=True), every.best(exact=True)
    assert best is not None
    assert same is not None
    assert best.category_branch.tolist() == same.category_branch.tolist() == [0, 0, 1, 1, 1]


def test_the_side_of_a_cut() -> None:
    found = items()
    cuts = Cuts(found, np.array([3, 1, 0, 2, 4]))
    assert np.flatnonzero(cuts.side(1)).tolist() == [1, 3]


@pytest.mark.parametrize(("least", "hindered"), [(1, False), (4, False), (5, True), (9, True)])
def test_whether_limits_are_in_the_way(least: int, hindered: bool) -> None:
    """The best division has 4 and 8 rows."""
    found = items(min_samples_leaf=least)
    assert Divisions(found, all_partitions(5)).hindered == hindered


def test_nothing_allowed() -> None:
    divisions = Divisions(items(min_samples_leaf=9), all_partitions(5))
    assert divisions.tried == 0
    assert divisions.best(exact=True) is None


def test_of_many_tied_cuts_the_smallest_block_is_taken() -> None:
    table = np.ones((3000, 2))
    rule = Rule(CRITERIA["class", "gini"], "error", "subset", 1e-10)
    found = Items(Contingency(table, np.full(3000, 2), np.zeros(2), 0), rule)
    best = Cuts(found, np.roll(np.arange(3000), 5)).best(exact=True)
    assert best is not None
    assert np.flatnonzero(best.category_branch == 0).tolist() == [2994]
