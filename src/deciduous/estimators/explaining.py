"""Explaining a fitted estimator: its derivation, and that of one row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from deciduous.data.columns import Columns, labels_of
from deciduous.data.frames import columns_of
from deciduous.data.table import Table
from deciduous.data.target import Target, as_label_array, encode_target_like, target_columns
from deciduous.errors import DataError, OptionError, listing
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.pruning import labelled_rows, pruner_named
from deciduous.estimators.training import take_target
from deciduous.explain.altered import as_rated
from deciduous.explain.derivation import MOST_TRIED, Derivation, derivation_of, path_derivation
from deciduous.explain.pruning import PruningDerivation, pruning_of
from deciduous.explain.summary import summary_of
from deciduous.explain.training import TrainingRows
from deciduous.grow.joint_rows import JointRows
from deciduous.grow.rows import MemoryRows
from deciduous.measures import Floats, as_weights
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity


def derivation(
    model: TreeEstimator | Tree,
    node: int | str | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    path: bool = False,
    digits: int | None = None,
    rounding: str = "end",
    measures: str = "own",
    candidates: int = MOST_TRIED,
) -> Derivation:
    """Return the working of a fitted tree: every number, as one would write it by hand.

    Args:
        model: a fitted estimator, or a `Tree`; it must be small enough to keep candidates (`keep_candidates`).
        node: the number of a node; `"all"`; the root by default.
        X, y, sample_weight: the rows that `fit` was given, if all candidates that were tried are to be shown, and the
            row labels in each branch; `y` may be the name of a column. Without them the best candidate of each column
            is shown.
        path: the nodes from the root to `node`, instead of that node alone.
        digits: decimals of results (3); for trees of numbers, significant digits (5).
        rounding: `end`; or `each step`, to round before every next step, as books do that calculate by hand.
        measures: `own`, what the tree was grown by; or `all`.
        candidates: with the rows, so many thresholds or partitions of a column are shown at most, the best ones.

    Raises:
        DataError: if there is no such node, the tree keeps no candidates, or was grown on other rows.
        OptionError: for a wrong word.
    """
    tree = model.tree_ if isinstance(model, TreeEstimator) else model
    training = None if X is None else training_rows(model, X, y, sample_weight)
    options: dict[str, Any] = {
        "training": training,
        "digits": digits,
        "rounding": rounding,
        "measures": measures,
        "candidates": candidates,
    }
    if path:
        if node is None or node == "all":
            raise OptionError("path=True needs the number of the node that the path leads to.")
        return path_derivation(tree, int(node), **options)
    return derivation_of(tree, node, **options)


def explain_pruning(
    model: TreeEstimator | Tree,
    pruning: str | Pruner,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    digits: int = 3,
) -> PruningDerivation:
    """Return the working of pruning a fitted tree: the decision at each node with its figures; the rounds of
    cost-complexity pruning.

    `pruning`: a word of the option `pruning`, or a pruner of `deciduous.prune`; the word `error` has the confidence and
    the conventions of the fit, and raises no branches. `X`, `y`, `sample_weight`: the rows
    that decide, for pruners that look at some. OptionError for an unknown word, or a pruner that got no rows.
    """
    tree = model.tree_ if isinstance(model, TreeEstimator) else model
    if isinstance(pruning, str) and pruning == "cost_complexity" and X is None:
        pruning = CostComplexity(alpha=0.0)  # all rounds; no alpha is chosen
    pruner = pruner_named(pruning, tree)
    rows = None if X is None else labelled_rows(tree, X, y, sample_weight)
    labels = None if X is None else row_labels(tree, columns_of(X))
    return pruning_of(tree, pruner, rows, digits, labels)


def summary(model: TreeEstimator | Tree, digits: int = 4, lang: str | None = None) -> str:
    """Return the summary that analysts know from rpart, of a fitted tree with surrogates: the table of complexities,
    the importance of columns, and every node with its primary, competing and surrogate splits and their improvements.

    `lang`: `en` or `zh`. DataError unless grown with surrogates.
    """
    return summary_of(model.tree_ if isinstance(model, TreeEstimator) else model, digits, lang)


def training_rows(model: TreeEstimator | Tree, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
    """Return the rows that a tree was grown on, for its derivation; DataError if it was grown on others."""
    from deciduous.estimators.io import estimator_of

    estimator = model if isinstance(model, TreeEstimator) else estimator_of(model)
    tree, algorithm = estimator.tree_, estimator._base.of(vars(estimator))
    found, rows = encoded_rows(tree, X, y, sample_weight, algorithm.class_weight)
    codes = found.target.astype(np.int32) if tree.task == "class" else found.target
    if tree.split_factor is not None:
        found.weight[rows] *= tree.split_factor[codes[rows]]
    encoded = found.table, codes, found.weight
    if tree.others:
        n_classes = [max(len(one.classes), 1) for one in tree.by_target()]
        memory: MemoryRows = JointRows(*encoded, algorithm, n_classes, rows)
    else:
        memory = MemoryRows(*encoded, algorithm.scoring, len(tree.classes), rows, algorithm.max_bins)
    return TrainingRows(as_rated(tree), memory, algorithm, row_labels(tree, columns_of(X)))


def encoded_rows(
    tree: Tree, X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> tuple[LabelledRows, NDArray[np.int64]]:
    """Return the rows of a training table with their targets and weights (columns of weights and class weights
    multiplied in), and which of them take part. `y` may be the name of a column. Of several targets the target has
    shape (rows, targets).
    """
    columns = columns_of(X)
    if isinstance(y, str):
        columns, y = take_target(columns, y)
    if y is None:
        raise DataError("the training rows need their target: pass y, or the name of a column of X.")
    table = Table.encode_like(X, tree.schema, who="the tree")
    targets = _targets_like(tree, y)
    if len(targets[0].values) != table.n_rows:
        raise DataError(f"X has {table.n_rows} rows and y has {len(targets[0].values)}; they must be the same rows.")
    weight = as_weights(sample_weight, table.n_rows) * _own_weights(tree, columns)
    codes = np.stack([target.values.astype(np.float64) for target in targets], axis=1)
    known = np.logical_and.reduce([target.known for target in targets])
    rows = np.flatnonzero(known & (weight > 0) & ((codes >= 0).all(axis=1) | (tree.task == "number")))
    if tree.task == "class" and class_weight is not None:
        given = class_weight if isinstance(class_weight, list | tuple) else [class_weight] * len(targets)
        for one, own, own_weight in zip(tree.by_target(), codes.T, given, strict=True):
            labels = as_label_array(one.classes)[own[rows].astype(np.intp)]
            weight[rows] *= compute_sample_weight(own_weight, labels)
    return LabelledRows(table, codes if tree.others else codes[:, 0], weight), rows


def _targets_like(tree: Tree, y: Any) -> list[Target]:
    """Return the targets of rows that a tree is shown, encoded as its own."""
    columns = [column for _, column in target_columns(y)] if tree.others else [y]
    ones = tree.by_target()
    if len(columns) != len(ones):
        raise DataError(f"the tree predicts {len(ones)} targets, {listing(tree.targets)}, and y has {len(columns)}.")
    return [
        encode_target_like(column, tree.task, one.classes, one.target)
        for column, one in zip(columns, ones, strict=True)
    ]


def _own_weights(tree: Tree, columns: Columns) -> Floats:
    """Return the product of the columns of weights."""
    product = np.ones(columns.n_rows)
    for feature in tree.schema.features:
        if feature.kind == "weight":
            column = _column(columns, feature.name)
            numbers = None if column is None else column.numbers
            product *= np.ones(columns.n_rows) if numbers is None else numbers
    return product


def row_labels(tree: Tree, columns: Columns) -> list[str] | None:
    """Return the labels of the rows, from the first column of them; None if there is none."""
    for feature in tree.schema.features:
        column = _column(columns, feature.name) if feature.kind == "id" else None
        if column is not None:
            if column.text is not None:
                return [str(label) for label in column.text.to_list()]
            assert column.numbers is not None
            return [str(label) for label in labels_of(column)]
    return None


def _column(columns: Columns, name: str) -> Any:
    return next((column for column in columns.columns if column.name == name), None)
