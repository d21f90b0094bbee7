"""Which source of rows a tree is grown from: the native kernels where they can, else NumPy."""

from __future__ import annotations

import os

import joblib
import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.data.table import Table
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.nodes import Rows
from deciduous.grow.rows import MemoryRows, Rowids
from deciduous.grow.sorted_rows import MEASURES, SortedRows
from deciduous.grow.sorted_rows import NOMINAL as NATIVE_NOMINAL
from deciduous.measures import Floats

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
