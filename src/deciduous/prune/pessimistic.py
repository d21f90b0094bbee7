"""Pessimistic pruning: training errors with a continuity correction (Quinlan 1987)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.rows import LabelledRows, Need, needless
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import slack_of, sum_of_leaves


@dataclass(frozen=True)
class Pessimistic:
    """Prune from above where a leaf errs no more than the branches would, plus a standard error.

    Quinlan (1987, section 2.3): every leaf that holds rows errs 1/2 more than it did in training. With e(t) errors of
    the N(t) rows of node t as a leaf, and n'(T_t) = sum of e + 1/2 over the leaves below it, t becomes a leaf if
    e(t) + 1/2 <= n'(T_t) + SE, SE = sqrt(n'(T_t) (N(t) - n'(T_t)) / N(t)). `standard_errors`: how many of these.
    """

    standard_errors: float = 1.0
    name: ClassVar[str] = "pessimistic"
    needs: ClassVar[Need] = "statistics"

    def __post_init__(self) -> None:
        """Check the number of standard errors."""
        if not self.standard_errors >= 0:
            raise OptionError(f"standard_errors={self.standard_errors!r} must be at least 0.")

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        needless(tree, "pessimistic pruning")
        errors = node_costs(tree, "errors") + 0.5 * (tree.weight > 0)
        below = sum_of_leaves(tree, errors)
        most = below + self.standard_errors * standard_error(below, tree.weight)
        return collapse(tree, errors <= most + slack_of(errors))


def standard_error(errors: Floats, weight: Floats) -> Floats:
    """Return sqrt(errors (N - errors) / N), that of a number of errors among N rows; 0 where there are no rows."""
    safe = np.where(weight > 0, weight, 1.0)
    spread: Floats = np.sqrt(np.maximum(errors * (weight - errors) / safe, 0.0))
    return spread
