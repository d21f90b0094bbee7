"""Walks over the nodes of a tree that every pruner needs: linear loops, no recursion.

A node comes after its parent, so that running through the nodes backwards sees children before their parent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.search.contingency import TIE

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def slack_of(costs: Floats) -> float:
    """Return the difference, above 0, up to which sums of these costs are taken as equal."""
    return max(TIE * float(np.abs(costs).max(initial=0.0)), float(np.finfo(np.float64).tiny))


def sum_of_leaves(tree: Tree, values: Floats, own: Floats | None = None) -> Floats:
    """Return for each node the sum of `values` over the leaves below it (a leaf: its own), shape (nodes,).

    `own`: what an inner node adds to the sum of its branches, for example the cost of its question.
    """
    return sum_up(tree, np.where(tree.is_leaf, values, 0.0 if own is None else own))


def sum_up(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of `values` over it and all nodes below it, shape (nodes,)."""
    sums, parents = values.tolist(), tree.parent.tolist()
    for node in range(len(sums) - 1, 0, -1):
        sums[parents[node]] += sums[node]
    return np.array(sums)


def sum_of_children(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of `values` over its children, shape (nodes,); 0 for a leaf."""
    sums: Floats = np.bincount(tree.parent[1:], weights=values[1:], minlength=len(tree)).astype(np.float64)
    return sums


def least_cost(tree: Tree, as_leaf: Floats, own: Floats | None = None, slack: float = 0.0) -> tuple[Mask, Floats]:
    """Choose from below between a leaf and the best that is below it.

    A node becomes a leaf if `as_leaf <= own + sum over its branches of their least costs + slack`: of equal ones the
    smaller tree. Returns which inner nodes become leaves, and the least cost of each node; shapes (nodes,).
    """
    below = np.where(tree.is_leaf, as_leaf, 0.0 if own is None else own).tolist()
    leaf_costs, parents, is_leaf = as_leaf.tolist(), tree.parent.tolist(), tree.is_leaf.tolist()
    collapse = np.zeros(len(tree), dtype=bool)
    for node in range(len(below) - 1, -1, -1):
        if not is_leaf[node] and leaf_costs[node] <= below[node] + slack:
            collapse[node] = True
            below[node] = leaf_costs[node]
        if node:
            below[parents[node]] += below[node]
    return collapse, np.array(below)


def least_above(tree: Tree, values: NDArray[np.generic], at_root: float) -> NDArray[np.generic]:
    """Return for each node the least of `values` among the nodes above it, itself left out, shape (nodes,)."""
    own, parents = values.tolist(), tree.parent.tolist()
    least = [at_root] * len(own)
    for node in range(1, len(own)):
        parent = parents[node]
        least[node] = min(least[parent], own[parent])
    return np.array(least, dtype=values.dtype)


@dataclass(frozen=True, eq=False)
class Preorder:
    """Numbers of the nodes in preorder: those below node i, and it itself, are `first[i] ... last[i] - 1`."""

    first: Ints
    last: Ints


def preorder(tree: Tree) -> Preorder:
    """Return the preorder numbers of the nodes."""
    parents = tree.parent.tolist()
    size = [1] * len(parents)
    for node in range(len(size) - 1, 0, -1):
        size[parents[node]] += size[node]
    first, free = [0] * len(size), [1] * len(size)  # the next free number among the children of a node
    for node in range(1, len(size)):
        parent = parents[node]
        first[node] = free[parent]
        free[parent] += size[node]
        free[node] = first[node] + 1
    starts = np.array(first, dtype=np.int64)
    return Preorder(starts, starts + np.array(size, dtype=np.int64))
