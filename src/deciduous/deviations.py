"""Measures of a target of numbers beside squared error: absolute error, Poisson deviance, Friedman's improvement.

Absolute error is taken about the weighted median, which is no function of sums; Poisson deviance needs the sums taken
about 0. How a node's numbers are centred and scaled before they are summed belongs to the measure, and is here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from deciduous.errors import DataError
from deciduous.measures import Floats, as_weights

#: Cumulated weights that differ from half of the total by no more than this share of it are half of it.
HALF_SLACK = 1e-10


@dataclass(frozen=True)
class Centred:
    """What the numbers of one node come to.

    `value`: what the node answers; `impurity`: in units of the target, `scaled_impurity` of the scanned numbers
    (y - centre) / scale. The scale is a power of two, which changes no digit.
    """

    value: float
    impurity: float
    scaled_impurity: float
    centre: float
    scale: float


# --- of one node ---


def about_mean(y: Floats, weight: Floats) -> Centred:
    """Return the mean and the mean squared deviation; sums are to be taken about the mean. Shapes (rows,), rows > 0."""
    low, middle, scale = _extent(y)
    if low == float(y.max()):
        return Centred(low, 0.0, 0.0, low, scale)
    scaled = (y - middle) / scale
    total = float(weight.sum())
    offset = float((weight * scaled).sum() / total)
    deviation = scaled - offset
    variance = float((weight * deviation * deviation).sum() / total)
    mean = middle + offset * scale
    return Centred(mean, variance * scale * scale, variance, mean, scale)


def about_median(y: Floats, weight: Floats) -> Centred:
    """Return the weighted median and the mean absolute deviation from it. Shapes (rows,), rows > 0."""
    _, _, scale = _extent(y)
    median = weighted_median(y, weight)
    error = float((weight * np.abs(y - median) / scale).sum() / weight.sum())
    return Centred(median, error * scale, error, median, scale)


def about_zero(y: Floats, weight: Floats) -> Centred:
    """Return the mean and half the mean Poisson deviance; sums are to be taken about 0, so that a branch of nothing
    but zeros has the sum 0 exactly. Shapes (rows,), rows > 0; y >= 0.
    """
    mean = about_mean(y, weight).value
    scale = power_of_two_above(float(y.max()))
    unit = half_unit_deviance((y - mean) / mean) if mean > 0 else np.zeros(len(y))
    scaled = mean / scale * float((weight * unit).sum() / weight.sum())
    return Centred(mean, scaled * scale, scaled, 0.0, scale)


def weighted_median(y: Floats, weight: Floats) -> float:
    """Return the value at which the cumulated weight passes half of the total.

    Where it is half exactly (to 1e-10 of the total) between two values, their midpoint. Shapes (rows,), rows > 0.
    """
    order = np.argsort(y, kind="stable")
    cumulated = np.cumsum(weight[order])
    half, slack = cumulated[-1] / 2, HALF_SLACK * cumulated[-1]
    lower, upper = y[order][np.searchsorted(cumulated, [half - slack, half + slack])].tolist()
    return midpoint(lower, upper)


def midpoint(low: float, high: float) -> float:
    """Return the middle of two numbers without overflow."""
    return low + (high - low) / 2 if np.isfinite(high - low) else low / 2 + high / 2


def power_of_two_above(x: float) -> float:
    """Return the smallest power of two above |x| (1 for 0), so that dividing by it changes no digit."""
    return float(np.ldexp(1.0, min(int(np.frexp(x)[1]), 1023))) if x > 0 else 1.0


def _extent(y: Floats) -> tuple[float, float, float]:
    """Return the least number, the middle between least and largest, and a power of two above the distance to it."""
    low, high = float(y.min()), float(y.max())
    middle = midpoint(low, high)
    return low, middle, power_of_two_above(max(high - middle, middle - low))


# --- on arrays ---


def half_unit_deviance(u: Floats) -> Floats:
    """Return (1 + u) ln(1 + u) - u, which is half the Poisson deviance of y = mean * (1 + u), in units of the mean.

    u >= -1; 1 for u = -1. Near 0, where the terms cancel, a series in v = u / (2 + u) keeps the digits (Loader 2000,
    "Fast and accurate computation of binomial probabilities"): with 1 + u = (1 + v) / (1 - v),
    2 v^2 / (1 - v) * (1 + v (1 + v) (1/3 + v^2/5 + v^4/7 + ...)).
    """
    v = u / (2 + u)
    square = v * v
    series = np.zeros_like(v)
    for odd in range(17, 1, -2):
        series = series * square + 1 / odd
    near = 2 * square / (1 - v) * (1 + v * (1 + v) * series)
    return np.where(np.abs(u) < 0.1, near, xlogy(1 + u, 1 + u) - u)


def drop_in_poisson_deviance(tables: Floats) -> Floats:
    """Return the drop in half the mean Poisson deviance, sum_b S_b ln(mean_b / mean) / W, S_b = w_b mean_b.

    `tables`: sums (w, w*y, w*y^2) about 0, shape (candidates, branches, 3). -inf where a branch that has weight has the
    sum 0: its answer, 0, would make any later count impossible. The sum is taken of terms that are not negative,
    w_b mean * half_unit_deviance(mean_b / mean - 1), so that a small drop keeps its digits.
    """
    w, wy = tables[:, :, 0], tables[:, :, 1]
    total = w.sum(axis=1)
    mean = wy.sum(axis=1) / np.where(total > 0, total, 1.0)
    ratio = wy / np.where(w > 0, w, 1.0) / np.where(mean > 0, mean, 1.0)[:, None]
    unit = half_unit_deviance(np.where(w > 0, ratio - 1, 0.0))
    drop = (w * unit).sum(axis=1) * mean / np.where(total > 0, total, 1.0)
    forbidden = ((w > 0) & (wy <= 0)).any(axis=1)
    return np.where(forbidden, -np.inf, drop)


# --- the public measures ---


def absolute_error(y: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Mean absolute deviation from the weighted median, in units of y (Breiman et al. 1984, section 8.11).

    `y`: numbers, shape (rows,); rows with NaN take no part. 0 for no rows. The median is where the cumulated weight
    passes half; any point between the two middle values, where there are two, gives the same figure.
    """
    values, w = _known(y, weight)
    return about_median(values, w).impurity if len(values) else 0.0


def half_poisson_deviance(y: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Half the mean Poisson deviance from the mean, sum w y ln(y / mean) / W (McCullagh and Nelder 1989, section 2.3).

    `y`: counts or rates of at least 0, shape (rows,); rows with NaN take no part. 0 for no rows, and where all are 0.
    This is the impurity that trees report under `criterion="poisson"`; the deviance itself is twice as large.
    """
    values, w = _known(y, weight)
    if (values < 0).any():
        raise DataError(f"y must not be negative under the Poisson deviance; the smallest is {values.min():g}.")
    return about_zero(values, w).impurity if len(values) else 0.0


def friedman_improvement(
    left: ArrayLike,
    right: ArrayLike,
    *,
    left_weight: ArrayLike | None = None,
    right_weight: ArrayLike | None = None,
) -> float:
    """Friedman's improvement w_l w_r / (w_l + w_r) (mean_l - mean_r)^2 of a division (Friedman 2001, equation 35).

    `left`, `right`: the numbers of the two sides, shapes (rows,); rows with NaN take no part. In squared units of y
    times weight: it is W times the drop in squared error, so that both choose the same split of a node. 0 if a side is
    empty.
    """
    sides = [_known(left, left_weight), _known(right, right_weight)]
    if not all(len(y) for y, _ in sides):
        return 0.0
    (mean_l, w_l), (mean_r, w_r) = ((about_mean(y, w).value, float(w.sum())) for y, w in sides)
    return w_l * w_r / (w_l + w_r) * (mean_l - mean_r) ** 2


def _known(y: ArrayLike, weight: ArrayLike | None) -> tuple[Floats, NDArray[np.float64]]:
    """Return the numbers that are known and have a weight, and their weights."""
    values = np.asarray(y, dtype=np.float64)
    if values.ndim != 1:
        raise DataError(f"y must be one-dimensional; got shape {values.shape}.")
    w = as_weights(weight, len(values))
    takes_part = ~np.isnan(values) & (w > 0)
    return values[takes_part], w[takes_part]
