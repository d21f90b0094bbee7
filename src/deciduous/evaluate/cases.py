"""The rows that a model is judged on: a table that rows can be taken from, its target, weights and groups."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from deciduous.criteria import Task
from deciduous.data.frames import columns_of, refuse_duplicates_of
from deciduous.data.table import Table
from deciduous.data.target import as_label_array, encode_target
from deciduous.errors import DataError, DataWarning, listing, nearest
from deciduous.measures import Floats, as_weights

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cases:
    """Rows with a known target. `y`: class codes or numbers, shape (rows,); `labels`: the classes, None for numbers;
    `weight`: what the rows count, None where all weigh 1; `groups`: rows of one group stay together, None if there are
    none; `sample_weight`: the weights that `fit` is to be given, which are not those that a column of X holds.
    """

    X: Any
    y: NDArray[Any]
    task: Task
    target: str
    labels: NDArray[Any] | None
    weight: Floats | None
    groups: NDArray[Any] | None
    sample_weight: Floats | None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.y)

    @property
    def answers(self) -> NDArray[Any]:
        """The target as an estimator takes it: labels or numbers."""
        return self.y if self.labels is None else self.labels[self.y]

    def take(self, rows: Ints) -> Cases:
        """Return some rows, in the order given; a row may be taken more than once."""
        weight, groups, given = (
            None if one is None else one[rows] for one in (self.weight, self.groups, self.sample_weight)
        )
        X, y = take_rows(self.X, rows), self.y[rows]
        return replace(self, X=X, y=y, weight=weight, groups=groups, sample_weight=given)

    def with_labels(self, labels: NDArray[Any]) -> Cases:
        """Return the same rows with more classes: those of a model first, then what only the rows have."""
        assert self.labels is not None
        known = labels.tolist()
        all_labels = as_label_array(known + [label for label in self.labels.tolist() if label not in known])
        code = {label: i for i, label in enumerate(all_labels.tolist())}
        y = np.array([code[label] for label in self.labels.tolist()], dtype=np.int64)[self.y]
        return replace(self, y=y, labels=all_labels)


def cases_of(estimator: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Cases:
    """Return the rows that have a target; a DataWarning counts the others.

    `y` may be the name of a column of X. DataError for inputs that do not fit each other.
    """
    name = str(getattr(y, "name", None) or "y")
    if isinstance(y, str):
        name = y
        X, y = _take_target(X, y)
    X = _plain(X)
    target = encode_target(y, task_of(estimator), name)
    n_rows = _n_rows(X)
    given = None if sample_weight is None else as_weights(sample_weight, n_rows)
    groups = None if groups is None else np.asarray(groups)
    for what, length in (("y", len(target.values)), ("groups", n_rows if groups is None else len(groups))):
        if length != n_rows:
            raise DataError(f"X has {n_rows} rows and {what} has {length}; they must be the same rows.")
    held = _weights_held(estimator, X)
    weight = given if held is None else held if given is None else given * held
    all_rows = Cases(X, target.values, target.task, name, target.classes, weight, groups, given)
    taking_part = target.known if weight is None else target.known & (weight > 0)
    unknown = int((~target.known).sum())
    if unknown:
        warnings.warn(f"{unknown} of {n_rows} rows left out: their target {name!r} is missing.", DataWarning, 3)
    if not taking_part.any():
        raise DataError("no row is left to look at: every row has zero weight or no target.")
    cases = all_rows if taking_part.all() else all_rows.take(np.flatnonzero(taking_part))
    if len(cases) > 1 and (cases.y == cases.y[0]).all():
        warnings.warn(
            f"the target {name!r} is {cases.answers[0]!s} in all {len(cases)} rows: there is nothing to learn, and no "
            "score tells models apart.",
            DataWarning,
            3,
        )
    return cases


def _weights_held(estimator: Any, X: Any) -> Floats | None:
    """Return the weights in columns of X that the `kinds` of an estimator of ours say hold them; None if none does."""
    kinds = getattr(estimator, "kinds", None)
    if not isinstance(kinds, Mapping) or "weight" not in kinds.values():
        return None
    columns = columns_of(X)
    there = {*columns.names, *range(len(columns.names))}
    declared = {at: kind for at, kind in kinds.items() if kind == "weight" and at in there}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # fit has more to go by
        return Table.encode(columns, declared).weight


def task_of(estimator: Any) -> Task:
    """Return what an estimator predicts; DataError for one that is neither classifier nor regressor."""
    if is_classifier(estimator):
        return "class"
    if is_regressor(estimator):
        return "number"
    raise DataError(f"{estimator!r:.80} is neither a classifier nor a regressor; pass an estimator that predicts.")


def take_rows(X: Any, rows: Ints) -> Any:
    """Return some rows of a table, which is of the same kind."""
    if isinstance(X, np.ndarray):  # column by column, as trees read it
        return X.T.take(rows, axis=1).T if X.ndim == 2 else X[rows]
    if isinstance(X, Mapping):
        return {name: [cells[i] for i in rows.tolist()] for name, cells in X.items()}
    if isinstance(X, list | tuple):
        return [X[i] for i in rows.tolist()]
    if nw.dependencies.is_pandas_dataframe(X):  # narwhals would leave it the labels of its rows, twice in a resample
        return X.iloc[rows].reset_index(drop=True)
    return nw.from_native(X, eager_only=True)[rows].to_native()


def _take_target(X: Any, name: str) -> tuple[Any, Any]:
    """Take a column out of a table; DataError with the nearest name if there is none of that name."""
    if isinstance(X, np.ndarray) and X.dtype.names is None:
        raise DataError(f"y={name!r} names a column, but X is an array without column names; pass y as an array.")
    if isinstance(X, list | tuple):
        X = {column: [row.get(column) for row in X] for column in dict.fromkeys(key for row in X for key in row)}
    if isinstance(X, Mapping):
        names, rest = list(X), {column: cells for column, cells in X.items() if column != name}
    elif isinstance(X, np.ndarray):
        names = list(X.dtype.names or ())
        rest = {column: X[column].tolist() for column in names if column != name}
    else:
        refuse_duplicates_of(X)
        frame = nw.from_native(X, eager_only=True)
        names, rest = frame.columns, None
    if name not in names:
        raise DataError(
            f"there is no column {name!r} to predict; the columns are {listing(names)}.{nearest(name, names)}"
        )
    if len(names) == 1:
        raise DataError(f"there is no column beside the target {name!r}: nothing is left to ask for.")
    return (frame.drop(name).to_native(), frame[name].to_native()) if rest is None else (rest, X[name])


def _plain(X: Any) -> Any:
    """Return a table that rows can be taken from: an array of arrays, lists of cells, or a frame."""
    if isinstance(X, Mapping):
        return {name: list(cells) for name, cells in X.items()}
    if isinstance(X, list | tuple):
        return X
    X = X if hasattr(X, "shape") else np.asarray(X)
    return np.asfortranarray(X) if isinstance(X, np.ndarray) and X.ndim == 2 else X


def _n_rows(X: Any) -> int:
    if isinstance(X, Mapping):
        return len(next(iter(X.values()), ()))
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
