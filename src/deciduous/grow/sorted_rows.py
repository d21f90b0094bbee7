"""Rows in memory, with the native kernels: every ordered column is sorted once, and nodes are ranges of the sorted
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.data.schema import Schema
from deciduous.data.table import Table
from deciduous.grow.nodes import Nodes
from deciduous.grow.rows import Rowids
from deciduous.grow.sorted_best import SortedBest, programs_rules
from deciduous.grow.splits import Splits
from deciduous.measures import Floats
from deciduous.search.contingency import TIE, Rule
from deciduous.search.draw import Keys

#: The measures that the native scan knows, by the name of the criterion; and the policies for missing cells.
MEASURES = {
    "gini": 0,
    "gain": 1,
    "gain_ratio": 1,
    "entropy": 1,
    "log_loss": 1,
    "misclassification": 2,
    "squared_error": 3,
    "friedman_mse": 3,
    "poisson": 4,
    "absolute_error": 5,
}
#: About what the numbers of a node are taken, by the name of the criterion: the mean, if it is not here.
ABOUT = {"absolute_error": 1, "poisson": 2}
POLICIES = {"error": 0, "majority": 0, "fractional": 0, "branch": 1, "direction": 2}
#: So many rows tell whether targets are alike.
FEW_ROWS = 1000
NOMINAL = {"multiway": 0, "subset": 1, "one_vs_rest": 2}


class SortedRows:
    """The training rows of a table, sorted and divided by the native kernels; the twin of `MemoryRows`.

    Handles are (start, size, block): a range of the arrays. Whole rows are one block, in which they are divided in
    place. `in_parts`: a row whose cell is missing goes to every branch that has a share of them. Its parts are entries
    in several nodes at once, and nodes that are divided off together have a block of their own.
    """

    def __init__(
        self,
        native: Any,
        table: Table,
        values: NDArray[np.int32] | Floats,
        weight: Floats,
        criterion: Criterion,
        n_classes: int,
        rows: Rowids,
        n_threads: int,
        max_bins: int | None = None,
        in_parts: bool = False,
    ) -> None:
        self.table, self.criterion, self.n_classes = table, criterion, n_classes
        self._weighing, self.in_parts = weight > 0, in_parts
        is_class = criterion.task == "class"
        unit = bool((weight[rows] == 1.0).all())
        self._as_given = partial(
            native.TrainingRows,
            list(table.columns),
            np.array([len(f.categories) if f.kind == "nominal" else 0 for f in self.schema.features], dtype=np.int32),
            values if is_class else None,
            None if is_class else values,
            None if unit else weight,
            n_classes if is_class else 0,
            rows,
            table.n_rows,
            n_threads,
            max_bins or 0,
            ABOUT.get(criterion.name, 0),
            in_parts,
        )
        self.native = self._as_given()
        self._start = values[rows[:FEW_ROWS]]

    def start_anew(self) -> None:
        """Go back to the rows as they were before a tree was grown on them."""
        self.native = self._as_given()

    @property
    def differ(self) -> bool:
        """Whether hardly two rows have the same target, by the first ones."""
        return 2 * len(np.unique(self._start)) > len(self._start)

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.table.schema

    @cached_property
    def features(self) -> list[int]:
        """The columns that may be asked for."""
        return [j for j, feature in enumerate(self.schema.features) if feature.is_split_on]

    @property
    def n_rows(self) -> int:
        """The number of rows of the table that have a weight."""
        return int(self._weighing.sum())

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over these rows, increasing."""
        column = self.table.columns[feature]
        assert column is not None
        cells = column[self._weighing].astype(np.float64)
        return np.unique(cells[~np.isnan(cells) if column.dtype == np.float64 else cells >= 0])

    def nodes_of(self, summaries: tuple[Any, ...]) -> Nodes:
        """Return what the native rows tell of nodes as a batch, without handles."""
        rows, weight, pure, classes, value, scaled, centre, scale = summaries
        n = len(rows)
        if self.criterion.task == "class":
            statistics = classes.reshape(n, self.n_classes)
            impurity = scaled = self.criterion.impurity(statistics)
            centre, scale = np.zeros(n), np.ones(n)
        else:
            unit = scale if self.criterion.degree == 1 else scale * scale
            statistics = np.stack([weight, value, scaled * unit], axis=1)
            impurity = statistics[:, 2]
        return Nodes(rows, weight, statistics, impurity, scaled, pure.view(bool), centre, scale, handles=None)

    def root(self) -> Nodes:
        """Return the root alone."""
        self._root = True
        return self.nodes_of(self.native.root())

    def divide(self, handles: NDArray[np.int64], splits: Splits) -> Nodes:
        """Return all branches of the nodes with these handles, in order."""
        self._root = False
        # One share of 1 sends missing cells whole; where none has it, no cell is missing, or rows go in parts.
        missing = np.zeros(len(splits), dtype=np.int32)
        whole = np.flatnonzero(splits.share == 1.0)
        owner = np.searchsorted(splits.branch_start, whole, side="right") - 1
        missing[owner] = whole - splits.branch_start[owner]
        summaries = self.native.divide(
            np.ascontiguousarray(handles[:, 0]),
            np.ascontiguousarray(handles[:, 1]),
            splits.feature,
            splits.kind,
            splits.threshold,
            splits.n_branches.astype(np.int32),
            missing,
            splits.category_start,
            splits.category_branch,
            splits.share if self.in_parts else np.zeros(0),
            int(handles[0, 2]),
        )
        return self.nodes_of(summaries)

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the handles of the branches that will be searched, their rows moved together; the others' are let
        go.
        """
        if self._root:
            return np.array([[0, nodes.rows[0], 0]] if which[0] else np.zeros((0, 3)), dtype=np.int64)
        starts, sizes = self.native.keep(which.view(np.uint8))
        return np.stack([starts, sizes, np.full(len(starts), self.native.block)], axis=1)

    def close(self, handles: NDArray[np.int64]) -> None:
        """Let go of the rows of nodes."""
        if len(handles):
            self.native.let_go(int(handles[0, 2]), len(handles))

    def best_splits(
        self, handles: NDArray[np.int64], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> SortedBest:
        """Return the best splits of nodes."""
        rule = rules[0] if rules else Rule(self.criterion, "error", "multiway", 0.0)
        found = self.native.best_splits(
            np.ascontiguousarray(handles[:, 0]),
            np.ascontiguousarray(handles[:, 1]),
            nodes.weight,
            nodes.centre,
            nodes.scale,
            bands,
            nodes.statistics.ravel() if self.criterion.task == "class" else np.zeros(0),
            MEASURES[self.criterion.name],
            POLICIES[rule.missing],
            NOMINAL[rule.nominal],
            rule.min_samples_leaf,
            rule.min_weight_leaf,
            rule.min_cases,
            TIE,
            programs_rules(rule),
            tables,
            rule.splitter == "random",
            0 if rule.looks is None else rule.looks,
            self.criterion.ratio or rule.conventions.least_information > 0,
            *self._inherited(nodes, rules),
        )
        return SortedBest(self, self.native, nodes, rules, bands, found)

    def _inherited(self, nodes: Nodes, rules: Sequence[Rule]) -> tuple[NDArray[np.int8], Keys, Floats, Floats]:
        """Return the constraints by column of the table, if there are any, and what nodes have from above: their keys,
        if they are drawn from, and the bounds of their answers, in units of the scanned numbers.
        """
        nothing = np.zeros(0)
        signs, keys, low, high = np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.uint64), nothing, nothing
        inherited = nodes.inherited
        if inherited is None or not rules:
            return signs, keys, low, high
        if rules[0].splitter == "random" or rules[0].looks is not None:
            keys = np.ascontiguousarray(inherited.key)
        if any(rule.monotone for rule in rules):
            signs = np.zeros(len(self.schema), dtype=np.int8)
            signs[self.features] = [rule.monotone for rule in rules]
            low, high = ((bound - nodes.centre) / nodes.scale for bound in (inherited.low, inherited.high))
        return signs, keys, low, high
