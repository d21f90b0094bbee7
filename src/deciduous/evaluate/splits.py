"""Which rows a model is fitted on and which it is judged by: hold-out, folds, bootstrap samples. All of them by seed,
and drawn before anything is fitted, so that the result does not depend on the number of processes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    BaseCrossValidator,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from deciduous.errors import DataError, DataWarning, OptionError
from deciduous.evaluate.cases import Cases, Ints

Seed = int | None


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of one run: those to fit on (a row may be there more than once), those to judge by."""

    train: Ints
    test: Ints


def holdout(cases: Cases, test_size: float, seed: Seed) -> list[Split]:
    """Return one split: a share of the rows held out, class by class, or whole groups of them."""
    if not 0 < test_size < 1:
        raise OptionError(f"test_size={test_size!r} must be a share of the rows between 0 and 1.")
    _units(cases)
    if cases.groups is not None:
        return _drawn(GroupShuffleSplit(1, test_size=test_size, random_state=seed or 0), cases)
    classes = cases.task == "class"
    if classes and (few := _least_class(cases))[1] < 2:
        classes = False
        warnings.warn(
            f"rows of the class {few[0]!r}: {few[1]}, too few to hold some out class by class; rows are held out "
            "without regard to the classes.",
            DataWarning,
            stacklevel=3,
        )
    splitter = StratifiedShuffleSplit if classes else ShuffleSplit
    return _drawn(splitter(1, test_size=test_size, random_state=seed or 0), cases)


def folds(cases: Cases, cv: Any, repeats: int, seed: Seed) -> list[Split]:
    """Return the splits that `cv` means: a number of folds (drawn class by class, groups kept whole), the fold of each
    row, a list of pairs (rows to fit on, rows to judge by), or a splitter of scikit-learn.
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        n = int(cv)
        drawn = [split for repeat in range(repeats) for split in _k_folds(cases, n, (seed or 0) + repeat)]
        if cases.task == "class":
            _warn_of_small_classes(cases, n)
        return drawn
    if repeats != 1:
        raise OptionError("repeats= goes with a number of folds; given folds are what they are.")
    if isinstance(cv, BaseCrossValidator) or hasattr(cv, "split"):
        return _drawn(cv, cases)
    if isinstance(cv, Sequence) and cv and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in cv):
        return [_checked(Split(_places(a, cases), _places(b, cases))) for a, b in cv]
    fold = np.asarray(cv)
    if fold.shape != (len(cases),):
        raise OptionError(
            f"cv must be a number of folds, the fold of each of the {len(cases)} rows, a list of pairs (rows to fit "
            f"on, rows to judge by), or a splitter of scikit-learn; it is {cv!r:.60}."
        )
    return [_checked(Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f))) for f in np.unique(fold)]


def leave_one_out(cases: Cases) -> list[Split]:
    """Return a split a row, which is left out."""
    _units(cases)
    return _drawn(LeaveOneOut(), cases)


def bootstrap_samples(cases: Cases, samples: int, seed: Seed) -> list[Split]:
    """Return samples of as many rows as there are, drawn with replacement; judged by the rows that were not drawn.

    With groups, whole groups are drawn. A sample that leaves no row out is drawn again.
    """
    if samples < 1:
        raise OptionError(f"samples={samples!r} must be at least 1.")
    units = _units(cases)
    members = None if cases.groups is None else _members(cases.groups)
    drawn = [_sample(units, np.random.default_rng([seed or 0, number])) for number in range(samples)]
    if members is None:
        return drawn
    return [Split(*(np.concatenate([members[i] for i in part]) for part in (s.train, s.test))) for s in drawn]


def _sample(units: int, random: np.random.Generator) -> Split:
    """Return which rows or groups are drawn, and which are not."""
    while True:
        drawn = random.integers(units, size=units)
        out = np.flatnonzero(np.bincount(drawn, minlength=units) == 0)
        if len(out):
            return Split(drawn, out)


def _members(groups: NDArray[Any]) -> list[Ints]:
    """Return the rows of each group."""
    order = np.argsort(groups, kind="stable")
    _, starts = np.unique(groups[order], return_index=True)
    return [order[a:b] for a, b in pairwise([*starts.tolist(), len(order)])]


def _k_folds(cases: Cases, n: int, seed: int) -> list[Split]:
    units = _units(cases)
    if not 2 <= n <= units:
        what = "rows" if cases.groups is None else "groups"
        raise OptionError(f"cv={n} must be between 2 and the number of {what}, {units}.")
    if cases.groups is not None:
        group_folds = StratifiedGroupKFold if cases.task == "class" else GroupKFold
        return _drawn(group_folds(n, shuffle=True, random_state=seed), cases)
    return _drawn((StratifiedKFold if by_class(cases, n) else KFold)(n, shuffle=True, random_state=seed), cases)


def _units(cases: Cases) -> int:
    """Return how many rows, or groups of them, there are to divide; DataError for fewer than two."""
    units = len(cases) if cases.groups is None else len(np.unique(cases.groups))
    if units < 2:
        raise DataError(
            f"there is only one {'row' if cases.groups is None else 'group'}: at least 2 are needed, to fit on some "
            "and to judge by others."
        )
    return units


def by_class(cases: Cases, n: int) -> bool:
    """Return whether n folds are drawn class by class: of classes, if any has a row for every fold."""
    return cases.task == "class" and int(np.bincount(cases.y).max()) >= n


def _drawn(splitter: Any, cases: Cases) -> list[Split]:
    """Return the splits of one of scikit-learn's splitters; what it complains of is a mistake in the data.

    That a class is small has been said already, in words of our own.
    """
    try:
        with warnings.catch_warnings(record=True) as complaints:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "The least populated class")
            pairs = list(_pairs(splitter, cases))
    except ValueError as error:
        raise DataError(f"the rows cannot be divided so: {error}") from error
    for complaint in complaints:
        warnings.warn(str(complaint.message), DataWarning, stacklevel=4)
    return [_checked(Split(train, test)) for train, test in pairs]


def _pairs(splitter: Any, cases: Cases) -> Iterator[tuple[Ints, Ints]]:
    yield from splitter.split(np.zeros((len(cases), 1)), cases.y, cases.groups)


def _checked(split: Split) -> Split:
    if not len(split.train) or not len(split.test):
        raise DataError("cv leaves a fold without rows to fit on, or without rows to judge by.")
    return split


def _places(rows: Any, cases: Cases) -> Ints:
    """Return row numbers, or the places where a mask is true; DataError for rows that are not there."""
    places: NDArray[Any] = np.asarray(rows)
    if places.dtype == bool and places.shape == (len(cases),):
        return np.flatnonzero(places)
    if places.dtype.kind not in "iu" or (len(places) and not 0 <= places.min() <= places.max() < len(cases)):
        raise DataError(f"cv names rows that are not there; rows go from 0 to {len(cases) - 1}.")
    return places.astype(np.int64)


def _warn_of_small_classes(cases: Cases, n: int) -> None:
    """Say which class has fewer rows than there are folds, and what that means."""
    label, rows = _least_class(cases)
    if not by_class(cases, n):
        warnings.warn(
            f"no class has as many rows as there are folds, {n}: folds are drawn without regard to the classes.",
            DataWarning,
            stacklevel=4,
        )
    elif rows < n:
        warnings.warn(
            f"rows of the class {label!r}: {rows}, fewer than the {n} folds; some folds have none to judge by.",
            DataWarning,
            stacklevel=4,
        )


def _least_class(cases: Cases) -> tuple[Any, int]:
    """Return the class of fewest rows, of those that are there, and its rows."""
    assert cases.labels is not None
    counts = np.bincount(cases.y)
    there = np.flatnonzero(counts)
    least = int(there[np.argmin(counts[there])])
    return cases.labels.tolist()[least], int(counts[least])
