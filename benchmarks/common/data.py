"""The tables of the benchmarks, made from a fixed seed.

Numbers are float32 values in float64, so that contestants that compare in float32 see the same ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from common.workload import Data, Workload

Floats = NDArray[np.float64]

SEED = 20260731
MISSING_SHARE = 0.1


def make(work: Workload, missing_share: float = MISSING_SHARE) -> Data:
    """Return the table of a workload; the rows to predict are more of the same."""
    rng = np.random.default_rng(SEED)
    data = MAKERS[work.maker](rng, work.rows + work.queries, work.columns, work.classes)
    if work.maker in WITH_MISSING:
        data = _with_missing(rng, data, missing_share)
    if not work.queries:
        return data
    return dataclasses.replace(data, X=data.X[: work.rows], y=data.y[: work.rows], queries=data.X[work.rows :].copy())


def floats(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Normal numbers, no two of a column equal; the target depends on three columns and noise."""
    X = np.empty((rows, columns))
    for j in range(columns):
        X[:, j] = _distinct(rng.standard_normal(rows, dtype=np.float32))
    return Data(X, _target(rng, X[:, 0] + X[:, 1] * X[:, 2], classes))


def integers(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Whole numbers 0 to 255."""
    X = rng.integers(0, 256, size=(rows, columns)).astype(np.float64)
    return Data(X, _target(rng, (X[:, 0] + X[:, 1] * X[:, 2] / 128) / 100, classes))


def nominal(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Nominal columns of 5 to 50 categories; the target depends on an effect of each category of three columns."""
    X = np.empty((rows, columns))
    signal = np.zeros(rows)
    for j, categories in enumerate(np.linspace(5, 50, columns).astype(int)):
        codes = rng.integers(0, categories, size=rows)
        signal += rng.standard_normal(categories)[codes] * (j % 3 == 0)
        X[:, j] = codes
    return Data(X, _target(rng, signal, classes), tuple(range(columns)))


def categories(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Nominal columns of 1,000 categories; the target depends on an effect of each category of the first."""
    X = rng.integers(0, 1000, size=(rows, columns)).astype(np.float64)
    signal = rng.standard_normal(1000)[X[:, 0].astype(np.int64)]
    return Data(X, _target(rng, signal, classes), tuple(range(columns)))


def categories_by_shares(kind: str) -> Callable[[np.random.Generator, int, int, int], Data]:
    """Return a maker of nominal columns of 10,000 categories; the first one's differ in their class shares, which are
    of two kinds, of any kind, or all the same (`noise`: only chance differs).
    """

    def make_columns(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
        n = 10_000
        if kind == "two":
            slope = np.arange(1, classes + 1) / np.arange(classes + 1).sum()
            shares = np.where(rng.random((n, 1)) < 0.5, slope, np.roll(slope, 1))
        elif kind == "all":
            shares = rng.dirichlet(np.ones(classes), size=n)
        else:
            shares = np.full((n, classes), 1 / classes)
        codes = rng.integers(0, n, size=(rows, columns))
        y = (rng.random((rows, 1)) > np.cumsum(shares, axis=1)[codes[:, 0], :-1]).sum(axis=1)
        return Data(codes.astype(np.float64), y.astype(np.int64), tuple(range(columns)))

    return make_columns


def mixed(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Half floats, half nominal; the target depends on both halves."""
    half = columns // 2
    numbers, words = floats(rng, rows, half, 0), nominal(rng, rows, columns - half, 0)
    X = np.hstack([numbers.X, words.X])
    return Data(X, _target(rng, numbers.y + words.y, classes), tuple(range(half, columns)))


def iris(rng: np.random.Generator, rows: int, columns: int, classes: int) -> Data:
    """Fisher's iris (1936): 150 rows, 4 columns, 3 classes; shuffled."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    order = rng.permutation(rows)
    return Data(np.ascontiguousarray(X[order], dtype=np.float64), y[order].astype(np.int64))


MAKERS = {
    "floats": floats,
    "integers": integers,
    "nominal": nominal,
    "categories": categories,
    "categories_of_two_kinds": categories_by_shares("two"),
    "categories_of_all_kinds": categories_by_shares("all"),
    "categories_of_noise": categories_by_shares("noise"),
    "floats_missing": floats,
    "mixed_missing": mixed,
    "iris": iris,
}
#: Those that then lose cells.
WITH_MISSING = ("floats_missing", "mixed_missing")


def _distinct(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return values moved by the least that makes them all different; their order in the column stays."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    while (late := ranked[1:] <= ranked[:-1]).any():
        ranked[1:][late] = np.nextafter(ranked[:-1][late], np.float32(np.inf))
    distinct = np.empty_like(ranked)
    distinct[order] = ranked
    return distinct


def _target(rng: np.random.Generator, signal: Floats, classes: int) -> NDArray[np.int64] | Floats:
    """Return a signal with noise: as it is, or in classes of equal size."""
    noisy = signal + 0.5 * rng.standard_normal(len(signal))
    if classes == 0:
        return noisy
    return np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes)).astype(np.int64)


def _with_missing(rng: np.random.Generator, data: Data, share: float) -> Data:
    for column in data.X.T:
        column[rng.random(len(column)) < share] = np.nan
    return data
