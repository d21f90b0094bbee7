"""Rows in memory, with the native kernels: every ordered column is sorted once, and nodes are ranges of the sorted
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.data.schema import Schema
from deciduous.data.table import Table
from deciduous.grow.nodes import Nodes
from deciduous.grow.rows import Rowids
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.model.split import Split
from deciduous.search.contingency import TIE, Contingency, Found, Rule
from deciduous.search.features import best_split
from deciduous.search.thresholds import threshold_between

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
}
POLICIES = {"error": 0, "majority": 0, "fractional": 0, "branch": 1, "direction": 2}
#: Where the native scan counted missing rows.
NONE, NOWHERE, LEFT, RIGHT, OWN_BRANCH, KNOWN_OR_NOT = range(6)
MISSING_BRANCH = {NOWHERE: -1, LEFT: 0, RIGHT: 1, OWN_BRANCH: 2, KNOWN_OR_NOT: 1}


class SortedRows:
    """The training rows of a table, sorted and divided by the native kernels; the twin of `MemoryRows`.

    Rows are whole: a fractional row would be in several nodes at once. Handles are pairs (start, size) of the arrays'
    ranges.
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
    ) -> None:
        self.table, self.criterion, self.n_classes = table, criterion, n_classes
        self._taking_part = rows
        is_class = criterion.task == "class"
        unit = bool((weight[rows] == 1.0).all())
        self._rows = native.TrainingRows(
            list(table.columns),
            np.array([len(f.categories) if f.kind == "nominal" else 0 for f in self.schema.features], dtype=np.int32),
            values if is_class else None,
            None if is_class else values,
            None if unit else weight,
            n_classes if is_class else 0,
            rows,
            table.n_rows,
            n_threads,
        )

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.table.schema

    @cached_property
    def features(self) -> list[int]:
        """The columns that may be asked for."""
        return [j for j, feature in enumerate(self.schema.features) if feature.is_split_on]

    @cached_property
    def _ordered(self) -> list[int]:
        """The places, among the columns that may be asked for, of those that thresholds split."""
        kinds = [self.schema.features[j] for j in self.features]
        return [p for p, f in enumerate(kinds) if not (f.kind == "nominal" and f.categories)]

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over all rows that take part, increasing."""
        column = self.table.columns[feature]
        assert column is not None
        cells = column[self._taking_part].astype(np.float64)
        return np.unique(cells[~np.isnan(cells) if column.dtype == np.float64 else cells >= 0])

    def _nodes(self, summaries: tuple[Any, ...]) -> Nodes:
        rows, weight, mean, variance, centre, scale, pure, classes = summaries
        if self.criterion.task == "class":
            table = classes.reshape(len(rows), self.n_classes)
            impurity = scaled = self.criterion.impurity(table)
        else:
            table = np.stack([weight, mean, variance * scale * scale], axis=1)
            impurity, scaled = table[:, 2], variance
        return Nodes(rows, weight, table, impurity, scaled, pure.astype(bool), centre, scale, handles=None)

    def root(self) -> Nodes:
        """Return the root alone."""
        self._root = True
        return self._nodes(self._rows.root())

    def divide(self, handles: Sequence[tuple[int, int]], splits: Sequence[Split]) -> Nodes:
        """Return all branches of the nodes with these handles, in order."""
        self._root = False
        start, size = np.array(handles, dtype=np.int64).T
        lengths = [len(split.category_branch) for split in splits]
        summaries = self._rows.divide(
            np.ascontiguousarray(start),
            np.ascontiguousarray(size),
            np.array([split.feature for split in splits], dtype=np.int32),
            np.array([int(split.kind) for split in splits], dtype=np.uint8),
            np.array([split.threshold for split in splits], dtype=np.float64),
            np.array([split.n_branches for split in splits], dtype=np.int32),
            np.array([int(split.shares.argmax()) for split in splits], dtype=np.int32),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([np.zeros(0, dtype=np.int32), *(split.category_branch for split in splits)]).astype(
                np.int32
            ),
        )
        return self._nodes(summaries)

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Return the handles of the branches that will be searched, their rows moved together; the others' are let
        go.
        """
        if self._root:
            return [(0, int(nodes.rows[0]))] if which[0] else []
        start, size = self._rows.keep(which.astype(np.uint8))
        return list(zip(start.tolist(), size.tolist(), strict=True))

    def best_splits(
        self, handles: Sequence[tuple[int, int]], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> SortedBest:
        """Return the best splits of nodes: thresholds by the native scan, categories by `search` from native tables."""
        start, size = np.array(handles, dtype=np.int64).T
        rule = rules[0]
        classes = nodes.statistics if self.criterion.task == "class" else np.zeros(0)
        thresholds = self._rows.best_thresholds(
            np.ascontiguousarray(start),
            np.ascontiguousarray(size),
            nodes.weight,
            nodes.centre,
            nodes.scale,
            np.ascontiguousarray(classes.ravel()),
            bands,
            MEASURES[self.criterion.name],
            POLICIES[rule.missing],
            rule.min_samples_leaf,
            rule.min_weight_leaf,
            rule.min_cases,
            TIE,
            tables,
        )
        best = SortedBest(self, nodes, rules, thresholds, tables)
        for p in sorted(set(range(len(self.features))) - set(self._ordered)):
            for i, (begin, n) in enumerate(handles):
                contingency = self._contingency(begin, n, nodes, i, self.features[p])
                best.put(i, p, best_split(contingency, replace(rules[p], band=float(bands[i]))))
        return best

    def _contingency(self, start: int, size: int, nodes: Nodes, i: int, feature: int) -> Contingency:
        centre, scale = float(nodes.centre[i]), float(nodes.scale[i])
        sums, counts = self._rows.contingency(start, size, centre, scale, feature)
        table = sums.reshape(len(counts), -1)
        return Contingency(table[1:], counts[1:], table[0], int(counts[0]))


class SortedBest:
    """The best splits of a batch, as the native scan's arrays; what was found for one column is put together on
    demand.
    """

    def __init__(
        self, rows: SortedRows, nodes: Nodes, rules: Sequence[Rule], thresholds: tuple[Any, ...], tables: bool
    ) -> None:
        self._rows, self._rules, self._nodes, self._tables = rows, rules, nodes, tables
        self._place_of = {p: k for k, p in enumerate(rows._ordered)}
        shape = (len(nodes), len(rows._ordered))
        gain, self._low, self._high, self._left, self._right, self._place, self._tried, self._values = (
            array.reshape(shape) for array in thresholds[:8]
        )
        width = nodes.statistics.shape[1]
        self._sums = thresholds[8].reshape(*shape, 4, width) if tables else None
        self._counts = thresholds[9].reshape(*shape, 4) if tables else None
        self._others: dict[tuple[int, int], Found | Verdict] = {}
        full = (len(nodes), len(rows.features))
        self.gain, self.score, self.information = np.full(full, -np.inf), np.full(full, -np.inf), np.zeros(full)
        self.gain[:, rows._ordered] = gain
        self._score(gain)

    def _score(self, gain: Floats) -> None:
        """Fill in split information and score of the thresholds."""
        ordered = self._rows._ordered
        if not self._rows.criterion.ratio:
            self.score[:, ordered] = gain
            return
        total = self._nodes.weight[:, None]
        information = np.zeros(gain.shape)
        for part in (self._left, self._right, np.maximum(total - self._left - self._right, 0.0)):
            share = np.where(part > TIE * total, part / total, 1.0)
            information -= share * np.log2(share)
        found = np.isfinite(gain)
        self.information[:, ordered] = np.where(found, information, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.score[:, ordered] = np.where(found & (information > 0), gain / information, -np.inf)

    def put(self, node: int, column: int, result: Found | Verdict) -> None:
        """Enter what was found for a column of categories."""
        self._others[node, column] = result
        if isinstance(result, Found):
            self.gain[node, column], self.score[node, column] = result.gain, result.score
            self.information[node, column] = result.split_information

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or why there is none."""
        if (node, column) in self._others:
            return self._others[node, column]
        k = self._place_of[column]
        place = int(self._place[node, k])
        if place == NONE:
            values = int(self._values[node, k])
            return "no known cell" if values == 0 else "constant" if values == 1 else "limits"
        weights = [float(self._left[node, k]), float(self._right[node, k])]
        if place == OWN_BRANCH:
            weights.append(max(float(self._nodes.weight[node]) - weights[0] - weights[1], 0.0))
        threshold = float("nan")
        if place != KNOWN_OR_NOT:
            low, high = float(self._low[node, k]), float(self._high[node, k])
            threshold = threshold_between(low, high, self._rules[column].training_values)
        return Found(
            SplitKind.MISSING if place == KNOWN_OR_NOT else SplitKind.THRESHOLD,
            weights,
            None if self._sums is None else self._sums[node, k, : len(weights)],
            float(self.gain[node, column]),
            float(self.score[node, column]),
            float(self.information[node, column]),
            missing_branch=MISSING_BRANCH[place],
            threshold=threshold,
            tried=int(self._tried[node, k]),
            missing=self._missing(node, k),
        )

    def _missing(self, node: int, k: int) -> Floats | None:
        if self._sums is None or self._counts is None or self._counts[node, k, 3] == 0:
            return None
        missing: Floats = self._sums[node, k, 3]
        return missing
