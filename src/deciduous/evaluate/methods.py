"""What users call: the ways to judge a model, each a few lines on the other files of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deciduous.errors import DataError, OptionError, listing
from deciduous.evaluate import curves, splits
from deciduous.evaluate.bootstrap import Bootstrap, bootstrap_of
from deciduous.evaluate.cases import Cases, cases_of, task_of
from deciduous.evaluate.comparison import Comparison, compared
from deciduous.evaluate.curves import Curve, Stability
from deciduous.evaluate.evaluation import Evaluation
from deciduous.evaluate.runs import Predictions, answers, fitted, gathered, run_all
from deciduous.evaluate.scores import score_named
from deciduous.evaluate.splits import Split


def holdout(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    test_size: float = 0.25,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
) -> Evaluation:
    """Fit on a part of the rows and judge by the rest, drawn class by class (groups are kept whole).

    Raises DataError, OptionError: what does not fit, and what is allowed.
    """
    cases = cases_of(estimator, X, y, sample_weight, groups)
    parts = splits.holdout(cases, test_size, seed)
    n = len(parts[0].test)
    return _evaluation(estimator, cases, parts, f"hold-out: judged by {n} of {len(cases)} rows", None, 0)


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    repeats: int = 1,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Evaluation:
    """Judge every row by a model that was fitted without it.

    `cv`: a number of folds (drawn class by class; groups are kept whole), the fold of each row, a list of pairs (rows
    to fit on, rows to judge by), or a splitter of scikit-learn; `repeats`: how often folds are drawn.
    """
    cases = cases_of(estimator, X, y, sample_weight, groups)
    parts = splits.folds(cases, cv, repeats, seed)
    method = _folds_in_words(len(parts) // repeats, repeats, cases, cv)
    return _evaluation(estimator, cases, parts, method, n_jobs, verbose)


def leave_one_out(
    estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, n_jobs: int | None = None, verbose: int = 0
) -> Evaluation:
    """Judge every row by a model of all other rows."""
    cases = cases_of(estimator, X, y, sample_weight)
    parts = splits.leave_one_out(cases)
    return _evaluation(estimator, cases, parts, f"leave-one-out: {len(parts)} models", n_jobs, verbose)


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    samples: int = 200,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Bootstrap:
    """Fit on samples drawn with replacement, judge by the rows not drawn, and estimate the error by .632 and .632+
    (Efron 1983; Efron and Tibshirani 1997). With groups, whole groups are drawn.
    """
    cases = cases_of(estimator, X, y, sample_weight, groups)
    parts = splits.bootstrap_samples(cases, samples, seed)
    method = f"bootstrap: {samples} samples of {len(cases)} rows, judged by the rows not drawn"
    evaluation = _evaluation(estimator, cases, parts, method, n_jobs, verbose)
    return bootstrap_of(evaluation, cases, parts, answers(fitted(estimator, cases), cases))


def on_rows(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Evaluation:
    """Judge a fitted model by rows, which should not be those it was fitted on.

    A row of a class that the model does not know is answered wrongly.
    """
    cases = cases_of(model, X, y, sample_weight)
    if cases.labels is not None:
        cases = cases.with_labels(model.classes_)
    part = Split(np.zeros(0, dtype=np.int64), np.arange(len(cases)))
    predictions = gathered(cases, [part], [answers(model, cases)])
    return _record(model, cases, predictions, f"judged by {len(cases)} rows, not fitted again")


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    repeats: int = 1,
    score: str | None = None,
    level: float = 0.05,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Evaluate models on the same folds, and test which differences hold: the corrected resampled t-test (Nadeau and
    Bengio 2003) and McNemar's test, p-values corrected for the number of pairs (Holm 1979).

    `models`: estimators by name, or a list; `score`: what they are compared by, by default the accuracy, or the root
    mean squared error.
    """
    named = _named(models)
    tasks = {name: task_of(model) for name, model in named.items()}
    task = next(iter(tasks.values()))
    if len(set(tasks.values())) > 1:
        of_classes, of_numbers = (listing([n for n in tasks if tasks[n] == t]) for t in ("class", "number"))
        raise DataError(
            f"models of classes ({of_classes}) and models of numbers ({of_numbers}) cannot be compared: their scores "
            "are different ones. Compare those of one task."
        )
    score = score or ("accuracy" if task == "class" else "root_mean_squared_error")
    score_named(score, task)  # a mistake shows before anything is fitted
    cases = cases_of(next(iter(named.values())), X, y, sample_weight, groups)
    parts = splits.folds(cases, cv, repeats, seed)
    method = _folds_in_words(len(parts) // repeats, repeats, cases, cv)
    results = {name: _evaluation(model, cases, parts, method, n_jobs, verbose) for name, model in named.items()}
    return compared(results, score, level)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
    cv: Any = 5,
    score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Curve:
    """Return how the score grows with the rows to learn from, as shares `sizes` of those of each fold."""
    cases = cases_of(estimator, X, y, sample_weight, groups)
    parts = splits.folds(cases, cv, 1, seed)
    return curves.learning(estimator, cases, parts, tuple(sizes), _score(score, cases), n_jobs, verbose, seed)


def complexity_curve(
    estimator: Any,
    X: Any,
    y: Any,
    option: str,
    values: Sequence[Any],
    *,
    cv: Any = 5,
    score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Curve:
    """Return how the score changes with an option of the estimator, for example `max_leaf_nodes` or `ccp_alpha`."""
    if not len(values):
        raise OptionError(f"values= must name at least one value of {option!r}.")
    cases = cases_of(estimator, X, y, sample_weight, groups)
    parts = splits.folds(cases, cv, 1, seed)
    return curves.complexity(estimator, cases, parts, option, tuple(values), _score(score, cases), n_jobs, verbose)


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    samples: int = 50,
    sample_weight: Any = None,
    groups: Any = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Return how much the trees of bootstrap samples differ: which column is asked first, how often their answers
    agree.
    """
    cases = cases_of(estimator, X, y, sample_weight, groups)
    return curves.stable(estimator, cases, splits.bootstrap_samples(cases, samples, seed), n_jobs, verbose)


def _evaluation(
    estimator: Any, cases: Cases, parts: list[Split], method: str, n_jobs: int | None, verbose: int
) -> Evaluation:
    return _record(estimator, cases, run_all(estimator, cases, parts, n_jobs, verbose), method)


def _record(estimator: Any, cases: Cases, predictions: Predictions, method: str) -> Evaluation:
    weighted = cases.weight is not None and bool((cases.weight != 1).any())
    model = " ".join(repr(estimator).split())
    return Evaluation(model, method, cases.task, cases.target, cases.labels, weighted, predictions)


def _folds_in_words(n_folds: int, repeats: int, cases: Cases, cv: Any) -> str:
    words = f"cross-validation, {n_folds} folds"
    if isinstance(cv, int):
        if splits.by_class(cases, cv):
            words += " drawn class by class"
        if cases.groups is not None:
            words += ", groups kept whole"
    if repeats > 1:
        words += f", repeated {repeats} times"
    return f"{words}: every model judged by rows it was not fitted on"


def _named(models: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Return models by name: that of the class, with a number where two have the same."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        names = [type(model).__name__ for model in models]
        twice = {name for name in names if names.count(name) > 1}
        named = {f"{n} {i}" if n in twice else n: m for i, (n, m) in enumerate(zip(names, models, strict=True), 1)}
    if len(named) < 2:
        raise OptionError(f"a comparison needs at least two models; {len(named)} given.")
    return named


def _score(name: str | None, cases: Cases) -> str:
    return name or ("accuracy" if cases.task == "class" else "root_mean_squared_error")
