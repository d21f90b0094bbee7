"""scikit-learn's cost-complexity paths, live: random tables without ties, random options and weights."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from deciduous import CARTClassifier, CARTRegressor

PAIRS = {"class": (CARTClassifier, DecisionTreeClassifier), "number": (CARTRegressor, DecisionTreeRegressor)}


@pytest.mark.parametrize("task", PAIRS)
@pytest.mark.parametrize("seed", range(12))
def test_the_same_path_and_the_same_trees(task: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(30, 200))
    n_columns = 1 if task == "class" else int(random.integers(1, 5))  # two columns often divide a few rows alike
    X = random.normal(size=(n, n_columns)).astype(np.float32)
    y = X[:, 0] + random.normal(size=n)
    y = np.digitize(y, [-1, 0, 1.5]) if task == "class" else y
    weight = random.integers(40, 160, n) / 64  # whose sums are exact: scikit-learn splits what is pure but for rounding
    options = {"min_samples_leaf": int(random.integers(1, 5)), "max_depth": [None, 4, 8][seed % 3]}
    if task == "class":
        options["criterion"] = ["gini", "entropy"][seed % 2]
    ours, theirs = (cls(**options) for cls in PAIRS[task])
    theirs.set_params(random_state=0)
    path, expected = (model.cost_complexity_pruning_path(X, y, weight) for model in (ours, theirs))
    assert path.ccp_alphas == pytest.approx(expected.ccp_alphas, rel=1e-9, abs=1e-12)
    assert path.impurities == pytest.approx(expected.impurities, rel=1e-9, abs=1e-12)
    alphas = path.ccp_alphas
    for alpha in ((alphas[1:] + alphas[:-1]) / 2)[:: max(1, len(alphas) // 6)].tolist():
        mine, other = (model.set_params(ccp_alpha=alpha).fit(X, y, weight) for model in (ours, theirs))
        mine.tree_.check()
        assert mine.get_n_leaves() == other.get_n_leaves()
        assert mine.predict(X) == pytest.approx(other.predict(X))
