"""A good division of many items where no order is sure to hold the best one: several starts, each improved.

A start is the best cut of an order: by the share of a group of classes (all groupings of up to 6 classes in two; of
more, the 31 heaviest classes one by one), and under limits by rows too, so that a heavy item can stand alone. Given a
division, every item is scored on either side; in the order of what it gains by being left rather than right, per
weight, all cuts are tried, and all moves of a single item; the best of these is the next division, while that improves
the gain: by a share of it from all starts, then to the end from the best. (For items of little weight the order is
that of Chou 1991: by which side is nearer in divergence, which the best division must agree with.)
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from deciduous.measures import Floats
from deciduous.search.conventions import first_best
from deciduous.search.divisions import Cuts, Divisions
from deciduous.search.items import Items, Order, Sides, sorted_by

#: Shares that are tried as orders, at most.
MOST_STARTS = 31

#: What items gain by a side is told apart to this many parts of the largest.
GAIN_PARTS = 1e9

#: Every start is followed while a change brings this share of the gain; then the best of them, to the end.
COARSE = 1e-3
MOST_FOLLOWED = 3

#: A division and its gain.
Reached = tuple[Sides, float]


class Climb:
    """Divisions from which no change improves the gain (`ends`); `tried`: how many candidates were scored for them."""

    def __init__(self, items: Items) -> None:
        self.items, self._band = items, items.rule.band
        self.tried = 0
        orders = [items.order_by(direction) for direction in directions(items)]
        if items.rule.limited:
            orders.append(np.argsort(-items.counts, kind="stable"))
        found = [start for order in orders if (start := self._best_cut(order)) is not None]
        found = self._follow_all(found, COARSE)
        found = self._follow_all(self._best(found), 0.0)
        self.ends = Divisions(items, np.array([side for side, _ in found], dtype=bool).reshape(-1, len(items)))

    @property
    def exact(self) -> bool:
        """Whether the best division is sure to be among those tried."""
        rule, n = self.items.rule, self.items.shares.shape[1]
        return rule.criterion.name == "misclassification" and not rule.limited and n * (n - 1) // 2 <= MOST_STARTS

    def _best_cut(self, order: Order) -> Reached | None:
        scores, cuts = self._cut(order)
        best = first_best(scores, self._band)
        return None if best is None else (cuts.side(best), float(scores[best]))

    def _best(self, found: list[Reached]) -> list[Reached]:
        """Return the best of what was reached, best first; of tied ones the earlier."""
        rest, best = list(found), list[Reached]()
        while rest and len(best) < MOST_FOLLOWED:
            first = first_best(np.array([gain for _, gain in rest]), self._band)
            assert first is not None
            best.append(rest.pop(first))
        return best

    def _follow_all(self, starts: list[Reached], least: float) -> list[Reached]:
        """Follow the best changes from each start while they bring more than a share of the gain.

        Starts that come to where an earlier one was are dropped.
        """
        seen: set[bytes] = set()
        ends = []
        for side, gain in starts:
            while (key := (side ^ ~side[0]).tobytes()) not in seen:
                seen.add(key)
                after = self._best_change(side, gain)
                if after is None or after[1] <= gain + max(self._band, least * gain):
                    ends.append((side, gain))
                    break
                side, gain = after
        return ends

    def _best_change(self, side: Sides, gain: float) -> Reached | None:
        """Return the best cut of the items by their advantage on the left, or the best single move."""
        moves = self.items.moved(side)
        emptied = (moves.counts[:, :2] == 0).any(axis=1)
        scores = self._count(np.where(emptied, -np.inf, self.items.gains(moves)))
        unlimited = self.items.unlimited(moves) if self.items.rule.limited else scores
        unlimited = np.where(emptied, 0.0, unlimited)
        cut_scores, cuts = self._cut(self._by_advantage(side, gain, unlimited))
        scores = np.append(cut_scores, scores)
        best = first_best(scores, self._band)
        if best is None:
            return None
        move = best - len(cut_scores)
        return cuts.side(best) if move < 0 else side ^ (np.arange(len(side)) == move), float(scores[best])

    def _by_advantage(self, side: Sides, gain: float, moved: Floats) -> Order:
        """Return the items by what they gain per weight by being left rather than right, largest first.

        `moved`: the gain without limits after each item's move.
        """
        change = np.where(np.abs(gain - moved) > self._band, gain - moved, 0.0)
        advantage = np.where(side, change, -change) / self.items.weight
        largest = np.abs(advantage).max()
        return sorted_by(-advantage / largest if largest > 0 else advantage, GAIN_PARTS)

    def _cut(self, order: Order) -> tuple[Floats, Cuts]:
        cuts = Cuts(self.items, order)
        return self._count(cuts.gains), cuts

    def _count(self, scores: Floats) -> Floats:
        self.tried += int(np.isfinite(scores).sum())
        return scores


def directions(items: Items) -> Floats:
    """Return the sums of shares whose orders are tried first, shape (orders, shares).

    For classes, the share of each group of them. By misclassification, the difference of the shares of each pair: with
    the two sides labelled by those classes, each item goes where it has fewer errors, so the best division is a cut of
    one of these orders.
    """
    n = items.shares.shape[1]
    one = np.eye(n)
    if items.rule.criterion.task == "number":
        return one
    if items.rule.criterion.name == "misclassification" and n * (n - 1) // 2 <= MOST_STARTS:
        return np.array([one[a] - one[b] for a, b in combinations(range(n), 2)])
    if 2 ** (n - 1) - 1 <= MOST_STARTS:
        return np.array([[code >> k & 1 for k in range(n)] for code in range(1, 2 ** (n - 1))], dtype=np.float64)
    weights = items.table.sum(axis=0)
    return one[np.argsort(-weights[weights > 0], kind="stable")[:MOST_STARTS]]
