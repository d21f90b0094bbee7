"""From the words of a command to an estimator: the task that a target suggests, the algorithm, how it is pruned."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import polars as pl

from deciduous.errors import DataError, DataWarning, OptionError, listing, nearest
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.io import ESTIMATORS
from deciduous.language import translate as _

ALGORITHMS = ("id3", "c45", "cart")
TASKS = ("class", "number")
#: A target of whole numbers with at most this many different ones is taken as classes.
MOST_NUMBER_CLASSES = 10

#: CART is pruned by cross-validation (Breiman et al. 1984, section 3.4.3) from this many rows on: fewer do not tell
#: good subtrees from bad ones, and small tables are there to be read.
ENOUGH_TO_PRUNE = 100
CROSS_VALIDATED: dict[str, Any] = {"pruning": "cost_complexity", "cv": 10, "rule": "1se"}
#: Options that say how large a tree is to be; with any of them nothing is pruned unasked.
SIZES = (
    "pruning",
    "ccp_alpha",
    "cp",
    "cv",
    "rule",
    "validation_fraction",
    "min_gain",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity",
    "min_impurity_decrease",
    "max_leaf_nodes",
)


def target_of(frame: pl.DataFrame, file: str, target: str) -> pl.Series:
    """Return the column to predict; DataError with the nearest name if there is none of that name."""
    if target not in frame.columns:
        raise DataError(
            f"{file} has no column {target!r}; it has {listing(frame.columns)}.{nearest(target, frame.columns)}"
        )
    return frame[target]


def choose_task(target: pl.Series, algorithm: str, task: str | None) -> tuple[str, str]:
    """Return the task, and why it was chosen."""
    if algorithm not in ALGORITHMS:
        raise OptionError(
            f"--algorithm {algorithm!r} is not one of {listing(ALGORITHMS)}.{nearest(algorithm, ALGORITHMS)}"
        )
    if task is not None:
        if task not in TASKS:
            raise OptionError(f"--task {task!r} is not one of {listing(TASKS)}.{nearest(task, TASKS)}")
        if task == "number" and algorithm != "cart":
            raise OptionError(f"--task number needs --algorithm cart; {algorithm} predicts classes only.")
        return task, _("as asked")
    numbers = known_numbers(target)
    if algorithm != "cart":
        if len(numbers) > MOST_NUMBER_CLASSES and _are_whole(numbers):
            text = _("{algorithm} predicts classes, each of {n} different numbers is one; cart predicts numbers")
            return "class", text.format(algorithm=algorithm, n=len(numbers))
        return "class", _("{algorithm} predicts classes").format(algorithm=algorithm)
    if not target.dtype.is_numeric():
        return "class", _("the target is text")
    if len(numbers) <= MOST_NUMBER_CLASSES and _are_whole(numbers):
        text = _("the target has {n} different whole numbers; --task number predicts the number instead")
        return "class", text.format(n=len(numbers))
    return "number", _("the target is numeric; --task class predicts its values as classes instead")


def known_numbers(target: pl.Series) -> pl.Series:
    """Return the different numbers of a target; none if it is text."""
    return (
        target.drop_nulls().unique(maintain_order=True) if target.dtype.is_numeric() else pl.Series([], dtype=pl.Int8)
    )


def _are_whole(numbers: pl.Series) -> bool:
    return bool((numbers == numbers.round()).all())


def demand_classes(target: pl.Series) -> None:
    """Raise DataError where algorithms are compared by a target of fractions, which are no classes; say so where each
    of many numbers is taken as a class.
    """
    numbers = known_numbers(target)
    if not _are_whole(numbers):
        fraction = next(x for x in numbers.to_list() if x != round(x))
        raise DataError(
            f"algorithms are compared by the classes that they predict, and the target {target.name!r} holds "
            f"fractions, such as {fraction:g}. Numbers are predicted by cart alone: judge it by 'deciduous evaluate "
            "--algorithm cart', with other options under the same --seed; or bin the target."
        )
    if len(numbers) > MOST_NUMBER_CLASSES:
        warnings.warn(
            f"each of the {len(numbers)} different numbers of the target {target.name!r} is taken as a class. As "
            "numbers they are predicted by cart alone: judge it by 'deciduous evaluate --algorithm cart'.",
            DataWarning,
            stacklevel=2,
        )


def choose_common_task(targets: Sequence[pl.Series], algorithm: str, task: str | None) -> tuple[str, str]:
    """Return the task of one tree for all targets, and why; OptionError if they suggest different ones."""
    found = [choose_task(target, algorithm, task) for target in targets]
    if len({found_task for found_task, why in found}) > 1:
        tasks = ", ".join(f"{t.name!r} {found_task}" for t, (found_task, why) in zip(targets, found, strict=True))
        raise OptionError(
            f"one tree predicts targets of one task, and these suggest different ones ({tasks}); say --task class or "
            "--task number, or fit one tree a target."
        )
    return found[0]


def sized(options: dict[str, Any], algorithm: str, n_rows: int, n_targets: int = 1) -> tuple[dict[str, Any], str]:
    """Return the options of a well-sized tree, and what was done about its size, in words."""
    if any(name in options for name in SIZES):
        return options, _("as asked")
    if algorithm == "id3":
        return options, _("not pruned (ID3 does not prune; --pruning does)")
    if algorithm == "c45":
        return options, _("pruned as C4.5 does, by its estimate of errors (--pruning none leaves it whole)")
    if n_targets > 1:
        return options, _("not pruned (several targets; --max-depth, --min-samples-leaf and --ccp-alpha limit it)")
    if n_rows < ENOUGH_TO_PRUNE:
        text = _("not pruned (fewer than {n} rows; --pruning cost_complexity --cv 10 --rule 1se prunes)")
        return options, text.format(n=ENOUGH_TO_PRUNE)
    return {**options, **CROSS_VALIDATED}, _(
        "pruned: the smallest tree within one standard error of the best in 10-fold cross-validation (--pruning none "
        "leaves it whole)"
    )


def make_estimator(algorithm: str, task: str, options: dict[str, Any]) -> TreeEstimator:
    """Return the estimator with the options given; OptionError for one that it does not have."""
    cls = ESTIMATORS[algorithm, task]
    allowed = list(cls().get_params())
    for name in options:
        if name not in allowed:
            flags = [f"--{a.replace('_', '-')}" for a in allowed if a != "kinds"]
            what = algorithm if task == "class" else f"{algorithm} with numbers to predict"
            raise OptionError(f"--{name.replace('_', '-')} is not an option of {what}; it has {', '.join(flags)}.")
    return cls(**options)
