"""The tree: figures, frozen arrays, and views of its nodes."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deciduous import CARTClassifier, CARTRegressor, ID3Classifier, Tree, datasets
from deciduous.errors import DataError
from deciduous.kernels import SplitKind
from deciduous.model.reason import REASON_TEXT, Reason
from deciduous.model.tree import ARRAYS

GOLF = datasets.load("golf")
X = GOLF.X.drop("humidity", "temperature")
TREE = ID3Classifier().fit(X, GOLF.y).tree_
# 0 outlook -> 1 sunny, 2 overcast, 3 rain; sunny -> windy 4, 5; rain -> windy 6, 7
NUMBERS = CARTRegressor().fit(pd.DataFrame({"x": [1.0, 2, 3, 4]}), [5.0, 5, 1, 3], [1, 1, 1, 2]).tree_


def test_figures() -> None:
    assert (len(TREE), TREE.n_leaves, TREE.max_depth) == (8, 5, 2)
    assert TREE.depth.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert TREE.is_leaf.tolist() == [False, False, True, False, True, True, True, True]
    assert TREE.used_features == [0, 1]
    assert TREE.unseen == "node"
    assert TREE.path(0) == [0]
    assert TREE.path(6) == [0, 3, 6]


def test_the_mean_number_of_questions() -> None:
    assert TREE.mean_tests == pytest.approx((4 * 1 + 10 * 2) / 14)
    assert NUMBERS.mean_tests == pytest.approx((2 * 1 + 3 * 2) / 5)  # by weight
    assert CARTRegressor().fit([[1]], [1]).tree_.mean_tests == 0


def test_what_it_says_of_itself() -> None:
    assert repr(TREE) == "<Tree id3 on 'class': 8 nodes, 5 leaves, depth 2>"
    assert repr(TREE.node(0)) == "<Node 0: asks 'outlook', 14 rows>"
    assert repr(TREE.node(2)) == "<Node 2: leaf, 'Play', 4 rows>"
    assert str(TREE) == TREE.to_text()


@pytest.mark.parametrize(
    "tree", [TREE, copy.deepcopy(TREE), pickle.loads(pickle.dumps(TREE))], ids=["", "copy", "pickle"]
)
def test_the_arrays_are_of_their_types_and_cannot_be_written(tree: Tree) -> None:
    for name, dtype in ARRAYS.items():
        array = getattr(tree, name)
        assert array.dtype == dtype
        if len(array):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    with pytest.raises(FrozenInstanceError):
        tree.weight = np.zeros(8)  # type: ignore[misc]
    assert tree.to_json() == TREE.to_json()


def test_the_root() -> None:
    root = TREE.node(0)
    assert (root.parent, root.depth, root.branch, root.is_leaf, root.feature) == (None, 0, -1, False, "outlook")
    assert [child.index for child in root.children] == [1, 2, 3]
    assert (root.n_samples, root.weight) == (14, 14.0)
    assert root.class_weights == {"Play": 9, "Don't Play": 5}
    assert root.prediction == "Play"
    assert root.impurity == pytest.approx(0.940, abs=5e-4)
    assert root.gain == pytest.approx(0.247, abs=5e-4)
    assert root.reason == Reason.SPLIT
    assert root.split is not None
    assert (root.split.kind, root.split.n_branches) == (SplitKind.MULTIWAY, 3)
    assert root.candidates is not None
    assert [(c.feature, c.verdict) for c in root.candidates] == [(0, "chosen"), (1, "lower")]


def test_a_leaf() -> None:
    leaf = TREE.node(2)
    assert leaf.parent == TREE.node(0)
    assert (leaf.depth, leaf.branch, leaf.is_leaf, leaf.feature, leaf.split) == (1, 1, True, None, None)
    assert list(leaf.children) == []
    assert leaf.class_weights == {"Play": 4}
    assert (leaf.impurity, leaf.reason, leaf.candidates) == (0, Reason.PURE, ())
    assert np.isnan(leaf.gain)


def test_a_node_of_numbers() -> None:
    root = NUMBERS.node(0)
    assert root.prediction == pytest.approx((5 + 5 + 1 + 6) / 5)
    assert (root.n_samples, root.weight, root.class_weights) == (4, 5, {})
    assert [child.n_samples for child in root.children] == [2, 2]
    assert [child.weight for child in root.children] == [2, 3]


def test_views_of_the_same_node_are_equal() -> None:
    assert TREE.node(3) == TREE.node(3) != TREE.node(4)
    assert [node.index for node in TREE] == list(range(8))


@pytest.mark.parametrize("index", [-1, 8, 100])
def test_a_node_that_is_not_there(index: int) -> None:
    with pytest.raises(DataError, match=f"there is no node {index}; the tree has nodes 0 to 7"):
        TREE.node(index)


def test_distributions() -> None:
    shares = TREE.distribution(np.array([2, 0, 2]))
    assert dict(zip(TREE.classes, shares[1], strict=True)) == pytest.approx({"Play": 9 / 14, "Don't Play": 5 / 14})
    assert dict(zip(TREE.classes, shares[0], strict=True)) == {"Play": 1, "Don't Play": 0}
    assert shares[2].tolist() == shares[0].tolist()


def test_an_empty_branch_answers_as_its_parent_does() -> None:
    cells = pd.Categorical(["a", "b", "a"], categories=["a", "c", "b"])
    tree = ID3Classifier().fit(pd.DataFrame({"x": cells}), ["n", "y", "n"]).tree_
    empty = tree.node(2)
    assert (empty.n_samples, empty.weight, empty.class_weights) == (0, 0, {})
    assert (empty.reason, empty.prediction) == (Reason.EMPTY, "n")
    assert tree.distribution(np.array([2])).tolist() == [pytest.approx([2 / 3, 1 / 3])]


def test_every_reason_has_words() -> None:
    assert set(REASON_TEXT) == set(Reason)


# As a frame


def test_the_nodes_as_a_frame() -> None:
    frame = TREE.nodes()
    assert frame.columns[:6] == ["node", "parent", "depth", "condition", "feature", "threshold"]
    assert frame.columns[6:12] == ["n_samples", "weight", "impurity", "gain", "prediction", "reason"]
    assert frame.columns[12:] == [f"weight of {label}" for label in TREE.classes]
    assert frame["node"].to_list() == list(range(8))
    assert frame["parent"].to_list() == [None, 0, 0, 0, 1, 1, 3, 3]
    assert frame["condition"].to_list()[:4] == [None, "outlook = sunny", "outlook = overcast", "outlook = rain"]
    assert frame["feature"].to_list() == ["outlook", "windy", None, "windy", *[None] * 4]
    assert frame["threshold"].null_count() == 8
    assert frame["gain"].null_count() == frame["reason"].ne("split").sum() == 5
    assert frame["weight of Play"].to_list()[:3] == [9, 2, 4]
    assert frame.filter(pl.col("reason") == "pure")["node"].to_list() == [n.index for n in TREE if n.reason == 1]


def test_a_frame_of_numbers() -> None:
    frame = NUMBERS.nodes()
    assert frame["threshold"].to_list() == [2.5, None, 3.5, None, None]
    assert frame["condition"].to_list() == [None, "x <= 2.5", "x > 2.5", "x <= 3.5", "x > 3.5"]
    assert frame["prediction"].dtype == pl.Float64
    assert not any(name.startswith("weight of") for name in frame.columns)


@pytest.mark.parametrize(
    ("labels", "dtype"), [(["a", "b"], pl.String), ([1, 2], pl.Int64), ([True, False], pl.Boolean)], ids=repr
)
def test_predictions_keep_their_type(labels: list[Any], dtype: Any) -> None:
    assert CARTClassifier().fit([[1.0], [2.0]], labels).tree_.nodes()["prediction"].dtype == dtype


# As text


def test_the_tree_as_text() -> None:
    assert TREE.to_text().split("\n")[:4] == [
        "id3 tree for class: 14 rows, 5 leaves, depth 2",
        "all rows: 14 rows: Don't Play 5 (35.7 %), Play 9 (64.3 %)",
        "├─ outlook = sunny: 5 rows: Don't Play 3 (60 %), Play 2 (40 %)",
        "│  ├─ windy = true -> Don't Play: 2 rows: Don't Play 1 (50 %), Play 1 (50 %)",
    ]


def test_levels_that_are_cut_off_say_how_much_is_hidden() -> None:
    lines = TREE.to_text(max_depth=1).split("\n")
    assert lines[2] == "├─ outlook = sunny -> Don't Play: 5 rows: Don't Play 3 (60 %), Play 2 (40 %)"
    assert lines[3] == "│     ... 2 more nodes hidden (2 leaves, 1 level)"
    assert TREE.to_text(max_depth=0).split("\n")[2] == "   ... 7 more nodes hidden (5 leaves, 2 levels)"


def test_weights_are_named() -> None:
    lines = NUMBERS.to_text().split("\n")
    assert lines[0] == "cart tree for y: 4 rows, weight 5, 3 leaves, depth 2"
    assert lines[-1] == "   └─ x > 3.5 -> 3: 1 row, weight 2, mean 3, variance 0"


def test_names_with_line_breaks_keep_to_their_line() -> None:
    tree = CARTClassifier().fit(pd.DataFrame({"a\nb": ["u\tv", "w"]}), ["x\ny", "z"]).tree_
    assert len(tree.to_text().split("\n")) == 4
