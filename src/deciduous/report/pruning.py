"""The path of pruning for the slider: which node closes when, and the errors beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.estimators.base import TreeEstimator
from deciduous.evaluate.cases import Cases
from deciduous.evaluate.runs import fitted
from deciduous.evaluate.splits import Split
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.cost_complexity import Lifetimes
from deciduous.prune.costs import node_costs
from deciduous.prune.path import PruningPath

Ints = NDArray[np.int64]
#: The error of each step of a path, and its standard error; None where no rows tell it.
Errors = tuple[Floats, Floats] | None
#: Criteria under which the impurity of a leaf is its mean squared error.
SQUARED = ("squared_error", "friedman_mse")


@dataclass(frozen=True, eq=False)
class Stages:
    """The tree as it is, then the subtrees of its path of cost-complexity pruning; arrays have an element a stage.

    `alpha`: from here on the subtree is the best one; `n_leaves`; `training`: the share of wrong answers, or the mean
    squared error, on the training rows; `error`, `se`: the same on rows that were not trained on, and its standard
    error. NaN where not known. `closes`: the stage at which each node becomes a leaf, shape (nodes,).
    """

    alpha: Floats
    n_leaves: Ints
    training: Floats
    error: Floats
    se: Floats
    closes: Ints

    def data(self) -> dict[str, Any]:
        """Return the stages as plain values."""
        return {
            name: [None if np.isnan(x) else x for x in getattr(self, name).tolist()]
            for name in ("alpha", "n_leaves", "training", "error", "se")
        }


def stages_of(path: PruningPath, error: float, errors: Errors) -> Stages:
    """Return the stages of a nested path. `error`: that of the tree as it is, NaN where not known."""
    tree = path.tree
    assert path.links is not None
    kept = 1 if path.n_leaves[0] == tree.n_leaves else 0  # the first step is the tree as it is
    lives = Lifetimes.of(path.links, path.links.together())
    n_stages = 1 + len(path) - kept
    begin = np.where(lives.begin < lives.end, lives.begin + 1 - kept, n_stages)
    unknown = np.full(len(path), np.nan)
    of_steps, se = errors or (unknown, unknown)
    training = path.training_error if tree.task == "class" or _squared(tree) else unknown
    return Stages(
        np.append(np.nan, path.alpha[kept:]),
        np.append(tree.n_leaves, path.n_leaves[kept:]),
        np.append(_training_error(tree), training[kept:]),
        np.append(error, of_steps[kept:]),
        np.append(np.nan, se[kept:]),
        np.where(tree.is_leaf, 0, begin).astype(np.int64),
    )


def cross_validated_errors(estimator: TreeEstimator, cases: Cases, parts: Sequence[Split], path: PruningPath) -> Errors:
    """Return the errors of a path by cross-validation (Breiman et al. 1984, section 3.4.2).

    In every part a tree is grown as the estimator says and pruned further, at the geometric means of neighbouring
    alphas of the path; its errors on the rows left out count for the steps between them.
    """
    prices = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf)
    total, sums, squares = 0.0, np.zeros(len(path)), np.zeros(len(path))
    for part in parts:
        judged = cases.take(part.test)
        weight = float(len(judged)) if judged.weight is None else float(judged.weight.sum())
        steps = fitted(estimator, cases.take(part.train)).pruning_path(judged.X, judged.answers, judged.weight)
        at = np.searchsorted(steps.alpha, prices, side="right") - 1
        total += weight
        sums += weight * steps.validation_error[at]
        squares += (weight * steps.validation_se[at]) ** 2
    return sums / total, np.sqrt(squares) / total


def _training_error(tree: Tree) -> float:
    if tree.task == "number" and not _squared(tree):
        return float("nan")
    costs = node_costs(tree, "errors" if tree.task == "class" else "impurity")
    return float(costs[tree.is_leaf].sum() / tree.weight[0])


def _squared(tree: Tree) -> bool:
    return tree.options["criterion"] in SQUARED
