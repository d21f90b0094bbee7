"""Which columns matter."""

from __future__ import annotations

import numpy as np

from deciduous.explain.summary import required_surrogates
from deciduous.measures import Floats
from deciduous.model.tree import Tree


def impurity_importance(tree: Tree) -> Floats:
    """Return per column the sum of the drops in impurity of its splits, weighted by node, scaled to sum 1 (or all 0).

    Shape (columns,), in the order of the columns at fit. A node's drop is w * impurity - sum over children of w_c *
    impurity_c, as in scikit-learn (Breiman et al. 1984, section 5.3.4).
    """
    scaled = tree.impurity / (tree.impurity.max() or 1.0)  # tiny or huge targets must not under- or overflow
    mass = tree.weight * scaled
    below = np.bincount(tree.parent[1:], weights=mass[1:], minlength=len(tree))
    inner = ~tree.is_leaf
    drop = np.maximum(mass - below, 0.0)
    importance = np.bincount(tree.feature[inner], weights=drop[inner], minlength=len(tree.schema)).astype(np.float64)
    total = importance.sum()
    return importance / total if total > 0 else importance


def surrogate_importance(tree: Tree) -> Floats:
    """Return per column the improvement of its splits, and of the splits that it stands in for, as rpart adds them up.

    Shape (columns,). A primary split counts its improvement (for squared error times the risk of the node); a
    surrogate counts its adjusted agreement times that (Breiman et al. 1984, section 5.3.4). DataError unless grown with
    surrogates.
    """
    required_surrogates(tree)
    assert tree.surrogates is not None
    assert tree.improvement is not None
    assert tree.risk is not None
    inner = np.flatnonzero(~tree.is_leaf)
    worth = tree.improvement.copy()
    if tree.task == "number" and tree.options["criterion"] != "poisson":
        worth = worth * tree.risk
    importance = np.bincount(tree.feature[inner], weights=worth[inner], minlength=len(tree.schema)).astype(np.float64)
    owner = np.repeat(np.arange(len(tree)), np.diff(tree.surrogates.start))
    np.add.at(importance, tree.surrogates.feature, tree.surrogates.adjusted * worth[owner])
    return importance
