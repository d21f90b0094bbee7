"""The grower: why nodes are leaves, in which order nodes are split, and what a tree keeps."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, Tree
from deciduous.errors import DataError
from deciduous.model.reason import Reason
from tests.strategies import Small, fit, tables

X = pd.DataFrame({"a": list("uuvvuuvv"), "b": [1.0, 2, 3, 4, 5, 6, 7, 8]})
Y = list("xxyyxyyx")
XOR = pd.DataFrame({"p": list("aabb"), "q": list("cdcd")}), list("xyyx")


def reasons(tree: Tree) -> set[Reason]:
    tree.check()
    return {node.reason for node in tree if node.is_leaf}


@pytest.mark.parametrize(
    ("estimator", "options", "reason"),
    [
        (CARTClassifier, {}, Reason.PURE),
        (CARTClassifier, {"max_depth": 1}, Reason.MAX_DEPTH),
        (CARTClassifier, {"max_depth": 0}, Reason.MAX_DEPTH),
        (CARTClassifier, {"min_samples_split": 4}, Reason.MIN_SAMPLES_SPLIT),
        (CARTClassifier, {"min_impurity": 0.5}, Reason.MIN_IMPURITY),
        (CARTClassifier, {"min_samples_leaf": 5}, Reason.NO_CANDIDATE),
        (CARTClassifier, {"min_weight_fraction_leaf": 0.5}, Reason.NO_CANDIDATE),
        (C45Classifier, {"min_cases": 5}, Reason.NO_CANDIDATE),
        (ID3Classifier, {"min_gain": 1.01}, Reason.NO_GAIN),
        (CARTClassifier, {"min_impurity_decrease": 0.5}, Reason.MIN_IMPURITY_DECREASE),
        (CARTClassifier, {"max_leaf_nodes": 2}, Reason.MAX_LEAF_NODES),
    ],
)
def test_why_a_node_is_a_leaf(estimator: Any, options: dict[str, Any], reason: Reason) -> None:
    assert reason in reasons(estimator(**options).fit(X, Y).tree_)


def test_an_empty_branch_is_a_leaf() -> None:
    cells = pd.Categorical(list("uuvv"), categories=["u", "v", "w"])
    tree = ID3Classifier().fit(pd.DataFrame({"a": cells}), list("xyyy")).tree_
    assert tree.node(3).reason == Reason.EMPTY
    assert reasons(tree) == {Reason.EMPTY, Reason.PURE, Reason.NO_CANDIDATE}


@pytest.mark.parametrize("estimator", [ID3Classifier, C45Classifier])
def test_without_gain_the_root_of_xor_is_a_leaf(estimator: Any) -> None:
    assert reasons(estimator().fit(*XOR).tree_) == {Reason.NO_GAIN}


@pytest.mark.parametrize("estimator", [ID3Classifier, CARTClassifier])
def test_xor_is_learned_if_splits_without_gain_are_made(estimator: Any) -> None:
    model = estimator(zero_gain="split").fit(*XOR)
    assert model.predict(XOR[0]).tolist() == XOR[1]


@pytest.mark.parametrize(
    ("rows", "reason"), [(1, Reason.PURE), (2, Reason.PURE), (3, Reason.NO_CANDIDATE)], ids=["row", "class", "cells"]
)
def test_tables_of_one_of_a_kind(rows: int, reason: Reason) -> None:
    for estimator in (ID3Classifier, C45Classifier, CARTClassifier):
        tree = estimator().fit(pd.DataFrame({"a": [1.0] * rows}), ["x", "x", "y"][:rows]).tree_
        assert (len(tree), reasons(tree)) == (1, {reason})


@pytest.mark.parametrize(("limit", "n_leaves"), [(0, 3), (0.5, 3), (0.5 + 1e-12, 3), (0.51, 2), (6.25, 2), (6.26, 1)])
def test_the_decrease_is_weighted_by_the_share_of_the_node(limit: float, n_leaves: int) -> None:
    x, y = pd.DataFrame({"a": [1.0, 1, 2, 3]}), [0.0, 0, 4, 6]
    # the root lowers the squared error by 6.25; its right child by 1, with half of the weight
    assert CARTRegressor(min_impurity_decrease=limit).fit(x, y).tree_.n_leaves == n_leaves


# Best first


@given(table=tables())
@settings(max_examples=20)
def test_best_first_is_level_by_level_where_the_limit_does_not_bite(table: Small) -> None:
    for estimator in (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor):
        levels, best = fit(estimator, table).tree_, fit(estimator, table, max_leaf_nodes=10_000).tree_
        pairs = [(0, 0)]
        while pairs:
            i, j = pairs.pop()
            ours, theirs = levels.node(i), best.node(j)
            assert (ours.weight, ours.impurity, ours.reason) == (theirs.weight, theirs.impurity, theirs.reason)
            assert ours.prediction == theirs.prediction
            pairs += [(a.index, b.index) for a, b in zip(ours.children, theirs.children, strict=True)]
        assert len(levels) == len(best)


def test_the_best_node_is_split_first() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    tree = CARTRegressor(max_leaf_nodes=10_000).fit(x, y).tree_
    waiting = [0]
    for node in sorted(np.flatnonzero(~tree.is_leaf).tolist(), key=lambda i: tree.first_child[i]):
        assert node == max(waiting, key=lambda i: tree.gain[i] * tree.weight[i])
        waiting.remove(node)
        waiting += [child.index for child in tree.node(node).children if not child.is_leaf]
    for leaves in (2, 3, 7, 20):  # a larger limit goes on where a smaller one stops
        smaller = CARTRegressor(max_leaf_nodes=leaves).fit(x, y).tree_
        assert smaller.n_leaves == leaves
        assert smaller.weight.tolist() == tree.weight[: len(smaller)].tolist()


def test_a_multiway_split_that_would_be_too_many_is_not_made() -> None:
    cells = {"big": list("abcabcabc"), "small": list("uuvvvuvuv")}
    y = ["x", "y", "z"] * 2 + ["x", "y", "y"]
    table = pd.DataFrame(cells)
    unlimited = ID3Classifier().fit(table, y).tree_
    assert unlimited.node(0).feature == "big"
    for leaves in range(2, unlimited.n_leaves + 1):
        tree = ID3Classifier(max_leaf_nodes=leaves).fit(table, y).tree_
        tree.check()
        assert tree.n_leaves <= leaves
    two = ID3Classifier(max_leaf_nodes=2).fit(table, y).tree_
    assert (len(two), two.node(0).reason) == (1, Reason.MAX_LEAF_NODES)


def test_a_node_that_does_not_fit_lets_smaller_splits_go_on() -> None:
    cells = {"half": list("llllllrrrr"), "three": list("abcabcabca"), "two": list("uuuuuuuvuv")}
    tree = ID3Classifier(max_leaf_nodes=3).fit(pd.DataFrame(cells), list("xyxxyxzwzw")).tree_
    left, right = tree.node(0).children
    assert (tree.n_leaves, left.reason, right.feature) == (3, Reason.MAX_LEAF_NODES, "two")
    assert left.candidates is not None
    assert [c.verdict for c in left.candidates] == ["constant", "chosen", "constant"]


# What is kept


def test_candidates_are_kept_by_small_trees_only() -> None:
    n = len(CARTClassifier().fit(X, Y).tree_)
    assert n > 3
    kept = CARTClassifier(keep_candidates=n).fit(X, Y).tree_
    assert kept.candidates is not None
    assert [len(c) for c in kept.candidates] == [0 if node.reason == Reason.PURE else 2 for node in kept]
    for limit in (0, 1, n - 1):
        tree = CARTClassifier(keep_candidates=limit).fit(X, Y).tree_
        assert tree.candidates is None
        assert tree.node(0).candidates is None
        assert tree.threshold.tolist() == pytest.approx(kept.threshold.tolist(), nan_ok=True)


def test_a_table_of_numbers_is_kept_in_units_of_the_target() -> None:
    tree = CARTRegressor().fit(pd.DataFrame({"a": [1.0, 1, 2, 2]}), [1e6, 3e6, 7e6, 7e6]).tree_
    assert tree.candidates is not None
    (candidate,) = tree.candidates[0]
    assert candidate.table == pytest.approx(np.array([[2, 2e6, 1e12], [2, 7e6, 0]]))
    assert candidate.gain == tree.gain[0] == pytest.approx(2.5e6**2)
    assert (candidate.verdict, candidate.tried, candidate.missing) == ("chosen", 1, None)


@pytest.mark.parametrize(
    ("offset", "scale"),
    [*[(o, s) for o in (0.0, 1e8) for s in (1e-150, 1e-9, 1.0, 1e9, 1e141)], (0.0, 1e149), (1e8, 9e141)],
)
def test_targets_of_any_size_grow_the_same_tree(offset: float, scale: float) -> None:
    y = np.array([0.0, 0, 1, 3, 3, 4, 9, 9]) * scale
    plain = CARTRegressor().fit(X, y / scale).tree_
    tree = CARTRegressor().fit(X, y + offset * scale).tree_
    tree.check()
    assert tree.threshold.tolist() == pytest.approx(plain.threshold.tolist(), nan_ok=True)
    assert tree.value == pytest.approx((plain.value + offset) * scale)


@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1e150), (0.0, -1e160), (1e8, 1e149)])
def test_targets_whose_squares_are_too_large_are_refused(offset: float, scale: float) -> None:
    with pytest.raises(DataError, match=r"the target 'y' holds numbers beyond 1e\+150"):
        CARTRegressor().fit(X, (np.array([0.0, 0, 1, 3, 3, 4, 9, 9]) + offset) * scale)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8, 1e12, 1e15])
def test_an_offset_of_the_targets_changes_no_gain(offset: float) -> None:
    table = pd.DataFrame({"a": list("uuv"), "b": [1.0, 2, 3]})  # both columns divide the rows alike
    tree = CARTRegressor().fit(table, np.array([0.0, 0, 1]) + offset).tree_
    assert tree.candidates is not None
    assert [c.gain for c in tree.candidates[0]] == pytest.approx([2 / 9, 2 / 9], rel=1e-12)
    assert [c.verdict for c in tree.candidates[0]] == ["chosen", "tied"]
