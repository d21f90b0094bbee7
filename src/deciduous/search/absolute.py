"""Searches under absolute error, which is taken about the median and so is no function of sums.

Candidates and the order in which they are compared are those of the other searches; only the statistics of a branch are
others, `(w, median, mean absolute deviation)` of its rows, which `medians.py` finds for all branches at once. The gain
is the mean absolute deviation of the rows that are counted less its mean over the branches.

Two sets of categories: all divisions are tried up to 12 items; beyond, the cuts of the items ordered by median, of
which nothing says that the best division is among them (`Found.exact` is false).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.search.contingency import Contingency, Found, Rule, weight_of
from deciduous.search.conventions import first_best
from deciduous.search.divisions import all_partitions
from deciduous.search.features import why_none
from deciduous.search.medians import Places, summaries
from deciduous.search.multiway import KNOWN_OR_NOT, NOWHERE, best_way
from deciduous.search.pick import Candidates, gains, score_of, split_information
from deciduous.search.random_split import counts_of, draw_split, found
from deciduous.search.subsets import EXHAUSTIVE_ITEMS
from deciduous.search.thresholds import best_cut

#: One range of rows for every candidate, as (low, high); a branch is a list of them.
Range = tuple[Places, Places]
Sides = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class NodeRows:
    """One column in one node, row by row: the line of the contingency table that each row is counted in (-1 = missing),
    its scanned number and its weight.
    """

    line: NDArray[np.int64]
    y: Floats
    weight: Floats

    @cached_property
    def in_order(self) -> tuple[Floats, Floats]:
        """The numbers and weights of the rows ordered by line, the missing ones first."""
        order = np.argsort(self.line, kind="stable")
        return self.y[order], self.weight[order]


def best_absolute_split(rows: NodeRows, contingency: Contingency, rule: Rule) -> Found | Verdict:
    """Return the best candidate split of one feature under absolute error, or why there is none."""
    search = AbsoluteSearch(rows, contingency, rule)
    best = search.find()
    if best is None:
        return why_none(contingency)
    return replace(best, missing=search.missing) if contingency.missing_count else best


class AbsoluteSearch:
    """The ranges of the rows of one column, and the searches over them.

    In order of their lines the rows stand in three parts: the missing ones up to `first`, then line after line. `rule`
    is that of the search with the gain of these rows.
    """

    def __init__(self, rows: NodeRows, contingency: Contingency, rule: Rule) -> None:
        self.rows, self.contingency = rows, contingency
        self.first, self.n = contingency.missing_count, len(rows.line)
        self.end = self.first + np.cumsum(contingency.counts)
        self.start = self.end - contingency.counts
        self.counted = contingency.missing_count > 0 and not rule.known_rows_only
        self.rule = replace(rule, criterion=replace(rule.criterion, gain=self._gain))

    def _gain(self, tables: Floats) -> Floats:
        """Return the drop in mean absolute deviation."""
        weight = tables[:, :, 0]
        gain: Floats = self._node - (weight * tables[:, :, 2]).sum(axis=1) / weight.sum(axis=1)
        return gain

    @cached_property
    def _node(self) -> float:
        """The mean absolute deviation of the rows that are counted."""
        return float(self._of_range(0 if self.counted else self.first, self.n)[2])

    @cached_property
    def missing(self) -> Floats:
        """The statistics of the rows whose cell is missing."""
        return self._of_range(0, self.first)

    def _of_range(self, low: int, high: int) -> Floats:
        return summaries(*self.rows.in_order, np.array([low]), np.array([high]))

    def find(self) -> Found | None:
        if self.rule.splitter == "random" and (self.contingency.values is not None or self.rule.nominal != "multiway"):
            return self._drawn()
        if self.contingency.values is not None:
            return self._threshold()
        return {"multiway": self._multiway, "subset": self._subset, "one_vs_rest": self._one_vs_rest}[
            self.rule.nominal
        ]()

    def _candidates(self, *branches: list[Range]) -> Candidates:
        """Return candidates by the ranges of their branches, shape (candidates,) each."""
        return self._of_ranges(*_stacked(branches))

    def _of_ranges(self, low: Places, high: Places) -> Candidates:
        return _candidates(self.rows.in_order, low, high)

    @property
    def _known_or_not(self) -> list[list[Range]]:
        """The branches of the candidate "missing or not", as many as the other candidates have."""
        known, missing, nothing = _range(self.first, self.n), _range(0, self.first), _range(0, 0)
        return [[known], [nothing], [missing]] if self.rule.missing == "branch" else [[known], [missing]]

    # --- ordered columns ---

    def _threshold(self) -> Found | None:
        return best_cut(self.cuts(), self.contingency, self.rule)

    def cuts(self) -> Candidates:
        """Return the candidates of an ordered column in the order of `thresholds.candidates_of`."""
        cut = self.end[:-1]
        zero, first, last = np.zeros_like(cut), np.full_like(cut, self.first), np.full_like(cut, self.n)
        left, right, missing = (first, cut), (cut, last), (zero, first)
        if not self.counted:
            return self._candidates([left], [right])
        if self.rule.missing == "branch":
            return _joined(self._candidates([left], [right], [missing]), self._candidates(*self._known_or_not))
        with_left, with_right = self._candidates([(zero, cut)], [right]), self._candidates([left], [right, missing])
        return _joined(_alternating(with_left, with_right), self._candidates(*self._known_or_not))

    # --- categories ---

    def _multiway(self) -> Found | None:
        return best_way(self._ways, self.contingency, self.rule)

    def _ways(self, places: list[int]) -> Candidates:
        """Return candidates by the places of their missing rows."""
        n = len(self.start)
        width = max(n + (self.rule.missing == "branch"), 2) if self.counted else n
        low, high = np.zeros((2, len(places), width, 2), dtype=np.int64)
        for i, place in enumerate(places):
            if place == KNOWN_OR_NOT:
                low[i, 0, 0], high[i, 0, 0], high[i, 1, 0] = self.first, self.n, self.first
                continue
            low[i, :n, 0], high[i, :n, 0] = self.start, self.end
            if place != NOWHERE:
                high[i, place, 1] = self.first
        return self._of_ranges(low, high)

    def _one_vs_rest(self) -> Found | None:
        present = np.flatnonzero(self.contingency.counts)
        present = present if len(present) > 1 else present[:0]
        zero, first, last = (np.full(len(present), value) for value in (0, self.first, self.n))
        start, end = self.start[present], self.end[present]
        one, missing, rest = (start, end), (zero, first), [(first, start), (end, last)]
        if not self.counted:
            candidates = self._candidates([one], rest)
        elif self.rule.missing == "branch":
            candidates = _joined(self._candidates([one], rest, [missing]), self._candidates(*self._known_or_not))
        else:
            with_one, with_rest = self._candidates([one, missing], rest), self._candidates([one], [*rest, missing])
            candidates = _joined(_alternating(with_one, with_rest), self._candidates(*self._known_or_not))
        scores = gains(candidates, self.rule, self.contingency)
        best = first_best(scores, self.rule.band)
        if best is None:
            return None
        tried = int(np.isfinite(scores).sum())
        ways = 2 if self.counted and self.rule.missing == "direction" else 1
        if best == ways * len(present):
            return self._found(SplitKind.MISSING, candidates.tables[best][[0, -1]], scores[best], 1, None, tried)
        branch = np.ones(len(self.start), dtype=np.int32)
        branch[present[best // ways]] = 0
        place = -1 if not self.counted else 2 if self.rule.missing == "branch" else best % 2
        return self._found(SplitKind.ONE_VS_REST, candidates.tables[best], scores[best], place, branch, tried)

    def _subset(self) -> Found | None:
        """Divide the items: the categories present and, with `direction`, the missing rows, which come last."""
        items = np.flatnonzero(self.contingency.counts)
        if not len(items):
            return None
        start, end, as_item = self._items(items)
        few = len(start) <= EXHAUSTIVE_ITEMS
        if few:
            sides = all_partitions(len(start))
            candidates = self.divided(sides)
        else:
            sides, candidates = self._cuts_by_median(start, end, as_item)
        if self.counted and not as_item:
            candidates = _joined(candidates, self._candidates(*self._known_or_not))
        scores = gains(candidates, self.rule, self.contingency)
        if first_best(scores, self.rule.band) is None:
            return None
        tied = np.flatnonzero(scores >= scores.max() - self.rule.band)
        tried = int(np.isfinite(scores).sum())
        divisions = tied[tied < len(sides)].tolist()
        if not divisions:
            return self._found(SplitKind.MISSING, candidates.tables[-1][[0, -1]], scores[-1], 1, None, tried, few)
        best = min(divisions, key=lambda i: _canonical(sides[i]))
        left, table = sides[best], candidates.tables[best]
        if _block(left) is not left:
            left, table = ~left, table[[1, 0, *range(2, len(table))]]
        if as_item and (left[:-1] != left[-1]).all():
            table = table if left[0] else table[::-1]
            return self._found(SplitKind.MISSING, table, scores[best], 1, None, tried, few)
        branch = np.full(len(self.start), -1, dtype=np.int32)
        branch[items] = np.where(left[: len(items)], 0, 1)
        place = -1 if not self.counted else int(not left[-1]) if as_item else 2
        return self._found(SplitKind.SUBSET, table, scores[best], place, branch, tried, few)

    def _items(self, present: Places) -> tuple[Places, Places, bool]:
        """Return where the rows of each item begin and end, and whether the last item is the missing rows."""
        start, end = self.start[present], self.end[present]
        if not (self.counted and self.rule.missing == "direction"):
            return start, end, False
        return np.append(start, 0), np.append(end, self.first), True

    def divided(self, sides: Sides) -> Candidates:
        """Return the candidates of divisions of the items, shape (divisions, items)."""
        start, end, _ = self._items(np.flatnonzero(self.contingency.counts))
        low, high = (np.stack([np.where(sides, x, 0), np.where(sides, 0, x)], axis=1) for x in (start, end))
        if self.counted and self.rule.missing == "branch":
            third = np.zeros((len(sides), 1, len(start)), dtype=np.int64)
            low, high = np.concatenate([low, third], axis=1), np.concatenate([high, third], axis=1)
            high[:, 2, 0] = self.first
        return self._of_ranges(low, high)

    def _cuts_by_median(self, start: Places, end: Places, as_item: bool) -> tuple[Sides, Candidates]:
        """Return the divisions "first k items against the others", in order of their medians, and their candidates."""
        medians = summaries(*self.rows.in_order, start[:, None], end[:, None])[:, 1]
        order = np.argsort(np.round(medians, 12), kind="stable")
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        sides: Sides = rank[None, :] < np.arange(1, len(order))[:, None]
        apart = np.arange(0 if as_item else self.first)  # the missing rows, if they are no item
        rows = np.concatenate([apart, *(np.arange(start[i], end[i]) for i in order)])
        cut = len(apart) + np.cumsum((end - start)[order])[:-1]
        first, last = np.full_like(cut, len(apart)), np.full_like(cut, self.n)
        missing = [[(np.zeros_like(cut), first)]] if self.counted and self.rule.missing == "branch" else []
        y, weight = self.rows.in_order
        return sides, _candidates((y[rows], weight[rows]), *_stacked(([(first, cut)], [(cut, last)], *missing)))

    # --- a drawn candidate; what was found ---

    def _drawn(self) -> Found | None:
        drawn = draw_split(self.contingency, self.rule)
        if drawn is None:
            return None
        branch = np.append(drawn.branch, drawn.missing_branch)[self.rows.line]  # line -1: the missing rows
        order = np.argsort(branch, kind="stable")
        bounds = np.searchsorted(branch[order], np.arange(drawn.n_branches + 1))[:, None]
        table = summaries(self.rows.y[order], self.rows.weight[order], bounds[:-1], bounds[1:])
        return found(drawn, table, counts_of(self.contingency, drawn), self.contingency, self.rule)

    def _found(
        self,
        kind: SplitKind,
        table: Floats,
        gain: float,
        missing_branch: int,
        category_branch: NDArray[np.int32] | None,
        tried: int,
        exact: bool = True,
    ) -> Found:
        information = split_information(table, self.rule, self.contingency)
        return Found(
            kind,
            weight_of(table, self.rule.criterion).tolist(),
            table,
            float(gain),
            score_of(float(gain), information, self.rule),
            information,
            missing_branch=missing_branch,
            category_branch=category_branch,
            tried=tried,
            exact=exact,
        )


# --- ranges and candidates put together ---


def _range(low: int, high: int) -> Range:
    return np.array([low]), np.array([high])


def _stacked(branches: tuple[list[Range], ...]) -> tuple[Places, Places]:
    """Return the ranges of branches as arrays (low, high), shape (candidates, branches, ranges), filled with empty
    ones.
    """
    most = max(len(ranges) for ranges in branches)
    nothing = np.zeros_like(branches[0][0][0])
    full = [[*ranges, *[(nothing, nothing)] * (most - len(ranges))] for ranges in branches]
    low, high = (np.stack([np.stack([r[i] for r in ranges], axis=-1) for ranges in full], axis=1) for i in (0, 1))
    return low, high


def _candidates(rows: tuple[Floats, Floats], low: Places, high: Places) -> Candidates:
    """Return candidates by the ranges of their branches, shape (candidates, branches, ranges)."""
    return Candidates(summaries(*rows, low, high), (high - low).sum(axis=-1))


def _joined(first: Candidates, second: Candidates) -> Candidates:
    tables, counts = np.concatenate([first.tables, second.tables]), np.concatenate([first.counts, second.counts])
    return Candidates(tables, counts)


def _alternating(first: Candidates, second: Candidates) -> Candidates:
    """Return the candidates of two lists in turn."""
    tables, counts = np.stack([first.tables, second.tables], axis=1), np.stack([first.counts, second.counts], axis=1)
    return Candidates(tables.reshape(-1, *tables.shape[2:]), counts.reshape(-1, counts.shape[2]))


def _block(left: Sides) -> Sides:
    """Return the smaller of two sets of items; of equal sizes the one with the first item."""
    size = 2 * int(left.sum())
    return left if size < len(left) or (size == len(left) and left[0]) else ~left


def _canonical(left: Sides) -> tuple[int, tuple[int, ...]]:
    """Return the place of a division in the order that decides ties: smaller blocks first, then by item."""
    block = np.flatnonzero(_block(left))
    return len(block), tuple(block.tolist())
