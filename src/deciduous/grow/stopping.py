"""Why nodes become leaves before any split is looked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.algorithm import Algorithm
from deciduous.grow.nodes import Nodes
from deciduous.model.reason import Reason
from deciduous.search.conventions import CONVENTIONS, TIE


def too_light(nodes: Nodes, algorithm: Algorithm) -> NDArray[np.bool_]:
    """Return which nodes surely have no candidate: two branches of the weight `min_cases` would be more than they have.

    Where rows go in parts, most nodes are of this kind: many entries of little weight.
    """
    light: NDArray[np.bool_] = nodes.weight < least_weight(algorithm)
    return light


def least_weight(algorithm: Algorithm) -> float:
    """Return the weight below which a node surely has no candidate."""
    return 2 * CONVENTIONS[algorithm.conventions].least(algorithm.min_cases) * (1 - TIE)


def stop_before_search(nodes: Nodes, depth: NDArray[np.int64], algorithm: Algorithm) -> NDArray[np.uint8]:
    """Return for each node the first rule that makes it a leaf, or `Reason.SPLIT` where a split is to be looked for."""
    reason = np.full(len(nodes), Reason.SPLIT, dtype=np.uint8)
    # The first rule that holds is written last.
    if algorithm.min_impurity > 0:
        reason[nodes.impurity <= algorithm.min_impurity] = Reason.MIN_IMPURITY
    reason[nodes.rows < algorithm.min_samples_split] = Reason.MIN_SAMPLES_SPLIT
    if algorithm.max_depth is not None:
        reason[depth >= algorithm.max_depth] = Reason.MAX_DEPTH
    reason[nodes.pure] = Reason.PURE
    # A few parts of rows may weigh so little that conventions take them for nothing, or for nothing of another class.
    nothing = CONVENTIONS[algorithm.conventions].nothing
    if nothing > 0:
        reason[nodes.statistics.max(axis=1) > nodes.weight - nothing] = Reason.PURE
    reason[(nodes.rows == 0) | (nodes.weight < nothing)] = Reason.EMPTY
    return reason
