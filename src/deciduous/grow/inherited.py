"""What nodes have from above: the key of their random choices, and the bounds of their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Task
from deciduous.measures import Floats
from deciduous.search.draw import Keys, child_keys, root_key
from deciduous.search.monotone import child_bounds


@dataclass(frozen=True, eq=False)
class Inherited:
    """Arrays with an element a node: `key`, a hash of the seed and of the branches that lead here; `low` and `high`,
    between which the node answers (in units of the target, or as the share of the second class).
    """

    key: Keys
    low: Floats
    high: Floats

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.key)

    def take(self, which: Any) -> Inherited:
        """Return what some of the nodes have."""
        return Inherited(self.key[which], self.low[which], self.high[which])


def of_root(seed: int) -> Inherited:
    """Return what the root has: the key of the seed, and no bounds."""
    return Inherited(np.array([root_key(seed)], dtype=np.uint64), np.array([-np.inf]), np.array([np.inf]))


def of_children(parents: Inherited, n_branches: NDArray[np.int64], signs: NDArray[Any], values: Floats) -> Inherited:
    """Return what the children of nodes have, all branches in order.

    `n_branches`: of each parent; `signs`: the monotonic constraint on the column that it asks for; `values`: what the
    children answer, shape (sum of n_branches,).
    """
    first = np.cumsum(n_branches) - n_branches
    parent = np.repeat(np.arange(len(parents)), n_branches)
    children = replace(
        parents.take(parent), key=child_keys(parents.key[parent], np.arange(len(parent)) - first[parent])
    )
    bound = np.flatnonzero(signs)
    if len(bound):
        at = first[bound]
        pairs = at[:, None] + [0, 1]
        lows, highs = child_bounds(parents.low[bound], parents.high[bound], signs[bound], values[at], values[at + 1])
        children.low[pairs], children.high[pairs] = lows, highs
    return children


def answers_of(statistics: Floats, task: Task) -> Floats:
    """Return what nodes answer: the share of the second class, or the mean or median; shape (nodes,)."""
    answers: Floats = statistics[:, 1]
    return answers if task == "number" else answers / np.maximum(statistics.sum(axis=1), np.finfo(float).tiny)


def within_bounds(statistics: Floats, inherited: Inherited, task: Task) -> Floats:
    """Return statistics with answers moved between the bounds: of two classes, the weights have the shares allowed."""
    answers = answers_of(statistics, task)
    allowed = np.clip(answers, inherited.low, inherited.high)
    moved = answers != allowed
    if not moved.any():  # more than two classes have no bounds
        return statistics
    bounded = statistics.copy()
    if task == "number":
        bounded[moved, 1] = allowed[moved]
    else:
        bounded[moved] = statistics[moved].sum(axis=1)[:, None] * np.stack([1 - allowed, allowed], axis=1)[moved]
    return bounded
