"""Categories that cannot come to a node are taken out of its question: Release 8 does so in pruned trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.model.tree import Tree
from deciduous.prune.subtree import rearranged

Flags = NDArray[np.bool_]


def without_impossible(tree: Tree) -> Tree:
    """Return the tree in which the last branch of value groups names no category that the questions above sent
    elsewhere; a branch that then names none, and has no rows, goes.

    That branch holds the categories that the node did not have (see `best_groups`), those that cannot come to it among
    them. No row is answered otherwise.
    """
    if not (tree.kind == SplitKind.GROUPS).any():
        return tree
    branch, n_branches = tree.category_branch.copy(), tree.n_branches.copy()
    possible: dict[int, dict[int, Flags]] = {0: {}}  # of inner nodes: by column, where a question above asked for it
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        here, feature = possible.pop(node), int(tree.feature[node])
        own = branch[tree.category_start[node] : tree.category_start[node + 1]]
        first, n = int(tree.first_child[node]), int(n_branches[node])
        if tree.kind[node] == SplitKind.GROUPS and feature in here:
            own[(own == n - 1) & ~here[feature]] = -1
            n_branches[node] -= not (own == n - 1).any() and tree.n_samples[first + n - 1] == 0
        for child in range(first, first + n):
            if not tree.is_leaf[child]:
                possible[child] = here | ({feature: own == child - first} if len(own) else {})
    if (n_branches == tree.n_branches).all():
        return replace(tree, category_branch=branch)
    return rearranged(replace(tree, category_branch=branch), tree.first_child, n_branches, np.arange(len(tree)))[0]
