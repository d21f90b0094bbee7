"""Minimum-error pruning: error rates estimated from few rows are drawn towards a prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import class_owner
from deciduous.prune.rows import LabelledRows, Need, needless
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import least_cost, slack_of


@dataclass(frozen=True)
class MinimumError:
    """Prune from below where the expected error rate of a leaf is no more than the mean of its branches'.

    `m`: how many rows the prior weighs. The rate of class c is estimated as (n_c + m p_c) / (N + m), p_c its share at
    the root (Cestnik and Bratko 1991), and the expected error is 1 less the largest of these. `m="laplace"` takes
    p_c = 1/k and m = k classes: (N - n_c + k - 1) / (N + k) (Niblett and Bratko 1986).
    """

    m: float | str = 2.0
    name: ClassVar[str] = "minimum_error"
    needs: ClassVar[Need] = "statistics"

    def __post_init__(self) -> None:
        """Check m."""
        if self.m != "laplace" and (isinstance(self.m, str) or not 0 <= self.m < np.inf):
            raise OptionError(f"m={self.m!r} must be a number of at least 0, or 'laplace'.")

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        needless(tree, "minimum-error pruning")
        expected = tree.weight * self.error_rates(tree)
        made_leaf, _ = least_cost(tree, expected, slack=slack_of(expected))
        return collapse(tree, made_leaf)

    def error_rates(self, tree: Tree) -> Floats:
        """Return the expected error rate of each node as a leaf, shape (nodes,)."""
        k = len(tree.classes)
        m = float(k) if isinstance(self.m, str) else float(self.m)
        prior = np.full(k, 1.0 / k) if isinstance(self.m, str) else tree.distribution(np.zeros(1, dtype=np.int64))[0]
        most = np.full(len(tree), m * prior.max())  # a class that a node lacks still has its prior
        np.maximum.at(most, class_owner(tree), tree.class_weight + m * prior[tree.class_code])
        total = tree.weight + m
        rates: Floats = 1.0 - most / np.where(total > 0, total, 1.0)
        return rates
