"""Document 001, "机器学习初级算法梳理[3]—决策树": definitions, the steps of ID3 and CART, scikit-learn's options.

Its errata: the joint entropy lacks its minus sign, the conditional entropy is written H(X, Y) instead of H(Y|X), the
region R1 of a regression tree should be x <= s, and C4.5 does take continuous features.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from deciduous import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    conditional_entropy,
    datasets,
    entropy,
    gain_ratio,
    gini,
    gini_index,
    information_gain,
    joint_entropy,
    split_information,
)
from deciduous.evaluate import accuracy_interval, bootstrap
from deciduous.model.reason import Reason

LOAN = datasets.load("loan")
CLASS = LOAN.y.to_list()
FEATURES = LOAN.X.columns

pairs = st.lists(st.tuples(st.sampled_from("uvwx"), st.sampled_from("abc")), min_size=1)


def column(name: str) -> list[str]:
    return LOAN.frame[name].to_list()


# --- 1.1 information theory -------------------------------------------------------------------------------------------


def test_entropy_of_a_sample_is_that_of_its_class_shares() -> None:
    assert entropy(CLASS) == entropy(p=[9 / 15, 6 / 15]) == entropy(p=[9, 6])


@given(pairs)
def test_joint_entropy_has_a_minus_sign(rows: list[tuple[str, str]]) -> None:
    """H(X, Y) = -sum p log p >= 0, and it is H(X) + H(Y|X); printed without the minus."""
    x, y = zip(*rows, strict=True)
    by_hand = -sum(p * math.log2(p) for p in (rows.count(pair) / len(rows) for pair in set(rows)))
    assert joint_entropy(x, y) == pytest.approx(by_hand, abs=1e-12)
    assert joint_entropy(x, y) == pytest.approx(entropy(x) + conditional_entropy(x, y), abs=1e-12)


@given(pairs)
def test_conditional_entropy_is_of_y_given_x(rows: list[tuple[str, str]]) -> None:
    """H(Y|X) = sum p(x) H(Y|X=x); printed as H(X, Y)."""
    x, y = zip(*rows, strict=True)
    given_x = {value: [label for other, label in rows if other == value] for value in x}
    by_hand = sum(len(part) / len(rows) * entropy(part) for part in given_x.values())
    assert conditional_entropy(x, y) == pytest.approx(by_hand, abs=1e-12)


@given(pairs)
def test_gain_is_what_the_entropy_drops_by(rows: list[tuple[str, str]]) -> None:
    x, y = zip(*rows, strict=True)
    assert information_gain(x, y) == pytest.approx(entropy(y) - conditional_entropy(x, y), abs=1e-12)
    assert information_gain(x, y) >= 0


@pytest.mark.parametrize("feature", FEATURES)
def test_gain_ratio_is_a_penalty_times_the_gain(feature: str) -> None:
    """惩罚参数: the reciprocal of the entropy of the column itself."""
    penalty = 1 / entropy(column(feature))
    assert penalty == 1 / split_information(column(feature))
    assert gain_ratio(column(feature), CLASS) == pytest.approx(penalty * information_gain(column(feature), CLASS))


@given(st.floats(0, 1))
def test_gini_value_of_two_classes_is_2p_1_minus_p(p: float) -> None:
    assert gini(p=[p, 1 - p]) == pytest.approx(2 * p * (1 - p), abs=1e-15)


# --- 1.2 ID3 and C4.5 -------------------------------------------------------------------------------------------------


def test_one_class_gives_a_single_node() -> None:
    tree = ID3Classifier().fit(LOAN.X, ["Yes"] * 15).tree_
    assert (len(tree), tree.node(0).prediction, tree.node(0).reason) == (1, "Yes", Reason.PURE)


def test_no_feature_left_gives_a_leaf_of_the_commonest_class() -> None:
    tree = ID3Classifier().fit({"a": ["u", "u", "u", "v"], "b": ["c"] * 4}, [0, 1, 1, 0]).tree_
    leaf = tree.node(0).children[0]
    assert (leaf.is_leaf, leaf.prediction, leaf.reason) == (True, 1, Reason.NO_CANDIDATE)


@pytest.mark.parametrize(("epsilon", "nodes"), [(0.4, 5), (0.419, 5), (0.42, 1), (0.5, 1)])
def test_a_gain_below_epsilon_gives_a_leaf(epsilon: float, nodes: int) -> None:
    """The largest gains are 0.41997 at the root and 0.918 below it."""
    tree = ID3Classifier(min_gain=epsilon).fit(LOAN.X, CLASS).tree_
    assert len(tree) == nodes
    assert tree.node(0).prediction == "Yes"


def test_a_gain_of_exactly_epsilon_splits() -> None:
    epsilon = information_gain(column("Owns House"), CLASS)
    assert len(ID3Classifier(min_gain=epsilon).fit(LOAN.X, CLASS).tree_) == 5


def test_c45_takes_continuous_features() -> None:
    """The document's list of differences says it does not, its own text that it does."""
    golf = datasets.load("golf")
    tree = C45Classifier().fit(golf.X, golf.y).tree_
    assert tree.node(1).feature == "humidity"


# --- 1.2 CART ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("feature", FEATURES)
def test_gini_index_of_a_value_or_not(feature: str) -> None:
    """Gini(D, A=a) = |D1|/|D| Gini(D1) + |D2|/|D| Gini(D2)."""
    for value in set(column(feature)):
        is_value = [cell == value for cell in column(feature)]
        inside = [label for label, here in zip(CLASS, is_value, strict=True) if here]
        outside = [label for label, here in zip(CLASS, is_value, strict=True) if not here]
        by_hand = len(inside) / 15 * gini(inside) + len(outside) / 15 * gini(outside)
        assert gini_index(is_value, CLASS) == pytest.approx(by_hand, rel=1e-12)


def test_cart_takes_the_feature_and_value_of_smallest_index() -> None:
    by_index = min(
        (gini_index([cell == value for cell in column(name)], CLASS), i, value)
        for i, name in enumerate(FEATURES)
        for value in sorted(set(column(name)))
    )
    tree = CARTClassifier(nominal="one_vs_rest").fit(LOAN.X, CLASS).tree_
    assert tree.node(0).feature == FEATURES[by_index[1]]
    assert tree.node(0).gain == pytest.approx(gini(CLASS) - by_index[0], rel=1e-12)


def test_cart_grows_binary_trees() -> None:
    tree = CARTClassifier().fit(LOAN.X, CLASS).tree_
    assert set(tree.n_branches.tolist()) == {0, 2}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"min_samples_split": 10}, Reason.MIN_SAMPLES_SPLIT),
        ({"min_impurity": 0.45}, Reason.MIN_IMPURITY),
        ({"max_depth": 1}, Reason.MAX_DEPTH),
        ({"max_leaf_nodes": 2}, Reason.MAX_LEAF_NODES),
    ],
)
def test_cart_stops_below_a_number_of_rows_or_a_gini_value(options: dict[str, float], reason: Reason) -> None:
    """The 9 rows without a house have Gini value 4/9. `min_impurity` is what was min_impurity_split."""
    tree = CARTClassifier(**options).fit(LOAN.X, CLASS).tree_
    assert sorted(child.reason for child in tree.node(0).children) == sorted([Reason.PURE, reason])


# --- 2 regression trees -----------------------------------------------------------------------------------------------


def test_the_left_region_holds_x_up_to_s() -> None:
    """R1 = {x <= s}, R2 = {x > s}; printed with x >= s for R1. The answer of a region is the mean of its y."""
    x, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, 2.0, 10.0, 12.0])
    estimator = CARTRegressor(max_depth=1, threshold="data").fit(x, y)
    assert estimator.tree_.node(0).split.threshold == 2.0
    assert estimator.apply(x).tolist() == [1, 1, 2, 2]
    assert estimator.predict(x).tolist() == [1.5, 1.5, 11.0, 11.0]


# --- 4.1 bootstrap ----------------------------------------------------------------------------------------------------


def test_share_of_the_rows_in_a_sample() -> None:
    """1 - (1 - 1/N)^N tends to 1 - 1/e = 0.632."""
    rows = np.arange(1000.0)[:, None]
    found = bootstrap(CARTRegressor(max_depth=1), rows, rows[:, 0] // 2, samples=20)
    assert round(found.expected_distinct, 3) == 0.632
    assert abs(found.distinct.mean() - 0.632) < 0.01


def test_accuracy_by_the_bootstrap() -> None:
    """acc_boot = 1/b sum (0.632 eps_i + 0.368 acc_s)."""
    found = bootstrap(ID3Classifier(), LOAN.X, LOAN.y, samples=30)
    terms = [0.632 * (1 - error) + 0.368 * (1 - found.apparent_error) for error in found.error_by_sample]
    assert found.accuracy_632 == pytest.approx(sum(terms) / 30)


# --- 4.2 interval -----------------------------------------------------------------------------------------------------


def test_interval_of_the_accuracy() -> None:
    """(2 N acc + z^2 +- z sqrt(z^2 + 4 N acc - 4 N acc^2)) / (2 (N + z^2)), where |acc - p| = z sqrt(p (1 - p) / N)."""
    interval = accuracy_interval(80, 100)
    for p in (interval.low, interval.high):
        assert abs(0.8 - p) == pytest.approx(1.959964 * (p * (1 - p) / 100) ** 0.5, rel=1e-6)


# --- 5 scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_iris_example(criterion: str) -> None:
    """Sepal and petal length, at most 4 questions: the same tree as the document's scikit-learn call grows."""
    X, y = load_iris(return_X_y=True)
    ours = CARTClassifier(criterion=criterion, max_depth=4).fit(X[:, [0, 2]], y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0).fit(X[:, [0, 2]], y)
    assert ours.tree_.n_leaves == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict_proba(X[:, [0, 2]]), theirs.predict_proba(X[:, [0, 2]]), atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 10},
        {"min_samples_split": 10},
        {"min_samples_leaf": 5},
        {"min_weight_fraction_leaf": 0.1},
        {"max_leaf_nodes": 5},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_the_options_mean_the_same_here(options: dict[str, object]) -> None:
    X, y = load_iris(return_X_y=True)
    ours = CARTClassifier(**options).fit(X[:, [0, 2]], y)
    theirs = DecisionTreeClassifier(**options, random_state=0).fit(X[:, [0, 2]], y)
    assert ours.tree_.n_leaves == theirs.get_n_leaves()
    assert ours.score(X[:, [0, 2]], y) == pytest.approx(theirs.score(X[:, [0, 2]], y))


@pytest.mark.parametrize("options", [{"splitter": "random"}, {"max_features": "log2"}, {"max_features": 0.5}], ids=str)
def test_random_options(options: dict[str, object]) -> None:
    """They draw: one seed gives one tree, another seed another one, and all of them fit their own rows."""
    X, y = load_iris(return_X_y=True)
    trees = [CARTClassifier(**options, random_state=seed).fit(X, y).tree_ for seed in (0, 0, 1, 2)]
    assert trees[0].to_json() == trees[1].to_json()
    assert len({tree.to_text() for tree in trees}) > 1
    assert all((tree.impurity[tree.is_leaf] == 0).all() for tree in trees)
