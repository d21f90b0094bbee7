"""The training rows of a tree, node by node: what the list of all candidates and the row labels need."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.rows import Entries, MemoryRows
from deciduous.grow.search_rules import search_rules
from deciduous.grow.splits import Splits
from deciduous.kernels import MISSING_CELL
from deciduous.model.route import branches_of, route
from deciduous.model.split import Split
from deciduous.model.tree import Tree
from deciduous.search.absolute import AbsoluteSearch
from deciduous.search.contingency import KNOWN_ROWS_ONLY, TIE, Contingency, Rule
from deciduous.search.monotone import signs_of

#: How much the weights of rows may differ from those that a tree has counted.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of one node, and how its numbers are centred and scaled when they are summed; of several targets
    `centre` has one number each.
    """

    entries: Entries
    centre: Any
    scale: float
    impurity: float


class TrainingRows:
    """The rows that a tree was grown on.

    `algorithm`: the options it was grown with; `labels`: a label a row of the table, where there is a column of them.
    DataError if the tree was grown on other rows.
    """

    def __init__(self, tree: Tree, rows: MemoryRows, algorithm: Algorithm, labels: Sequence[str] | None = None) -> None:
        self.tree, self.rows, self.algorithm, self.labels = tree, rows, algorithm, labels
        self.values: NDArray[Any] = rows.values
        self.node_rows = lru_cache(maxsize=256)(self._node_rows)
        self._check(0)
        constraints = algorithm.monotonic_cst
        free = np.zeros(len(rows.schema), dtype=np.int8)
        signs = free if constraints is None else signs_of(constraints, rows.schema, tree.classes)
        self._rules = dict(zip(rows.features, search_rules(rows, algorithm, signs, float(tree.weight[0])), strict=True))

    def of_targets(self, trees: Sequence[Tree]) -> tuple[TrainingRows, ...]:
        """Return the rows with each of several targets alone; `trees`: the tree of each. They tell what the rows are,
        not what was tried: columns compete by all targets together.
        """
        found = []
        for i, tree in enumerate(trees):
            one = copy(self)
            one.tree, one.values = tree, self.values[:, i]
            found.append(one)
        return tuple(found)

    def _check(self, node: int) -> None:
        found = self.node_rows(node).entries
        there = int(self.tree.n_samples[node]), float(self.tree.weight[node])
        if len(found) != there[0] or abs(found.weight.sum() - there[1]) > SLACK * max(there[1], 1.0):
            raise DataError(
                f"these are not the rows that the tree was grown on: node {node} has {there[0]} rows of weight "
                f"{there[1]:g}, the table {len(found)} of weight {found.weight.sum():g}. Give the table that 'fit' was "
                "given (and the same weights); a part of it may have been held out for pruning."
            )

    def _node_rows(self, node: int) -> NodeRows:
        parent = int(self.tree.parent[node])
        if parent < 0:
            nodes, at = self.rows.root(), 0
        elif self.tree.surrogates is not None:
            nodes, at = self.rows._nodes([self._arriving(node, self.node_rows(parent).entries)]), 0
        else:
            handles = np.empty(1, dtype=object)
            handles[0] = self.node_rows(parent).entries
            nodes = self.rows.divide(handles, Splits.of([self.tree.split(parent)], [True]))
            at = node - int(self.tree.first_child[parent])
        return NodeRows(nodes.handles[at], nodes.centre[at], float(nodes.scale[at]), float(nodes.scaled_impurity[at]))

    def _arriving(self, node: int, above: Entries) -> Entries:
        """Return those of some rows that surrogates, too, send to a node or below it."""
        at = self._ends[above.rows]
        while (at > node).any():  # children come after their parents
            at = np.where(at > node, self.tree.parent[at], at)
        return Entries(above.rows[at == node], above.weight[at == node])

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where each row of the table ends."""
        return route(self.tree, self.rows.table).nodes.astype(np.int64)

    def of_node(self, node: int) -> NodeRows:
        """Return the rows of a node; those above are divided first, the root down, so that deep trees need no
        recursion.
        """
        for above in self.tree.path(node)[:-1]:
            self.node_rows(above)
        self._check(node)
        return self.node_rows(node)

    def labels_of(self, entries: Entries) -> tuple[str, ...]:
        """Return the labels of rows, none where the table has none."""
        return () if self.labels is None else tuple(self.labels[row] for row in entries.rows.tolist())

    def values_of(self, node: int) -> tuple[float, ...]:
        """Return the numbers of the rows of a node, none where these have weights."""
        entries = self.of_node(node).entries
        return tuple(self.values[entries.rows].astype(float).tolist()) if (entries.weight == 1).all() else ()

    def of_branches(self, node: int, split: Split) -> tuple[list[tuple[str, ...]], list[tuple[float, ...]]]:
        """Return the row labels of every branch of a question, and the numbers of its rows.

        Labels are empty where the table has none; numbers where the target is a class, or rows have weights. Of rows
        with a missing cell only those that are counted in a branch are listed, with their part if that is not all.
        """
        entries = self.of_node(node).entries
        column = self.rows.table.columns[split.feature]
        assert column is not None
        branch = branches_of(split, column[entries.rows])
        apart = self.tree.options["missing"] in KNOWN_ROWS_ONLY
        missing = np.zeros(split.n_branches) if apart else split.shares
        parts = [np.where(branch == MISSING_CELL, missing[b], branch == b) for b in range(split.n_branches)]
        names = self.labels_of(entries)
        labels = [
            tuple(names[i] if part[i] == 1 else f"{names[i]} ({part[i]:.3g})" for i in np.flatnonzero(part > 0))
            for part in (parts if names else [])
        ]
        numbers = self.tree.task == "number" and bool((entries.weight == 1).all())
        values = [
            tuple(self.values[entries.rows[part > 0]].astype(float).tolist()) for part in (parts if numbers else [])
        ]
        none: list[tuple[Any, ...]] = [()] * split.n_branches
        return labels or none, values or none

    def missing_labels(self, node: int, feature: int) -> tuple[str, ...]:
        """Return the labels of the rows of a node whose cell is missing."""
        entries = self.of_node(node).entries
        column = self.rows.table.columns[feature]
        assert column is not None
        here, names = column[entries.rows], self.labels_of(entries)
        gaps = np.isnan(here) if here.dtype == np.float64 else here < 0
        return tuple(names[i] for i in np.flatnonzero(gaps)) if names else ()

    def contingency(self, node: int, feature: int) -> Contingency:
        """Return the contingency table of a column in a node, in scanned numbers."""
        rows = self.of_node(node)
        return self.rows.contingency(rows.entries, rows.centre, rows.scale, feature)

    def absolute(self, node: int, feature: int) -> AbsoluteSearch:
        """Return the search of a column in a node under absolute error."""
        rows = self.of_node(node)
        lines = self.rows.lines(rows.entries, rows.centre, rows.scale, feature)
        return AbsoluteSearch(lines, self.contingency(node, feature), self.rule(node, feature))

    def rule(self, node: int, feature: int) -> Rule:
        """Return what the search of a column in a node knew."""
        criterion = self.algorithm.scoring
        band = 0.0 if criterion.own else TIE * self.of_node(node).impurity
        return replace(self._rules[feature], band=band)

    def unit(self, node: int) -> float:
        """Return the factor from the impurity of scanned numbers to that of the target."""
        return float(self.of_node(node).scale ** self.algorithm.scoring.degree)
