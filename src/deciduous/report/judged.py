"""How good the tree is on rows that it was not grown on: scores with intervals, never those of training."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciduous.errors import DataWarning
from deciduous.estimators.base import TreeEstimator
from deciduous.evaluate import Evaluation, methods, splits
from deciduous.evaluate.cases import Cases, cases_of
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.prune.path import PruningPath
from deciduous.report.pruning import Stages, cross_validated_errors, stages_of

#: Tables of at most so many rows are cross-validated; of larger ones a part is held out.
CROSS_VALIDATED_ROWS = 5000
#: Fewer rows say nothing about other rows.
FEWEST_ROWS = 10
#: So often rows are drawn again for intervals; for numbers, of at most so many rows.
RESAMPLES = 1000
MOST_RESAMPLED = 5000
#: Classes of a confusion matrix, the most frequent ones.
MOST_CLASSES = 20
HELD_OUT = 0.25

#: The scores that are shown, in this order, with what they are called.
SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1, mean of the classes",
    "roc_auc": "area under the ROC curve",
    "log_loss": "log loss",
    "brier": "Brier score",
    "root_mean_squared_error": "root mean squared error",
    "mean_absolute_error": "mean absolute error",
    "r_squared": "R²",
}
#: Scores that are shares, and those of which less is better.
SHARES = ("accuracy", "balanced_accuracy")
LESS = ("log_loss", "brier", "root_mean_squared_error", "mean_absolute_error")


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known about other rows. `evaluation`: None, with the reason in `reason`, where nothing is; `stages`: the
    path of pruning with its errors; `method`: how it was judged, in a sentence.
    """

    evaluation: Evaluation | None
    stages: Stages
    method: str
    reason: str = ""

    def data(self) -> dict[str, Any]:
        """Return what the page shows, in words and figures."""
        found = self.evaluation
        data: dict[str, Any] = {"method": self.method, "reason": self.reason, "scores": []}
        if found is None:
            return data
        data["scores"] = [_score(found, name) for name in SCORES if name in found.scores]
        data["rows"] = len(np.unique(found.predictions.row))
        data["baseline"] = _baseline(found)
        return data if found.labels is None else {**data, **_by_class(found)}


def judge(
    estimator: TreeEstimator, X: Any, y: Any, sample_weight: Any, validation: Any, folds: int, seed: int
) -> Judged:
    """Judge a fitted tree: by validation rows if there are some, else by growing trees like it on parts of the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # growing has said what there is to say about the rows
        if validation is not None:
            return _by_validation(estimator, *validation)
        path = estimator.pruning_path()
        cases = cases_of(estimator, X, y, sample_weight)
        if len(cases) < FEWEST_ROWS:
            reason = _("{n} rows are too few to tell how good the tree is on others.").format(n=len(cases))
            return Judged(None, stages_of(path, math.nan, None), "", reason)
        try:
            return _by_parts(estimator, cases, path, folds, seed)
        except ValueError as error:  # a part of the rows may be what a tree cannot be grown on
            reason = _("With a part of the rows no tree can be grown: {error}").format(error=error)
            return Judged(None, stages_of(path, math.nan, None), "", reason)


def _by_validation(estimator: TreeEstimator, X: Any, y: Any, sample_weight: Any = None) -> Judged:
    found = methods.on_rows(estimator, X, y, sample_weight=sample_weight)
    path = estimator.pruning_path(X, y, sample_weight)
    words = _("Judged by {n} rows that were given for this and that the tree was not grown on.")
    errors = path.validation_error, path.validation_se
    return Judged(found, stages_of(path, _error(found), errors), words.format(n=len(found.predictions)))


def _by_parts(estimator: TreeEstimator, cases: Cases, path: PruningPath, folds: int, seed: int) -> Judged:
    rows = (estimator, cases.X, cases.answers)
    if len(cases) <= CROSS_VALIDATED_ROWS:
        n = min(folds, len(cases))
        found = methods.cross_validate(*rows, cv=n, sample_weight=cases.sample_weight, seed=seed)
        parts = splits.folds(cases, n, 1, seed)
        words = _(
            "Judged by cross-validation: {n} times a tree was grown in the same way on the other rows and judged by a "
            "part that it had not seen."
        ).format(n=n)
    else:
        found = methods.holdout(*rows, test_size=HELD_OUT, sample_weight=cases.sample_weight, seed=seed)
        parts = splits.holdout(cases, HELD_OUT, seed)
        words = _("Judged by {n} rows held out: a tree grown in the same way on the others had not seen them.")
        words = words.format(n=len(found.predictions))
    errors = cross_validated_errors(estimator, cases, parts, path)
    return Judged(found, stages_of(path, _error(found), errors), words)


def _error(found: Evaluation) -> float:
    """Return the share of wrong answers, or the mean squared error."""
    if found.task == "class":
        return 1 - found.scores["accuracy"]
    return found.scores["root_mean_squared_error"] ** 2


def _score(found: Evaluation, name: str) -> dict[str, Any]:
    share, interval = name in SHARES, _interval(found, name)
    low, high, method = ("", "", "")
    if interval is not None:
        low, high, method = shown(interval[0], share), shown(interval[1], share), interval[2]
    return {
        "name": _(SCORES[name]),
        "value": shown(found.scores[name], share),
        "low": low,
        "high": high,
        "less": name in LESS,
        "method": method,
    }


def _interval(found: Evaluation, name: str) -> tuple[float, float, str] | None:
    """Return the interval of a score and how it was found: by Wilson's formula for the accuracy, else by drawing rows
    again; None for scores that would take too long.
    """
    if name == "accuracy":
        wilson = found.interval()
        return wilson.low, wilson.high, _("Wilson")
    if name in FROM_COUNTS and not found.weighted:
        low, high = np.quantile(FROM_COUNTS[name](_drawn_again(found.confusion_matrix)), (0.025, 0.975))
        return float(low), float(high), _("rows drawn again")
    if found.task == "number" and len(found.predictions) <= MOST_RESAMPLED:
        drawn = found.interval(name, method="percentile", resamples=RESAMPLES)
        return drawn.low, drawn.high, _("rows drawn again")
    return None


def _drawn_again(matrix: Floats) -> Floats:
    """Return confusion matrices of as many rows drawn with replacement, shape (resamples, classes, classes).

    Which rows fall into a cell is all that these scores see of them: their counts are multinomial.
    """
    n, random = round(float(matrix.sum())), np.random.default_rng(0)
    return random.multinomial(n, matrix.ravel() / matrix.sum(), RESAMPLES).reshape(-1, *matrix.shape).astype(np.float64)


def _mean_recall(matrices: Floats) -> Floats:
    right, true = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=2)
    return _mean_over(right, true, true > 0)


def _mean_f1(matrices: Floats) -> Floats:
    right, both = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=2) + matrices.sum(axis=1)
    return _mean_over(2 * right, both, both > 0)


def _mean_over(upper: Floats, lower: Floats, there: Any) -> Floats:
    """Return the mean of upper / lower over the classes that are there, shape (resamples,)."""
    shares = np.divide(upper, lower, out=np.zeros_like(upper), where=there)
    means: Floats = shares.sum(axis=1) / there.sum(axis=1)
    return means


#: Scores that the counts of a confusion matrix tell.
FROM_COUNTS: dict[str, Callable[[Floats], Floats]] = {"balanced_accuracy": _mean_recall, "f1": _mean_f1}


def shown(value: float, share: bool) -> str:
    """Return a score as text, a share in percent."""
    if math.isnan(value):
        return "–"
    return f"{100 * value:.1f} %" if share else significant(value, 4)


def _baseline(found: Evaluation) -> str:
    """Return what an answer would be worth that looks at no column."""
    truth, weight = found.predictions.truth, found.predictions.weight
    if found.labels is None:
        spread = math.sqrt(np.average((truth - np.average(truth, weights=weight)) ** 2, weights=weight))
        text = _("The mean of all rows as the only answer would have a root mean squared error of {error}.")
        return text.format(error=significant(spread, 4))
    counts = np.bincount(truth, weight, found.n_classes)
    most = int(counts.argmax())
    text = _("Always answering “{label}” would be right for {share} of the rows.")
    return text.format(label=found.labels.tolist()[most], share=shown(float(counts[most] / counts.sum()), True))


def _by_class(found: Evaluation) -> dict[str, Any]:
    """Return the confusion matrix of the most frequent classes, and precision, recall and F1 of each."""
    assert found.labels is not None
    matrix, labels = found.confusion_matrix, [str(label) for label in found.labels.tolist()]
    kept = np.sort(np.argsort(-matrix.sum(axis=1), kind="stable")[:MOST_CLASSES])
    lines = matrix.sum(axis=1)
    confusion = [
        {
            "label": labels[i],
            "cells": [
                {"value": significant(matrix[i, j]), "level": _level(matrix[i, j], lines[i]), "right": i == j}
                for j in kept.tolist()
            ],
        }
        for i in kept.tolist()
    ]
    figures = found.by_class().rows()
    by_class = [
        {"label": figures[i][0], "figures": [_share(x) for x in figures[i][1:4]], "rows": significant(figures[i][4])}
        for i in kept.tolist()
    ]
    return {
        "labels": [labels[j] for j in kept.tolist()],
        "confusion": confusion,
        "by_class": by_class,
        "classes_left_out": len(labels) - len(kept),
    }


def _level(value: float, line: float) -> int:
    """Return how dark a cell is, 0 to 9: its share of the line."""
    return 0 if line <= 0 or value <= 0 else min(9, 1 + int(8.999 * value / line))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
