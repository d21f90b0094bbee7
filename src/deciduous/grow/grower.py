"""The grower: one loop for ID3, C4.5 and CART, in memory or not, level by level or best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Label
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.bounds import ComplexityBounds
from deciduous.grow.builder import Named, TreeBuilder
from deciduous.grow.depth_first import grow_depth_first, grows_depth_first
from deciduous.grow.frontier import BestFirst, Frontier, LevelByLevel
from deciduous.grow.inherited import answers_of, of_children, of_root, within_bounds
from deciduous.grow.native_surrogate_rows import NativeSurrogateRows
from deciduous.grow.nodes import AsksSurrogates, Best, Nodes, Rows
from deciduous.grow.progress import Progress
from deciduous.grow.record import Record
from deciduous.grow.risk import Risk
from deciduous.grow.search_rules import contest_of, search_rules
from deciduous.grow.sorted_rows import SortedRows
from deciduous.grow.splits import NOTHING, Pending
from deciduous.grow.stopping import stop_before_search, too_light
from deciduous.grow.whole import grow_whole, grows_whole
from deciduous.measures import Floats
from deciduous.model.reason import Reason
from deciduous.model.tree import Tree
from deciduous.search.choose import Choice, Contest, choose
from deciduous.search.contingency import TIE, Rule
from deciduous.search.conventions import CONVENTIONS
from deciduous.search.monotone import signs_of

Numbers = NDArray[np.int64]


def grow(
    rows: Rows,
    algorithm: Algorithm,
    target: str,
    classes: tuple[Label, ...] = (),
    weighted: bool = False,
    others: Sequence[Named] = (),
    risk: Risk | None = None,
) -> Tree:
    """Grow a tree.

    `rows` answers for the best splits of a batch of nodes and for their division, or, where it can, for the whole tree;
    `target` is the name of the target, `classes` its labels in the order of their codes; `weighted` says that rows have
    weights other than 1; `others` are the names and classes of further targets; `risk`: what wrong answers cost, with
    `missing="surrogates"`.
    """
    if isinstance(rows, SortedRows) and not others and risk is None and grows_whole(rows, algorithm):
        return grow_whole(rows, algorithm).freeze(rows.schema, target, classes, weighted)
    if isinstance(rows, NativeSurrogateRows) and risk is not None and grows_depth_first(algorithm):
        builder, complexity = grow_depth_first(rows, algorithm, risk)
        return replace(builder.freeze(rows.schema, target, classes, weighted), complexity=complexity)
    root = rows.root()
    frontier: Frontier = LevelByLevel() if algorithm.max_leaf_nodes is None else BestFirst()
    with Progress(int(root.rows[0]), algorithm.verbose) as progress:
        growth = _Growth(rows, algorithm, classes, progress, risk=risk)
        frontier.push(growth.plant(root))
        while batch := frontier.pop():
            frontier.push(growth.split(batch))
    return growth.builder.freeze(rows.schema, target, classes, weighted, others)


class _Growth:
    """The steps of the loop: decide what becomes of nodes, and split those that are decided."""

    def __init__(
        self,
        rows: Rows,
        algorithm: Algorithm,
        classes: tuple[Label, ...],
        progress: Progress,
        risk: Risk | None,
    ) -> None:
        self.rows, self.algorithm, self.progress = rows, algorithm, progress
        self.criterion, self.conventions = rows.criterion, CONVENTIONS[algorithm.conventions]
        self.builder = TreeBuilder(algorithm, risk)
        self.bounds = None if risk is None else ComplexityBounds(risk, algorithm.cp)
        self.n_leaves = 1
        self.total_weight = 0.0
        constraints = algorithm.monotonic_cst
        free = np.zeros(len(rows.schema), dtype=np.int8)
        self.signs = free if constraints is None else signs_of(constraints, rows.schema, classes)

    def plant(self, root: Nodes) -> Pending:
        """Add the root and decide what becomes of it."""
        self.total_weight = float(root.weight[0])
        if self.algorithm.inherits:
            root = replace(root, inherited=of_root(self.algorithm.seed))
        numbers = self.builder.add(root, np.array([-1]), np.ones(1))
        return self.decide(numbers, np.zeros(1, dtype=np.int64), root)

    def split(self, batch: Pending) -> Pending:
        """Make the splits of a batch, as far as the limit of leaves allows, and decide what becomes of the children."""
        batch = self._fitting(batch)
        if not len(batch):
            return batch
        if self.algorithm.missing == "surrogates":
            asks = cast(AsksSurrogates, self.rows)
            batch = replace(batch, splits=asks.with_surrogates(batch.handles, batch.splits))
        splits, branches = batch.splits, batch.splits.n_branches
        self.builder.split(batch, len(self.builder) + splits.branch_start[:-1])
        children = self._with_inheritance(batch, self.rows.divide(batch.handles, splits))
        share = splits.share if splits.surrogates is None else self._shares(children)
        numbers = self.builder.add(self._bounded(children), np.repeat(batch.node, branches), share)
        if self.bounds is not None:
            self.bounds.hand_down(np.repeat(batch.node, branches))
        return self.decide(numbers, np.repeat(batch.depth + 1, branches), children)

    def _shares(self, children: Nodes) -> Floats:
        """Return where rows go that no surrogate knows: to the child with more rows, nowhere if both have as many."""
        pairs = children.rows.reshape(-1, 2)
        more = (pairs > pairs[:, ::-1]) & (self.algorithm.use_surrogates == 2)
        return more.ravel().astype(np.float64)

    def _with_inheritance(self, parents: Pending, children: Nodes) -> Nodes:
        """Return children with what they have from above."""
        if parents.inherited is None:
            return children
        splits, values = parents.splits, answers_of(children.statistics, self.algorithm.task)
        given = of_children(parents.inherited, splits.n_branches, self.signs[splits.feature], values)
        return replace(children, inherited=given)

    def _bounded(self, nodes: Nodes) -> Nodes:
        """Return nodes as they are stored, their answers between the bounds; the search needs them as they are."""
        if nodes.inherited is None:
            return nodes
        return replace(nodes, statistics=within_bounds(nodes.statistics, nodes.inherited, self.algorithm.task))

    def _fitting(self, batch: Pending) -> Pending:
        """Count the leaves that splits add; nodes whose split would be too many stay leaves."""
        after = self.n_leaves + len(batch.splits.share) - len(batch)
        if self.algorithm.max_leaf_nodes is None or after <= self.algorithm.max_leaf_nodes:
            self.n_leaves = after
            return batch
        # Best first: a batch is one node.
        self.builder.stop(batch.node, np.full(len(batch), Reason.MAX_LEAF_NODES, dtype=np.uint8))
        return batch.take(np.zeros(0, dtype=np.int64))

    def decide(self, numbers: Numbers, depth: Numbers, nodes: Nodes) -> Pending:
        """Find out for new nodes whether they are leaves, and if not, their splits."""
        reasons = stop_before_search(nodes, depth, self.algorithm)
        if not self.builder.keeps_candidates:  # else it is to be shown, column by column, why there is none
            reasons[(reasons == Reason.SPLIT) & too_light(nodes, self.algorithm)] = Reason.NO_CANDIDATE
        if self.bounds is not None and nodes.risk is not None:
            reasons = self.bounds.stop(nodes.risk, reasons)
        is_open = reasons == Reason.SPLIT
        handles = self.rows.open(nodes, is_open)
        self._stop(numbers, nodes, reasons, ~is_open)
        numbers, depth, nodes = numbers[is_open], depth[is_open], nodes.take(is_open)
        if not len(nodes):
            return NOTHING
        band = self._bands(nodes)
        keeps = self.builder.keeps_candidates
        best = self.rows.best_splits(handles, nodes, self._rules, band, keeps)
        if self.bounds is not None:
            nothing = ~self.bounds.noticeable(numbers, best.score)
            best.gain[nothing] = best.score[nothing] = -np.inf
        unit = nodes.scale**self.criterion.degree  # from the impurity of scanned numbers to that of the target
        choice = choose(
            best.gain - best.correction, best.score, best.information, band, self._contest, self._min_gain(unit)
        )
        if keeps:
            policy = self.algorithm.missing
            record = Record(best.findings(), choice, nodes, unit, self.rows.features, self.criterion, policy)
            self.builder.keep(numbers, record.findings.n_cells, lambda: record)
        return self._pend(numbers, depth, handles, nodes, best, choice, unit)

    def _stop(self, numbers: Numbers, nodes: Nodes, reasons: NDArray[np.uint8], which: NDArray[np.bool_]) -> None:
        """Let some of the nodes be leaves."""
        self.builder.stop(numbers[which], reasons[which])
        self.progress.settled(int(nodes.rows[which].sum()))

    def _bands(self, nodes: Nodes) -> Floats:
        """Return the width within which scores are tied. Of a user's criterion the scale is not known, and with
        surrogates the first strictly best one wins: only equal ones are.
        """
        exact = self.criterion.own or self.bounds is not None
        return np.zeros(len(nodes)) if exact else self.conventions.bands(nodes.scaled_impurity)

    def _min_gain(self, unit: Floats) -> Floats:
        """Return the least gain of a split, in units of the scanned numbers; a tiny unit makes it unreachable."""
        if self.algorithm.min_gain == 0:
            return np.zeros(len(unit))
        with np.errstate(divide="ignore"):
            return self.algorithm.min_gain / unit

    @cached_property
    def _contest(self) -> Contest:
        """How columns compete."""
        return contest_of(self.rows, self.algorithm)

    @cached_property
    def _rules(self) -> list[Rule]:
        """What the search must know, for every column; the tie band is each node's own."""
        return search_rules(self.rows, self.algorithm, self.signs, self.total_weight)

    def _pend(
        self,
        numbers: Numbers,
        depth: Numbers,
        handles: NDArray[Any],
        nodes: Nodes,
        best: Best,
        choice: Choice,
        unit: Floats,
    ) -> Pending:
        """Return the nodes that have a split worth making; the others become leaves."""
        at = np.arange(len(nodes))
        won = choice.winner >= 0
        gain = np.where(won, best.gain[at, choice.winner] if best.gain.size else 0.0, 0.0) * unit
        gain[np.abs(gain) <= self._bands(nodes) * unit] = 0.0  # rounding must not order what grows best first
        decrease = gain * nodes.weight
        bar = self.algorithm.min_impurity_decrease
        too_little = won & (bar > 0) & (decrease / self.total_weight < bar - TIE * np.maximum(nodes.impurity, bar))
        split_on = won & ~too_little
        if not split_on.all():
            some = np.isfinite(best.gain).any(axis=1)
            reason = np.where(some, Reason.NO_GAIN, Reason.NO_CANDIDATE)
            reason[too_little] = Reason.MIN_IMPURITY_DECREASE
            self._stop(numbers, nodes, reason.astype(np.uint8), ~split_on)
            self.rows.close(handles[~split_on])
        at = np.flatnonzero(split_on)
        splits = best.splits(at, choice.winner[at], self.algorithm.missing)
        inherited = None if nodes.inherited is None else nodes.inherited.take(at)
        return Pending(numbers[at], depth[at], handles[at], splits, gain[at], decrease[at], inherited)
