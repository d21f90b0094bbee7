"""The path of cost-complexity pruning with cross-validated errors (Breiman et al. 1984, section 3.4.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError, OptionError
from deciduous.estimators.growing import grow_on
from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.measures import Floats
from deciduous.prune.costs import Cost
from deciduous.prune.path import PruningPath, mean_and_se, nested_error_sums, nested_path, with_cross_validation
from deciduous.prune.rows import LabelledRows
from deciduous.prune.walk import Ints


def cross_validated(training: TrainingSet, algorithm: Algorithm, folds: Ints, cost: Cost = "impurity") -> PruningPath:
    """Grow a tree on all rows that take part, and return its nested path with cross-validated errors.

    `folds`: the fold of each of these rows. For every fold a tree is grown on the other rows and pruned at the
    geometric means of neighbouring alphas of the whole path; its errors on the fold count for the steps between them.
    """
    path = nested_path(grow_on(training, algorithm, training.rows), cost)
    prices = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf)
    sums = np.zeros((3, len(path)))
    for fold in np.unique(folds).tolist():
        out = folds == fold
        part = grow_on(training, algorithm, training.rows[~out])
        alpha, errors = nested_error_sums(part, cost, labelled(training, training.rows[out]))
        sums += errors[:, np.searchsorted(alpha, prices, side="right") - 1]
    return with_cross_validation(path, *mean_and_se(sums, training.weight[training.rows]))


def labelled(training: TrainingSet, rows: NDArray[np.int64]) -> LabelledRows:
    """Return some training rows for a pruner."""
    target: Floats = training.target.values.astype(np.float64)
    return LabelledRows(training.table, target, training.weight).take(rows)


def drawn_folds(training: TrainingSet, n_folds: int, seed: int) -> Ints:
    """Return the fold of each row that takes part, drawn at random, class by class; DataError for too few rows."""
    n = len(training.rows)
    if n_folds < 2:
        raise OptionError(f"cv={n_folds} must be at least 2.")
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
