"""What passes between the grower and a source of rows: batches of nodes, and the best splits found for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.data.schema import Schema
from deciduous.grow.inherited import Inherited
from deciduous.grow.splits import Splits
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.candidate import Verdict
from deciduous.model.ragged import starts_of
from deciduous.search.contingency import Found, Rule


@dataclass(frozen=True, eq=False)
class Nodes:
    """A batch of nodes: arrays with an element, or a line, a node.

    `rows`: the number of rows; `statistics`: class weights, or (weight, answer, impurity); `impurity` in
    units of the target, `scaled_impurity` of the scanned numbers; `pure`: all rows have one target. Numbers are
    scanned as (y - centre) / scale, so that their sums keep their digits however far from 0, or however small, they
    are; the scale is a power of two, which changes no digit. Of several targets, `statistics` lie side by side
    (`criteria.columns_of`), and `centre` has a column each. `handles` is what the source of rows needs to open the
    nodes; `inherited` what they have from above, where an option asks for it; `risk` what they cost as leaves, with
    `missing="surrogates"`.
    """

    rows: NDArray[np.int64]
    weight: Floats
    statistics: Floats
    impurity: Floats
    scaled_impurity: Floats
    pure: NDArray[np.bool_]
    centre: Floats
    scale: Floats
    handles: Any
    inherited: Inherited | None = None
    risk: Floats | None = None

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.rows)

    def take(self, which: NDArray[Any]) -> Nodes:
        """Return some of the nodes, without handles."""
        return Nodes(
            self.rows[which],
            self.weight[which],
            self.statistics[which],
            self.impurity[which],
            self.scaled_impurity[which],
            self.pure[which],
            self.centre[which],
            self.scale[which],
            handles=None,
            inherited=None if self.inherited is None else self.inherited.take(which),
            risk=None if self.risk is None else self.risk[which],
        )


class Findings(Protocol):
    """What a search found, column by column, for the record of the tree."""

    @property
    def n_cells(self) -> int:
        """How many numbers the contingency tables hold."""

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or the verdict that says why there is none."""


class Best(Protocol):
    """The best splits of a batch: arrays of shape (nodes, columns that may be asked for).

    `gain` (the known share multiplied in) and `score` are -inf where a column has no candidate; `information` is the
    split information, `correction` what a threshold pays for having been chosen among several (`Found.correction`).
    What stands behind the figures can be asked for until the source divides nodes again.
    """

    gain: Floats
    score: Floats
    information: Floats
    correction: Floats

    def splits(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        """Return the best splits of some columns, `columns[k]` in `nodes[k]`; `policy` for missing cells."""

    def findings(self) -> Findings:
        """Return all that was found, independent of the source."""


class Rows(Protocol):
    """A source of training rows."""

    @property
    def schema(self) -> Schema:
        """The schema of the table."""

    @property
    def criterion(self) -> Criterion:
        """What splits are scored by."""

    @property
    def features(self) -> list[int]:
        """The columns that may be asked for."""

    @property
    def n_rows(self) -> int:
        """The number of rows of the table that have a weight, with those without a target and those held out."""

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over the rows that `n_rows` counts, increasing."""

    def root(self) -> Nodes:
        """Return the root alone."""

    def divide(self, handles: NDArray[Any], splits: Splits) -> Nodes:
        """Return all branches of the nodes with these handles, in order."""

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the handles of the branches that will be searched, a line each; the rows of the others are let go."""

    def close(self, handles: NDArray[Any]) -> None:
        """Let go of the rows of nodes that have these handles, and are not divided after all."""

    def best_splits(
        self, handles: NDArray[Any], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> Best:
        """Return the best splits of nodes. `rules`: one a column; `bands`: the tie band of each node, which the
        rules leave open; `tables`: whether `findings` will be asked for.
        """


class AsksSurrogates(Protocol):
    """A source of training rows that finds surrogates, under `missing="surrogates"`."""

    def with_surrogates(self, handles: NDArray[Any], splits: Splits) -> Splits:
        """Return the splits of the nodes with these handles, with their surrogates."""


class BestFound:
    """The best splits of a batch, as lists of what was found."""

    def __init__(self, results: list[list[Found | Verdict]], features: Sequence[int]) -> None:
        self._results, self._features = results, features
        shape = (len(results), len(features))
        self.gain, self.score = np.full(shape, -np.inf), np.full(shape, -np.inf)
        self.information, self.correction = np.zeros(shape), np.zeros(shape)
        for i, line in enumerate(results):
            for j, result in enumerate(line):
                if isinstance(result, Found):
                    self.gain[i, j], self.score[i, j] = result.gain, result.score
                    self.information[i, j], self.correction[i, j] = result.split_information, result.correction

    def splits(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        """Return the best splits of some columns."""
        found = [(self._features[j], self._results[i][j]) for i, j in zip(nodes, columns, strict=True)]
        return as_splits(found, policy)

    def findings(self) -> BestFound:
        """Return this."""
        return self

    @property
    def n_cells(self) -> int:
        """How many numbers the contingency tables hold."""
        found = (r for line in self._results for r in line if isinstance(r, Found))
        return sum(0 if r.table is None else r.table.size for r in found)

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or why there is none."""
        return self._results[node][column]


def as_splits(found: Sequence[tuple[int, Any]], policy: str) -> Splits:
    """Return what was found, (column of the table, `Found`) each, as a batch of splits."""
    starts = starts_of([len(f.weights) for _, f in found])
    weights = np.concatenate([np.zeros(0), *(np.asarray(f.weights, dtype=np.float64) for _, f in found)])
    missing_branch = np.array([f.missing_branch for _, f in found], dtype=np.int64)
    categories = [np.zeros(0, dtype=np.int32) if f.category_branch is None else f.category_branch for _, f in found]
    return Splits(
        np.array([feature for feature, _ in found], dtype=np.int32),
        np.array([f.kind for _, f in found], dtype=np.uint8),
        np.array([f.threshold for _, f in found], dtype=np.float64),
        starts,
        shares_of(policy, weights, starts, missing_branch),
        starts_of([len(codes) for codes in categories]),
        np.concatenate([np.zeros(0, dtype=np.int32), *categories]),
        np.array([f.exact for _, f in found], dtype=bool),
    )
