"""How far a number moves among the values of its column, and the nearest number within bounds."""

from __future__ import annotations

import math

import numpy as np

from deciduous.data.table import Table
from deciduous.measures import Floats
from deciduous.model.tree import Tree


class Ranks:
    """The increasing values of each column of numbers: those of training rows, else the thresholds of the tree."""

    def __init__(self, tree: Tree, training: Table | None) -> None:
        self._tree, self._training = tree, training
        self._values: dict[int, Floats] = {}

    def values(self, feature: int) -> Floats:
        """Return the sorted values of a column; those of training rows repeat as often as they occur."""
        if feature not in self._values:
            column = None if self._training is None else self._training.columns[feature]
            numbers: Floats = thresholds_of(self._tree, feature) if column is None else column.astype(np.float64)
            self._values[feature] = np.sort(numbers[~np.isnan(numbers)])
        return self._values[feature]

    def movement(self, feature: int, old: float, new: float) -> float:
        """Return the share of the values passed on the way from one number to another; 1 from a missing cell.

        The value that a number leaves is passed, the one that it comes to is not; a threshold t is passed if only one
        of the two numbers is x <= t.
        """
        values = self.values(feature)
        if math.isnan(old) or not len(values):
            return 1.0
        if self._training is None:
            passed = (values >= min(old, new)) & (values < max(old, new))
        else:
            passed = (values >= old) & (values < new) if old < new else (values <= old) & (values > new)
        return float(passed.mean())

    def nearest(self, feature: int, old: float, low: float, high: float) -> float:
        """Return a number with low < x <= high that is as near to another one as can be: a training value where one
        lies there, else a short number.
        """
        values = self.values(feature)
        down = old > high or (math.isnan(old) and low == -math.inf)
        above, upto = np.searchsorted(values, [low, high], side="right").tolist()
        if self._training is not None and above < upto:
            return float(values[upto - 1] if down else values[above])
        # another value may bound where the number passes no more than it must
        before = float(values[np.searchsorted(values, high) - 1]) if np.searchsorted(values, high) else -math.inf
        after = float(values[above]) if above < len(values) else math.inf
        return short_below(max(low, before), high) if down else short_above(low, min(high, after))


def thresholds_of(tree: Tree, feature: int) -> Floats:
    """Return the thresholds of the questions about a column, those of surrogates among them."""
    cuts: Floats = tree.threshold[tree.feature == feature]
    if tree.surrogates is not None:
        cuts = np.append(cuts, tree.surrogates.threshold[tree.surrogates.feature == feature])
    return cuts[~np.isnan(cuts)]


def short_above(low: float, high: float) -> float:
    """Return a number with low < x <= high that has few digits and lies near `low`; 0 without bounds."""
    if low == -math.inf:
        return 0.0 if high >= 0 else short_below(low, high)
    for digits in range(17):
        number = math.floor(low * 10.0**digits + 1) / 10.0**digits if abs(low) < 1e15 else math.inf
        if low < number <= high:
            return number
    return float(np.nextafter(low, math.inf))


def short_below(low: float, high: float) -> float:
    """Return a number with low < x <= high that has few digits and lies near `high`; 0 without bounds."""
    if high == math.inf:
        return 0.0 if low < 0 else short_above(low, high)
    for digits in range(17):
        number = math.floor(high * 10.0**digits) / 10.0**digits if abs(high) < 1e15 else math.inf
        if low < number <= high:
            return number
    return high
