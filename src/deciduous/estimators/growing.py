"""From a training set to a full tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.grower import grow
from deciduous.grow.sources import joint_rows_of, rows_of
from deciduous.model.tree import Tree


def grow_on(training: TrainingSet, algorithm: Algorithm, rows: NDArray[np.int64]) -> Tree:
    """Return the tree that some of the rows grow."""
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
