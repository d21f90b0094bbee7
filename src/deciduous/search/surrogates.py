"""The search for surrogates: the split of another column that sends rows as the primary split does.

It is the ordinary scan with the target replaced by the side of the primary split, and the criterion by agreement
(Breiman et al. 1984, section 5.3.1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.surrogates import Surrogate
from deciduous.search.first import middle_of

Sides = NDArray[np.int64]

#: A surrogate must be better than the majority by more than this share; each side of a cut holds so many rows; and a
#: division of categories sends at least so many rows the wrong way.
LEAST_ADJUSTED, LEAST_ROWS, LEAST_WRONG = 1e-10, 2, 2


@dataclass(frozen=True)
class Ask:
    """What a search for surrogates must know: how many to keep, and which share agreement is: with style 0 of all rows
    with a known primary cell, with 1 of those whose other cell is known too.
    """

    most: int
    style: int


@dataclass(frozen=True, eq=False)
class Primary:
    """The rows of a node as the primary split sends them: 0 left, 1 right, -1 not known; and their weights."""

    side: Sides
    weight: Floats

    @cached_property
    def weights(self) -> tuple[float, float]:
        """The weight of the rows on the left and on the right, added up in order."""
        left, right = (_added(self.weight[self.side == s]) for s in (0, 1))
        return left, right

    @property
    def heavier(self) -> int:
        """The heavier side, -1 if both weigh the same."""
        left, right = self.weights
        return -1 if left == right else int(right > left)


def _added(values: Floats) -> float:
    """Return the sum of numbers, added up one by one."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


@dataclass(frozen=True, eq=False)
class _Agreeing:
    """A division and the weight that agrees with it; `both`: the weight of the rows that know both cells, by side."""

    weight: float
    both: tuple[float, float]
    kind: SplitKind
    threshold: float = float("nan")
    below: int = 0
    category_branch: NDArray[np.int32] | None = None


def surrogate_of(feature: int, cells: Any, n_categories: int, primary: Primary, ask: Ask) -> Surrogate | None:
    """Return the best surrogate of a column; None if it has none.

    `cells`: those of the node's rows: numbers (NaN missing) where `n_categories` is 0, else codes (negative: missing).
    Sides are left and right, as the primary split has them.
    """
    known = cells >= 0 if n_categories else ~np.isnan(cells)
    both = known & (primary.side >= 0)
    if not both.any():
        return None
    of_known = Primary(primary.side[known], primary.weight[known])
    if n_categories:
        found = _by_category(cells[known], n_categories, of_known, primary)
    else:
        found = _by_threshold(cells[known], of_known)
    if found is None:
        return None
    left, right = primary.weights if ask.style == 0 else found.both
    total, majority = left + right, max(left, right)
    agreement, share = found.weight / total, majority / total
    adjusted = (agreement - share) / (1 - share) if share < 1 else 0.0
    if not adjusted > LEAST_ADJUSTED:
        return None
    branch = np.zeros(0, dtype=np.int32) if found.category_branch is None else found.category_branch
    return Surrogate(feature, found.kind, found.threshold, found.below, branch, agreement, adjusted)


def _by_threshold(x: Floats, primary: Primary) -> _Agreeing | None:
    """Return the first of the best cuts; at each, low cells are first sent right, then left.

    Cuts lie between neighbours of all known cells, those of rows with a missing primary cell included; what agrees,
    and how many rows a side holds, is counted on the other rows.
    """
    order = np.argsort(x, kind="stable")
    x, side, weight = x[order], primary.side[order], primary.weight[order]
    at = np.flatnonzero(x[1:] != x[:-1])
    counts = np.cumsum(side >= 0)
    at = at[(counts[at] >= LEAST_ROWS) & (counts[-1] - counts[at] >= LEAST_ROWS)]
    if not len(at):
        return None
    left, right = (np.cumsum(np.where(side == s, weight, 0.0)) for s in (0, 1))
    low_right = right[at] + (left[-1] - left[at])
    low_left = left[at] + (right[-1] - right[at])
    agreeing = np.stack([low_right, low_left], axis=1).ravel()
    best = int(np.argmax(agreeing))
    both = float(left[-1]), float(right[-1])
    if not agreeing[best] > max(both):
        return None
    cut = at[best // 2]
    middle = middle_of(float(x[cut]), float(x[cut + 1]))
    return _Agreeing(float(agreeing[best]), both, SplitKind.THRESHOLD, middle, below=1 - best % 2)


def _by_category(codes: Sides, n_categories: int, of_known: Primary, primary: Primary) -> _Agreeing | None:
    """Return each category sent to the side where most of its weight is, on equality to the heavier side of all.

    Categories whose rows all lack the primary cell go nowhere.
    """
    weights, counts = np.zeros((2, n_categories)), np.zeros((2, n_categories), dtype=np.int64)
    for s in (0, 1):
        here = of_known.side == s
        weights[s] = np.bincount(codes[here], weights=of_known.weight[here], minlength=n_categories)
        counts[s] = np.bincount(codes[here], minlength=n_categories)
    tie = 0 if primary.heavier == 0 else 1
    goes = np.where(weights[0] == weights[1], tie, np.where(weights[0] > weights[1], 0, 1))
    wrong = int(np.where(goes == 0, counts[1], counts[0]).sum())
    if wrong < LEAST_WRONG:
        return None
    there = counts.sum(axis=0) > 0
    agreeing = _added(np.where(goes == 0, weights[0], weights[1])[there])
    branch = np.where(there, goes, -1).astype(np.int32)
    if len(np.unique(branch[there])) < 2:
        return None
    both = _added(weights[0]), _added(weights[1])
    return _Agreeing(agreeing, both, SplitKind.SUBSET, category_branch=branch)


def best_of(surrogates: list[Surrogate], ask: Ask) -> list[Surrogate]:
    """Return the surrogates to keep: those that agree most, the earlier column first on equality."""
    return sorted(surrogates, key=lambda s: -s.agreement)[: ask.most]


def mirrored(surrogate: Surrogate) -> Surrogate:
    """Return a surrogate with its branches exchanged."""
    if surrogate.kind == SplitKind.THRESHOLD:
        return replace(surrogate, below=1 - surrogate.below)
    codes = surrogate.category_branch
    return replace(surrogate, category_branch=np.where(codes >= 0, 1 - codes, -1).astype(np.int32))
