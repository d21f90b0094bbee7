"""The table of complexities of a tree with surrogates, and its cross-validated errors, as rpart finds them.

The trees of the folds are grown on a part of the rows with an alpha and prices in proportion to its weight; each row
left out runs down its tree as far as a price allows, and its errors there count (Breiman et al. 1984, section 3.4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deciduous.data.table import Cells, Table
from deciduous.estimators.cross_validation import Parts, over_folds
from deciduous.estimators.growing import grow_with_surrogates, risk_of, surrogate_source
from deciduous.estimators.training import TrainingSet, of_rows
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.risk import Risk
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.complexity import cp_table
from deciduous.search.first import below

#: Grows the tree of a fold, from its rows and what wrong answers cost.
GrowFold = Callable[[NDArray[np.int64], Risk], Tree]

#: Errors of so many rows times prices are looked at together: as many as a cache holds.
CELLS_AT_ONCE = 1 << 16


def with_cp_table(training: TrainingSet, algorithm: Algorithm, parts: Parts | None) -> Tree:
    """Grow a tree on all rows that take part, with its table of complexities; folds give it errors, else NaN."""
    risk = risk_of(training, algorithm)
    source = surrogate_source(training, algorithm)
    tree = grow_with_surrogates(source, training, algorithm, training.rows, risk)
    assert tree.risk is not None
    root = float(tree.risk[0])
    alpha = algorithm.cp * root
    table, unit = cp_table(tree, alpha), root if root > 0 else 1.0
    errors = np.full((2, len(table.alpha)), np.nan)
    if parts is not None:
        errors[:] = 0.0
        if tree.first_child[0] >= 0:
            grow_fold = partial(
                grow_with_surrogates,
                source,
                training,
                replace(algorithm, n_jobs=1, verbose=0, keep_candidates=0, cv=None),
            )
            errors = _errors(training, algorithm, grow_fold, risk.with_alpha(alpha), table.alpha, parts) / unit
    lines = [table.alpha / unit, table.nsplit, table.rel_error, *errors]
    return replace(tree, cp_table=np.stack(lines, axis=1).astype(np.float64))


def _errors(
    training: TrainingSet, algorithm: Algorithm, grow_fold: GrowFold, risk: Risk, alphas: Floats, parts: Parts
) -> Floats:
    """Return the sum of the errors at each line of the table, and its standard error, shape (2, lines)."""
    prices = np.append(10 * alphas[0], np.sqrt(alphas[:-1] * alphas[1:]))
    assert risk.alpha is not None
    alpha, before = risk.alpha, float(of_rows(training.row_weight, training.rows).sum())
    jobs = []
    for kept, out in parts:
        weight = float(training.row_weight[kept].sum())
        alpha, prices, before = alpha * (weight / before), prices * (weight / before), weight
        jobs.append(partial(_of_fold, training, algorithm, grow_fold, risk.with_alpha(alpha), prices, kept, out))
    sums, squares, _, _ = reduce(_followed_by, over_folds(jobs, algorithm))
    weight = sum(float(training.row_weight[out].sum()) for _, out in parts)
    with np.errstate(invalid="ignore"):  # infinite errors have no standard error
        return np.stack([sums, np.sqrt(np.maximum(squares - sums**2 / weight, 0.0))])


def _of_fold(
    training: TrainingSet,
    algorithm: Algorithm,
    grow_fold: GrowFold,
    risk: Risk,
    prices: Floats,
    kept: NDArray[np.int64],
    out: NDArray[np.int64],
) -> Floats:
    """Return what the errors of the rows left out come to at each price: see `_summed`."""
    tree = grow_fold(kept, risk)
    columns: list[Cells | None] = [None] * len(training.table.columns)
    for j in tree.used_features:
        cells = training.table.columns[j]
        columns[j] = None if cells is None else cells[out]
    ends = route(_as_grown(tree), Table(training.table.schema, len(out), tuple(columns))).nodes
    answering = _answering(tree, prices)
    found, step = [], max(CELLS_AT_ONCE // len(prices), 1)
    for rows, nodes in ((out[i : i + step], answering[ends[i : i + step]]) for i in range(0, len(out), step)):
        errors = _row_errors(training, algorithm, risk, rows, tree.value[np.maximum(nodes, 0)])
        errors[nodes < 0] = np.nan  # the row is stuck above the node that answers
        found.append(_summed(errors, training.row_weight[rows]))
    return reduce(_followed_by, found)


def _answering(tree: Tree, prices: Floats) -> NDArray[np.int64]:
    """Return which node answers a row that ends in each node, at each price, shape (nodes, prices): from the top down
    the first one that the price lets be a leaf; -1 where there is none.
    """
    assert tree.complexity is not None
    own = np.arange(len(tree))[:, None]
    found = np.where(tree.is_leaf[:, None] | (tree.complexity[:, None] <= prices), own, -1)
    for level in range(1, tree.max_depth + 1):
        here = np.flatnonzero(tree.depth == level)
        above = found[tree.parent[here]]
        found[here] = np.where(above >= 0, above, found[here])
    return found


def _row_errors(
    training: TrainingSet, algorithm: Algorithm, risk: Risk, out: NDArray[np.int64], answers: Floats
) -> Floats:
    """Return the errors of rows that get some answers, shape (rows, prices).

    Numbers: squared; rates: the deviance of the row, or the squared difference of the roots; classes: the loss times
    prior / share of the true class. rpart reads the loss with answer and truth exchanged here, and so do we. The
    deviance of a row with events from a rate of 0 is infinite.
    """
    y = training.target.values[out][:, None]
    if risk.task == "class":
        losses: Floats = risk.loss[answers.astype(np.intp), y] * risk.factor[y]
        return losses
    if risk.criterion != "poisson":
        return (y - answers) ** 2
    exposure = (training.weight[out] / training.row_weight[out])[:, None]
    events, expected = y * exposure, answers * exposure
    if algorithm.cv_loss == "sqrt":
        roots: Floats = (np.sqrt(events) - np.sqrt(expected)) ** 2
        return roots
    with np.errstate(divide="ignore"):
        deviance: Floats = 2 * (xlogy(events, events) - xlogy(events, expected) - (events - expected))
    return deviance


def _summed(errors: Floats, weights: Floats) -> Floats:
    """Return what the errors of some rows come to, shape (4, prices): the sums of the errors and of their squares, a
    row that is stuck having the error of the row before; the weight of the first rows, if they are stuck; and the error
    of the last row that is not, NaN if all are.
    """
    leading = np.zeros(errors.shape[1])
    if np.isnan(errors).any():
        place = np.where(np.isnan(errors), -1, np.arange(len(errors))[:, None])
        last = np.maximum.accumulate(place, axis=0)
        leading = weights @ (last < 0)
        errors = np.where(last >= 0, np.take_along_axis(errors, np.maximum(last, 0), axis=0), np.nan)
    here = np.where(np.isnan(errors), 0.0, errors)
    return np.stack([weights @ here, weights @ (here * here), leading, errors[-1]])


def _followed_by(first: Floats, second: Floats) -> Floats:
    """Return what the errors of rows and of those after them come to; stuck rows before all others have none."""
    last = np.where((second[2] > 0) & ~np.isnan(first[3]), first[3], 0.0)  # may be infinite where it counts
    leading = np.where(np.isnan(first[3]), second[2], 0.0)
    return np.stack(
        [
            first[0] + second[0] + second[2] * last,
            first[1] + second[1] + second[2] * last**2,
            first[2] + leading,
            np.where(np.isnan(second[3]), first[3], second[3]),
        ]
    )


def _as_grown(tree: Tree) -> Tree:
    """Return a tree that sends rows as they were sent while it grew: x < cut is asked of ordinal columns too, and where
    no surrogate knows a row it goes to the side whose known rows weigh more, of equals to the right one.
    """
    surrogates = tree.surrogates
    assert surrogates is not None
    ordinal = np.array([feature.kind == "ordinal" for feature in tree.schema.features])
    asked = surrogates.threshold.copy()
    for i in np.flatnonzero(ordinal[surrogates.feature]):
        asked[i] = below(asked[i])
    threshold = np.where(ordinal[tree.feature] & ~tree.is_leaf, np.nextafter(tree.threshold, -np.inf), tree.threshold)
    share = np.zeros(len(tree))
    if tree.options["use_surrogates"] == 2:
        inner = np.flatnonzero(~tree.is_leaf)
        blind = np.where(surrogates.blind >= 0, surrogates.blind, 1 - surrogates.left)[inner]
        share[tree.first_child[inner] + blind] = 1.0
    return replace(
        tree, threshold=threshold, share=share, surrogates=replace(surrogates, threshold=asked), candidates=None
    )
