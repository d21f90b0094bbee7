"""Splits of ordered columns: the cuts tried, the thresholds between values, and the places of missing rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import measures
from deciduous.criteria import CRITERIA
from deciduous.kernels import SplitKind
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.thresholds import best_threshold, threshold_between

GINI = CRITERIA["class", "gini"]


def contingency(table: Any, missing: Any = (0, 0), values: Any = None) -> Contingency:
    cells = np.array(table, dtype=float)
    values = np.arange(len(cells), dtype=float) if values is None else np.array(values, dtype=float)
    apart = np.array(missing, dtype=float)
    return Contingency(cells, cells.sum(axis=1).astype(np.int64), apart, int(apart.sum()), values)


def rule(missing: str = "error", criterion: str = "gini", **limits: Any) -> Rule:
    return Rule(CRITERIA["class", criterion], missing, "multiway", band=1e-10, **limits)


def drop(*branches: Any) -> float:
    return measures.gini_gain(table=[np.asarray(b, dtype=float) for b in branches])


# Thresholds


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_the_threshold_separates_its_neighbours(a: float, b: float) -> None:
    low, high = sorted([a, b])
    if low < high:
        threshold = threshold_between(low, high, None)
        assert low <= threshold < high
        assert threshold_between(low, high, np.array([low, high])) == low


@pytest.mark.parametrize(
    ("low", "high", "training", "expected"),
    [
        (1, 2, None, 1.5),
        (2, 4, None, 3),
        (1, 1 + 2**-52, None, 1),
        (-1.7e308, 1.7e308, None, 0),
        (1.6e308, 1.7e308, None, 1.65e308),
        (0, 5e-324, None, 0),
        (75, 80, [70, 75, 77, 78, 80], 77),  # the largest training value that is not above the midpoint
        (75, 80, [70, 75, 78, 80], 75),
        (75, 80, [75, 77.5, 80], 77.5),
    ],
)
def test_thresholds(low: float, high: float, training: list[float] | None, expected: float) -> None:
    every = None if training is None else np.array(training, dtype=float)
    assert threshold_between(float(low), float(high), every) == pytest.approx(expected, rel=1e-15, abs=0)


# Cuts


def test_the_best_cut() -> None:
    found = best_threshold(contingency([[3, 0], [1, 1], [0, 4]], values=[10, 20, 40]), rule())
    assert found is not None
    assert (found.kind, found.threshold, found.missing_branch, found.tried) == (SplitKind.THRESHOLD, 30, -1, 2)
    assert found.table.tolist() == [[4, 1], [0, 4]]
    assert found.weights == [5, 4]
    assert found.gain == found.score == pytest.approx(drop([4, 1], [0, 4]))
    assert found.split_information == pytest.approx(measures.entropy(p=[5, 4]))
    assert found.exact


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=2, max_size=6))
def test_no_cut_is_better_and_the_first_of_equals_is_taken(table: list[tuple[int, int]]) -> None:
    found = best_threshold(contingency(table), rule())
    cells = np.array(table)
    drops = [drop(cells[:k].sum(axis=0), cells[k:].sum(axis=0)) for k in range(1, len(cells))]
    first = next(k for k, d in enumerate(drops) if d >= max(drops) - 1e-10)
    assert found is not None
    assert found.threshold == first + 0.5
    assert found.gain == pytest.approx(max(drops), abs=1e-12)


@pytest.mark.parametrize("table", [[], [[2, 3]]])
def test_one_value_cannot_be_cut(table: Any) -> None:
    assert best_threshold(contingency(np.reshape(table, (-1, 2))), rule()) is None


def test_cuts_that_the_limits_forbid() -> None:
    table = [[1, 0], [2, 2], [0, 2]]
    assert best_threshold(contingency(table), rule()).threshold == 1.5  # type: ignore[union-attr]
    assert best_threshold(contingency(table), rule(min_samples_leaf=3)) is None
    assert best_threshold(contingency(table), rule(min_samples_leaf=2)).tried == 1  # type: ignore[union-attr]


def test_the_score_is_the_ratio_of_the_cut_with_the_best_gain() -> None:
    found = best_threshold(contingency([[1, 0], [4, 4], [0, 1]], values=[64, 65, 80]), rule(criterion="gain_ratio"))
    assert found is not None
    assert found.threshold == 64.5  # the first of two of equal gain
    assert found.score == pytest.approx(measures.gain_ratio(table=[[1, 0], [4, 5]]))


# Missing rows


TABLE, GAP = [[3, 0], [0, 3]], (0, 2)


@pytest.mark.parametrize("policy", ["error", "majority", "fractional"])
def test_gains_of_known_rows_are_multiplied_by_their_share(policy: str) -> None:
    found = best_threshold(contingency(TABLE, GAP), rule(policy))
    assert found is not None
    assert found.gain == pytest.approx(6 / 8 * 0.5)
    assert found.split_information == pytest.approx(measures.entropy(p=[3, 3, 2]))
    assert (found.table.tolist(), found.missing_branch) == (TABLE, -1)


def test_missing_rows_in_a_branch_of_their_own() -> None:
    found = best_threshold(contingency(TABLE, GAP), rule("branch"))
    assert found is not None
    assert (found.table.tolist(), found.weights, found.missing_branch) == ([[3, 0], [0, 3], [0, 2]], [3, 3, 2], 2)
    assert found.gain == pytest.approx(measures.gini(p=[3, 5]))
    assert found.tried == 2


@pytest.mark.parametrize(("missing", "branch", "table"), [((0, 2), 1, [[3, 0], [0, 5]]), ((2, 0), 0, [[5, 0], [0, 3]])])
def test_missing_rows_go_where_they_gain_most(missing: Any, branch: int, table: Any) -> None:
    found = best_threshold(contingency(TABLE, missing), rule("direction"))
    assert found is not None
    assert (found.missing_branch, found.table.tolist(), found.tried) == (branch, table, 3)
    assert found.gain == pytest.approx(drop(*table))


@pytest.mark.parametrize("policy", ["branch", "direction"])
def test_missing_or_not(policy: str) -> None:
    found = best_threshold(contingency([[2, 0], [2, 0]], (0, 3)), rule(policy))
    assert found is not None
    if policy == "direction":
        assert (found.kind, found.missing_branch) == (SplitKind.MISSING, 1)
        assert (found.table.tolist(), found.weights) == ([[4, 0], [0, 3]], [4, 3])
        assert np.isnan(found.threshold)
    else:
        assert found.kind == SplitKind.THRESHOLD  # as good, and tried first
    assert found.gain == pytest.approx(measures.gini(p=[4, 3]))


@pytest.mark.parametrize("policy", ["branch", "direction"])
def test_one_known_value_can_be_told_from_missing_cells(policy: str) -> None:
    found = best_threshold(contingency([[4, 0]], (0, 3)), rule(policy))
    assert found is not None
    assert (found.kind, found.table.tolist(), found.missing_branch) == (SplitKind.MISSING, [[4, 0], [0, 3]], 1)
    assert best_threshold(contingency(np.zeros((0, 2)), (0, 3)), rule(policy)) is None
