"""Binary splits of categories: a subset against the rest, and one category against the rest.

The items to divide are the categories present in the node; with `missing="direction"` the rows with a missing cell
are one more item, so that the search places them too. Categories that are absent from the node belong to neither side.

Partitions have a canonical order, which decides ties: the block called left is the smaller one (of equal sizes, the
one with the first item); smaller blocks come first, then lexicographically by item.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.contingency import Contingency, Found, Rule, weight_of
from deciduous.search.pick import Candidates, first_best, gains, score_of, split_information

Sides = NDArray[np.bool_]

#: Up to this many items every partition is tried (2,047 of them); beyond, several classes need a heuristic.
EXHAUSTIVE_ITEMS = 12


def best_subset(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best division of the categories present into two sets; None if no candidate is allowed.

    Exact for two classes and for numbers, by ordering the categories by share or mean (Breiman et al. 1984, theorem
    4.5; Fisher 1958), unless limits forbid some divisions; exact by trying all of them up to 12 items. Beyond, several
    classes need a heuristic (see `_search_orders`), and under limits the cuts of the order are all that is tried:
    `Found.exact` is then false.
    """
    items = _Items(contingency, rule)
    if len(items) < 2 and not items.may_ask_if_missing:
        return None
    if len(items) < 2:
        return items.best(np.zeros((0, len(items)), dtype=bool))
    few = len(items) <= EXHAUSTIVE_ITEMS
    # Only a strictly concave impurity has all its best divisions among the cuts of one order, and only if none is
    # forbidden.
    sure = rule.criterion.strict and not rule.limited
    if _orderable(items, rule) and (sure or not few):
        return items.best(_cuts(_order(items)), canonical=False, exact=not rule.limited)
    return items.best(all_partitions(len(items))) if few else _search_orders(items)


def one_vs_rest(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best split of one category against all others, branch 0 holding the one; None if none is allowed.

    With `missing="direction"`, missing rows are tried with the one and with the rest, and "missing or not" last.
    """
    items = _Items(contingency, rule)
    n_categories = len(items.present)
    rest = np.eye(n_categories, dtype=bool) if n_categories > 1 else np.zeros((0, n_categories), dtype=bool)
    if len(items) == n_categories:
        return items.best(rest, rest_takes_absent=True)
    both = np.zeros((2 * len(rest) + 1, len(items)), dtype=bool)
    both[:-1, :n_categories] = np.repeat(rest, 2, axis=0)
    both[:-1:2, -1] = True  # missing with the one, then with the rest
    both[-1, :n_categories] = True
    return items.best(both, rest_takes_absent=True)


@lru_cache(maxsize=16)
def all_partitions(n: int) -> Sides:
    """Return all 2^(n-1) - 1 divisions of n items into two sets, shape (partitions, n), True = left, in canonical
    order.
    """
    blocks = [
        block
        for size in range(1, n // 2 + 1)
        for block in combinations(range(n), size)
        if 2 * size < n or block[0] == 0
    ]
    sides = np.zeros((len(blocks), n), dtype=bool)
    for line, block in zip(sides, blocks, strict=True):
        line[list(block)] = True
    sides.flags.writeable = False
    return sides


class _Items:
    """The items of a search, and the scoring of divisions of them."""

    def __init__(self, contingency: Contingency, rule: Rule) -> None:
        self.contingency, self.rule = contingency, rule
        self.present = np.flatnonzero(contingency.counts)
        self.table = contingency.table[self.present]
        self.counts = contingency.counts[self.present]
        self.has_missing = contingency.missing_count > 0
        if rule.missing == "direction" and self.has_missing:
            self.table = np.concatenate([self.table, contingency.missing[None]])
            self.counts = np.append(self.counts, contingency.missing_count)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def may_ask_if_missing(self) -> bool:
        return self.rule.missing == "branch" and self.has_missing and len(self.present) > 0

    def candidates(self, sides: Sides) -> Candidates:
        """Return tables and counts of divisions; a branch of missing rows, and "missing or not", where the policy
        says so.
        """
        left, right = sides.astype(np.float64), (~sides).astype(np.float64)
        tables = np.stack([left @ self.table, right @ self.table], axis=1)
        counts = np.stack([sides @ self.counts, (~sides) @ self.counts], axis=1)
        if not self.may_ask_if_missing:
            return Candidates(tables, counts)
        n, statistics = len(sides), self.table.shape[1]
        wide, rows = np.zeros((n + 1, 3, statistics)), np.zeros((n + 1, 3), dtype=np.int64)
        wide[:n, :2], rows[:n, :2] = tables, counts
        wide[n, 0], rows[n, 0] = self.table.sum(axis=0), self.counts.sum()
        wide[:, 2], rows[:, 2] = self.contingency.missing, self.contingency.missing_count
        return Candidates(wide, rows)

    def scores(self, sides: Sides) -> Floats:
        return gains(self.candidates(sides), self.rule, self.contingency)

    def best(
        self, sides: Sides, *, canonical: bool = True, exact: bool = True, rest_takes_absent: bool = False
    ) -> Found | None:
        """Return the first best of some divisions: first in the order given, or first in canonical order."""
        candidates = self.candidates(sides)
        scores = gains(candidates, self.rule, self.contingency)
        best = first_best(scores, self.rule.band)
        if best is None:
            return None
        swap = False
        if not canonical and best < len(sides):
            tied = np.flatnonzero(scores[: len(sides)] >= scores.max() - self.rule.band)
            best = int(min(tied, key=lambda i: _canonical_key(sides[i])))
            swap = not _is_canonical(sides[best])
        table = candidates.tables[best]
        tried = int(np.isfinite(scores).sum())
        gain = float(scores[best])
        if best == len(sides):
            return self._missing_or_not(table[[0, 2]], gain, tried)
        left = ~sides[best] if swap else sides[best]
        if swap:
            table = table[[1, 0, *range(2, len(table))]]
        if len(self) > len(self.present) and _only_missing_apart(left):
            return self._missing_or_not(table if left[0] else table[[1, 0]], gain, tried, exact)
        information = split_information(table, self.rule, self.contingency)
        return Found(
            SplitKind.ONE_VS_REST if rest_takes_absent else SplitKind.SUBSET,
            weight_of(table, self.rule.criterion).tolist(),
            table,
            gain=gain,
            score=score_of(gain, information, self.rule),
            split_information=information,
            missing_branch=self._missing_branch(left),
            category_branch=self._branches(left, absent=1 if rest_takes_absent else -1),
            tried=tried,
            exact=exact,
        )

    def _missing_or_not(self, table: Floats, gain: float, tried: int, exact: bool = True) -> Found:
        information = split_information(table, self.rule, self.contingency)
        score = score_of(gain, information, self.rule)
        weights = weight_of(table, self.rule.criterion).tolist()
        return Found(
            SplitKind.MISSING, weights, table, gain, score, information, missing_branch=1, tried=tried, exact=exact
        )

    def _missing_branch(self, left: Sides) -> int:
        if not self.has_missing or self.rule.known_rows_only:
            return -1
        return 2 if self.rule.missing == "branch" else int(not left[-1])

    def _branches(self, left: Sides, absent: int) -> NDArray[np.int32]:
        branches = np.full(len(self.contingency.counts), absent, dtype=np.int32)
        branches[self.present] = np.where(left[: len(self.present)], 0, 1)
        return branches


def _only_missing_apart(left: Sides) -> bool:
    """Whether the last item (the missing rows) is alone on its side."""
    return bool((left[:-1] != left[-1]).all())


def _canonical_key(left: Sides) -> tuple[int, tuple[int, ...]]:
    block = np.flatnonzero(left if _is_canonical(left) else ~left)
    return len(block), tuple(block.tolist())


def _is_canonical(left: Sides) -> bool:
    size, n = int(left.sum()), len(left)
    return 2 * size < n or (2 * size == n and bool(left[0]))


# --- orders of the items
# --------------------------------------------------------------------------------------------------


def _orderable(items: _Items, rule: Rule) -> bool:
    """Whether one order of the items is sure to hold the best division."""
    if not rule.criterion.orderable:
        return False
    return rule.criterion.task == "number" or int((items.table.sum(axis=0) > 0).sum()) <= 2


def _order(items: _Items) -> NDArray[np.intp]:
    """Return the items by mean, or by the share of the first class present; equal ones in their own order."""
    weight = weight_of(items.table, items.rule.criterion)
    column = 1 if items.rule.criterion.task == "number" else int(np.argmax(items.table.sum(axis=0) > 0))
    share = items.table[:, column] / np.where(weight > 0, weight, 1.0)
    return np.argsort(np.round(share, 12), kind="stable")  # shares that differ by rounding are equal


def _cuts(order: NDArray[np.intp]) -> Sides:
    """Return the n - 1 divisions "first k of the order against the others"."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    sides: Sides = rank[None, :] < np.arange(1, len(order))[:, None]
    return sides


def _search_orders(items: _Items) -> Found | None:
    """Look for a good division of many items for three or more classes; not exact.

    The cuts of several orders are tried: by the share of each class, and by the first principal component of the
    class shares (Coppersmith, Hong and Hosking 1999). From the best of each, single items change sides as long as
    that improves the gain.
    """
    band = items.rule.band
    best: tuple[float, Sides] | None = None
    for order in _orders(items):
        sides = _cuts(order)
        scores = items.scores(sides)[: len(sides)]
        start = first_best(scores, band)
        if start is None:
            continue
        score, side = _climb(items, sides[start], float(scores[start]))
        if best is None or score > best[0] + band:
            best = (score, side)
    return None if best is None else items.best(best[1][None], canonical=False, exact=False)


def _orders(items: _Items) -> list[NDArray[np.intp]]:
    """Return the orders to try: a share of one class each, the principal component, and the order of the items."""
    if items.rule.criterion.task == "number":
        return [_order(items), np.arange(len(items))]
    weight = items.table.sum(axis=1)
    shares = items.table / np.where(weight > 0, weight, 1.0)[:, None]
    centred = (shares - np.average(shares, axis=0, weights=weight)) * np.sqrt(weight)[:, None]
    component = np.linalg.svd(centred, full_matrices=False)[2][0]
    present = np.flatnonzero(items.table.sum(axis=0) > 0)
    keys = [shares @ component, *(shares[:, k] for k in present)]
    return [np.argsort(np.round(key, 12), kind="stable") for key in keys]


def _climb(items: _Items, side: Sides, score: float) -> tuple[float, Sides]:
    """Move single items to the other side, always the best move, until none improves the gain."""
    while True:
        moves = side ^ np.eye(len(items), dtype=bool)
        scores = items.scores(moves)[: len(moves)]
        best = first_best(scores, items.rule.band)
        if best is None or scores[best] <= score + items.rule.band:
            return score, side
        side, score = moves[best], float(scores[best])
