"""The nodes of a tree as a data frame."""

from __future__ import annotations

import polars as pl

from deciduous.model.labels import Conditions
from deciduous.model.tree import Node, Tree


def frame_of(tree: Tree) -> pl.DataFrame:
    """Return one row a node: node, parent, depth, condition, feature, threshold, n_samples, weight, impurity, gain,
    prediction, reason; and for classes a column `weight of LABEL` each (at most 50 classes).
    """
    conditions = Conditions(tree)
    rows = [_row(node, conditions) for node in tree]
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    predictions = [row["prediction"] for row in rows]
    if len({type(p) for p in predictions}) == 1:
        frame = frame.with_columns(pl.Series("prediction", predictions))
    if tree.task == "class" and len(tree.classes) <= 50:
        weights = [node.class_weights for node in tree]
        frame = frame.with_columns(
            pl.Series(f"weight of {label}", [float(w.get(label, 0.0)) for w in weights]) for label in tree.classes
        )
    return frame


def _row(node: Node, conditions: Conditions) -> dict[str, object]:
    parent, split = node.parent, node.split
    return {
        "node": node.index,
        "parent": None if parent is None else parent.index,
        "depth": node.depth,
        "condition": conditions(node.index) or None,
        "feature": node.feature,
        "threshold": None if split is None or split.threshold != split.threshold else split.threshold,
        "n_samples": node.n_samples,
        "weight": node.weight,
        "impurity": node.impurity,
        "gain": None if node.is_leaf else node.gain,
        "prediction": node.prediction,
        "reason": node.reason.name.lower(),
    }
