"""Rows in memory, with the native kernels: every ordered column is sorted once, and nodes are ranges of the sorted
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.data.schema import Schema
from deciduous.data.table import Table
from deciduous.grow.nodes import Nodes, as_splits
from deciduous.grow.ragged import starts_of
from deciduous.grow.rows import Rowids
from deciduous.grow.splits import Splits
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.candidate import Verdict
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
#: Where the native scan counted missing rows, and the branch that is.
NONE, NOWHERE, LEFT, RIGHT, OWN_BRANCH, KNOWN_OR_NOT = range(6)
MISSING_BRANCH = np.array([-1, -1, 0, 1, 2, 1])


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
    def ordered(self) -> NDArray[np.intp]:
        """The places, among the columns that may be asked for, of those that thresholds split."""
        asked = [self.schema.features[j] for j in self.features]
        return np.flatnonzero([not (f.kind == "nominal" and f.categories) for f in asked])

    @cached_property
    def nominal(self) -> list[int]:
        """The places of the other columns."""
        return sorted(set(range(len(self.features))) - set(self.ordered.tolist()))

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over all rows that take part, increasing."""
        column = self.table.columns[feature]
        assert column is not None
        cells = column[self._taking_part].astype(np.float64)
        return np.unique(cells[~np.isnan(cells) if column.dtype == np.float64 else cells >= 0])

    def _nodes(self, summaries: tuple[Any, ...]) -> Nodes:
        rows, weight, pure, classes, centre, scale, variance = summaries
        n = len(rows)
        if self.criterion.task == "class":
            statistics = classes.reshape(n, self.n_classes)
            impurity = scaled = self.criterion.impurity(statistics)
            centre, scale = np.zeros(n), np.ones(n)
        else:
            statistics = np.stack([weight, centre, variance * scale * scale], axis=1)
            impurity, scaled = statistics[:, 2], variance
        return Nodes(rows, weight, statistics, impurity, scaled, pure.view(bool), centre, scale, handles=None)

    def root(self) -> Nodes:
        """Return the root alone."""
        self._root = True
        return self._nodes(self._rows.root())

    def divide(self, handles: NDArray[np.int64], splits: Splits) -> Nodes:
        """Return all branches of the nodes with these handles, in order."""
        self._root = False
        # One share of 1 sends missing cells whole; where none has it, no cell is missing.
        missing = np.zeros(len(splits), dtype=np.int32)
        whole = np.flatnonzero(splits.share == 1.0)
        owner = np.searchsorted(splits.branch_start, whole, side="right") - 1
        missing[owner] = whole - splits.branch_start[owner]
        summaries = self._rows.divide(
            np.ascontiguousarray(handles[:, 0]),
            np.ascontiguousarray(handles[:, 1]),
            splits.feature,
            splits.kind,
            splits.threshold,
            splits.n_branches.astype(np.int32),
            missing,
            splits.category_start,
            splits.category_branch,
        )
        return self._nodes(summaries)

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the handles (start, size) of the branches that will be searched, their rows moved together; the
        others' are let go.
        """
        if self._root:
            return np.array([[0, nodes.rows[0]]] if which[0] else np.zeros((0, 2)), dtype=np.int64)
        return np.stack(self._rows.keep(which.view(np.uint8)), axis=1)

    def best_splits(
        self, handles: NDArray[np.int64], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> SortedBest:
        """Return the best splits of nodes: thresholds by the native scan, categories by `search` from native tables."""
        rule = rules[0] if rules else None
        cuts = self._rows.best_cuts(
            np.ascontiguousarray(handles[:, 0]),
            np.ascontiguousarray(handles[:, 1]),
            nodes.weight,
            nodes.centre,
            nodes.scale,
            bands,
            nodes.statistics.ravel() if self.criterion.task == "class" else np.zeros(0),
            MEASURES[self.criterion.name],
            POLICIES[rule.missing] if rule else 0,
            rule.min_samples_leaf if rule else 1,
            rule.min_weight_leaf if rule else 0.0,
            rule.min_cases if rule else 0.0,
            TIE,
            tables,
        )
        best = SortedBest(self, nodes, rules, cuts)
        for p in self.nominal:
            for i in range(len(nodes)):
                contingency = self._contingency(handles[i], nodes, i, self.features[p])
                best.put(i, p, best_split(contingency, replace(rules[p], band=float(bands[i]))))
        return best

    def _contingency(self, handle: NDArray[np.int64], nodes: Nodes, i: int, feature: int) -> Contingency:
        centre, scale = float(nodes.centre[i]), float(nodes.scale[i])
        sums, counts = self._rows.contingency(int(handle[0]), int(handle[1]), centre, scale, feature)
        table = sums.reshape(len(counts), -1)
        return Contingency(table[1:], counts[1:], table[0], int(counts[0]))

    def describe(self, node: NDArray[np.int64], column: NDArray[np.int64], best: SortedBest) -> tuple[Floats, ...]:
        """Return the neighbouring values, and the weights of the branches (left, right, the missing rows' own), of the
        best cuts of some ordered columns (counted among these).
        """
        cuts = best.index[node, column], best.place[node, column]
        sides: tuple[Floats, ...] = self._rows.describe(node.astype(np.int64), column.astype(np.int64), *cuts)
        return sides


class SortedBest:
    """The best splits of a batch, as the native scan's arrays; categories as what was found for each."""

    def __init__(self, rows: SortedRows, nodes: Nodes, rules: Sequence[Rule], cuts: tuple[Any, ...]) -> None:
        self._rows, self._rules, self._nodes = rows, rules, nodes
        shape = (len(nodes), len(rows.ordered))
        gain, information, self.index, self.place = (array.reshape(shape) for array in cuts[:4])
        self._more = cuts[4:]
        self._others: dict[tuple[int, int], Found | Verdict] = {}
        score = gain
        if rows.criterion.ratio:
            score = np.divide(gain, information, out=np.full(shape, -np.inf), where=information > 0)
        if not rows.nominal:
            self.gain, self.score, self.information = gain, score, information
            return
        full = (len(nodes), len(rows.features))
        self.gain, self.score, self.information = np.full(full, -np.inf), np.full(full, -np.inf), np.zeros(full)
        self.gain[:, rows.ordered], self.score[:, rows.ordered] = gain, score
        self.information[:, rows.ordered] = information

    def put(self, node: int, column: int, result: Found | Verdict) -> None:
        """Enter what was found for a column of categories."""
        self._others[node, column] = result
        if isinstance(result, Found):
            self.gain[node, column], self.score[node, column] = result.gain, result.score
            self.information[node, column] = result.split_information

    def splits(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        """Return the best splits of some columns."""
        if not self._rows.nominal:
            return self._thresholds(nodes, columns, policy)
        is_ordered = np.isin(columns, self._rows.ordered)
        places = np.searchsorted(self._rows.ordered, columns[is_ordered])
        thresholds = self._thresholds(nodes[is_ordered], places, policy)
        others = [
            (self._rows.features[j], self._others[i, j])
            for i, j in zip(nodes[~is_ordered].tolist(), columns[~is_ordered].tolist(), strict=True)
        ]
        both = Splits.joined([thresholds, as_splits(others, policy)])
        order = np.concatenate([np.flatnonzero(is_ordered), np.flatnonzero(~is_ordered)])
        return both.take(np.argsort(order))

    def _thresholds(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        n, place = len(nodes), self.place[nodes, columns]
        low, high, left, right, own = self._rows.describe(nodes, columns, self)
        in_three = place == OWN_BRANCH
        weights = np.stack([left, right, own], axis=1)
        exists = np.stack([np.ones(n, dtype=bool), np.ones(n, dtype=bool), in_three], axis=1)
        starts = starts_of(2 + in_three)
        return Splits(
            np.array(self._rows.features, dtype=np.int32)[self._rows.ordered[columns]],
            np.where(place == KNOWN_OR_NOT, SplitKind.MISSING, SplitKind.THRESHOLD).astype(np.uint8),
            np.where(place == KNOWN_OR_NOT, np.nan, self._between(columns, low, high)),
            starts,
            shares_of(policy, weights[exists], starts, MISSING_BRANCH[place]),
            np.zeros(n + 1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            np.ones(n, dtype=bool),
        )

    def _between(self, columns: NDArray[np.intp], low: Floats, high: Floats) -> Floats:
        """Return the thresholds between neighbouring values of some ordered columns."""
        values = [self._rules[p].training_values for p in self._rows.ordered]
        if all(v is None for v in values):
            return threshold_between(low, high, None)
        thresholds = np.empty(len(low))
        for c in np.unique(columns):
            here = columns == c
            thresholds[here] = threshold_between(low[here], high[here], values[c])
        return thresholds

    def findings(self) -> SortedFindings:
        """Return all that was found, with contingency tables, independent of the source."""
        shape, width = self.place.shape, self._nodes.statistics.shape[1]
        node, column = (axis.ravel() for axis in np.indices(shape))
        low, high, left, right, own = self._rows.describe(node, column, self)
        tried, values, counts, tables = self._more
        cuts = np.stack([left, right, own], axis=1)
        return SortedFindings(
            {int(p): k for k, p in enumerate(self._rows.ordered)},
            (self.gain, self.score, self.information),
            self.place,
            np.where(self.place == KNOWN_OR_NOT, np.nan, self._between(column, low, high).reshape(shape)),
            cuts.reshape(*shape, 3),
            tried.reshape(shape),
            values.reshape(shape),
            counts.reshape(*shape, 4),
            tables.reshape(*shape, 4, width),
            self._others,
        )


@dataclass(frozen=True, eq=False)
class SortedFindings:
    """All that a search found: of ordered columns as arrays (nodes, ordered columns), of others as it was found.

    `at`: the place among the ordered columns of each; `figures`: gain, score and split information of all columns;
    `weights` of the branches left, right and the missing rows' own; `tables` and `counts` also of the missing rows.
    """

    at: dict[int, int]
    figures: tuple[Floats, Floats, Floats]
    place: NDArray[np.uint8]
    threshold: Floats
    weights: Floats
    tried: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    tables: Floats
    others: dict[tuple[int, int], Found | Verdict]

    @property
    def n_cells(self) -> int:
        """How many numbers the contingency tables hold."""
        found = (r.table for r in self.others.values() if isinstance(r, Found) and r.table is not None)
        return int(self.tables.size) + sum(table.size for table in found)

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or why there is none."""
        if column not in self.at:
            return self.others[node, column]
        k = self.at[column]
        place = int(self.place[node, k])
        if place == NONE:
            values = int(self.values[node, k])
            return "no known cell" if values == 0 else "constant" if values == 1 else "limits"
        n_branches = 3 if place == OWN_BRANCH else 2
        gain, score, information = (float(figure[node, column]) for figure in self.figures)
        return Found(
            SplitKind.MISSING if place == KNOWN_OR_NOT else SplitKind.THRESHOLD,
            self.weights[node, k, :n_branches].tolist(),
            self.tables[node, k, :n_branches],
            gain,
            score,
            information,
            missing_branch=int(MISSING_BRANCH[place]),
            threshold=float(self.threshold[node, k]),
            tried=int(self.tried[node, k]),
            missing=self.tables[node, k, 3] if self.counts[node, k, 3] else None,
        )
