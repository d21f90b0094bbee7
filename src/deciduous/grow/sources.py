"""Which source of rows a tree is grown from: the native kernels where they can, else NumPy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.data.table import Table
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.joint_rows import JointRows
from deciduous.grow.native_surrogate_rows import NativeSurrogateRows, SortedTable
from deciduous.grow.nodes import Rows
from deciduous.grow.risk import Risk
from deciduous.grow.rows import MemoryRows, Rowids
from deciduous.grow.sorted_rows import MEASURES, SortedRows
from deciduous.grow.sorted_rows import NOMINAL as NATIVE_NOMINAL
from deciduous.grow.surrogate_rows import SurrogateRows
from deciduous.measures import Floats
from deciduous.search.surrogates import Ask

#: Tables of fewer rows are grown sooner than the cores are counted and threads started.
FEW_ROWS = 2_000


def rows_of(
    table: Table,
    values: NDArray[np.int32] | Floats,
    weight: Floats,
    algorithm: Algorithm,
    n_classes: int,
    rows: Rowids,
) -> Rows:
    """Return the training rows as a source for the grower.

    NumPy grows what the native kernels do not know: a user's own criterion, and C4.5's rules for numbers together with
    random choices, constraints or a target of numbers (no estimator has both).
    """
    native = kernels.native()
    criterion = algorithm.scoring
    c45_rules = algorithm.conventions != "c45" or algorithm.mdl_correction or algorithm.min_cases > 0
    unknown = c45_rules and (algorithm.inherits or algorithm.task == "number")
    unknown |= algorithm.nominal not in NATIVE_NOMINAL
    if native is None or criterion.own or criterion.name not in MEASURES or unknown:
        return MemoryRows(table, values, weight, criterion, n_classes, rows, algorithm.max_bins)
    n_threads = 1 if table.n_rows < FEW_ROWS else threads(algorithm.n_jobs)
    in_parts = algorithm.missing == "fractional" and _any_missing(table, rows)
    return SortedRows(
        native, table, values, weight, criterion, n_classes, rows, n_threads, algorithm.max_bins, in_parts
    )


class SurrogateSource:
    """The rows of a table under `missing="surrogates"`: trees of its folds share the order of its columns."""

    def __init__(
        self,
        table: Table,
        values: NDArray[np.int32] | Floats,
        weight: Floats,
        row_weight: Floats,
        algorithm: Algorithm,
        n_classes: int,
        rows: Rowids,
    ) -> None:
        """Take a table; see `SurrogateRows`. `rows`: those that take part in any tree; `n_classes`: 0 for numbers."""
        self._of_rows = (table, values, weight, algorithm.scoring, n_classes)
        self._row_weight = row_weight
        native = kernels.native()
        self._sorted = None
        if native is not None:
            n_threads = 1 if len(rows) < FEW_ROWS else threads(algorithm.n_jobs)
            self._sorted = SortedTable(native, table, values, weight, row_weight, n_classes, rows, n_threads)

    def rows(self, algorithm: Algorithm, risk: Risk, rows: Rowids) -> Rows:
        """Return some of the rows as a source for the grower."""
        options: dict[str, Any] = {
            "risk": risk,
            "row_weight": self._row_weight,
            "costs": algorithm.costs,
            "ask": Ask(algorithm.max_surrogates, algorithm.surrogate_style),
            "use": algorithm.use_surrogates,
        }
        if self._sorted is None:
            return SurrogateRows(*self._of_rows, rows, **options)
        n_threads = 1 if len(rows) < FEW_ROWS else threads(algorithm.n_jobs)
        return NativeSurrogateRows(*self._of_rows, rows, sorted_table=self._sorted, n_threads=n_threads, **options)


def joint_rows_of(
    table: Table,
    values: NDArray[np.int32] | Floats,
    weight: Floats,
    algorithm: Algorithm,
    n_classes: Sequence[int],
    rows: Rowids,
) -> Rows:
    """Return training rows with several targets as a source for the grower: NumPy's, the native kernels know one.

    `values`: shape (rows, targets); `n_classes`: one a target (1 for numbers).
    """
    return JointRows(table, values, weight, algorithm, n_classes, rows)


def _any_missing(table: Table, rows: Rowids) -> bool:
    cells = [column[rows] for column in table.columns if column is not None]
    return any(bool((np.isnan(c) if c.dtype == np.float64 else c < 0).any()) for c in cells)


def threads(n_jobs: int | None) -> int:
    """Return the number of threads: those asked for, else (None or -1) all cores that this process may use.

    A worker of joblib or Dask is told its share of the cores by OMP_NUM_THREADS, which is kept to.
    """
    if n_jobs is not None and n_jobs != -1:
        return int(n_jobs)
    share = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(joblib.cpu_count())
    return min(int(share), cores) if share.isdigit() and int(share) > 0 else cores
