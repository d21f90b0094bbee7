"""Conditions dropped from a rule while it is expected to err no more (Quinlan 1993, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.prune.upper_limits import estimated_errors

#: Up to this difference two expected error rates are equal.
SLACK = 1e-10


@dataclass(frozen=True, eq=False)
class Labelled:
    """The rows that decide: the class code of each, and its weight; shapes (rows,)."""

    codes: NDArray[np.int64]
    weight: Floats
    n_classes: int

    def by_class(self, rows: NDArray[np.int64]) -> Floats:
        """Return the weight of each class among some rows."""
        found = np.bincount(self.codes[rows], weights=self.weight[rows], minlength=self.n_classes)
        return found.astype(np.float64)  # whole numbers where there is no row


@dataclass(frozen=True)
class Dropped:
    """One step of making a rule more general: what each condition that is left would leave behind if it were dropped.

    `left`: the positions of the conditions; `right` and `wrong`: the rows of the rule's class, and of others, that the
    rule would cover without each; `rate`: its expected error rate then; `before`: that of the rule as it stands, of
    `covers` (right, wrong); `chosen`: the position that is dropped, -1 if none is.
    """

    left: tuple[int, ...]
    right: tuple[float, ...]
    wrong: tuple[float, ...]
    rate: tuple[float, ...]
    covers: tuple[float, float]
    before: float
    chosen: int


def expected_rate(right: Floats, wrong: Floats, confidence: float) -> Floats:
    """Return the upper limit U_CF(E, N) of the error rate of rules that answer so many rows right and wrong; 1 for a
    rule that covers none.
    """
    n = np.asarray(right + wrong, dtype=np.float64)
    errors = estimated_errors(n, np.asarray(wrong, dtype=np.float64), confidence)
    return np.where(n > 0, errors / np.where(n > 0, n, 1.0), 1.0)


def drop_conditions(
    fails: NDArray[np.bool_], right: NDArray[np.bool_], weight: Floats, confidence: float
) -> list[Dropped]:
    """Return the steps in which conditions are dropped; the last one drops none, or leaves no condition.

    `fails`: which rows do not fulfil each condition, shape (conditions, rows); `right`: the rows of the rule's class.
    In every step the condition goes without which the expected error rate is least, the first of equals, as long as
    that is no more than the rate with it.
    """
    left = list(range(len(fails)))
    n_failed = fails.sum(axis=0)
    sides = np.stack([weight * right, weight * ~right], axis=1)
    steps = []
    while left:
        covers = sides[n_failed == 0].sum(axis=0)
        nearly = np.flatnonzero(n_failed == 1)  # the rows that one condition alone keeps out
        gained = covers + fails[left][:, nearly].astype(np.float64) @ sides[nearly]
        rate = expected_rate(gained[:, 0], gained[:, 1], confidence)
        before = float(expected_rate(covers[0], covers[1], confidence))
        best = int(np.flatnonzero(rate <= rate.min() + SLACK)[0])
        drops = bool(rate[best] <= before + SLACK)
        steps.append(
            Dropped(
                tuple(left),
                tuple(gained[:, 0].tolist()),
                tuple(gained[:, 1].tolist()),
                tuple(rate.tolist()),
                (float(covers[0]), float(covers[1])),
                before,
                left[best] if drops else -1,
            )
        )
        if not drops:
            break
        n_failed = n_failed - fails[left[best]]
        del left[best]
    return steps
