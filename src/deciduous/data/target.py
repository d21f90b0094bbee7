"""The target: which task it is for, its classes with their own types, and rows without one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from deciduous.criteria import Task
from deciduous.data.columns import is_broken
from deciduous.data.frames import columns_of, unmasked
from deciduous.data.schema import Label
from deciduous.errors import DataError, listing
from deciduous.measures import Floats, factorize, is_missing

#: Larger targets are refused: sums of their squares would not fit into 64-bit floats.
LARGEST_TARGET = 1e150


@dataclass(frozen=True)
class Target:
    """The encoded target: class codes (int32) or numbers (float64), and which rows have one.

    `classes` keeps the labels as they were given (str, int, float or bool), sorted; or as a category type declares
    them (`with_declared`).
    """

    task: Task
    values: NDArray[Any]
    known: NDArray[np.bool_]
    classes: NDArray[Any] | None = None
    name: str = "y"

    @property
    def labels(self) -> tuple[Label, ...]:
        """The class labels as plain Python values; none for numbers."""
        return () if self.classes is None else tuple(self.classes.tolist())


def target_columns(y: Any, name: str = "y") -> list[tuple[str, Any]]:
    """Return the targets in `y`, (name, column) each: several for a frame, array or list of rows with several columns.

    Columns without names are called y1, y2, ... for a `y` of the name `y`.
    """
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return [(name, y)]
    frame = nw.from_native(y, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and frame.shape[1] > 1:
        return [(str(column), frame[column].to_native()) for column in frame.columns]
    if isinstance(y, list | tuple) and y and all(isinstance(row, list | tuple | np.ndarray) for row in y):
        if len({len(row) for row in y}) > 1:
            raise DataError("y has rows of different lengths; it must have one value a target in each.")
        columns: list[Any] = [list(column) for column in zip(*y, strict=True)]
    elif isinstance(y, np.ndarray) and y.ndim == 2:
        columns = list(y.T)
    else:
        return [(name, y)]
    return [(f"{name}{k + 1}", column) for k, column in enumerate(columns)] if len(columns) > 1 else [(name, y)]


def encode_target(y: Any, task: Task, name: str = "y") -> Target:
    """Encode `y` for a task; DataError with advice if it is for the other task.

    A class target may hold text, whole numbers or bools; a target of fractions is for regression. Missing cells
    (None, NaN, NA) mark rows that cannot be learned from.
    """
    if isinstance(y, np.ma.MaskedArray):
        y = unmasked(y)
    if isinstance(getattr(y, "dtype", None), np.dtype) and nw.dependencies.is_pandas_series(y):
        y = y.to_numpy()
    kinds = "iufb" if task == "class" else "iuf"
    if isinstance(y, np.ndarray) and y.ndim == 1 and len(y) and y.dtype.kind in kinds:
        return _from_numbers(y, task, name)
    text = _as_text(y)
    if text is not None and task == "class" and text.null_count() < len(text):
        return _from_text(text, name)
    labels = _one_dimensional(y)
    known = np.array([not is_missing(v) for v in labels], dtype=bool)
    if len(labels) and not known.any():
        raise DataError(f"the target {name!r} is missing in all {len(labels)} rows.")
    return _classes(labels, known, name) if task == "class" else _numbers(labels, known, name)


def encode_target_like(y: Any, task: Task, classes: Sequence[Label], name: str) -> Target:
    """Encode the target of rows that a grown tree is shown: numbers, or codes of the tree's `classes`, -1 for one that
    it does not know and for missing ones.

    DataError if it is for the other task, or holds no class of the tree: it says what the tree predicts.
    """
    try:
        target = encode_target(y, task, name)
    except DataError:
        other = _for_the_other_task(y, task, name)
        if other is None:
            raise
        if task == "number":
            raise DataError(
                f"the tree predicts numbers, and the target given for {name!r} holds the classes "
                f"{listing(other.labels)}: give the numbers, or grow a tree for classes (CARTClassifier, "
                "C45Classifier, ID3Classifier)."
            ) from None
        found = other.values[other.known].tolist()
        raise DataError(
            f"the tree predicts the classes {listing(classes)}, and the target given for {name!r} holds the numbers "
            f"{listing(found, 3)}: give the classes, or grow a tree for numbers (CARTRegressor)."
        ) from None
    if target.classes is None:
        return target
    code = {label: i for i, label in enumerate(classes)}
    codes = np.array([code.get(label, -1) for label in target.labels] + [-1], dtype=np.int32)
    if (codes < 0).all():
        raise DataError(
            f"the target given for {name!r} has no class that the tree knows: it has {listing(target.labels)}, the "
            f"tree {listing(classes)}. Give the target that the tree was grown to predict."
        )
    return replace(target, values=codes[target.values], classes=as_label_array(tuple(classes)))


def _for_the_other_task(y: Any, task: Task, name: str) -> Target | None:
    try:
        return encode_target(y, "class" if task == "number" else "number", name)
    except DataError:
        return None


def declared_classes(y: Any) -> tuple[Label, ...] | None:
    """Return the classes that a target of category type declares, in its order, those without a row too; None for any
    other target.
    """
    series = nw.from_native(y, series_only=True, pass_through=True)
    is_category = isinstance(series, nw.Series) and series.dtype in (nw.Categorical, nw.Enum)
    if not is_category and not (hasattr(y, "categories") and hasattr(y, "codes")):
        return None
    return columns_of({"y": y}).columns[0].declared


def with_declared(target: Target, declared: tuple[Label, ...] | None) -> Target:
    """Return a target of classes with all that are declared, in that order."""
    if declared is None or target.classes is None:
        return target
    place = {label: i for i, label in enumerate(declared)}
    codes = np.array([place[label] for label in target.classes.tolist()] + [-1], dtype=np.int32)
    return replace(target, values=codes[target.values], classes=as_label_array(declared))


def _from_numbers(y: NDArray[Any], task: Task, name: str) -> Target:
    """Encode an array of numbers without a loop over its cells; what cannot be used is left to the loop's messages."""
    known = np.ones(len(y), dtype=bool) if y.dtype.kind != "f" else ~np.isnan(y)
    present = y if y.dtype.kind != "f" else y[known]
    largest = np.float64(LARGEST_TARGET)  # a Python number would become of y's type, where it may not fit
    usable = len(present) > 0 and (y.dtype.kind != "f" or bool((np.abs(present) <= largest).all()))
    if not usable:
        return encode_target(y.tolist(), task, name)
    if task == "number":
        return Target("number", y.astype(np.float64), known, None, name)
    distinct, codes = _distinct(present)
    fractions = y.dtype.kind == "f" and bool((distinct != np.floor(distinct)).any())
    if fractions or (y.dtype.kind == "u" and int(distinct[-1]) >= 2**63):
        return encode_target(y.tolist(), task, name)
    all_codes = np.full(len(y), -1, dtype=np.int32)
    all_codes[known] = codes
    return Target("class", all_codes, known, as_label_array(distinct.tolist()), name)


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the different values, increasing, and which of them each is; whole numbers that lie close are counted
    rather than sorted.
    """
    if values.dtype.kind in "iu" and int(values.min()) > -(2**62) and int(values.max()) < 2**62:
        low = int(values.min())
        offsets = values.astype(np.int64) - low
        if offsets.max() < len(values):
            present = np.flatnonzero(np.bincount(offsets))
            codes = np.zeros(int(offsets.max()) + 1, dtype=np.int32)
            codes[present] = np.arange(len(present))
            return present + low, codes[offsets]
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse


def _as_text(y: Any) -> pl.Series | None:
    """Return a target of text and nulls as a polars series; None for any other."""
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        y = series.to_list() if series.dtype in (nw.String, nw.Object, nw.Categorical, nw.Enum) else []
    elif isinstance(y, np.ndarray):
        y = y.tolist() if y.ndim == 1 and y.dtype.kind in "OU" else []
    if not isinstance(y, list) or set(map(type, y)) - {type(None)} != {str}:
        return None
    try:
        return pl.Series(y, dtype=pl.String)
    except UnicodeEncodeError:  # half a character: the loop says in which row
        return None


def _from_text(text: pl.Series, name: str) -> Target:
    """Encode class labels that are text, without a loop over the cells."""
    labels = sorted(text.drop_nulls().unique().to_list())
    codes = text.cast(pl.Enum(labels)).to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return Target("class", codes.copy(), text.is_not_null().to_numpy(), as_label_array(labels), name)


def _one_dimensional(y: Any) -> NDArray[np.object_]:
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    if hasattr(y, "toarray") and hasattr(y, "nnz"):
        raise TypeError("Sparse targets are not supported; pass y.toarray().ravel().")
    series = nw.from_native(y, series_only=True, allow_series=True, pass_through=True)
    cells = series.to_list() if isinstance(series, nw.Series) else y
    array = None if isinstance(cells, list | tuple) else np.asarray(cells)
    if array is not None:
        if array.ndim == 2 and array.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: its one column is taken as the target.",
                DataConversionWarning,
                stacklevel=2,
            )
            array = array[:, 0]
        if array.ndim != 1:
            raise DataError(
                f"y should be a 1d array with one target a row, got an array of shape {array.shape} instead."
            )
        if array.dtype.kind == "c":
            raise DataError("Complex data not supported as a target.")
        if array.dtype.kind in "Mm":  # of nanoseconds NumPy would make whole numbers; the loops refuse them by row
            array = array.astype(f"{array.dtype.kind}8[us]")
        cells = array.tolist()
    labels = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        if isinstance(cell, list | tuple | np.ndarray):
            raise DataError(f"y should be a 1d array with one target a row; row {i} holds {cell!r:.60}.")
        labels[i] = cell.item() if isinstance(cell, np.generic) else cell
    return labels


def _classes(labels: NDArray[np.object_], known: NDArray[np.bool_], name: str) -> Target:
    for row in np.flatnonzero(known).tolist():
        cell = labels[row]
        if isinstance(cell, float) and np.isinf(cell):
            raise DataError(f"Input y contains infinity: the target {name!r}, row {row}, is {cell}, which is no class.")
        if isinstance(cell, float) and cell != np.floor(cell):
            raise DataError(
                f"Unknown label type: continuous. The target {name!r} holds fractions (row {row}: {cell!r}), "
                "which are numbers to predict, not classes: use CARTRegressor for regression (in the command: "
                "--algorithm cart), or bin or name the classes."
            )
        if isinstance(cell, str) and is_broken(cell):
            raise DataError(f"the target {name!r}, row {row}: {cell!r:.40} holds half a character (a lone surrogate).")
        if isinstance(cell, int) and abs(cell) >= 2**63:
            raise DataError(
                f"the target {name!r}, row {row}: {cell!r:.60} is too long for a class label; make it text."
            )
        if not isinstance(cell, str | int | float | bool):
            raise DataError(
                f"the target {name!r}, row {row}: {cell!r:.60} is no class label (text, whole number or bool)."
            )
    codes, ordered = factorize(labels)
    if len({isinstance(label, str) for label in ordered}) > 1:
        raise DataError(
            f"the target {name!r} mixes text and numbers as class labels (for example {ordered[0]!r} and "
            f"{ordered[-1]!r}); make "
            "them one type."
        )
    return Target("class", codes.astype(np.int32), known, as_label_array(ordered), name)


def as_label_array(labels: list[Label] | tuple[Label, ...]) -> NDArray[Any]:
    """Return class labels as an array of their own type; bools beside numbers stay objects."""
    kinds = {type(label) for label in labels}
    if len(kinds) > 1 and bool in kinds:
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
        return array
    return np.array(list(labels))


def _numbers(labels: NDArray[np.object_], known: NDArray[np.bool_], name: str) -> Target:
    values = np.full(len(labels), np.nan)
    for row in np.flatnonzero(known).tolist():
        cell = labels[row]
        if isinstance(cell, str | bool):
            raise DataError(
                f"the target {name!r} holds {'text' if isinstance(cell, str) else 'bools'} (row {row}: "
                f"{cell!r}), which are classes, not numbers: use ID3Classifier, C45Classifier or CARTClassifier (in "
                "the command: --task class), or give numbers."
            )
        try:
            values[row] = float(cell)
        except (TypeError, ValueError):
            raise DataError(f"the target {name!r}, row {row}: {cell!r:.60} is not a number.") from None
        except OverflowError:
            raise DataError(f"the target {name!r}, row {row}: {cell!r:.40} does not fit into a 64-bit float.") from None
    _refuse_huge(values, name)
    return Target("number", values, known, None, name)


def _refuse_huge(values: Floats, name: str) -> None:
    """Raise DataError where squares of the target would not fit into 64-bit floats."""
    if np.isinf(values).any():
        row = int(np.isinf(values).argmax())
        raise DataError(
            f"Input y contains infinity or a value too large: the target {name!r}, row {row}, is {values[row]}."
        )
    if (np.abs(values[~np.isnan(values)]) > LARGEST_TARGET).any():
        raise DataError(
            f"the target {name!r} holds numbers beyond {LARGEST_TARGET:g}, whose squares do not fit into 64-bit "
            "floats. Divide it by a constant."
        )
