"""Which rules of a class are kept: those that tell the class in the fewest bits (Quinlan 1993, section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deciduous.measures import Floats
from deciduous.ruleset.conditions import unordered

#: Of up to so many rules all subsets are tried; of more, rules are exchanged one by one.
FEW = 10
#: How much shorter a description must be to be taken as shorter.
SLACK = 1e-9

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The rules of one class that may be kept.

    `covers`: the rows of each; `bits`: what each takes to be told; `right`: which rows are of the class; `weight`: of
    the rows; `theory_weight`: how much the bits of rules count beside those of exceptions. The book has one half: the
    language tells the same set of rules in many ways, and says more than it needs to.
    """

    covers: Sequence[Rows]
    bits: Floats
    right: NDArray[np.bool_]
    weight: Floats
    theory_weight: float

    def length(self, chosen: NDArray[np.bool_], right: float, wrong: float) -> float:
        """Return the bits of rules and their exceptions, where they cover so much of the class and of others."""
        return self.theory_weight * self.theory(chosen) + self.exceptions(right, wrong)

    def theory(self, chosen: NDArray[np.bool_]) -> float:
        """Return the bits of some rules, which have no order among themselves."""
        return float(self.bits[chosen].sum()) - unordered(int(chosen.sum()))

    def exceptions(self, right: float, wrong: float) -> float:
        """Return the bits that tell which of the rows covered are not of the class, and which of the others are."""
        total, of_class = self.totals
        return choices(right + wrong, wrong) + choices(total - right - wrong, of_class - right)

    @property
    def exact(self) -> bool:
        """Whether all sets of rules are compared."""
        return len(self.covers) <= FEW

    @cached_property
    def totals(self) -> tuple[float, float]:
        """The weight of all rows, and of those of the class."""
        return float(self.weight.sum()), float(self.weight[self.right].sum())

    def covered(self, chosen: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the weight of the rows that some rules cover: those of the class, and the others."""
        covered = np.zeros(len(self.weight), dtype=bool)
        for j in np.flatnonzero(chosen).tolist():
            covered[self.covers[j]] = True
        return float(self.weight[covered & self.right].sum()), float(self.weight[covered & ~self.right].sum())


def choices(n: float, k: float) -> float:
    """Return log2 of the number of ways to choose k of n, for parts of rows too."""
    k = min(max(k, 0.0), n)
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / float(np.log(2.0))


def shortest(candidates: Candidates) -> list[int]:
    """Return the positions of the rules to be kept: of least length, the fewest of equals."""
    if not candidates.covers:
        return []
    chosen = _of_all(candidates) if candidates.exact else _by_exchange(candidates)
    return np.flatnonzero(chosen).tolist()


def _of_all(candidates: Candidates) -> NDArray[np.bool_]:
    """Return the best of all subsets; rows are counted by the set of rules that cover them."""
    k = len(candidates.covers)
    key = np.zeros(len(candidates.weight), dtype=np.int64)
    for j, rows in enumerate(candidates.covers):
        key[rows] += 1 << j
    weights = candidates.weight
    right = np.bincount(key, weights=weights * candidates.right, minlength=1 << k)
    wrong = np.bincount(key, weights=weights * ~candidates.right, minlength=1 << k)
    keys, best, least = np.arange(1 << k), np.zeros(k, dtype=bool), np.inf
    for subset in sorted(range(1 << k), key=int.bit_count):
        covered = (keys & subset) > 0
        chosen = (subset >> np.arange(k)) & 1 == 1
        length = candidates.length(chosen, float(right[covered].sum()), float(wrong[covered].sum()))
        if length < least - SLACK:
            best, least = chosen, length
    return best


def _by_exchange(candidates: Candidates) -> NDArray[np.bool_]:
    """Return the better of two searches, from no rule and from all: the rule goes in or out that shortens most."""
    empty = np.zeros(len(candidates.covers), dtype=bool)
    found = [_Search(candidates, start).run() for start in (empty, ~empty)]
    return min(found, key=lambda pair: pair[1])[0]


class _Search:
    """Rules taken in and out one by one, with the number of rules that cover each row kept by."""

    def __init__(self, candidates: Candidates, chosen: NDArray[np.bool_]) -> None:
        self.of, self.chosen = candidates, chosen.copy()
        self.times = np.zeros(len(candidates.weight), dtype=np.int64)
        self.sides = np.stack([candidates.weight * candidates.right, candidates.weight * ~candidates.right], axis=1)
        for j in np.flatnonzero(chosen).tolist():
            self.times[candidates.covers[j]] += 1
        self.covered = self.sides[self.times > 0].sum(axis=0)

    def run(self) -> tuple[NDArray[np.bool_], float]:
        length = self.of.length(self.chosen, *self.covered.tolist())
        while True:
            flips = [self._flipped(j) for j in range(len(self.chosen))]
            best = int(np.argmin(flips))
            if not flips[best] < length - SLACK:
                return self.chosen, length
            self.covered = self.covered + self._change(best)
            self.times[self.of.covers[best]] += -1 if self.chosen[best] else 1
            self.chosen[best] = not self.chosen[best]
            length = flips[best]

    def _change(self, j: int) -> Floats:
        """Return what is covered more if rule j goes in, or less if it goes out: right and wrong."""
        rows = self.of.covers[j]
        alone = rows[self.times[rows] == int(self.chosen[j])]
        change: Floats = self.sides[alone].sum(axis=0)
        return -change if self.chosen[j] else change

    def _flipped(self, j: int) -> float:
        flipped = self.chosen.copy()
        flipped[j] = not flipped[j]
        right, wrong = (self.covered + self._change(j)).tolist()
        return self.of.length(flipped, max(right, 0.0), max(wrong, 0.0))
