"""Tables that cannot be read: what the error says, and what to do instead."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from deciduous.data.frames import columns_of
from deciduous.errors import DataError

DAY = datetime.date(2020, 1, 1)


class Dask:
    npartitions = 2

    def compute(self) -> None: ...


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (csr_matrix(np.eye(2)), r"Sparse matrices are not supported.* X\.toarray\(\)"),
        (pl.LazyFrame({"a": [1]}), r"lazy frame; pass X\.collect\(\)"),
        (Dask(), r"Dask collection; pass X\.compute\(\)"),
        ({"a": [1, {2}]}, "column 'a', row 1: argument must be a string or a number, got set"),
        (np.array([[object()]]), "column 'x0', row 0: argument must be a string or a number, got object"),
        (pd.DataFrame({"a": [b"x"]}), "column 'a', row 0: .* got bytes"),
        (pd.DataFrame({"a": pd.cut([1, 2], 2)}), "column 'a', row 0: .* got Interval"),
    ],
)
def test_types_that_are_no_tables(X: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        columns_of(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("golf.csv", r"got 'golf\.csv'\. To read a file use deciduous\.read_table"),
        (b"golf.csv", "X must be a table"),
        (None, "X is None; it must be a table"),
        (3.5, "Expected 2D array.*got 0D"),
        ([], "Expected 2D array.*got 1D"),
        ([1, 2], r"Expected 2D array.*got 1D.* shape \(2,\).* X\.reshape\(-1, 1\)"),
        (pd.Series([1, 2]), "Expected 2D array.*got 1D"),
        (pl.Series([1, 2]), "Expected 2D array.*got 1D"),
        (np.zeros((2, 2, 2)), r"got 3D array instead, shape \(2, 2, 2\)"),
        ([[1, 2], [3]], "equally many cells in every row"),
        ({"a": [1, 2], "b": [1]}, "equally many rows; they have {'a': 2, 'b': 1}"),
        (np.array([[1j]]), "Complex data not supported"),
    ],
    ids=[
        *("text", "bytes", "None", "number", "nothing", "list", "pandas", "polars", "three dimensions"),
        *("ragged rows", "ragged columns", "complex"),
    ],
)
def test_values_that_are_no_tables(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        columns_of(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), r"'a' \(columns 0, 2\)"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), r"'1' \(columns 0, 1\)"),
        (pa.table([[1], [2]], names=["a", "a"]), r"'a' \(columns 0, 1\)"),
        ({1: [1], "1": [2]}, r"'1' \(columns 0, 1\)"),
    ],
    ids=["pandas", "as text", "arrow", "dict"],
)
def test_columns_of_one_name(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=rf"column names must be different; .*{message}.*Rename"):
        columns_of(X)


@pytest.mark.parametrize(
    "cells",
    [
        pd.to_datetime(["2020-01-01", None]),
        pd.to_timedelta(["1D", None]),
        pd.Series([DAY, None], dtype=object),
        pd.Categorical(pd.to_datetime(["2020-01-01", None])),
        pl.Series([DAY, None]),
        pl.Series([datetime.time(1), None]),
        pl.Series([datetime.timedelta(1), None]),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        [DAY, None],
        [np.datetime64("2020-01-01"), None],
    ],
    ids=[
        *("index", "differences", "objects", "categories", "polars dates", "polars times", "polars durations"),
        *("array", "list", "list of datetime64"),
    ],
)
def test_dates_and_times(cells: Any) -> None:
    tables: list[Any] = [{"a": cells}]
    if isinstance(cells, pl.Series):
        tables.append(pl.DataFrame({"a": cells}))
    else:
        tables.append(pd.DataFrame({"a": cells}))
    for table in tables:
        with pytest.raises(DataError, match=r"column 'a' holds dates or times.* the year, month, weekday, hour"):
            columns_of(table)


@pytest.mark.parametrize(
    "X", [np.array([["2020-01-01"]], dtype="M8[D]"), pa.table({"x0": [DAY]})], ids=["numpy", "arrow"]
)
def test_dates_in_an_array(X: Any) -> None:
    with pytest.raises(DataError, match="column 'x0' holds dates or times"):
        columns_of(X)


@pytest.mark.parametrize("cells", [[[1, 2]], [{"b": 1}]], ids=["list", "struct"])
@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_nested_cells(make: Any, cells: list[Any]) -> None:
    with pytest.raises(DataError, match=r"column 'a' holds .* cells; a tree needs one number or category in a cell"):
        columns_of(make({"a": cells}))


def test_a_number_beyond_the_range_of_floats() -> None:
    with pytest.raises(DataError, match="column 'a'"):
        columns_of({"a": [10**400, 1]})


@pytest.mark.parametrize("X", [{"a": 1}, np.array((1, "a"), dtype=[("x", "f8"), ("y", "U3")])], ids=["dict", "array"])
def test_columns_that_are_single_cells(X: Any) -> None:
    with pytest.raises(DataError):
        columns_of(X)
