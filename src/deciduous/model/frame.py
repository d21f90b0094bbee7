"""The nodes of a tree as a data frame."""

from __future__ import annotations

import numpy as np
import polars as pl

from deciduous.measures import Floats
from deciduous.model.labels import Conditions
from deciduous.model.reason import Reason
from deciduous.model.tree import Tree

#: Trees of more classes have no column of weights a class.
MOST_CLASSES = 50


def frame_of(tree: Tree) -> pl.DataFrame:
    """Return one row a node: node, parent, depth, condition, feature, threshold, n_samples, weight, impurity, gain,
    prediction, reason; and for classes a column `weight of LABEL` each (at most 50 classes). For several targets the
    columns of each bear its name.
    """
    nodes = range(len(tree))
    conditions = Conditions(tree)
    names = [feature.name for feature in tree.schema.features]
    reasons = {int(reason): reason.name.lower() for reason in Reason}
    asked = zip(tree.is_leaf.tolist(), tree.feature.tolist(), strict=True)
    columns = {
        "node": pl.Series(nodes, dtype=pl.Int64),
        "parent": pl.Series(tree.parent.astype(np.int64)).replace(-1, None),
        "depth": pl.Series(tree.depth),
        "condition": pl.Series([conditions(node) or None for node in nodes], dtype=pl.String),
        "feature": pl.Series([None if leaf else names[j] for leaf, j in asked], dtype=pl.String),
        "threshold": pl.Series(tree.threshold, nan_to_null=True),
        "n_samples": pl.Series(tree.n_samples),
        "weight": pl.Series(tree.weight),
        "impurity": pl.Series(tree.impurity),
        "gain": pl.Series(tree.gain, nan_to_null=True),
    }
    reason = pl.Series([reasons[reason] for reason in tree.reason.tolist()], dtype=pl.String)
    if not tree.others:
        return pl.DataFrame(columns | {"prediction": _predictions(tree), "reason": reason} | _class_weights(tree))
    columns["reason"] = reason
    for one in tree.by_target():
        columns[f"prediction of {one.target}"] = _predictions(one)
        columns |= {f"{one.target}: {name}": weights for name, weights in _class_weights(one).items()}
    return pl.DataFrame(columns)


def _class_weights(tree: Tree) -> dict[str, pl.Series]:
    """Return a column of weights for each class, unless there are too many."""
    if tree.task == "number" or len(tree.classes) > MOST_CLASSES:
        return {}
    return {f"weight of {label}": pl.Series(_weights(tree, code)) for code, label in enumerate(tree.classes)}


def _predictions(tree: Tree) -> pl.Series:
    if tree.task == "number":
        return pl.Series(tree.value)
    predicted = [tree.classes[code] for code in tree.value.astype(np.int64).tolist()]
    return pl.Series(predicted, strict=len({type(label) for label in predicted}) == 1)


def _weights(tree: Tree, code: int) -> Floats:
    """Return the weight of a class in each node."""
    listed = np.flatnonzero(tree.class_code == code)
    weights = np.zeros(len(tree))
    weights[np.searchsorted(tree.class_start, listed, side="right") - 1] = tree.class_weight[listed]
    return weights
