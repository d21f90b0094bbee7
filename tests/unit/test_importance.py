"""Which columns matter."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from deciduous import CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.errors import DataError
from deciduous.explain.importance import impurity_importance

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
CLASSES, NUMBERS = (X[:, 0] + X[:, 2] > 0).astype(int), X[:, 1] + X[:, 0] ** 2


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_importance_is_scikit_learns(depth: int, weighted: bool) -> None:
    weight = RNG.integers(1, 4, size=120) if weighted else None
    ours = CARTClassifier(max_depth=depth, min_samples_leaf=9).fit(X, CLASSES, weight)
    theirs = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=9, random_state=0).fit(X, CLASSES, weight)
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    ours_r = CARTRegressor(max_depth=depth, min_samples_leaf=9).fit(X, NUMBERS, weight)
    theirs_r = DecisionTreeRegressor(max_depth=depth, min_samples_leaf=9, random_state=0).fit(X, NUMBERS, weight)
    assert ours_r.feature_importances_ == pytest.approx(theirs_r.feature_importances_)


def test_a_tree_that_asks_nothing_has_no_importance() -> None:
    assert impurity_importance(CARTClassifier().fit(X, [1] * 120).tree_).tolist() == [0, 0, 0, 0]


def test_columns_that_are_never_asked_for_count_nothing() -> None:
    table = pd.DataFrame({"id": [3, 1, 2, 4], "a": list("uuvv"), "w": [1, 2, 1, 1], "b": list("stst")})
    model = ID3Classifier(kinds={"id": "id", "w": "weight"}).fit(table, list("xxyy"))
    assert model.feature_importances_.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("scale", [2.0**-490, 2.0**480, 1e149])
def test_tiny_and_huge_targets(scale: float) -> None:
    plain = CARTRegressor(max_depth=3).fit(X, NUMBERS)
    scaled = CARTRegressor(max_depth=3).fit(X, NUMBERS * scale)
    assert scaled.feature_importances_ == pytest.approx(plain.feature_importances_)


def test_targets_whose_squares_are_too_large() -> None:
    with pytest.raises(DataError, match=r"beyond 1e\+150, whose squares do not fit"):
        CARTRegressor(max_depth=3).fit(X, NUMBERS * 1e160)
