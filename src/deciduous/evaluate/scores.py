"""Figures of how good predictions are, on scikit-learn's metrics: for classes, class by class, for numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.evaluate.runs import Predictions
from deciduous.measures import Floats

Label = Any
Score = Callable[[Predictions, int], float]


def accuracy(p: Predictions, n_classes: int = 0) -> float:
    """Return the weight of the right predictions, as a share."""
    return float(np.average(p.predicted == p.truth, weights=p.weight))


def _averaged(metric: Callable[..., float], average: str) -> Score:
    """Return a score that scikit-learn averages over the classes that are there; 0 where a class is never predicted."""

    def score(p: Predictions, n_classes: int) -> float:
        labels = np.union1d(p.truth, p.predicted)
        return float(
            metric(p.truth, p.predicted, labels=labels, average=average, sample_weight=p.weight, zero_division=0.0)
        )

    return score


def _balanced_accuracy(p: Predictions, n_classes: int) -> float:
    """Return the mean of the classes' recalls."""
    return float(
        metrics.recall_score(
            p.truth, p.predicted, labels=np.unique(p.truth), average="macro", sample_weight=p.weight, zero_division=0.0
        )
    )


def _roc_auc(p: Predictions, n_classes: int) -> float:
    """Return the area under the ROC curve: of two classes, or the mean of each class against the rest (NaN if only one
    class is there to tell apart).
    """
    there = np.unique(p.truth)
    if p.probability is None or len(there) < 2:
        return float("nan")
    each = [metrics.roc_auc_score(p.truth == c, p.probability[:, c], sample_weight=p.weight) for c in there]
    return float(each[-1] if n_classes == 2 else np.mean(each))


def _log_loss(p: Predictions, n_classes: int) -> float:
    """Return the mean of -ln(probability of the true class); a probability of 0 counts as the least positive number of
    scikit-learn's.
    """
    if p.probability is None:
        return float("nan")
    tiny = np.finfo(np.float64).eps
    given = np.clip(p.probability[np.arange(len(p)), p.truth], tiny, 1.0)
    return float(np.average(-np.log(given), weights=p.weight))


def _brier(p: Predictions, n_classes: int) -> float:
    """Return the mean over rows of the squared differences between probabilities and truth, summed over the classes
    (Brier 1950); for two classes that is twice what is often given.
    """
    if p.probability is None:
        return float("nan")
    off = p.probability - (np.arange(n_classes) == p.truth[:, None])
    return float(np.average((off**2).sum(axis=1), weights=p.weight))


def _of_numbers(metric: Callable[..., float]) -> Score:
    return lambda p, n_classes: float(metric(p.truth, p.predicted, sample_weight=p.weight))


def _r_squared(p: Predictions, n_classes: int) -> float:
    """Return 1 - sum of squared errors / sum of squares about the mean; NaN if all targets are equal."""
    mean = np.average(p.truth, weights=p.weight)
    spread = float((p.weight * (p.truth - mean) ** 2).sum())
    left = float((p.weight * (p.truth - p.predicted) ** 2).sum())
    return 1 - left / spread if spread > 0 else float("nan")


CLASS_SCORES: dict[str, Score] = {
    "accuracy": accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "precision": _averaged(metrics.precision_score, "macro"),
    "recall": _averaged(metrics.recall_score, "macro"),
    "f1": _averaged(metrics.f1_score, "macro"),
    "f1_weighted": _averaged(metrics.f1_score, "weighted"),
    "roc_auc": _roc_auc,
    "log_loss": _log_loss,
    "brier": _brier,
}

NUMBER_SCORES: dict[str, Score] = {
    "mean_absolute_error": _of_numbers(metrics.mean_absolute_error),
    "root_mean_squared_error": _of_numbers(metrics.root_mean_squared_error),
    "r_squared": _r_squared,
}

#: Scores that compare rows with each other: those of different models are not comparable, so they are worked out for
#: each run and averaged. All others are worked out over all predictions (Forman and Scholz 2010).
BY_RUN = ("roc_auc",)

#: Scores of which less is better.
ERRORS = ("log_loss", "brier", "mean_absolute_error", "root_mean_squared_error", "cost")


def scores_of(task: str) -> dict[str, Score]:
    """Return the scores of a task by name."""
    return CLASS_SCORES if task == "class" else NUMBER_SCORES


def score_named(name: str, task: str) -> Score:
    """Return a score; OptionError with the nearest name if there is none of that name."""
    known = scores_of(task)
    if name not in known:
        raise OptionError(f"{name!r} is not a score of this task; there are {listing(known, 9)}.{nearest(name, known)}")
    return known[name]


def pooled(name: str, score: Score, predictions: Predictions, n_classes: int) -> float:
    """Return a score of all predictions, or the mean over the runs where predictions of different models do not
    compare.
    """
    if name not in BY_RUN or predictions.n_runs == 1:
        return score(predictions, n_classes)
    each = [score(predictions.of_run(run), n_classes) for run in range(predictions.n_runs)]
    known = [value for value in each if not np.isnan(value)]
    return float(np.mean(known)) if known else score(predictions, n_classes)


def confusion(predictions: Predictions, n_classes: int) -> Floats:
    """Return the weights of rows by (true class, predicted class), shape (classes, classes)."""
    table = np.zeros((n_classes, n_classes))
    np.add.at(table, (predictions.truth, predictions.predicted), predictions.weight)
    return table


def by_class(table: Floats) -> dict[str, Floats]:
    """Return precision, recall, F1 and weight of each class from the confusion matrix; NaN for 0 / 0."""
    right, true, said = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "precision": right / said,
            "recall": right / true,
            "f1": 2 * right / (true + said),
            "weight": true,
        }


def mean_cost(table: Floats, loss: Any, labels: NDArray[Any]) -> float:
    """Return the mean cost of a prediction under a loss: a matrix (true class, predicted class), or a mapping of pairs
    (true, predicted) to costs, where what is not named costs 0.

    DataError for a matrix of another shape, or classes that are not there.
    """
    costs = _loss_matrix(loss, labels.tolist())
    return float((table * costs).sum() / table.sum())


def _loss_matrix(loss: Any, labels: list[Label]) -> Floats:
    n = len(labels)
    if not isinstance(loss, dict):
        matrix = np.asarray(loss, dtype=np.float64)
        if matrix.shape != (n, n):
            raise DataError(f"the loss must have a line and a column a class, {n} x {n}; its shape is {matrix.shape}.")
        return matrix
    matrix = np.zeros((n, n))
    for (true, said), cost in loss.items():
        for label in (true, said):
            if label not in labels:
                raise DataError(f"the loss names the class {label!r}; the classes are {listing(labels)}.")
        matrix[labels.index(true), labels.index(said)] = cost
    return matrix


def calibration(predictions: Predictions, of: int, bins: int) -> dict[str, Floats]:
    """Return how often a class came where its probability was said to be about so much: bins of equal width that hold
    predictions, with their mean probability, the share of rows of that class, and the weight.
    """
    if predictions.probability is None:
        raise DataError("the model tells no probabilities, so there is nothing to calibrate.")
    if bins < 1:
        raise OptionError(f"bins={bins!r} must be at least 1.")
    said = predictions.probability[:, of]
    place = np.minimum((said * bins).astype(np.int64), bins - 1)
    weight: Floats = np.bincount(place, predictions.weight, bins).astype(np.float64)
    mean = np.bincount(place, predictions.weight * said, bins)
    came = np.bincount(place, predictions.weight * (predictions.truth == of), bins)
    full = weight > 0
    return {"probability": mean[full] / weight[full], "share": came[full] / weight[full], "weight": weight[full]}
