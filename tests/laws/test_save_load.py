"""A tree that is saved and read, pickled or copied is the same tree, bit by bit."""

import copy
import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone

import deciduous as dd
from deciduous.estimators.io import estimator_of
from deciduous.model.candidate import Candidate
from deciduous.model.split import Split
from deciduous.model.tree import ARRAYS, Tree
from tests.strategies import ESTIMATORS, Small, fit, task_of, tasks


def identical(one: Any, other: Any) -> None:
    """Equal in type and value, and bit by bit where numbers are concerned."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    elif isinstance(one, Candidate | Split):
        for field in fields(one):
            identical(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, float):
        assert np.float64(one).tobytes() == np.float64(other).tobytes()
    else:
        assert one == other


def identical_trees(one: Tree, other: Tree) -> None:
    for name in ARRAYS:
        identical(getattr(one, name), getattr(other, name))
        assert not getattr(other, name).flags.writeable
    for name in ("schema", "task", "target", "classes", "weighted"):
        identical(getattr(one, name), getattr(other, name))
    assert dict(one.options) == dict(other.options)
    assert (one.candidates is None) == (other.candidates is None)
    for ours, theirs in zip(one.candidates or (), other.candidates or (), strict=True):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            identical(a, b)
    assert one.to_text() == other.to_text()


def same_answers(one: Any, other: Any, table: Small) -> None:
    identical(one.predict(table.X), other.predict(table.X))
    identical(one.apply(table.X), other.apply(table.X))
    if hasattr(one, "classes_"):
        identical(one.predict_proba(table.X), other.predict_proba(table.X))
        identical(one.classes_, other.classes_)


@given(tasks(zero_weights=True))
def test_json(task: tuple[type, Small, dict[str, Any]]) -> None:
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    document = model.tree_.to_json()
    tree = Tree.from_json(document)
    identical_trees(model.tree_, tree)
    assert tree.to_json() == document
    loaded = estimator_of(tree)
    assert type(loaded) is estimator
    assert loaded.get_params() == model.get_params()
    same_answers(model, loaded, table)
    again = loaded.fit(table.X, table.target(task_of(estimator)), table.sample_weight)
    identical_trees(tree, again.tree_)


@given(tasks())
def test_pickle_and_copies(task: tuple[type, Small, dict[str, Any]]) -> None:
    estimator, table, chosen = task
    model = fit(estimator, table, **chosen)
    unpickled = pickle.loads(pickle.dumps(model))
    same_answers(model, unpickled, table)
    for twin in (unpickled, copy.deepcopy(model)):
        identical_trees(model.tree_, twin.tree_)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "tree_")
    identical_trees(model.tree_, fresh.fit(table.X, table.target(task_of(estimator)), table.sample_weight).tree_)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_files(estimator: type, tmp_path: Path) -> None:
    """Labels of every type, weights, options that are mappings, and numbers of every size survive a file."""
    X = np.array([[1e-310, 3.5], [5e-324, np.nan], [1.7e308, -0.0], [-1.7e308, 1 / 3], [np.nan, 0.3], [2.0, 7e22]])
    y: list[Any] = [True, False, True, False, True, True]
    chosen: dict[str, Any] = {"class_weight": {True: 0.1, False: 1 / 3}}
    if task_of(estimator) == "number":
        y, chosen = [0.1, 1e150, -1e-150, 1 / 3, 5e-324, 2.0], {}
    model = estimator(**chosen).fit(X, y, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    model.tree_.check()
    model.save(tmp_path / "树.json")
    loaded = dd.load(tmp_path / "树.json")
    identical_trees(model.tree_, loaded.tree_)
    assert loaded.get_params() == model.get_params()
    identical(model.predict(X), loaded.predict(X))
