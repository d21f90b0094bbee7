"""From what users have (frames, arrays, lists of dicts) to plain columns. The only file that knows about frame
libraries.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from narwhals.stable.v2.typing import IntoDataFrame
from numpy.typing import NDArray

from deciduous.data.columns import (
    EXACT_INTEGER,
    UNREAD,
    Column,
    Columns,
    date_error,
    from_objects,
    labels_of,
    number_column,
    text_column,
    warn_inexact,
)
from deciduous.errors import DataError, listing


def columns_of(X: Any, only: Collection[str] | None = None, at: Collection[int] | None = None) -> Columns:
    """Read a table: a pandas, polars or pyarrow frame, a NumPy array (structured too), a dict of columns, a list of
    dicts, or rows of cells. Column names become text.

    `only`: the names of the columns to read from a frame; `at`: the positions of the columns to read from an array,
    where `UNREAD` takes the place of the others. All by default. Raises DataError (or TypeError for sparse and lazy
    tables) that says what to do instead.
    """
    if isinstance(X, np.ndarray):
        return _from_array(X, at)
    X = nw.to_native(X, pass_through=True)
    _refuse_unreadable(X)
    if nw.dependencies.is_pandas_dataframe(X):
        return _from_pandas(X, only)
    frame = _eager_frame(X)
    if frame is not None:
        return _from_frame(frame, only)
    if isinstance(X, Mapping):
        return _from_mapping(X)
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        names = dict.fromkeys(name for row in X for name in row)
        return _from_mapping({name: [row.get(name) for row in X] for name in names})
    return _from_array(X, at)


def _refuse_unreadable(X: Any) -> None:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError(
            "Sparse matrices are not supported: a tree needs every cell, zeros too. Pass X.toarray(), a dense table."
        )
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError("X is a lazy frame; pass X.collect().")
    if hasattr(X, "compute") and hasattr(X, "npartitions"):
        raise TypeError("X is a Dask collection; pass X.compute().")
    if X is None:
        raise DataError("X is None; it must be a table: a frame, an array, or rows of cells.")
    if isinstance(X, str | bytes | os.PathLike):
        raise DataError(f"X must be a table, got {X!r:.60}. To read a file use deciduous.read_table(path).")


def _eager_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a narwhals frame if it is a frame of a library that narwhals knows."""
    if isinstance(X, list | tuple | Mapping):
        return None
    refuse_duplicates_of(X)
    wrapped = nw.from_native(X, eager_only=True, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame) else None


def refuse_duplicates_of(frame: Any) -> None:
    """Raise DataError where a frame has two columns of one name, before any library stumbles over them."""
    # The attribute of names is `columns` in pandas and polars; in pyarrow that holds the cells.
    names = frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", ())
    if not callable(names):
        _refuse_duplicates([str(name) for name in names])


def _refuse_duplicates(names: list[str]) -> None:
    if len(set(names)) == len(names):
        return
    where = {name: [i for i, other in enumerate(names) if other == name] for name in names}
    twice = [f"{name!r} (columns {', '.join(map(str, at))})" for name, at in where.items() if len(at) > 1]
    raise DataError(f"column names must be different; found more than once: {'; '.join(twice)}. Rename the columns.")


def _from_frame(frame: nw.DataFrame[IntoDataFrame], only: Collection[str] | None) -> Columns:
    names = [str(name) for name in frame.columns]
    _refuse_duplicates(names)
    wanted = set(names if only is None else only)
    columns = tuple(
        _from_series(name, series)  # type: ignore[arg-type]  # narwhals' stable frame yields its plain series
        for name, series in zip(names, frame.iter_columns(), strict=True)
        if name in wanted
    )
    return Columns(columns, len(frame), named=True, present=tuple(names))


def _from_pandas(frame: Any, only: Collection[str] | None) -> Columns:
    """Read a pandas frame; what NumPy holds for it is taken without a detour."""
    names = [str(name) for name in frame.columns]
    _refuse_duplicates(names)
    wanted = set(names if only is None else only)
    columns = []
    for name, (_, series) in zip(names, frame.items(), strict=True):
        if name not in wanted:
            continue
        if isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiub":
            columns.append(_from_array_column(name, series.to_numpy()))
        elif series.dtype == object:
            columns.append(from_objects(name, series.tolist()))
        elif _is_categorical(series.array):
            columns.append(_from_categorical(name, series.array))
        else:
            columns.append(_from_series(name, nw.from_native(series, series_only=True)))
    return Columns(tuple(columns), len(frame), named=True, present=tuple(names))


def _from_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype == nw.Boolean:
        return Column(name, "bool", numbers=_floats(series))
    if dtype.is_numeric():
        return number_column(name, series.to_list() if dtype == nw.Decimal else _exact_floats(name, series))
    if dtype == nw.Categorical or dtype == nw.Enum:
        return _from_category(name, series)
    if dtype.is_temporal():
        raise date_error(name, str(dtype))
    if dtype == nw.String:
        return _from_text(name, series)
    if dtype.is_nested():
        raise DataError(f"column {name!r} holds {dtype} cells; a tree needs one number or category in a cell.")
    return from_objects(name, series.to_list())


def _from_text(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if isinstance(native, pl.Series):
        return Column(name, "text", strings=native.alias(""))
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return Column(name, "text", strings=pl.Series("", native, dtype=pl.String))
    if "pyarrow" in (getattr(native.dtype, "storage", ""), *str(native.dtype).strip("]").split("[")):
        return Column(name, "text", strings=pl.Series("", series.to_arrow(), dtype=pl.String))
    return from_objects(name, series.to_list())


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    if series.dtype == nw.Float64:
        cells = series.to_numpy()
        if cells.dtype == np.float64:  # then missing cells are NaN already
            return cells
    cells = series.cast(nw.Float64).to_numpy().astype(np.float64)
    missing = series.is_null().to_numpy()
    return np.where(missing, np.nan, cells)


def _exact_floats(name: str, series: nw.Series[Any]) -> NDArray[np.float64]:
    """Return float64 cells, with a warning if integers are so large that different ones become equal."""
    cells = _floats(series)
    if series.dtype.is_integer() and len(cells) and np.nanmax(np.abs(cells), initial=0.0) >= EXACT_INTEGER:
        warn_inexact(name, series.drop_nulls().to_list(), cells)
    return cells


def _from_category(name: str, series: nw.Series[Any]) -> Column:
    # polars' Enum and Categorical are lists of labels; only pandas and pyarrow say that categories are ranked.
    native = series.to_native()
    ordered = bool(getattr(getattr(native, "dtype", None), "ordered", False)) or bool(
        getattr(getattr(native, "type", None), "ordered", False)
    )
    try:
        declared = series.cat.get_categories().to_list()
    except AttributeError:  # pandas over Arrow's dictionaries has no accessor for categories
        return from_objects(name, series.to_list())
    if isinstance(native, pl.Series) and native.dtype == pl.Categorical:
        return Column(name, "text", None, native.cast(pl.String).alias(""), tuple(declared), ordered, "category")
    return _with_categories(name, _category_codes(native), declared, ordered)


def _category_codes(native: Any) -> NDArray[np.signedinteger]:
    """Return the position of each cell of a series among its categories, -1 for a missing cell."""
    if isinstance(native, pl.Series):
        return native.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    if hasattr(native, "unify_dictionaries"):
        chunks = native.unify_dictionaries().chunks
        return np.concatenate([np.zeros(0, np.intp), *(_arrow_codes(chunk) for chunk in chunks)])
    return np.asarray(native.cat.codes)


def _arrow_codes(chunk: Any) -> NDArray[np.intp]:
    codes: NDArray[np.intp] = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    return codes


def _is_categorical(cells: Any) -> bool:
    """Whether cells are a pandas Categorical, or something like it."""
    return hasattr(cells, "categories") and hasattr(cells, "codes") and hasattr(cells, "ordered")


def _from_categorical(name: str, cells: Any) -> Column:
    return _with_categories(name, np.asarray(cells.codes), cells.categories.tolist(), bool(cells.ordered))


def _with_categories(name: str, codes: NDArray[np.signedinteger], declared: list[Any], ordered: bool) -> Column:
    """Return a column of declared categories, which may be text, numbers or bools; of mixed types they become text.

    `codes`: the position of each cell among the categories, negative for a missing cell.
    """
    labels = from_objects(name, declared)
    if labels.cells == "text":
        texts = [str(label) for label in declared]
        if len(set(texts)) < len(texts):
            raise DataError(
                f"column {name!r} has categories that read alike as text: {listing(declared)}. Rename them."
            )
        text_column(name, texts)  # refuses half characters
        return Column(name, "text", None, None, tuple(texts), ordered, "category", codes)
    if labels.numbers is not None and np.isinf(labels.numbers).any():
        raise DataError(f"column {name!r} has the category infinity; make it a missing cell.")
    assert labels.numbers is not None
    numbers = np.append(labels.numbers, np.nan)[codes]  # the last one is that of code -1
    return Column(name, labels.cells, numbers, None, labels_of(labels), ordered, "category")


def _from_mapping(table: Mapping[Any, Any]) -> Columns:
    names = [str(name) for name in table]
    _refuse_duplicates(names)
    columns = tuple(_from_cells(name, cells) for name, cells in zip(names, table.values(), strict=True))
    lengths = {column.name: len(column) for column in columns}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns must have equally many rows; they have {lengths}.")
    return Columns(columns, n_rows=next(iter(lengths.values()), 0), named=True)


def _from_cells(name: str, cells: Any) -> Column:
    """Return a column from one value of a dict: a series or categories with their type, or any sequence of cells."""
    series = nw.from_native(cells, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _from_series(name, series)
    if isinstance(cells, np.ndarray) and cells.ndim == 1:
        return _from_array_column(name, cells)
    if hasattr(cells, "to_pylist"):
        return from_objects(name, cells.to_pylist())
    if isinstance(cells, str | bytes | Mapping) or not hasattr(cells, "__iter__"):
        raise DataError(f"column {name!r} must be a sequence with a cell for each row; it is {cells!r:.60}.")
    if _is_categorical(cells):
        return _from_categorical(name, cells)
    return from_objects(name, list(cells))


def _from_array(X: Any, at: Collection[int] | None = None) -> Columns:
    if isinstance(X, np.ma.MaskedArray):
        X = unmasked(X)
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
    except ValueError as ragged:
        raise DataError(f"X must be a table with equally many cells in every row: {ragged}") from None
    if not isinstance(X, np.ndarray) and array.dtype.kind in "US":
        array = np.asarray(X, dtype=object)  # NumPy turned [[1, "a"]] into text; keep the cells as they are
    if array.dtype.names and array.ndim:
        return _from_mapping({name: array[name].tolist() for name in array.dtype.names})
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array (a table of rows and columns), got {array.ndim}D array instead, shape {array.shape}. "
            "Reshape your data using X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one row."
        )
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: a tree compares numbers, and complex ones have no order.")
    wanted = range(array.shape[1]) if at is None else at
    columns = tuple(_from_array_column(f"x{j}", array[:, j]) if j in wanted else UNREAD for j in range(array.shape[1]))
    matrix = array if array.dtype == np.float64 else None
    return Columns(columns, n_rows=array.shape[0], named=False, matrix=matrix)


def _from_array_column(name: str, cells: NDArray[Any]) -> Column:
    kind = cells.dtype.kind
    if kind == "f":
        with np.errstate(over="ignore"):  # a long double out of range becomes infinity, which is refused by row
            return Column(name, "number", numbers=np.asarray(cells, dtype=np.float64))
    if kind in "iu":
        numbers = cells.astype(np.float64)
        if len(cells) and np.abs(numbers).max() >= EXACT_INTEGER:
            warn_inexact(name, cells.tolist(), numbers)
        return Column(name, "number", numbers=numbers)
    if kind == "b":
        return Column(name, "bool", numbers=cells.astype(np.float64))
    if kind in "Mm":
        raise date_error(name, str(cells.dtype))
    if kind == "S":
        return text_column(name, np.char.decode(cells, "utf-8", "replace").tolist())
    return from_objects(name, cells.tolist())


def unmasked(array: Any) -> NDArray[Any]:
    """Return a masked array as an ordinary one whose hidden cells are missing."""
    kind = array.dtype.kind
    if kind in "iuf":
        return np.asarray(array.astype(np.float64).filled(np.nan))
    return np.asarray(array.astype(object).filled(None))
