"""Rows with known targets for pruning: what each node answers wrongly of the rows that pass it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deciduous.data.table import Table
from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.walk import preorder

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
    """

    table: Table
    target: Floats
    weight: Floats

    def errors(self, tree: Tree) -> Errors:
        """Send the rows down a tree and count what it answers wrongly."""
        return Errors(self, tree)


class Errors:
    """The errors of a tree on rows, in weight of wrong answers or in sums of squared errors.

    A row that a missing cell divides counts in each part, with that part of its weight.
    """

    def __init__(self, rows: LabelledRows, tree: Tree) -> None:
        arrivals = route(tree, rows.table)
        self.tree = tree
        self.nodes = arrivals.nodes.astype(np.int64)
        self.weight: Floats = arrivals.weights * rows.weight[arrivals.rows]
        self.target: Floats = rows.target[arrivals.rows]
        self.total = float(rows.weight.sum())

    @cached_property
    def stopped(self) -> Floats:
        """The errors on rows that stop at an inner node (an unseen category), which it answers itself, (nodes,)."""
        wrong = self.target - self.tree.value[self.nodes]
        wrong = (wrong != 0).astype(np.float64) if self.tree.task == "class" else wrong * wrong
        at_inner = ~self.tree.is_leaf[self.nodes]
        errors: Floats = np.bincount(
            self.nodes[at_inner], weights=(wrong * self.weight)[at_inner], minlength=len(self.tree)
        ).astype(np.float64)
        return errors

    @cached_property
    def as_leaf(self) -> Floats:
        """The errors of each node if it were a leaf, on all rows that come to it, shape (nodes,)."""
        return self._wrong_classes() if self.tree.task == "class" else self._squared_errors()

    def _wrong_classes(self) -> Floats:
        """Return the weight of the rows of other classes than the node's.

        Rows are sorted by class and by the preorder number of the node they end in: those of a class that pass a node
        are then a range, and their weight the difference of two cumulative sums.
        """
        span = preorder(self.tree)
        n = len(self.tree)
        key = (self.target.astype(np.int64) + 1) * n + span.first[self.nodes]
        order = np.argsort(key, kind="stable")
        keys, sums = key[order], np.concatenate([[0.0], np.cumsum(self.weight[order])])
        of_class = (self.tree.value.astype(np.int64) + 1) * n
        low, high = (np.searchsorted(keys, of_class + edge) for edge in (span.first, span.last))
        wrong: Floats = np.maximum(self.passing - (sums[high] - sums[low]), 0.0)
        return wrong

    @cached_property
    def passing(self) -> Floats:
        """The weight of the rows that come to each node, shape (nodes,)."""
        weight = np.bincount(self.nodes, weights=self.weight, minlength=len(self.tree)).tolist()
        parents = self.tree.parent.tolist()
        for node in range(len(weight) - 1, 0, -1):
            weight[parents[node]] += weight[node]
        return np.array(weight, dtype=np.float64)

    def _squared_errors(self) -> Floats:
        """Return the sums of squared differences from the node's mean.

        Weight, mean and squared deviations are added up from below by the rule for two groups (Chan, Golub and LeVeque
        1979), which loses no digits to large means.
        """
        weight, mean, squares = (moment.tolist() for moment in self._own_moments())
        parents = self.tree.parent.tolist()
        for node in range(len(weight) - 1, 0, -1):
            parent, here, there = parents[node], weight[node], weight[parents[node]]
            if here > 0:
                both, gap = here + there, mean[node] - mean[parent]
                squares[parent] += squares[node] + gap * gap * here * there / both
                mean[parent] += gap * here / both
                weight[parent] = both
        offset = np.array(mean) - self.tree.value
        errors: Floats = np.array(squares) + np.array(weight) * offset * offset
        return errors

    def _own_moments(self) -> tuple[Floats, Floats, Floats]:
        n = len(self.tree)
        weight = np.bincount(self.nodes, weights=self.weight, minlength=n).astype(np.float64)
        safe = np.where(weight > 0, weight, 1.0)
        mean = np.bincount(self.nodes, weights=self.weight * self.target, minlength=n) / safe
        gap = self.target - mean[self.nodes]
        return weight, mean, np.bincount(self.nodes, weights=self.weight * gap * gap, minlength=n).astype(np.float64)


def required(rows: LabelledRows | None, who: str, need: Need) -> LabelledRows:
    """Return the rows; OptionError if a pruner that needs some got none."""
    if rows is None:
        raise OptionError(f"{who} needs {need} rows: pass rows=, or fit(..., validation=(X, y)).")
    return rows


def needless(tree: Tree, who: str) -> None:
    """Raise OptionError if a pruner that is defined for classes gets a tree that predicts numbers."""
    if tree.task != "class":
        raise OptionError(
            f"{who} is defined for trees that predict classes; for numbers use cost_complexity, optimal, "
            "reduced_error or validation."
        )


def codes_of(labels: NDArray[np.generic], classes: tuple[object, ...]) -> Floats:
    """Return class codes of labels, -1 for one that is no class of the tree."""
    code = {label: i for i, label in enumerate(classes)}
    return np.array([code.get(label, -1) for label in labels.tolist()], dtype=np.float64)
