"""A tree while it is pruned: nodes become leaves, or a branch takes the place of the node above it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import class_owner
from deciduous.prune.subtree import rearranged

Estimate = Callable[[Floats, Floats], Floats]


class Draft:
    """The nodes as they are by now, with what each would err as a leaf; branches stay where they are.

    `estimate`: from weights and errors to estimated errors. Nodes keep the numbers that they have in the tree.
    """

    def __init__(self, tree: Tree, estimate: Estimate) -> None:
        self.tree, self.estimate = tree, estimate
        self.first_child, self.n_branches = tree.first_child.copy(), tree.n_branches.copy()
        self.question = np.arange(len(tree), dtype=np.int32)
        errors = tree.weight - _heaviest(tree)
        self.weight: list[float] = tree.weight.tolist()
        self.errors: list[float] = errors.tolist()
        self.as_leaf: list[float] = estimate(tree.weight, errors).tolist()

    def is_leaf(self, node: int) -> bool:
        """Whether a node asks nothing by now."""
        return bool(self.first_child[node] < 0)

    def children(self, node: int) -> range:
        """Return the nodes below an inner node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_branches[node]))

    def make_leaf(self, node: int) -> None:
        """Let what is below a node go."""
        self.first_child[node], self.n_branches[node] = -1, 0

    def settle(self, node: int) -> None:
        """Take note that a node is decided."""

    def fare(self, node: int, branch: int) -> float:
        """Return the estimated errors of a branch if all rows of its node, whose branches are decided, came to it:
        infinite, no branch is raised here.
        """
        return math.inf

    def leaves_if_raised(self, node: int, branch: int) -> tuple[tuple[float, float], ...]:
        """Return the weight and the errors of each leaf of a branch if all rows of its node came to it; none here."""
        return ()

    def raise_branch(self, node: int, branch: int) -> list[int]:
        """Put a branch in the place of its node; return the nodes to decide anew."""
        raise NotImplementedError

    def freeze(self) -> Tree:
        """Return the pruned tree."""
        if (self.first_child == self.tree.first_child).all():
            return self.tree
        return rearranged(self.tree, self.first_child, self.n_branches, self.question)[0]


def _heaviest(tree: Tree) -> Floats:
    """Return the weight of the heaviest class of each node, shape (nodes,)."""
    heaviest = np.zeros(len(tree))
    np.maximum.at(heaviest, class_owner(tree), tree.class_weight)
    return heaviest
