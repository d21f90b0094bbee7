"""The walk down the tree: the only reader of splits. Growing, predicting and explaining all come through here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.data.table import Cells, Table
from deciduous.measures import Floats
from deciduous.model.split import Split

if TYPE_CHECKING:
    from deciduous.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Where rows end: as a rule whole, row i in node `nodes[i]`.

    Where missing cells sent parts of some row down several branches, `parts` holds (rows, weights): entry i then says
    that the share `weights[i]` of row `rows[i]` ends in node `nodes[i]`; entries are sorted by row, then node, and the
    weights of a row sum to 1. A row that stops at a node (an unseen category) has that node, which is then no leaf.
    """

    nodes: NDArray[np.int32]
    n_rows: int
    parts: tuple[NDArray[np.int64], Floats] | None = None

    @property
    def whole(self) -> bool:
        """Whether every row arrives whole, in one node."""
        return self.parts is None

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.arange(self.n_rows) if self.parts is None else self.parts[0]

    @property
    def weights(self) -> Floats:
        """The share of its row that each entry holds."""
        return np.ones(self.n_rows) if self.parts is None else self.parts[1]


def route(tree: Tree, table: Table, n_threads: int = 1) -> Arrivals:
    """Send every row of a table down the tree; DataError if a number that it asks for is infinite.

    The arrivals are the same for any number of threads, and for both kernels.
    """
    if tree.surrogates is not None:
        return _route_by_surrogates(tree, table, n_threads)
    rows, nodes, weights, infinite = kernels.route(
        tree.first_child,
        tree.n_branches,
        tree.feature,
        tree.kind,
        tree.threshold,
        tree.category_start,
        tree.category_branch,
        tree.share,
        tree.unseen == "missing",
        table.columns,
        table.n_rows,
        n_threads,
    )
    if infinite:
        table.refuse_infinity(tree.used_features)
    return Arrivals(nodes, table.n_rows, None if rows is None or weights is None else (rows, weights))


def _route_by_surrogates(tree: Tree, table: Table, n_threads: int) -> Arrivals:
    """Send every row of a table down a tree that has surrogates."""
    assert tree.surrogates is not None
    asked = tree.surrogates if tree.options["use_surrogates"] else tree.surrogates.none_asked()
    nodes, infinite = kernels.route_by_surrogates(
        tree.first_child,
        tree.n_branches,
        tree.feature,
        tree.kind,
        tree.threshold,
        tree.category_start,
        tree.category_branch,
        tree.share,
        tree.unseen == "missing",
        asked.start,
        asked.feature,
        asked.kind,
        asked.threshold,
        asked.below,
        asked.category_start,
        asked.category_branch,
        table.columns,
        table.n_rows,
        n_threads,
    )
    if infinite:
        table.refuse_infinity(tree.used_features)
    return Arrivals(nodes, table.n_rows)


def branches_of(split: Split, cells: Cells, unseen_as_missing: bool = False) -> NDArray[np.int32]:
    """Return the branch that each cell leads to; -1 for a missing cell, -2 for a category that the split does not
    know.
    """
    return kernels.branch_of(split.kind, split.threshold, split.category_branch, cells, unseen_as_missing)
