"""From a training set to a full tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.grower import grow
from deciduous.grow.sources import rows_of
from deciduous.model.tree import Tree


def grow_on(training: TrainingSet, algorithm: Algorithm, rows: NDArray[np.int64]) -> Tree:
    """Return the tree that some of the rows grow."""
    source = rows_of(training.table, training.target.values, training.weight, algorithm, len(training.classes), rows)
    return grow(source, algorithm, training.target.name, training.classes, training.weighted)
