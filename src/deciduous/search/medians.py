"""Weighted medians and absolute errors of many sets of rows at once, in O(log n) steps over all of them.

The rows stand in some order, and a set is a union of ranges of that order. The numbers are replaced by their ranks,
and the ranks are divided bit by bit, the highest first, as in a wavelet matrix (Claude, Navarro and Ordonez 2015): on
every level the rows whose bit is 0 are moved, in order, before those whose bit is 1, so that a range becomes one range
of each kind. Every set then goes towards its median: to the 0s if they and what was passed below hold half of its
weight, else to the 1s. O(n log n) for all prefixes of n rows; nothing is kept between levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous.deviations import HALF_SLACK
from deciduous.measures import Floats

Places = NDArray[np.int64]


def summaries(y: Floats, weight: Floats, low: Places, high: Places) -> Floats:
    """Return (weight, weighted median, mean absolute deviation from it) of sets of rows, shape (..., 3).

    `y`, `weight`: shape (rows,), weights above 0; `low`, `high`: the ranges [low, high) of each set, without overlap,
    shape (..., ranges). An empty set has zeros. The median is where the cumulated weight passes half of the set's, and
    the midpoint of two values where it is half exactly, to 1e-10 of it.
    """
    if not len(y):
        return np.zeros((*low.shape[:-1], 3))
    distinct, ranks = np.unique(y, return_inverse=True)
    weighted = weight * y
    total, total_y = _within(_cumulated(weight), low, high), _within(_cumulated(weighted), low, high)
    half, slack = total / 2, HALF_SLACK * total
    targets = np.stack([half - slack, half + slack])
    rank, below, below_y = _descend(ranks, weight, weighted, low, high, targets)
    lower, upper = distinct[rank]
    median = np.where(lower == upper, lower, lower / 2 + upper / 2)
    above, above_y = total - below, total_y - below_y
    # between the two middle values every point has the same error; at the lower one the sums are at hand
    error = np.maximum((lower * below - below_y) + (above_y - lower * above), 0.0)
    filled = (high - low).sum(axis=-1) > 0
    deviation = np.where(total > 0, error / np.where(total > 0, total, 1.0), 0.0)
    return np.stack([total, np.where(filled, median, 0.0), deviation], axis=-1)


def _cumulated(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


def _within(cumulated: NDArray[np.generic], low: Places, high: Places) -> Floats:
    """Return sums over sets by the sums over prefixes."""
    sums: Floats = (cumulated[high] - cumulated[low]).sum(axis=-1)  # type: ignore[operator]
    return sums


def _descend(
    ranks: Places, weight: Floats, weighted: Floats, low: Places, high: Places, targets: Floats
) -> tuple[Places, Floats, Floats]:
    """Return for every set the least rank up to which its weight reaches a target, and for the first target the sums
    of w and w*y below that rank.

    `targets`: shape (targets, ...) with the sets' shape behind.
    """
    low, high = (np.broadcast_to(places, (len(targets), *places.shape)) for places in (low, high))
    rank = np.zeros(targets.shape, dtype=np.int64)
    below, below_y = np.zeros(targets.shape), np.zeros(targets.shape)
    for level in reversed(range(int(ranks.max()).bit_length())):
        zero = (ranks >> level) & 1 == 0
        zeros = np.concatenate([[0], np.cumsum(zero)])
        in_zeros = _within(_cumulated(np.where(zero, weight, 0.0)), low, high)
        in_zeros_y = _within(_cumulated(np.where(zero, weighted, 0.0)), low, high)
        zeros_low, zeros_high = zeros[low], zeros[high]
        n_zeros = (zeros_high - zeros_low).sum(axis=-1)
        n_ones = (high - low).sum(axis=-1) - n_zeros
        # rounding must not lead into a part without rows
        ones = ((below + in_zeros < targets) | (n_zeros == 0)) & (n_ones > 0)
        below, below_y = below + np.where(ones, in_zeros, 0.0), below_y + np.where(ones, in_zeros_y, 0.0)
        rank |= ones.astype(np.int64) << level
        low = np.where(ones[..., None], zeros[-1] + low - zeros_low, zeros_low)
        high = np.where(ones[..., None], zeros[-1] + high - zeros_high, zeros_high)
        order = np.concatenate([np.flatnonzero(zero), np.flatnonzero(~zero)])
        ranks, weight, weighted = ranks[order], weight[order], weighted[order]
    return rank, below[0], below_y[0]
