"""What nodes cost as leaves."""

import numpy as np
import pytest

from deciduous import CARTClassifier, CARTRegressor, DataError, OptionError, datasets, entropy, gini
from deciduous.prune import node_costs
from tests.trees import leaf, node, tree_of

TREE = tree_of(node(leaf(6, 2), node(leaf(0, 3), leaf(1, 3)), leaf(0, 0)))


def test_costs_of_classes() -> None:
    counts = [(7, 8), (6, 2), (1, 6), (0, 0), (0, 3), (1, 3)]
    assert node_costs(TREE, "errors").tolist() == [7, 2, 1, 0, 0, 1]
    for cost, measure in (("gini", gini), ("entropy", entropy)):
        expected = [sum(c) * measure(p=c) if sum(c) else 0.0 for c in counts]
        assert node_costs(TREE, cost) == pytest.approx(expected)
    assert node_costs(TREE) == pytest.approx(node_costs(TREE, "gini"))  # the tree's own criterion


def test_the_errors_are_those_of_the_answer_and_weighted() -> None:
    table = datasets.load("penguins")
    weight = np.arange(1.0, len(table.y) + 1)
    model = CARTClassifier(max_depth=3, missing="majority").fit(table.X, table.y, weight)
    path, wrong = model.decision_path(table.X).toarray(), np.array(table.y.to_list())
    for index, cost in enumerate(node_costs(model.tree_, "errors")):
        there = path[:, index] > 0
        assert cost == pytest.approx(weight[there & (wrong != model.tree_.node(index).prediction)].sum())


def test_squared_errors() -> None:
    X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 6.0]
    tree = CARTRegressor(max_depth=1).fit(X, y).tree_
    assert node_costs(tree, "squared_error") == pytest.approx([14.0, 0.5, 0.0])
    assert node_costs(tree) == pytest.approx([14.0, 0.5, 0.0])


def test_costs_of_your_own() -> None:
    own = np.arange(6)
    assert node_costs(TREE, own).tolist() == own.tolist()
    with pytest.raises(DataError, match=r"one finite number a node, shape \(6,\); got \(5,\)"):
        node_costs(TREE, own[:5])
    with pytest.raises(DataError, match="finite"):
        node_costs(TREE, np.full(6, np.nan))


def test_words_that_do_not_fit() -> None:
    with pytest.raises(OptionError, match=r"cost='error' is not one of .* Did you mean 'errors'\?"):
        node_costs(TREE, "error")
    with pytest.raises(OptionError, match=r"does not fit a tree that predicts a class; use 'impurity', 'errors'"):
        node_costs(TREE, "squared_error")
    tree = CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_
    with pytest.raises(
        OptionError, match=r"does not fit a tree that predicts a number; use 'impurity', 'squared_error'"
    ):
        node_costs(tree, "gini")
