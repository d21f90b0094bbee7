"""Which pruner the options of a command describe, and the rows that it decides by."""

from __future__ import annotations

import polars as pl

from deciduous.cli.common import read
from deciduous.data.frames import columns_of
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.estimators.explaining import row_labels
from deciduous.estimators.pruning import labelled_rows
from deciduous.explain.pruning import PruningDerivation, pruning_of
from deciduous.model.tree import Tree
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.pruners import PRUNERS
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity, Optimal


def pruner_for(
    method: str,
    to: int | None,
    alpha: float | None,
    cost: str,
    error_based: ErrorBased,
    rule: str,
    flag: str = "--method",
) -> Pruner:
    """Return the pruner that the options describe; OptionError for an unknown method, or an option of another.

    `error_based`: the one that its own options describe; `flag`: how the method is asked for.
    """
    if method not in PRUNERS:
        raise OptionError(
            f"{flag} {method!r} is not one of {listing(PRUNERS, len(PRUNERS))}.{nearest(method, PRUNERS)}"
        )
    for option, value, its in (("--to", to, "optimal"), ("--alpha", alpha, "cost_complexity")):
        if value is not None and method != its:
            raise OptionError(f"{option} belongs to {flag} {its}, not to {method}.")
    if to is not None and to < 1:
        raise OptionError(f"--to {to} must be at least 1: a tree has a leaf.")
    if method != "error" and error_based.subtree_raising:
        raise OptionError(f"--subtree-raising belongs to --method error, not to {method}.")
    if method == "optimal":
        return Optimal(to, rule, cost)
    if method == "cost_complexity":
        return CostComplexity(alpha, rule, cost)
    return error_based if method == "error" else PRUNERS[method]()


def labelled_frame(
    tree: Tree, file: str, na: list[str] | None, separator: str | None, decimal: str | None
) -> pl.DataFrame:
    """Return the table of a file that holds the tree's target."""
    frame = read(file, na, separator, decimal)
    for target in tree.targets:
        if target not in frame.columns:
            raise DataError(
                f"{file} has no column {target!r}, the target of the model; it has {listing(frame.columns)}."
                + nearest(target, frame.columns)
            )
    return frame


def target_of(tree: Tree, frame: pl.DataFrame) -> str | pl.DataFrame:
    """Return what tells the target of the rows of a frame: its name, or the columns of several."""
    return frame.select(tree.targets) if tree.others else tree.target


def deciding_rows(
    tree: Tree, pruner: Pruner, frame: pl.DataFrame | None, flags: tuple[str, str] = ("--method", "a FILE")
) -> LabelledRows | None:
    """Return the rows of a table for a pruner; OptionError if it needs some and there are none.

    `flags`: how the method, and the table, are given.
    """
    method, table = flags
    if frame is not None:
        return labelled_rows(tree, frame, frame[tree.target])
    if pruner.needs == "validation":
        raise OptionError(
            f"{method} {pruner.name} decides by rows that the tree was not grown on: give {table} with the target"
            + {"optimal": ", or --to N", "cost_complexity": ", or --alpha A"}.get(pruner.name, "")
            + "."
        )
    if pruner.needs == "training":
        raise OptionError("--subtree-raising needs the rows that the tree was grown on: give them as FILE.")
    return None


def working_of_pruning(
    tree: Tree, method: str, to: str | None, alpha: float | None, frame: pl.DataFrame | None, digits: int | None
) -> PruningDerivation:
    """Return the working of pruning by a method, as `--pruning` of other commands than `prune` asks for it.

    `to`: the number of leaves of optimal pruning, as it was typed. Cost-complexity pruning without a price or rows
    shows all rounds.
    """
    if to is not None and not to.isdecimal():
        raise OptionError(f"--to {to!r} must be a whole number, with --pruning.")
    if method == "cost_complexity" and alpha is None and frame is None:
        alpha = 0.0
    leaves = None if to is None else int(to)
    pruner = pruner_for(method, leaves, alpha, "impurity", ErrorBased.of_tree(tree), "min", "--pruning")
    rows = deciding_rows(tree, pruner, frame, ("--pruning", "--data FILE"))
    labels = None if frame is None else row_labels(tree, columns_of(frame))
    return pruning_of(tree, pruner, rows, 3 if digits is None else digits, labels)
