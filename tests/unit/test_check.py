"""Every contradiction between the arrays of a tree is found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import CARTClassifier, CARTRegressor, ID3Classifier, Tree
from deciduous.data.schema import Feature, Schema
from deciduous.errors import ModelFileError
from deciduous.kernels import SplitKind
from deciduous.model.reason import Reason
from deciduous.model.tree import ARRAYS

X = pd.DataFrame(
    {
        "c": pd.Categorical(["u", "u", "u", "v", "v", "v", "v"], categories=["u", "v", "w"]),
        "n": [1.0, 2, 3, 1, 2, 3, 4],
        "o": pd.Categorical(["lo", "hi", "lo", "hi", "lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
    }
)
Y = ["a", "b", "b", "c", "c", "c", "d"]
# 0 asks c (multiway); 1 (u) asks n; 2 (v) asks n; 3 (w) is empty; 4, 5 below 1; 6, 7 below 2
CLASSES = ID3Classifier().fit(X, Y).tree_
SUBSETS = CARTClassifier(missing="branch").fit(X[["c"]].assign(c=[*X["c"][:6], None]), Y).tree_
ORDINAL = CARTClassifier().fit(X[["o"]], ["a", "b"] * 3 + ["a"]).tree_
NUMBERS = CARTRegressor().fit(X[["n"]], [1.0, 2, 3, 4, 5, 6, 7]).tree_
ONE = CARTClassifier(nominal="one_vs_rest").fit(X[["c"]], Y).tree_
ALL = (CLASSES, SUBSETS, ORDINAL, NUMBERS, ONE)


def changed(tree: Tree, name: str, at: Any, value: Any) -> Tree:
    """Return the tree with other elements in one array."""
    array = getattr(tree, name).copy()
    array[at] = value
    return replace(tree, **{name: array})


def test_the_trees_are_the_ones_that_the_tests_need() -> None:
    for tree in ALL:
        tree.check()
    assert CLASSES.first_child.tolist() == [1, 4, 6, -1, -1, -1, -1, -1]
    assert CLASSES.kind.tolist() == [SplitKind.MULTIWAY, *[SplitKind.THRESHOLD] * 2, *[SplitKind.LEAF] * 5]
    assert SUBSETS.node(0).split.missing_branch == 2  # type: ignore[union-attr]
    assert (int(ORDINAL.kind[0]), ORDINAL.threshold[0]) == (SplitKind.THRESHOLD, 1)
    assert ONE.kind[0] == SplitKind.ONE_VS_REST


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("cut", [slice(1), slice(0, -1), slice(0)], ids=["first only", "without the last", "none"])
def test_lengths(name: str, cut: slice) -> None:
    with pytest.raises(ModelFileError, match="contradicts itself"):
        replace(CLASSES, **{name: getattr(CLASSES, name)[cut].copy()}).check()


@pytest.mark.parametrize("name", ARRAYS)
def test_shapes(name: str) -> None:
    with pytest.raises(ModelFileError, match="contradicts itself"):
        replace(CLASSES, **{name: getattr(CLASSES, name).reshape(-1, 1).copy()}).check()


WRONG: list[tuple[Tree, str, Any, Any, str]] = [
    (CLASSES, "parent", 0, 0, "node 0 must be the root"),
    (CLASSES, "parent", 4, 2, r"parent and first_child disagree \(node 4\)"),
    (CLASSES, "first_child", 1, 0, "children must come after"),
    (CLASSES, "first_child", 2, 7, "children must come after"),
    (CLASSES, "first_child", 1, 5, "disagree"),
    (CLASSES, "first_child", 1, -1, "a leaf has branches"),
    (CLASSES, "first_child", 0, 2**31 - 1, "children must come after"),
    (CLASSES, "n_branches", 1, 1, "fewer than two"),
    (CLASSES, "n_branches", 1, 3, "child of one node"),
    (CLASSES, "n_branches", 4, 2, "a leaf has branches"),
    (CLASSES, "n_branches", 1, -1, "fewer than two"),
    (CLASSES, "feature", 1, 3, r"feature is no column \(node 1\)"),
    (CLASSES, "feature", 1, -1, "feature is no column"),
    (CLASSES, "feature", 1, 0, "a threshold needs an ordered column"),
    (CLASSES, "feature", 0, 1, "a split by category needs a nominal column"),
    (CLASSES, "kind", 4, SplitKind.THRESHOLD, "disagree about leaves"),
    (CLASSES, "kind", 1, SplitKind.LEAF, "disagree about leaves"),
    (CLASSES, "kind", 1, 77, "kind is not a kind"),
    (CLASSES, "kind", 0, SplitKind.THRESHOLD, "a threshold needs an ordered column"),
    (CLASSES, "kind", 0, SplitKind.MISSING, "has two branches"),
    (CLASSES, "kind", 1, SplitKind.SUBSET, "nominal column"),
    (CLASSES, "threshold", 1, np.nan, r"a finite number \(node 1\)"),
    (CLASSES, "threshold", 1, np.inf, "a finite number"),
    (ORDINAL, "threshold", 0, 3, "outside the categories"),
    (ORDINAL, "threshold", 0, -0.5, "outside the categories"),
    (CLASSES, "category_start", 0, 1, "must run from 0"),
    (CLASSES, "category_start", -1, 4, "must run from 0"),
    (CLASSES, "category_start", 3, 1, "must not decrease"),
    (CLASSES, "category_start", slice(1, 2), 0, "every category"),
    (CLASSES, "category_branch", 1, 3, "a branch that is not there"),
    (CLASSES, "category_branch", 1, -2, "a branch that is not there"),
    (CLASSES, "share", 1, -1, "finite and not negative"),
    (CLASSES, "share", 1, np.nan, "finite and not negative"),
    (CLASSES, "share", 1, 0.5, r"must sum to 1, or all be 0 \(node 0\)"),
    (CLASSES, "n_samples", 1, -1, "not be negative"),
    (CLASSES, "n_samples", 1, 0, "disagree about empty nodes"),
    (CLASSES, "n_samples", 3, 1, "disagree about empty nodes"),
    (CLASSES, "n_samples", 1, 5, "hold more rows"),
    (CLASSES, "weight", 1, 9, "weigh more"),
    (CLASSES, "weight", 1, np.inf, "finite"),
    (CLASSES, "weight", 1, -3, "not negative"),
    (CLASSES, "weight", 0, 8, "class weights do not sum"),
    (CLASSES, "impurity", 1, -0.1, "impurity must be"),
    (CLASSES, "impurity", 1, np.nan, "impurity must be"),
    (CLASSES, "gain", 1, np.nan, "gain belongs to inner nodes"),
    (CLASSES, "gain", 4, 0, "gain belongs to inner nodes"),
    (CLASSES, "value", 1, 4, "value is no class"),
    (CLASSES, "value", 1, -1, "value is no class"),
    (CLASSES, "value", 1, 0.5, "value is no class"),
    (CLASSES, "value", 1, np.nan, "value must be finite"),
    (NUMBERS, "value", 1, np.inf, "value must be finite"),
    (CLASSES, "class_start", 0, 1, "must run from 0"),
    (CLASSES, "class_start", 2, 0, "must not decrease"),
    (CLASSES, "class_start", 1, 3, "class"),
    (CLASSES, "class_code", 0, 4, "class_code is no class"),
    (CLASSES, "class_code", 0, -1, "class_code is no class"),
    (CLASSES, "class_code", 0, 1, "listed once, in order"),
    (CLASSES, "class_weight", 0, 0, "positive"),
    (CLASSES, "class_weight", 0, np.nan, "positive"),
    (CLASSES, "class_weight", 0, 2, "class weights do not sum to the weight"),
    (CLASSES, "answers_from", 3, 3, "an empty one through its parent"),
    (CLASSES, "answers_from", 4, 1, "a node answers for itself"),
    (CLASSES, "answers_from", 4, 100, "a node answers for itself"),
    (CLASSES, "reason", 0, Reason.PURE, "disagree about leaves"),
    (CLASSES, "reason", 4, Reason.SPLIT, "disagree about leaves"),
    (CLASSES, "reason", 4, 99, "reason is not a reason"),
]


@pytest.mark.parametrize(
    ("tree", "name", "at", "value", "message"), WRONG, ids=lambda v: str(v) if not isinstance(v, Tree) else ""
)
def test_one_wrong_element(tree: Tree, name: str, at: Any, value: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=f"the tree contradicts itself: .*({message})"):
        changed(tree, name, at, value).check()


def test_every_array_but_exact_is_tried() -> None:
    assert {name for _, name, *_ in WRONG} == set(ARRAYS) - {"exact"}  # a truth value contradicts nothing


@pytest.mark.parametrize(
    ("tree", "name", "at", "value"),
    [
        (SUBSETS, "category_branch", 0, 2),  # a known category in the branch of the missing cells
        (ONE, "category_branch", slice(None), 1),  # no category is the one
        (ONE, "category_branch", slice(None), 0),  # nor are all of them
        (CLASSES, "category_branch", 1, 0),  # two categories share a branch of a multiway split
        (ONE, "kind", 0, SplitKind.MULTIWAY),  # three categories, two branches
    ],
    ids=["missing", "none", "all", "multiway", "kind"],
)
def test_a_branch_that_is_not_what_its_kind_says(tree: Tree, name: str, at: Any, value: Any) -> None:
    with pytest.raises(ModelFileError, match="contradicts itself"):
        changed(tree, name, at, value).check()


@pytest.mark.parametrize(
    ("name", "at", "value", "node"),
    [("n_branches", 4, 2, 4), ("class_code", -1, 9, 7), ("category_branch", 2, 9, 0)],
)
def test_the_message_names_the_node(name: str, at: int, value: int, node: int) -> None:
    with pytest.raises(ModelFileError, match=rf"\(node {node}\)"):
        changed(CLASSES, name, at, value).check()


@pytest.mark.parametrize("kind", ["id", "weight"])
def test_id_and_weight_columns_cannot_be_asked_for(kind: Any) -> None:
    with pytest.raises(ModelFileError, match="contradicts itself"):
        replace(NUMBERS, schema=Schema((Feature("n", kind),))).check()


def test_a_tree_of_numbers_has_no_classes() -> None:
    with pytest.raises(ModelFileError, match="no class weights"):
        replace(CLASSES, task="number").check()


def test_parts_of_rows_may_be_counted_in_several_branches() -> None:
    tree = changed(CLASSES, "n_samples", [1, 2], 5)
    with pytest.raises(ModelFileError, match="more rows"):
        tree.check()
    replace(tree, options={**tree.options, "missing": "fractional"}).check()
