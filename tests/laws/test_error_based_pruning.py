"""What holds for error-based pruning whatever the table and the options."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier, Tree
from deciduous.estimators.pruning import labelled_rows
from deciduous.model.route import route
from deciduous.prune import Collapse, ErrorBased
from deciduous.prune.walk import sum_of_leaves
from tests.chains import chain
from tests.strategies import CLASSIFIERS, Small, fit, tables, task_of

CONVENTIONS = ("c45", "j48", "r8")


def estimated(tree: Tree, pruner: ErrorBased) -> float:
    heaviest = np.array([max(node.class_weights.values(), default=0.0) for node in tree])
    return float(sum_of_leaves(tree, pruner.estimate(tree.weight, tree.weight - heaviest))[0])


@given(
    tables(max_rows=24, n_values=3),
    st.sampled_from(CLASSIFIERS),
    st.sampled_from(["multiway", "subset", "one_vs_rest"]),
    st.sampled_from(["majority", "branch", "direction", "fractional"]),
    st.sampled_from([0.05, 0.25, 0.5]),
    st.sampled_from(CONVENTIONS),
    st.booleans(),
)
def test_pruned_trees(
    table: Small, estimator: type, nominal: str, missing: str, confidence: float, conventions: str, raising: bool
) -> None:
    """Estimated errors never grow by the book; no row is lost; every leaf holds the rows that land in it."""
    unpruned = {"pruning": None, "collapse": False} if estimator is C45Classifier else {}
    tree = fit(estimator, table, nominal=nominal, missing=missing, zero_gain="split", **unpruned).tree_
    rows = labelled_rows(tree, table.X, table.target(task_of(estimator)), table.sample_weight)
    pruner = ErrorBased(confidence, raising, conventions)
    pruned = pruner(tree, rows)
    pruned.check()
    if conventions == "c45":
        assert estimated(pruned, pruner) <= estimated(tree, pruner) * (1 + 1e-9) + 1e-9
        if not raising:
            assert estimated(pruned, pruner) <= estimated(pruner(Collapse()(tree)), pruner) + 1e-9
    assert pruned.weight[pruned.is_leaf].sum() == pytest.approx(tree.weight[0], rel=1e-9)
    arrivals = route(pruned, rows.table)
    landed = np.bincount(arrivals.nodes, weights=arrivals.weights * rows.weight[arrivals.rows], minlength=len(pruned))
    assert landed[pruned.is_leaf] == pytest.approx(pruned.weight[pruned.is_leaf], rel=1e-9, abs=1e-12)
    assert len(pruned) <= len(tree)


def test_a_deep_chain() -> None:
    """Many questions in a row, without recursion; classes in turn are noise, and all goes."""
    tree = chain(5_000)
    X = np.arange(5_001.0).reshape(-1, 1)
    rows = labelled_rows(tree, X, np.array(["a", "b"])[np.arange(5_001) % 2])
    for conventions in CONVENTIONS:
        working = ErrorBased(0.25, True, conventions).working(tree, rows)
        assert len(working.pruned) == 1
        assert len(working.steps) == len(tree)
        assert Collapse(conventions)(tree) is tree  # its leaves are pure
