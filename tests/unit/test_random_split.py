"""The candidate that is drawn for one column: what it divides, what it is worth, and when there is none."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deciduous.criteria import CRITERIA
from deciduous.kernels import SplitKind
from deciduous.measures import gini_gain
from deciduous.search.absolute import NodeRows, best_absolute_split
from deciduous.search.contingency import Contingency, Found, Rule
from deciduous.search.features import best_split
from deciduous.search.random_split import draw_split, drawn_threshold, random_split

VALUES = np.array([-1.0, 0.5, 2.0, 7.0])
TABLE = np.array([[3.0, 0], [1, 2], [0, 4], [2, 2]])
MISSING = np.array([1.0, 3])


def contingency(ordered: bool = True, lines: Any = slice(None), holes: int = 4) -> Contingency:
    """A column of four values or categories, some of them present, and rows with a missing cell."""
    table = np.zeros_like(TABLE)
    table[lines] = TABLE[lines]
    missing = MISSING if holes else np.zeros(2)
    if ordered:
        return Contingency(TABLE[lines], TABLE[lines].sum(axis=1).astype(int), missing, holes, VALUES[lines])
    return Contingency(table, table.sum(axis=1).astype(int), missing, holes)


def rule(**options: Any) -> Rule:
    given = {"criterion": CRITERIA["class", "gini"], "missing": "direction", "nominal": "subset", "band": 0.0}
    return Rule(**{**given, "splitter": "random", **options})


def test_a_threshold_divides_the_values_at_it() -> None:
    for key in range(40):
        found = best_split(contingency(holes=0), rule(key=key))
        assert isinstance(found, Found)
        assert found.threshold == drawn_threshold(-1.0, 7.0, key)
        left = found.threshold >= VALUES
        assert found.table.tolist() == [TABLE[left].sum(axis=0).tolist(), TABLE[~left].sum(axis=0).tolist()]
        assert found.gain == pytest.approx(gini_gain(table=found.table))
        data = best_split(contingency(holes=0), rule(key=key, training_values=np.array([-1.0, 0, 0.5, 2, 3, 7])))
        assert isinstance(data, Found)
        assert data.table.tolist() == found.table.tolist()
        assert data.threshold == max(v for v in [-1.0, 0, 0.5, 2, 3, 7] if v <= found.threshold)


@pytest.mark.parametrize("missing", ["majority", "branch", "direction", "fractional"])
@pytest.mark.parametrize("nominal", [None, "subset", "one_vs_rest"])
def test_where_the_rows_go(missing: str, nominal: str | None) -> None:
    cells = contingency(nominal is None, [0, 1, 3])
    homes = set()
    for key in range(60):
        chosen = rule(key=key, missing=missing, nominal=nominal or "subset")
        drawn, found = draw_split(cells, chosen), random_split(cells, chosen)
        assert drawn is not None
        assert found is not None
        homes.add(drawn.missing_branch)
        expected = np.zeros((drawn.n_branches, 2))
        for line, branch in zip(cells.table, drawn.branch, strict=True):
            expected[branch] += line
        if drawn.missing_branch >= 0:
            expected[drawn.missing_branch] += MISSING
        assert found.table.tolist() == expected.tolist()
        share = 14 / 18 if missing in ("majority", "fractional") else 1
        known = 10 / 14 if missing in ("majority", "fractional") else share
        assert found.gain == pytest.approx(gini_gain(table=found.table) * known)
        if nominal == "one_vs_rest":
            assert (drawn.branch == 0).sum() == 1
            assert drawn.branch[2] == 1  # an absent category is among the rest
        elif nominal == "subset" and drawn.kind == SplitKind.SUBSET:
            assert drawn.branch[2] == -1
    assert homes == {"majority": {-1}, "fractional": {-1}, "branch": {2}, "direction": {0, 1}}[missing]


def test_one_known_value() -> None:
    for ordered in (True, False):
        found = best_split(contingency(ordered, [1]), rule())
        assert isinstance(found, Found)
        assert (found.kind, found.table.tolist()) == (SplitKind.MISSING, [[1, 2], [1, 3]])
        assert best_split(contingency(ordered, [1]), rule(missing="majority")) == "constant"
        assert best_split(contingency(ordered, [1], holes=0), rule()) == "constant"
        assert best_split(contingency(ordered, []), rule()) == "no known cell"


def test_a_candidate_that_is_not_allowed() -> None:
    found = {best_split(contingency(holes=0), rule(key=key, min_samples_leaf=4)) == "limits" for key in range(40)}
    assert found == {True, False}  # the draw is not repeated
    signs = {
        sign: [best_split(contingency(holes=0), rule(key=key, monotone=sign)) for key in range(40)] for sign in (1, -1)
    }
    for rising, falling in zip(signs[1], signs[-1], strict=True):
        assert isinstance(rising, Found) != isinstance(falling, Found)


def test_a_branch_per_category_leaves_nothing_to_draw() -> None:
    chosen = rule(nominal="multiway", missing="majority")
    random, best = (best_split(contingency(False), replace(chosen, splitter=s)) for s in ("random", "best"))
    assert isinstance(random, Found)
    assert isinstance(best, Found)
    assert random.table.tolist() == best.table.tolist()


@pytest.mark.parametrize("missing", ["majority", "branch", "direction"])
@pytest.mark.parametrize("nominal", [None, "subset", "one_vs_rest"])
def test_the_draw_does_not_hang_on_the_criterion(missing: str, nominal: str | None) -> None:
    rng = np.random.default_rng(0)
    line = rng.integers(-1, 4, 40)
    y, weight = rng.normal(size=40), rng.uniform(0.5, 2, 40)
    sums = np.array([[(weight * y**k)[line == g].sum() for k in (0, 1, 2)] for g in range(-1, 4)])
    counts = np.bincount(line + 1, minlength=5)
    cells = Contingency(sums[1:], counts[1:], sums[0], int(counts[0]), VALUES if nominal is None else None)
    for key in range(20):
        options = {"missing": missing, "nominal": nominal or "subset", "key": key}
        one = best_split(cells, rule(criterion=CRITERIA["number", "squared_error"], **options))
        absolute = rule(criterion=CRITERIA["number", "absolute_error"], **options)
        other = best_absolute_split(NodeRows(line, y, weight), cells, absolute)
        assert isinstance(one, Found)
        assert isinstance(other, Found)
        assert (one.kind, one.missing_branch) == (other.kind, other.missing_branch)
        assert np.array_equal(one.threshold, other.threshold, equal_nan=True)
        assert np.array_equal(one.category_branch, other.category_branch)
        assert one.weights == pytest.approx(other.weights)
