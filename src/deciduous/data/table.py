"""Encoded rows: one array a column, numbers as float64 and categories as small integer codes."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deciduous.data.columns import UNREAD, Column, Columns, labels_of
from deciduous.data.frames import columns_of
from deciduous.data.infer import infer
from deciduous.data.schema import Feature, Schema, kinds_by_position
from deciduous.errors import DataError, listing, nearest
from deciduous.kernels import MISSING_CELL, UNSEEN_CELL

Cells = NDArray[np.float64] | NDArray[np.int32]


@dataclass(frozen=True)
class Unseen:
    """Cells of one column whose category training never saw: how many, and an example with its row."""

    count: int
    example: str
    row: int


@dataclass(frozen=True)
class Table:
    """Rows encoded under a schema.

    `columns[j]` belongs to `schema.features[j]`: float64 (NaN = missing) for numeric, int32 codes (-1 = missing, -2 = a
    category that training never saw) for nominal and ordinal, None for columns that are not needed. `unseen` reports
    the -2 cells by column name; `weight` is the product of the `weight` columns.
    """

    schema: Schema
    n_rows: int
    columns: tuple[Cells | None, ...]
    weight: NDArray[np.float64] | None = None
    unseen: Mapping[str, Unseen] = field(default_factory=dict)

    @classmethod
    def encode(cls, X: Any, kinds: Mapping[Any, str] | None = None) -> Table:
        """Encode training rows and infer their schema; `kinds` overrides the kind of columns by name or position.

        `X` is anything that `columns_of` reads, or its columns.
        """
        columns = X if isinstance(X, Columns) else columns_of(X)
        if not columns.columns or columns.n_rows == 0:
            raise DataError(
                f"Found array with {columns.n_rows} sample(s) and {len(columns.columns)} feature(s) "
                f"(shape=({columns.n_rows}, {len(columns.columns)})) while a minimum of 1 is required."
            )
        declared = kinds_by_position(kinds, columns.names)
        finite = columns.all_finite()
        features = tuple(
            infer(column, declared.get(i), columns.named, 0 if finite else column.n_missing)
            for i, column in enumerate(columns.columns)
        )
        schema = Schema(features, named=columns.named, n_rows=columns.n_rows)
        table = cls._encoded(schema, columns, range(len(features)))
        if not finite:
            table.refuse_infinity()
        return table

    @classmethod
    def encode_like(cls, X: Any, schema: Schema, needed: Collection[int] | None = None, who: str = "Tree") -> Table:
        """Encode new rows under a training schema: columns matched by name, categories by label.

        `needed`: the positions of the columns to encode (all by default). Extra columns are ignored; missing ones are a
        DataError that names them. `id` and `weight` columns need not be there. `who`: the estimator's name, for
        messages. Infinite numbers are left to the walk, which sees every number that the tree asks for (`route`).
        """
        wanted = range(len(schema)) if needed is None else needed
        names = {schema.features[j].name for j in wanted}
        found = columns_of(X, only=names if schema.named else None, at=wanted)
        return cls._encoded(schema, _align(found, schema, who), wanted, training=False)

    @classmethod
    def _encoded(cls, schema: Schema, found: Columns, needed: Collection[int], training: bool = True) -> Table:
        columns: list[Cells | None] = [None] * len(schema)
        unseen: dict[str, Unseen] = {}
        weight = None
        weights = [j for j, feature in enumerate(schema.features) if feature.kind == "weight"] if training else []
        for j in weights:
            numbers = _weights(schema.features[j], found.columns[j])
            weight = numbers if weight is None else weight * numbers
        for j in needed:
            feature = schema.features[j]
            if feature.is_split_on:
                columns[j], report = encode_column(feature, found.columns[j])
                if report is not None:
                    unseen[feature.name] = report
        return cls(schema, found.n_rows, tuple(columns), weight, unseen)

    def refuse_infinity(self, needed: Collection[int] | None = None) -> None:
        """Raise DataError for the first infinite number of these columns (of all by default), if there is one."""
        for j in range(len(self.schema)) if needed is None else needed:
            cells = self.columns[j]
            if cells is None or cells.dtype != np.float64 or not np.isinf(cells).any():
                continue
            row = int(np.isinf(cells).argmax())
            raise DataError(
                f"column {self.schema.features[j].name!r}, row {row}: infinity ({cells[row]}) is not a number that a "
                "threshold can be put beside. Replace it by a large number or by a missing cell (NaN)."
            )


def _align(found: Columns, schema: Schema, who: str) -> Columns:
    """Put new columns in the order of the schema: by name if both sides have names, else by position."""
    if not (found.columns or found.present) or (found.n_rows == 0 and not found.named):
        raise DataError(
            f"Found array with {found.n_rows} sample(s) and {len(found.columns)} feature(s) "
            f"(shape=({found.n_rows}, {len(found.columns)})) while a minimum of 1 is required by {who}."
        )
    if found.named and schema.named:
        return _align_by_name(found, schema)
    if found.named != schema.named:
        warnings.warn(
            f"X has feature names, but {who} was fitted without feature names: its columns are matched by position."
            if found.named
            else f"X does not have valid feature names, but {who} was fitted with feature names: its columns "
            f"are matched by "
            "position.",
            UserWarning,
            stacklevel=2,
        )
    if len(found.columns) != len(schema):
        raise DataError(
            f"X has {len(found.columns)} features, but {who} is expecting {len(schema)} features as input, in "
            f"the order "
            f"{listing(schema.names)}."
        )
    return found


def _align_by_name(found: Columns, schema: Schema) -> Columns:
    read = {column.name: column for column in found.columns}
    there = set(found.present) or read.keys()
    absent = [f.name for f in schema.features if f.name not in there and f.is_split_on]
    if absent:
        known = set(schema.names)
        names = [name for name in found.present or read if name in known]
        others = [name for name in found.present or read if name not in known]
        raise DataError(
            f"X lacks the column{'s' * (len(absent) > 1)} {listing(absent)} that the tree was trained with; it has "
            f"{listing([*names, *others])}." + nearest(absent[0], others)
        )
    return Columns(tuple(read.get(f.name, UNREAD) for f in schema.features), found.n_rows, named=True)


def _weights(feature: Feature, column: Column) -> NDArray[np.float64]:
    numbers = _numbers(feature, column)
    if np.isnan(numbers).any():
        raise DataError(
            f"the weight column {feature.name!r} has a missing cell in row {int(np.isnan(numbers).argmax())}."
        )
    return numbers


# --- one column
# ----------------------------------------------------------------------------------------------------------


def encode_column(feature: Feature, column: Column) -> tuple[Cells, Unseen | None]:
    """Return the cells of a column under its feature, and a report of the categories never seen in training."""
    if feature.kind == "numeric":
        return _numbers(feature, column), None
    codes = _codes(feature, column)
    return codes, _unseen(column, codes)


def _numbers(feature: Feature, column: Column) -> NDArray[np.float64]:
    """Return float64 cells; text cells are read as numbers, and one that is none is an error that shows it."""
    if column.numbers is not None:
        return column.numbers
    assert column.text is not None
    blank = column.text.str.strip_chars() == ""
    parsed = column.text.str.strip_chars().cast(pl.Float64, strict=False)
    bad = (parsed.is_null() & column.text.is_not_null() & ~blank.fill_null(True)).to_numpy()
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"column {feature.name!r} is {feature.kind} ({feature.reason}), but row {row} holds {column.text[row]!r}"
            f" ({int(bad.sum())} such cells)."
        )
    return parsed.to_numpy().astype(np.float64)


def _codes(feature: Feature, column: Column) -> NDArray[np.int32]:
    """Return category codes, matched by label: text by its characters, numbers and bools by their value."""
    if all(isinstance(label, str) for label in feature.categories):
        if column.positions is not None:
            positions = column.positions.astype(np.int32)
            np.maximum(positions, MISSING_CELL, out=positions)
            return positions if column.declared == feature.categories else _translated(positions, column, feature)
        text = column.text if column.text is not None else _number_text(column)
        return _text_codes(text, [str(label) for label in feature.categories])
    column = _numeric_labels(column)
    assert column.numbers is not None
    return _number_codes(column.numbers, np.array([float(label) for label in feature.categories]))


def _translated(positions: NDArray[np.int32], column: Column, feature: Feature) -> NDArray[np.int32]:
    """Return codes of the feature for positions among the categories that the column declares."""
    code = {label: i for i, label in enumerate(feature.categories)}
    codes = [code.get(label, UNSEEN_CELL) for label in column.declared or ()]
    translated: NDArray[np.int32] = np.array([*codes, MISSING_CELL], dtype=np.int32)[positions]
    return translated


def _text_codes(text: pl.Series, categories: list[str]) -> NDArray[np.int32]:
    if not categories:
        return np.where(text.is_null().to_numpy(), MISSING_CELL, UNSEEN_CELL).astype(np.int32)
    codes = text.cast(pl.Enum(categories), strict=False).to_physical().cast(pl.Int32).fill_null(UNSEEN_CELL).to_numpy()
    return np.where(text.is_null().to_numpy(), MISSING_CELL, codes).astype(np.int32)


def _number_codes(numbers: NDArray[np.float64], categories: NDArray[np.float64]) -> NDArray[np.int32]:
    order = np.argsort(categories, kind="stable")
    at = np.searchsorted(categories[order], numbers).clip(max=len(categories) - 1)
    codes = np.where(categories[order][at] == numbers, order[at], UNSEEN_CELL)
    return np.where(np.isnan(numbers), MISSING_CELL, codes).astype(np.int32)


def _number_text(column: Column) -> pl.Series:
    """Return numbers as the text that a file would hold, so that 1 and 1.0 match the label '1'."""
    assert column.numbers is not None
    distinct, codes = np.unique(column.numbers, return_inverse=True)  # all NaN are one, the last
    labels = [str(label) for label in labels_of(Column(column.name, column.cells, distinct))]
    return pl.Series(column.name, [*labels, None], dtype=pl.String).gather(codes)


def _numeric_labels(column: Column) -> Column:
    """Return text cells as the numbers or truth values that they spell; other text stays unseen (infinity)."""
    if column.text is None:
        return column
    cells = column.text.str.strip_chars().str.to_lowercase()
    spelled = cells.replace({"true": "1", "false": "0"}).cast(pl.Float64, strict=False).to_numpy()
    blank = (cells.fill_null("") == "").to_numpy()
    return Column(column.name, "number", np.where(blank, np.nan, np.where(np.isnan(spelled), np.inf, spelled)))


def _unseen(column: Column, codes: NDArray[np.int32]) -> Unseen | None:
    unseen = codes == UNSEEN_CELL
    if not unseen.any():
        return None
    rows = np.flatnonzero(unseen)
    row = int(rows[0])
    if column.text is not None:
        cell = column.text[row]
    else:
        assert column.numbers is not None
        cell = labels_of(Column("", column.cells, column.numbers[rows[:1]]))[0]
    return Unseen(count=len(rows), example=str(cell), row=row)
