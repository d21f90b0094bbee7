"""Cost-complexity pruning by cross-validation."""

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

from deciduous import CARTClassifier, CARTRegressor, DataError, DataWarning, ID3Classifier, OptionError
from deciduous.prune import smallest_optimal
from tests.unit.test_pruning_options import table

CLASSES, NUMBERS = CARTClassifier(min_samples_leaf=5), CARTRegressor(min_samples_leaf=5)


def numbers(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, X[:, 0] + random.normal(size=n), random.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("model", [CLASSES, NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_errors_by_hand(model, weighted: bool) -> None:
    """Fold by fold: a tree of the other rows, pruned at the geometric means of neighbouring alphas, answers it."""
    X, y, w = numbers(1)
    y = np.digitize(y, [-1, 0, 1]) if model is CLASSES else y
    w = w if weighted else np.ones(len(w))
    folds = np.random.default_rng(2).integers(0, 4, len(y))
    path = model.cross_validated_path(X, y, w, cv=folds)
    full = model.fit(X, y, w).pruning_path()
    assert path.alpha == pytest.approx(full.alpha)
    for step in range(len(path)):
        price = np.sqrt(path.alpha[step] * path.alpha[step + 1]) if step + 1 < len(path) else 1e9
        error = np.empty(len(y))
        for fold in range(4):
            out = folds == fold
            part = model.fit(X[~out], y[~out], w[~out])
            pruned = part._with(smallest_optimal(part.tree_, price * part.tree_.weight[0]))
            answers = pruned.predict(X[out])
            error[out] = answers != y[out] if model is CLASSES else (answers - y[out]) ** 2
        mean = np.average(error, weights=w)
        assert path.cv_error[step] == pytest.approx(mean)
        assert path.cv_se[step] == pytest.approx(np.sqrt((w**2 * (error - mean) ** 2).sum()) / w.sum())


@pytest.mark.parametrize("cls", [CARTClassifier, ID3Classifier])
def test_as_an_option(cls) -> None:
    """The tree of all rows at the step that the rule chooses; noise is cut away."""
    X, y = table(1)
    sizes = {}
    for rule in ("min", "1se"):
        model = cls(pruning="cost_complexity", cv=5, rule=rule).fit(X, y)
        model.tree_.check()
        path = cls().cross_validated_path(X, y, cv=5)
        assert model.get_n_leaves() == path.n_leaves[path.choose(rule)]
        assert model.tree_.n_samples[0] == len(y)
        sizes[rule] = model.get_n_leaves()
    assert sizes["1se"] <= sizes["min"] < cls().fit(X, y).get_n_leaves()


def test_folds_are_drawn_by_the_seed() -> None:
    X, y, _ = numbers(3)
    one, same = (CARTRegressor().cross_validated_path(X, y, cv=5).cv_error for _ in range(2))
    other = CARTRegressor(random_state=1).cross_validated_path(X, y, cv=5).cv_error
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_class_that_a_fold_lacks() -> None:
    X = np.arange(40.0).reshape(-1, 1)
    y = np.array(["a"] * 19 + ["b"] * 20 + ["c"])
    path = CARTClassifier().cross_validated_path(X, y, cv=4)
    assert path.cv_error[0] >= 1 / 40  # the only c is never learned when it is asked for
    assert (path.cv_error <= 1).all()


def test_folds_of_your_own() -> None:
    """The fold of each row, or the pairs of a splitter of scikit-learn, also as the option."""
    X, y = table(5)
    folds = np.arange(len(y)) % 4
    pairs = list(PredefinedSplit(folds).split())
    by_fold, by_pair = (CARTClassifier().cross_validated_path(X, y, cv=cv) for cv in (folds, pairs))
    assert np.array_equal(by_fold.cv_error, by_pair.cv_error)
    model = CARTClassifier(pruning="cost_complexity", cv=pairs, rule="1se").fit(X, y)
    assert model.get_n_leaves() == by_pair.n_leaves[by_pair.choose("1se")]
    assert model.tree_.options["cv"] == 4
    y = y.astype(object)
    y[:40] = None
    with pytest.warns(DataWarning, match="40 of 400 rows left out"):
        gaps = CARTClassifier().cross_validated_path(X, y, cv=pairs)
    assert gaps.tree.n_samples[0] == 360


def test_what_does_not_fit() -> None:
    X, y, _ = numbers(4, 30)
    with pytest.raises(OptionError, match="cv=1 must be a whole number of folds of at least 2"):
        CARTRegressor(pruning="cost_complexity", cv=1).fit(X, y)
    with pytest.raises(OptionError, match="validation= and cv= both say"):
        CARTRegressor(pruning="cost_complexity", cv=5).fit(X, y, validation=(X, y))
    with pytest.raises(DataError, match="30 rows cannot be divided into 31 folds; use a smaller cv"):
        CARTRegressor(pruning="cost_complexity", cv=31).fit(X, y)
    with pytest.raises(OptionError, match="cv=1 must be a whole number of at least 2"):
        CARTRegressor().cross_validated_path(X, y, cv=1)
    for wrong in (np.arange(29), "five", [], np.array(["a"] * 30)):
        with pytest.raises(DataError, match="the fold of each of the 30 rows, or a list of pairs"):
            CARTRegressor().cross_validated_path(X, y, cv=wrong)
    for wrong in (np.zeros(30), [([0, 1], [])], [([], [0, 1])]):
        with pytest.raises(DataError, match="cv leaves a fold without rows"):
            CARTRegressor().cross_validated_path(X, y, cv=wrong)
