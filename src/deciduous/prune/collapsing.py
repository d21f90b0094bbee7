"""Collapsing: questions that save no training error go before the real pruning (C4.5's program)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deciduous.model.tree import Tree
from deciduous.prune.conventions import conventions_of
from deciduous.prune.costs import node_costs
from deciduous.prune.rows import LabelledRows, Need, needless
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import least_cost, sum_of_leaves


@dataclass(frozen=True)
class Collapse:
    """Make a node a leaf where that answers as many training rows right as its branches do.

    `conventions`: `c45`, equal training errors; `r8`, up to 0.001 more, from below; `j48`, up to 0.001 more than all
    leaves below that were grown, from above.
    """

    conventions: str = "c45"
    name: ClassVar[str] = "collapse"
    needs: ClassVar[Need] = "statistics"

    def __post_init__(self) -> None:
        """Check the word."""
        conventions_of(self.conventions)

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the collapsed tree."""
        needless(tree, "collapsing")
        errors, rules = node_costs(tree, "errors"), conventions_of(self.conventions)
        slack = rules.collapse_slack or rules.equal_up_to(errors)
        if rules.from_above:
            return collapse(tree, errors <= sum_of_leaves(tree, errors) + slack)
        return collapse(tree, least_cost(tree, errors, slack=slack)[0])
