"""Whether two trees are comparable, told from where they send the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.workload import Workload

#: Total leaf impurities that differ by less are the same.
SLACK = 1e-9


def distinct_leaves(ids: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return how many leaves hold rows, and the leaf of each row numbered from 0."""
    leaves, codes = np.unique(ids, return_inverse=True)
    return len(leaves), codes


def leaf_impurity(ids: NDArray[Any], y: NDArray[Any], criterion: str) -> float:
    """Return the impurity of the leaves, weighted by their rows: what the tree has left of the criterion.

    Gini and entropy (bits) of classes, entropy for gain ratio too; the mean squared or absolute error of numbers.
    """
    n, codes = distinct_leaves(ids)
    sizes = np.bincount(codes, minlength=n)
    if criterion in ("gini", "entropy", "gain_ratio"):
        counts = np.bincount(codes * (y.max() + 1) + y, minlength=n * (y.max() + 1)).reshape(n, -1)
        shares = counts / sizes[:, None]
        if criterion == "gini":
            impurity = 1 - (shares**2).sum(axis=1)
        else:
            impurity = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1)
        return float((sizes * impurity).sum() / len(y))
    if criterion == "squared_error":
        means = np.bincount(codes, weights=y, minlength=n) / sizes
        return float(((y - means[codes]) ** 2).mean())
    order = np.argsort(codes, kind="stable")
    parts = np.split(y[order], np.cumsum(sizes)[:-1])
    return float(sum(np.abs(part - np.median(part)).sum() for part in parts) / len(y))


def verdict(work: Workload, y: NDArray[Any], ours: NDArray[Any], theirs: NDArray[Any], criterion: str) -> str:
    """Return how a contestant's tree compares with ours of the same criterion.

    `same tree`: as many leaves, and the same rows together in each, hence the same predictions for all training rows.
    `same impurity`: the leaves are as pure, to 1e-9 (trees that break ties otherwise). Else the two impurities.
    """
    n_ours, codes_ours = distinct_leaves(ours)
    n_theirs, codes_theirs = distinct_leaves(theirs)
    by = "" if criterion == work.criterion else f" by {criterion}"
    together = len(np.unique(codes_ours.astype(np.int64) * n_theirs + codes_theirs))
    if n_ours == n_theirs == together:
        return f"same tree{by}"
    left = leaf_impurity(ours, y, criterion), leaf_impurity(theirs, y, criterion)
    if abs(left[0] - left[1]) <= SLACK:
        return f"same impurity{by}, {n_ours:,} leaves of ours"
    return f"differs{by}: impurity {left[1]:.6g}, ours {left[0]:.6g} in {n_ours:,} leaves"
