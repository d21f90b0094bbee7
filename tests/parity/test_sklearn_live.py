"""The installed scikit-learn, on random tables without ties: the same trees, nodes and answers, option by option.

The features are float32, which is what scikit-learn rounds them to, so that thresholds can be equal in all digits.
"""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from deciduous import CARTClassifier, CARTRegressor
from deciduous.model.reason import Reason

TASKS = {
    "absolute_error": "number",
    "friedman_mse": "number",
    "poisson": "number",
    "squared_error": "number",
    "gini": "class",
    "entropy": "class",
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_depth": 4},
    {"min_samples_leaf": 7},
    {"max_leaf_nodes": 9},
    {"min_weight_fraction_leaf": 0.08, "min_samples_split": 20},
    {"min_impurity_decrease": 0.02, "max_depth": 6},
]
SIGNS: list[Any] = [None, [1, -1, 0, 0], [0, 0, 1, 1], [-1, 1, -1, 0]]


def draw(seed: int, criterion: str, weighted: bool, missing: bool) -> tuple[Any, Any, Any]:
    """A table of continuous columns, a target that hangs on some of them, and weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 90))
    X = rng.normal(size=(n, 4)).astype(np.float32)
    signal = X[:, 0] - np.abs(X[:, 1]) + X[:, 2] * (X[:, 3] > 0)
    weight = rng.uniform(0.2, 3, n) if weighted else None
    if criterion == "poisson":
        # zeros only without weights: of weighted ones scikit-learn may find a sum above 0, and then make a leaf
        y: Any = rng.gamma(2.0, np.exp(signal / 2)) * (weighted | (rng.random(n) < 0.9))
    elif TASKS[criterion] == "number":
        y = signal + rng.standard_t(3, size=n)
    else:
        y = (signal + rng.logistic(size=n) > 0).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y, weight


def same_nodes(ours: Any, theirs: Any, X: Any) -> int:
    """Walk down both trees at once, and return how many nodes were compared.

    Where several cuts are equally good, as they are for few rows, scikit-learn takes one at random: it is proved to be
    as good as ours; below it we go on if it divides the rows alike, and else do not look. Nodes that are pure up to
    rounding it may split: there we do not look either.
    """
    tree, other = ours.tree_, theirs.tree_
    compared, ties = 0, 0
    here, there = (model.decision_path(X).toarray().T > 0 for model in (ours, theirs))
    stack = [(0, 0)]
    while stack:
        i, j = stack.pop()
        node = tree.node(i)
        assert node.n_samples == other.n_node_samples[j]
        assert node.weight == pytest.approx(other.weighted_n_node_samples[j], rel=1e-9)
        assert node.impurity == pytest.approx(other.impurity[j], rel=1e-7, abs=1e-9)
        answer = [node.prediction] if tree.task == "number" else tree.distribution(np.array([i]))[0]
        assert np.allclose(answer, other.value[j][0], rtol=1e-9, atol=1e-9)
        compared += 1
        if node.reason == Reason.PURE:
            assert other.impurity[j] < 1e-12
            continue
        assert node.is_leaf == (other.children_left[j] < 0)
        if node.is_leaf:
            continue
        pairs = list(
            zip((c.index for c in node.children), (other.children_left[j], other.children_right[j]), strict=True)
        )
        if not same_question(tree, i, other, j):
            assert as_good(node, other, j)
            if not (here[pairs[0][0]] == there[pairs[0][1]]).all():
                pairs = [(pairs[0][0], pairs[1][1]), (pairs[1][0], pairs[0][1])]
            bounded = tree.options["monotonic_cst"] is not None  # by the column that was asked for
            if bounded or not (here[pairs[0][0]] == there[pairs[0][1]]).all():
                ties += 1
                continue
        stack += pairs
    if ties:
        return compared
    predict = "predict" if tree.task == "number" else "predict_proba"
    assert np.allclose(getattr(ours, predict)(X), getattr(theirs, predict)(X), rtol=1e-9, atol=1e-9)
    return compared


def same_question(tree: Any, i: int, other: Any, j: int) -> bool:
    """Whether a node asks the same in both trees."""
    if tree.feature[i] != other.feature[j]:
        return False
    if np.isnan(tree.threshold[i]):
        return bool(other.threshold[j] == np.inf)
    return bool(tree.threshold[i] == pytest.approx(other.threshold[j], rel=1e-12))


def as_good(node: Any, other: Any, j: int) -> bool:
    """Whether the impurity below scikit-learn's node is that below ours."""
    below = other.children_left[j], other.children_right[j]
    mass = sum(other.impurity[k] * other.weighted_n_node_samples[k] for k in below)
    return bool((node.impurity - node.gain) * node.weight == pytest.approx(mass, rel=1e-9, abs=1e-9))


@pytest.mark.parametrize("criterion", TASKS)
@pytest.mark.parametrize("signs", SIGNS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_same_tree(criterion: str, signs: Any, weighted: bool) -> None:
    compared = 0
    for seed, options in enumerate(OPTIONS[weighted::2], start=10 * SIGNS.index(signs)):
        X, y, weight = draw(seed, criterion, weighted, missing=False)
        compared += compare(X, y, weight, criterion=criterion, monotonic_cst=signs, **options)
    assert compared > 20


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "gini"])
@pytest.mark.parametrize("signs", SIGNS, ids=str)
def test_same_tree_with_missing_cells(criterion: str, signs: Any) -> None:
    compared = 0
    for seed in range(2):
        X, y, weight = draw(seed, criterion, True, missing=True)
        compared += compare(X, y, weight, criterion=criterion, monotonic_cst=signs, max_depth=3, min_samples_leaf=4)
    assert compared > 10


def compare(X: Any, y: Any, weight: Any, **options: Any) -> int:
    number = TASKS[options["criterion"]] == "number"
    ours = (CARTRegressor if number else CARTClassifier)(**options).fit(X, y, weight)
    ours.tree_.check()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # friedman_mse is called squared_error from 1.11 on
        peer = DecisionTreeRegressor if number else DecisionTreeClassifier
        # Under constraints scikit-learn sometimes gives a node up that has a split, depending on the random order in
        # which it looks at the columns: it is the tree of an order that does not, the one with the most leaves.
        seeds = range(4 if options.get("monotonic_cst") is not None else 1)
        peers = [peer(random_state=seed, **options).fit(X, y, weight) for seed in seeds]
    return same_nodes(ours, max(peers, key=lambda tree: tree.get_n_leaves()), X)
