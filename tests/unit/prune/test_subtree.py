"""Cutting a tree: what stays, what it says of itself, and what it answers."""

import numpy as np
import pandas as pd
import pytest

from deciduous import CARTRegressor, DataError, ID3Classifier, Tree, datasets
from deciduous.explain.working import working_of
from deciduous.model.reason import REASON_TEXT, Reason
from deciduous.model.tree import ARRAYS
from deciduous.prune import collapse
from tests.trees import leaf, node, tree_of


@pytest.fixture(scope="module")
def watermelons() -> ID3Classifier:
    table = datasets.load("watermelon2")
    return ID3Classifier().fit(table.X, table.y)


def test_every_inner_node_of_a_grown_tree(watermelons: ID3Classifier) -> None:
    """Whatever node is cut, all others keep every figure, and rows end there or where they ended before."""
    tree = watermelons.tree_
    for index in np.flatnonzero(~tree.is_leaf).tolist():
        pruned = collapse(tree, np.array([index]))
        pruned.check()
        gone = [i for i in range(len(tree)) if index in tree.path(i)[:-1]]
        kept = [i for i in range(len(tree)) if i not in gone]
        assert len(pruned) == len(kept)
        for new, old in enumerate(kept):
            mine, full = pruned.node(new), tree.node(old)
            assert (mine.n_samples, mine.class_weights, mine.impurity) == (
                full.n_samples,
                full.class_weights,
                full.impurity,
            )
            assert (mine.prediction, mine.branch, mine.depth) == (full.prediction, full.branch, full.depth)
            assert mine.candidates == full.candidates
            if old != index:
                assert (mine.feature, mine.reason, mine.is_leaf) == (full.feature, full.reason, full.is_leaf)
        cut = pruned.node(kept.index(index))
        assert (cut.is_leaf, cut.reason, cut.split) == (True, Reason.PRUNED, None)
        assert np.isnan(cut.gain)


def test_answers(watermelons: ID3Classifier) -> None:
    table = datasets.load("watermelon2")
    tree = watermelons.tree_
    inner = int(np.flatnonzero(~tree.is_leaf)[1])
    smaller = watermelons.prune(_Cut(inner))
    passes = watermelons.decision_path(table.X).toarray()[:, inner] > 0
    assert passes.any()
    proba, full = smaller.predict_proba(table.X), watermelons.predict_proba(table.X)
    assert np.array_equal(proba[~passes], full[~passes])
    assert np.array_equal(proba[passes], np.tile(tree.distribution(np.array([inner]))[0], (passes.sum(), 1)))


class _Cut:
    """A user's own pruner."""

    name, needs = "cut", "statistics"

    def __init__(self, index: int) -> None:
        self.index = index

    def __call__(self, tree: Tree, rows: object = None) -> Tree:
        return collapse(tree, np.array([self.index]))


def test_nothing_to_cut_is_the_tree_itself() -> None:
    tree = tree_of(node(leaf(1, 0), leaf(0, 1)))
    assert collapse(tree, np.array([], dtype=int)) is tree
    assert collapse(tree, np.array([1, 2])) is tree
    assert collapse(tree, np.zeros(3, dtype=bool)) is tree


def test_cuts_below_a_cut_do_not_matter() -> None:
    tree = tree_of(node(node(leaf(1, 0), leaf(0, 1)), leaf(0, 3), leaf(0, 0)))
    assert len(collapse(tree, np.array([1]))) == 4
    for cuts in (np.array([0, 1]), ~tree.is_leaf, np.ones(len(tree), dtype=bool)):
        root = collapse(tree, cuts)
        root.check()
        assert (len(root), root.node(0).class_weights, root.node(0).prediction) == (1, {"p": 1, "q": 4}, "q")


def test_an_empty_branch_still_answers_as_its_parent() -> None:
    tree = tree_of(node(leaf(2, 0), node(leaf(0, 3), leaf(1, 0)), leaf(0, 0)))
    pruned = collapse(tree, np.array([2]))
    pruned.check()
    assert pruned.answers_from.tolist() == [0, 1, 2, 0]
    assert [n.reason for n in pruned] == [Reason.SPLIT, Reason.NO_GAIN, Reason.PRUNED, Reason.EMPTY]


def test_arrays_stay_frozen_and_have_their_types() -> None:
    pruned = collapse(tree_of(node(node(leaf(1, 0), leaf(0, 1)), leaf(0, 3))), np.array([1]))
    for name, dtype in ARRAYS.items():
        array = getattr(pruned, name)
        assert array.dtype == dtype
        assert not array.flags.writeable


def test_a_pruned_tree_is_saved_shown_and_explained(watermelons: ID3Classifier) -> None:
    pruned = collapse(watermelons.tree_, np.array([1]))
    again = Tree.from_json(pruned.to_json())
    assert again.to_json() == pruned.to_json()
    assert again.node(1).reason == Reason.PRUNED
    assert "Node 1 is a leaf because what was below it is pruned." in working_of(pruned, 1).decision
    assert pruned.nodes()["reason"][1] == "pruned"
    assert REASON_TEXT[Reason.PRUNED]


def test_numbers() -> None:
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    tree = CARTRegressor().fit(X, [0.0, 1, 5, 6, 20, 22]).tree_
    pruned = collapse(tree, tree.depth == 1)
    pruned.check()
    assert pruned.value.tolist() == [9.0, 3.0, 21.0]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (np.array([3]), "there is no node 3; the tree has nodes 0 to 2"),
        (np.array([-1]), "there is no node -1"),
        (np.ones(2, dtype=bool), r"the mask of nodes must have shape \(3,\); it has \(2,\)"),
    ],
)
def test_nodes_that_are_not_there(nodes: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        collapse(tree_of(node(leaf(1, 0), leaf(0, 1))), nodes)
