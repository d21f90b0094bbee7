"""A tree while it is pruned: nodes become leaves, or a branch takes the place of the node above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import class_owner
from deciduous.prune.entries import Entries
from deciduous.prune.subtree import rearranged

Estimate = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Sent:
    """Rows of a node that were sent into one of its branches.

    `nodes`: those from the branch on, each after its parent; `entries`: those that ended, leaf after leaf, `counts` of
    them in each of the `leaves`; `class_weights`: of the leaves if all rows of the node are in the branch, shape
    (leaves, classes).
    """

    nodes: NDArray[np.int32]
    leaves: NDArray[np.int32]
    counts: NDArray[np.int64]
    entries: Entries
    class_weights: Floats


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

    def put_together(self, node: int) -> None:
        """Note that the branches of a node are decided."""

    def fare(self, node: int, branch: int) -> tuple[float, Sent | None]:
        """Return what a branch would err with all rows of its node: no branch is raised here."""
        return np.inf, None

    def raise_branch(self, node: int, branch: int, sent: Sent) -> list[int]:
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
