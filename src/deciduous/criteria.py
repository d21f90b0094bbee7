"""Criteria: functions from contingency tables to scores, and the impurity each of them lowers.

A criterion sees arrays of tables, shape (candidates, branches, statistics). For classes the statistics are class
weights; for numbers they are `(w, w*y, w*y^2)` with y centred on the node. A score is a drop in impurity (higher is
better).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deciduous import deviations, measures
from deciduous.elsewhere import value_hint
from deciduous.errors import OptionError, listing
from deciduous.measures import Floats

Task = Literal["class", "number"]
Gain = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Criterion:
    """How candidate splits are scored.

    `gain(tables) -> (candidates,)` compares the candidates of one feature. With `ratio`, features are then compared by
    gain / split information (Quinlan 1993, section 2.2); without it, by the gain itself. `impurity(statistics)` is
    what a node's purity is reported in. `orderable`: for two classes, or numbers, the best partition of categories is
    found by ordering them (Breiman et al. 1984, theorem 4.5; Fisher 1958), which holds for concave impurities;
    `strict`: strictly concave ones, which have no other best partitions. `own`: a user's function, of which nothing is
    known; a score of 0 or less is no gain.

    For numbers: `centred` says what a node answers and how its numbers are centred and scaled before they are summed;
    `degree`: numbers c times as large have an impurity c^degree times as large. `forbids`: some candidates score -inf,
    which means that they are not allowed. `additive` is false for absolute error: its "tables" are not sums but
    `(w, median, mean absolute deviation)`, which `search/absolute.py` makes from rows; a source that only adds tables
    cannot grow it.

    `first`: of several targets, how many columns hold the class weights of the first; None for all (see `jointly`).
    """

    name: str
    task: Task
    impurity: Callable[[Floats], Floats]
    gain: Gain
    ratio: bool = False
    orderable: bool = True
    strict: bool = True
    own: bool = False
    centred: Callable[[Floats, Floats], deviations.Centred] = deviations.about_mean
    degree: int = 2
    forbids: bool = False
    additive: bool = True
    first: int | None = None

    def weight(self, statistics: Floats) -> Floats:
        """Return the weight in statistics (last axis): the sum over classes, or the first moment."""
        weight: Floats = statistics[..., : self.first].sum(axis=-1) if self.task == "class" else statistics[..., 0]
        return weight

    def value(self, statistics: Floats) -> Floats:
        """Return what branches answer, from their statistics (last axis); 0 without weight.

        The share of the second class, the mean, or the median: what monotonic constraints compare.
        """
        value: Floats = statistics[..., 1]
        if not self.additive:
            return value
        weight = self.weight(statistics)
        return value / np.where(weight > 0, weight, 1.0)


def drop_in(impurity: Callable[[Floats], Floats]) -> Gain:
    """Return the gain of an impurity: that of the node less the mean over its branches."""

    def gain(tables: Floats) -> Floats:
        node = impurity(tables.sum(axis=1))
        weights = tables.sum(axis=2)
        return node - measures.of_branch_mean(impurity(tables), weights)

    return gain


def drop_in_squared_error(tables: Floats) -> Floats:
    """Return the drop in squared error: the variance between the branches, sum_b w_b (mean_b - mean)^2 / W.

    The sum over branches is taken of squares, never as a difference of large sums, so that a small drop keeps its
    digits.
    """
    w = tables[:, :, 0]
    total = w.sum(axis=1)
    safe_total = np.where(total > 0, total, 1.0)
    mean = tables[:, :, 1].sum(axis=1) / safe_total
    deviation = tables[:, :, 1] / np.where(w > 0, w, 1.0) - mean[:, None]
    drop: Floats = (w * deviation * deviation).sum(axis=1) / safe_total
    return drop


def _not_of_sums(statistics: Floats) -> Floats:
    """Refuse: the sums of a table do not tell the median."""
    raise OptionError(
        "criterion='absolute_error' cannot be grown from sums, which do not tell the median. Use 'squared_error' with "
        "this source of rows, or hold the rows in memory."
    )


_ENTROPY_GAIN = drop_in(measures.of_entropy)

#: The criteria by task and name. `entropy`, `log_loss` and `gain` are one measure under the names of three communities.
CRITERIA: dict[tuple[Task, str], Criterion] = {
    (c.task, c.name): c
    for c in (
        Criterion("gain", "class", measures.of_entropy, _ENTROPY_GAIN),
        Criterion("gain_ratio", "class", measures.of_entropy, _ENTROPY_GAIN, ratio=True),
        Criterion("entropy", "class", measures.of_entropy, _ENTROPY_GAIN),
        Criterion("log_loss", "class", measures.of_entropy, _ENTROPY_GAIN),
        Criterion("gini", "class", measures.of_gini, drop_in(measures.of_gini)),
        Criterion(
            "misclassification",
            "class",
            measures.of_misclassification,
            drop_in(measures.of_misclassification),
            strict=False,
        ),
        Criterion("squared_error", "number", measures.of_squared_error, drop_in_squared_error),
        # Friedman's improvement is the weight of the node times this drop: it chooses the same splits, and the drop is
        # what is reported and what limits compare.
        Criterion("friedman_mse", "number", measures.of_squared_error, drop_in_squared_error),
        Criterion(
            "poisson",
            "number",
            measures.of_squared_error,
            deviations.drop_in_poisson_deviance,
            centred=deviations.about_zero,
            degree=1,
            forbids=True,
        ),
        Criterion(
            "absolute_error",
            "number",
            _not_of_sums,
            _not_of_sums,
            orderable=False,
            strict=False,
            centred=deviations.about_median,
            degree=1,
            additive=False,
        ),
    )
}


#: The criteria that several targets at once can be predicted by.
JOINT = ("gini", "entropy", "log_loss", "squared_error")


def columns_of(task: Task, n_classes: Sequence[int]) -> list[NDArray[np.intp]]:
    """Return which columns of the statistics of several targets are those of each, `n_classes` one a target.

    Class weights lie side by side, target by target; numbers share the weight: (w, w*y1, w*y1^2, w*y2, w*y2^2, ...).
    """
    if task == "number":
        return [np.array([0, 1 + 2 * k, 2 + 2 * k]) for k in range(len(n_classes))]
    ends = np.cumsum(n_classes)
    return [np.arange(end - n, end) for end, n in zip(ends, n_classes, strict=True)]


def jointly(criterion: Criterion, columns: Sequence[NDArray[np.intp]]) -> Criterion:
    """Return the criterion of several targets: impurity and gain are means over the targets, as in scikit-learn.

    `columns`: those of each target. No order of categories is sure to hold the best division.
    """

    def mean_of(measure: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
        return lambda statistics: np.mean([measure(statistics[..., own]) for own in columns], axis=0)

    return replace(
        criterion,
        impurity=mean_of(criterion.impurity),
        gain=mean_of(criterion.gain),
        orderable=False,
        strict=False,
        first=len(columns[0]),
    )


def criterion_of(option: str | Gain, task: Task, allowed: tuple[str, ...]) -> Criterion:
    """Return the criterion that an option names, or wrap a user's own function of tables."""
    if callable(option):
        return _own(option, task)
    if option not in allowed:
        raise OptionError(
            f"criterion={option!r} is not one of {listing(allowed)}, nor a function of contingency tables."
            + value_hint("criterion", option, allowed)
        )
    return CRITERIA[task, option]


def _own(function: Gain, task: Task) -> Criterion:
    """Wrap a user's function and check, at every call, that it answers with one finite score a candidate."""
    name = getattr(function, "__name__", type(function).__name__)

    def gain(tables: Floats) -> Floats:
        answer = np.asarray(function(tables))
        try:
            scores = answer.astype(np.float64) if answer.dtype.kind != "c" else answer.real * np.nan
        except (TypeError, ValueError):
            scores = np.full(answer.shape, np.nan)
        if scores.shape != (len(tables),) or not np.isfinite(scores).all():
            raise OptionError(
                f"the criterion {name} must return one score a candidate, shape ({len(tables)},), all finite, "
                f"for tables of shape {tables.shape}; it returned shape {scores.shape}."
            )
        return scores

    impurity = measures.of_gini if task == "class" else measures.of_squared_error
    return Criterion(name, task, impurity, gain, orderable=False, own=True)
