"""Why a node becomes a leaf before any split is looked for."""

from __future__ import annotations

from deciduous.grow.algorithm import Algorithm
from deciduous.grow.rows import Summary
from deciduous.model.tree import Reason


def stop_before_search(summary: Summary, depth: int, algorithm: Algorithm) -> Reason | None:
    """Return the first rule that makes a node a leaf, or None if a split is to be looked for."""
    if summary.n == 0:
        return Reason.EMPTY
    if summary.pure:
        return Reason.PURE
    if algorithm.max_depth is not None and depth >= algorithm.max_depth:
        return Reason.MAX_DEPTH
    if summary.n < algorithm.min_samples_split:
        return Reason.MIN_SAMPLES_SPLIT
    if algorithm.min_impurity > 0 and summary.impurity <= algorithm.min_impurity:
        return Reason.MIN_IMPURITY
    return None
