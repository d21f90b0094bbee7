"""Binary splits of categories, against trying every division."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import measures
from deciduous.criteria import CRITERIA
from deciduous.kernels import SplitKind
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.divisions import all_partitions
from deciduous.search.subsets import EXHAUSTIVE_ITEMS, best_subset, one_vs_rest


def contingency(table: Any, missing: Any = None) -> Contingency:
    cells = np.array(table, dtype=float)
    apart = np.zeros(cells.shape[1]) if missing is None else np.array(missing, dtype=float)
    return Contingency(cells, cells.sum(axis=1).astype(np.int64), apart, int(apart.sum()))


def rule(missing: str = "majority", criterion: str = "gini", task: Any = "class", **limits: Any) -> Rule:
    return Rule(CRITERIA[task, criterion], missing, "subset", band=1e-10, **limits)


def drop(*branches: Any) -> float:
    return measures.gini_gain(table=[np.asarray(b, dtype=float) for b in branches])


# All divisions


def test_all_divisions_in_canonical_order() -> None:
    sides = all_partitions(4)
    blocks = [np.flatnonzero(side).tolist() for side in sides]
    assert blocks == [[0], [1], [2], [3], [0, 1], [0, 2], [0, 3]]
    assert not sides.flags.writeable


@pytest.mark.parametrize("n", range(2, 9))
def test_every_division_is_there_once(n: int) -> None:
    sides = all_partitions(n)
    blocks = [frozenset(np.flatnonzero(side).tolist()) for side in sides]
    assert len({frozenset([b, frozenset(range(n)) - b]) for b in blocks}) == len(blocks) == 2 ** (n - 1) - 1
    assert all(1 <= len(b) <= n // 2 for b in blocks)


# Subsets


def best_of_all(table: np.ndarray) -> tuple[float, list[int]]:
    """Return the best drop, and the first division that has it, as the branch of each category."""
    present = np.flatnonzero(table.sum(axis=1))
    found = []
    for size in range(1, len(present) // 2 + 1):
        for block in combinations(present.tolist(), size):
            if 2 * size < len(present) or block[0] == present[0]:
                left = np.isin(np.arange(len(table)), block)
                branch = np.where(np.isin(np.arange(len(table)), present), np.where(left, 0, 1), -1)
                found.append((drop(table[left].sum(axis=0), table[~left].sum(axis=0)), branch.tolist()))
    best = max(gain for gain, _ in found)
    return best, next(branch for gain, branch in found if gain >= best - 1e-10)


@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_no_division_is_better(classes: int, data: st.DataObject) -> None:
    line = st.lists(st.integers(0, 3), min_size=classes, max_size=classes)
    table = np.array(data.draw(st.lists(line, min_size=2, max_size=6)), dtype=float)
    found = best_subset(contingency(table), rule())
    if (table.sum(axis=1) > 0).sum() < 2:
        assert found is None
        return
    gain, branch = best_of_all(table)
    assert found is not None
    assert (found.kind, found.exact) == (SplitKind.SUBSET, True)
    assert found.gain == pytest.approx(gain, abs=1e-12)
    left, right = (table[found.category_branch == b].sum(axis=0) for b in (0, 1))
    assert found.table.tolist() == [left.tolist(), right.tolist()]
    assert drop(left, right) == pytest.approx(gain, abs=1e-12)
    if classes == 3:  # all were tried in canonical order
        assert found.category_branch.tolist() == branch


def test_equal_cuts_are_decided_by_the_canonical_order() -> None:
    found = best_subset(contingency([[0, 4], [4, 0], [2, 2]]), rule())  # 0 or 1 alone is as good
    assert found is not None
    assert found.category_branch.tolist() == [0, 1, 1]
    assert found.table.tolist() == [[0, 4], [6, 2]]


def test_the_smaller_block_is_the_left_one() -> None:
    found = best_subset(contingency([[4, 0], [4, 0], [0, 4]]), rule())
    assert found is not None
    assert (found.category_branch.tolist(), found.table.tolist()) == ([1, 1, 0], [[0, 4], [8, 0]])


def test_numbers_are_ordered_by_mean() -> None:
    y = [[5.0, 6], [-3], [5], [-2, -4], []]
    table = [[len(v), sum(v), sum(x * x for x in v)] for v in y]
    counts = np.array([len(v) for v in y])
    cells = Contingency(np.array(table, dtype=float), counts, np.zeros(3), 0)
    found = best_subset(cells, rule(criterion="squared_error", task="number"))
    assert found is not None
    assert found.category_branch.tolist() == [0, 1, 0, 1, -1]
    assert found.tried == 3
    assert found.weights == [3, 3]


@pytest.mark.parametrize("table", [np.zeros((0, 2)), [[2, 3]], [[0, 0], [2, 3]]], ids=str)
@pytest.mark.parametrize("search", [best_subset, one_vs_rest])
def test_one_category_cannot_be_divided(search: Any, table: Any) -> None:
    assert search(contingency(table), rule()) is None


def test_many_categories_for_three_classes_are_not_tried_exhaustively() -> None:
    table = np.random.default_rng(0).integers(1, 6, size=(EXHAUSTIVE_ITEMS + 1, 3))
    found = best_subset(contingency(table), rule())
    assert found is not None
    assert not found.exact
    left, right = (table[found.category_branch == b].sum(axis=0) for b in (0, 1))
    singles = [drop(line, table.sum(axis=0) - line) for line in table]
    assert found.gain == pytest.approx(drop(left, right))
    assert found.gain >= max(singles) - 1e-12
    assert best_subset(contingency(table[:-1]), rule()).exact  # type: ignore[union-attr]


def test_two_classes_are_exact_however_many_categories() -> None:
    table = np.random.default_rng(0).integers(0, 5, size=(60, 2))
    found = best_subset(contingency(table), rule())
    assert found is not None
    assert found.exact
    assert found.tried == (table.sum(axis=1) > 0).sum() - 1


# One against the rest


def test_one_against_the_rest() -> None:
    found = one_vs_rest(contingency([[2, 2], [0, 5], [0, 0], [3, 1]]), rule())
    assert found is not None
    assert (found.kind, found.tried) == (SplitKind.ONE_VS_REST, 3)
    assert found.category_branch.tolist() == [1, 0, 1, 1]  # a category that no row has is not the one
    assert found.table.tolist() == [[0, 5], [5, 3]]
    assert found.gain == pytest.approx(drop([0, 5], [5, 3]))


def test_of_two_categories_the_first_is_the_one() -> None:
    found = one_vs_rest(contingency([[0, 5], [5, 0]]), rule())
    assert found is not None
    assert (found.category_branch.tolist(), found.table.tolist()) == ([0, 1], [[0, 5], [5, 0]])


# Missing rows

SEARCHES = pytest.mark.parametrize("search", [best_subset, one_vs_rest])


@SEARCHES
def test_missing_rows_left_out(search: Any) -> None:
    found = search(contingency([[3, 0], [0, 3]], (0, 2)), rule("fractional"))
    assert (found.gain, found.missing_branch) == (pytest.approx(6 / 8 * 0.5), -1)


@SEARCHES
def test_missing_rows_in_a_branch_of_their_own(search: Any) -> None:
    found = search(contingency([[3, 0], [0, 3]], (0, 2)), rule("branch"))
    assert (found.missing_branch, found.table.tolist()) == (2, [[3, 0], [0, 3], [0, 2]])
    assert found.weights == [3, 3, 2]


@SEARCHES
@pytest.mark.parametrize(("missing", "category"), [((2, 0), 0), ((0, 2), 1)])
def test_missing_rows_go_where_they_gain_most(search: Any, missing: Any, category: int) -> None:
    found = search(contingency([[3, 0], [0, 3]], missing), rule("direction"))
    assert found.missing_branch == found.category_branch[category]
    assert found.weights[found.missing_branch] == 5
    assert found.gain == pytest.approx(drop([3, 0], [0, 5]))
    assert sorted(found.category_branch.tolist()) == [0, 1]


@SEARCHES
def test_missing_or_not(search: Any) -> None:
    found = search(contingency([[2, 0], [2, 0]], (0, 3)), rule("direction"))
    assert (found.kind, found.missing_branch) == (SplitKind.MISSING, 1)
    assert (found.table.tolist(), found.weights) == ([[4, 0], [0, 3]], [4, 3])
    assert found.category_branch is None


@SEARCHES
@pytest.mark.parametrize("policy", ["branch", "direction"])
def test_one_category_can_be_told_from_missing_cells(search: Any, policy: str) -> None:
    found = search(contingency([[0, 0], [4, 0]], (0, 3)), rule(policy))
    assert (found.kind, found.table.tolist(), found.missing_branch) == (SplitKind.MISSING, [[4, 0], [0, 3]], 1)
    assert search(contingency([[0, 0]], (0, 3)), rule(policy)) is None
