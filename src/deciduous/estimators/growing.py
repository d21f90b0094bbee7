"""From a training set to a full tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.grower import grow
from deciduous.grow.risk import Risk
from deciduous.grow.sources import joint_rows_of, rows_of, surrogate_rows_of
from deciduous.model.tree import Tree
from deciduous.prune.complexity import kept_by_complexity


def grow_on(training: TrainingSet, algorithm: Algorithm, rows: NDArray[np.int64], risk: Risk | None = None) -> Tree:
    """Return the tree that some of the rows grow; `risk`: what wrong answers cost, where it is known already."""
    algorithm = algorithm.for_rows(len(rows))
    if algorithm.missing == "surrogates":
        return _with_surrogates(training, algorithm, rows, risk_of(training, algorithm) if risk is None else risk)
    target, classes = training.target, training.classes
    others = [(other.name, other.labels) for other in training.others]
    if others:
        values = np.stack([t.values for t in (target, *training.others)], axis=1)
        n_classes = [max(len(labels), 1) for _, labels in (("", classes), *others)]
        source = joint_rows_of(training.table, values, training.weight, algorithm, n_classes, rows)
    else:
        source = rows_of(training.table, target.values, training.weight, algorithm, len(classes), rows)
    return grow(source, algorithm, target.name, classes, training.weighted, others)


def risk_of(training: TrainingSet, algorithm: Algorithm) -> Risk:
    """Return what wrong answers cost; the shares of the classes are those of all training rows."""
    rows, n = training.rows, len(training.classes)
    y = training.target.values[rows]
    weights = np.bincount(y, weights=training.weight[rows], minlength=n) if n else np.zeros(0)
    return Risk.of(algorithm, training.classes, weights.astype(np.float64), training.places)


def _with_surrogates(training: TrainingSet, algorithm: Algorithm, rows: NDArray[np.int64], risk: Risk) -> Tree:
    """Grow a tree that asks surrogates, and keep the splits that are worth it."""
    source = surrogate_rows_of(
        training.table, training.target.values, training.weight, training.row_weight, algorithm, risk, rows
    )
    tree = grow(source, algorithm, training.target.name, training.classes, training.weighted, risk=risk)
    assert tree.risk is not None
    alpha = algorithm.cp * float(tree.risk[0]) if risk.alpha is None else risk.alpha
    return kept_by_complexity(tree, alpha)
