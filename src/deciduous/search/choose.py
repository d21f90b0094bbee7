"""The choice between columns, for a batch of nodes at once, and the verdict on each column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.search.contingency import TIE

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Choice:
    """For each node the winning column, or -1; and for each (node, column) whether it competed.

    `eligible`: the column has a candidate that gains enough; `below`: the guard ruled it out; `tied`: within the band
        of the best.
    """

    winner: NDArray[np.intp]
    eligible: Flags
    below: Flags
    tied: Flags

    def verdict(self, node: int, column: int) -> Verdict:
        """Return the verdict on a column that has a candidate."""
        if self.winner[node] == column:
            return "chosen"
        if not self.eligible[node, column]:
            return "no gain"
        if self.below[node, column]:
            return "below average gain"
        return "tied" if self.tied[node, column] else "lower"


def choose(
    gain: Floats,
    score: Floats,
    information: Floats,
    band: Floats,
    *,
    ratio: bool,
    guard: bool,
    zero_gain: bool,
    min_gain: Floats,
) -> Choice:
    """Choose between the best candidates of the columns, shape (nodes, columns), -inf where there is none.

    Tied columns are those within the band of the node's best (for ratios: within 1e-10); the first one is taken. With
    `ratio`, only columns with a gain compete, and with `guard` only those whose gain is at least the average over the
    columns with a candidate (Quinlan 1993, section 2.2). A column must have a gain above the band unless `zero_gain`,
    and at least `min_gain` of the node.
    """
    band = band[:, None]
    eligible: Flags = gain >= min_gain[:, None] - band  # never where there is no candidate: -inf
    if ratio or not zero_gain:
        eligible &= gain > band
    below: Flags = np.zeros(gain.shape, dtype=bool)
    if ratio and guard:
        below = _below_average(gain, information, band)
    contest = np.where(eligible & ~below, score, -np.inf)
    best = contest.max(axis=1, initial=-np.inf, keepdims=True)
    tied: Flags = (contest > -np.inf) & (contest >= best - (TIE if ratio else band))
    first = tied.argmax(axis=1) if gain.shape[1] else np.zeros(len(gain), dtype=np.intp)
    winner = np.where(best[:, 0] > -np.inf, first, -1)
    return Choice(winner, eligible, below, tied)


def _below_average(gain: Floats, information: Floats, band: Floats) -> Flags:
    """Return which columns gain less than the average over the usable ones (split information above 0)."""
    usable = np.isfinite(gain) & (information > 0)
    count = usable.sum(axis=1, keepdims=True)
    average = np.where(usable, gain, 0.0).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    below: Flags = usable & (gain < average - band)
    return below
