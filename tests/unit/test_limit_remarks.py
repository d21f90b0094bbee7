"""The derivation of a node says which minimum its branches must keep: C4.5's, node by node, and those of all trees."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, derivation
from deciduous.explain.steps import FeatureDerivation
from deciduous.search.conventions import CONVENTIONS

N = 120


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.normal(size=N), "rare": ["u"] * (N - 1) + ["v"], "k": rng.choice(list("abc"), N)})
    X.loc[X.index[:20], "x"] = np.nan
    return X, np.where(X["x"].fillna(0) > 0.3, "p", "n") + (X["k"] == "a").astype(str)


def remarks(
    column: str, data: bool, estimator: type = C45Classifier, candidates: int = 1000, **options: Any
) -> FeatureDerivation:
    X, y = table()
    model = estimator(pruning=None, **options).fit(X, y)
    return derivation(model, 0, *((X, y) if data else ()), candidates=candidates).node(0).feature(column)


@pytest.mark.parametrize("data", [True, False])
@pytest.mark.parametrize("conventions", list(CONVENTIONS))
@pytest.mark.parametrize("min_cases", [2.0, 4.0])
def test_the_minimum_for_thresholds(conventions: str, min_cases: float, data: bool) -> None:
    """A tenth of the mean weight of the four classes where that is more than M, in 100 rows of known cells: 2.5."""
    minimum = CONVENTIONS[conventions].min_split(min_cases, 100, 4)
    text = "\n".join(remarks("x", data, conventions=conventions, min_cases=min_cases, mdl_correction=False).remarks)
    expected = (
        "each side of a threshold must weigh 4 (min_cases)"
        if minimum == min_cases
        else "each side of a threshold must weigh 2.5: a tenth of the mean weight of a class, 100/4, at most 25"
    )
    assert expected in text


def test_no_branches_of_the_minimum() -> None:
    assert remarks("rare", False).remarks == (
        "no candidate: no split within the limits",
        "at least two branches must weigh 2 (min_cases)",
    )


def test_a_column_of_numbers_without_a_candidate() -> None:
    assert remarks("x", False, min_cases=60).remarks[1] == (
        "each side of a threshold must weigh 60 (min_cases), or a tenth of the mean weight of a class, up to 25, where "
        "that is more"
    )


def test_the_limits_of_other_trees() -> None:
    found = remarks("x", True, CARTClassifier, min_samples_leaf=7, min_weight_fraction_leaf=0.1).remarks
    assert "every branch must hold 7 rows (min_samples_leaf)" in found
    assert "every branch must weigh 12, 0.1 of all (min_weight_fraction_leaf)" in found
    # 12 known rows on the side without the 20 missing ones: 88 cuts with them left, 88 right, and missing or not
    assert found[:2] == ("best of 177 candidates", "22 candidates removed by limits")
    assert not any("min_cases" in one for one in found)
    assert not any("every branch" in one for one in remarks("x", True, CARTClassifier).remarks)


def test_all_candidates_are_counted_not_only_those_shown() -> None:
    """99 thresholds between 100 different values, each with the missing rows on either side; and missing or not."""
    found = remarks("x", True, CARTClassifier, candidates=24)
    assert (found.n_tried, found.remarks[0]) == (199, "best of 199 candidates")
    assert len(found.tried) == 24
