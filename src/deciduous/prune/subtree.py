"""A pruned tree: some inner nodes become leaves, and what was below them goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError
from deciduous.kernels import SplitKind
from deciduous.model.answers import Answers
from deciduous.model.tree import ARRAYS, Reason, Tree
from deciduous.prune.walk import Ints, Mask

#: The lists with several elements a node, and the array that says where each node's elements begin.
RAGGED = {"category_branch": "category_start", "class_code": "class_start", "class_weight": "class_start"}

#: What an array says of a leaf.
OF_A_LEAF: dict[str, Any] = {
    "first_child": -1,
    "n_branches": 0,
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
    kept = ~descendants(tree, made_leaf)
    made_leaf &= kept
    number = np.cumsum(kept) - 1
    arrays = {name: _without(tree, name, kept, made_leaf) for name in ARRAYS}
    for name in ("parent", "first_child", "answers_from"):
        old = arrays[name]
        arrays[name] = np.where(old >= 0, number[np.maximum(old, 0)], -1).astype(old.dtype)
    changed: dict[str, Any] = {**arrays}
    if tree.candidates is not None:
        changed["candidates"] = tuple(tree.candidates[i] for i in np.flatnonzero(kept).tolist())
    if tree.surrogates is not None:
        changed["surrogates"] = tree.surrogates.take(np.where(made_leaf, -1, np.arange(len(tree)))[kept])
    for name in ("risk", "complexity"):
        if getattr(tree, name) is not None:
            changed[name] = getattr(tree, name)[kept]
    if tree.improvement is not None:
        changed["improvement"] = np.where(made_leaf, np.nan, tree.improvement)[kept]
    changed["others"] = tuple(_of_kept(other, kept) for other in tree.others)
    return replace(tree, **changed)


def descendants(tree: Tree, nodes: Mask) -> Mask:
    """Return which nodes have one of some nodes above them, shape (nodes,)."""
    gone, parents, is_cut = [False] * len(tree), tree.parent.tolist(), nodes.tolist()
    for node in range(1, len(gone)):
        parent = parents[node]
        gone[node] = gone[parent] or is_cut[parent]
    return np.array(gone)


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


def _without(tree: Tree, name: str, kept: Mask, made_leaf: Mask) -> NDArray[Any]:
    """Return an array of the pruned tree, node numbers still the old ones."""
    array: NDArray[Any] = getattr(tree, name)
    if name in RAGGED:
        return array[np.repeat(_keeps(name, kept, made_leaf), np.diff(getattr(tree, RAGGED[name])))]
    if name in RAGGED.values():
        ragged = next(r for r, start in RAGGED.items() if start == name)
        lengths = np.where(_keeps(ragged, kept, made_leaf), np.diff(array), 0)[kept]
        return np.concatenate([[0], np.cumsum(lengths)]).astype(array.dtype)
    if name in OF_A_LEAF:
        array = np.where(made_leaf, np.array(OF_A_LEAF[name], dtype=array.dtype), array)
    return array[kept]


def _of_kept(answers: Answers, kept: Mask) -> Answers:
    """Return what the nodes that are kept say about a further target."""
    lengths = np.diff(answers.class_start)
    listed = np.repeat(kept, lengths)
    return replace(
        answers,
        value=answers.value[kept],
        class_start=np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64),
        class_code=answers.class_code[listed],
        class_weight=answers.class_weight[listed],
    )


def _keeps(ragged: str, kept: Mask, made_leaf: Mask) -> Mask:
    """Return which nodes keep their part of a ragged list: a new leaf keeps its classes, but asks for no category."""
    return kept & ~made_leaf if ragged == "category_branch" else kept
