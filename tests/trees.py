"""Trees that are written down instead of grown: small ones by their class counts, and very large ones."""

from typing import Any

import numpy as np

from deciduous import Tree
from deciduous.algorithms.cart import CART_CLASSES
from deciduous.data.schema import Feature, Schema
from deciduous.kernels import SplitKind
from deciduous.measures import of_gini
from deciduous.model.reason import Reason
from deciduous.model.tree import ARRAYS

#: A node: its class counts, and the nodes below it; all nodes of a tree have the same number of counts.
Nested = tuple[tuple[float, ...], tuple["Nested", ...]]

#: A column for every number of branches up to this.
MOST_BRANCHES = 40


def leaf(*counts: float) -> Nested:
    return counts, ()


def node(*children: Nested) -> Nested:
    """A node that holds what its children hold."""
    return tuple(float(sum(c)) for c in zip(*(child[0] for child in children), strict=True)), children


def tree_of(nested: Nested) -> Tree:
    """Return a tree of multiway splits with these class counts, level by level.

    A question with k branches asks for the column `bk`, which has k categories.
    """
    order: list[Nested] = [nested]
    parent, first_child = [-1], []
    for i, (_, children) in enumerate(order):  # grows while it is run through
        first_child.append(len(order) if children else -1)
        order.extend(children)
        parent.extend([i] * len(children))
    counts = np.array([counts for counts, _ in order], dtype=float)
    return assembled(np.array(parent), np.array(first_child), np.array([len(c) for _, c in order]), counts)


def assembled(parent: np.ndarray, first_child: np.ndarray, n_branches: np.ndarray, counts: np.ndarray) -> Tree:
    """Return the tree of these arrays; empty nodes answer as their parent."""
    n, weight, asks = len(parent), counts.sum(axis=1), first_child >= 0
    features = [Feature(f"b{k}", "nominal", tuple(f"v{i}" for i in range(k))) for k in range(1, MOST_BRANCHES + 1)]
    owner, codes = np.nonzero(counts)
    answers = np.where(weight > 0, np.arange(n), parent)
    branches = n_branches[asks]
    impurity = of_gini(counts)
    below = np.bincount(parent[1:], weights=(weight * impurity)[1:], minlength=n)
    arrays: dict[str, Any] = {
        "parent": parent,
        "first_child": first_child,
        "n_branches": n_branches,
        "feature": np.where(asks, n_branches - 1, -1),
        "kind": np.where(asks, SplitKind.MULTIWAY, SplitKind.LEAF),
        "threshold": np.full(n, np.nan),
        "category_start": np.concatenate([[0], np.cumsum(n_branches)]),
        "category_branch": np.arange(branches.sum()) - np.repeat(np.cumsum(branches) - branches, branches),
        "share": np.where(np.arange(n) == 0, 1.0, 0.0),
        "n_samples": np.ceil(weight),
        "weight": weight,
        "impurity": impurity,
        "gain": np.where(asks, impurity - below / np.where(weight > 0, weight, 1.0), np.nan),
        "value": counts.argmax(axis=1)[answers],
        "class_start": np.concatenate([[0], np.cumsum((counts > 0).sum(axis=1))]),
        "class_code": codes,
        "class_weight": counts[owner, codes],
        "answers_from": answers,
        "reason": np.where(asks, Reason.SPLIT, np.where(weight > 0, Reason.NO_GAIN, Reason.EMPTY)),
        "exact": np.ones(n),
    }
    typed = {name: np.ascontiguousarray(arrays[name], dtype=dtype) for name, dtype in ARRAYS.items()}
    schema = Schema(tuple(features), named=True, n_rows=int(weight[0]))
    classes = tuple("pqrstuvw"[: counts.shape[1]])
    return Tree(schema, "class", "y", classes, CART_CLASSES.plain(), False, **typed)


def chain(n_leaves: int, seed: int = 0) -> Tree:
    """Return a tree that is as deep as it can be: every question has a leaf in branch 0."""
    n = 2 * n_leaves - 1
    asking = np.arange(n_leaves - 1) * 2
    first_child, parent = np.full(n, -1), np.full(n, -1)
    first_child[asking] = asking + 1
    parent[asking + 1] = parent[asking + 2] = asking
    return _with_counts(parent, first_child, seed)


def balanced(n_leaves: int, seed: int = 0) -> Tree:
    """Return a binary tree that is as flat as it can be."""
    at = np.arange(2 * n_leaves - 1)
    return _with_counts((at + 1) // 2 - 1, np.where(2 * at + 2 < len(at), 2 * at + 1, -1), seed)


def _with_counts(parent: np.ndarray, first_child: np.ndarray, seed: int) -> Tree:
    """Return the binary tree with random counts of two classes in its leaves."""
    counts = np.random.default_rng(seed).integers(0, 5, (len(parent), 2)) + 1.0
    counts[first_child >= 0] = 0.0
    sums, above = counts.tolist(), parent.tolist()
    for i in range(len(sums) - 1, 0, -1):
        sums[above[i]][0] += sums[i][0]
        sums[above[i]][1] += sums[i][1]
    return assembled(parent, first_child, np.where(first_child >= 0, 2, 0), np.array(sums))
