"""The single conditions of a rule, which can be dropped one by one, and the bits that each takes to be told.

A missing cell, or a category that training never saw, fulfils no condition: wherever the tree sends such rows, a rule
says nothing of them. Only where a tree asks whether a cell is missing does a missing cell fulfil "x is missing", and an
unknown category "x is known".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from deciduous.data.table import Table
from deciduous.explain.conditions import Condition, Range
from deciduous.explain.surrogates import Surrogated


def singles(condition: Condition | Surrogated) -> list[Condition]:
    """Return the condition of a path on one column as conditions that can be dropped one by one: each bound of a range,
    a set of categories, "is known" or "is missing"; none where every known cell fulfils it.
    """
    if isinstance(condition, Surrogated):
        condition = condition.known
    if isinstance(condition, Range):
        return _of_range(condition)
    if not any(condition.part):
        return [replace(condition, unseen=0.0, missing=1.0)] if condition.missing > 0 else []
    if all(condition.part):
        return [replace(condition, unseen=1.0, missing=0.0)] if condition.missing == 0 else []
    return [replace(condition, unseen=0.0, missing=0.0)]


def _of_range(condition: Range) -> list[Condition]:
    if not condition.known:
        return [replace(condition, missing=1.0)] if condition.missing > 0 else []
    whole = replace(condition, low=-math.inf, high=math.inf, missing=0.0)
    bounds: list[Condition] = []
    if condition.low > -math.inf:
        bounds.append(replace(whole, low=condition.low))
    if condition.high < math.inf:
        bounds.append(replace(whole, high=condition.high))
    return bounds or ([whole] if condition.missing == 0 else [])


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return single conditions with the two bounds of a column put together, in the order of the first ones."""
    by_column: dict[str, Condition] = {}
    for condition in conditions:
        before = by_column.get(condition.feature.name)
        if isinstance(before, Range) and isinstance(condition, Range):
            condition = replace(condition, low=max(before.low, condition.low), high=min(before.high, condition.high))
        by_column[condition.feature.name] = condition
    return tuple(by_column.values())


class Language:
    """How many bits a condition takes, in a language that knows the columns and the values of a table.

    log2 of the columns; for a bound one bit for its side and log2 of the cuts between two different values of the
    column; for a category log2 of the categories, for several log2 of the sets of categories; "is known" and "is
    missing" one bit. The conditions of a rule have no order: log2 k! is taken off for k of them, and likewise for the
    rules of a set (Quinlan 1993, section 5.2). `n_columns`: how many columns there are; `cuts`: the cuts of each column
    of numbers, by name.
    """

    def __init__(self, table: Table, columns: Sequence[int]) -> None:
        features = table.schema.features
        self.n_columns = sum(feature.is_split_on for feature in features)
        self.cuts = {}
        for j in columns:
            cells = table.columns[j]
            if cells is not None and features[j].kind == "numeric":
                self.cuts[features[j].name] = max(len(np.unique(cells[~np.isnan(cells)])) - 1, 1)

    def bits(self, conditions: Sequence[Condition]) -> float:
        """Return the bits of a rule of single conditions."""
        told = sum(math.log2(self.n_columns) + self._answer(condition) for condition in conditions)
        return told - unordered(len(conditions))

    def _answer(self, condition: Condition) -> float:
        if isinstance(condition, Range):
            return 1.0 if condition.whole or not condition.known else 1.0 + math.log2(self.cuts[condition.feature.name])
        categories, chosen = len(condition.part), sum(condition.part)
        if chosen in (0, categories):
            return 1.0
        # 2^k - 2 sets of k categories are neither empty nor all, too many for a float with many categories
        return (
            math.log2(categories) if chosen == 1 else categories + math.log1p(-(2.0 ** (1 - categories))) / math.log(2)
        )


def unordered(n: int) -> float:
    """Return the bits that n things take less where their order says nothing: log2 n!."""
    return math.lgamma(n + 1) / math.log(2)
