"""Pruning by description length: the tree and the classes of its rows in as few bits as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import class_owner
from deciduous.prune.rows import LabelledRows, Need, needless
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import least_cost, slack_of


@dataclass(frozen=True)
class DescriptionLength:
    """Prune from below where the rows of a node take no more bits as one leaf than split.

    Mehta, Rissanen and Agrawal (1995). A node takes one bit that says whether it is a leaf; a leaf the code length of
    its classes (`class_bits`); a question the bits that name its column and its answer (`question_bits`).
    """

    name: ClassVar[str] = "description_length"
    needs: ClassVar[Need] = "statistics"

    def __call__(self, tree: Tree, rows: LabelledRows | None = None) -> Tree:
        """Return the pruned tree."""
        needless(tree, "pruning by description length")
        as_leaf = 1.0 + class_bits(tree)
        made_leaf, _ = least_cost(tree, as_leaf, 1.0 + question_bits(tree), slack_of(as_leaf))
        return collapse(tree, made_leaf)


def class_bits(tree: Tree) -> Floats:
    """Return the bits that the classes of each node's rows take, shape (nodes,).

    -log2 of Gamma(k/2) prod_c Gamma(n_c + 1/2) / (Gamma(1/2)^k Gamma(n + k/2)), k the number of classes of the tree
    (Krichevsky and Trofimov 1981): the stochastic complexity that Mehta et al. take in a form for many rows. Exact for
    few rows too, and for parts of rows.
    """
    k = len(tree.classes)
    of_class = gammaln(tree.class_weight + 0.5) - gammaln(0.5)
    nats = gammaln(tree.weight + k / 2) - gammaln(k / 2)
    nats -= np.bincount(class_owner(tree), weights=of_class, minlength=len(tree))
    bits: Floats = nats / np.log(2.0)
    return bits


def question_bits(tree: Tree) -> Floats:
    """Return the bits that say what each node asks, shape (nodes,); 0 for a leaf.

    log2 of the columns, and log2 of the ways to ask one: a threshold between any two of the node's rows (or of the
    levels, if ordinal), one category against the others, or two sets of categories.
    """
    features = tree.schema.features
    n_columns = sum(feature.is_split_on for feature in features)
    levels = np.array([len(feature.categories) for feature in features], dtype=np.float64)[tree.feature]
    ways = np.ones(len(tree))
    threshold = tree.kind == SplitKind.THRESHOLD
    ways[threshold] = np.where(levels > 0, levels, tree.n_samples)[threshold] - 1.0
    ways[tree.kind == SplitKind.ONE_VS_REST] = levels[tree.kind == SplitKind.ONE_VS_REST]
    bits = np.log2(np.maximum(ways, 1.0))
    subset = tree.kind == SplitKind.SUBSET  # 2^(levels - 1) - 1 ways, too many for a float with many levels
    bits[subset] = levels[subset] - 1.0 + np.log1p(-np.exp2(1.0 - levels[subset])) / np.log(2.0)
    return np.where(tree.is_leaf, 0.0, bits + np.log2(n_columns))
