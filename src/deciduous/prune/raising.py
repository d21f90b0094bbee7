"""Raising: a branch takes the place of the node above it, with all rows of that node (Quinlan 1993, chapter 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.ragged import lengths_of, take
from deciduous.model.tree import Tree
from deciduous.prune.draft import Draft, Estimate
from deciduous.prune.entries import Entries, entries_of_root
from deciduous.prune.restated import restated
from deciduous.prune.rows import LabelledRows
from deciduous.prune.subtree import descendants, rearranged


class RaisingDraft(Draft):
    """A draft that knows the training rows, so that branches can be raised.

    When a branch is raised, its questions divide all rows of the node anew, and missing cells are shared out by the
    weights that come out. `entries[node]`: its rows. Few nodes need theirs: they are found from those of the node
    above (which is then among the `divided`) when they are asked for, and let go when that is decided. `keeps_class`:
    see `PruningConventions`.
    """

    def __init__(self, tree: Tree, estimate: Estimate, rows: LabelledRows, *, keeps_class: bool) -> None:
        super().__init__(tree, estimate)
        self.rows, self.keeps_class = rows, keeps_class
        self.codes = rows.target.astype(np.int32)
        self.entries: dict[int, Entries] = {0: entries_of_root(tree, rows)}
        self.divided: set[int] = set()
        self.parent = tree.parent.tolist()
        self.by_known = tree.options["missing"] == "fractional"
        self.category_branch = with_every_category(tree)
        self._rearranged = (
            *(self.first_child, self.n_branches, self.question),  # which change
            *(tree.feature, tree.kind, tree.threshold, tree.category_start, self.category_branch, tree.share),
            rows.table.columns,
        )
        self.raised = np.zeros(len(tree), dtype=np.bool_)

    def fare(self, node: int, branch: int) -> float:
        """Return the estimated errors of a branch if all rows of its node, whose branches are decided, came to it."""
        if self.is_leaf(branch):
            return self.as_leaf[node]
        return float(self.estimate(*self._if_raised(node, branch)).sum())

    def leaves_if_raised(self, node: int, branch: int) -> tuple[tuple[float, float], ...]:
        """Return the weight and the errors of each leaf of a branch if all rows of its node came to it."""
        if self.is_leaf(branch):
            return ((self.weight[node], self.errors[node]),)
        n, errors = self._if_raised(node, branch)
        return tuple(zip(n.tolist(), errors.tolist(), strict=True))

    def _if_raised(self, node: int, branch: int) -> tuple[Floats, Floats]:
        weights = self._weigh(branch, self.entries_of(node))[1]
        weight = weights.sum(axis=1)
        return weight, weight - weights.max(axis=1)

    def entries_of(self, node: int) -> Entries:
        """Return the rows of a node."""
        above = [node]
        while above[-1] not in self.entries:
            above.append(self.parent[above[-1]])
        for parent in above[:0:-1]:
            self._divide(parent)
        return self.entries[node]

    def _divide(self, node: int) -> None:
        """Find the rows of those branches of a node that ask a question."""
        self.divided.add(node)
        children = self.children(node)
        below = self.first_child[children.start : children.stop].copy()
        self.first_child[children.start : children.stop] = -1  # the rows go no further
        here = self.entries[node]
        _, counts, rows, weight = kernels.redistribute(node, self.by_known, *self._rearranged, here.rows, here.weight)
        self.first_child[children.start : children.stop] = below
        ends = np.cumsum(counts[1:])
        for i in np.flatnonzero(below >= 0).tolist():
            part = slice(int(ends[i] - counts[i + 1]), int(ends[i]))
            self.entries[children[i]] = Entries(rows[part], weight[part])

    def settle(self, node: int) -> None:
        """Let the rows of the branches of a node go, which is decided."""
        if node in self.divided:
            self.divided.remove(node)
            for child in self.children(node):
                self.entries.pop(child, None)

    def _weigh(self, branch: int, entries: Entries) -> tuple[NDArray[np.int32], Floats]:
        """Return the leaves of a branch and their class weights, shape (leaves, classes), if rows are sent into it."""
        n = len(self.tree.classes)
        leaves, weights = kernels.weigh_leaves(
            branch, self.by_known, *self._rearranged, self.codes, n, entries.rows, entries.weight
        )
        return leaves, weights.reshape(len(leaves), n)

    def raise_branch(self, node: int, branch: int) -> list[int]:
        """Put a branch in the place of its node, with all rows of the node; return the nodes to decide anew.

        They come in increasing order, so that the last ones are decided first.
        """
        leaves, of_leaves = self._weigh(branch, self.entries_of(node))
        self.settle(node)
        self.first_child[node], self.n_branches[node] = self.first_child[branch], self.n_branches[branch]
        self.question[node] = self.question[branch]
        nodes = [node]
        for here in nodes:  # grows on the way
            if not self.is_leaf(here):
                nodes.extend(self.children(here))
                self.settle(here)
                for child in self.children(here):
                    self.parent[child] = here
        self._count(nodes, dict(zip(leaves.tolist(), of_leaves, strict=True)))
        self.raised[nodes] = False
        self.raised[node] = True
        return sorted(nodes)

    def _count(self, nodes: list[int], of_leaves: dict[int, Floats]) -> None:
        """Note what nodes weigh, each after its parent; `of_leaves`: the class weights of the leaves among them."""
        place = {node: i for i, node in enumerate(nodes)}
        sums = np.zeros((len(nodes), len(self.tree.classes)))
        for i in range(len(nodes) - 1, -1, -1):
            below = None if self.is_leaf(nodes[i]) else [place[child] for child in self.children(nodes[i])]
            sums[i] = of_leaves[nodes[i]] if below is None else sums[below].sum(axis=0)
        weight = sums.sum(axis=1)
        errors = weight - sums.max(axis=1)
        figures = zip(nodes, weight.tolist(), errors.tolist(), self.estimate(weight, errors).tolist(), strict=True)
        for node, of_rows, of_errors, estimate in figures:
            self.weight[node], self.errors[node], self.as_leaf[node] = of_rows, of_errors, estimate

    def freeze(self) -> Tree:
        """Return the pruned tree; below raised branches all is counted anew."""
        if not self.raised.any():
            return super().freeze()
        tree, old = rearranged(self.tree, self.first_child, self.n_branches, self.question)
        raised = self.raised[old] & ~tree.is_leaf
        raised &= ~descendants(tree, raised)
        if not raised.any():  # all became leaves, or went with what was above them
            return tree
        entries = {node: self.entries_of(int(old[node])) for node in np.flatnonzero(raised).tolist()}
        asked = self.question[old]
        every_category = take(self.tree.category_start, self.category_branch, asked[~tree.is_leaf])[1]
        return restated(tree, entries, self.rows, every_category, self.tree.value[asked] if self.keeps_class else None)


def with_every_category(tree: Tree) -> NDArray[np.int32]:
    """Return `category_branch` with a branch for every category: of those that a question does not know the heaviest
    one, or `the rest` of one category against the rest.
    """
    owner = np.repeat(np.arange(len(tree)), lengths_of(tree.category_start))
    branches = tree.category_branch.copy()
    for node in np.unique(owner[branches < 0]).tolist():
        own = branches[tree.category_start[node] : tree.category_start[node + 1]]
        own[own < 0] = branch_of_others(tree, node)
    return branches


def branch_of_others(tree: Tree, node: int) -> int:
    """Return the branch that categories take which the question of a node does not know."""
    split = tree.split(node)
    if split.kind == SplitKind.ONE_VS_REST:
        return 1
    first = int(tree.first_child[node])
    weight = tree.weight[first : first + split.n_branches].copy()
    if split.missing_branch >= 0:
        weight[split.missing_branch] = -1.0
    return int(np.argmax(weight))
