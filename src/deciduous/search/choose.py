"""The choice between columns, for a batch of nodes at once, and the verdict on each column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.search.conventions import C45, Conventions, best_columns_in_turn

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Contest:
    """How columns compete.

    `ratio`: by gain ratio; `guard`: only columns of at least average gain; `zero_gain`: also without a gain, where the
    conventions do not say. `many`: which columns have too many categories to enter the average, if that is asked;
    None for none.
    """

    ratio: bool
    guard: bool
    zero_gain: bool
    conventions: Conventions = C45
    many: Flags | None = None


@dataclass(frozen=True, eq=False)
class Choice:
    """For each node the winning column, or -1; and for each (node, column) whether it competed.

    `eligible`: the column has a candidate that gains enough; `below`: the guard ruled it out; `tied`: within the band
    of the best. `counted`: it entered the average that the guard asks for.
    """

    winner: NDArray[np.intp]
    eligible: Flags
    below: Flags
    tied: Flags
    counted: Flags

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
    gain: Floats, score: Floats, information: Floats, band: Floats, contest: Contest, min_gain: Floats
) -> Choice:
    """Choose between the best candidates of the columns, shape (nodes, columns), -inf where there is none.

    `gain` is what is left of it after a correction; `score` is -inf for candidates that neither compete nor enter the
    average. By default tied columns are those within the band of the node's best (for ratios: within 1e-10), and the
    first one is taken; conventions may compare in turn. With `ratio`, only columns with a gain compete, and with
    `guard` only those whose gain is at least the average over the columns with a candidate (Quinlan 1993, section
    2.2). A column must have a gain above the band unless `zero_gain`, and at least `min_gain` of the node.
    """
    rules, band = contest.conventions, band[:, None]
    usable: Flags = score > -np.inf
    eligible: Flags = usable & (gain >= min_gain[:, None] - band)
    if rules.least_score is not None:  # it says whether a gain is needed
        eligible = usable & ((min_gain[:, None] == 0) | eligible) & (score > rules.least_score)
    elif contest.ratio or not contest.zero_gain:
        eligible &= gain > band
    if rules.least_information > 0:
        eligible &= information > rules.least_information
    counted: Flags = np.zeros(gain.shape, dtype=bool)
    below: Flags = np.zeros(gain.shape, dtype=bool)
    if contest.ratio and contest.guard:
        counted = _counted(gain, usable, contest)
        slack = band if rules.guard_slack is None else rules.guard_slack
        below = usable & ~(gain >= _average(gain, counted) - slack)  # where there is no average, all are
    contest_score = np.where(eligible & ~below, score, -np.inf)
    best = contest_score.max(axis=1, initial=-np.inf, keepdims=True)
    tied: Flags = (contest_score > -np.inf) & (contest_score >= best - (rules.ratio_band if contest.ratio else band))
    winner = np.where(best[:, 0] > -np.inf, _first(contest_score, tied, rules), -1)
    return Choice(winner, eligible, below, tied, counted)


def _counted(gain: Floats, usable: Flags, contest: Contest) -> Flags:
    """Return which usable columns enter the average."""
    counted: Flags = usable & (gain > contest.conventions.least_gain)
    if contest.conventions.leaves_many_out and contest.many is not None and not contest.many.all():
        counted &= ~contest.many
    return counted


def _average(gain: Floats, counted: Flags) -> Floats:
    """Return the average gain over the columns that enter it, NaN where none does, shape (nodes, 1)."""
    count = counted.sum(axis=1, keepdims=True)
    total = np.where(counted, gain, 0.0).sum(axis=1, keepdims=True)
    average: Floats = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return average


def _first(score: Floats, tied: Flags, rules: Conventions) -> NDArray[np.intp]:
    """Return the column that wins in each node where one competes."""
    if not score.shape[1]:
        return np.zeros(len(score), dtype=np.intp)
    return best_columns_in_turn(score, rules.ratio_band) if rules.in_turn else tied.argmax(axis=1)
