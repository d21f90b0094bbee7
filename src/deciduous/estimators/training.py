"""From what `fit` is given to the rows that a tree grows on: target, weights, dropped rows, and warnings about the
data.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from deciduous.data.columns import Column, Columns, labels_of
from deciduous.data.frames import columns_of
from deciduous.data.schema import Label
from deciduous.data.table import Table
from deciduous.data.target import (
    Target,
    as_label_array,
    declared_classes,
    encode_target,
    target_columns,
    with_declared,
)
from deciduous.errors import DataError, DataWarning, OptionError, listing, nearest
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.joint_rows import refuse_joint
from deciduous.kernels import MISSING_CELL
from deciduous.measures import Floats, as_weights

#: Weights further from 1 are refused: their products would leave the range of 64-bit floats.
LARGEST_WEIGHT = 1e50


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Encoded rows, their target and weights; `rows` are those that take part (a known target, a weight above 0).

    `row_weight`: the weights without the exposure of each row, if there are exposures; else `weight` itself.
    `places`: where the classes stand among the declared ones, if y is a categorical column.
    `others`: further targets of the same rows.
    """

    table: Table
    target: Target
    weight: Floats
    rows: NDArray[np.int64]
    weighted: bool
    row_weight: Floats
    places: Floats | None = None
    others: tuple[Target, ...] = ()

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels as plain Python values; none for numbers."""
        return self.target.labels


def training_set(
    X: Any,
    y: Any,
    sample_weight: Any,
    algorithm: Algorithm,
    kinds: Mapping[Any, str] | None,
    exposure: Any = None,
) -> TrainingSet:
    """Encode what `fit` was given. `y` may be the name of a column of X. DataError says what cannot be used."""
    columns = columns_of(X)
    name, declared = "y", None
    if isinstance(y, str):
        name, whole = y, columns
        name = y
        columns, y = take_target(columns, y)
        if not columns.columns:
            raise DataError(f"there is no column beside the target {name!r}: nothing is left to ask for.")
        declared = whole.columns[whole.names.index(name)].declared
    elif algorithm.keeps_declared:
        declared = declared_classes(y)
    if isinstance(exposure, str):
        columns, exposure = take_target(columns, exposure)
    own_name = getattr(y, "name", None)
    name = name if own_name is None else str(own_name)
    table = Table.encode(columns, kinds)
    targets = _targets(y, algorithm, name)
    target = targets[0]
    if len(target.values) != table.n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{table.n_rows}, "
            f"{len(target.values)}]: X and y must "
            "have the same rows."
        )
    weight = as_weights(sample_weight, table.n_rows)
    if table.weight is not None:
        weight = weight * as_weights(table.weight, table.n_rows)
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise DataError("the weights are so large that their sum is beyond the range of 64-bit floats; divide them.")
    rows = _taking_part(targets, weight)
    targets = [_with_classes_of(target, rows) for target in targets]
    _check_counts(targets[0], weight, rows, algorithm)
    _check_cells(table, rows, algorithm)
    for target in targets:
        _warn_if_target_is_feature(table, target, rows)
    weighted = bool((of_rows(weight, rows) != 1).any()) or algorithm.class_weight is not None
    for target, class_weight in zip(targets, _class_weights(algorithm, targets), strict=True):
        weight = _with_class_weight(weight, target, rows, class_weight)
    _refuse_extreme(of_rows(weight, rows))
    if algorithm.keeps_declared:
        targets = [with_declared(targets[0], declared), *targets[1:]]
    target = targets[0]
    if exposure is None:
        places = declared_places(y, target) if len(targets) == 1 else None
        return TrainingSet(table, target, weight, rows, weighted, weight, places, tuple(targets[1:]))
    exposures = _exposures(exposure, rows, algorithm, table.n_rows)
    rates = replace(target, values=target.values / exposures)
    return TrainingSet(table, rates, weight * exposures, rows, weighted, weight)


def declared_places(y: Any, target: Target) -> Floats | None:
    """Return where the classes stand among the categories of a pandas or polars column, unused ones counted; None where
    y declares none.
    """
    declared = getattr(getattr(y, "dtype", None), "categories", None)
    if declared is None or target.classes is None:
        return None
    place = {label: i for i, label in enumerate(list(declared))}
    places = [place.get(label, -1) for label in target.classes.tolist()]
    return None if -1 in places else np.array(places, dtype=np.float64)


def _exposures(exposure: Any, rows: NDArray[np.int64], algorithm: Algorithm, n: int) -> Floats:
    """Return the exposure of each row, 1 for rows that take no part; DataError for what is none."""
    if algorithm.criterion != "poisson" or algorithm.missing != "surrogates":
        raise OptionError(
            "exposure= goes with criterion='poisson' and missing='surrogates' (CARTRegressor.rpart(method='poisson')). "
            "Elsewhere give rates as y and the exposure as sample_weight."
        )
    try:
        given = np.asarray(exposure, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"exposure must hold one number a row; got {exposure!r:.60}.") from None
    if given.shape != (n,):
        raise DataError(f"exposure must have one number a row, shape ({n},); got shape {given.shape}.")
    found = np.ones(n)
    found[rows] = given[rows]
    bad = ~(found > 0) | np.isinf(found)
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(f"exposure must be above 0 and finite; row {row} has {found[row]:g}.")
    return found


def _targets(y: Any, algorithm: Algorithm, name: str) -> list[Target]:
    """Return the targets, encoded; OptionError for several, where the options do not go with them."""
    columns = target_columns(y, name)
    if len(columns) > 1:
        refuse_joint(algorithm, [own for own, _ in columns])
    return [encode_target(column, algorithm.task, own) for own, column in columns]


def _refuse_extreme(weight: Floats) -> None:
    """Raise DataError where products of weights would leave the range of 64-bit floats."""
    if weight.max() > LARGEST_WEIGHT or weight.min() < 1 / LARGEST_WEIGHT:
        raise DataError(
            "weights above 0 (sample_weight times class_weight) must lie between "
            f"{1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}; the smallest is {weight.min():g}, the largest "
            f"{weight.max():g}. Multiply or divide them."
        )


def take_target(columns: Columns, name: str) -> tuple[Columns, list[Label | None]]:
    """Take the target column out of a table; DataError with the nearest name if there is none of that name."""
    if not columns.named:
        raise DataError(
            f"y={name!r} names a column, but X is an array without column names; pass a frame, or y as an array."
        )
    if name not in columns.names:
        raise DataError(
            f"there is no column {name!r} to predict; the columns are {listing(columns.names)}."
            + nearest(name, columns.names)
        )
    column = columns.columns[columns.names.index(name)]
    rest = tuple(c for c in columns.columns if c.name != name)
    return replace(columns, columns=rest), _labels(column)


def _labels(column: Column) -> list[Label | None]:
    """Return the cells of a column as labels, None for a missing one."""
    if column.text is not None:
        return column.text.to_list()
    labels = iter(labels_of(column))
    return [None if gap else next(labels) for gap in column.missing().tolist()]


def _taking_part(targets: Sequence[Target], weight: Floats) -> NDArray[np.int64]:
    """Return which rows take part: those of some weight whose targets are all known."""
    known = np.logical_and.reduce([target.known for target in targets])
    unknown = int((~known & (weight > 0)).sum())
    if unknown:
        names = listing([target.name for target in targets])
        warnings.warn(
            f"{unknown} of {len(weight)} rows left out of training: their target {names} is missing.",
            DataWarning,
            stacklevel=2,
        )
    rows = np.flatnonzero(known & (weight > 0))
    if not len(rows):
        raise DataError("no row is left to learn from: every row has zero weight or no target.")
    return rows


def of_rows(values: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the values of some rows, which increase; those of all rows are not copied."""
    return values if len(rows) == len(values) else values[rows]


def _with_classes_of(target: Target, rows: NDArray[np.int64]) -> Target:
    """Return a target with only the classes that the rows have."""
    if target.classes is None or len(rows) == len(target.values):
        return target
    present = np.flatnonzero(np.bincount(of_rows(target.values, rows), minlength=len(target.classes)))
    if len(present) == len(target.classes):
        return target
    codes = np.searchsorted(present, target.values).astype(np.int32)
    return replace(target, values=codes, classes=as_label_array(target.classes[present].tolist()))


def _class_weights(algorithm: Algorithm, targets: Sequence[Target]) -> list[Any]:
    """Return the class weights of each target; OptionError for a list that does not have one mapping a target."""
    weights = algorithm.class_weight
    if not isinstance(weights, list | tuple):
        return [weights] * len(targets)
    if len(weights) != len(targets):
        raise OptionError(
            f"class_weight must hold one mapping a target; it holds {len(weights)}, and the number of targets is "
            f"{len(targets)}."
        )
    return list(weights)


def _with_class_weight(weight: Floats, target: Target, rows: NDArray[np.int64], class_weight: Any) -> Floats:
    """Return the weights multiplied by those of the classes; scikit-learn computes them, from the rows that take
    part.
    """
    if class_weight is None or target.classes is None:
        return weight
    if isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in target.classes.tolist()]
        if unknown:
            raise OptionError(
                f"class_weight names {listing(unknown)}, but the classes are {listing(target.classes.tolist())}."
            )
        zero = [label for label, w in class_weight.items() if w == 0]
        if zero:
            raise OptionError(
                f"class_weight gives the weight 0 to {listing(zero)}; leave out the rows of that class instead."
            )
    labels = target.classes[target.values[rows]]
    weighted = weight.copy()
    weighted[rows] *= compute_sample_weight(class_weight, labels)
    return weighted


def _check_counts(target: Target, weight: Floats, rows: NDArray[np.int64], algorithm: Algorithm) -> None:
    """Refuse targets that are no counts or rates, under the Poisson deviance."""
    if algorithm.criterion != "poisson":
        return
    y = target.values[rows]
    if (y < 0).any():
        row = int(rows[np.argmax(y < 0)])
        raise DataError(
            f"criterion='poisson' needs a target of counts or rates, at least 0: {int((y < 0).sum())} of {len(y)} rows "
            f"of {target.name!r} are negative (row {row}: {target.values[row]:g}). Use another criterion, or mend them."
        )
    if not (weight[rows] * y).sum() > 0:
        raise DataError(
            f"criterion='poisson' needs a target with a sum above 0: all {len(y)} rows of {target.name!r} are 0, which "
            "leaves nothing to learn. Use another criterion, or other rows."
        )


def _check_cells(table: Table, rows: NDArray[np.int64], algorithm: Algorithm) -> None:
    """Refuse what the options forbid: numeric columns, missing cells."""
    split_on = [(f, c) for f, c in zip(table.schema.features, table.columns, strict=True) if f.is_split_on]
    if not split_on:
        raise DataError(
            "no column is left to ask for: all are row labels or weights. Declare the kinds with kinds={...}."
        )
    if algorithm.numeric == "error":
        numeric = [f.name for f, _ in split_on if f.kind == "numeric"]
        if numeric:
            raise DataError(
                f"numeric='error' forbids columns of numbers, and {listing(numeric)} is numeric. Declare it "
                f"nominal with kinds=..., "
                "bin it, or use numeric='threshold'."
            )
    if algorithm.missing == "error":
        refuse_missing(table, rows)


def refuse_missing(table: Table, rows: NDArray[np.int64] | slice = slice(None)) -> None:
    """Raise DataError that counts the missing cells by column, if there are any."""
    found = {}
    for feature, column in zip(table.schema.features, table.columns, strict=True):
        if column is not None:
            cells = column[rows]
            n = int(np.isnan(cells).sum() if cells.dtype == np.float64 else (cells == MISSING_CELL).sum())
            if n:
                found[feature.name] = n
    if found:
        counts = ", ".join(f"{name!r} ({n})" for name, n in found.items())
        raise DataError(
            f"missing='error' forbids missing cells, and there are some in {counts}. Fill them, or choose "
            f"another policy."
        )


def _warn_if_target_is_feature(table: Table, target: Target, rows: NDArray[np.int64]) -> None:
    """Warn about columns that hold the target itself, cell for cell."""
    if len(rows) < 3:
        return
    suspects = _equal_in_first_row(table, target, int(rows[0]))
    for few in (rows[:100], rows):  # most columns differ from the target early on
        suspects = [j for j in suspects if _same(table, j, target, few)]
    if suspects and target.classes is None and len(np.unique(target.values[rows])) < 2:
        return
    for j in suspects:
        warnings.warn(
            f"column {table.schema.features[j].name!r} is the target {target.name!r} itself, cell for cell; a tree "
            "that may ask for it learns nothing. Leave it out.",
            DataWarning,
            stacklevel=2,
        )


def _equal_in_first_row(table: Table, target: Target, row: int) -> list[int]:
    """Return the columns that may hold the target: of the numbers, those that do so in this row."""
    y = target.values[row] if target.classes is None else target.classes[target.values[row]]
    columns = enumerate(table.columns)
    return [j for j, cells in columns if cells is not None and (cells.dtype != np.float64 or cells[row] == y)]


def _same(table: Table, j: int, target: Target, rows: NDArray[np.int64]) -> bool:
    """Whether a column holds the target, cell for cell in these rows."""
    column, y = table.columns[j], target.values[rows]
    assert column is not None
    cells = column[rows]
    if target.classes is None:
        return cells.dtype == np.float64 and bool((cells == y).all())
    if len(target.classes) < 2:
        return False
    labels = target.classes.tolist()
    if cells.dtype == np.float64:
        return not isinstance(labels[0], str) and bool((cells == np.array(labels, dtype=np.float64)[y]).all())
    categories = table.schema.features[j].categories
    if len(categories) > 10 * len(labels):
        return False
    class_of = {str(label): code for code, label in enumerate(labels)}
    codes = np.array(
        [class_of.get(str(category), -1) for category in categories] + [-1, -1]
    )  # the last two: unseen, missing
    return bool((codes[cells] == y).all())
