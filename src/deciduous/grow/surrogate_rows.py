"""Rows in memory for `missing="surrogates"`: splits rated on known rows, and rows divided by surrogates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.nodes import Best, BestFound, Nodes
from deciduous.grow.risk import Risk, costs_of
from deciduous.grow.rows import Entries, MemoryRows
from deciduous.grow.splits import Splits
from deciduous.kernels import MISSING_CELL, side_of
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.model.route import branches_of
from deciduous.model.split import Split
from deciduous.model.surrogates import Surrogate, Surrogates
from deciduous.search.contingency import Found, Rule
from deciduous.search.first import (
    Classes,
    First,
    Numbers,
    Rated,
    Rates,
    below,
    best_cut,
    best_division,
    entropy_of,
    gini_of,
)
from deciduous.search.surrogates import Ask, Primary, best_of, mirrored, surrogate_of


class SurrogateRows(MemoryRows):
    """The training rows of a table in memory, as rpart searches and divides them.

    `risk`: what classes count; `row_weight`: the weights of rows without their exposure, by which sides agree;
    `costs`: what asking for each column costs, or None; `ask`: the surrogates to look for; `use`: 0 leaves rows with a
    missing cell at their node, 1 sends them by surrogates, 2 also to the heavier side.
    """

    def __init__(self, *args: Any, risk: Risk, row_weight: Floats, costs: Any, ask: Ask, use: int, **more: Any) -> None:
        super().__init__(*args, **more)
        self.risk, self.row_weight, self.ask, self.use = risk, row_weight, ask, use
        self._root: Floats | None = None
        self.costs = costs_of(costs, self.schema.names, self.features)

    def _nodes(self, parts: Sequence[Entries]) -> Nodes:
        """Return nodes with their risk; of squared error it is added up row by row, as complexities that are equal but
        for rounding are different lines of the table.
        """
        nodes = super()._nodes(parts)
        if self._root is None:
            self._root = nodes.statistics[0]
        answers = self.risk.answers(nodes.statistics, self._root)
        risks = self.risk.risks(nodes.statistics, answers)
        if self.task == "number" and self.criterion.name != "poisson":
            risks = np.array([self._squares(part) for part in parts])
        return replace(nodes, risk=risks)

    def _squares(self, entries: Entries) -> float:
        """Return the sum of squared deviations from the mean."""
        y, w = self.values[entries.rows], entries.weight
        mean = np.cumsum(w * y)[-1] / np.cumsum(w)[-1]
        return float(np.cumsum(w * (y - mean) ** 2)[-1])

    # --- the search

    def best_splits(
        self, handles: NDArray[Any], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> Best:
        """Return the best splits of nodes; their score is rpart's improvement over the cost of the column."""
        results: list[list[Found | Verdict]] = []
        for i, entries in enumerate(handles):
            assert nodes.risk is not None
            risk = float(nodes.risk[i])
            node = nodes.take(np.array([i]))
            results.append(
                [self._first(entries, risk, node, j, rules[j].min_samples_leaf) for j in range(len(self.features))]
            )
        return BestFound(results, self.features)

    def _first(self, entries: Entries, risk: float, node: Nodes, column: int, least: int) -> Found | Verdict:
        """Return the best split of a column, or why it has none."""
        feature = self.features[column]
        cells, n_categories = self._cells(feature, entries.rows)
        known = cells >= 0 if n_categories else ~np.isnan(cells)
        order = np.flatnonzero(known)
        if not n_categories:
            order = order[np.argsort(cells[order], kind="stable")]
        x = cells[order]
        if len(x) == 0:
            return "no known cell"
        if (x == x[0]).all():
            return "constant"
        rated = self._rated(Entries(entries.rows[order], entries.weight[order]), risk)
        first = best_division(x, n_categories, rated, least) if n_categories else best_cut(x, rated, least)
        if first is None:
            return "limits"
        return self._found(entries, node, column, first, len(x))

    def _cells(self, feature: int, rows: NDArray[np.int64]) -> tuple[Any, int]:
        """Return cells as numbers (NaN missing) and 0, or as codes (negative: missing) and the number of categories."""
        if self.schema.features[feature].kind != "nominal":
            return self._ordered_cells(feature, rows), 0
        column = self.table.columns[feature]
        assert column is not None
        return column[rows].astype(np.int64), len(self.schema.features[feature].categories)

    def _rated(self, entries: Entries, risk: float) -> Rated:
        y: NDArray[Any] = self.values[entries.rows]
        if self.task == "class":
            impurity = gini_of if self.criterion.name == "gini" else entropy_of
            return Classes(y, entries.weight, self.risk.altered, self.risk.places, impurity)
        if self.criterion.name == "poisson":
            return Rates(y, entries.weight)
        return Numbers(y, entries.weight, risk)

    def _found(self, entries: Entries, node: Nodes, column: int, first: First, n_known: int) -> Found:
        feature, threshold = self.features[column], first.threshold
        if self.schema.features[feature].kind == "numeric":
            threshold = below(threshold)
        split = Split(feature, first.kind, 2, threshold, _codes(first.category_branch))
        branch = self._branches(split, entries)
        place = float(node.centre[0]), float(node.scale[0])
        table, _ = self._sums(np.where(branch < 0, 2, branch), 3, entries, *place)
        gain = float(self.gains(np.array([[first.improvement]]), node)[0, 0])
        return self.found(replace(first, threshold=threshold), table, gain, column, n_known, len(entries))

    def found(self, first: First, table: Floats, gain: float, column: int, n_known: int, n: int) -> Found:
        """Return a split as it is chosen and kept. `table`: the sums of the branches and of the rows not known."""
        weight = table[:, 0] if self.task == "number" else table.sum(axis=1)
        return Found(
            first.kind,
            weight[:2].tolist(),
            table[:2],
            gain=gain,
            score=first.improvement / float(self.costs[column]),
            split_information=0.0,
            threshold=first.threshold,
            category_branch=first.category_branch,
            tried=first.tried,
            exact=first.exact,
            missing=table[2] if n_known < n else None,
            known_rows=n_known,
        )

    def gains(self, improvement: Floats, nodes: Nodes) -> Floats:
        """Return the drops in impurity of the scanned numbers that improvements are, shape (nodes, columns), times the
        share of the known rows.
        """
        if self.task == "class":
            unit = 1.0 if self.criterion.name == "gini" else float(np.log(2))
            gains: Floats = improvement / (nodes.statistics * self.risk.altered).sum(axis=1)[:, None] / unit
            return gains
        if self.criterion.name == "poisson":
            rates: Floats = improvement / 2 / (nodes.weight * nodes.scale)[:, None]
            return rates
        return improvement * nodes.scaled_impurity[:, None]

    def _branches(self, split: Split, entries: Entries) -> NDArray[np.int64]:
        """Return the branch of each row by the primary split, -1 where it is missing."""
        column = self.table.columns[split.feature]
        assert column is not None
        return np.maximum(branches_of(split, column[entries.rows], True).astype(np.int64), MISSING_CELL)

    # --- surrogates

    def with_surrogates(self, handles: NDArray[Any], splits: Splits) -> Splits:
        """Return splits with their surrogates."""
        nodes = [self._surrogates(entries, splits[i]) for i, entries in enumerate(handles)]
        return replace(splits, surrogates=Surrogates.of(nodes))

    def _surrogates(self, entries: Entries, split: Split) -> tuple[int, int, list[Surrogate]]:
        """Return which branch is left, which is heavier, and the surrogates of a split."""
        branch = self._branches(split, entries)
        known = branch >= 0
        rated = self._rated(Entries(entries.rows[known], entries.weight[known]), 1.0)
        lines = rated.lines()
        low, high = (np.cumsum(lines[branch[known] == b], axis=0)[-1] for b in (0, 1))
        first, second = rated.mean(np.stack([low, high]))
        left = int(second < first)
        side = np.where(known, branch ^ left, branch)
        primary = Primary(side, self.row_weight[entries.rows])
        found = []
        for feature in self.features if self.ask.most else []:
            if feature == split.feature:
                continue
            surrogate = surrogate_of(feature, *self._cells(feature, entries.rows), primary, self.ask)
            if surrogate is not None:
                if self.schema.features[feature].kind == "numeric":
                    surrogate = replace(surrogate, threshold=below(surrogate.threshold))
                found.append(mirrored(surrogate) if left else surrogate)
        blind = primary.heavier if primary.heavier < 0 else primary.heavier ^ left
        return left, blind, self._counted(entries, branch, best_of(found, self.ask))

    def _counted(self, entries: Entries, branch: NDArray[np.int64], several: list[Surrogate]) -> list[Surrogate]:
        """Return surrogates with the number of rows that each sends."""
        if self.use == 0:
            return several
        open_rows, counted = branch < 0, []
        for surrogate in several:
            sent = open_rows & (self._sent(surrogate, entries) >= 0)
            counted.append(replace(surrogate, rows=int(sent.sum())))
            open_rows &= ~sent
        return counted

    def _sent(self, surrogate: Surrogate, entries: Entries) -> NDArray[np.int32]:
        """Return the branch to which a surrogate sends each row, -1 where it cannot."""
        column = self.table.columns[surrogate.feature]
        assert column is not None
        cells = column[entries.rows]
        return side_of(surrogate.kind, surrogate.threshold, surrogate.below, surrogate.category_branch, cells)

    def divide(self, handles: NDArray[Any], splits: Splits) -> Nodes:
        """Return both branches of nodes: rows by the primary split, by surrogates, and blindly, as `use` says.

        A row that nothing sends is in neither branch.
        """
        assert splits.surrogates is not None
        parts = []
        for i, entries in enumerate(handles):
            branch = self._branches(splits[i], entries)
            for surrogate in splits.surrogates.of_node(i) if self.use else []:
                branch = np.where(branch < 0, self._sent(surrogate, entries), branch)
            if self.use == 2:
                branch = np.where(branch < 0, splits.surrogates.blind[i], branch)
            parts += [Entries(entries.rows[branch == b], entries.weight[branch == b]) for b in (0, 1)]
        return self._nodes(parts)


def _codes(category_branch: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32) if category_branch is None else category_branch
