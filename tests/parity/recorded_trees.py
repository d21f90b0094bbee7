"""Trees that J48 and C4.5 Release 8 recorded, as trees of ours: the questions are theirs, all figures are counted from
the rows.
"""

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from deciduous import Node, Tree
from deciduous.algorithms.c45 import C45
from deciduous.data.frames import columns_of
from deciduous.data.table import Table
from deciduous.kernels import SplitKind
from deciduous.model.reason import Reason
from deciduous.model.tree import ARRAYS
from deciduous.prune import LabelledRows
from deciduous.prune.entries import Entries
from deciduous.prune.restated import restated
from tests.parity import oracles
from tests.parity.oracles import SHARED

KINDS = {"numeric": SplitKind.THRESHOLD, "multiway": SplitKind.MULTIWAY, "value-vs-rest": SplitKind.ONE_VS_REST}


@cache
def recorded(case_id: str) -> dict[str, Any]:
    """Return a recorded case of Weka or of Release 8."""
    folder = "weka" if case_id.startswith("j48") else "c45r8"
    case: dict[str, Any] = json.loads((SHARED / "open" / folder / f"{case_id}.json").read_text(encoding="utf-8"))
    return case


def rows_of(case_id: str) -> tuple[LabelledRows, tuple[str, ...]]:
    """Return the rows of a case that have a class, and all classes that are declared."""
    case = recorded(case_id)
    table = oracles.read_table(case["dataset"], case["schema"])
    columns = {
        name: column.astype(pd.CategoricalDtype(column.cat.categories)) if column.dtype == "category" else column
        for name, column in table.X.items()
    }  # ordinal columns are nominal for both tools
    encoded = Table.encode(columns_of(pd.DataFrame(columns)), table.kinds)
    code = {level: float(i) for i, level in enumerate(table.levels)}
    target = np.array([code.get(label, -1.0) for label in table.y])
    weight = np.ones(len(target)) if table.weight is None else table.weight
    rows = LabelledRows(encoded, target, weight).take(np.flatnonzero((target >= 0) & (weight > 0)))
    return rows, tuple(table.levels)


def tree_from(root: dict[str, Any], rows: LabelledRows, classes: tuple[str, ...]) -> Tree:
    """Return the tree that asks the recorded questions, grown on these rows."""
    order, parent = [root], [-1]
    first_child = []
    for i, node in enumerate(order):  # grows while it is run through
        below = node.get("children", [])
        first_child.append(len(order) if below else -1)
        order.extend(below)
        parent.extend([i] * len(below))
    schema, n = rows.table.schema, len(order)
    names = [feature.name for feature in schema.features]
    feature = [names.index(node["attr"]) if "attr" in node else -1 for node in order]
    asked = [
        [] if j < 0 else _branches(node, schema.features[j].categories) for node, j in zip(order, feature, strict=True)
    ]
    inner = np.array(first_child) >= 0
    thresholds = [_threshold(node, rows.table.columns[j]) for node, j in zip(order, feature, strict=True)]
    arrays: dict[str, Any] = {
        "parent": parent,
        "first_child": first_child,
        "n_branches": [len(node.get("children", [])) for node in order],
        "feature": feature,
        "kind": [KINDS[node["kind"]] if "attr" in node else SplitKind.LEAF for node in order],
        "threshold": thresholds,
        "category_start": np.concatenate([[0], np.cumsum([len(codes) for codes in asked])]),
        "category_branch": [branch for codes in asked for branch in codes],
        "gain": np.where(inner, 0.0, np.nan),
        "class_start": np.zeros(n + 1),
        "class_code": [],
        "class_weight": [],
        "answers_from": np.arange(n),
        "reason": np.where(inner, Reason.SPLIT, Reason.NO_GAIN),
        "exact": np.ones(n),
        **{name: np.zeros(n) for name in ("share", "n_samples", "weight", "impurity", "value")},
    }
    typed = {name: np.array(arrays[name]).astype(dtype) for name, dtype in ARRAYS.items()}
    tree = Tree(schema, "class", "y", classes, C45.plain(), False, **typed)
    every = {0: Entries(np.arange(rows.table.n_rows), rows.weight)}
    counted = restated(tree, every, rows, tree.category_branch, None)
    counted.check()
    return counted


def _branches(node: dict[str, Any], categories: tuple[Any, ...]) -> list[int]:
    if node["kind"] == "multiway":
        return list(range(len(categories)))
    return [int(category != node["value"]) for category in categories] if node["kind"] == "value-vs-rest" else []


def _threshold(node: dict[str, Any], column: Any) -> float:
    """Return the training value that a recorded threshold, rounded to single precision or ten digits, stands for."""
    if node.get("kind") != "numeric":
        return np.nan
    gap = np.abs(column - node["threshold"])
    nearest = int(np.nanargmin(gap))
    return float(column[nearest]) if gap[nearest] <= 1e-6 * abs(node["threshold"]) else float(node["threshold"])


# --- comparing --------------------------------------------------------------------------------------------------------


def differences(ours: Node, theirs: dict[str, Any], tolerance: float, place: str = "root") -> list[str]:
    """Return where a tree of ours differs from a recorded one: questions, thresholds, class weights."""
    here = _node_differences(ours, theirs, tolerance, place)
    if here or ours.is_leaf:
        return here
    below = zip(ours.children, theirs["children"], strict=True)
    return [
        line for b, (child, other) in enumerate(below) for line in differences(child, other, tolerance, f"{place}/{b}")
    ]


def _node_differences(ours: Node, theirs: dict[str, Any], tolerance: float, place: str) -> list[str]:
    weights = np.array([ours.class_weights.get(label, 0.0) for label in ours.tree.classes])
    if theirs["n"] > 0 and not np.allclose(weights, theirs["dist"], rtol=tolerance, atol=tolerance):
        return [f"{place}: {weights.tolist()} for {theirs['dist']}"]
    if (ours.weight > 0) != (theirs["n"] > 0):
        return [f"{place}: weight {ours.weight} for {theirs['n']}"]
    if ours.is_leaf or "attr" not in theirs:
        return (
            [] if ours.is_leaf and "attr" not in theirs else [f"{place}: {ours!r} for {theirs.get('attr', 'a leaf')}"]
        )
    split = ours.split
    if ours.feature != theirs["attr"] or split.kind != KINDS[theirs["kind"]]:
        return [f"{place}: {ours!r} for {theirs['attr']}"]
    if theirs["kind"] == "numeric" and not np.isclose(split.threshold, theirs["threshold"], rtol=1e-5):
        return [f"{place}: threshold {split.threshold} for {theirs['threshold']}"]
    if theirs["kind"] == "value-vs-rest":
        category = ours.tree.schema.features[split.feature].categories[int(split.categories_of(0)[0])]
        return [] if category == theirs["value"] else [f"{place}: = {category} for {theirs['value']}"]
    return []
