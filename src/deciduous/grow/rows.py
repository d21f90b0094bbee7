"""Rows in memory, with NumPy: the specification of every source of rows, and what fractional rows are grown with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion, Task
from deciduous.data.schema import Schema
from deciduous.data.table import Table
from deciduous.grow.nodes import Best, BestFound, Nodes
from deciduous.grow.splits import Splits
from deciduous.kernels import MISSING_CELL
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.model.route import branches_of
from deciduous.model.split import Split
from deciduous.search.absolute import NodeRows, best_absolute_split
from deciduous.search.bins import Bins, bins_of
from deciduous.search.contingency import Contingency, Found, Rule
from deciduous.search.draw import column_keys
from deciduous.search.features import best_split
from deciduous.search.sample import column_order

Rowids = NDArray[np.int64]

#: The least weight that a part of a row has.
LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Entries:
    """The rows of one node: their positions in the table, and the weight with which each is here (a part, if
    fractional).
    """

    rows: Rowids
    weight: Floats

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)


class MemoryRows:
    """The training rows of a table in memory.

    `values`: class codes (int), or numbers; `weight`: positive weights, shape (rows,). Rows that take no part (no
    target, no weight) are not in `rows`.
    """

    def __init__(
        self,
        table: Table,
        values: NDArray[np.int32] | Floats,
        weight: Floats,
        criterion: Criterion,
        n_classes: int,
        rows: Rowids | None = None,
        max_bins: int | None = None,
    ) -> None:
        self.table, self.values, self.weight = table, values, weight
        self.criterion, self.n_classes = criterion, n_classes
        self._rows = np.arange(table.n_rows, dtype=np.int64) if rows is None else rows
        self._max_bins = max_bins

    @property
    def task(self) -> Task:
        """The task: `class` or `number`."""
        return self.criterion.task

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.table.schema

    @cached_property
    def features(self) -> list[int]:
        """The columns that may be asked for."""
        return [j for j, feature in enumerate(self.schema.features) if feature.is_split_on]

    @cached_property
    def bins(self) -> dict[int, Bins]:
        """The bins of the ordered columns that have more values than bins."""
        if self._max_bins is None:
            return {}
        ordered = [j for j in self.features if self.schema.features[j].kind != "nominal"]
        found = {j: bins_of(self._ordered_cells(j, self._rows), self._max_bins) for j in ordered}
        return {j: bins for j, bins in found.items() if bins is not None}

    def root(self) -> Nodes:
        """Return the root alone."""
        return self._nodes([Entries(self._rows, self.weight[self._rows])])

    @property
    def n_rows(self) -> int:
        """The number of rows of the table that have a weight."""
        return int((self.weight > 0).sum())

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over these rows, increasing."""
        cells = self._ordered_cells(feature, np.flatnonzero(self.weight > 0))
        return np.unique(cells[~np.isnan(cells)])

    def _nodes(self, parts: Sequence[Entries]) -> Nodes:
        summaries = [self._classes(part) if self.task == "class" else self._numbers(part) for part in parts]
        rows, weight, statistics, variance, pure, centre, scale = zip(*summaries, strict=True)
        table = np.array(statistics)
        scaled = self.criterion.impurity(table) if self.task == "class" else np.array(variance)
        unit = np.array(scale) ** self.criterion.degree  # a power of two
        arrays = (
            np.array(rows),
            np.array(weight),
            table,
            scaled * unit,
            scaled,
            np.array(pure),
            np.array(centre),
            np.array(scale),
        )
        return Nodes(*arrays, handles=parts)

    def _classes(self, entries: Entries) -> tuple[Any, ...]:
        y: NDArray[Any] = self.values[entries.rows]
        statistics = np.bincount(y, weights=entries.weight, minlength=self.n_classes).astype(np.float64)
        return len(y), statistics.sum(), statistics, 0.0, (statistics > 0).sum() <= 1, 0.0, 1.0

    def _numbers(self, entries: Entries) -> tuple[Any, ...]:
        y: NDArray[Any] = self.values[entries.rows]
        w = entries.weight
        if not len(y):
            return 0, 0.0, np.zeros(3), 0.0, True, 0.0, 1.0
        total = float(w.sum())
        node = self.criterion.centred(y, w)
        statistics = np.array([total, node.value, node.impurity])
        return len(y), total, statistics, node.scaled_impurity, bool((y == y[0]).all()), node.centre, node.scale

    def divide(self, handles: NDArray[Any], splits: Splits) -> Nodes:
        """Return all branches of the nodes with these handles, in order.

        The same routine reads the split as at prediction. A missing row goes, with its share of the weight, to every
        branch that has a share of missing cells. However small it is, none is dropped.
        """
        return self._nodes([part for i, entries in enumerate(handles) for part in self._parts(entries, splits[i])])

    def _parts(self, entries: Entries, split: Split) -> list[Entries]:
        column = self.table.columns[split.feature]
        assert column is not None
        branch = branches_of(split, column[entries.rows])
        parts = []
        for b in range(split.n_branches):
            share = np.where(branch == MISSING_CELL, split.shares[b], branch == b)
            here = share > 0
            parts.append(Entries(entries.rows[here], np.maximum(entries.weight[here] * share[here], LEAST)))
        return parts

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the handles of the branches that will be searched: their `Entries`."""
        opened = np.empty(int(which.sum()), dtype=object)
        opened[:] = [nodes.handles[i] for i in np.flatnonzero(which)]
        return opened

    def close(self, handles: NDArray[Any]) -> None:
        """Nothing: rows live as long as their handles."""

    def best_splits(
        self, handles: NDArray[Any], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> Best:
        """Return the best splits of nodes; contingency tables come with them, asked for or not."""
        results = [
            self._search(entries, nodes.centre[i], float(nodes.scale[i]), self._node_rules(nodes, i, rules, bands))
            for i, entries in enumerate(handles)
        ]
        return BestFound(results, self.features)

    def _node_rules(self, nodes: Nodes, i: int, rules: Sequence[Rule], bands: Floats) -> list[Rule]:
        """Return the rules with what is a node's own: its tie band, random key and bounds."""
        inherited, band = nodes.inherited, float(bands[i])
        if inherited is None:
            return [replace(rule, band=band) for rule in rules]
        keys = column_keys(inherited.key[[i]], self.features)[0].tolist()
        own = [replace(rule, band=band, key=key) for rule, key in zip(rules, keys, strict=True)]
        if not any(rule.monotone for rule in rules):
            return own
        low, high = ((float(bound[i]) - nodes.centre[i]) / nodes.scale[i] for bound in (inherited.low, inherited.high))
        return [replace(rule, low=float(low), high=float(high)) for rule in own]

    def _search(self, entries: Entries, centre: Any, scale: float, rules: Sequence[Rule]) -> list[Found | Verdict]:
        """Return what is found for the columns that a node looks at: all, or some in an order of its own."""
        looks = len(rules) if rules[0].looks is None else rules[0].looks
        order = column_order(np.array([rule.key for rule in rules], dtype=np.uint64))
        results: list[Found | Verdict] = ["not looked at"] * len(rules)
        for place, column in enumerate(order.tolist()):
            if place >= looks and any(isinstance(result, Found) for result in results):
                break
            results[column] = self._best_split(entries, centre, scale, self.features[column], rules[column])
        return results

    def _best_split(self, entries: Entries, centre: Any, scale: float, feature: int, rule: Rule) -> Found | Verdict:
        contingency = self.contingency(entries, centre, scale, feature)
        if self.criterion.additive:
            return best_split(contingency, rule)
        return best_absolute_split(self.lines(entries, centre, scale, feature), contingency, rule)

    def lines(self, entries: Entries, centre: Any, scale: float, feature: int) -> NodeRows:
        """Return the rows of a node with their lines in the contingency table of a column."""
        y: NDArray[Any] = (self.values[entries.rows] - centre) / scale
        return NodeRows(self._groups(feature, entries.rows)[0], y, entries.weight)

    def contingency(self, entries: Entries, centre: Any, scale: float, feature: int) -> Contingency:
        """Return the contingency table of one column in one node: the sums of the target per value of the column.

        Numbers are summed as (y - centre) / scale.
        """
        groups, values, n_groups = self._groups(feature, entries.rows)
        bins = self.bins.get(feature)
        greatest = None if bins is None or values is None else bins.high_of(values)
        table, counts = self._sums(groups + 1, n_groups + 1, entries, centre, scale)  # group 0: the missing cells
        return Contingency(table[1:], counts[1:], table[0], int(counts[0]), values, greatest)

    def _groups(self, feature: int, rows: Rowids) -> tuple[NDArray[np.int64], Floats | None, int]:
        """Return a group per row (-1 = missing), the values of the groups if they are ordered, and their number."""
        column = self.table.columns[feature]
        assert column is not None
        if self.schema.features[feature].kind == "nominal":
            return column[rows].astype(np.int64), None, len(self.schema.features[feature].categories)
        cells = self._ordered_cells(feature, rows)
        if feature in self.bins:
            cells = self.bins[feature].low_of(cells)
        known = ~np.isnan(cells)
        values, inverse = np.unique(cells[known], return_inverse=True)
        groups = np.full(len(rows), -1, dtype=np.int64)
        groups[known] = inverse
        return groups, values, len(values)

    def _ordered_cells(self, feature: int, rows: Rowids) -> Floats:
        column = self.table.columns[feature]
        assert column is not None
        cells = column[rows].astype(np.float64)
        if column.dtype != np.float64:
            cells[cells < 0] = np.nan
        return cells

    def _sums(
        self, groups: NDArray[np.int64], n_groups: int, entries: Entries, centre: Any, scale: float
    ) -> tuple[Floats, NDArray[np.int64]]:
        y: NDArray[Any] = self.values[entries.rows]
        w = entries.weight
        counts = np.bincount(groups, minlength=n_groups).astype(np.int64)
        if self.task == "class":
            cells = np.bincount(groups * self.n_classes + y, weights=w, minlength=n_groups * self.n_classes)
            return cells.astype(np.float64).reshape(n_groups, self.n_classes), counts
        deviation = (y - centre) / scale
        moments = [np.bincount(groups, weights=w * deviation**power, minlength=n_groups) for power in (0, 1, 2)]
        return np.stack(moments, axis=1), counts
