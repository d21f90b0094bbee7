"""What wrong answers cost: priors, losses, and the shrinkage of rates (Breiman et al. 1984, sections 1.9 and 4.4).

With class weights f_i of a node, priors pi_i and shares of the training weight share_i, answering j has the risk
sum_i f_i (pi_i / share_i) L[i][j]. Splits are rated with altered priors: class i counts
(pi_i sum_j L[i][j]) / (share_i sum_k pi_k sum_j L[k][j]).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import xlogy

from deciduous.criteria import Task
from deciduous.data.schema import Label, position_of
from deciduous.errors import OptionError, listing
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.option_checks import plain_value
from deciduous.measures import Floats


@dataclass(frozen=True, eq=False)
class Risk:
    """The risk of nodes and what they answer.

    `factor`: prior / share of each class; `altered`: what a unit of its weight counts when splits are rated; `loss`:
    a line a true class, a column an answer; `places` of the classes in their declared order. For rates: `shrink`, the
    coefficient of variation of the gamma prior on them, 0 for none. `alpha`: the least drop of risk a split must
    bring, None for the share `cp` of the root's risk.
    """

    task: Task
    criterion: str
    factor: Floats
    altered: Floats
    loss: Floats
    places: Floats
    shrink: float = 0.0
    alpha: float | None = None

    @staticmethod
    def of(algorithm: Algorithm, classes: Sequence[Label], weights: Floats, places: Floats | None = None) -> Risk:
        """Return the risk under some options; `weights`: the training weight of each class, shape (classes,);
        `places`: where the classes stand in their declared order, if they have one.
        """
        if algorithm.task == "number":
            one, none = np.ones(1), np.zeros((1, 1))
            shrink = shrink_of(algorithm)
            return Risk("number", algorithm.scoring.name, one, one, none, np.zeros(1), shrink)
        places = np.arange(len(classes), dtype=np.float64) if places is None else places
        share = weights / weights.sum()
        priors, loss = priors_and_losses(algorithm.priors, algorithm.loss, classes, share)
        counts = priors * loss.sum(axis=1)
        altered = counts / (share * counts.sum()) if len(classes) > 1 else np.ones(1)
        if algorithm.priors is None and algorithm.loss is None:
            altered = np.ones(len(classes))
        return Risk("class", algorithm.scoring.name, priors / share, altered, loss, places)

    def with_alpha(self, alpha: float) -> Risk:
        """Return the same with a given least drop."""
        return replace(self, alpha=alpha)

    def of_classes(self, weights: Floats) -> Floats:
        """Return the risk of every answer in nodes: class weights, shape (nodes, classes); the same shape."""
        risks = np.zeros(weights.shape)
        for i, factor in enumerate(self.factor):
            risks += (weights[:, i] * factor)[:, None] * self.loss[i]
        return risks

    def answers(self, statistics: Floats, root: Floats) -> Floats:
        """Return what nodes answer: the code of the first class of least risk, the mean, or the shrunk rate."""
        if self.task == "class":
            order = np.argsort(self.places, kind="stable")
            first: Floats = order[np.argmin(self.of_classes(statistics)[:, order], axis=1)].astype(np.float64)
            return first
        if self.criterion != "poisson":
            return statistics[:, 1]
        return self.rates(statistics[:, 0], statistics[:, 1], float(root[1]))

    def rates(self, exposure: Floats, rate: Floats, overall: float) -> Floats:
        """Return (events + a) / (exposure + b), a = 1 / shrink^2 and b = a / overall rate; 0 if there is no event."""
        if self.shrink == 0 or overall == 0:
            return rate
        a = 1 / self.shrink**2
        shrunk: Floats = (exposure * rate + a) / (exposure + a / overall)
        found: Floats = np.where(exposure > 0, shrunk, rate)
        return found

    def risks(self, statistics: Floats, answers: Floats) -> Floats:
        """Return the risk of nodes with their answers; for numbers the statistics are (weight, mean, impurity).

        For rates the deviance from the answer r: with D events on T exposure, 2 (c - D ln r - D + r T), where
        c = sum d ln(d / t) over rows follows from half the mean deviance from the rate, (c - D ln(D / T)) / T.
        """
        if self.task == "class":
            found: Floats = self.of_classes(statistics)[np.arange(len(statistics)), answers.astype(np.intp)]
            return found
        weight, mean, impurity = statistics.T
        if self.criterion != "poisson":
            squares: Floats = weight * impurity
            return squares
        events, expected = weight * mean, weight * answers
        ratio = np.divide(mean, answers, out=np.ones(len(mean)), where=answers > 0)
        deviance: Floats = 2 * (weight * impurity + xlogy(events, ratio) - (events - expected))
        return deviance

    def improvements(self, statistics: Floats, gain: Floats) -> Floats:
        """Return the improvement of splits as rpart rates them, from their gain (the known share multiplied in):
        the gain times the altered weight, or the share of the squared error, or the drop of the deviance.
        """
        if self.task == "class":
            unit = 1.0 if self.criterion == "gini" else float(np.log(2))
            found: Floats = gain * (statistics @ self.altered) * unit
            return found
        if self.criterion == "poisson":
            return 2.0 * gain * statistics[:, 0]
        impurity = statistics[:, 2]
        return gain / np.where(impurity > 0, impurity, 1.0)


def shrink_of(algorithm: Algorithm) -> float:
    """Return the shrinkage of rates: the one asked for; else 1 under the deviance and 0 under square roots."""
    if algorithm.shrink is not None:
        return float(algorithm.shrink)
    return 0.0 if algorithm.cv_loss == "sqrt" else 1.0


def priors_and_losses(priors: Any, loss: Any, classes: Sequence[Label], share: Floats) -> tuple[Floats, Floats]:
    """Return the prior of each class, shape (classes,), and the losses, shape (classes, classes), as they were given;
    for None the shares of the classes, and 1 for every wrong answer. OptionError for what is neither.
    """
    given = share if priors is None else _priors(priors, classes)
    return given, 1.0 - np.eye(len(classes)) if loss is None else _losses(loss, classes)


def _priors(given: Any, classes: Sequence[Label]) -> Floats:
    """Return a prior a class, in the order of the classes, scaled to sum 1."""
    if isinstance(given, Mapping):
        absent = [label for label in classes if label not in given]
        if absent or len(given) != len(classes):
            raise OptionError(f"priors must name every class once: {listing(classes)}; it names {listing(given)}.")
        given = [given[label] for label in classes]
    priors = _numbers(given)
    if priors is None or priors.shape != (len(classes),) or not np.isfinite(priors).all() or (priors <= 0).any():
        raise OptionError(f"priors must be one number above 0 a class ({listing(classes)}); got {given!r:.60}.")
    scaled: Floats = priors / priors.sum()
    return scaled


def _losses(given: Any, classes: Sequence[Label]) -> Floats:
    """Return the losses: a line a true class, a column an answer."""
    loss, n = _numbers(given), len(classes)
    if loss is None or loss.shape != (n, n) or not _are_losses(loss):
        raise OptionError(
            f"loss must be a table of {n} x {n} numbers of at least 0, a line a true class and a column an answer in "
            f"the order {listing(classes)}, 0 where they are the same, and no line all 0; got {given!r:.80}."
        )
    return loss


def _are_losses(loss: Floats) -> bool:
    positive = np.isfinite(loss).all() and (loss >= 0).all() and (loss.sum(axis=1) > 0).all()
    return bool(positive) and not np.diag(loss).any()


def _numbers(given: Any) -> Floats | None:
    """Return an option as an array; None if it holds anything but numbers."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def costs_of(costs: Any, names: Sequence[str], columns: Sequence[int]) -> Floats:
    """Return what asking for each of some columns costs: 1 where `costs` does not say; OptionError for an unknown name,
    or a cost that is no number above 0.
    """
    every = np.ones(len(names))
    if isinstance(costs, Mapping):
        for key, cost in costs.items():
            every[position_of("costs", key, list(names))] = _cost(key, cost)
    elif costs is not None:
        given = np.asarray(costs, dtype=object)
        if given.shape != (len(names),):
            raise OptionError(
                f"costs must have one number for each of the {len(names)} columns, or be a mapping of column names to "
                f"numbers; got {costs!r:.60}."
            )
        every[:] = [_cost(name, cost) for name, cost in zip(names, given.tolist(), strict=True)]
    return every[list(columns)]


def _cost(key: Any, cost: Any) -> float:
    cost = plain_value(cost)
    if not isinstance(cost, Real) or isinstance(cost, bool) or not 0 < cost < np.inf:  # type: ignore[operator]
        raise OptionError(f"costs[{key!r}]={cost!r:.60} must be a number above 0.")
    return float(cost)
