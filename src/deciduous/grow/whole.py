"""Whole trees grown in one call of the native kernels (`native/growth.cpp`), which is their loop of `grower.py`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from deciduous.criteria import Criterion
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.builder import MOST_CELLS, TreeBuilder
from deciduous.grow.nodes import Nodes
from deciduous.grow.record import Record
from deciduous.grow.sorted_rows import MEASURES, NOMINAL, POLICIES, SortedFindings, SortedRows
from deciduous.grow.splits import Pending, Splits
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.tree import Reason
from deciduous.search.choose import Contest, choose
from deciduous.search.contingency import TIE

#: More than any node has rows, or any tree has levels.
ENDLESS = 2**62


def grows_whole(rows: SortedRows, algorithm: Algorithm) -> bool:
    """Return whether the native loop knows these options: level by level, whole rows, columns compared by gain,
    thresholds midway, nothing taken from above, no rules of Quinlan's programs; and no progress is to be shown.
    """
    return (
        not rows.in_parts
        and algorithm.conventions == "c45"
        and not algorithm.mdl_correction
        and algorithm.min_cases == 0
        and algorithm.max_leaf_nodes is None
        and not algorithm.scoring.ratio
        and not algorithm.inherits
        and algorithm.threshold == "midpoint"
        and algorithm.min_impurity == 0
        and not algorithm.verbose
    )


def grow_whole(rows: SortedRows, algorithm: Algorithm) -> TreeBuilder:
    """Return a builder that holds the whole tree."""
    nodes, splits, record = rows.native.grow(
        MEASURES[algorithm.scoring.name],
        POLICIES[algorithm.missing],
        NOMINAL[algorithm.nominal],
        min(int(algorithm.min_samples_leaf), ENDLESS),
        algorithm.min_weight_fraction_leaf,
        TIE,
        ENDLESS if algorithm.max_depth is None else min(int(algorithm.max_depth), ENDLESS),
        min(int(algorithm.min_samples_split), ENDLESS),
        algorithm.min_impurity_decrease,
        algorithm.min_gain,
        algorithm.zero_gain == "split",
        min(int(algorithm.keep_candidates), ENDLESS),
        MOST_CELLS,
    )
    return _Whole(rows, algorithm, *nodes).builder(splits, record)


class _Whole:
    """The nodes of a whole tree."""

    def __init__(self, rows: SortedRows, algorithm: Algorithm, *nodes: Any) -> None:
        n_samples, self.parent, weight, classes, value, scaled, centre, scale, self.reason = nodes
        self.rows, self.algorithm, self.criterion = rows, algorithm, algorithm.scoring
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
            searched, found, findings = record
            make = partial(_record_of, findings, found, self.nodes.take(searched), self.rows.features, self.algorithm)
            builder.keep(searched, findings.n_cells, make)
        return builder

    def _gain_of_target(self, gain: Floats, nodes: Nodes) -> Floats:
        """Return gains in units of the target, 0 for what is only rounding."""
        unit = _unit(nodes, self.criterion)
        gain = gain * unit
        gain[np.abs(gain) <= TIE * nodes.scaled_impurity * unit] = 0.0
        return gain


def _unit(nodes: Nodes, criterion: Criterion) -> Floats:
    """Return the factors from gains of the scanned numbers to those of the target."""
    unit: Floats = nodes.scale**criterion.degree
    return unit


def _record_of(
    findings: Any, found: tuple[Any, ...], nodes: Nodes, features: list[int], algorithm: Algorithm
) -> Record:
    """Return the record of the nodes that were searched; it must not hold the training rows."""
    shape = (len(features), len(nodes))
    gain, information, kind, missing_branch, exact, _ = (array.reshape(shape).T for array in found)
    no_correction = np.zeros(gain.shape)
    kept = SortedFindings(
        findings,
        gain,
        gain,
        information,
        no_correction,
        kind,
        missing_branch,
        exact.view(bool),
        nodes.statistics.shape[1],
    )
    unit = _unit(nodes, algorithm.scoring)
    choice = choose(
        gain,
        gain,
        information,
        TIE * nodes.scaled_impurity,
        Contest(ratio=False, guard=algorithm.guard, zero_gain=algorithm.zero_gain == "split"),
        algorithm.min_gain / unit if algorithm.min_gain > 0 else np.zeros(len(unit)),
    )
    return Record(kept, choice, nodes, unit, features, algorithm.scoring, algorithm.missing)
