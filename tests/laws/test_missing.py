"""Missing cells: no row is lost, none is counted twice, and what can be told apart is told apart."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier
from deciduous.data.table import Table
from deciduous.deviations import weighted_median
from deciduous.model.reason import Reason
from deciduous.model.route import route
from tests.strategies import ESTIMATORS, NOMINAL, PLAIN_C45, POLICIES, Small, fit, options, tables, task_of, tasks


def arrivals(model: Any, table: Small) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of the training rows that take part: row, node, weight."""
    parts = route(model.tree_, Table.encode_like(table.X, model.schema_))
    weight = table.weight[parts.rows] * parts.weights
    here = weight > 0
    return parts.rows[here], parts.nodes[here], weight[here]


def whole_tree(estimator: type, **chosen: Any) -> dict[str, Any]:
    """Options under which every split that divides rows may be made."""
    chosen |= {"zero_gain": "split"}
    return chosen | ({"criterion": "gain", "min_cases": 0.0} | PLAIN_C45 if estimator is C45Classifier else {})


@given(st.sampled_from(ESTIMATORS), tables(zero_weights=True), st.sampled_from(NOMINAL), st.booleans())
def test_rows_that_can_be_told_apart_are(estimator: type, table: Small, nominal: str, apart: bool) -> None:
    """With `direction` and `branch` a missing cell is a value like others: a whole tree separates rows that differ."""
    policy = "branch" if apart else "direction"
    model = fit(estimator, table, **whole_tree(estimator, nominal=nominal, missing=policy))
    targets: dict[Any, set[int]] = {}
    for row, y, w in zip(table.rows, table.y, table.weight, strict=True):
        if w > 0:
            targets.setdefault(row, set()).add(y)
    y, predicted = table.target(task_of(estimator)), model.predict(table.X)
    for i, row in enumerate(table.rows):
        if table.weight[i] > 0 and len(targets[row]) == 1:
            assert predicted[i] == y[i]
    leaves = model.tree_.is_leaf
    assert set(model.tree_.reason[leaves].tolist()) <= {Reason.PURE, Reason.NO_CANDIDATE, Reason.EMPTY}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
@given(data=st.data())
def test_leaves_count_the_rows_that_land_there(estimator: type, data: st.DataObject) -> None:
    """Every node holds what its leaves hold, rows and weights and classes, and the root all rows."""
    table = data.draw(tables(zero_weights=True))
    model = fit(estimator, table, **data.draw(options(estimator, table.has_missing)))
    tree = model.tree_
    rows, nodes, weights = arrivals(model, table)
    assert tree.is_leaf[nodes].all()
    assert set(rows.tolist()) == set(np.flatnonzero(table.weight > 0).tolist())
    per_row = np.bincount(rows, weights=weights, minlength=len(table))
    assert per_row == pytest.approx(table.weight, rel=1e-12)
    leaf = tree.is_leaf
    assert np.array_equal(np.bincount(nodes, minlength=len(tree))[leaf], tree.n_samples[leaf])
    landed = np.bincount(nodes, weights=weights, minlength=len(tree))
    assert landed[leaf] == pytest.approx(tree.weight[leaf], rel=1e-12, abs=0)
    assert tree.weight[leaf].sum() == pytest.approx(table.weight.sum(), rel=1e-12)
    y = table.target(tree.task)
    for node in tree:
        if not node.is_leaf:
            below = tree.weight[[child.index for child in node.children]].sum()
            assert below == pytest.approx(node.weight, rel=1e-12)
            continue
        here = nodes == node.index
        if tree.task == "class":
            counted = {k: weights[here & (y[rows] == k)].sum() for k in set(y[rows[here]])}
            assert node.class_weights == pytest.approx(counted, rel=1e-12)
        elif here.any():
            absolute = tree.options["criterion"] == "absolute_error"
            answer = weighted_median if absolute else lambda values, w: np.average(values, weights=w)
            assert node.prediction == pytest.approx(answer(y[rows[here]], weights[here]), rel=1e-12)


@given(tasks(zero_weights=True))
def test_no_figure_is_negative(task: tuple[type, Small, dict[str, Any]]) -> None:
    estimator, table, chosen = task
    tree = fit(estimator, table, **chosen).tree_
    scale = max(tree.impurity.max(), 1e-300)
    assert (tree.impurity >= 0).all()
    assert (tree.gain[~tree.is_leaf] >= -1e-12 * scale).all()
    assert (tree.share >= 0).all()
    assert (tree.weight >= 0).all()


@given(tasks())
def test_shares_sum_to_one(task: tuple[type, Small, dict[str, Any]]) -> None:
    """Of every question, a missing cell goes somewhere and nowhere twice; under `error`, nowhere."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    for node in model.tree_:
        if node.split is None:
            continue
        if chosen["missing"] == "error":
            assert (node.split.shares == 0).all()
            continue
        assert node.split.shares.sum() == pytest.approx(1, rel=1e-12)
        if chosen["missing"] != "fractional":
            assert sorted(node.split.shares) == [0] * (node.split.n_branches - 1) + [1]


@given(st.sampled_from(ESTIMATORS), st.sampled_from(POLICIES), st.data())
def test_new_rows_are_answered_whole(estimator: type, policy: str, data: st.DataObject) -> None:
    """Rows with cells that training did not have, missing ones too, are answered with shares that sum to 1."""
    table = data.draw(tables(missing=False if policy == "error" else None))
    unseen = data.draw(st.sampled_from(["node", "missing"]))
    chosen = data.draw(options(estimator)) | {"missing": policy, "unseen": unseen}
    some = data.draw(st.lists(st.sampled_from(range(len(table))), min_size=1, unique=True))
    model = fit(estimator, table.take(some), **chosen)
    parts = route(model.tree_, Table.encode_like(table.X, model.schema_))
    assert np.bincount(parts.rows, weights=parts.weights) == pytest.approx(np.ones(len(table)), rel=1e-12)
    if model.tree_.task == "class":
        assert model.predict_proba(table.X).sum(axis=1) == pytest.approx(np.ones(len(table)), rel=1e-12)
    else:
        assert np.isfinite(model.predict(table.X)).all()
