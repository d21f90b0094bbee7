"""The rules by which a column's kind is inferred. Each rule leaves its reason in the schema."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from deciduous.data.columns import Column, labels_of
from deciduous.data.schema import Feature, Kind, Label
from deciduous.errors import DataError, DataWarning
from deciduous.measures import sorted_labels

#: Names that, on a column of distinct whole numbers or text, mean "this labels the rows".
ROW_LABEL_NAMES = frozenset({"id", "no", "no.", "nr", "nr.", "index", "row", "编号", "序号", "学号", "unnamed: 0"})


def infer(column: Column, declared: Kind | None, named: bool, missing: int | None = None) -> Feature:
    """Return the feature that a training column becomes, of its declared kind or by the rules.

    Numbers are numeric; bools and text are nominal; a category type is nominal, or ordinal if its categories are
    ranked; distinct whole numbers or text under a name such as `id` or `编号` label the rows. Warns about any other
    text column that identifies rows, and about a guessed row label. `missing`: the number of missing cells, where it
    is known already.
    """
    missing = column.n_missing if missing is None else missing
    if declared is not None:
        kind, reason = declared, "declared"
    else:
        kind, reason = _guess(column, named, missing)
    feature = Feature(column.name, kind, reason=reason, missing=missing)
    if kind in ("nominal", "ordinal"):
        return replace(feature, categories=_categories(column, kind))
    return feature


def _guess(column: Column, named: bool, missing: int) -> tuple[Kind, str]:
    if missing == len(column) and column.declared is None:
        return "numeric", "no known cell"
    if column.declared is not None:
        return ("ordinal", "ranked categories") if column.ordered else ("nominal", "category type")
    if named and _labels_rows(column):
        warnings.warn(
            f"column {column.name!r} has a different value in every row and is named like a row number: it is "
            f"taken as row "
            f"labels and not as a feature. To say so yourself: kinds={{{column.name!r}: 'id'}}; to use it: "
            f"'nominal' or "
            "'numeric'.",
            DataWarning,
            stacklevel=2,
        )
        return "id", "all values distinct, and its name says row number"
    if column.cells == "number":
        return "numeric", "numbers"
    if column.cells == "bool":
        return "nominal", "true or false"
    _warn_if_identifying(column)
    return "nominal", column.note or "text"


def _distinct(column: Column) -> bool:
    """Whether every cell is known and different from all others, in at least three rows."""
    return len(column) >= 3 and len(column.distinct) == len(column)


def _labels_rows(column: Column) -> bool:
    if column.name.strip().casefold() not in ROW_LABEL_NAMES or not _distinct(column):
        return False
    return column.numbers is None or bool((column.numbers == np.floor(column.numbers)).all())


def _warn_if_identifying(column: Column) -> None:
    if _distinct(column):
        warnings.warn(
            f"column {column.name!r} has a different value in each of the {len(column)} rows: it identifies "
            f"rows, and a split on "
            f"it says nothing about new ones. Leave it out with kinds={{{column.name!r}: 'id'}}, or drop it.",
            DataWarning,
            stacklevel=2,
        )


def _categories(column: Column, kind: Kind) -> tuple[Label, ...]:
    """Return the categories in order: the declared ones, else the distinct cells, sorted."""
    if column.declared is not None:
        return column.declared
    if kind == "ordinal" and column.cells == "text" and len(column.distinct) > 1:
        raise DataError(
            f"column {column.name!r} is declared ordinal, but holds text whose order is not known. Give it an "
            f"ordered category "
            "type, for example pandas.Categorical(column, categories=[...], ordered=True), or numbers."
        )
    if column.numbers is not None and np.isinf(column.numbers).any():
        row = int(np.isinf(column.numbers).argmax())
        raise DataError(f"column {column.name!r}, row {row}: infinity is no category; make it a missing cell.")
    distinct = column.distinct
    if column.text is not None:
        return tuple(sorted(distinct.to_list()))
    return tuple(sorted_labels(set(labels_of(Column(column.name, column.cells, numbers=distinct.to_numpy())))))
