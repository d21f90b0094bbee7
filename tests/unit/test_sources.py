"""Which source of rows a tree is grown from."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import kernels
from deciduous.algorithms.c45 import C45
from deciduous.algorithms.cart import CART_CLASSES, CART_NUMBERS
from deciduous.algorithms.id3 import ID3
from deciduous.criteria import CRITERIA
from deciduous.data.table import Table
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.rows import MemoryRows
from deciduous.grow.sorted_rows import MEASURES, SortedRows
from deciduous.grow.sources import rows_of
from deciduous.grow.splits import Splits
from deciduous.kernels import SplitKind
from deciduous.model.split import Split

NATIVE = find_spec("deciduous.kernels._native") is not None
needs_native = pytest.mark.skipif(not NATIVE, reason="needs the native kernels")

CODES, NUMBERS = np.array([0, 1, 0, 1], dtype=np.int32), np.array([1.0, 2, 4, 8])
WHOLE = {"n": [1.0, 2, 3, 4], "c": list("uvuv")}
ORDERED = pd.Categorical(["lo", None, "hi", "lo"], categories=["lo", "hi"], ordered=True)
HOLES = {"number": [1.0, None, 3, 4], "nominal": ["u", None, "v", "u"], "ordinal": ORDERED}


def source(algorithm: Algorithm, cells: Any = WHOLE, rows: Any = range(4), kinds: Any = None, **options: Any) -> Any:
    table = Table.encode(pd.DataFrame(cells), kinds)
    values = CODES if algorithm.task == "class" else NUMBERS
    return rows_of(table, values, np.ones(4), algorithm.of(options), 2, np.array(rows, dtype=np.int64))


def tables_are_candidates(tables: np.ndarray) -> np.ndarray:
    return np.zeros(len(tables))


@needs_native
@pytest.mark.parametrize("algorithm", [ID3, C45, CART_CLASSES, CART_NUMBERS], ids=lambda a: f"{a.name} {a.task}")
def test_the_native_kernels_where_they_can_be_had(algorithm: Algorithm) -> None:
    with kernels.use("native"):
        assert isinstance(source(algorithm), SortedRows)
        for criterion in algorithm.criteria:
            assert isinstance(source(algorithm, criterion=criterion), SortedRows)


def test_numpy_where_they_cannot() -> None:
    with kernels.use("numpy"):
        for algorithm in (ID3, C45, CART_CLASSES, CART_NUMBERS):
            assert isinstance(source(algorithm), MemoryRows)


def test_the_kernels_in_use_decide_unless_told_otherwise() -> None:
    expected = MemoryRows if kernels.native() is None else SortedRows
    assert isinstance(source(CART_CLASSES), expected)


@needs_native
@pytest.mark.parametrize("algorithm", [CART_CLASSES, CART_NUMBERS], ids=lambda a: a.task)
def test_numpy_for_a_users_own_criterion(algorithm: Algorithm) -> None:
    with kernels.use("native"):
        assert isinstance(source(algorithm, criterion=tables_are_candidates), MemoryRows)


@needs_native
def test_a_users_function_with_the_name_of_a_measure_is_still_the_users() -> None:
    def gini(tables: np.ndarray) -> np.ndarray:
        return np.zeros(len(tables))

    with kernels.use("native"):
        assert isinstance(source(CART_CLASSES, criterion=gini), MemoryRows)


@needs_native
@pytest.mark.parametrize("hole", HOLES)
def test_missing_cells_divide_rows_in_the_native_kernels_too(hole: str) -> None:
    with kernels.use("native"):
        rows = source(C45, WHOLE | {"hole": HOLES[hole]})
        assert isinstance(rows, SortedRows)
        branch = {"number": (1, 3.0), "nominal": (3, np.nan), "ordinal": (1, 0.0)}[hole]
        split = Split(2, SplitKind(branch[0]), 2, branch[1], np.arange(2, dtype=np.int32), np.array([0.75, 0.25]))
        handles = rows.open(rows.root(), np.ones(1, dtype=bool))
        children = rows.divide(handles, Splits.of([split], [True]))
    assert children.rows.tolist() == [3, 2]  # two and one with a known cell, and the missing one in both
    assert children.weight.tolist() == [2.75, 1.25]


def test_every_built_in_criterion_is_a_measure_of_the_native_scan() -> None:
    assert {name for _, name in CRITERIA} == set(MEASURES)


@needs_native
@pytest.mark.parametrize("option", [{"splitter": "random"}, {"max_features": 1}, {"monotonic_cst": [1, 0]}], ids=str)
def test_native_for_random_choices_and_bounds_too(option: Any) -> None:
    with kernels.use("native"):
        assert isinstance(source(CART_NUMBERS, **option), SortedRows)


@needs_native
@pytest.mark.parametrize("algorithm", [CART_CLASSES, CART_NUMBERS], ids=lambda a: a.task)
def test_both_sources_have_the_same_root(algorithm: Algorithm) -> None:
    sources = []
    for name in ("native", "numpy"):
        with kernels.use(name):
            sources.append(source(algorithm, WHOLE | {"hole": HOLES["number"]}, rows=[0, 1, 3]))
    ours, theirs = (s.root() for s in sources)
    for array in ("rows", "weight", "statistics", "impurity", "scaled_impurity", "pure", "centre", "scale"):
        assert getattr(ours, array) == pytest.approx(getattr(theirs, array), rel=1e-12, abs=0)
    assert sources[0].features == sources[1].features == [0, 1, 2]
    assert [s.training_values(2).tolist() for s in sources] == [[1, 3, 4]] * 2  # of all rows that have a weight
