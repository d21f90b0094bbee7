"""Why nodes become leaves before any split is looked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.algorithm import Algorithm
from deciduous.grow.nodes import Nodes
from deciduous.model.tree import Reason


def stop_before_search(nodes: Nodes, depth: NDArray[np.int64], algorithm: Algorithm) -> NDArray[np.uint8]:
    """Return for each node the first rule that makes it a leaf, or `Reason.SPLIT` where a split is to be looked for."""
    reason = np.full(len(nodes), Reason.SPLIT, dtype=np.uint8)
    rules = [
        (Reason.EMPTY, nodes.rows == 0),
        (Reason.PURE, nodes.pure),
        (Reason.MAX_DEPTH, depth >= (np.inf if algorithm.max_depth is None else algorithm.max_depth)),
        (Reason.MIN_SAMPLES_SPLIT, nodes.rows < algorithm.min_samples_split),
        (Reason.MIN_IMPURITY, (nodes.impurity <= algorithm.min_impurity) & (algorithm.min_impurity > 0)),
    ]
    for rule, holds in reversed(rules):  # so that the first one that holds is written last
        reason[holds] = rule
    return reason
