"""From a training set to a full tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.estimators.training import TrainingSet, of_rows
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.grower import grow
from deciduous.grow.risk import Risk
from deciduous.grow.sources import SurrogateSource, joint_rows_of, rows_of
from deciduous.model.tree import Tree
from deciduous.prune.complexity import kept_by_complexity


def grow_on(training: TrainingSet, algorithm: Algorithm, rows: NDArray[np.int64]) -> Tree:
    """Return the tree that some of the rows grow."""
    if algorithm.missing == "surrogates":
        return grow_with_surrogates(surrogate_source(training, algorithm), training, algorithm, rows)
    algorithm = algorithm.for_rows(len(rows))
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
    y = of_rows(training.target.values, rows)
    weights = np.bincount(y, weights=of_rows(training.weight, rows), minlength=n) if n else np.zeros(0)
    return Risk.of(algorithm, training.classes, weights.astype(np.float64), training.places)


def surrogate_source(training: TrainingSet, algorithm: Algorithm) -> SurrogateSource:
    """Return the source of all trees that grow on some of the rows and ask surrogates."""
    weights = training.weight, training.row_weight
    n_classes = len(training.classes)
    return SurrogateSource(training.table, training.target.values, *weights, algorithm, n_classes, training.rows)


def grow_with_surrogates(
    source: SurrogateSource,
    training: TrainingSet,
    algorithm: Algorithm,
    rows: NDArray[np.int64],
    risk: Risk | None = None,
) -> Tree:
    """Return the tree that some of the rows grow, with the splits that are worth it; `risk`: what wrong answers cost,
    where it is known already.
    """
    algorithm = algorithm.for_rows(len(rows))
    risk = risk_of(training, algorithm) if risk is None else risk
    of_fold = source.rows(algorithm, risk, rows)
    tree = grow(of_fold, algorithm, training.target.name, training.classes, training.weighted, risk=risk)
    if tree.complexity is not None:
        return tree
    assert tree.risk is not None
    return kept_by_complexity(tree, algorithm.cp * float(tree.risk[0]) if risk.alpha is None else risk.alpha)
