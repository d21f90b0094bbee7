"""Pruners that take a subtree from a path: for a given price of a leaf or number of leaves, or the one that answers
validation rows best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deciduous.errors import OptionError, listing, nearest
from deciduous.model.tree import Tree
from deciduous.prune.cost_complexity import smallest_optimal
from deciduous.prune.costs import node_costs
from deciduous.prune.optimal import prune_to
from deciduous.prune.path import RULES, nested_path, optimal_path
from deciduous.prune.rows import LabelledRows, Need, required


@dataclass(frozen=True)
class CostComplexity:
    """Prune to T(alpha), the smallest optimal subtree at a price alpha of a leaf (Breiman et al. 1984, chapter 3).

    `alpha`: the price, at least 0; None chooses it on validation rows by `rule`: `min` (least error) or `1se` (the
    smallest subtree within one standard error of it). `cost`: see `node_costs`; it is taken per unit of weight, so
    that alpha means what scikit-learn's `ccp_alpha` does. The textbooks' C_alpha(T) = sum_t N_t H_t(T) + alpha |T| has
    an alpha that is larger by the number of rows.
    """

    alpha: float | None = None
    rule: str = "min"
    cost: str = "impurity"
    name: ClassVar[str] = "cost_complexity"

    def __post_init__(self) -> None:
        """Check the price of a leaf and the rule."""
        if self.alpha is not None and not self.alpha >= 0:
            raise OptionError(f"alpha={self.alpha!r} must be at least 0.")
        _check_rule(self.rule)

    @property
    def needs(self) -> Need:
        """Validation rows, unless alpha is given."""
        return "validation" if self.alpha is None else "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        if self.alpha is not None:
            return smallest_optimal(tree, self.alpha, node_costs(tree, self.cost) / tree.weight[0])
        path = nested_path(tree, self.cost, required(rows, "cost-complexity pruning without an alpha", self.needs))
        return path.subtree(path.choose(self.rule))


@dataclass(frozen=True)
class Optimal:
    """Prune to the best of all subtrees of a size (Bohanec and Bratko 1994; Almuallim 1996).

    `n_leaves`: at most so many leaves; None chooses the size, up to 1000 leaves, on validation rows by `rule`, as
    `CostComplexity` does. `cost`: what is best, see `node_costs`.
    """

    n_leaves: int | None = None
    rule: str = "min"
    cost: str = "impurity"
    name: ClassVar[str] = "optimal"

    def __post_init__(self) -> None:
        """Check the number of leaves and the rule."""
        if self.n_leaves is not None and self.n_leaves < 1:
            raise OptionError(f"n_leaves={self.n_leaves!r} must be at least 1.")
        _check_rule(self.rule)

    @property
    def needs(self) -> Need:
        """Validation rows, unless the number of leaves is given."""
        return "validation" if self.n_leaves is None else "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        if self.n_leaves is not None:
            return prune_to(tree, self.n_leaves, self.cost)
        path = optimal_path(tree, self.cost, required(rows, "optimal pruning without a number of leaves", self.needs))
        return path.subtree(path.choose(self.rule))


def _check_rule(rule: str) -> None:
    if rule not in RULES:
        raise OptionError(f"rule={rule!r} is not one of {listing(RULES)}.{nearest(rule, RULES)}")
