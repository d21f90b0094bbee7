"""Counting anew what nodes say of their rows, where other rows come to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import CRITERIA, Criterion
from deciduous.kernels import MISSING_CELL, UNSEEN_CELL
from deciduous.measures import Floats, of_gini
from deciduous.missing.shares import shares_of
from deciduous.model.ragged import starts_of
from deciduous.model.reason import Reason
from deciduous.model.route import branches_of
from deciduous.model.tree import ARRAYS, Tree
from deciduous.prune.costs import class_owner
from deciduous.prune.entries import Entries
from deciduous.prune.rows import LabelledRows
from deciduous.search.contingency import TIE


def restated(
    tree: Tree,
    tops: dict[int, Entries],
    rows: LabelledRows,
    every_category: NDArray[np.int32],
    answers: Floats | None,
) -> Tree:
    """Return the tree with all figures of some nodes and of those below them counted anew.

    `tops`: the nodes and the rows that come to each; none is below another. `every_category`: where a question sends
    the categories that it did not know, like `category_branch`. `answers`: what nodes keep answering unless another
    class is strictly heavier, shape (nodes,); with None the first of the heaviest classes answers. Missing cells are
    shared out by the known weights, if they are under the policy of the tree. The gain is that of the question asked
    for these rows, without what the choice among thresholds costs.
    """
    recount = _Recount(tree, rows, every_category)
    for top, entries in tops.items():
        recount.add(top, entries)
    return recount.freeze(answers)


class _Recount:
    """The arrays of the new tree, and the class weights of the nodes that were counted."""

    def __init__(self, tree: Tree, rows: LabelledRows, every_category: NDArray[np.int32]) -> None:
        self.tree, self.rows, self.every_category = tree, rows, every_category
        self.codes = rows.target.astype(np.int64)
        self.criterion: Criterion | None = CRITERIA.get(("class", str(tree.options["criterion"])))
        names = ("share", "n_samples", "gain", "category_branch")
        self.arrays: dict[str, NDArray[Any]] = {name: getattr(tree, name).copy() for name in names}
        self.counted: dict[int, Floats] = {}

    def add(self, top: int, entries: Entries) -> None:
        """Count a node and all below it."""
        waiting = [(top, entries)]
        while waiting:
            node, here = waiting.pop()
            self.arrays["n_samples"][node] = len(here.rows)
            self.counted[node] = self._classes(here)
            if self.tree.first_child[node] >= 0:
                waiting.extend(self._divided(node, here))

    def _classes(self, entries: Entries) -> Floats:
        codes = self.codes[entries.rows]
        return np.bincount(codes, weights=entries.weight, minlength=len(self.tree.classes)).astype(np.float64)

    def _divided(self, node: int, entries: Entries) -> Iterator[tuple[int, Entries]]:
        """Divide the rows of an inner node; note its shares, its gain and the categories that it knows by now."""
        tree, split = self.tree, self.tree.split(node)
        cells = self.rows.table.columns[split.feature]
        assert cells is not None
        cells = cells[entries.rows]
        branch = branches_of(split, cells)
        new = np.unique(cells[branch == UNSEEN_CELL]).astype(np.int64) + tree.category_start[node]
        if len(new):
            self.arrays["category_branch"][new] = self.every_category[new]
            own = slice(int(tree.category_start[node]), int(tree.category_start[node + 1]))
            split = replace(split, category_branch=self.arrays["category_branch"][own])
            branch = branches_of(split, cells)
        known, n = branch != MISSING_CELL, len(tree.classes)
        cell = branch[known] * n + self.codes[entries.rows[known]]
        sums = np.bincount(cell, weights=entries.weight[known], minlength=split.n_branches * n).astype(np.float64)
        table = sums.reshape(split.n_branches, n)
        shares = split.shares
        if tree.options["missing"] == "fractional":
            shares = shares_of("fractional", table.sum(axis=1), starts_of([split.n_branches]), np.array([-1]))
        first = int(tree.first_child[node])
        self.arrays["share"][first : first + split.n_branches] = shares
        if self.criterion is not None:
            known_share = float(table.sum() / entries.weight.sum())
            self.arrays["gain"][node] = max(float(self.criterion.gain(table[None])[0]), 0.0) * known_share
        for b in range(split.n_branches):
            weight = np.where(known, branch == b, shares[b]) * entries.weight
            here = weight > 0
            yield first + b, Entries(entries.rows[here], weight[here])

    def freeze(self, answers: Floats | None) -> Tree:
        """Return the new tree."""
        tree = self.tree
        nodes = np.array(sorted(self.counted), dtype=np.int64)
        table = np.array([self.counted[node] for node in nodes.tolist()])
        arrays = {name: getattr(tree, name).copy() for name in ("weight", "impurity", "value", "reason")} | self.arrays
        arrays["weight"][nodes] = table.sum(axis=1)
        arrays["impurity"][nodes] = np.maximum(
            (of_gini if self.criterion is None else self.criterion.impurity)(table), 0.0
        )
        arrays["answers_from"] = np.where(arrays["n_samples"] > 0, np.arange(len(tree)), tree.parent)
        heaviest = table >= table.max(axis=1, keepdims=True) * (1 - TIE)
        arrays["value"][nodes] = np.argmax(heaviest, axis=1)
        if answers is not None:
            kept = answers[nodes].astype(np.int64)
            same = heaviest[np.arange(len(nodes)), kept]
            arrays["value"][nodes[same]] = kept[same]
        arrays["value"] = arrays["value"][arrays["answers_from"]]
        arrays["reason"][nodes] = self._reasons(nodes, table, arrays["reason"][nodes])
        arrays |= self._class_weights(nodes, table)
        typed: dict[str, Any] = {n: np.ascontiguousarray(a, dtype=ARRAYS[n]) for n, a in arrays.items()}
        candidates = tree.candidates
        if candidates is not None:
            candidates = tuple(() if node in self.counted else candidates[node] for node in range(len(tree)))
        return replace(tree, **typed, candidates=candidates)

    def _reasons(self, nodes: NDArray[np.int64], table: Floats, before: NDArray[Any]) -> NDArray[Any]:
        """Return why the nodes are leaves, those that are: pruned ones stay so, for others the rows have changed."""
        n_classes = (table > 0).sum(axis=1)
        of_rows = np.where(n_classes == 0, Reason.EMPTY, np.where(n_classes == 1, Reason.PURE, Reason.RAISED))
        return np.where(np.isin(before, [Reason.SPLIT, Reason.PRUNED]), before, of_rows)

    def _class_weights(self, nodes: NDArray[np.int64], table: Floats) -> dict[str, NDArray[Any]]:
        """Return the ragged class weights of all nodes."""
        tree = self.tree
        owner = class_owner(tree)
        stays = ~np.isin(owner, nodes)
        line, code = np.nonzero(table > 0)
        owners = np.concatenate([owner[stays], nodes[line]])
        codes = np.concatenate([tree.class_code[stays], code])
        weights = np.concatenate([tree.class_weight[stays], table[line, code]])
        order = np.lexsort((codes, owners))
        lengths = np.bincount(owners, minlength=len(tree))
        return {"class_start": starts_of(lengths), "class_code": codes[order], "class_weight": weights[order]}
