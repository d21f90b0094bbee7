"""A pruned tree: some inner nodes become leaves, or ask the question of a node below, and what is passed over goes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError
from deciduous.kernels import SplitKind
from deciduous.model.answers import Answers
from deciduous.model.candidate import LazyCandidates
from deciduous.model.ragged import lengths_of, starts_of, take
from deciduous.model.reason import Reason
from deciduous.model.tree import ARRAYS, Tree
from deciduous.prune.walk import Ints, Mask

#: What a question is; a node that asks the question of another takes these from it.
OF_A_QUESTION = ("feature", "kind", "threshold", "gain", "exact")

#: The arrays that are taken over for every node that stays.
OF_A_NODE = (*OF_A_QUESTION, "share", "n_samples", "weight", "impurity", "value", "reason")

#: What an array says of a leaf that asked a question before.
OF_A_LEAF: dict[str, Any] = {
    "feature": -1,
    "kind": SplitKind.LEAF,
    "threshold": np.nan,
    "gain": np.nan,
    "reason": Reason.PRUNED,
    "exact": True,
}


def collapse(tree: Tree, nodes: Mask | Ints) -> Tree:
    """Return the tree in which some nodes are leaves, and what was below them is gone.

    `nodes`: a mask, shape (nodes,), or numbers of nodes; leaves among them stay as they are. Nodes are renumbered in
    their old order, so that children stay contiguous and after their parent. Statistics and answers are untouched.
    DataError for a node that is not there.
    """
    made_leaf = _mask(tree, nodes) & ~tree.is_leaf
    if not made_leaf.any():
        return tree
    first_child = np.where(made_leaf, -1, tree.first_child)
    return rearranged(tree, first_child, tree.n_branches, np.arange(len(tree)))[0]


def rearranged(
    tree: Tree, first_child: NDArray[Any], n_branches: NDArray[Any], question: NDArray[Any]
) -> tuple[Tree, Ints]:
    """Return the tree in which nodes have other children and ask other questions, and the old number of each node.

    `first_child` (-1: a leaf), `n_branches`, shape (nodes,): the children of a node are contiguous and come after it;
    `question[i]`: the node of the tree whose question node i asks. Nodes that no longer have a parent go, the others
    are renumbered in their old order. What a node says of its rows is untouched.
    """
    parent = _parents(first_child, n_branches)
    old = np.flatnonzero(parent > GONE)
    number = np.cumsum(parent > GONE) - 1
    asks = first_child[old] >= 0
    asked = np.where(asks, question[old], old)
    arrays = {name: getattr(tree, name)[asked if name in OF_A_QUESTION else old] for name in OF_A_NODE}
    made_leaf = ~asks & ~tree.is_leaf[old]
    for name, value in OF_A_LEAF.items():
        arrays[name][made_leaf] = value
    above = np.where(parent[old] >= 0, number[parent[old]], -1)
    arrays |= {
        "parent": above,
        "first_child": np.where(asks, number[first_child[old]], -1),
        "n_branches": np.where(asks, n_branches[old], 0),
        "answers_from": np.where(tree.answers_from[old] == old, np.arange(len(old)), above),
        "class_weight": take(tree.class_start, tree.class_weight, old)[1],
    }
    arrays["class_start"], arrays["class_code"] = take(tree.class_start, tree.class_code, old)
    starts, arrays["category_branch"] = take(tree.category_start, tree.category_branch, asked[asks])
    lengths = np.zeros(len(old), dtype=np.int64)
    lengths[asks] = lengths_of(starts)
    arrays["category_start"] = starts_of(lengths)
    typed: dict[str, Any] = {name: np.ascontiguousarray(arrays[name], dtype=dtype) for name, dtype in ARRAYS.items()}
    if tree.candidates is not None:
        same = np.flatnonzero(asked == old).tolist()
        makers = {i: partial(tree.candidates.__getitem__, int(old[i])) for i in same}
        typed["candidates"] = LazyCandidates(makers, len(old))
    if tree.surrogates is not None:
        typed["surrogates"] = tree.surrogates.take(np.where(asks, asked, -1))
    for name in ("risk", "complexity"):
        if getattr(tree, name) is not None:
            typed[name] = getattr(tree, name)[old]
    if tree.improvement is not None:
        typed["improvement"] = np.where(asks, tree.improvement[asked], np.nan)
    typed["others"] = tuple(_of_kept(other, old) for other in tree.others)
    typed["impurities"] = None if tree.impurities is None else tree.impurities[:, old]
    return replace(tree, **typed), old


def _of_kept(answers: Answers, old: Ints) -> Answers:
    """Return what the nodes that stay say about a further target."""
    starts, codes = take(answers.class_start, answers.class_code, old)
    weights = take(answers.class_start, answers.class_weight, old)[1]
    return replace(answers, value=answers.value[old], class_start=starts, class_code=codes, class_weight=weights)


#: The parent of a node that no longer has one; the root has -1.
GONE = -2


def _parents(first_child: NDArray[Any], n_branches: NDArray[Any]) -> Ints:
    """Return the parent of each node, GONE for one that is not reached from the root."""
    parent = np.full(len(first_child), GONE, dtype=np.int64)
    parent[0] = -1
    level = np.zeros(1, dtype=np.int64)
    while len(level := level[first_child[level] >= 0]):
        starts = starts_of(n_branches[level])
        above = np.repeat(np.arange(len(level)), n_branches[level])
        children = first_child[level][above] + np.arange(starts[-1]) - starts[above]
        parent[children] = level[above]
        level = children
    return parent


def _mask(tree: Tree, nodes: Mask | Ints) -> Mask:
    given: NDArray[Any] = np.asarray(nodes)
    if given.dtype == bool:
        if given.shape != (len(tree),):
            raise DataError(f"the mask of nodes must have shape ({len(tree)},); it has {given.shape}.")
        return given
    wrong = given[(given < 0) | (given >= len(tree))]
    if len(wrong):
        raise DataError(f"there is no node {wrong[0]}; the tree has nodes 0 to {len(tree) - 1}.")
    mask = np.zeros(len(tree), dtype=bool)
    mask[given.astype(np.int64)] = True
    return mask


def descendants(tree: Tree, nodes: Mask) -> Mask:
    """Return which nodes have one of some nodes above them, shape (nodes,)."""
    gone, parents, is_cut = [False] * len(tree), tree.parent.tolist(), nodes.tolist()
    for node in range(1, len(gone)):
        parent = parents[node]
        gone[node] = gone[parent] or is_cut[parent]
    return np.array(gone)
