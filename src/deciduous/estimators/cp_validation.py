"""The table of complexities of a tree with surrogates, and its cross-validated errors, as rpart finds them.

The trees of the folds are grown on a part of the rows with an alpha and prices in proportion to its weight; each row
left out runs down its tree as far as a price allows, and its errors there count (Breiman et al. 1984, section 3.4.2).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deciduous.data.table import Table
from deciduous.estimators.cross_validation import Parts
from deciduous.estimators.growing import grow_on, risk_of
from deciduous.estimators.training import TrainingSet
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.risk import Risk
from deciduous.grow.sources import threads
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.complexity import cp_table
from deciduous.search.first import below


def with_cp_table(training: TrainingSet, algorithm: Algorithm, parts: Parts | None) -> Tree:
    """Grow a tree on all rows that take part, with its table of complexities; folds give it errors, else NaN."""
    risk = risk_of(training, algorithm)
    tree = grow_on(training, algorithm, training.rows, risk)
    assert tree.risk is not None
    root = float(tree.risk[0])
    alpha = algorithm.cp * root
    table, unit = cp_table(tree, alpha), root if root > 0 else 1.0
    errors = np.full((2, len(table.alpha)), np.nan)
    if parts is not None:
        errors[:] = 0.0
        if tree.first_child[0] >= 0:
            errors = _errors(training, algorithm, risk.with_alpha(alpha), table.alpha, parts) / unit
    lines = [table.alpha / unit, table.nsplit, table.rel_error, *errors]
    return replace(tree, cp_table=np.stack(lines, axis=1).astype(np.float64))


def _errors(training: TrainingSet, algorithm: Algorithm, risk: Risk, alphas: Floats, parts: Parts) -> Floats:
    """Return the sum of the errors at each line of the table, and its standard error, shape (2, lines)."""
    prices = np.append(10 * alphas[0], np.sqrt(alphas[:-1] * alphas[1:]))
    assert risk.alpha is not None
    alpha, before = risk.alpha, float(training.row_weight[training.rows].sum())
    jobs = []
    for kept, out in parts:
        weight = float(training.row_weight[kept].sum())
        alpha, prices, before = alpha * (weight / before), prices * (weight / before), weight
        jobs.append(partial(_of_fold, training, algorithm, risk.with_alpha(alpha), prices, kept, out))
    n_jobs = min(threads(algorithm.n_jobs), len(jobs))
    found = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(joblib.delayed(job)() for job in jobs)
    errors = _carried_on(np.concatenate(found))
    weights = training.row_weight[np.concatenate([out for _, out in parts])]
    sums, squares = weights @ errors, weights @ errors**2
    return np.stack([sums, np.sqrt(np.maximum(squares - sums**2 / weights.sum(), 0.0))])


def _of_fold(
    training: TrainingSet,
    algorithm: Algorithm,
    risk: Risk,
    prices: Floats,
    kept: NDArray[np.int64],
    out: NDArray[np.int64],
) -> Floats:
    """Return the error of each row left out at each price, shape (rows, prices); NaN below where it is stuck."""
    tree = grow_on(training, algorithm, kept, risk)
    columns = tuple(None if column is None else column[out] for column in training.table.columns)
    ends = route(_as_grown(tree), Table(training.table.schema, len(out), columns)).nodes
    errors = np.full((len(out), len(prices)), np.nan)
    assert tree.complexity is not None
    complexity, path = tree.complexity, ends.astype(np.int64)
    waiting = np.ones(errors.shape, dtype=bool)
    # From the top down: a row answers from the first node of its path that the price lets be a leaf.
    for level in range(tree.max_depth + 1):
        here = _at_depth(tree, path, level)
        there = here >= 0
        rows = np.flatnonzero(there)
        nodes = here[rows]
        stops = tree.is_leaf[nodes][:, None] | (complexity[nodes][:, None] <= prices)
        answers = stops & waiting[rows]
        at, price = np.nonzero(answers)
        errors[rows[at], price] = _row_errors(training, algorithm, risk, tree, out, rows, nodes)[at]
        waiting[rows] &= ~stops
    return errors


def _at_depth(tree: Tree, ends: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    """Return the node at some depth on the way to each end, -1 where the way is shorter."""
    here = ends.copy()
    depth = tree.depth
    while (deeper := depth[here] > level).any():
        here[deeper] = tree.parent[here[deeper]]
    return np.where(depth[here] == level, here, -1)


def _row_errors(
    training: TrainingSet,
    algorithm: Algorithm,
    risk: Risk,
    tree: Tree,
    out: NDArray[np.int64],
    rows: NDArray[np.intp],
    nodes: NDArray[np.int64],
) -> Floats:
    """Return the errors of rows that nodes answer.

    Numbers: squared; rates: the deviance of the row, or the squared difference of the roots; classes: the loss times
    prior / share of the true class. rpart reads the loss with answer and truth exchanged here, and so do we.
    """
    y, answers = training.target.values[out[rows]], tree.value[nodes]
    if risk.task == "class":
        losses: Floats = risk.loss[answers.astype(np.intp), y] * risk.factor[y]
        return losses
    if risk.criterion != "poisson":
        return (y - answers) ** 2
    exposure = training.weight[out[rows]] / training.row_weight[out[rows]]
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
