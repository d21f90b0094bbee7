"""The shares of a split: where a row goes whose cell is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    "surrogates": "the gain counts the known rows, times their share; a missing row is sent by the first surrogate "
    "split that knows it",
}


def shares_of(
    policy: str, weights: Floats, branch_start: NDArray[np.int64], missing_branch: NDArray[np.int64]
) -> Floats:
    """Return the share of a missing row that goes to each branch of each split of a batch, ragged like `weights`.

    `weights`: the weights of the branches in the contingency table, those of split i from `branch_start[i]` on;
    `missing_branch`: where the search counted missing rows, or -1 if the node had none (or the policy leaves them
    out): then the heaviest branch takes them, the first of equals. With `fractional` the shares are those of the
    known weight (Quinlan 1993, section 3.2). With `error` nothing is sent anywhere,
    nor with `surrogates`, whose shares are known once the rows are divided.
    """
    shares = np.zeros(len(weights))
    if policy in ("error", "surrogates") or not len(weights):
        return shares
    starts, lengths = branch_start[:-1], branch_start[1:] - branch_start[:-1]
    if policy == "fractional":
        total = np.repeat(np.add.reduceat(weights, starts), lengths)
        even = np.repeat(1.0 / lengths, lengths)
        np.divide(weights, total, out=even, where=total > 0)
        return even
    branch = np.where(missing_branch >= 0, missing_branch, heaviest(weights, branch_start))
    shares[starts + branch] = 1.0
    return shares


def heaviest(weights: Floats, branch_start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each split the first branch whose weight is the largest, up to rounding."""
    starts = branch_start[:-1]
    if len(weights) == 2 * len(starts):  # two branches each
        left, right = weights[::2], weights[1::2]
        return (left < np.maximum(left, right) * (1 - TIE)).astype(np.int64)
    most = np.repeat(np.maximum.reduceat(weights, starts), branch_start[1:] - starts)
    among = np.flatnonzero(weights >= most * (1 - TIE))
    first: NDArray[np.int64] = among[np.searchsorted(among, starts)] - starts
    return first
