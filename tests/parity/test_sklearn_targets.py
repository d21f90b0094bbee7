"""Several targets: the installed scikit-learn, on random tables without ties, finds the same trees."""

import os
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from deciduous import CARTClassifier, CARTRegressor

N_TABLES = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 25


def draw(seed: int) -> tuple[Any, Any, Any, Any, Any]:
    """Return the pair of estimators with random options, and a random table."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(40, 120)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, int(rng.integers(1, 4)))).astype(np.float32)
    Y = X @ rng.normal(size=(X.shape[1], k)) + rng.normal(size=(n, k))
    options: dict[str, Any] = {"min_samples_leaf": int(rng.integers(3, 12))}
    for name, value in (
        ("max_depth", int(rng.integers(1, 6))),
        ("max_leaf_nodes", int(rng.integers(2, 9))),
        ("min_impurity_decrease", 0.01),
        ("ccp_alpha", 0.01),
    ):
        if rng.random() < 0.3:
            options[name] = value
    pair: tuple[Any, Any] = (CARTRegressor, DecisionTreeRegressor)
    if seed % 2:
        pair = (CARTClassifier, DecisionTreeClassifier)
        cuts = [np.sort(rng.normal(size=int(rng.integers(1, 4)))) for _ in range(k)]
        Y = np.stack([np.digitize(y, cut) for y, cut in zip(Y.T, cuts, strict=True)], axis=1)
        options["criterion"] = ["gini", "entropy", "log_loss"][seed % 3]
        of_each = [{int(c): float(rng.uniform(0.5, 2)) for c in np.unique(y)} for y in Y.T]
        options["class_weight"] = [None, "balanced", of_each][int(rng.integers(3))]
    else:
        Y = Y * rng.choice([1e-3, 1.0, 50.0], size=k)
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.1] = np.nan
    ours, theirs = pair[0](**options), pair[1](random_state=0, **options)
    return ours, theirs, X, Y, rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_the_same_tree_and_answers(seed: int) -> None:
    ours, theirs, X, Y, weight = draw(seed)
    ours.fit(X, Y, weight).tree_.check()
    theirs.fit(X, Y, weight)
    same(ours, theirs, X)
    exported = ours.to_sklearn()
    assert (exported.apply(X) == ours.apply(X)).all()
    same(ours, exported, X)
    assert np.array_equal(exported.predict(X), ours.predict(X))


def same(ours: Any, theirs: Any, X: Any) -> None:
    assert len(ours.tree_) == theirs.tree_.node_count
    assert ours.n_outputs_ == theirs.n_outputs_
    assert sorted(ours.tree_.impurity) == pytest.approx(sorted(theirs.tree_.impurity), rel=1e-6, abs=1e-9)
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=1e-6)
    predicted, expected = ours.predict(X), theirs.predict(X)
    assert predicted.shape == expected.shape
    assert predicted.dtype == expected.dtype
    if not hasattr(ours, "predict_proba"):
        assert predicted == pytest.approx(expected, rel=1e-9, abs=1e-9)
        return
    for a, b in ((ours.classes_, theirs.classes_), (ours.predict_proba(X), theirs.predict_proba(X))):
        assert [own.shape for own in a] == [own.shape for own in b]
        assert all(np.allclose(own, other, rtol=1e-9, atol=1e-12) for own, other in zip(a, b, strict=True))
    assert list(ours.n_classes_) == list(theirs.n_classes_)
    with np.errstate(divide="ignore"):
        assert np.array_equal(ours.predict_log_proba(X)[1], np.log(ours.predict_proba(X)[1]))


def test_paths_of_cost_complexity_are_the_same() -> None:
    for seed in range(6):
        ours, theirs, X, Y, weight = draw(seed)
        path, expected = (m.cost_complexity_pruning_path(X, Y, weight) for m in (ours, theirs))
        if len(path.ccp_alphas) != len(expected.ccp_alphas):
            assert theirs.max_leaf_nodes  # best first stops at the limit, wherever ties of rounding lead
            continue
        assert path.ccp_alphas == pytest.approx(expected.ccp_alphas, rel=1e-6, abs=1e-9)
        assert path.impurities == pytest.approx(expected.impurities, rel=1e-6, abs=1e-9)
