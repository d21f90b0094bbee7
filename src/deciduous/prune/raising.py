"""Raising: a branch takes the place of the node above it, and all rows of that node come to it (Quinlan 1993, ch. 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.grow.ragged import lengths_of, take
from deciduous.prune.draft import Draft, Estimate, Sent
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
        self.codes = rows.target.astype(np.int64)
        self.parts = entries_of_leaves(tree, rows)
        self.by_known = tree.options["missing"] == "fractional"
        self.shares_out = self._of_columns_with_gaps()
        self.shares_below = [False] * len(tree)  # a node, or one below it
        self.category_branch = with_every_category(tree)
        self.raised = np.zeros(len(tree), dtype=np.bool_)
        self._class_weights: dict[int, Floats] = {}  # of leaves whose rows were divided anew

    def _of_columns_with_gaps(self) -> list[bool]:
        """Return which questions share out missing cells, by weights that change with the rows that come."""
        gaps = [
            column is not None and bool((np.isnan(column) if column.dtype == np.float64 else column < 0).any())
            for column in self.rows.table.columns
        ]
        found: list[bool] = (np.array([*gaps, False])[self.tree.feature] & self.by_known).tolist()
        return found

    def put_together(self, node: int) -> None:
        """Take the rows of a node over from its branches, which are decided."""
        children = self.children(node)
        self.shares_below[node] = self.shares_out[self.question[node]] or any(
            self.shares_below[child] for child in children
        )
        largest = max(children, key=lambda child: len(self.parts[child]))
        parts = self.parts[largest]
        for child in children:
            if child != largest:
                parts.extend(self.parts[child])
            self.parts[child] = []
        self.parts[node] = parts

    def make_leaf(self, node: int) -> None:
        """Let what is below a node go."""
        super().make_leaf(node)
        self.shares_below[node] = False

    def fare(self, node: int, branch: int) -> tuple[float, Sent]:
        """Put the rows of a node together; return the estimated errors of a branch if all of them came to it.

        Where the branch shares out no row, those that it has stay where they are, and only the others are sent.
        """
        others = [part for child in self.children(node) if child != branch for part in self.parts[child]]
        self.put_together(node)
        if self.shares_below[branch]:
            sent = self._send_all(node, branch)
        else:
            sent = self._send(branch, joined(others))
            sent.class_weights[:] += self._weights_of(sent.leaves)
        weight = sent.class_weights.sum(axis=1)
        return float(self.estimate(weight, weight - sent.class_weights.max(axis=1)).sum()), sent

    def _send_all(self, node: int, branch: int) -> Sent:
        self.parts[node] = [merged(self.parts[node])]
        return self._send(branch, self.parts[node][0])

    def _send(self, branch: int, entries: Entries) -> Sent:
        tree = self.tree
        nodes, counts, rows, weight = kernels.redistribute(
            branch,
            self.by_known,
            self.first_child,
            self.n_branches,
            self.question,
            tree.feature,
            tree.kind,
            tree.threshold,
            tree.category_start,
            self.category_branch,
            tree.share,
            self.rows.table.columns,
            entries.rows,
            entries.weight,
        )
        is_leaf = self.first_child[nodes] < 0
        leaf_counts = counts[is_leaf]
        n, n_classes = len(leaf_counts), len(tree.classes)
        cells = np.repeat(np.arange(n), leaf_counts) * n_classes + self.codes[rows]
        weights = np.bincount(cells, weights=weight, minlength=n * n_classes).astype(np.float64)
        return Sent(nodes, nodes[is_leaf], leaf_counts, Entries(rows, weight), weights.reshape(n, n_classes))

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

    def raise_branch(self, node: int, branch: int, sent: Sent) -> list[int]:
        """Put a branch in the place of its node, with all rows of the node; return the nodes to decide anew.

        `sent`: what `fare` found. The nodes come in increasing order, so that the last ones are decided first.
        """
        if not self.shares_below[branch]:
            sent = self._send_all(node, branch)
        self.first_child[node], self.n_branches[node] = self.first_child[branch], self.n_branches[branch]
        self.question[node] = self.question[branch]
        nodes = sent.nodes.tolist()
        nodes[0] = node
        self.parts[node] = []
        ends = np.cumsum(sent.counts).tolist()
        for i, leaf in enumerate(sent.leaves.tolist()):
            part = slice(ends[i] - int(sent.counts[i]), ends[i])
            self.parts[leaf] = [Entries(sent.entries.rows[part], sent.entries.weight[part])]
            self._class_weights[leaf] = sent.class_weights[i]
        self._count(nodes, dict(zip(sent.leaves.tolist(), sent.class_weights, strict=True)))
        self.raised[nodes] = False
        self.raised[node] = True
        return sorted(nodes)

    def _count(self, nodes: list[int], of_leaves: dict[int, Floats]) -> None:
        """Note the weights and errors of nodes, each after its parent, from the class weights of the leaves among them."""
        place = {node: i for i, node in enumerate(nodes)}
        sums = np.array([of_leaves.get(node, np.zeros(len(self.tree.classes))) for node in nodes])
        for i in range(len(nodes) - 1, -1, -1):
            if not self.is_leaf(nodes[i]):
                sums[i] = sums[[place[child] for child in self.children(nodes[i])]].sum(axis=0)
        weight = sums.sum(axis=1)
        errors = weight - sums.max(axis=1)
        for node, w, e, estimate in zip(nodes, weight.tolist(), errors.tolist(), self.estimate(weight, errors).tolist(), strict=True):
            self.weight[node], self.errors[node], self.as_leaf[node] = w, e, estimate

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
