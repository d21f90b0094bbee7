"""One question alone, chosen or not: a tree of one level for any column of a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import CRITERIA
from deciduous.draw.view import single_of
from deciduous.errors import DataError, OptionError
from deciduous.kernels import SplitKind
from deciduous.measures import Floats, of_gini
from deciduous.model.candidate import Candidate
from deciduous.model.reason import Reason
from deciduous.model.split import Split
from deciduous.model.tree import ARRAYS, Tree


def one_level(model: Any, feature: str, node: int = 0) -> Tree:
    """Return the rows of a node divided by the best split of one column, whether the tree chose it or not.

    It is a tree like any other, to be drawn in every format. Rows whose cell is missing, and which take no part in the
    column's contingency table, are in the root only. A contingency table knows weights: where rows are weighted, how
    many there are in a branch is not known (`n_samples` is -1).

    Raises:
        DataError: for an unknown column, or one that cannot divide the rows of the node, with the reason.
        OptionError: if the tree has not kept its candidates (`keep_candidates`).
    """
    tree = single_of(model, "one_level")
    position = tree.schema.index(feature)
    candidates = tree.node(node).candidates
    if candidates is None:
        raise OptionError(
            "the tree has not kept the candidates of its nodes, since it has too many; "
            "grow it with a larger keep_candidates, or limit it (max_depth)."
        )
    found = next((c for c in candidates if c.feature == position), None)
    if found is None or found.split is None or found.table is None:
        reason = "no search was made there" if found is None else found.verdict
        raise DataError(f"column {feature!r} has no split in node {node}: {reason}.")
    return _tree(tree, node, found, found.split, found.table)


def _tree(tree: Tree, node: int, found: Candidate, split: Split, table: Floats) -> Tree:
    """Return the tree of a node and the branches of a split; `table`: their statistics, a line a branch."""
    k = split.n_branches
    weight = table.sum(axis=1) if tree.task == "class" else table[:, 0]
    lines = np.vstack([_class_weights(tree, node), table]) if tree.task == "class" else np.zeros((k + 1, 0))
    owner, codes = np.nonzero(lines)
    answers = table[:, 1] if tree.task == "number" else table.argmax(axis=1)
    impurity, options = _impurities(tree, node, table)
    weights = np.append(tree.weight[node], weight)
    listed = len(split.category_branch)

    def below(root: Any, branches: Any) -> NDArray[Any]:
        return np.append(root, np.broadcast_to(branches, k))

    arrays: dict[str, Any] = {
        "parent": below(-1, 0),
        "first_child": below(1, -1),
        "n_branches": below(k, 0),
        "feature": below(split.feature, -1),
        "kind": below(split.kind, SplitKind.LEAF),
        "threshold": below(split.threshold, np.nan),
        "category_start": np.append(0, below(listed, listed)),
        "category_branch": split.category_branch,
        "share": below(1.0, split.shares if len(split.shares) else 0.0),
        "n_samples": np.append(tree.n_samples[node], _rows(tree, weight)),
        "weight": weights,
        "impurity": impurity,
        "gain": below(found.gain, np.nan),
        "value": np.where(weights > 0, np.append(tree.value[node], answers), tree.value[node]),
        "class_start": np.concatenate([[0], np.cumsum((lines > 0).sum(axis=1))]),
        "class_code": codes,
        "class_weight": lines[owner, codes],
        "answers_from": np.where(weights > 0, np.arange(k + 1), 0),
        "reason": np.append(Reason.SPLIT, np.where(weight > 0, Reason.MAX_DEPTH, Reason.EMPTY)),
        "exact": below(found.exact, True),
    }
    typed: dict[str, Any] = {name: np.ascontiguousarray(arrays[name], dtype=dtype) for name, dtype in ARRAYS.items()}
    return Tree(tree.schema, tree.task, tree.target, tree.classes, options, tree.weighted, **typed)


def _class_weights(tree: Tree, node: int) -> Floats:
    weights = np.zeros(len(tree.classes))
    start, end = tree.class_start[node : node + 2].tolist()
    weights[tree.class_code[start:end]] = tree.class_weight[start:end]
    return weights


def _rows(tree: Tree, weight: Floats) -> Floats:
    """Return how many rows branches of these weights hold, -1 where the weights do not tell."""
    untold = weight > 0 if tree.weighted else ~np.isclose(weight, np.round(weight))
    return np.where(untold, -1.0, np.round(weight))


def _impurities(tree: Tree, node: int, table: Floats) -> tuple[Floats, dict[str, Any]]:
    """Return the impurity of the node and of its branches, and the options that name it.

    Tables of numbers hold a mean squared (or absolute) deviation, which is the impurity of every criterion but
    `poisson`: for this one the variance of the known rows is given, and named.
    """
    name = tree.options.get("criterion")
    if tree.task == "class":
        known = CRITERIA.get(("class", str(name)))
        of_branches = known.impurity(table) if known is not None else of_gini(table)
        return np.append(tree.impurity[node], of_branches), dict(tree.options)
    if name != "poisson":
        return np.append(tree.impurity[node], table[:, 2]), dict(tree.options)
    w, mean, variance = table.T
    middle = float((w * mean).sum() / w.sum())
    of_all = float((w * (variance + (mean - middle) ** 2)).sum() / w.sum())
    return np.append(of_all, variance), {**tree.options, "criterion": "squared_error"}
