"""Sets of divisions that are scored together: all of few items, the cuts of an order, or some."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.search.contingency import Found
from deciduous.search.items import Items, Order, Sides
from deciduous.search.pick import Candidates


class Divisions:
    """Divisions of items, given as flags of shape (divisions, groups)."""

    def __init__(self, items: Items, sides: Sides) -> None:
        self.items, self._sides = items, sides

    @cached_property
    def candidates(self) -> Candidates:
        """Their tables and counts."""
        return self.items.divided(self._sides)

    @cached_property
    def gains(self) -> Floats:
        """Their gains, -inf where limits forbid them."""
        return self.items.gains(self.candidates)

    @property
    def tried(self) -> int:
        """How many are allowed."""
        return int(np.isfinite(self.gains).sum())

    @property
    def top(self) -> float:
        """The best gain, that of "missing or not" among them; -inf if none is allowed."""
        return max(float(self.gains.max(initial=-np.inf)), self.items.gain_of_asking)

    @property
    def hindered(self) -> bool:
        """Whether limits forbid all that are as good as the best one without limits."""
        return self.items.rule.limited and self.top < self.items.unlimited(self.candidates).max() - self.items.rule.band

    def best(self, *, exact: bool, tried: int | None = None) -> Found | None:
        """Return the best; of tied ones the first in canonical order, and "missing or not" last."""
        if self.top == -np.inf:
            return None
        asked = int(self.items.gain_of_asking > -np.inf)
        tried = (self.tried if tried is None else tried) + asked
        tied = np.flatnonzero(self.gains >= self.top - self.items.rule.band)
        if not len(tied):
            return self.items.report_asking(tried, exact)
        return self.items.report(self.items.first_in_canonical_order(self._tied(tied)), tried, exact)

    def _tied(self, which: NDArray[np.intp]) -> Sides:
        return self._sides[which]


class Cuts(Divisions):
    """The divisions "first k of an order against the others", k = 1 .. groups - 1."""

    def __init__(self, items: Items, order: Order) -> None:
        super().__init__(items, np.zeros((0, len(items)), dtype=bool))
        self.order = order

    @cached_property
    def candidates(self) -> Candidates:
        """Their tables and counts."""
        return self.items.cut(self.order)

    def side(self, cut: int) -> Sides:
        """Return one of them."""
        side = np.zeros(len(self.order), dtype=bool)
        side[self.order[: cut + 1]] = True
        return side

    def _tied(self, which: NDArray[np.intp]) -> Sides:
        """Only those of the smallest block: there may be many cuts of many items."""
        n = len(self.items.group)
        sizes = np.cumsum(np.bincount(self.items.group)[self.order])[which]
        sizes = np.minimum(sizes, n - sizes)
        return np.stack([self.side(cut) for cut in which[sizes == sizes.min()].tolist()])


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
