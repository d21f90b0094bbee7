"""The working of optimal pruning: every cost in its tables is the least of all subtrees of that size."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from deciduous import CARTClassifier, datasets, explain_pruning
from deciduous.explain.expression import Style
from deciduous.explain.optimal import OptimalTables
from deciduous.model.tree import Tree
from deciduous.prune import Optimal, node_costs
from tests.strategies import ESTIMATORS, fit, tasks
from tests.trees import leaf, node, tree_of


def least(tree: Tree, costs: Any, at: int) -> dict[int, float]:
    """The least cost of each number of leaves below a node, by trying all subtrees."""
    found = {1: float(costs[at])}
    children = [child.index for child in tree.node(at).children]
    if children:
        for parts in product(*(least(tree, costs, child).items() for child in children)):
            size, cost = sum(k for k, _ in parts), sum(c for _, c in parts)
            found[size] = min(found.get(size, np.inf), cost)
    return found


@pytest.mark.filterwarnings("ignore")
@given(tasks(ESTIMATORS, max_rows=8))
def test_the_tables_hold_the_least_costs(task: Any) -> None:
    estimator, table, options = task
    tree = fit(estimator, table, **options).tree_
    tables, costs = OptimalTables(tree, Optimal(tree.n_leaves)), node_costs(tree)
    for index in range(len(tree)):
        assert {k: tables.cost(index, k) for k in tables.sizes(index)} == pytest.approx(least(tree, costs, index))
    for index in np.flatnonzero(~tree.is_leaf).tolist():
        for division in tables.divisions(index)[1:]:
            assert sum(division.leaves) == division.size
            assert division.cost >= tables.cost(index, division.size) - 1e-9


def test_every_division_of_few_leaves_is_shown() -> None:
    """Four errors at the root; each branch has two leaves without errors, and 2 or 1 errors as a leaf."""
    tree = tree_of(node(node(leaf(4, 0), leaf(0, 2)), node(leaf(0, 5), leaf(1, 0))))
    found = explain_pruning(tree, Optimal(3, cost="errors"))
    divisions = next(one for one in found.to_dict()["tables"] if one["node"] == 0)["divisions"]
    assert [(d["leaves"], d["on_branches"], d["cost"], d["best"]) for d in divisions] == [
        (1, [], 5.0, True),
        (2, [1, 1], 3.0, True),
        (3, [1, 2], 2.0, False),
        (3, [2, 1], 1.0, True),
    ]
    text = found.to_text()
    assert "C(0, 3) = C(1, 2) + C(2, 1) = 0 + 1 = 1.000" in text
    assert "at most 3 leaves are asked for" in text
    assert found.pruned.n_leaves == 3


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_the_size_that_validation_rows_choose(rule: str) -> None:
    data, valid = datasets.load("watermelon2_train"), datasets.load("watermelon2_valid")
    model = CARTClassifier().fit(data.X, data.y)
    found = explain_pruning(model, Optimal(rule=rule), valid.X, valid.y)
    lines = [line.split() for line in found.to_text().split("\n") if line.endswith("chosen")]
    assert [int(line[0]) for line in lines] == [found.pruned.n_leaves]


def test_all_divisions_of_large_nodes_are_too_many() -> None:
    model = CARTClassifier().fit({"x": range(60)}, [i % 2 for i in range(60)])
    tables = OptimalTables(model.tree_, Optimal(20))
    assert all(d.best for d in tables.divisions(0))
    assert len(list(tables.blocks(Style(), None))) > 60
