"""Critical-value pruning: a question stays if it, or one below it, is good enough (Mingers 1987)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.rows import LabelledRows, Need
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import sum_of_children


@dataclass(frozen=True)
class CriticalValue:
    """Prune where no question from a node downwards reaches a critical value.

    Mingers (1987). `critical`: the least gain, in the units of the tree's criterion. Without it questions are judged by
    the G statistic of their table of branches and classes, 2 sum O ln(O/E), which must be significant at `level` by
    the chi-squared distribution with (branches - 1)(classes - 1) degrees of freedom, those with rows counted.
    """

    critical: float | None = None
    level: float = 0.05
    name: ClassVar[str] = "critical_value"
    needs: ClassVar[Need] = "statistics"

    def __post_init__(self) -> None:
        """Check both numbers."""
        if self.critical is not None and not self.critical >= 0:
            raise OptionError(f"critical={self.critical!r} must be at least 0.")
        if not 0 < self.level < 1:
            raise OptionError(f"level={self.level!r} must lie between 0 and 1.")

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        if self.critical is not None:
            return collapse(tree, ~_reaches(tree, tree.gain >= self.critical))
        if tree.task != "class":
            raise OptionError(
                "critical-value pruning by significance is defined for classes; for numbers give the least gain: "
                "CriticalValue(critical=...)."
            )
        return collapse(tree, ~_reaches(tree, g_test(tree) <= self.level))


def g_test(tree: Tree) -> Floats:
    """Return the significance of the question of each node by the G test, 1 for a leaf, shape (nodes,).

    G = 2 ln 2 (N H - sum over branches N_b H_b) with entropies H in bits.
    """
    entropy = node_costs(tree, "entropy")
    g = 2.0 * np.log(2.0) * np.maximum(entropy - sum_of_children(tree, entropy), 0.0)
    branches = sum_of_children(tree, (tree.weight > 0).astype(np.float64))
    freedom = (branches - 1.0) * (np.diff(tree.class_start) - 1.0)
    significance: Floats = np.where(freedom > 0, chi2.sf(g, np.maximum(freedom, 1.0)), 1.0)
    return significance


def _reaches(tree: Tree, good: np.ndarray) -> np.ndarray:
    """Return which nodes are good, or have a good one below."""
    reached, parents = good.tolist(), tree.parent.tolist()
    for node in range(len(reached) - 1, 0, -1):
        if reached[node]:
            reached[parents[node]] = True
    return np.array(reached)
