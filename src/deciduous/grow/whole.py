"""Whole trees grown in one call of the native kernels (`native/growth.cpp`), which is their loop of `grower.py`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.criteria import Criterion
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.builder import MOST_CELLS, TreeBuilder
from deciduous.grow.nodes import Nodes
from deciduous.grow.record import Record
from deciduous.grow.search_rules import contest_of, search_rules
from deciduous.grow.sorted_best import SortedFindings, by_data, corrections, programs_rules, scores
from deciduous.grow.sorted_rows import MEASURES, NOMINAL, POLICIES, SortedRows
from deciduous.grow.splits import Pending, Splits
from deciduous.grow.stopping import least_weight
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.reason import Reason
from deciduous.search.choose import Contest, choose
from deciduous.search.contingency import TIE, Rule
from deciduous.search.conventions import CONVENTIONS

#: More than any node has rows, or any tree has levels.
ENDLESS = 2**62


def grows_whole(rows: SortedRows, algorithm: Algorithm) -> bool:
    """Return whether the native loop knows these options: level by level, nothing taken from above, rows in parts for
    classes only; and no progress is to be shown.
    """
    return (
        not (rows.in_parts and algorithm.task == "number")
        and algorithm.max_leaf_nodes is None
        and not algorithm.inherits
        and algorithm.min_impurity == 0
        and not algorithm.verbose
    )


def grow_whole(rows: SortedRows, algorithm: Algorithm) -> TreeBuilder:
    """Return a builder that holds the whole tree.

    What is found is recorded for trees that stay small. One that looks like becoming large is grown without; if it
    stayed small, it is grown again.
    """
    most = min(int(algorithm.keep_candidates), ENDLESS)
    if not _looks_large(rows, algorithm, most):
        return _grown(rows, algorithm, most)
    builder = _grown(rows, algorithm, -1)
    if len(builder) > most:
        return builder
    rows.start_anew()
    return _grown(rows, algorithm, most)


def _looks_large(rows: SortedRows, algorithm: Algorithm, most: int) -> bool:
    """Return whether a tree will likely have many times `most` nodes: of numbers that differ, without a limit that
    would keep it small.
    """
    least = max(algorithm.min_samples_split, 2 * algorithm.min_samples_leaf, 2)
    paying = algorithm.min_impurity_decrease > 0 or algorithm.min_gain > 0 or algorithm.min_weight_fraction_leaf > 0
    deep = algorithm.max_depth is None or algorithm.max_depth > 2 + math.log2(most + 1)
    many = rows.n_rows > 4 * least * (most + 1)
    return algorithm.task == "number" and deep and not paying and many and rows.differ


def _grown(rows: SortedRows, algorithm: Algorithm, most: int) -> TreeBuilder:
    """Return a builder that holds the tree, and a record of what was found if it has at most so many nodes."""
    rules = search_rules(rows, algorithm, np.zeros(len(rows.schema), dtype=np.int8), total_weight=1.0)
    contest = contest_of(rows, algorithm)
    rule = rules[0] if rules else Rule(rows.criterion, "error", "multiway", 0.0)
    none = np.zeros(0)
    nodes, splits, record = rows.native.grow(
        MEASURES[algorithm.scoring.name],
        POLICIES[algorithm.missing],
        NOMINAL[algorithm.nominal],
        min(int(algorithm.min_samples_leaf), ENDLESS),
        algorithm.min_weight_fraction_leaf,
        rule.min_cases,
        TIE,
        programs_rules(rule),
        _contest(contest, algorithm),
        _counted(contest, len(rules)),
        [none if rule.training_values is None else rule.training_values for rule in rules] if by_data(rules) else [],
        ENDLESS if algorithm.max_depth is None else min(int(algorithm.max_depth), ENDLESS),
        min(int(algorithm.min_samples_split), ENDLESS),
        algorithm.min_impurity_decrease,
        algorithm.min_gain,
        algorithm.zero_gain == "split",
        most,
        MOST_CELLS,
    )
    return _Whole(rows, algorithm, rules, contest, *nodes).builder(splits, record)


def _contest(contest: Contest, algorithm: Algorithm) -> tuple[Any, ...] | None:
    """Return how columns compete as the native kernels read it; None where they simply do by gain."""
    rules = contest.conventions
    by_gain = algorithm.conventions == "c45" and not contest.ratio and not algorithm.mdl_correction
    if by_gain and algorithm.min_cases == 0:
        return None
    return (
        contest.ratio,
        contest.guard,
        contest.zero_gain,
        rules.in_turn,
        rules.numbers_need_gain,
        -1.0 if rules.band is None else rules.band,
        TIE,
        -1.0 if rules.guard_slack is None else rules.guard_slack,
        rules.least_gain,
        rules.least_information,
        math.nan if rules.least_score is None else rules.least_score,
        rules.nothing,
        least_weight(algorithm),
    )


def _counted(contest: Contest, n_columns: int) -> NDArray[np.uint8]:
    """Return which columns enter the average of the guard; all do where none is marked."""
    if contest.many is None or not contest.conventions.leaves_many_out:
        return np.zeros(n_columns, dtype=np.uint8)
    return (~contest.many).astype(np.uint8)


class _Whole:
    """The nodes of a whole tree."""

    def __init__(
        self, rows: SortedRows, algorithm: Algorithm, rules: list[Rule], contest: Contest, *nodes: Any
    ) -> None:
        n_samples, self.parent, weight, classes, value, scaled, centre, scale, self.reason = nodes
        self.rows, self.algorithm, self.criterion = rows, algorithm, algorithm.scoring
        self.rules, self.contest = rules, contest
        summaries = (n_samples, weight, self.reason == Reason.PURE, classes, value, scaled, centre, scale)
        self.nodes = rows.nodes_of(summaries)

    def builder(self, splits: tuple[Any, ...], record: tuple[Any, ...] | None) -> TreeBuilder:
        """Return a builder with the nodes, their splits, and what was found in them."""
        first_child, column, kind, exact, gain, threshold, missing_branch, branch_start, weights = splits[:9]
        category_start, category_branch = splits[9:]
        share = shares_of(self.algorithm.missing, weights, branch_start, missing_branch)
        feature = np.array(self.rows.features, dtype=np.int32)[column]
        batch = Splits(feature, kind, threshold, branch_start, share, category_start, category_branch, exact.view(bool))
        is_split = self.reason == Reason.SPLIT
        at, leaves = np.flatnonzero(is_split), np.flatnonzero(~is_split)
        builder = TreeBuilder(self.algorithm)
        builder.add(self.nodes, self.parent, np.concatenate([np.ones(1), share]))
        none = np.zeros(len(at))
        gains = self._gain_of_target(gain, self.nodes.take(at))
        builder.split(Pending(at, at, at, batch, gains, none), first_child)
        builder.stop(leaves, self.reason[leaves])
        if record is not None:
            self._keep(builder, *record)
        return builder

    def _gain_of_target(self, gain: Floats, nodes: Nodes) -> Floats:
        """Return gains in units of the target, 0 for what is only rounding."""
        unit = _unit(nodes, self.criterion)
        gain = gain * unit
        gain[np.abs(gain) <= self._bands(nodes) * unit] = 0.0
        return gain

    def _bands(self, nodes: Nodes) -> Floats:
        return CONVENTIONS[self.algorithm.conventions].bands(nodes.scaled_impurity)

    def _keep(self, builder: TreeBuilder, searched: Any, found: tuple[Any, ...], findings: Any) -> None:
        """Have what was found kept: put together when it is asked for, if it needs no training values for that."""
        nodes, features = self.nodes.take(searched), self.rows.features
        make = partial(_record_of, findings, found, nodes, features, self.rules, self.contest, self.algorithm)
        if by_data(self.rules):
            record = make()
            builder.keep(searched, findings.n_cells, lambda: record)
        else:
            builder.keep(searched, findings.n_cells, make)


def _unit(nodes: Nodes, criterion: Criterion) -> Floats:
    """Return the factors from gains of the scanned numbers to those of the target."""
    unit: Floats = nodes.scale**criterion.degree
    return unit


def _record_of(
    findings: Any,
    found: tuple[Any, ...],
    nodes: Nodes,
    features: list[int],
    rules: list[Rule],
    contest: Contest,
    algorithm: Algorithm,
) -> Record:
    """Return the record of the nodes that were searched; it must not hold the training rows."""
    shape = (len(features), len(nodes))
    gain, information, kind, missing_branch, exact, tried = (array.reshape(shape).T for array in found)
    rule, band = rules[0] if rules else None, contest.conventions.bands(nodes.scaled_impurity)
    paid = corrections(rule, kind, tried, nodes.weight)
    score = scores(rule, gain - paid, information, kind, band)
    width = nodes.statistics.shape[1]
    kept = SortedFindings(findings, gain, score, information, paid, kind, missing_branch, exact.view(bool), width)
    kept.set_thresholds(rules)
    unit = _unit(nodes, algorithm.scoring)
    least = algorithm.min_gain / unit if algorithm.min_gain > 0 else np.zeros(len(unit))
    choice = choose(gain - paid, score, information, band, contest, least)
    return Record(kept, choice, nodes, unit, features, algorithm.scoring, algorithm.missing)
