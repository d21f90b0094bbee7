"""Plain columns, and how cells that are Python objects become one."""

from __future__ import annotations

import datetime
import decimal
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deciduous.data.schema import Label
from deciduous.errors import DataError, DataWarning, listing
from deciduous.measures import is_missing

Cells = Literal["number", "bool", "text"]

#: From here on, integers are not all told apart as float64.
EXACT_INTEGER = 2**53


@dataclass(frozen=True)
class Column:
    """One column of a table, as found.

    `cells` says what it holds. Numbers and bools (as 0 and 1) are float64 with NaN for a missing cell. Text is
    `strings`, a polars String series with nulls, or, of a category type, `positions` among the declared texts, negative
    for a missing cell. `declared` are the categories of a category type, in order; `ordered` if they are ranked.
    """

    name: str
    cells: Cells
    numbers: NDArray[np.float64] | None = None
    strings: pl.Series | None = None
    declared: tuple[Label, ...] | None = None
    ordered: bool = False
    note: str = ""
    positions: NDArray[np.signedinteger] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        cells = next(cells for cells in (self.numbers, self.positions, self.strings) if cells is not None)
        return len(cells)

    def missing(self) -> NDArray[np.bool_]:
        """Return which cells are missing."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        if self.positions is not None:
            return self.positions < 0
        assert self.strings is not None
        return self.strings.is_null().to_numpy()

    @cached_property
    def n_missing(self) -> int:
        """The number of missing cells."""
        return int(np.count_nonzero(self.missing())) if self.strings is None else self.strings.null_count()

    @cached_property
    def text(self) -> pl.Series | None:
        """The cells of a column of text as a polars String series with nulls; None for numbers and bools."""
        if self.positions is None:
            return self.strings
        assert self.declared is not None
        texts = pl.Series("", [*self.declared, None], dtype=pl.String)
        return texts.gather(np.where(self.positions < 0, len(self.declared), self.positions))

    @cached_property
    def distinct(self) -> pl.Series:
        """The different known cells, in no particular order."""
        cells = self.text if self.text is not None else pl.Series(self.numbers, nan_to_null=True)
        return cells.drop_nulls().unique()


@dataclass(frozen=True)
class Columns:
    """The columns of a table; `named` is false where they only have positions.

    `present`: the names of all columns in order, where some were not read. `matrix`: the array of 64-bit floats whose
    columns these are, if there is one.
    """

    columns: tuple[Column, ...]
    n_rows: int
    named: bool
    present: tuple[str, ...] = ()
    matrix: NDArray[np.float64] | None = None

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return [column.name for column in self.columns]

    def all_finite(self) -> bool:
        """Whether one look at the array shows that no cell of any column is missing or infinite."""
        if self.matrix is None:
            return False
        with np.errstate(
            all="ignore"
        ):  # a sum shows what is not finite sooner than a look at each cell; it may overflow
            return bool(np.isfinite(self.matrix.sum()) or np.isfinite(self.matrix).all())


#: Stands for a column that nobody asks for.
UNREAD = Column("", "number")


def labels_of(column: Column) -> tuple[Label, ...]:
    """Return the known cells of a column as labels: text, bools, ints where they are whole, else floats."""
    if column.text is not None:
        return tuple(column.text.drop_nulls().to_list())
    assert column.numbers is not None
    known = column.numbers[~np.isnan(column.numbers)].tolist()
    if column.cells == "bool":
        return tuple(bool(v) for v in known)
    return tuple(int(v) if abs(v) < 2**63 and v == int(v) else v for v in known)


def number_column(name: str, cells: Any) -> Column:
    """Return a column of numbers from floats, ints, Decimals and missing cells."""
    if isinstance(cells, np.ndarray):
        return Column(name, "number", numbers=cells)
    numbers = np.array([_number(name, row, v) for row, v in enumerate(cells)], dtype=np.float64)
    integers = [v for v in cells if isinstance(v, int | np.integer)]
    if any(abs(int(v)) > EXACT_INTEGER for v in integers) and len(integers) == int((~np.isnan(numbers)).sum()):
        warn_inexact(name, [int(v) for v in integers], numbers)
    return Column(name, "number", numbers=numbers)


def _number(name: str, row: int, cell: Any) -> float:
    try:
        return float("nan") if is_missing(cell) else float(cell)
    except (OverflowError, ValueError):
        raise DataError(f"column {name!r}, row {row}: {cell!r:.40} does not fit into a 64-bit float.") from None


def warn_inexact(name: str, integers: list[int], cells: NDArray[np.float64]) -> None:
    lost = len(set(integers)) - len(np.unique(cells[~np.isnan(cells)]))
    if lost:
        warnings.warn(
            f"column {name!r} has integers beyond 2^53; as 64-bit floats {lost} of its different values become equal. "
            f"If they are labels, pass them as text or kinds={{{name!r}: 'id'}}.",
            DataWarning,
            stacklevel=2,
        )


def text_column(name: str, cells: Sequence[str | None], note: str = "") -> Column:
    """Return a column of text; None is a missing cell."""
    try:
        return Column(name, "text", strings=pl.Series("", cells, dtype=pl.String), note=note)
    except UnicodeEncodeError:
        row = next(i for i, cell in enumerate(cells) if cell is not None and is_broken(cell))
        raise DataError(
            f"column {name!r}, row {row}: {cells[row]!r:.40} holds half a character (a lone surrogate)."
        ) from None


def is_broken(text: str) -> bool:
    """Whether text holds half a character (a lone surrogate), which has no UTF-8."""
    return any("\ud800" <= c <= "\udfff" for c in text)


#: Types of cells that compare with themselves and each other as Python's own do.
_PLAIN = (str, int, float, np.bool_, np.integer, np.floating, type(None))


def from_objects(name: str, cells: list[Any]) -> Column:
    """Return a column from Python objects, by what its known cells are.

    Blank text among numbers is a missing cell. Numbers mixed with other text become text, with a warning.
    """
    column = _from_plain_objects(name, cells)
    if column is not None:
        return column
    kinds = {_cell_kind(name, row, v) for row, v in enumerate(cells)} - {"missing"}
    if kinds <= {"number", "blank"} and "number" in kinds:
        return number_column(name, [None if isinstance(v, str) else v for v in cells])
    if kinds == {"bool"}:
        return Column(name, "bool", numbers=np.array([np.nan if is_missing(v) else float(v) for v in cells]))
    if not kinds:
        return Column(name, "number", numbers=np.full(len(cells), np.nan))
    if kinds <= {"text", "blank"}:
        return text_column(name, [None if is_missing(v) else str(v) for v in cells])
    sample = [next(v for row, v in enumerate(cells) if _cell_kind(name, row, v) == kind) for kind in sorted(kinds)]
    warnings.warn(
        f"column {name!r} mixes types (for example {listing(sample)}); its cells are taken as categories by "
        f"their text.",
        DataWarning,
        stacklevel=2,
    )
    return text_column(name, [None if is_missing(v) else str(v) for v in cells], note="mixed types")


def _from_plain_objects(name: str, cells: list[Any]) -> Column | None:
    """Return a column of plain objects of one kind and missing cells, without a look at each; None for any others."""
    types = set(map(type, cells))
    if types <= {str, type(None)} and str in types:
        return text_column(name, cells)
    if not all(issubclass(t, _PLAIN) or t.__name__ == "NaTType" for t in types):
        return None
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    missing = (objects != objects) | (objects == np.array(None))  # NaN is not itself
    known = objects[~missing]
    types = set(map(type, known.tolist()))
    if types == {str}:
        objects[missing] = None
        return text_column(name, objects.tolist())
    is_bool = bool(types) and all(issubclass(t, bool | np.bool_) for t in types)
    if not is_bool and any(issubclass(t, str | bool | np.bool_) for t in types):
        return None
    numbers = np.full(len(cells), np.nan)
    try:
        numbers[~missing] = known.astype(np.float64)
    except OverflowError:
        return None
    if (np.abs(numbers[~missing]) >= EXACT_INTEGER).any():
        return None
    return Column(name, "bool" if is_bool else "number", numbers=numbers)


def _cell_kind(name: str, row: int, value: object) -> str:
    if is_missing(value):
        return "missing"
    if isinstance(value, str):
        return "text" if value.strip() else "blank"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | float | np.integer | np.floating | decimal.Decimal):
        return "number"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        raise date_error(name, type(value).__name__)
    raise TypeError(
        f"column {name!r}, row {row}: argument must be a string or a number, got {type(value).__name__} "
        f"({value!r:.60})."
    )


def date_error(name: str, dtype: str) -> DataError:
    return DataError(
        f"column {name!r} holds dates or times ({dtype}), which a tree cannot use as they are. Replace it by "
        f"numbers that mean "
        "something to the question: the year, month, weekday, hour, or the days since a date of your choice."
    )
