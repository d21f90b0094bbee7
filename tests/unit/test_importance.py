"""Which columns matter."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, datasets
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


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_with_missing_cells_weights_and_pruning_it_is_scikit_learns(alpha: float) -> None:
    table = np.where(RNG.random(X.shape) < 0.15, np.nan, X).astype(np.float32)
    weight = RNG.uniform(0.5, 2, len(X))
    for ours, theirs, y in (
        (CARTClassifier, DecisionTreeClassifier, CLASSES),
        (CARTRegressor, DecisionTreeRegressor, NUMBERS),
    ):
        options = {"min_samples_leaf": 9, "ccp_alpha": alpha}
        mine, other = ours(**options).fit(table, y, weight), theirs(**options, random_state=0).fit(table, y, weight)
        assert mine.feature_importances_ == pytest.approx(other.feature_importances_)


# --- permutation importance: scikit-learn's own function, on tables of words and gaps ---


#: scikit-learn hands polars frames on as arrays.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("make", [lambda X: X, lambda X: X.to_pandas(), lambda X: X.to_numpy()], ids=["pl", "pd", "np"])
@pytest.mark.parametrize("model", [C45Classifier(), CARTClassifier(max_depth=3), ID3Classifier(max_depth=2)], ids=repr)
def test_permutation_importance_takes_frames_of_words(model: Any, make: Any) -> None:
    penguins = datasets.load("penguins")
    table = make(penguins.X)
    found = permutation_importance(model.fit(table, penguins.y), table, penguins.y, n_repeats=4, random_state=0)
    unused = sorted(set(range(6)) - set(model.tree_.used_features))
    assert (found.importances_mean[unused] == 0).all()
    assert found.importances_mean.max() > 0.1


def test_permutation_importance_of_a_column_is_the_score_that_it_brings() -> None:
    """Of the one column that the tree asks for: the share right, less that of answers drawn like the column."""
    table = pd.DataFrame({"a": list("xy") * 50, "b": list("uuvv") * 25})
    y = np.array(["no", "yes"] * 50)
    model = CARTClassifier().fit(table, y)
    found = permutation_importance(model, table, y, n_repeats=60, random_state=0)
    assert found.importances_mean == pytest.approx([0.5, 0], abs=0.03)
    several = np.stack([y, y], axis=1)
    model = CARTRegressor().fit(table, (several == "yes").astype(float))
    found = permutation_importance(model, table, (several == "yes").astype(float), random_state=0)
    assert found.importances_mean[0] > 1.5
    assert found.importances_mean[1] == 0
