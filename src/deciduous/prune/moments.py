"""Moments of numbers about their mean, added up from the leaves of a tree to its root without losing digits."""

from __future__ import annotations

import numpy as np

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.walk import Ints


def central_moments(tree: Tree, nodes: Ints, values: Floats, weight: Floats) -> tuple[Floats, ...]:
    """Return weight, mean, and sums of the 2nd, 3rd and 4th powers of deviations from it, of what passes each node.

    `values[i]`, of weight `weight[i]`, ends in `nodes[i]`. Two groups are joined by the rules of Pebay (2008, section
    2), which take differences of means and never of large sums.
    """
    n = len(tree)
    own_weight = np.bincount(nodes, weights=weight, minlength=n)
    mean = np.bincount(nodes, weights=weight * values, minlength=n) / np.where(own_weight > 0, own_weight, 1.0)
    gap = values - mean[nodes]
    powers = [np.bincount(nodes, weights=weight * gap**k, minlength=n) for k in (2, 3, 4)]
    groups = np.stack([own_weight, mean, *powers], axis=1).tolist()
    parents = tree.parent.tolist()
    for node in range(n - 1, 0, -1):
        if groups[node][0] > 0:
            groups[parents[node]] = _joined(groups[parents[node]], groups[node])
    return tuple(np.array(groups, dtype=np.float64).T)


def _joined(one: list[float], other: list[float]) -> list[float]:
    if one[0] == 0:
        return other
    (a, mean, a2, a3, a4), (b, other_mean, b2, b3, b4) = one, other
    n, gap = a + b, other_mean - mean
    second = a2 + b2 + gap**2 * a * b / n
    third = a3 + b3 + gap**3 * a * b * (a - b) / n**2 + 3 * gap * (a * b2 - b * a2) / n
    fourth = (
        a4
        + b4
        + gap**4 * a * b * (a * a - a * b + b * b) / n**3
        + 6 * gap**2 * (a * a * b2 + b * b * a2) / n**2
        + 4 * gap * (a * b3 - b * a3) / n
    )
    return [n, mean + gap * b / n, second, third, fourth]


def about(point: Floats, moments: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return the sums of squares and of fourth powers of deviations from other points than the means."""
    weight, mean, second, third, fourth = moments
    gap = mean - point
    squares = second + weight * gap**2
    return squares, np.maximum(fourth + 4 * gap * third + 6 * gap**2 * second + weight * gap**4, 0.0)
