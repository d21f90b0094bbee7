"""Trees as deep as they have questions: chains, built by hand."""

from __future__ import annotations

import numpy as np

from deciduous.data.schema import Feature, Schema
from deciduous.kernels import SplitKind
from deciduous.model.reason import Reason
from deciduous.model.tree import Tree


def chain(levels: int) -> Tree:
    """Return the tree of `levels` questions, 1 or more, that takes rows off one by one: x0 = 0 .. levels, in turn of
    the classes `a` and `b`.

    Question d, in node 2 d, is x0 <= d + 0.5: the leaf 2 d + 1 holds row d, and node 2 d + 2 all later rows; the last
    node is the leaf of the last row.
    """
    n = 2 * levels + 1
    node, question = np.arange(n), np.arange(levels)
    inner = (node % 2 == 0) & (node < n - 1)
    depth = (node + 1) // 2
    n_samples = np.where(inner, levels + 1 - depth, 1)
    lone = np.minimum(np.where(node % 2 == 1, depth - 1, levels), levels) % 2  # the class of a leaf's row
    later_b = (levels + 1) // 2 - depth // 2  # rows of class b from row `depth` on
    weight_b = np.where(inner, later_b, lone)
    weights = np.column_stack([n_samples - weight_b, weight_b]).astype(np.float64)
    present = weights > 0
    share_b = weight_b / n_samples
    parent = np.where(node == 0, -1, (node - 1) // 2 * 2)
    gini = 2 * share_b * (1 - share_b)
    gain = np.full(n, np.nan)
    at = 2 * question
    gain[at] = gini[at] - gini[at + 2] * n_samples[at + 2] / n_samples[at]
    share = np.where(node % 2 == 0, 1.0, 0.0)
    share[-2:] = 1.0, 0.0  # missing cells follow the heavier branch, the first of equals
    return Tree(
        Schema((Feature("x0", "numeric", (), "numbers", 0),), named=False, n_rows=levels + 1),
        "class",
        "y",
        ("a", "b"),
        {"name": "cart", "criterion": "gini", "missing": "error", "nominal": "subset", "unseen": "node"},
        False,
        parent=parent.astype(np.int32),
        first_child=np.where(inner, node + 1, -1).astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, 0, -1).astype(np.int32),
        kind=np.where(inner, SplitKind.THRESHOLD, SplitKind.LEAF).astype(np.uint8),
        threshold=np.where(inner, depth + 0.5, np.nan),
        category_start=np.zeros(n + 1, dtype=np.int64),
        category_branch=np.zeros(0, dtype=np.int32),
        share=share,
        n_samples=n_samples.astype(np.int64),
        weight=n_samples.astype(np.float64),
        impurity=gini,
        gain=gain,
        value=(weights[:, 1] > weights[:, 0]).astype(np.float64),
        class_start=np.concatenate([[0], np.cumsum(present.sum(axis=1))]),
        class_code=np.nonzero(present)[1].astype(np.int32),
        class_weight=weights[present],
        answers_from=node.astype(np.int32),
        reason=np.where(inner, Reason.SPLIT, Reason.PURE).astype(np.uint8),
        exact=np.ones(n, dtype=np.bool_),
    )
