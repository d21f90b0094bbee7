"""Absolute error, Poisson deviance and Friedman's improvement: worked figures, digits, and refusals."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_poisson_deviance

import deciduous as dd
from deciduous.deviations import about_zero, drop_in_poisson_deviance, half_unit_deviance, weighted_median
from deciduous.errors import DataError

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "weight", "median", "error"),
    [
        ([3, 1, 2], None, 2, 2 / 3),
        ([1, 2, 3, 10], None, 2.5, 10 / 4),
        ([1, 2, 3, 10], [1, 1, 1, 3], 6.5, (3 * 3.5 + 3.5 + 4.5 + 5.5) / 6),
        ([1, 2, 3, 10], [1, 1, 1, 4], 10, (9 + 8 + 7) / 7),
        ([5], None, 5, 0),
        ([1e8, 1e8 + 1, 1e8 + 1], None, 1e8 + 1, 1 / 3),
        ([-1e150, 1e150], None, 0, 1e150),
    ],
)
def test_absolute_error(y: list[float], weight: list[float] | None, median: float, error: float) -> None:
    w = np.ones(len(y)) if weight is None else np.array(weight, dtype=float)
    assert weighted_median(np.array(y, dtype=float), w) == median
    assert dd.absolute_error(y, weight=weight) == pytest.approx(error, rel=1e-14)


def test_rows_that_take_no_part() -> None:
    assert dd.absolute_error([1, NAN, 3, 50], weight=[1, 9, 1, 0]) == 1
    assert dd.half_poisson_deviance([1, NAN, 1]) == 0
    assert dd.absolute_error([]) == dd.half_poisson_deviance([]) == dd.half_poisson_deviance([0, 0]) == 0
    assert dd.friedman_improvement([1.0], [NAN]) == 0


@pytest.mark.parametrize("weight", [None, [1, 2, 0.5, 3, 1]])
def test_half_poisson_deviance_is_half_of_what_scikit_learn_reports(weight: Any) -> None:
    y = np.array([0.0, 1, 4, 2, 7])
    mean = np.full(5, np.average(y, weights=weight))
    expected = mean_poisson_deviance(y, mean, sample_weight=weight) / 2
    assert dd.half_poisson_deviance(y, weight=weight) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("u", [0.3, 1e-2, -1e-2, 1e-5, -1e-8, 0.0999, 0.1001, -0.0999])
def test_the_unit_deviance_keeps_its_digits(u: float) -> None:
    series = math.fsum((-1) ** k * u**k / (k * (k - 1)) for k in range(2, 60))
    assert half_unit_deviance(np.array([u]))[0] == pytest.approx(series, rel=1e-13)
    assert half_unit_deviance(np.array([-1.0, 0.0])).tolist() == [1, 0]


def test_the_drop_in_poisson_deviance() -> None:
    left, right = np.array([0.0, 1, 2]), np.array([5.0, 4])
    every = np.concatenate([left, right])
    inside = (3 * dd.half_poisson_deviance(left) + 2 * dd.half_poisson_deviance(right)) / 5
    table = np.array([[[len(y), y.sum(), (y * y).sum()] for y in (left, right)]])
    assert drop_in_poisson_deviance(table) == pytest.approx([dd.half_poisson_deviance(every) - inside], rel=1e-13)


def test_a_branch_of_zeros_is_forbidden_and_an_empty_one_is_not() -> None:
    tables = np.array([[[3, 0, 0], [2, 5, 9]], [[0, 0, 0], [2, 5, 9]], [[1, 2, 4], [2, 5, 9]]], dtype=float)
    drop = drop_in_poisson_deviance(tables)
    assert drop[0] == -np.inf
    assert drop[1] == 0
    assert drop[2] > 0


def test_sums_are_taken_about_zero() -> None:
    node = about_zero(np.array([0.0, 3, 9]), np.ones(3))
    assert (node.value, node.centre, node.scale) == (4, 0, 16)
    assert node.impurity == pytest.approx(node.scaled_impurity * 16)


def test_friedman_improvement() -> None:
    left, right = [1.0, 3.0], [10.0]
    assert dd.friedman_improvement(left, right) == pytest.approx(2 * 1 / 3 * 8**2)
    drop = dd.squared_error([*left, *right]) - 2 / 3 * dd.squared_error(left)
    assert dd.friedman_improvement(left, right) == pytest.approx(3 * drop)
    assert dd.friedman_improvement(left, right, right_weight=[2]) == pytest.approx(2 * 2 / 4 * 8**2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dd.half_poisson_deviance([1, -2]), "must not be negative.*smallest is -2"),
        (lambda: dd.absolute_error([[1.0]]), "one-dimensional"),
        (lambda: dd.absolute_error([1.0], weight=[-1]), "weights must be finite and not negative"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()
