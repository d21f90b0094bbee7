"""The smallest change of a row that changes its answer: of the fewest columns, then of the least movement.

Movement is counted in training ranks: the share of the training values of a column that lie between the old number and
the new one; another category counts 1, an ordered one by the categories it passes. Without the training rows the
thresholds of the tree stand for the values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciduous.data.schema import Label
from deciduous.data.table import Table
from deciduous.explain.conditions import Among, Condition, Range
from deciduous.explain.rules import Rule, passing, rules
from deciduous.explain.surrogates import Surrogated
from deciduous.measures import Floats
from deciduous.model.tree import Tree


@dataclass(frozen=True)
class Change:
    """One column's part of a change: the condition to be met, and a cell that meets it."""

    feature: str
    condition: Condition
    new: Label
    movement: float


@dataclass(frozen=True)
class Counterfactual:
    """A change of some columns after which the row comes to another leaf with another answer."""

    node: int
    prediction: Label
    changes: tuple[Change, ...]

    @property
    def movement(self) -> float:
        """The sum of the movements."""
        return sum(change.movement for change in self.changes)


class Ranks:
    """The increasing values of each ordered column, of training rows or of the tree's thresholds."""

    def __init__(self, tree: Tree, training: Table | None) -> None:
        self._tree, self._training = tree, training
        self._values: dict[int, Floats] = {}

    def values(self, feature: int) -> Floats:
        """Return the sorted values of a column of numbers; those of training rows repeat as often as they occur."""
        if feature not in self._values:
            column = None if self._training is None else self._training.columns[feature]
            if column is None:
                own = self._tree.threshold[self._tree.feature == feature]
                column = own[~np.isnan(own)]
            numbers: Floats = column.astype(np.float64)
            self._values[feature] = np.sort(numbers[~np.isnan(numbers)])
        return self._values[feature]

    def movement(self, feature: int, old: float, new: float) -> float:
        """Return the share of the values that lie between two numbers; all of them for a number that is missing."""
        values = self.values(feature)
        if math.isnan(old) or not len(values):
            return 1.0
        passed = (values >= old) & (values < new) if old < new else (values <= old) & (values > new)
        return float(passed.mean())

    def above(self, feature: int, low: float, high: float) -> float:
        """Return the least number between two bounds (low < x <= high) that training has, else a short one."""
        values = self.values(feature)
        at = int(np.searchsorted(values, low, side="right"))
        if self._training is not None and at < len(values) and values[at] <= high:
            return float(values[at])
        return short_between(low, high)


def short_between(low: float, high: float) -> float:
    """Return a number with low < x <= high that has few digits and lies near `low`."""
    for digits in range(17):
        number = math.floor(low * 10.0**digits + 1) / 10.0**digits if abs(low) < 1e15 else math.inf
        if low < number <= high:
            return number
    return float(np.nextafter(low, math.inf))


def smallest_change(
    tree: Tree, row: Table, current: Label, training: Table | None = None, to: Label | None = None
) -> Counterfactual | None:
    """Return the smallest change of the only row of a table after which the tree answers otherwise; None if no leaf
    does. `to`: the answer that is wanted.
    """
    ranks, best = Ranks(tree, training), None
    key: tuple[float, ...] = (math.inf,)
    for rule in rules(tree, stops=False):
        if rule.prediction == current or (to is not None and rule.prediction != to):
            continue
        changes = _changes(tree, rule, row, ranks)
        if changes is None or not _leads_there(tree, rule, row, changes):
            continue
        found = Counterfactual(rule.node, rule.prediction, changes)
        if (len(changes), found.movement) < key:
            key, best = (len(changes), found.movement), found
    return best


def _leads_there(tree: Tree, rule: Rule, row: Table, changes: tuple[Change, ...]) -> bool:
    """Whether a row with the changes made fulfils a rule: a column that is changed may stand in for a missing one."""
    if tree.surrogates is None:
        return True
    columns = list(row.columns)
    for change in changes:
        feature = tree.schema.index(change.feature)
        kind = tree.schema.features[feature]
        code = change.new if kind.kind == "numeric" else kind.categories.index(change.new)
        old = columns[feature]
        assert old is not None
        columns[feature] = np.full_like(old, code)
    return bool(rule.shares(Table(row.schema, row.n_rows, tuple(columns)))[0] == 1)


def _changes(tree: Tree, rule: Rule, row: Table, ranks: Ranks) -> tuple[Change, ...] | None:
    """Return what must change for a row to fulfil a rule; None if it cannot by known cells."""
    changes = []
    for condition in rule.conditions:
        feature = tree.schema.index(condition.feature.name)
        cells = row.columns[feature]
        assert cells is not None
        if passing(condition, row)[0] == 1:
            continue
        wanted = condition.known if isinstance(condition, Surrogated) else condition
        change = _change(feature, wanted, float(cells[0]), ranks)
        if change is None:
            return None
        changes.append(change)
    return tuple(changes)


def _change(feature: int, condition: Condition, old: float, ranks: Ranks) -> Change | None:
    name = condition.feature.name
    if isinstance(condition, Among):
        return _to_category(name, condition, old)
    assert isinstance(condition, Range)
    if not condition.known or condition.low >= condition.high:
        return None
    down = not math.isnan(old) and old > condition.high
    new = condition.high if down or condition.low == -math.inf else ranks.above(feature, condition.low, condition.high)
    return Change(name, condition, new, ranks.movement(feature, old, new))


def _to_category(name: str, condition: Among, old: float) -> Change | None:
    """Return the change to the nearest category in order, or to the first where there is no order."""
    codes = [code for code, part in enumerate(condition.part) if part == 1]
    if not codes:
        return None
    if condition.feature.kind == "ordinal" and old >= 0:
        nearest = min(codes, key=lambda code: abs(code - old))
        steps = max(len(condition.part) - 1, 1)
        return Change(name, condition, condition.feature.categories[nearest], abs(nearest - old) / steps)
    return Change(name, condition, condition.feature.categories[codes[0]], 1.0)


def changed(row: Mapping[str, Any], change: Counterfactual) -> dict[str, Any]:
    """Return a row with the change made."""
    return {**row, **{one.feature: one.new for one in change.changes}}
