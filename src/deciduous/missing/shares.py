"""The shares of a split: where a row goes whose cell is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciduous.measures import Floats
from deciduous.search.contingency import TIE

#: The policies for missing cells, each with the sentence that explains it.
POLICIES = {
    "error": "a missing cell is an error",
    "majority": "the gain counts the known rows, times their share; missing rows follow the heaviest branch",
    "branch": "missing rows have a branch of their own",
    "direction": "missing rows are tried on each side, and the better one is kept",
    "fractional": "the gain counts the known rows, times their share; a missing row goes down every branch with "
    "a part of its "
    "weight",
}


def shares_of(policy: str, weights: Sequence[float], missing_branch: int) -> Floats:
    """Return the share of a missing row that goes to each branch, shape (branches,).

    `weights`: the weights of the branches in the contingency table; `missing_branch`: where the search counted
    missing rows, or -1 if the node had none (or the policy leaves them out): then the heaviest branch takes them, the
    first of equals. With `fractional` the shares are those of the known weight (Quinlan 1993, section 3.2). With
    `error` nothing is sent anywhere.
    """
    if policy == "error":
        return np.zeros(len(weights))
    if policy == "fractional":
        total = sum(weights)
        return np.array([w / total for w in weights] if total > 0 else [1.0 / len(weights)] * len(weights))
    whole = np.zeros(len(weights))
    whole[missing_branch if missing_branch >= 0 else heaviest(weights)] = 1.0
    return whole


def heaviest(weights: Sequence[float]) -> int:
    """Return the first branch whose weight is the largest, up to rounding."""
    least = max(weights) * (1 - TIE)
    return next(b for b, w in enumerate(weights) if w >= least)
