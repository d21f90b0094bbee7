"""The table of complexities of a tree with surrogates, and its cross-validated errors, as rpart finds them.

The trees of the folds are grown on a part of the rows with an alpha and prices in proportion to its weight; each row
left out runs down its tree as far as a price allows, and its errors there count (Breiman et al. 1984, section 3.4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deciduous.data.table import Table
from deciduous.estimators.cross_validation import Parts, over_folds
from deciduous.estimators.growing import grow_with_surrogates, risk_of, surrogate_source
from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.risk import Risk
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.complexity import cp_table
from deciduous.search.first import below

#: Grows the tree of a fold, from its rows and what wrong answers cost.
GrowFold = Callable[[NDArray[np.int64], Risk], Tree]


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
                grow_with_surrogates, source, training, replace(algorithm, n_jobs=1, verbose=0, keep_candidates=0)
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
    alpha, before = risk.alpha, float(training.row_weight[training.rows].sum())
    jobs = []
    for kept, out in parts:
        weight = float(training.row_weight[kept].sum())
        alpha, prices, before = alpha * (weight / before), prices * (weight / before), weight
        jobs.append(partial(_of_fold, training, algorithm, grow_fold, risk.with_alpha(alpha), prices, kept, out))
    errors = _carried_on(np.concatenate(over_folds(jobs, algorithm)))
    weights = training.row_weight[np.concatenate([out for _, out in parts])]
    sums, squares = weights @ errors, weights @ errors**2
    with np.errstate(invalid="ignore"):  # infinite errors have no standard error
        return np.stack([sums, np.sqrt(np.maximum(squares - sums**2 / weights.sum(), 0.0))])


def _of_fold(
    training: TrainingSet,
    algorithm: Algorithm,
    grow_fold: GrowFold,
    risk: Risk,
    prices: Floats,
    kept: NDArray[np.int64],
    out: NDArray[np.int64],
) -> Floats:
    """Return the error of each row left out at each price, shape (rows, prices); NaN below where it is stuck."""
    tree = grow_fold(kept, risk)
    columns = tuple(None if column is None else column[out] for column in training.table.columns)
    ends = route(_as_grown(tree), Table(training.table.schema, len(out), columns)).nodes
    nodes = _answering(tree, prices)[ends]
    errors = _row_errors(training, algorithm, risk, out, tree.value[np.maximum(nodes, 0)])
    errors[nodes < 0] = np.nan
    return errors


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


def _carried_on(errors: Floats) -> Floats:
    """Return errors in which a row that is stuck has those of the row before, the first one none."""
    known = ~np.isnan(errors)
    if known.all():
        return errors
    last = np.maximum.accumulate(np.where(known, np.arange(len(errors))[:, None], -1), axis=0)
    return np.where(last >= 0, np.take_along_axis(errors, np.maximum(last, 0), axis=0), 0.0)


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
