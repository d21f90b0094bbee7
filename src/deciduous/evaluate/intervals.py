"""Intervals for an accuracy, from its count of right answers; and for any score, by resampling the predictions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.evaluate.cases import Ints
from deciduous.language import translate as _
from deciduous.language import translate_filled


@dataclass(frozen=True)
class Interval:
    """An interval for a figure, `low` to `high`, that holds the true one with the confidence `level`."""

    estimate: float
    low: float
    high: float
    level: float
    method: str

    def __str__(self) -> str:
        """Return the figure and its interval."""
        text = _("{estimate} ({level} % interval {low} to {high}, {method})")
        figures = {name: f"{getattr(self, name):.4f}" for name in ("estimate", "low", "high")}
        return text.format(level=f"{100 * self.level:g}", method=translate_filled(self.method), **figures)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
        }


def wilson(right: float, n: float, z: float) -> tuple[float, float]:
    """Return (2 N acc + z^2 -+ z sqrt(z^2 + 4 N acc - 4 N acc^2)) / (2 (N + z^2)) (Wilson 1927): the accuracies p with
    |acc - p| <= z sqrt(p (1 - p) / N).
    """
    acc = right / n
    middle = 2 * n * acc + z**2
    width = z * math.sqrt(z**2 + 4 * n * acc - 4 * n * acc**2)
    return max(0.0, (middle - width) / (2 * (n + z**2))), min(1.0, (middle + width) / (2 * (n + z**2)))


def clopper_pearson(right: float, n: float, z: float) -> tuple[float, float]:
    """Return the accuracies that an exact binomial test does not reject (Clopper and Pearson 1934); rather too wide."""
    tail = stats.norm.sf(z)
    low = stats.beta.ppf(tail, right, n - right + 1) if right > 0 else 0.0
    high = stats.beta.isf(tail, right + 1, n - right) if right < n else 1.0
    return float(low), float(high)


def agresti_coull(right: float, n: float, z: float) -> tuple[float, float]:
    """Return the Wald interval after z^2 / 2 right and as many wrong answers are added (Agresti and Coull 1998)."""
    return wald(right + z**2 / 2, n + z**2, z)


def wald(right: float, n: float, z: float) -> tuple[float, float]:
    """Return acc -+ z sqrt(acc (1 - acc) / N), cut off at 0 and 1; too narrow for few rows or extreme accuracies."""
    acc = right / n
    width = z * math.sqrt(acc * (1 - acc) / n)
    return max(0.0, acc - width), min(1.0, acc + width)


METHODS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "agresti_coull": agresti_coull,
    "wald": wald,
}

RESAMPLED = ("percentile", "bca")


def check_method(method: str) -> str:
    """Return a method of any kind; OptionError with the nearest if there is none of that name."""
    known = (*METHODS, *RESAMPLED)
    if method not in known:
        raise OptionError(f"method={method!r} is not one of {listing(known, len(known))}.{nearest(method, known)}")
    return method


def accuracy_interval(right: float, n: float, level: float = 0.95, method: str = "wilson") -> Interval:
    """Return an interval for an accuracy of `right` of `n` answers.

    `method`: `wilson` (the textbooks' formula), `clopper_pearson`, `agresti_coull` or `wald`. `right` and `n` may be
    fractions, where weights make them so. Raises OptionError, DataError.
    """
    if method not in METHODS:
        raise OptionError(f"method={method!r} is not one of {listing(METHODS)}.{nearest(method, METHODS)}")
    _check_level(level)
    if not (n > 0 and 0 <= right <= n):
        raise DataError(f"{right:g} of {n:g} right is no accuracy: n must be above 0, and right between 0 and n.")
    z = float(stats.norm.isf((1 - level) / 2))
    low, high = METHODS[method](right, n, z)
    return Interval(right / n, low, high, level, method)


def resampled_interval(
    score: Callable[[Ints], float], n: int, level: float, method: str, resamples: int, seed: int | None
) -> Interval:
    """Return an interval for a score of rows by drawing rows with replacement (Efron and Tibshirani 1993, chapters 13
    and 14): `percentile`, or `bca`, which corrects bias and skewness. scipy draws.

    `score` takes the places of rows among `n`. DataError where some resamples have no score (one class only).
    """
    if method not in RESAMPLED:
        raise OptionError(f"method={method!r} is not one of {listing(RESAMPLED)}.{nearest(method, RESAMPLED)}")
    _check_level(level)
    if n < 2:
        raise DataError("an interval by resampling needs at least 2 rows.")
    estimate = score(np.arange(n))
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (np.arange(n),),
            score,
            vectorized=False,
            n_resamples=resamples,
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(seed or 0),
        )
    low, high = found.confidence_interval
    if np.isnan([low, high]).any():
        drawn = found.bootstrap_distribution
        if np.isnan(drawn).any() or np.ptp(drawn) > 0:
            raise DataError("some resamples have no score (all their rows are of one class), so there is no interval.")
        low = high = estimate
    return Interval(estimate, float(low), float(high), level, method)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise OptionError(f"level={level!r} must be a share between 0 and 1, for example 0.95.")
