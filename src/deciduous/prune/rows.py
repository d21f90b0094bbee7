"""Rows with known targets for pruning: what each node answers wrongly of the rows that pass it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from deciduous.data.table import Table
from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.moments import about, central_moments
from deciduous.prune.walk import Ints, preorder, sum_up

#: What a pruner looks at beside the tree: nothing but the statistics of its nodes, the rows that it was grown on, or
#: rows that it has not seen.
Need = Literal["statistics", "training", "validation"]


class Pruner(Protocol):
    """What every pruner is: a function from a tree, and the rows that it needs, to a smaller tree."""

    @property
    def name(self) -> str:
        """The word that chooses it (`pruning=...`)."""
        ...

    @property
    def needs(self) -> Need:
        """What it looks at."""
        ...

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        ...


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows encoded like those of a tree, with their targets and weights.

    `target`: numbers, or class codes of the tree (-1: a class that it does not know), shape (rows,); `weight` likewise.
    `grown_on`: the tree has just been grown on them, which pruners need not check.
    """

    table: Table
    target: Floats
    weight: Floats
    grown_on: bool = False

    def take(self, rows: Ints) -> LabelledRows:
        """Return some of the rows."""
        columns = tuple(None if column is None else column[rows] for column in self.table.columns)
        table = Table(self.table.schema, len(rows), columns)
        return LabelledRows(table, self.target[rows], self.weight[rows])

    def errors(self, tree: Tree) -> Errors:
        """Send the rows down a tree and count what it answers wrongly."""
        return Errors(self, tree)


class Errors:
    """The errors of a tree on rows: weights of wrong answers, or sums of squared errors.

    A row that a missing cell divides counts in each part, with that part of its weight.
    """

    def __init__(self, rows: LabelledRows, tree: Tree) -> None:
        tree.demand_one_target("counting the errors of pruned trees")
        arrivals = route(tree, rows.table)
        self.tree = tree
        self.nodes, self.rows = arrivals.nodes.astype(np.int64), arrivals.rows
        self.weight: Floats = arrivals.weights * rows.weight[arrivals.rows]
        self.target: Floats = rows.target[arrivals.rows]
        self.total = float(rows.weight.sum())

    @property
    def mean(self) -> float:
        """The error of the tree as it is: the share of wrong answers, or the mean squared error."""
        return float(self.as_leaf[self.tree.is_leaf].sum() + self.stopped.sum()) / self.total

    @cached_property
    def as_leaf(self) -> Floats:
        """The errors of each node if it were a leaf, on all rows that come to it, shape (nodes,)."""
        return self._of_leaves(self.weight)[0]

    @cached_property
    def stopped(self) -> Floats:
        """The errors on rows that stop at an inner node (an unseen category), which it answers itself, (nodes,)."""
        return self._of_stopped(self.weight)[0]

    @cached_property
    def of_squared_weight(self) -> tuple[Floats, Floats]:
        """`as_leaf` and `stopped` with the squares of the weights, for standard errors."""
        return self._of_leaves(self.weight**2)[0], self._of_stopped(self.weight**2)[0]

    @cached_property
    def squares(self) -> tuple[Floats, Floats]:
        """The sums of squared weights times squared errors, as leaves and of the rows stopped, likewise."""
        return self._of_leaves(self.weight**2)[1], self._of_stopped(self.weight**2)[1]

    def _of_leaves(self, weight: Floats) -> tuple[Floats, Floats]:
        """Return for each node the sums of errors and of squared errors as a leaf; a wrong class is an error of 1."""
        if self.tree.task == "class":
            wrong = self._wrong_classes(weight)
            return wrong, wrong
        return about(self.tree.value, central_moments(self.tree, self.nodes, self.target, weight))

    def _of_stopped(self, weight: Floats) -> tuple[Floats, Floats]:
        gap = self.target - self.tree.value[self.nodes]
        error = (gap != 0).astype(np.float64) if self.tree.task == "class" else gap**2
        weight = np.where(self.tree.is_leaf[self.nodes], 0.0, weight)
        once, twice = (np.bincount(self.nodes, weights=weight * error**k, minlength=len(self.tree)) for k in (1, 2))
        return once.astype(np.float64), twice.astype(np.float64)

    def _wrong_classes(self, weight: Floats) -> Floats:
        """Return the weight of the rows of other classes than the node's.

        Rows are sorted by class and by the preorder number of the node they end in: those of a class that pass a node
        are then a range, and their weight the difference of two cumulative sums.
        """
        span = preorder(self.tree)
        n = len(self.tree)
        key = (self.target.astype(np.int64) + 1) * n + span.first[self.nodes]
        order = np.argsort(key, kind="stable")
        keys, sums = key[order], np.concatenate([[0.0], np.cumsum(weight[order])])
        of_class = (self.tree.value.astype(np.int64) + 1) * n
        low, high = (np.searchsorted(keys, of_class + edge) for edge in (span.first, span.last))
        passing = sum_up(self.tree, np.bincount(self.nodes, weights=weight, minlength=n).astype(np.float64))
        wrong: Floats = np.maximum(passing - (sums[high] - sums[low]), 0.0)
        return wrong


def required(rows: LabelledRows | None, who: str, need: Need) -> LabelledRows:
    """Return the rows; OptionError if a pruner that needs some got none."""
    if rows is None:
        where = "fit(..., validation=(X, y))" if need == "validation" else "fit with it, which has them"
        raise OptionError(f"{who} needs {need} rows: pass rows=, or {where}.")
    return rows


def needless(tree: Tree, who: str) -> None:
    """Raise OptionError if a pruner that is defined for classes gets a tree that predicts numbers."""
    tree.demand_one_target(who)
    if tree.task != "class":
        raise OptionError(
            f"{who} is defined for trees that predict classes; for numbers use cost_complexity, optimal, "
            "reduced_error or validation."
        )
