"""Rows in memory for `missing="surrogates"`, searched and divided by the native kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.table import Table
from deciduous.grow.nodes import Nodes, as_splits
from deciduous.grow.rows import Entries, Rowids
from deciduous.grow.splits import Splits
from deciduous.grow.surrogate_rows import SurrogateRows
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.model.surrogates import TYPES, Surrogates
from deciduous.search.contingency import Found, Rule
from deciduous.search.first import First

#: How the native kernels rate splits, by the name of the criterion.
RATINGS = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "poisson": 3}


@dataclass(frozen=True, eq=False)
class Placed(Entries):
    """The rows of a node, and where they begin in the native arrays."""

    start: int = 0


class SortedTable:
    """What all trees of a table share: its cells and target, and the order of every ordered column."""

    def __init__(
        self,
        native: Any,
        table: Table,
        values: NDArray[Any],
        weight: Floats,
        row_weight: Floats,
        n_classes: int,
        rows: Rowids,
        n_threads: int,
    ) -> None:
        """Sort the columns; `rows`: those that take part in any of the trees."""
        self.native = native
        self.handle = native.SurrogateTable(
            list(table.columns),
            np.array([len(f.categories) if f.kind == "nominal" else 0 for f in table.schema.features], dtype=np.int32),
            np.ascontiguousarray(values, dtype=np.int32) if n_classes else None,
            None if n_classes else np.ascontiguousarray(values, dtype=np.float64),
            np.ascontiguousarray(weight, dtype=np.float64),
            np.ascontiguousarray(row_weight, dtype=np.float64),
            np.ascontiguousarray(rows, dtype=np.int64),
            table.n_rows,
            n_classes,
            n_threads,
        )


class NativeSurrogateRows(SurrogateRows):
    """The twin of `SurrogateRows`: nodes are ranges of the sorted columns. `sorted_table`: that of the same table."""

    def __init__(self, *args: Any, sorted_table: SortedTable, n_threads: int, **more: Any) -> None:
        super().__init__(*args, **more)
        self.native = sorted_table.native.SurrogateRows(
            sorted_table.handle,
            np.ascontiguousarray(self.risk.altered, dtype=np.float64),
            np.ascontiguousarray(self.risk.places, dtype=np.float64),
            RATINGS[self.criterion.name],
            np.ascontiguousarray(self._rows, dtype=np.int64),
            n_threads,
        )

    def root(self) -> Nodes:
        """Return the root alone."""
        return self._nodes([Placed(self._rows, self.weight[self._rows], 0)])

    def best_splits(
        self, handles: NDArray[Any], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> NativeBest:
        """Return the best splits of nodes; their score is rpart's improvement over the cost of the column."""
        assert nodes.risk is not None
        least = rules[0].min_samples_leaf
        found = self.native.best_splits(*_ranges(handles), nodes.risk, nodes.centre, nodes.scale, least)
        return NativeBest(self, Described(*found), nodes)

    def with_surrogates(self, handles: NDArray[Any], splits: Splits) -> Splits:
        """Return splits with their surrogates, and decide where rows go."""
        found = self.native.surrogates(
            *_ranges(handles),
            splits.feature,
            splits.kind,
            splits.threshold,
            splits.category_start,
            splits.category_branch,
            self.ask.most,
            self.ask.style,
            self.use,
        )
        return replace(splits, surrogates=Surrogates(**dict(zip(TYPES, found, strict=True))))

    def divide(self, handles: NDArray[Any], splits: Splits) -> Nodes:
        """Return both branches of nodes whose splits have just got their surrogates."""
        sizes, rows = self.native.divide(*_ranges(handles))
        parts, at = [], 0
        for i, (first, second) in enumerate(sizes.reshape(-1, 2).tolist()):
            begin = handles[i].start
            for start, size in ((begin, first), (begin + first, second)):
                here = rows[at : at + size]
                parts.append(Placed(here, self.weight[here], start))
                at += size
        return self._nodes(parts)


class NativeBest:
    """The best splits of a batch, as arrays (nodes, columns); single ones are put together when they are asked for."""

    def __init__(self, rows: NativeSurrogateRows, described: Described, nodes: Nodes) -> None:
        self._rows, self._described = rows, described
        self._n_rows = nodes.rows
        shape = (len(nodes), len(rows.features))
        there = described.kind.reshape(shape) != SplitKind.LEAF
        self.score, self.gain = np.full(shape, -np.inf), np.full(shape, -np.inf)
        self.information, self.correction = np.zeros(shape), np.zeros(shape)
        improvement = described.improvement.reshape(shape)
        self.score[there] = (improvement / rows.costs)[there]
        self.gain[there] = rows.gains(np.where(there, improvement, 0.0), nodes)[there]

    def splits(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        """Return the best splits of some columns."""
        found = [(self._rows.features[j], self.found(i, j)) for i, j in zip(nodes, columns, strict=True)]
        return as_splits(found, policy)

    def findings(self) -> NativeBest:
        """Return this."""
        return self

    @property
    def n_cells(self) -> int:
        """How many numbers the contingency tables hold."""
        return len(self._described.sums)

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best split of one column in one node, or why there is none."""
        described, at = self._described, node * len(self._rows.features) + column
        known = int(described.known[at])
        if described.kind[at] == SplitKind.LEAF:
            return "no known cell" if known == 0 else "constant" if described.constant[at] else "limits"
        sums = described.sums[described.sum_start[at] : described.sum_start[at + 1]].reshape(3, -1)
        first, n_rows = described.first(at), int(self._n_rows[node])
        return self._rows.found(first, sums, float(self.gain[node, column]), column, known, n_rows)


@dataclass(frozen=True, eq=False)
class Described:
    """What the native search returns: an element a (node, column)."""

    improvement: Floats
    kind: NDArray[np.uint8]
    threshold: Floats
    known: NDArray[np.int64]
    tried: NDArray[np.int64]
    constant: NDArray[np.uint8]
    exact: NDArray[np.uint8]
    category_start: NDArray[np.int64]
    category_branch: NDArray[np.int32]
    sum_start: NDArray[np.int64]
    sums: Floats

    @property
    def thresholds(self) -> Floats:
        """The thresholds, NaN for what has none."""
        thresholds: Floats = np.where(self.kind == SplitKind.THRESHOLD, self.threshold, np.nan)
        return thresholds

    def first(self, at: int) -> First:
        """Return one split."""
        kind = SplitKind(int(self.kind[at]))
        codes = self.category_branch[self.category_start[at] : self.category_start[at + 1]]
        branch = codes if kind == SplitKind.SUBSET else None
        tried, exact = int(self.tried[at]), bool(self.exact[at])
        return First(float(self.improvement[at]), kind, float(self.thresholds[at]), branch, tried, exact)


def _ranges(handles: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where nodes begin, and their sizes."""
    start = np.array([entries.start for entries in handles], dtype=np.int64)
    return start, np.array([len(entries) for entries in handles], dtype=np.int64)
