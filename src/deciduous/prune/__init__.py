"""Pruning: functions `(tree, rows=None) -> Tree`, each of which says what it needs to look at.

A pruner is a frozen record of its parameters that is called with a tree, and with rows if it `needs` any. The words of
the option `pruning` are in `PRUNERS`; a function of your own with a `name` and `needs` does as well.
"""

from deciduous.prune.collapsing import Collapse
from deciduous.prune.complexity import ByComplexity
from deciduous.prune.cost_complexity import smallest_optimal
from deciduous.prune.costs import node_costs
from deciduous.prune.critical_value import CriticalValue
from deciduous.prune.description_length import DescriptionLength
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.optimal import Frontier, frontier, prune_to
from deciduous.prune.path import PruningPath, nested_path, optimal_path
from deciduous.prune.pessimistic import Pessimistic
from deciduous.prune.pruners import PRUNERS
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity, Optimal
from deciduous.prune.steps import PruningStep, PruningWorking
from deciduous.prune.subtree import collapse
from deciduous.prune.upper_limits import estimated_errors
from deciduous.prune.validation import Validation

__all__ = [
    "PRUNERS",
    "ByComplexity",
    "Collapse",
    "CostComplexity",
    "CriticalValue",
    "DescriptionLength",
    "ErrorBased",
    "Frontier",
    "LabelledRows",
    "MinimumError",
    "Optimal",
    "Pessimistic",
    "Pruner",
    "PruningPath",
    "PruningStep",
    "PruningWorking",
    "ReducedError",
    "Validation",
    "collapse",
    "estimated_errors",
    "frontier",
    "nested_path",
    "node_costs",
    "optimal_path",
    "prune_to",
    "smallest_optimal",
]
