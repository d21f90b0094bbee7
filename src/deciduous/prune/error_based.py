"""Error-based pruning: the upper limit of a confidence interval of each leaf's errors (Quinlan 1993, chapter 4)."""

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
from deciduous.prune.walk import least_cost, slack_of

#: The table from which C4.5 interpolates the normal deviate that a confidence is exceeded by.
CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


@dataclass(frozen=True)
class ErrorBased:
    """Prune from below where a leaf's estimated errors are no more than those of its branches.

    The pruning of C4.5 without the raising of subtrees. `confidence`: CF, smaller prunes more; `slack`: prune also if
    the leaf's estimate is larger by so much (C4.5's program adds 0.1, its book nothing).
    """

    confidence: float = 0.25
    slack: float = 0.0
    name: ClassVar[str] = "error"
    needs: ClassVar[Need] = "statistics"

    def __post_init__(self) -> None:
        """Check both numbers."""
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence={self.confidence!r} must lie between 0 and 1.")
        if not self.slack >= 0:
            raise OptionError(f"slack={self.slack!r} must be at least 0.")

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        needless(tree, "error-based pruning")
        estimates = self.estimates(tree)
        made_leaf, _ = least_cost(tree, estimates, slack=self.slack + slack_of(estimates))
        return collapse(tree, made_leaf)

    def estimates(self, tree: Tree) -> Floats:
        """Return the estimated errors N U_CF(E, N) of each node as a leaf, shape (nodes,); 0 where it holds no rows."""
        return estimated_errors(tree.weight, node_costs(tree, "errors"), self.confidence)


def estimated_errors(n: Floats, errors: Floats, confidence: float = 0.25) -> Floats:
    """Return N U_CF(E, N): how many of so many rows a leaf may be expected to answer wrongly at worst.

    `n`: N, the weight of the rows; `errors`: E of them answered wrongly in training; arrays of one shape. Without
    errors U = 1 - CF^(1/N); up to one, a straight line to U(1, N); else the normal approximation of the binomial with
    a continuity correction; and N - E errors more than E, times 0.67, where nearly all are wrong (Quinlan 1993,
    section 4.2, and the program that comes with the book).
    """
    n, errors = np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    safe = np.where(n > 0, n, 1.0)
    none = safe * -np.expm1(np.log(confidence) / safe)
    one = none + errors * (_more(safe, np.ones_like(safe), confidence) - none)
    more = _more(safe, errors, confidence)
    extra = np.where(errors < 1e-6, none, np.where(errors < 0.9999, one, more))
    estimate: Floats = np.where(n > 0, errors + extra, 0.0)
    return estimate


def _more(n: Floats, errors: Floats, confidence: float) -> Floats:
    """Return the errors beyond those of training, from one error on."""
    q = float(np.interp(confidence, CONFIDENCES, DEVIATES)) ** 2
    e = errors + 0.5
    root = np.sqrt(np.maximum(q * (e * (1.0 - e / n) + q / 4.0), 0.0))
    upper = n * (e + q / 2.0 + root) / (n + q)
    return np.where(e >= n, 0.67 * (n - errors), upper - errors)
