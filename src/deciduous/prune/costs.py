"""What a node would cost as a leaf, as sums over its training rows: errors, Gini, entropy, squared error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.measures import Floats
from deciduous.model.tree import Tree

Cost = str | Floats


def node_costs(tree: Tree, cost: Cost = "impurity") -> Floats:
    """Return the cost of each node as a leaf, shape (nodes,): a sum over its rows by weight, not a mean.

    `cost`: `impurity` (weight times the impurity of the tree's own criterion); `errors` (the weight of the rows that
    the node answers wrongly); `gini`, `entropy` (weight times the measure; N_t H_t in bits); `squared_error` (trees
    that were grown by it); or an array of costs of your own. Divided by the weight of the root, `impurity` is R(t) of
    scikit-learn and `errors` R(t) of Breiman et al. (1984, section 3.2).
    """
    if not isinstance(cost, str):
        return _checked(tree, cost)
    if cost not in COSTS:
        raise OptionError(f"cost={cost!r} is not one of {listing(COSTS)}, nor an array.{nearest(cost, COSTS)}")
    if cost != "impurity":
        tree.demand_one_target(f"cost={cost!r}")
    if cost != "impurity" and (cost in OF_NUMBERS) != (tree.task == "number"):
        fit = [name for name in COSTS if name == "impurity" or (name in OF_NUMBERS) == (tree.task == "number")]
        raise OptionError(f"cost={cost!r} does not fit a tree that predicts a {tree.task}; use {listing(fit)}.")
    return COSTS[cost](tree)


def _checked(tree: Tree, cost: Floats) -> Floats:
    costs = np.asarray(cost, dtype=np.float64)
    if costs.shape != (len(tree),) or not np.isfinite(costs).all():
        raise DataError(
            f"an array of costs must have one finite number a node, shape ({len(tree)},); got {costs.shape}."
        )
    return costs


def class_owner(tree: Tree) -> NDArray[np.int64]:
    """Return the node that each class weight belongs to."""
    return np.repeat(np.arange(len(tree)), np.diff(tree.class_start))


def _impurity(tree: Tree) -> Floats:
    costs: Floats = tree.weight * tree.impurity
    return costs


def _errors(tree: Tree) -> Floats:
    """Return the weight of the classes that a node does not answer."""
    owner = class_owner(tree)
    wrong = tree.class_code != tree.value[owner]
    return _by_node(tree, np.where(wrong, tree.class_weight, 0.0))


def _gini(tree: Tree) -> Floats:
    share = tree.class_weight / tree.weight[class_owner(tree)]
    return _by_node(tree, tree.class_weight * (1.0 - share))


def _entropy(tree: Tree) -> Floats:
    share = tree.class_weight / tree.weight[class_owner(tree)]
    return _by_node(tree, -tree.class_weight * np.log2(share))


def _by_node(tree: Tree, values: Floats) -> Floats:
    sums: Floats = np.bincount(class_owner(tree), weights=values, minlength=len(tree)).astype(np.float64)
    return np.maximum(sums, 0.0)


def _squared_error(tree: Tree) -> Floats:
    criterion = tree.options["criterion"]
    if criterion not in ("squared_error", "friedman_mse"):
        raise OptionError(f"cost='squared_error' needs a tree grown by it; this one was grown by {criterion!r}.")
    return _impurity(tree)


COSTS: dict[str, Callable[[Tree], Floats]] = {
    "impurity": _impurity,
    "errors": _errors,
    "gini": _gini,
    "entropy": _entropy,
    "squared_error": _squared_error,
}
OF_NUMBERS = ("squared_error",)
