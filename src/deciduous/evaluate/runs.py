"""Fitting on one part of the rows and predicting the other, once a split; in several processes where asked."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from deciduous.errors import DataWarning
from deciduous.evaluate.cases import Cases, Ints
from deciduous.evaluate.splits import Split
from deciduous.language import translate as _
from deciduous.measures import Floats


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of rows it was not fitted on. Arrays have an element a prediction.

    `run`: which split; `row`: which row; `truth`, `predicted`: class codes or numbers; `probability`: shape
    (predictions, classes), None for numbers or a classifier that tells none; `weight`; `sizes`: rows to fit on and to
    judge by, shape (runs, 2).
    """

    run: Ints
    row: Ints
    truth: NDArray[Any]
    predicted: NDArray[Any]
    probability: Floats | None
    weight: Floats
    sizes: Ints

    def __len__(self) -> int:
        """Return the number of predictions."""
        return len(self.row)

    @property
    def n_runs(self) -> int:
        """The number of splits."""
        return len(self.sizes)

    def of_run(self, run: int) -> Predictions:
        """Return the predictions of one split."""
        return self.at(self.run == run)

    def at(self, places: NDArray[Any]) -> Predictions:
        """Return some of the predictions: those at these places, or where a mask is true."""
        probability = None if self.probability is None else self.probability[places]
        arrays = (self.run[places], self.row[places], self.truth[places], self.predicted[places])
        return Predictions(*arrays, probability, self.weight[places], self.sizes)


#: What a model says of rows: class codes or numbers, and the probabilities of the classes.
Answers = tuple[NDArray[Any], Floats | None]


def fitted(estimator: Any, cases: Cases) -> Any:
    """Return a copy of an estimator, fitted on all the rows."""
    weights = {} if cases.sample_weight is None else {"sample_weight": cases.sample_weight}
    return clone(estimator).fit(cases.X, cases.answers, **weights)


def answers(model: Any, cases: Cases) -> Answers:
    """Return what a fitted model says of rows."""
    if cases.labels is None:
        return np.asarray(model.predict(cases.X), dtype=np.float64), None
    predicted = codes_of(model.predict(cases.X), cases.labels)
    if not hasattr(model, "predict_proba"):
        return predicted, None
    known = codes_of(model.classes_, cases.labels)
    probability = np.zeros((len(cases), len(cases.labels)))
    probability[:, known] = model.predict_proba(cases.X)
    return predicted, probability


def codes_of(labels: Any, classes: NDArray[Any]) -> Ints:
    """Return the codes of class labels; models are fitted on these classes and know no others."""
    code = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([code[label] for label in np.asarray(labels).tolist()], dtype=np.int64)


def run_all(
    estimator: Any, cases: Cases, splits: Sequence[Split], n_jobs: int | None = None, verbose: int = 0
) -> Predictions:
    """Fit and predict once a split. The result is the same for any number of processes."""
    results = in_turn(_one_run, [(estimator, cases, split) for split in splits], n_jobs, verbose)
    return gathered(cases, splits, results)


def _one_run(estimator: Any, cases: Cases, split: Split) -> Answers:
    return answers(fitted(estimator, cases.take(split.train)), cases.take(split.test))


def in_turn(function: Any, arguments: Iterable[tuple[Any, ...]], n_jobs: int | None, verbose: int) -> list[Any]:
    """Return the results of a function, in order, from several processes if `n_jobs` says so.

    Every fit sees its own part of the rows. What most of them say about the data is said once; what few say is chance.
    """
    jobs = [delayed(_quietly)(function, *one) for one in arguments]
    results, said = [], Counter[str]()
    for result, messages in _with_bar(Parallel(n_jobs, return_as="generator")(jobs), len(jobs), verbose):
        results.append(result)
        said.update(set(messages))
    for message, times in said.most_common(MOST_MESSAGES):
        if 2 * times > len(jobs):
            warnings.warn(f"while evaluating: {message}", DataWarning, stacklevel=4)
    return results


#: So many different messages about the data are passed on.
MOST_MESSAGES = 3


def _quietly(function: Any, *arguments: Any) -> tuple[Any, list[str]]:
    """Return a result, and what was said about the data meanwhile."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    return result, [str(w.message) for w in caught if issubclass(w.category, DataWarning)]


def _with_bar(results: Iterable[Any], total: int, verbose: int) -> Iterable[Any]:
    if not verbose:
        return results
    from rich.console import Console
    from rich.progress import track

    return track(results, _("evaluating ..."), total, console=Console(stderr=True), transient=True)


def gathered(cases: Cases, splits: Sequence[Split], results: Sequence[Answers]) -> Predictions:
    """Put the answers of all splits into one record."""
    rows = np.concatenate([split.test for split in splits])
    weight = np.ones(len(rows)) if cases.weight is None else cases.weight[rows]
    told = [probability for _, probability in results if probability is not None]
    return Predictions(
        run=np.repeat(np.arange(len(splits)), [len(split.test) for split in splits]),
        row=rows,
        truth=cases.y[rows],
        predicted=np.concatenate([predicted for predicted, _ in results]),
        probability=np.concatenate(told) if len(told) == len(results) else None,
        weight=weight,
        sizes=np.array([(len(split.train), len(split.test)) for split in splits]),
    )
