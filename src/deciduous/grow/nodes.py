"""What passes between the grower and a source of rows: batches of nodes, and the best splits found for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Schema
from deciduous.grow.inherited import Inherited
from deciduous.measures import Floats
from deciduous.model.candidate import Verdict
from deciduous.model.split import Split
from deciduous.search.contingency import Found, Rule


@dataclass(frozen=True, eq=False)
class Nodes:
    """A batch of nodes: arrays with an element, or a line, a node.

    `rows`: the number of rows; `statistics`: class weights, or (weight, answer, impurity); `impurity` in
    units of the target, `scaled_impurity` of the scanned numbers; `pure`: all rows have one target. Numbers are
    scanned as (y - centre) / scale, so that their sums keep their digits however far from 0, or however small, they
    are; the scale is a power of two, which changes no digit. `handles` is what the source of rows needs to find the
    rows again; `inherited` what nodes have from above, where an option asks for it.
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

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.rows)

    def take(self, which: NDArray[Any]) -> Nodes:
        """Return some of the nodes, without handles."""
        arrays = {f.name: getattr(self, f.name)[which] for f in fields(self) if f.name not in ("handles", "inherited")}
        return Nodes(**arrays, handles=None, inherited=None if self.inherited is None else self.inherited.take(which))


class Best(Protocol):
    """The best splits of a batch: arrays of shape (nodes, columns that may be asked for).

    `gain` (the known share multiplied in) and `score` are -inf where a column has no candidate; `information` is the
    split information.
    """

    gain: Floats
    score: Floats
    information: Floats

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or the verdict that says why there is none."""


class Rows(Protocol):
    """A source of training rows."""

    @property
    def schema(self) -> Schema:
        """The schema of the table."""

    @property
    def features(self) -> list[int]:
        """The columns that may be asked for."""

    def training_values(self, feature: int) -> Floats:
        """Return the distinct values of an ordered column over all rows that take part, increasing."""

    def root(self) -> Nodes:
        """Return the root alone."""

    def divide(self, handles: Sequence[Any], splits: Sequence[Split]) -> Nodes:
        """Return all branches of the nodes with these handles, in order."""

    def open(self, nodes: Nodes, which: NDArray[np.bool_]) -> Sequence[Any]:
        """Return the handles of the branches that will be searched; the rows of the others are let go."""

    def best_splits(
        self, handles: Sequence[Any], nodes: Nodes, rules: Sequence[Rule], bands: Floats, tables: bool
    ) -> Best:
        """Return the best splits of nodes. `rules`: one a column; `bands`: the tie band of each node, which the
        rules leave open;
        `tables`: whether candidates must have their contingency tables.
        """


class BestFound:
    """The best splits of a batch, as lists of what was found."""

    def __init__(self, results: list[list[Found | Verdict]], n_columns: int) -> None:
        self._results = results
        shape = (len(results), n_columns)
        self.gain, self.score = np.full(shape, -np.inf), np.full(shape, -np.inf)
        self.information = np.zeros(shape)
        for i, line in enumerate(results):
            for j, result in enumerate(line):
                if isinstance(result, Found):
                    self.gain[i, j], self.score[i, j] = result.gain, result.score
                    self.information[i, j] = result.split_information

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or why there is none."""
        return self._results[node][column]
