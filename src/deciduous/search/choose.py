"""The choice between features, and the verdict on each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.search.contingency import TIE, Found
from deciduous.search.pick import first_best


@dataclass(frozen=True)
class Choice:
    """The winning feature (its position among those searched), or None with all verdicts saying why not."""

    winner: int | None
    verdicts: tuple[Verdict | None, ...]


def choose(
    found: Sequence[Found | None], band: float, *, ratio: bool, guard: bool, zero_gain: bool, min_gain: float
) -> Choice:
    """Choose between the best candidates of the features of one node.

    Tied features are those within the band of the best (for ratios: within 1e-10); the first in column order is
    taken. With `ratio`, only features with a gain compete, and with `guard` only those whose gain is at least the
    average over the features that have a candidate (Quinlan 1993, section 2.2). A feature must have a gain above the
    band unless `zero_gain`, and at least `min_gain`. Verdicts are None for features without a candidate.
    """
    gain = np.array([-np.inf if f is None else f.gain for f in found])
    score = np.array([-np.inf if f is None else f.score for f in found])
    eligible = np.isfinite(gain)
    below = np.zeros(len(found), dtype=bool)
    if ratio:
        eligible &= gain > band
        if guard:
            below = _below_average(found, gain, band)
    if not zero_gain:
        eligible &= gain > band
    eligible &= gain >= min_gain - band
    # The limits ask whether the best has enough gain; a feature with less is "no gain", one out of the race by the
    # guard is not.
    contest: Floats = np.where(eligible & ~below, score, -np.inf)
    slack = TIE if ratio else band
    winner = first_best(contest, slack)
    verdicts = tuple(
        None if f is None else _verdict(i, winner, contest, slack, bool(eligible[i]), bool(below[i]))
        for i, f in enumerate(found)
    )
    return Choice(winner, verdicts)


def _below_average(
    found: Sequence[Found | None], gain: Floats, band: float
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which features have a gain below the average over the usable ones (split information above 0)."""
    usable = np.array([f is not None and f.split_information > 0 for f in found])
    if not usable.any():
        return np.zeros(len(found), dtype=bool)
    below: np.ndarray[tuple[int], np.dtype[np.bool_]] = usable & (gain < gain[usable].mean() - band)
    return below


def _verdict(i: int, winner: int | None, contest: Floats, slack: float, eligible: bool, below: bool) -> Verdict:
    if i == winner:
        return "chosen"
    if not eligible:
        return "no gain"
    if below:
        return "below average gain"
    return "tied" if winner is not None and contest[i] >= contest.max() - slack else "lower"
