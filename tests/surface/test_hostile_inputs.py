"""Hostile tables, targets, weights and options: they work and their invariants hold, or one of our errors says why."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning, NotFittedError

import deciduous
from deciduous.estimators.io import estimator_of
from deciduous.explain.derivation import derivation_of
from tests.surface.hostile import COMMANDS, parameters
from tests.surface.hostile_inputs import TABLES, TARGETS, WEIGHTS, Input
from tests.surface.hostile_options import NEW_TABLES, OPTIONS, New, nan, wide

CLASSIFIERS = [deciduous.ID3Classifier, deciduous.C45Classifier, deciduous.CARTClassifier]
ESTIMATORS = [*CLASSIFIERS, deciduous.CARTRegressor]
#: What may be raised. (TypeError: where Python's or scikit-learn's habit asks for one, with a message of our own.)
OURS = (deciduous.DataError, deciduous.OptionError, NotFittedError, TypeError)


def task_of(cls: Any) -> str:
    return "number" if cls is deciduous.CARTRegressor else "class"


@contextmanager
def our_warnings_only() -> Iterator[None]:
    """Warnings are errors, but for ours and scikit-learn's about the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", deciduous.DataWarning)
        warnings.simplefilter("ignore", DataConversionWarning)
        warnings.filterwarnings("ignore", message="X has feature names|X does not have valid feature names")
        yield


def assert_ends(expected: str | None, act: Callable[[], None]) -> None:
    """It works, or one of our errors is raised whose message is long enough, one line, and holds what it must."""
    if expected is None:
        with our_warnings_only():
            act()
        return
    with our_warnings_only(), pytest.raises(OURS) as caught:
        act()
    message = str(caught.value)
    assert type(caught.value) in OURS, "a class of our own"
    assert len(message) >= 20
    assert expected in message, message


def number_of_rows(X: Any) -> int:
    if hasattr(X, "num_rows"):
        return int(X.num_rows)
    if hasattr(X, "shape"):
        return int(X.shape[0]) if X.shape else 3
    if isinstance(X, dict) and X and hasattr(next(iter(X.values())), "__len__"):
        X = next(iter(X.values()))
    return len(X) if hasattr(X, "__len__") else 3


def target_for(cls: Any, n: int) -> list[Any]:
    return [float(i % 3) for i in range(n)] if task_of(cls) == "number" else [f"c{i % 2}" for i in range(n)]


def assert_sound(model: Any, X: Any, n: int) -> None:
    """The invariants of every fitted estimator."""
    tree = model.tree_
    assert_answers(model, X, n)
    nodes = model.apply(X)
    assert nodes.shape == (n,)
    assert ((nodes >= 0) & (nodes < len(tree))).all()
    assert model.decision_path(X).shape == (n, len(tree))
    importance = model.feature_importances_
    assert importance.shape == (model.n_features_in_,)
    assert np.isclose(importance.sum(), 1) or importance.sum() == 0
    assert_prints(model)


def assert_answers(model: Any, X: Any, n: int) -> None:
    """The tree agrees with itself, answers every row, and answers the same once saved and loaded."""
    tree = model.tree_
    tree.check()
    answers = model.predict(X)
    assert answers.shape == (n,)
    if tree.task == "class":
        assert set(answers.tolist()) <= set(model.classes_.tolist())
        shares = model.predict_proba(X)
        assert shares.shape == (n, len(model.classes_))
        assert np.allclose(shares.sum(axis=1), 1)
        assert (shares >= 0).all()
    else:
        assert np.isfinite(answers).all()
    document = tree.to_json()
    again: Any = estimator_of(deciduous.Tree.from_json(document))
    assert again.predict(X).tolist() == answers.tolist()
    assert again.tree_.to_json() == document


def assert_prints(model: Any) -> None:
    """Every text can be made, and has one line a node."""
    tree = model.tree_
    lines = str(tree).split("\n")
    assert len(lines) == len(tree) + 1
    assert all(line.isprintable() for line in lines)
    assert len(tree.nodes()) == len(tree)
    str(model.schema_).encode()
    if tree.candidates is not None:
        for node in range(min(len(tree), 20)):
            derivation_of(tree, node).to_text().encode()


@pytest.mark.parametrize("entry", parameters(TABLES))
def test_a_table(entry: Input) -> None:
    def act(cls: Any) -> None:
        X = entry.make()
        n = number_of_rows(X)
        assert_sound(cls(**entry.options).fit(X, target_for(cls, n)), entry.make(), n)

    for cls in ESTIMATORS:
        assert_ends(entry.expected(task_of(cls)), partial(act, cls))


@pytest.fixture(scope="module")
def six() -> pd.DataFrame:
    return pd.DataFrame({"n": [1.0, 2, 3, 4, 5, 6], "t": ["a", "b", "a", "b", "c", "c"]})


@pytest.mark.parametrize("entry", parameters(TARGETS))
def test_a_target(entry: Input, six: pd.DataFrame) -> None:
    for cls in ESTIMATORS:
        act = partial(lambda cls: assert_sound(cls().fit(six, entry.make()), six, 6), cls)
        assert_ends(entry.expected(task_of(cls)), act)


@pytest.mark.parametrize(
    ("y", "cart_says"),
    [
        (np.zeros((6, 2), dtype=int), None),
        (pd.DataFrame({"y": [0, 1] * 3, "z": [0, 1] * 3}), None),
        (np.array([[0, 1, 0, 1, 0, 1]]), "[6, 1]"),
    ],
    ids=["an array", "a frame", "a row"],
)
def test_several_targets_are_for_cart(y: Any, cart_says: str | None, six: pd.DataFrame) -> None:
    for cls in ESTIMATORS:
        says = (
            cart_says if cls in (deciduous.CARTClassifier, deciduous.CARTRegressor) else f"y has {y.shape[1]} columns"
        )

        def act(cls: Any = cls) -> None:
            assert cls().fit(six, y).predict(six).shape == (6, 2)

        assert_ends(says, act)


@pytest.mark.parametrize("entry", parameters(WEIGHTS))
def test_weights(entry: Input, six: pd.DataFrame) -> None:
    def act(cls: Any) -> None:
        assert_sound(cls().fit(six, target_for(cls, 6), sample_weight=entry.make()), six, 6)

    for cls in ESTIMATORS:
        assert_ends(entry.expected(task_of(cls)), partial(act, cls))


@pytest.mark.parametrize("entry", parameters(OPTIONS))
def test_an_option(entry: Input) -> None:
    def act(cls: Any) -> None:
        y = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] if task_of(cls) == "number" else list("ppqqrr")
        X = wide()
        assert_answers(cls(**entry.options).fit(X, y), X, 6)

    asked = [cls for cls in ESTIMATORS if set(entry.options) <= set(cls().get_params())]
    assert asked
    for cls in asked:
        assert_ends(entry.says, partial(act, cls))


@pytest.mark.parametrize("entry", parameters(NEW_TABLES))
def test_a_new_table(entry: New) -> None:
    def act(cls: Any, model: Any) -> None:
        X = entry.make()
        n = number_of_rows(X)
        answers = model.predict(X)
        assert answers.shape == (n,)
        if task_of(cls) == "number":
            assert np.isfinite(answers).all()
        else:
            assert set(answers.tolist()) <= set("pqr")
            assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
        assert model.apply(X).shape == (n,)
        assert model.decision_path(X).shape[0] == n

    for cls in ESTIMATORS:
        y = [1.0, 2.0, 1.0, 2.0, 8.0, 8.0] if task_of(cls) == "number" else list("pqpqrr")
        with our_warnings_only():
            model = cls(**entry.options).fit(entry.train(), y)
        assert_ends(entry.says, partial(act, cls, model))
        if entry.unseen and model.tree_.used_features:
            cells = f"{entry.unseen} cell{'s' * (entry.unseen != 1)} "
            with pytest.warns(deciduous.DataWarning, match=f"training never saw.*{cells}"):
                model.predict(entry.make())


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("dtype", [float, int])
def test_the_hidden_cells_of_a_masked_array_are_missing_or_refused(cls: Any, dtype: Any) -> None:
    shown = np.array([[1.0], [nan], [3.0], [4.0]])
    hidden = np.ma.masked_array(np.array([[1], [99], [3], [4]], dtype=dtype), mask=np.isnan(shown))
    y = [1.0, 2.0, 3.0, 3.0] if task_of(cls) == "number" else list("abcc")
    try:
        model = cls().fit(hidden, y)
    except OURS as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert "mask" in refusal
        return
    assert model.tree_.to_json() == cls().fit(shown, y).tree_.to_json()
    assert model.predict(hidden).tolist() == model.predict(shown).tolist()


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_the_hidden_cells_of_a_masked_target_are_missing_or_refused(cls: Any) -> None:
    X = np.arange(4.0).reshape(-1, 1)
    try:
        with our_warnings_only():
            model = cls().fit(X, np.ma.masked_array([7, 1, 2, 2], mask=[True, False, False, False]))
    except OURS as error:
        refusal = str(error)
    else:
        refusal = ""
    assert "mask" in refusal if refusal else model.tree_.n_samples[0] == 3


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "score"])
def test_before_fit(cls: Any, method: str) -> None:
    if not hasattr(cls(), method):
        pytest.skip("not a method of it")
    arguments = ([[1.0]], [1]) if method == "score" else ([[1.0]],)
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        getattr(cls(), method)(*arguments)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_saving_before_fit(cls: Any, tmp_path: Any) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        cls().save(tmp_path / "model.json")
    with pytest.raises(NotFittedError, match="not fitted yet"):
        cls().get_depth()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_failed_fit_leaves_the_fitted_tree_alone(cls: Any, six: pd.DataFrame) -> None:
    model = cls().fit(six, target_for(cls, 6))
    tree, before = model.tree_, model.predict(six).tolist()
    with pytest.raises(deciduous.DataError):
        model.fit(six, [None] * 6)
    with pytest.raises(deciduous.OptionError):
        model.set_params(max_depth=-1).fit(six, target_for(cls, 6))
    assert model.tree_ is tree
    assert model.predict(six).tolist() == before


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_nothing_that_was_given_is_changed(cls: Any, six: pd.DataFrame) -> None:
    X, y, w = six.copy(), target_for(cls, 6), np.ones(6)
    kinds = {"t": "nominal"}
    cls(kinds=kinds).fit(X, y, sample_weight=w).predict(X)
    assert X.equals(six)
    assert y == target_for(cls, 6)
    assert w.tolist() == [1.0] * 6
    assert kinds == {"t": "nominal"}


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_three_hundred_classes(cls: Any) -> None:
    X = np.arange(600.0).reshape(-1, 1)
    y = [f"class {i // 2}" for i in range(600)]
    model = cls(max_depth=4).fit(X, y)
    assert model.n_classes_ == 300
    assert_sound(model, X, 600)


def test_the_lists_are_long_enough() -> None:
    assert len(COMMANDS) >= 120
    assert len(TABLES) + len(TARGETS) + len(WEIGHTS) + len(OPTIONS) + len(NEW_TABLES) >= 120
