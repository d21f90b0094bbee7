"""Whole trees with surrogates, grown in one call of the native kernels (`native/surrogate_growth.cpp`): their loop of
`grower.py`, and `prune/complexity.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from deciduous.grow.algorithm import Algorithm
from deciduous.grow.builder import TreeBuilder
from deciduous.grow.native_surrogate_rows import Described, NativeBest, NativeSurrogateRows
from deciduous.grow.nodes import Nodes
from deciduous.grow.record import Record
from deciduous.grow.risk import Risk
from deciduous.grow.splits import Pending, Splits
from deciduous.measures import Floats
from deciduous.model.reason import Reason
from deciduous.model.surrogates import TYPES, Surrogates
from deciduous.search.choose import Contest, choose
from deciduous.search.contingency import TIE

#: More than any node has rows, or any tree has levels.
ENDLESS = 2**62


def grows_depth_first(algorithm: Algorithm) -> bool:
    """Return whether the native loop knows these options: no limit of leaves, no least impurity or gain.

    Nor is any progress to be shown.
    """
    return (
        algorithm.max_leaf_nodes is None
        and algorithm.min_impurity == 0
        and algorithm.min_impurity_decrease == 0
        and algorithm.min_gain == 0
        and not algorithm.verbose
    )


def grow_depth_first(rows: NativeSurrogateRows, algorithm: Algorithm, risk: Risk) -> tuple[TreeBuilder, Floats]:
    """Return a builder that holds the whole tree, without the splits that are not worth it, and the complexity of each
    node in units of risk.
    """
    found = rows.native.grow(
        risk.factor,
        np.ascontiguousarray(risk.loss, dtype=np.float64).ravel(),
        risk.shrink,
        rows.costs,
        ENDLESS if algorithm.max_depth is None else min(int(algorithm.max_depth), ENDLESS),
        min(int(algorithm.min_samples_split), ENDLESS),
        min(int(algorithm.min_samples_leaf), ENDLESS),
        algorithm.cp,
        risk.alpha,
        TIE,
        min(int(algorithm.max_surrogates), ENDLESS),
        algorithm.surrogate_style,
        algorithm.use_surrogates,
        min(int(algorithm.keep_candidates), ENDLESS),
    )
    return _builder(rows, algorithm, risk, *found)


def _builder(
    rows: NativeSurrogateRows,
    algorithm: Algorithm,
    risk: Risk,
    of_nodes: tuple[Any, ...],
    first_child: Any,
    column: Any,
    of_splits: tuple[Any, ...],
    of_surrogates: tuple[Any, ...],
    searched: Any,
    found: tuple[Any, ...],
) -> tuple[TreeBuilder, Floats]:
    *described, complexity, best_score, reason = of_nodes
    parent, nodes = described[1], _nodes(rows, *described)
    builder, at = TreeBuilder(algorithm, risk), np.flatnonzero(reason == Reason.SPLIT)
    builder.add(nodes, parent, _shares(nodes, first_child, algorithm))
    made = Described(*of_splits)
    splits = _splits(rows, column, made, of_surrogates)
    gain = rows.gains(made.improvement[:, None], nodes.take(at))[:, 0] * _unit(rows, nodes)[at]
    builder.split(Pending(at, at, at, splits, gain, np.zeros(len(at))), first_child)
    leaves = np.flatnonzero(reason != Reason.SPLIT)
    builder.stop(leaves, reason[leaves])
    if len(searched):
        every, searched_nodes = Described(*found), nodes.take(searched)
        make = partial(_record, rows, algorithm, every, searched_nodes, best_score[searched])
        builder.keep(searched, len(every.sums), make)
    return builder, complexity


def _nodes(
    rows: NativeSurrogateRows,
    n_rows: Any,
    parent: Any,
    weight: Floats,
    classes: Floats,
    value: Floats,
    impurity: Floats,
    centre: Floats,
    scale: Floats,
    pure: Any,
    risk: Floats,
) -> Nodes:
    unit = scale**rows.criterion.degree
    if rows.task == "class":
        statistics = classes.reshape(len(n_rows), -1)
        impurity = rows.criterion.impurity(statistics)
    else:
        statistics = np.stack([weight, value, impurity * unit], axis=1)
    arrays = (n_rows, weight, statistics, impurity * unit, impurity, pure.view(bool), centre, scale)
    return Nodes(*arrays, handles=None, risk=risk)


def _unit(rows: NativeSurrogateRows, nodes: Nodes) -> Floats:
    """Return the factors from the impurity of scanned numbers to that of the target."""
    unit: Floats = nodes.scale**rows.criterion.degree
    return unit


def _shares(nodes: Nodes, first_child: Any, algorithm: Algorithm) -> Floats:
    """Return where rows go that no surrogate knows: to the child with more rows, nowhere if both have as many."""
    share = np.zeros(len(nodes))
    share[0] = 1.0
    if algorithm.use_surrogates == 2:
        left, right = nodes.rows[first_child], nodes.rows[first_child + 1]
        share[first_child], share[first_child + 1] = left > right, right > left
    return share


def _splits(rows: NativeSurrogateRows, column: Any, found: Described, of_surrogates: tuple[Any, ...]) -> Splits:
    n = len(column)
    return Splits(
        np.array(rows.features, dtype=np.int32)[column],
        found.kind,
        found.thresholds,
        np.arange(0, 2 * n + 1, 2),
        np.zeros(2 * n),  # shares are known once the rows are divided
        found.category_start,
        found.category_branch,
        found.exact.view(bool),
        Surrogates(**dict(zip(TYPES, of_surrogates, strict=True))),
    )


def _record(
    rows: NativeSurrogateRows, algorithm: Algorithm, found: Described, nodes: Nodes, best_score: Floats
) -> Record:
    best = NativeBest(rows, found, nodes)
    nothing = best.score <= TIE * best_score[:, None]  # see ComplexityBounds.noticeable
    best.gain[nothing] = best.score[nothing] = -np.inf
    contest = Contest(ratio=False, guard=False, zero_gain=algorithm.zero_gain == "split")
    none = np.zeros(len(nodes))
    choice = choose(best.gain, best.score, best.information, none, contest, none)
    return Record(best, choice, nodes, _unit(rows, nodes), rows.features, rows.criterion, algorithm.missing)
