"""What is equal, what is enough, and what competes: where Quinlan's book, his Release 8 and Weka's J48 differ.

Each is one value of a record of numbers and flags, which the searches, the choice and the native kernels read; nothing
else asks which of the three is at work. ID3 and CART follow the first. docs/c45.md tells the rules as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats

#: Scores closer than this share of the node's impurity are tied; limits on sums of weights use the same slack.
TIE = 1e-10

#: The most that the minimum for numbers grows to, and the share of the mean class weight that it is.
MOST_MIN_SPLIT, MIN_SPLIT_SHARE = 25.0, 0.1

#: Nominal columns of at least this share of the rows as declared categories are left out of the average gain.
MANY_CATEGORIES = 0.3


@dataclass(frozen=True)
class Conventions:
    """How candidates and columns are compared.

    Attributes:
        name: the word of the option `conventions`.
        in_turn: a later candidate replaces the one kept so far only if it is better by more than the band; else the
            first within the band of the best one wins.
        band: gains, ratios and weights closer than this are equal; None for 1e-10 of what they are compared with (of
            the node's impurity for gains, of the limit for weights).
        gap: neighbouring values this close are not divided.
        counts_rows: a column of numbers is left out if it has fewer known rows (not weight) than twice the minimum.
        numbers_need_gain: a threshold without gain is no candidate, so it does not enter the average; with a
            description-length correction it never is.
        ones_by_ratio: one category against the rest is chosen by gain ratio, not by gain.
        guard_slack: how far below the average a gain may lie; None for the band.
        leaves_many_out: columns of many categories (`MANY_CATEGORIES`) do not enter the average, unless all columns
            are of that kind; and where none enters it, the node is a leaf.
        least_gain: a column enters the average if its gain is more than this.
        least_information: a column may be chosen by ratio if its split information is more than this.
        least_score: a column may be chosen if its score is more than this; None: if it has a gain, as `zero_gain` says.
    """

    name: str
    in_turn: bool = False
    band: float | None = None
    gap: float = 0.0
    counts_rows: bool = False
    numbers_need_gain: bool = False
    ones_by_ratio: bool = False
    guard_slack: float | None = None
    leaves_many_out: bool = False
    least_gain: float = -np.inf
    least_information: float = 0.0
    least_score: float | None = None

    def bands(self, impurity: Floats) -> Floats:
        """Return the width within which gains are equal in nodes of this impurity, shape (nodes,)."""
        return TIE * impurity if self.band is None else np.full(len(impurity), self.band)

    @property
    def ratio_band(self) -> float:
        """The width within which ratios are equal."""
        return TIE if self.band is None else self.band

    @property
    def nothing(self) -> float:
        """A smaller weight is none."""
        return self.band or 0.0

    def least(self, limit: float) -> float:
        """Return the weight that is enough for a limit."""
        return limit * (1 - TIE) if self.band is None else limit - self.band

    def min_split(self, min_cases: float, known: float, n_classes: int) -> float:
        """Return the weight that both sides of a threshold must have.

        A tenth of the mean weight of a class, at most 25; but M (`min_cases`) where that is as large (the program that
        comes with Quinlan 1993). Without M there is no minimum.
        """
        share = MIN_SPLIT_SHARE * known / n_classes
        if min_cases <= 0 or share <= min_cases + (self.band or 0.0):
            return min_cases
        return min(share, MOST_MIN_SPLIT)

    def best(self, scores: Floats, band: float) -> int | None:
        """Return the candidate of the best score; None if there is none (-inf is no candidate)."""
        return best_in_turn(scores, band) if self.in_turn else first_best(scores, band)

    def heaviest(self, statistics: Floats) -> NDArray[np.intp]:
        """Return the heaviest class of each line of class weights or shares, the first of equals, shape (lines,)."""
        if self.in_turn:
            return best_columns_in_turn(statistics, self.ratio_band)
        heaviest: NDArray[np.intp] = np.argmax(statistics >= statistics.max(axis=1, keepdims=True) * (1 - TIE), axis=1)
        return heaviest


def first_best(scores: Floats, band: float) -> int | None:
    """Return the first score within the band of the best one; None if there is none.

    Comparing with the best, never pairwise, keeps the choice independent of how near ties are chained.
    """
    if not len(scores):
        return None
    best = scores.max()
    return None if best == -np.inf else int(np.argmax(scores >= best - band))


def best_in_turn(scores: Floats, band: float) -> int | None:
    """Return the score that is kept when each is compared in turn with the one kept so far."""
    above = np.concatenate([[-np.inf], np.maximum.accumulate(scores)[:-1]])
    kept = None
    for i in np.flatnonzero(scores > above).tolist():  # whatever replaces the kept one is above all before it
        if kept is None or scores[i] - scores[kept] > band:
            kept = i
    return kept


def best_columns_in_turn(scores: Floats, band: float) -> NDArray[np.intp]:
    """Return for each line of scores, shape (lines, columns), the column that is kept in turn; at least one column."""
    kept = np.zeros(len(scores), dtype=np.intp)
    best = scores[:, 0].copy()
    for column in range(1, scores.shape[1]):
        better = scores[:, column] - band > best
        kept[better] = column
        best = np.where(better, scores[:, column], best)
    return kept


#: The conventions by their word in the option `conventions`.
CONVENTIONS = {
    rules.name: rules
    for rules in (
        Conventions("c45"),
        Conventions(
            "j48",
            in_turn=True,
            band=1e-6,
            gap=1e-5,
            counts_rows=True,
            numbers_need_gain=True,
            ones_by_ratio=True,
            guard_slack=1e-3,
            leaves_many_out=True,
            least_score=1e-6,
        ),
        Conventions(
            "r8",
            gap=1e-5,
            numbers_need_gain=True,
            guard_slack=1e-3,
            leaves_many_out=True,
            least_gain=-1e-3,
            least_information=1e-3,
            least_score=-1e-3,
        ),
    )
}
C45 = CONVENTIONS["c45"]
