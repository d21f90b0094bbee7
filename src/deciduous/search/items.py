"""The items that a division of categories puts on two sides, and the scoring of divisions.

The items are the categories present in the node; with `missing="direction"` the rows with a missing cell are one more
item, the last, so that the search places them too. Categories that are absent from the node belong to neither side.
A division is an array of flags, True = left; which side is called left does not matter until it is reported.

Divisions have a canonical order, which decides ties: the block called left is the smaller one (of equal sizes, the one
with the first item); smaller blocks come first, then lexicographically by item.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.contingency import Contingency, Counts, Found, Rule, weight_of
from deciduous.search.pick import Candidates, gains, known_share, score_of, split_information

Sides = NDArray[np.bool_]
Order = NDArray[np.intp]

#: Shares of classes (and means) are told apart to this many parts of one: those that differ by rounding are equal.
PARTS = 1e12


def sorted_by(key: Floats, parts: float) -> Order:
    """Return the order of keys, told apart to so many parts of one."""
    return np.argsort(np.rint(key * parts), kind="stable")


class Items:
    """The items of a search.

    `lines`, `line_counts`: statistics and rows of each item. `table`, `counts`: the same for the groups that are
    divided; these are the items themselves, or those of equal class shares together (`grouped`), and `group` is the
    group of each item.
    """

    def __init__(self, contingency: Contingency, rule: Rule) -> None:
        self.contingency, self.rule = contingency, rule
        self.present = np.flatnonzero(contingency.counts)
        self.lines = contingency.table[self.present]
        self.line_counts = contingency.counts[self.present]
        self.has_missing = contingency.missing_count > 0
        if rule.missing == "direction" and self.has_missing:
            self.lines = np.concatenate([self.lines, contingency.missing[None]])
            self.line_counts = np.append(self.line_counts, contingency.missing_count)
        self.table, self.counts, self.group = self.lines, self.line_counts, np.arange(len(self.lines))

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.counts)

    @property
    def places_missing(self) -> bool:
        """Whether the last item is the missing rows."""
        return len(self.lines) > len(self.present)

    @property
    def weight(self) -> Floats:
        """The weight of each group."""
        return weight_of(self.table, self.rule.criterion)

    @cached_property
    def shares(self) -> Floats:
        """The class shares of each group, one column a class that is present; for numbers, the means of y and y^2."""
        weight = self.weight
        numbers = self.rule.criterion.task == "number"
        columns = np.arange(1, self.table.shape[1]) if numbers else np.flatnonzero(self.table.sum(axis=0) > 0)
        shares: Floats = self.table[:, columns] / np.where(weight > 0, weight, 1.0)[:, None]
        return shares

    def grouped(self) -> Items:
        """Return the items with those of equal shares in one group; groups in the order of their first items.

        Of a concave impurity no division is better than the best one that keeps such items together.
        """
        _, first, inverse = np.unique(np.rint(self.shares * PARTS), axis=0, return_index=True, return_inverse=True)
        merged = Items(self.contingency, self.rule)
        merged.group = np.argsort(np.argsort(first))[inverse.ravel()]
        merged.table = np.zeros((len(first), self.lines.shape[1]))
        np.add.at(merged.table, merged.group, self.lines)
        merged.counts = np.bincount(merged.group, weights=self.line_counts).astype(np.int64)
        return merged

    @property
    def on_a_line(self) -> bool:
        """Whether one number orders the groups: they have a mean, or shares of at most two classes."""
        return self.rule.criterion.task == "number" or self.shares.shape[1] <= 2

    def order_by(self, direction: Floats) -> Order:
        """Return the groups by a sum of their shares; equal ones in their own order."""
        key = np.zeros(len(self))
        for factor, share in zip(direction, self.shares.T, strict=True):
            key += factor * share
        return sorted_by(key, PARTS)

    # --- candidates

    def divided(self, sides: Sides) -> Candidates:
        """Return the tables and counts of divisions, shape (divisions, groups)."""
        left, right = sides.astype(np.float64), (~sides).astype(np.float64)
        return self._candidates(left @ self.table, right @ self.table, sides @ self.counts)

    def cut(self, order: Order) -> Candidates:
        """Return the divisions "first k of the order against the others", k = 1 .. groups - 1."""
        table = self.table[order]
        below, above = np.cumsum(table, axis=0)[:-1], np.cumsum(table[::-1], axis=0)[::-1][1:]
        return self._candidates(below, above, np.cumsum(self.counts[order])[:-1])

    def moved(self, side: Sides) -> Candidates:
        """Return the divisions that differ from one by a single group on the other side."""
        sign = np.where(side, -1, 1)
        change = sign[:, None] * self.table
        left, right = side @ self.table + change, ~side @ self.table - change
        used = slice(None) if self.rule.criterion.task == "class" else 0
        for sums in (left, right):  # what is left of a sum that was taken away may be rounding below 0
            sums[:, used] = np.maximum(sums[:, used], 0.0)
        counts: Counts = self.counts[side].sum() + sign * self.counts
        return self._candidates(left, right, counts)

    def _candidates(self, left: Floats, right: Floats, left_counts: Counts) -> Candidates:
        """Put two sides together, and a branch of missing rows where the policy says so."""
        tables, counts = [left, right], [left_counts, self.counts.sum() - left_counts]
        if self.rule.missing == "branch" and self.has_missing:
            tables.append(np.broadcast_to(self.contingency.missing, left.shape))
            counts.append(np.full(len(left), self.contingency.missing_count))
        return Candidates(np.stack(tables, axis=1), np.stack(counts, axis=1))

    def gains(self, candidates: Candidates) -> Floats:
        """Return the gain of each candidate, -inf where limits forbid it."""
        return gains(candidates, self.rule, self.contingency)

    def unlimited(self, candidates: Candidates) -> Floats:
        """Return the gain of each candidate as if there were no limits."""
        return self.rule.criterion.gain(candidates.tables) * known_share(self.contingency, self.rule)

    @cached_property
    def gain_of_asking(self) -> float:
        """The gain of "missing or not" where missing rows have a branch of their own; -inf where it is not allowed.

        Where missing rows are an item, it is one of the divisions.
        """
        if self.rule.missing != "branch" or not self.has_missing or not len(self.present):
            return -np.inf
        return float(self.gains(self._missing_or_not)[0])

    @property
    def _missing_or_not(self) -> Candidates:
        known = self.contingency.table[self.present].sum(axis=0)
        counts = [self.contingency.counts.sum(), self.contingency.missing_count]
        return Candidates(np.stack([known, self.contingency.missing])[None], np.array([counts]))

    # --- the choice

    def first_in_canonical_order(self, sides: Sides) -> Sides:
        """Return the first of divisions, shape (divisions, groups), with the block that is called left."""
        blocks = sides[:, self.group]
        sizes, n = blocks.sum(axis=1), len(self.group)
        swap = (2 * sizes > n) | ((2 * sizes == n) & ~blocks[:, 0])
        sizes = np.where(swap, n - sizes, sizes)
        blocks = (blocks ^ swap[:, None])[sizes == sizes.min()]
        first: Sides = blocks[min(range(len(blocks)), key=lambda i: (~blocks[i]).tobytes())]
        return first

    def report(self, left: Sides, tried: int, exact: bool = True, kind: SplitKind = SplitKind.SUBSET) -> Found:
        """Return a division of the items, shape (items,), as it is stored."""
        table = np.stack([left.astype(np.float64) @ self.lines, (~left).astype(np.float64) @ self.lines])
        counts = np.array([left @ self.line_counts, ~left @ self.line_counts])
        if self.places_missing and bool((left[:-1] != left[-1]).all()):
            return self.report_asking(tried, exact)
        missing_branch = -1
        if self.has_missing and not self.rule.known_rows_only:
            missing_branch = int(not left[-1]) if self.places_missing else 2
        if missing_branch == 2:
            table = np.concatenate([table, self.contingency.missing[None]])
            counts = np.append(counts, self.contingency.missing_count)
        branches = np.full(len(self.contingency.counts), 1 if kind == SplitKind.ONE_VS_REST else -1, dtype=np.int32)
        branches[self.present] = np.where(left[: len(self.present)], 0, 1)
        return self._found(kind, Candidates(table[None], counts[None]), missing_branch, tried, exact, branches)

    def report_asking(self, tried: int, exact: bool = True) -> Found:
        """Return "missing or not" as it is stored."""
        return self._found(SplitKind.MISSING, self._missing_or_not, 1, tried, exact)

    def _found(
        self,
        kind: SplitKind,
        chosen: Candidates,
        missing_branch: int,
        tried: int,
        exact: bool,
        branches: NDArray[np.int32] | None = None,
    ) -> Found:
        gain, table = float(self.gains(chosen)[0]), chosen.tables[0]
        information = split_information(table, self.rule, self.contingency)
        return Found(
            kind,
            weight_of(table, self.rule.criterion).tolist(),
            table,
            gain=gain,
            score=score_of(gain, information, self.rule),
            split_information=information,
            missing_branch=missing_branch,
            category_branch=branches,
            tried=tried,
            exact=exact,
        )
