"""How many errors a leaf may be expected to make at worst: the upper limit of a confidence interval (Quinlan 1993).

With E of N rows answered wrongly, U_CF(E, N) is the error rate for which so few errors would be seen with probability
CF. Its binomial equation is solved exactly only for E = 0; Quinlan's program and Weka's approximate it, with different
deviates of the normal distribution. The figures that the book prints are those of its program.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from deciduous.errors import OptionError, listing, nearest
from deciduous.measures import Floats
from deciduous.prune.conventions import CONVENTIONS

#: The table from which C4.5 interpolates the normal deviate that a confidence is exceeded by.
CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)

#: The weight up to which a leaf of Weka's is empty, and the confidence above which it adds nothing.
WEKA_EMPTY, WEKA_ADDS_NOTHING = 1e-6, 0.5


@dataclass(frozen=True)
class Limit:
    """How a program works out U_CF(E, N).

    `confidence`: CF as it counts with it; `deviate`: what a normal deviate exceeds with probability CF; `nearly_all`:
    where nearly all rows are answered wrongly, this share of the others counts as errors too; `almost_one`: up to so
    many errors a straight line is drawn from none to one; `empty`: a leaf of this weight has no rows.
    """

    confidence: float
    deviate: float
    nearly_all: float
    almost_one: float
    empty: float


def limit_of(confidence: float, conventions: str) -> Limit:
    """Return how U_CF is worked out under some conventions; OptionError if there are none of this name."""
    if conventions not in CONVENTIONS:
        raise OptionError(
            f"conventions={conventions!r} is not one of {listing(CONVENTIONS)}.{nearest(conventions, CONVENTIONS)}"
        )
    if conventions != "j48":
        return Limit(confidence, float(np.interp(confidence, CONFIDENCES, DEVIATES)), 0.67, 0.9999, 0.0)
    single = float(np.float32(confidence))
    return Limit(single, float(ndtri(1.0 - single)), 1.0, 1.0, WEKA_EMPTY)


def estimated_errors(n: Floats, errors: Floats, confidence: float = 0.25, conventions: str = "c45") -> Floats:
    """Return N U_CF(E, N): how many of so many rows a leaf may be expected to answer wrongly at worst.

    `n`: N, the weight of the rows; `errors`: E of them answered wrongly in training; arrays of one shape; 0 without
    rows. Without errors U = 1 - CF^(1/N); up to one, a straight line to U(1, N); else the normal approximation of the
    binomial with a continuity correction; and N - E errors more than E, times 0.67, where nearly all are wrong (Quinlan
    1993, section 4.2, and the program that comes with the book).

    `conventions`: `c45` and `r8` interpolate the deviate of CF in Quinlan's table, as the figures of the book do (0.157
    for U(1, 16), where the exact deviate gives 0.155); `j48` takes the quantile of the normal distribution and CF in
    single precision, counts all of nearly all, and adds nothing for a CF above 0.5.
    """
    limit = limit_of(confidence, conventions)
    n, errors = np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    empty = n <= limit.empty
    extra = _extra(np.where(empty, 1.0, n), errors, limit) if adds(limit, conventions) else np.zeros_like(n)
    estimate: Floats = np.where(empty, 0.0, errors + extra)
    return estimate


def adds(limit: Limit, conventions: str) -> bool:
    """Whether more errors are expected than training has: Weka adds none to a confidence above one half."""
    return conventions != "j48" or limit.confidence <= WEKA_ADDS_NOTHING


def _extra(n: Floats, errors: Floats, limit: Limit) -> Floats:
    """Return the errors beyond those of training."""
    few = errors < limit.almost_one
    none = n * -np.expm1(np.log(limit.confidence) / n)
    at = _normal(n, np.where(few, 1.0, errors), limit.deviate, limit.nearly_all)
    extra: Floats = np.where(few, none + errors * (at - none), at)
    return extra


def _normal(n: Floats, errors: Floats, deviate: float, nearly_all: float) -> Floats:
    """Return the errors beyond those of training, from one error on."""
    q, e = deviate**2, errors + 0.5
    root = np.sqrt(np.maximum(q * (e * (1.0 - e / n) + q / 4.0), 0.0))
    upper = n * (e + q / 2.0 + root) / (n + q)
    return np.where(e >= n, nearly_all * np.maximum(n - errors, 0.0), upper - errors)
