"""Rows in memory for `missing="surrogates"`, searched and divided by the native kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.nodes import Nodes, as_splits
from deciduous.grow.rows import Entries
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


class NativeSurrogateRows(SurrogateRows):
    """The twin of `SurrogateRows`: ordered columns are sorted once, and nodes are ranges of the sorted arrays."""

    def __init__(self, *args: Any, native: Any, n_threads: int, **more: Any) -> None:
        super().__init__(*args, **more)
        is_class = self.task == "class"
        self._native = native.SurrogateRows(
            list(self.table.columns),
            np.array([len(f.categories) if f.kind == "nominal" else 0 for f in self.schema.features], dtype=np.int32),
            np.ascontiguousarray(self.values, dtype=np.int32) if is_class else None,
            None if is_class else np.ascontiguousarray(self.values, dtype=np.float64),
            np.ascontiguousarray(self.weight, dtype=np.float64),
            np.ascontiguousarray(self.row_weight, dtype=np.float64),
            np.ascontiguousarray(self.risk.altered, dtype=np.float64),
            np.ascontiguousarray(self.risk.places, dtype=np.float64),
            RATINGS[self.criterion.name],
            np.ascontiguousarray(self._rows, dtype=np.int64),
            self.table.n_rows,
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
        found = self._native.best_splits(*_ranges(handles), nodes.risk, nodes.centre, nodes.scale, least)
        return NativeBest(self, _Described(*found), nodes)

    def with_surrogates(self, handles: NDArray[Any], splits: Splits) -> Splits:
        """Return splits with their surrogates, and decide where rows go."""
        found = self._native.surrogates(
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
        sizes, rows = self._native.divide(*_ranges(handles))
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

    def __init__(self, rows: NativeSurrogateRows, described: _Described, nodes: Nodes) -> None:
        self._rows, self._described = rows, described
        self._scale, self._n_rows = nodes.scale, nodes.rows
        shape = (len(nodes), len(rows.features))
        there = described.kind.reshape(shape) != SplitKind.LEAF
        self.score, self.gain = np.full(shape, -np.inf), np.full(shape, -np.inf)
        self.information, self.correction = np.zeros(shape), np.zeros(shape)
        improvement = described.improvement.reshape(shape)
        self.score[there] = (improvement / rows.costs)[there]
        if there.any():
            tables = described.sums.reshape(int(there.sum()), 3, -1)
            scale = np.broadcast_to(nodes.scale[:, None], shape)[there] if rows.criterion.degree == 1 else 1.0
            self.gain[there] = rows.gains(improvement[there], tables) / scale

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
        cost, scale = float(self._rows.costs[column]), float(self._scale[node])
        return self._rows.found(described.first(at), sums, scale, cost, known, int(self._n_rows[node]))


@dataclass(frozen=True, eq=False)
class _Described:
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

    def first(self, at: int) -> First:
        """Return one split."""
        kind = SplitKind(int(self.kind[at]))
        codes = self.category_branch[self.category_start[at] : self.category_start[at + 1]]
        threshold = float(self.threshold[at]) if kind == SplitKind.THRESHOLD else float("nan")
        branch = codes if kind == SplitKind.SUBSET else None
        tried, exact = int(self.tried[at]), bool(self.exact[at])
        return First(float(self.improvement[at]), kind, threshold, branch, tried, exact)


def _ranges(handles: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where nodes begin, and their sizes."""
    start = np.array([entries.start for entries in handles], dtype=np.int64)
    return start, np.array([len(entries) for entries in handles], dtype=np.int64)
