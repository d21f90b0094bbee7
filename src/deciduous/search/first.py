"""The first of the strictly best splits of a column: the search of `missing="surrogates"`, as rpart rates splits.

Splits are compared by their improvement, a figure of the rows whose cell is known. Nothing is within a band here: of
candidates that are equal in exact numbers the rounding of the sums decides, so the order of every sum is part of the
rule. A cut must leave `least` rows on each side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats

Codes = NDArray[np.int64]

#: Up to this many categories of several classes all divisions are tried: 32,767 of them.
EXHAUSTIVE_CATEGORIES = 16


class Rated(Protocol):
    """How the rows of a node with a known cell are summed and rated. Sums have a column a statistic."""

    def lines(self) -> Floats:
        """Return the statistics of each row, shape (rows, statistics)."""

    def improvement(self, left: Floats, total: Floats) -> Floats:
        """Return the improvement of divisions: sums of the left side, shape (divisions, statistics), and of all."""

    def mean(self, sums: Floats) -> Floats:
        """Return the mean target of sets of rows: the smaller one is called left."""

    def order(self, sums: Floats) -> Floats | None:
        """Return the key that orders categories, from their sums; None where no order holds the best division."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Class weights, each class multiplied by its altered prior; `places` order the classes; `impurity` of a share."""

    y: NDArray[Any]
    weight: Floats
    factor: Floats
    places: Floats
    impurity: Any

    def lines(self) -> Floats:
        """Return the weight of each row in the column of its class."""
        table = np.zeros((len(self.y), len(self.factor)))
        table[np.arange(len(self.y)), self.y] = self.weight
        return table

    def improvement(self, left: Floats, total: Floats) -> Floats:
        """Return A g(p) of all, less that of the sides; A the sum of altered weights, p their shares.

        Both sides are added class by class, left first.
        """
        sides = (left * self.factor, (total - left) * self.factor)
        weights = [_sum(side) for side in sides]
        after = np.zeros(len(left))
        for k in range(len(self.factor)):
            for side, weight in zip(sides, weights, strict=True):
                after += weight * self.impurity(side[:, k] / weight)
        whole = (total * self.factor)[None]
        weight, before = _sum(whole), np.zeros(1)
        for k in range(len(self.factor)):
            before += weight * self.impurity(whole[:, k] / weight)
        improvement: Floats = before - after
        return improvement

    def mean(self, sums: Floats) -> Floats:
        """Return the mean place of the classes."""
        altered = sums * self.factor
        mean: Floats = _sum(altered * self.places) / _sum(altered)
        return mean

    def order(self, sums: Floats) -> Floats | None:
        """Return the share of the first class, if there are two."""
        altered = sums * self.factor
        return altered[:, 0] / _sum(altered) if len(self.factor) == 2 else None


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers by squared error: deviations from the mean of the known rows. `risk`: that of the node."""

    y: Floats
    weight: Floats
    risk: float

    def lines(self) -> Floats:
        """Return the weight and the weighted deviation of each row."""
        mean = np.cumsum(self.weight * self.y)[-1] / np.cumsum(self.weight)[-1]
        return np.stack([self.weight, self.weight * (self.y - mean)], axis=1)

    def improvement(self, left: Floats, total: Floats) -> Floats:
        """Return (L^2 / w_L + R^2 / w_R) / risk, L the sum of deviations; R is -L exactly."""
        w, square = left[:, 0], left[:, 1] ** 2
        improvement: Floats = (square / w + square / (total[0] - w)) / self.risk
        return improvement

    def mean(self, sums: Floats) -> Floats:
        """Return the mean deviation."""
        mean: Floats = sums[:, 1] / sums[:, 0]
        return mean

    def order(self, sums: Floats) -> Floats | None:
        """Return the mean deviation."""
        return self.mean(sums)


@dataclass(frozen=True, eq=False)
class Rates:
    """Events by their deviance. `y`: rates; `weight`: exposures."""

    y: Floats
    weight: Floats

    def lines(self) -> Floats:
        """Return the exposure and the events of each row."""
        return np.stack([self.weight, self.weight * self.y], axis=1)

    def improvement(self, left: Floats, total: Floats) -> Floats:
        """Return 2 (sum over the sides of d ln(d / t) - the same of all)."""
        improvement: Floats = 2 * (_log_likelihood(left) + _log_likelihood(total - left) - _log_likelihood(total[None]))
        return improvement

    def mean(self, sums: Floats) -> Floats:
        """Return the rate."""
        mean: Floats = sums[:, 1] / sums[:, 0]
        return mean

    def order(self, sums: Floats) -> Floats | None:
        """Return the rate."""
        return self.mean(sums)


def gini_of(p: Floats) -> Floats:
    """Return p (1 - p)."""
    return p * (1 - p)


def entropy_of(p: Floats) -> Floats:
    """Return -p ln p, 0 for 0."""
    return -p * np.log(np.where(p > 0, p, 1.0))


def _sum(table: Floats) -> Floats:
    """Return the sums of lines, column after column."""
    total = np.zeros(len(table))
    for column in table.T:
        total += column
    return total


def _log_likelihood(sums: Floats) -> Floats:
    t, d = sums[:, 0], sums[:, 1]
    some = d > 0
    found: Floats = d * np.log(np.where(some, d, 1.0) / np.where(some, t, 1.0))
    return found


@dataclass(frozen=True, eq=False)
class First:
    """The first of the strictly best splits of a column; `tried`: how many were rated."""

    improvement: float
    kind: SplitKind
    threshold: float
    category_branch: NDArray[np.int32] | None
    tried: int
    exact: bool = True


def best_cut(x: Floats, rated: Rated, least: int) -> First | None:
    """Return the best cut of an ordered column, all cells known, from low to high; None if no cut improves anything.

    `rated` describes the rows in order of x. The threshold is the middle of two neighbours.
    """
    n = len(x)
    at = np.flatnonzero(x[1:] != x[:-1])  # the last row below each cut
    at = at[(at + 1 >= least) & (n - at - 1 >= least)]
    if not len(at):
        return None
    sums = np.cumsum(rated.lines(), axis=0)
    improvement = rated.improvement(sums[at], sums[-1])
    best = int(np.argmax(improvement))
    if not improvement[best] > 0:
        return None
    middle = middle_of(float(x[at[best]]), float(x[at[best] + 1]))
    return First(float(improvement[best]), SplitKind.THRESHOLD, middle, None, len(at))


def middle_of(low: float, high: float) -> float:
    """Return the middle of two numbers."""
    return (low + high) / 2 if np.isfinite(low + high) else low / 2 + high / 2


def below(threshold: float) -> float:
    """Return the largest number smaller than a threshold: x <= below(t) asks x < t."""
    return float(np.nextafter(threshold, -np.inf))


def best_division(codes: Codes, n_categories: int, rated: Rated, least: int) -> First | None:
    """Return the best division of a column of categories, all known; None if no division improves anything.

    With an order of the categories (by share, mean or rate, ascending, equal ones by code) its cuts from the start;
    else all divisions of the categories present in the order of a reflected Gray code, in which the first category
    moves most often and the last one never.
    """
    lines, counts = rated.lines(), np.bincount(codes, minlength=n_categories)
    sums: Floats = np.stack(
        [np.bincount(codes, weights=column, minlength=n_categories) for column in lines.T], axis=1
    ).astype(np.float64)
    present = np.flatnonzero(counts)
    if len(present) < 2:
        return None
    sums, counts = sums[present], counts[present]
    key = rated.order(sums)
    exact = key is not None or len(present) <= EXHAUSTIVE_CATEGORIES
    if key is None and exact:
        sides = _gray_codes(len(present))
        left = np.zeros((len(sides), sums.shape[1]))
        for flags, line in zip(sides.T, sums, strict=True):
            left += flags[:, None] * line
    else:
        order = np.argsort(rated.mean(sums) if key is None else key, kind="stable")
        sides, left = _cuts_of(order), np.cumsum(sums[order], axis=0)[:-1]
    total = np.cumsum(sums, axis=0)[-1]
    allowed = _between(sides @ counts, least, len(codes))
    if not allowed.any():
        return None
    sides, left = sides[allowed], left[allowed]
    improvement = rated.improvement(left, total)
    best = int(np.argmax(improvement))
    if not improvement[best] > 0:
        return None
    branch = np.full(n_categories, -1, dtype=np.int32)
    first, second = rated.mean(np.stack([left[best], total - left[best]]))
    branch[present] = np.where(sides[best], 0, 1) if first <= second else np.where(sides[best], 1, 0)
    return First(float(improvement[best]), SplitKind.SUBSET, float("nan"), branch, len(sides), exact)


def _between(count: Codes, least: int, n: int) -> NDArray[np.bool_]:
    allowed: NDArray[np.bool_] = (count >= least) & (n - count >= least)
    return allowed


def _cuts_of(order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the divisions "first k of an order", k = 1 .. n - 1."""
    n = len(order)
    sides = np.zeros((n - 1, n), dtype=bool)
    for k in range(n - 1):
        sides[k, order[: k + 1]] = True
    return sides


def _gray_codes(n: int) -> NDArray[np.bool_]:
    """Return all 2^(n-1) - 1 divisions of n items in the order of the reflected Gray code."""
    number = np.arange(1, 2 ** (n - 1))
    codes = number ^ (number >> 1)
    flags: NDArray[np.bool_] = (codes[:, None] >> np.arange(n) & 1).astype(bool)
    return flags
