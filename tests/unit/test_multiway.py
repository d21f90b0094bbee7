"""Multiway splits: a branch for every declared category."""

from typing import Any

import numpy as np
import pytest

from deciduous import measures
from deciduous.criteria import CRITERIA
from deciduous.kernels import SplitKind
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.multiway import multiway


def find(table: Any, missing: Any = (0, 0), policy: str = "majority", criterion: str = "gain", **limits: Any) -> Any:
    cells, apart = np.array(table, dtype=float), np.array(missing, dtype=float)
    counts = cells.sum(axis=1).astype(np.int64)
    rule = Rule(CRITERIA["class", criterion], policy, "multiway", band=1e-10, **limits)
    return multiway(Contingency(cells, counts, apart, int(apart.sum())), rule)


def test_a_branch_for_every_category_empty_ones_too() -> None:
    table = [[3, 1], [0, 0], [0, 4]]
    found = find(table)
    assert (found.kind, found.missing_branch, found.tried, found.exact) == (SplitKind.MULTIWAY, -1, 1, True)
    assert (found.table.tolist(), found.weights) == (table, [4, 0, 4])
    assert found.category_branch.tolist() == [0, 1, 2]
    assert found.gain == found.score == pytest.approx(measures.information_gain(table=table))
    assert found.split_information == pytest.approx(1)


def test_the_gain_ratio() -> None:
    table = [[3, 1], [0, 2], [1, 4]]
    assert find(table, criterion="gain_ratio").score == pytest.approx(measures.gain_ratio(table=table))


@pytest.mark.parametrize("table", [[[2, 3]], [[0, 0], [2, 3]], [[0, 0], [0, 0]], np.zeros((0, 2))], ids=str)
@pytest.mark.parametrize("policy", ["error", "majority", "fractional"])
def test_fewer_than_two_branches_with_rows(table: Any, policy: str) -> None:
    assert find(table, policy=policy) is None
    assert find(table, (1, 1), policy) is None


def test_limits_leave_out_empty_branches() -> None:
    assert find([[2, 0], [0, 0], [0, 2]], min_samples_leaf=2) is not None
    assert find([[2, 0], [0, 1], [0, 2]], min_samples_leaf=2) is None
    assert find([[2, 0], [0, 1], [0, 2]], min_cases=2) is not None
    assert find([[2, 0], [0, 1], [0, 1]], min_cases=2) is None


def test_missing_rows_left_out() -> None:
    found = find([[3, 0], [0, 3]], (0, 2), "fractional")
    assert found.gain == pytest.approx(6 / 8)
    assert found.split_information == pytest.approx(measures.entropy(p=[3, 3, 2]))
    assert found.missing_branch == -1


def test_missing_rows_in_a_branch_of_their_own() -> None:
    found = find([[3, 0], [0, 0], [0, 3]], (0, 2), "branch")
    assert (found.kind, found.missing_branch, found.tried) == (SplitKind.MULTIWAY, 3, 2)
    assert found.table.tolist() == [[3, 0], [0, 0], [0, 3], [0, 2]]
    assert found.weights == [3, 0, 3, 2]
    assert found.gain == pytest.approx(measures.entropy(p=[3, 5]))
    assert found.category_branch.tolist() == [0, 1, 2]


def test_missing_rows_are_tried_in_each_branch_with_rows() -> None:
    found = find([[3, 0], [0, 0], [0, 3]], (0, 2), "direction")
    assert (found.missing_branch, found.tried) == (2, 3)
    assert (found.table.tolist(), found.weights) == ([[3, 0], [0, 0], [0, 5]], [3, 0, 5])


@pytest.mark.parametrize("policy", ["branch", "direction"])
@pytest.mark.parametrize("table", [[[4, 0]], [[0, 0], [4, 0], [0, 0]]], ids=str)
def test_missing_or_not(policy: str, table: Any) -> None:
    found = find(table, (0, 3), policy)
    assert found.gain == pytest.approx(measures.entropy(p=[4, 3]))
    assert found.kind == (SplitKind.MISSING if policy == "direction" else SplitKind.MULTIWAY)
    if policy == "direction":
        assert (found.table.tolist(), found.weights) == ([[4, 0], [0, 3]], [4, 3])
        assert (found.missing_branch, found.category_branch) == (1, None)


def test_no_known_row() -> None:
    assert find([[0, 0], [0, 0]], (1, 1), "direction") is None
    assert find([[0, 0], [0, 0]], (1, 1), "branch") is None


@pytest.mark.parametrize("cells", [1, 500, 10**9])
def test_candidates_are_scored_a_part_at_a_time(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `direction` every category is a candidate, and each candidate a table of all of them."""
    monkeypatch.setattr("deciduous.search.multiway.CELLS", cells)
    table = np.random.default_rng(0).integers(1, 4, size=(40, 3))
    table[17], table[20] = (1, 90, 1), (0, 0, 0)
    found = find(table, (0, 50, 0), "direction")
    assert (found.missing_branch, found.tried) == (17, 40)
