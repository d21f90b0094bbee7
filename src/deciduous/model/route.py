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
    """Where rows end: entry i says that row `rows[i]` ends in node `nodes[i]` with the weight `weights[i]`.

    Sorted by row, then node. A row has one entry, unless missing cells sent parts of it down several branches; the
    weights of a row sum to 1. A row that stops at a node (an unseen category) has that node, which is then no leaf.
    """

    rows: NDArray[np.int64]
    nodes: NDArray[np.int32]
    weights: Floats
    n_rows: int

    @property
    def whole(self) -> bool:
        """Whether every row arrives whole, in one node."""
        return len(self.rows) == self.n_rows


def route(tree: Tree, table: Table) -> Arrivals:
    """Send every row of a table down the tree."""
    rows, nodes, weights = kernels.route(
        tree.first_child,
        tree.n_branches,
        tree.feature,
        tree.kind,
        tree.threshold,
        tree.category_start,
        tree.category_branch,
        tree.share,
        tree.unseen == "missing",
        list(table.columns),
        table.n_rows,
    )
    return Arrivals(rows, nodes, weights, table.n_rows)


def branches_of(split: Split, cells: Cells, unseen_as_missing: bool = False) -> NDArray[np.int32]:
    """Return the branch that each cell leads to; -1 for a missing cell, -2 for a category that the split does not
    know.
    """
    return kernels.branch_of(split.kind, split.threshold, split.category_branch, cells, unseen_as_missing)
