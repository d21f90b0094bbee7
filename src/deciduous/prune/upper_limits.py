"""How many errors a leaf may be expected to make at worst: the upper limit of a confidence interval (Quinlan 1993).

With E of N rows answered wrongly, U_CF(E, N) is the error rate for which so few errors would be seen with probability
CF. Its binomial equation is solved exactly only for E = 0; Quinlan's program and Weka's approximate it, with different
deviates of the normal distribution. The figures that the book prints are those of its program.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from deciduous.errors import OptionError, listing, nearest
from deciduous.measures import Floats

#: The table from which C4.5 interpolates the normal deviate that a confidence is exceeded by.
CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)

#: Where nearly all rows are answered wrongly C4.5 counts this share of the others as errors too; Weka counts all.
NEARLY_ALL = 0.67

#: Up to so many errors C4.5 draws a straight line from none to one.
ALMOST_ONE = 0.9999

#: The weight up to which a leaf of Weka's is empty.
WEKA_EMPTY = 1e-6


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
    if conventions not in EXTRA:
        raise OptionError(
            f"conventions={conventions!r} is not one of {listing(EXTRA)}.{nearest(conventions, list(EXTRA))}"
        )
    n, errors = np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    empty = n <= (WEKA_EMPTY if conventions == "j48" else 0.0)
    safe = np.where(empty, 1.0, n)
    estimate: Floats = np.where(empty, 0.0, errors + EXTRA[conventions](safe, errors, confidence))
    return estimate


def _quinlan(n: Floats, errors: Floats, confidence: float) -> Floats:
    """Return the errors beyond those of training by C4.5."""
    none = n * -np.expm1(np.log(confidence) / n)
    deviate = float(np.interp(confidence, CONFIDENCES, DEVIATES))
    at = _normal(n, np.where(errors < ALMOST_ONE, 1.0, errors), deviate, NEARLY_ALL)
    extra: Floats = np.where(errors < ALMOST_ONE, none + errors * (at - none), at)
    return extra


def _weka(n: Floats, errors: Floats, confidence: float) -> Floats:
    """Return the errors beyond those of training by Weka."""
    confidence = float(np.float32(confidence))
    if confidence > 0.5:
        return np.zeros_like(n)
    none = n * -np.expm1(np.log(confidence) / n)
    at = _normal(n, np.maximum(errors, 1.0), float(ndtri(1.0 - confidence)), 1.0)
    extra: Floats = np.where(errors < 1.0, none + errors * (at - none), at)
    return extra


EXTRA = {"c45": _quinlan, "j48": _weka, "r8": _quinlan}


def _normal(n: Floats, errors: Floats, deviate: float, nearly_all: float) -> Floats:
    """Return the errors beyond those of training, from one error on."""
    q, e = deviate**2, errors + 0.5
    root = np.sqrt(np.maximum(q * (e * (1.0 - e / n) + q / 4.0), 0.0))
    upper = n * (e + q / 2.0 + root) / (n + q)
    return np.where(e >= n, nearly_all * np.maximum(n - errors, 0.0), upper - errors)
