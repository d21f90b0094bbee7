"""apply, decision_path, predict and predict_proba tell one story: that of a walk down the tree, node by node."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier, kernels
from deciduous.kernels import SplitKind
from deciduous.model.tree import Tree
from tests.strategies import CLASSIFIERS, ESTIMATORS, PLAIN_C45, Small, fit, options, tables, tasks


def walk(tree: Tree, row: tuple[Any, ...], node: int = 0, part: float = 1.0) -> dict[int, float]:
    """Where a row ends, and with which parts: the naive reading of the tree. Cells are numbers or codes, or None."""
    split = tree.node(node).split
    if split is None:
        return {node: part}
    cell, first = row[split.feature], int(tree.first_child[node])
    if cell is None:
        branch = None
    elif split.kind == SplitKind.MISSING:
        branch = 0
    elif split.kind == SplitKind.THRESHOLD:
        branch = 0 if cell <= split.threshold else 1
    else:
        branch = int(split.category_branch[cell])
        if branch < 0 and tree.unseen == "node":  # a category that the node never met
            return {node: part}
        branch = None if branch < 0 else branch
    if branch is not None:
        return walk(tree, row, first + branch, part)
    ends: dict[int, float] = {} if split.shares.any() else {node: part}
    for b, share in enumerate(split.shares.tolist()):
        if share > 0:
            ends |= walk(tree, row, first + b, part * share)
    return ends


@st.composite
def fitted(draw: st.DrawFn, estimators: Any = ESTIMATORS) -> tuple[Any, Small]:
    """A model that was fitted on some of the rows of a table, so that it never met some of the others' cells."""
    estimator = draw(st.sampled_from(estimators))
    table = draw(tables())
    some = draw(st.lists(st.sampled_from(range(len(table))), min_size=1, unique=True))
    chosen = draw(options(estimator, table.has_missing))
    return fit(estimator, table.take(some), **chosen, unseen=draw(st.sampled_from(["node", "missing"]))), table


@given(fitted())
def test_all_answers_follow_from_the_walk(case: tuple[Any, Small]) -> None:
    model, table = case
    tree = model.tree_
    paths = model.decision_path(table.X)
    assert paths.shape == (len(table), len(tree))
    assert (paths.data == 1).all()
    applied, predicted = model.apply(table.X), model.predict(table.X)
    proba = model.predict_proba(table.X) if tree.task == "class" else None
    for i, row in enumerate(table.rows):
        ends = walk(tree, row)
        most = max(ends.values())
        assert applied[i] == min(node for node, part in ends.items() if part >= most - 1e-12)
        passed = {node for end in ends for node in tree.path(end)}
        assert set(paths[[i]].indices.tolist()) == passed
        if proba is None:
            answer = sum(part * tree.value[node] for node, part in ends.items())
            assert predicted[i] == pytest.approx(answer, rel=1e-12)
            continue
        shares = sum(part * tree.distribution(np.array([node]))[0] for node, part in ends.items())
        assert proba[i] == pytest.approx(shares, rel=1e-12, abs=1e-15)
        likely = [label for label, share in zip(tree.classes, shares, strict=True) if share >= shares.max() - 1e-11]
        assert predicted[i] == likely[0]


@given(fitted())
def test_paths_end_at_the_node_applied(case: tuple[Any, Small]) -> None:
    model, table = case
    paths, applied = model.decision_path(table.X), model.apply(table.X)
    for i, node in enumerate(applied.tolist()):
        passed = set(paths[[i]].indices.tolist())
        assert set(model.tree_.path(node)) <= passed
        if len(walk(model.tree_, table.rows[i])) == 1:
            assert model.tree_.path(node) == sorted(passed)


@given(tasks(CLASSIFIERS), st.sampled_from(["majority", "branch", "direction"]))
def test_shares_are_those_of_the_training_rows(task: tuple[type, Small, dict[str, Any]], policy: str) -> None:
    """Of a tree whose rows stay whole, predict_proba is the distribution of the training rows in the leaf."""
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen | {"missing": policy})
    applied, proba, y = model.apply(table.X), model.predict_proba(table.X), table.target("class")
    for node in set(applied.tolist()):
        here = applied == node
        weights = np.array([table.weight[here & (y == label)].sum() for label in model.classes_])
        assert proba[here] == pytest.approx(np.tile(weights / weights.sum(), (here.sum(), 1)), rel=1e-12)
        assert (model.predict(table.X)[here] == model.classes_[np.argmax(weights)]).all()


@given(st.sampled_from(ESTIMATORS), tables(missing=False, weights=None))
def test_whole_trees_are_right_about_rows_that_differ(estimator: type, table: Small) -> None:
    chosen = {"zero_gain": "split"} | (
        {"criterion": "gain", "min_cases": 0} | PLAIN_C45 if estimator is C45Classifier else {}
    )
    model = fit(estimator, table, **chosen)
    y, predicted = table.target(model.tree_.task), model.predict(table.X)
    for i, row in enumerate(table.rows):
        if len({y[k] for k, other in enumerate(table.rows) if other == row}) == 1:
            assert predicted[i] == y[i]


@given(fitted())
def test_native_and_numpy_answer_alike(case: tuple[Any, Small]) -> None:
    try:
        with kernels.use("native"):
            pass
    except ImportError as absent:
        pytest.skip(str(absent))
    model, table = case
    answers = []
    for name in ("native", "numpy"):
        with kernels.use(name):
            assert kernels.route.__name__ == "route"
            answers.append((model.apply(table.X), model.predict(table.X), model.decision_path(table.X).toarray()))
    for native, twin in zip(*answers, strict=True):
        assert np.array_equal(native, twin)
