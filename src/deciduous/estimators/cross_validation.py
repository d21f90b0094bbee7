"""The path of cost-complexity pruning with cross-validated errors (Breiman et al. 1984, section 3.4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError, OptionError
from deciduous.estimators.growing import grow_on
from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.progress import Progress
from deciduous.grow.sources import threads
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.prune.costs import Cost
from deciduous.prune.path import PruningPath, mean_and_se, nested_error_sums, nested_path, with_cross_validation
from deciduous.prune.rows import LabelledRows
from deciduous.prune.walk import Ints

#: Rows to grow on and rows to judge by, of each fold.
Parts = list[tuple[Ints, Ints]]


def cross_validated(training: TrainingSet, algorithm: Algorithm, parts: Parts, cost: Cost = "impurity") -> PruningPath:
    """Grow a tree on all rows that take part, and return its nested path with cross-validated errors.

    For every fold a tree is grown on its rows and pruned at the geometric means of neighbouring alphas of the whole
    path; its errors on the rows left out count for the steps between them.
    """
    path = nested_path(grow_on(training, algorithm, training.rows), cost)
    prices = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf)
    one = replace(algorithm, n_jobs=1, verbose=0, keep_candidates=0, cv=None)

    def errors_at_prices(kept: Ints, out: Ints) -> Floats:
        alpha, errors = nested_error_sums(grow_on(training, one, kept), cost, labelled(training, out))
        found: Floats = errors[:, np.searchsorted(alpha, prices, side="right") - 1]
        return found

    sums = np.zeros((3, len(path)))
    for errors in over_folds([partial(errors_at_prices, *part) for part in parts], algorithm):
        sums += errors
    judged = np.concatenate([out for _, out in parts])
    return with_cross_validation(path, *mean_and_se(sums, training.weight[judged]))


def over_folds(jobs: Sequence[Callable[[], Floats]], algorithm: Algorithm) -> list[Floats]:
    """Return what the work on each fold comes to, in order.

    The folds are shared out among the cores; with `verbose` a bar shows how many are done.
    """
    parallel = joblib.Parallel(
        n_jobs=min(threads(algorithm.n_jobs), len(jobs)), prefer="threads", return_as="generator"
    )
    found = []
    with Progress(len(jobs), algorithm.verbose, _("cross-validating"), _("folds")) as progress:
        for errors in parallel(joblib.delayed(job)() for job in jobs):
            found.append(errors)
            progress.settled(1)
    return found


def parts_of(training: TrainingSet, cv: Any, seed: int) -> Parts:
    """Return the folds that `cv` means: a number of them, the fold of each row, or pairs (rows kept, rows left out).

    DataError says what cannot be divided so.
    """
    n = training.table.n_rows
    if isinstance(cv, Integral):
        return _by_fold(training.rows, _drawn_folds(training, int(cv), seed))
    if isinstance(cv, list | tuple) and cv and isinstance(cv[0], list | tuple) and {*map(len, cv)} == {2}:
        pairs = [_taking_part(training, *pair) for pair in cv]
    else:
        folds = np.asarray(cv)
        if folds.shape != (n,) or folds.dtype.kind not in "iuf":
            raise DataError(
                f"cv must be a number of folds, the fold of each of the {n} rows, or a list of pairs of rows to grow "
                "on and rows to judge by."
            )
        pairs = _by_fold(training.rows, folds[training.rows])
    if not all(len(kept) and len(out) for kept, out in pairs):
        raise DataError("cv leaves a fold without rows to grow on, or without rows to judge by.")
    return pairs


def _taking_part(training: TrainingSet, kept: Any, out: Any) -> tuple[Ints, Ints]:
    return np.intersect1d(kept, training.rows), np.intersect1d(out, training.rows)


def _by_fold(rows: Ints, folds: NDArray[Any]) -> Parts:
    return [(rows[folds != fold], rows[folds == fold]) for fold in np.unique(folds)]


def labelled(training: TrainingSet, rows: NDArray[np.int64]) -> LabelledRows:
    """Return some training rows for a pruner."""
    target: Floats = training.target.values.astype(np.float64)
    return LabelledRows(training.table, target, training.weight).take(rows)


def _drawn_folds(training: TrainingSet, n_folds: int, seed: int) -> Ints:
    """Return the fold of each row that takes part, drawn at random, class by class; DataError for too few rows."""
    n = len(training.rows)
    if n_folds < 2:
        raise OptionError(f"cv={n_folds} must be a whole number of at least 2.")
    if n < n_folds:
        raise DataError(f"{n} row{'s' * (n != 1)} cannot be divided into {n_folds} folds; use a smaller cv.")
    folds = np.empty(n, dtype=np.int64)
    folds[shuffled(training, seed)] = np.arange(n) % n_folds
    return folds


def shuffled(training: TrainingSet, seed: int) -> Ints:
    """Return the places of the rows that take part in random order, for classes one class after the other."""
    order = np.random.default_rng(seed).permutation(len(training.rows))
    if training.target.classes is None:
        return order
    return order[np.argsort(training.target.values[training.rows][order], kind="stable")]
