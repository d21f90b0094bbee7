"""Targets far from zero, huge or tiny are split as their differences say."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import CARTRegressor, DataError
from deciduous.criteria import CRITERIA
from deciduous.model.tree import Tree
from tests.laws.trees import same_structure
from tests.strategies import Small, options, tables


def grow(table: Small, y: np.ndarray, chosen: dict[str, Any]) -> Any:
    tree = CARTRegressor(**chosen).fit(table.X, y, table.sample_weight).tree_
    tree.check()
    return tree


@given(table=tables(zero_weights=True), shift=st.sampled_from([1e8, -1e8, 2.0**40, 1e15, -4e15]), data=st.data())
def test_shifted_targets(table: Small, shift: float, data: st.DataObject) -> None:
    """Whole numbers are exact up to 2^53, so that a shift changes the means and nothing else."""
    chosen = data.draw(options(CARTRegressor, table.has_missing).filter(lambda o: o["criterion"] != "poisson"))
    y = np.array(table.y, dtype=float)
    here, there = grow(table, y, chosen), grow(table, y + shift, chosen)
    same_structure(here, there)
    assert np.allclose(here.value + shift, there.value, rtol=1e-15, atol=0)
    assert np.allclose(here.impurity, there.impurity, rtol=1e-12, atol=0)
    assert np.allclose(here.gain, there.gain, rtol=1e-9, atol=1e-12 * here.impurity.max(), equal_nan=True)


@given(table=tables(zero_weights=True), exponent=st.sampled_from([-490, -40, 40, 490]), data=st.data())
def test_scaled_targets(table: Small, exponent: int, data: st.DataObject) -> None:
    """About 1e-150 and 1e150: times a power of two, every figure is the same digits."""
    chosen = data.draw(options(CARTRegressor, table.has_missing, limits=False))
    y = np.array(table.y) + 40.0
    unit = 2.0**exponent
    impurity_unit = unit ** CRITERIA["number", chosen["criterion"]].degree
    one, other = grow(table, y, chosen), grow(table, y * unit, chosen)
    same_structure(one, other)
    assert np.array_equal(one.value * unit, other.value)
    assert np.array_equal(one.impurity * impurity_unit, other.impurity)
    assert np.array_equal(one.gain * impurity_unit, other.gain, equal_nan=True)


@pytest.mark.parametrize("base", [0.0, 1e8, -1e8, 1e15, 2.0**52])
def test_a_step_of_one(base: float) -> None:
    x = np.arange(1000.0)
    generator = np.random.default_rng(0)
    noise = generator.permutation(1000) / 1000
    y = base + (x >= 600)
    model = CARTRegressor(max_depth=1).fit(np.column_stack([noise, x]), y)
    assert model.tree_.feature[0] == 1
    assert model.tree_.threshold[0] == 599.5
    assert np.array_equal(model.predict(np.column_stack([noise, x])), y)
    assert model.tree_.gain[0] == pytest.approx(0.24, rel=1e-12)


TINY = 5e-324


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.0, TINY),
        (-TINY, TINY),
        (3 * TINY, 4 * TINY),
        (1e-310, 2e-310),
        (1e-200, 2e-200),
        (1.0, np.nextafter(1.0, 2.0)),
        (1e15, 1e15 + 0.125),
        (1e149, 2e149),
        (-1e150, 1e150),
    ],
)
def test_two_values_of_any_size(low: float, high: float) -> None:
    """The one useful column is found among two, and its leaves answer with the very values."""
    generator = np.random.default_rng(1)
    x, noise = np.arange(40.0) % 2, generator.permutation(40)
    y = np.where(x == 0, low, high)
    X = np.column_stack([noise, x])
    model = CARTRegressor().fit(X, y)
    model.tree_.check()
    assert (len(model.tree_), model.tree_.feature[0]) == (3, 1)
    assert np.array_equal(model.predict(X), y)
    assert "mean" in model.tree_.to_text()
    assert Tree.from_json(model.tree_.to_json()).to_text() == model.tree_.to_text()


@pytest.mark.parametrize("size", [1e-310, 1e-160, 1e-8, 1.0, 1e8, 1e149])
def test_three_values_of_any_size(size: float) -> None:
    """0, 1 and 3 units: the first split is between 1 and 3, whatever the unit."""
    y = np.array([0.0, 1.0, 3.0, 3.0]) * size
    tree = CARTRegressor().fit(np.arange(4.0)[:, None], y).tree_
    tree.check()
    assert tree.threshold[0] == 1.5
    assert np.array_equal(np.sort(tree.value[tree.is_leaf]), np.unique(y))


@pytest.mark.parametrize("y", [[0.0, 1e155], [-1.7e308, 1.7e308]])
def test_targets_whose_squares_are_no_floats(y: list[float]) -> None:
    """They are split, or refused in words."""
    try:
        model = CARTRegressor().fit([[0.0], [1.0]], y)
    except DataError:
        return
    model.tree_.check()
    assert model.predict([[0.0], [1.0]]).tolist() == y


@given(st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=12))
def test_whole_trees_answer_with_the_very_targets(y: list[float]) -> None:
    """Every row has a value of its own in x, so that every leaf holds one target."""
    X = np.arange(len(y), dtype=float)[:, None]
    model = CARTRegressor().fit(X, y)
    model.tree_.check()
    assert np.array_equal(model.predict(X), y)
