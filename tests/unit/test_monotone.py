"""Monotonic constraints: what they allow, what children inherit, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import CARTClassifier, CARTRegressor
from deciduous.algorithms.cart import CART_CLASSES
from deciduous.errors import OptionError
from deciduous.estimators.io import estimator_of
from deciduous.grow.inherited import Inherited, of_children, of_root, within_bounds
from deciduous.model.tree import Tree
from deciduous.search.draw import draw
from deciduous.search.monotone import child_bounds, in_order

INF = np.inf


@pytest.mark.parametrize(
    ("values", "filled", "sign", "bounds", "allowed"),
    [
        ([1, 2], [1, 1], 1, (-INF, INF), True),
        ([1, 2], [1, 1], -1, (-INF, INF), False),
        ([2, 2], [1, 1], 1, (-INF, INF), True),
        ([2, 2], [1, 1], -1, (-INF, INF), True),
        ([1, 2], [1, 1], 1, (1, 2), True),
        ([1, 2], [1, 1], 1, (1.5, 2), False),
        ([1, 2], [1, 1], 1, (1, 1.5), False),
        ([1, 0, 0.5], [1, 0, 1], 1, (0, 1), True),  # known or missing: nothing in the second branch
        ([1, 2, 3], [1, 1, 1], 1, (0, 2), False),  # the missing rows out of bounds
        ([1, 1 - 1e-12], [1, 1], 1, (-INF, INF), True),  # equal but for rounding
    ],
)
def test_what_a_constraint_allows(values: Any, filled: Any, sign: int, bounds: Any, allowed: bool) -> None:
    got = in_order(np.array([values], dtype=float), np.array([filled], dtype=bool), sign, *bounds)
    assert got.tolist() == [allowed]


def test_the_bound_between_two_children_is_the_middle_of_their_answers() -> None:
    low, high = np.array([0.0, 0.0, -INF]), np.array([10.0, 10.0, INF])
    lows, highs = child_bounds(low, high, np.array([1, -1, 0]), np.array([2.0, 8.0, 1.0]), np.array([4.0, 6.0, 2.0]))
    assert lows.tolist() == [[0, 3], [7, 0], [-INF, -INF]]
    assert highs.tolist() == [[3, 10], [10, 7], [INF, INF]]


def test_what_children_inherit() -> None:
    root = of_root(3)
    assert (int(root.key[0]), root.low[0], root.high[0]) == (int(draw(3, 0)), -INF, INF)
    parents = Inherited(np.array([5, 6], dtype=np.uint64), np.array([-1.0, 0.0]), np.array([1.0, 2.0]))
    children = of_children(parents, np.array([3, 2]), np.array([0, 1]), np.array([9, 9, 9, 0.5, 1.5]))
    assert children.low.tolist() == [-1, -1, -1, 0, 1]
    assert children.high.tolist() == [1, 1, 1, 1, 2]
    expected = [draw(draw(p, 0), b) for p, b in ((5, 0), (5, 1), (5, 2), (6, 0), (6, 1))]
    assert [int(k) for k in children.key] == [int(k) for k in expected]


def test_answers_within_bounds() -> None:
    bounds = Inherited(np.zeros(3, dtype=np.uint64), np.array([0.25, 0.0, 0.0]), np.array([0.5, 0.5, 1.0]))
    classes = np.array([[4.0, 0.0], [1.0, 3.0], [2.0, 1.0]])
    assert within_bounds(classes, bounds, "class").tolist() == [[3, 1], [2, 2], [2, 1]]
    numbers = np.array([[4.0, 0.0, 1.0], [1.0, 3.0, 1.0], [2.0, 1.0, 1.0]])
    assert within_bounds(numbers, bounds, "number").tolist() == [[4, 0.25, 1], [1, 0.5, 1], [2, 1, 1]]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("up", r"monotonic_cst='up' must be None, one of -1, 0, 1 for every column, or a mapping"),
        ([1, 2], r"monotonic_cst\[1\]=2 must be -1 \(never rises\), 0 \(free\) or 1 \(never falls\)"),
        ({"a": True}, r"monotonic_cst\['a'\]=True must be -1"),
        ({"a": "1"}, r"monotonic_cst\['a'\]='1' must be -1"),
        (np.ones((2, 2)), "must be None, one of -1, 0, 1 for every column"),
    ],
)
def test_a_wrong_constraint(constraints: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CART_CLASSES.of({"monotonic_cst": constraints})


X = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6], "colour": list("ababab"), "size": [3.0, 1, 2, 5, 4, 6]})


@pytest.mark.parametrize(
    ("constraints", "y", "message"),
    [
        ([1, 0], "nnnyyy", "has 2 elements and the table has 3 columns, 'age', 'colour', 'size'"),
        ({7: 1}, "nnnyyy", "names the column 7, which is not in the table"),
        ({"agee": 1}, "nnnyyy", "names the column 'agee', which is not in the table.*Did you mean 'age'"),
        ({"colour": 1}, "nnnyyy", "constrains 'colour', whose categories have no order"),
        ({"age": 1}, "abcabc", "needs numbers or two classes to predict; there are 3 classes, 'a', 'b', 'c'"),
    ],
)
def test_a_constraint_that_does_not_fit_the_table(constraints: Any, y: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CARTClassifier(monotonic_cst=constraints).fit(X, list(y))


def test_names_and_positions_and_files() -> None:
    y = [3.0, 1, 2, 6, 5, 9]
    by_name = CARTRegressor(monotonic_cst={"size": 1, "age": -1}).fit(X, y)
    by_position = CARTRegressor(monotonic_cst=np.array([-1, 0, 1])).fit(X, y)
    assert by_name.predict(X).tolist() == by_position.predict(X).tolist()
    of_numbers = CARTRegressor(monotonic_cst={2: 1, np.int64(0): -1}).fit(X, y)
    for model in (by_name, by_position, of_numbers):
        assert by_name.predict(X).tolist() == model.predict(X).tolist()
        loaded = estimator_of(Tree.from_json(model.tree_.to_json()))
        assert loaded.predict(X).tolist() == model.predict(X).tolist()
        assert isinstance(loaded.monotonic_cst, dict) == isinstance(model.monotonic_cst, dict)
        assert list(loaded.monotonic_cst) == list(model.monotonic_cst)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("missing", ["direction", "majority", "branch", "fractional"])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_predictions_obey(criterion: str, missing: str, splitter: str) -> None:
    rng = np.random.default_rng([len(criterion), len(missing)])
    n = 60
    a, b, c = rng.normal(size=(3, n)).round(1)
    colour = rng.choice(list("uvw"), n)
    signal = a - 2 * b + np.sin(3 * c) + (colour == "u") + rng.normal(size=n)
    frame = pd.DataFrame({"a": np.where(rng.random(n) < 0.1, np.nan, a), "b": b, "c": c, "colour": colour})
    options: dict[str, Any] = {"monotonic_cst": {"a": 1, "b": -1}, "missing": missing, "splitter": splitter}
    if criterion == "gini":
        model = CARTClassifier(criterion=criterion, **options).fit(frame, np.where(signal > 0, "yes", "no"))
    else:
        model = CARTRegressor(criterion=criterion, **options).fit(frame, np.abs(signal).round(1) * (signal > -2))
    model.tree_.check()
    assert len(model.tree_) > 9
    grid = np.sort(np.concatenate([a, b]))
    for _ in range(5):
        row = frame.iloc[rng.integers(n)].fillna(0.0)
        for column, sign in (("a", 1), ("b", -1)):
            line = pd.DataFrame([row] * len(grid)).assign(**{column: grid}).astype({"a": float, "b": float, "c": float})
            answers = model.predict(line) if criterion != "gini" else model.predict_proba(line)[:, 1]
            assert (np.diff(answers) * sign >= -1e-12).all()
