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
from deciduous.prune.entries import Entries, entries_of_leaves, joined, merged
from deciduous.prune.restated import restated
from deciduous.prune.rows import LabelledRows
from deciduous.prune.subtree import descendants, rearranged


class RaisingDraft(Draft):
    """A draft that knows the training rows, so that branches can be raised.

    When a branch is raised, its questions divide all rows of the node anew, and missing cells are shared out by the
    weights that come out. `parts[node]`: its rows, in pieces, if the node is decided and the one above it is not; then
    those below it have none. `keeps_class`: see `PruningConventions`.
    """

    def __init__(self, tree: Tree, estimate: Estimate, rows: LabelledRows, *, keeps_class: bool) -> None:
        super().__init__(tree, estimate)
        self.rows, self.keeps_class = rows, keeps_class
        self.codes = rows.target.astype(np.int32)
        self.parts = entries_of_leaves(tree, rows)
        self.by_known = tree.options["missing"] == "fractional"
        self.shares_out = self._of_columns_with_gaps()
        self.shares_below = [False] * len(tree)  # a node, or one below it
        self.category_branch = with_every_category(tree)
        self._rearranged = (
            *(self.first_child, self.n_branches, self.question),  # which change
            *(tree.feature, tree.kind, tree.threshold, tree.category_start, self.category_branch, tree.share),
            rows.table.columns,
        )
        self.raised = np.zeros(len(tree), dtype=np.bool_)
        self._class_weights: dict[int, Floats] = {}  # of nodes whose rows were divided anew

    def _of_columns_with_gaps(self) -> list[bool]:
        """Return which questions share out missing cells, by weights that change with the rows that come."""
        gaps = [
            column is not None and bool((np.isnan(column) if column.dtype == np.float64 else column < 0).any())
            for column in self.rows.table.columns
        ]
        found: list[bool] = (np.array([*gaps, False])[self.tree.feature] & self.by_known).tolist()
        return found

    def fare(self, node: int, branch: int) -> float:
        """Return the estimated errors of a branch if all rows of its node, whose branches are decided, came to it.

        Where no row is shared out below, those of the branch stay where they are, and only the others are sent.
        """
        if self.is_leaf(branch):
            self._put_together(node)
            return self.as_leaf[node]
        if self.shares_below[branch]:
            self._put_together(node)
            self._merge(node)
            weights = self._weigh(branch, self.parts[node])[1]
        else:
            others = [part for child in self.children(node) if child != branch for part in self.parts[child]]
            self._put_together(node)
            leaves, weights = self._weigh(branch, others)
            weights += self._weights_of(leaves)
        weight = weights.sum(axis=1)
        return float(self.estimate(weight, weight - weights.max(axis=1)).sum())

    def _put_together(self, node: int) -> None:
        """Take the rows of a node over from its branches."""
        children = self.children(node)
        shares_below = [self.shares_below[child] for child in children]
        self.shares_below[node] = self.shares_out[self.question[node]] or any(shares_below)
        largest = max(children, key=lambda child: len(self.parts[child]))
        parts = self.parts[largest]
        for child in children:
            if child != largest:
                parts.extend(self.parts[child])
            self.parts[child] = []
        self.parts[node] = parts

    def _merge(self, node: int) -> None:
        """Put the rows of a node together in one piece."""
        self.parts[node] = [merged(self.parts[node], self.rows.table.n_rows)]

    def make_leaf(self, node: int) -> None:
        """Let what is below a node go."""
        super().make_leaf(node)
        self.shares_below[node] = False

    def _weigh(self, branch: int, parts: list[Entries]) -> tuple[NDArray[np.int32], Floats]:
        """Return the leaves of a branch and their class weights, shape (leaves, classes), if rows are sent into it."""
        entries, n = joined(parts), len(self.tree.classes)
        leaves, weights = kernels.weigh_leaves(
            branch, self.by_known, *self._rearranged, self.codes, n, entries.rows, entries.weight
        )
        return leaves, weights.reshape(len(leaves), n)

    def _weights_of(self, leaves: NDArray[np.int32]) -> Floats:
        """Return the class weights that leaves have by now, shape (leaves, classes)."""
        starts, codes = take(self.tree.class_start, self.tree.class_code, leaves)
        weights = np.zeros((len(leaves), len(self.tree.classes)))
        line = np.repeat(np.arange(len(leaves)), lengths_of(starts))
        weights[line, codes] = take(self.tree.class_start, self.tree.class_weight, leaves)[1]
        if self._class_weights:
            for i, leaf in enumerate(leaves.tolist()):
                if leaf in self._class_weights:
                    weights[i] = self._class_weights[leaf]
        return weights

    def raise_branch(self, node: int, branch: int) -> list[int]:
        """Put a branch in the place of its node, with all rows of the node; return the nodes to decide anew.

        They come in increasing order, so that the last ones are decided first.
        """
        self._merge(node)
        entries, n_classes = self.parts[node][0], len(self.tree.classes)
        sent, counts, rows, weight = kernels.redistribute(
            branch, self.by_known, *self._rearranged, entries.rows, entries.weight
        )
        self.first_child[node], self.n_branches[node] = self.first_child[branch], self.n_branches[branch]
        self.question[node] = self.question[branch]
        nodes = [node, *sent[1:].tolist()]
        self.parts[node] = []
        sums = np.zeros((len(nodes), n_classes))
        begin = 0
        for i, here in enumerate(nodes):
            if self.is_leaf(here):
                part = slice(begin, begin + int(counts[i]))
                begin = part.stop
                self.parts[here] = [Entries(rows[part], weight[part])]
                sums[i] = np.bincount(self.codes[rows[part]], weights=weight[part], minlength=n_classes)
        self._count(nodes, sums)
        self.raised[nodes] = False
        self.raised[node] = True
        return sorted(nodes)

    def _count(self, nodes: list[int], sums: Floats) -> None:
        """Note what nodes weigh, each after its parent; `sums`: the class weights of the leaves among them, shape
        (nodes, classes).
        """
        place = {node: i for i, node in enumerate(nodes)}
        for i in range(len(nodes) - 1, -1, -1):
            if not self.is_leaf(nodes[i]):
                sums[i] = sums[[place[child] for child in self.children(nodes[i])]].sum(axis=0)
        weight = sums.sum(axis=1)
        errors = weight - sums.max(axis=1)
        figures = zip(nodes, weight.tolist(), errors.tolist(), self.estimate(weight, errors).tolist(), strict=True)
        for node, of_rows, of_errors, estimate in figures:
            self.weight[node], self.errors[node], self.as_leaf[node] = of_rows, of_errors, estimate
        self._class_weights.update(zip(nodes, sums, strict=True))

    def freeze(self) -> Tree:
        """Return the pruned tree; below raised branches all is counted anew."""
        if not self.raised.any():
            return super().freeze()
        tree, old = rearranged(self.tree, self.first_child, self.n_branches, self.question)
        raised = self.raised[old] & ~tree.is_leaf
        raised &= ~descendants(tree, raised)
        if not raised.any():  # all became leaves, or went with what was above them
            return tree
        stub, place = rearranged(tree, np.where(raised, -1, tree.first_child), tree.n_branches, np.arange(len(tree)))
        parts = entries_of_leaves(stub, self.rows)
        entries = {node: parts[i][0] for i, node in enumerate(place.tolist()) if raised[node]}
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
