"""Rows to draw: encoded as the tree was, with their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.frames import columns_of
from deciduous.data.table import Table
from deciduous.data.target import encode_target_like
from deciduous.errors import DataError, listing
from deciduous.measures import Floats
from deciduous.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with a known target: `target` holds numbers, or class codes of the tree (-1: a class that it does not know),
    shape (rows,); `rows`: where they are among the rows that were given.
    """

    table: Table
    target: Floats
    rows: NDArray[np.int64]

    def cells(self, feature: int) -> Floats:
        """Return the cells of a column: numbers, or codes of categories; NaN where missing or never seen."""
        cells = self.table.columns[feature]
        assert cells is not None
        if cells.dtype == np.float64:
            return cells.astype(np.float64)
        return np.where(cells < 0, np.nan, cells.astype(np.float64))

    def equals(self, other: Sample) -> bool:
        """Whether these are the same rows in the same order."""
        pairs = zip((self.target, *self.table.columns), (other.target, *other.table.columns), strict=True)
        return all(
            mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs, equal_nan=True)
            for mine, theirs in pairs
        )

    def take(self, places: NDArray[np.int64]) -> Sample:
        """Return some of the rows."""
        cells = tuple(None if column is None else column[places] for column in self.table.columns)
        return Sample(Table(self.table.schema, len(places), cells), self.target[places], self.rows[places])


def sample_of(tree: Tree, X: Any, y: Any) -> Sample:
    """Encode rows and their target; `y` may be the name of a column of X. DataError says what cannot be used."""
    if isinstance(y, str):
        columns = columns_of(X)
        found = [column for column in columns.columns if column.name == y]
        if not found:
            raise DataError(f"X has no column {y!r}; it has {listing(columns.names)}.")
        y = found[0].numbers if found[0].numbers is not None else found[0].text
    table = Table.encode_like(X, tree.schema, who="the tree")
    target = encode_target_like(y, tree.task, tree.classes, tree.target)
    if len(target.values) != table.n_rows:
        raise DataError(f"X has {table.n_rows} rows and y has {len(target.values)}; they must be the same rows.")
    everything = Sample(table, target.values.astype(np.float64), np.arange(table.n_rows))
    return everything.take(np.flatnonzero(target.known))
