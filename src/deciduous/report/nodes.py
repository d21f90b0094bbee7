"""The nodes of a tree as the page takes them: what the walk reads, and the words to show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.draw.cards import MOST_CATEGORIES, descendants
from deciduous.draw.metrics import clean
from deciduous.draw.view import Mask, View, opened
from deciduous.language import translate as _
from deciduous.model.labels import Conditions
from deciduous.model.reason import REASON_TEXT, Reason
from deciduous.model.tree import Tree
from deciduous.search.contingency import TIE
from deciduous.search.conventions import CONVENTIONS

#: A report holds at most so many nodes, and as many branches of categories; of larger trees the deepest levels are
#: counted only.
MOST_NODES = 5000
MOST_LISTED = 200_000

Ints = NDArray[np.int64]


def nodes_held(tree: Tree) -> Ints:
    """Return the nodes that the report holds, in their order: all, or the upper levels of a large tree."""
    most = MOST_NODES
    while True:
        is_open = opened(tree, View(max_nodes=most), np.zeros(len(tree), dtype=bool))
        nodes = _reached(tree, is_open)
        listed = np.diff(tree.category_start)[nodes].sum()
        if listed <= MOST_LISTED or most <= 1:
            return nodes
        most //= 2


def _reached(tree: Tree, is_open: Mask) -> Ints:
    """Return the nodes that are seen where only these nodes are open."""
    parents, opens = tree.parent.tolist(), is_open.tolist()
    seen = [True] * len(tree)
    for node in range(1, len(tree)):  # a node comes after its parent
        seen[node] = seen[parents[node]] and opens[parents[node]]
    return np.flatnonzero(seen).astype(np.int64)


def tree_data(tree: Tree, held: Ints, closes: Ints) -> dict[str, Any]:
    """Return the tree as plain values, a list an array, one element a node that is held; nodes are named by their
    place in these lists.

    `closes`: the stage of pruning at which each node becomes a leaf, as `Stages` has it.
    """
    place = np.full(len(tree), -1, dtype=np.int64)
    place[held] = np.arange(len(held))
    first = np.where(tree.first_child >= 0, place[tree.first_child], -1)[held]
    conditions, below = Conditions(tree), descendants(tree)
    return {
        "task": tree.task,
        "target": clean(tree.target),
        "classes": [clean(str(label)) for label in tree.classes],
        "features": [_feature(tree, j) for j in range(len(tree.schema))],
        "used": tree.used_features,
        **_answering(tree),
        "number": held.tolist(),
        "parent": np.where(tree.parent >= 0, place[tree.parent], -1)[held].tolist(),
        "first": first.tolist(),
        "branches": np.where(first >= 0, tree.n_branches[held], 0).tolist(),
        "below": [below[node] for node in held.tolist()],
        "closes": closes[held].tolist(),
        "feature": tree.feature[held].tolist(),
        "kind": tree.kind[held].tolist(),
        "threshold": _plain(tree.threshold[held]),
        "listed": _lists(tree, held),
        "surrogates": _surrogates(tree, held),
        "share": tree.share[held].tolist(),
        "rows": tree.n_samples[held].tolist(),
        "weight": tree.weight[held].tolist(),
        "impurity": _plain(tree.impurity[held]),
        "gain": _plain(tree.gain[held]),
        "value": tree.value[held].tolist(),
        "codes": [tree.class_code[a:b].tolist() for a, b in _parts(tree, held)],
        "weights": [tree.class_weight[a:b].tolist() for a, b in _parts(tree, held)],
        "answers": place[tree.answers_from][held].tolist(),
        "reply": [clean(conditions.reply(node, MOST_CATEGORIES)) for node in held.tolist()],
        "condition": [clean(_condition(tree, conditions, node)) for node in held.tolist()],
        "reason": tree.reason[held].tolist(),
        "reasons": {int(reason): _(text) for reason, text in REASON_TEXT.items() if reason != Reason.SPLIT},
    }


def _condition(tree: Tree, conditions: Conditions, node: int) -> str:
    """Return the answer that leads to a node, with the signs of mathematics after the name of its column."""
    if tree.parent[node] < 0:
        return ""
    name = tree.schema.features[int(tree.feature[tree.parent[node]])].name
    rest = conditions(node).removeprefix(name)
    for typed, sign in ((" <= ", " ≤ "), (" >= ", " ≥ "), (" != ", " ≠ ")):
        rest = sign + rest.removeprefix(typed) if rest.startswith(typed) else rest
    return name + rest


def _feature(tree: Tree, j: int) -> dict[str, Any]:
    feature = tree.schema.features[j]
    categories = [clean(str(c)) for c in feature.categories]
    return {"name": clean(feature.name), "kind": feature.kind, "categories": categories}


def _answering(tree: Tree) -> dict[str, Any]:
    """Return what turns the weights of the nodes that a row reaches into an answer."""
    conventions = CONVENTIONS[str(tree.options.get("conventions", "c45"))]
    return {
        "missing": str(tree.options["missing"]),
        "unseen": tree.unseen,
        "laplace": float(bool(tree.options.get("laplace"))),
        "factor": None if tree.class_factor is None else tree.class_factor.tolist(),
        "emptySaysParent": tree.options.get("conventions") == "r8",
        "inTurn": conventions.in_turn,
        "tie": conventions.ratio_band if conventions.in_turn else TIE,
    }


def _parts(tree: Tree, held: Ints) -> list[tuple[int, int]]:
    return [(int(tree.class_start[node]), int(tree.class_start[node + 1])) for node in held.tolist()]


def _lists(tree: Tree, held: Ints) -> dict[int, list[int]]:
    """Return the branch of each category, for the questions that list some, by the place of the node."""
    starts = tree.category_start
    return {
        at: tree.category_branch[starts[node] : starts[node + 1]].tolist()
        for at, node in enumerate(held.tolist())
        if starts[node + 1] > starts[node]
    }


def _surrogates(tree: Tree, held: Ints) -> dict[int, list[dict[str, Any]]] | None:
    """Return what nodes ask where a cell is missing, by the place of the node; None for trees without surrogates."""
    if tree.surrogates is None:
        return None
    asked = tree.surrogates if tree.options["use_surrogates"] else tree.surrogates.none_asked()
    return {
        at: [
            {
                "feature": s.feature,
                "kind": int(s.kind),
                "threshold": None if np.isnan(s.threshold) else s.threshold,
                "below": s.below,
                "listed": s.category_branch.tolist(),
            }
            for s in asked.of_node(node)
        ]
        for at, node in enumerate(held.tolist())
        if tree.first_child[node] >= 0
    }


def _plain(numbers: NDArray[np.float64]) -> list[float | None]:
    """Return numbers as JSON has them: NaN is null."""
    return [None if np.isnan(x) else x for x in numbers.tolist()]
