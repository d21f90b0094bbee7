"""The grower: one loop for ID3, C4.5 and CART, in memory or not, level by level or best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Label
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.builder import TreeBuilder
from deciduous.grow.frontier import BestFirst, Frontier, LevelByLevel, Pending
from deciduous.grow.inherited import Inherited, answers_of, of_children, of_root, within_bounds
from deciduous.grow.nodes import Best, Nodes, Rows
from deciduous.grow.stopping import stop_before_search
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.candidate import Candidate, Verdict
from deciduous.model.split import Split
from deciduous.model.tree import Reason, Tree
from deciduous.search.choose import Choice, choose
from deciduous.search.contingency import TIE, Found, Rule
from deciduous.search.monotone import signs_of
from deciduous.search.sample import looks_of

Numbers = NDArray[np.int64]
EPSILON = float(np.finfo(np.float64).eps)


def grow(
    rows: Rows, algorithm: Algorithm, target: str, classes: tuple[Label, ...] = (), weighted: bool = False
) -> Tree:
    """Grow a tree.

    `rows` answers for the best splits of a batch of nodes and for their division; `target` is the name of the target,
    `classes` its labels in the order of their codes; `weighted` says that rows have weights other than 1.
    """
    growth = _Growth(rows, algorithm, classes)
    frontier: Frontier = LevelByLevel() if algorithm.max_leaf_nodes is None else BestFirst()
    frontier.push(growth.plant())
    while batch := frontier.pop():
        frontier.push(growth.split(batch))
    return growth.builder.freeze(rows.schema, target, classes, weighted)


class _Growth:
    """The steps of the loop: decide what becomes of nodes, and split those that are decided."""

    def __init__(self, rows: Rows, algorithm: Algorithm, classes: tuple[Label, ...]) -> None:
        self.rows, self.algorithm = rows, algorithm
        self.criterion = algorithm.scoring
        self.builder = TreeBuilder(algorithm)
        self.n_leaves = 1
        self.total_weight = 0.0
        constraints = algorithm.monotonic_cst
        free = np.zeros(len(rows.schema), dtype=np.int8)
        self.signs = free if constraints is None else signs_of(constraints, rows.schema, classes)

    def plant(self) -> list[Pending]:
        """Add the root and decide what becomes of it."""
        root = self.rows.root()
        self.total_weight = float(root.weight[0])
        if self.algorithm.inherits:
            root = replace(root, inherited=of_root(self.algorithm.seed))
        return self.decide(self.builder.add(root, np.array([-1]), np.ones(1)), np.zeros(1, dtype=np.int64), root)

    def split(self, batch: list[Pending]) -> list[Pending]:
        """Make the splits of a batch, as far as the limit of leaves allows, and decide what becomes of the children."""
        made = [pending for pending in batch if self._fits(pending)]
        if not made:
            return []
        first_child = len(self.builder)
        for pending in made:
            self.builder.split(pending.node, first_child, pending.split, pending.gain, pending.exact)
            first_child += pending.split.n_branches
        branches = [pending.split.n_branches for pending in made]
        children = self.rows.divide([pending.handle for pending in made], [pending.split for pending in made])
        children = self._with_inheritance(made, children)
        numbers = self.builder.add(
            self._bounded(children),
            np.repeat([pending.node for pending in made], branches),
            np.concatenate([pending.split.shares for pending in made]),
        )
        return self.decide(numbers, np.repeat([pending.depth + 1 for pending in made], branches), children)

    def _with_inheritance(self, made: list[Pending], children: Nodes) -> Nodes:
        """Return children with what they have from above."""
        given = [pending.inherited for pending in made if pending.inherited is not None]
        if not given:
            return children
        fields = ("key", "low", "high")
        parents = Inherited(*(np.concatenate([getattr(one, name) for one in given]) for name in fields))
        n_branches = np.array([pending.split.n_branches for pending in made])
        signs = self.signs[[pending.split.feature for pending in made]]
        values = answers_of(children.statistics, self.algorithm.task)
        return replace(children, inherited=of_children(parents, n_branches, signs, values))

    def _bounded(self, nodes: Nodes) -> Nodes:
        """Return nodes as they are stored, their answers between the bounds; the search needs them as they are."""
        if nodes.inherited is None:
            return nodes
        return replace(nodes, statistics=within_bounds(nodes.statistics, nodes.inherited, self.algorithm.task))

    def _fits(self, pending: Pending) -> bool:
        """Count the leaves that a split adds; a node whose split would be too many stays a leaf."""
        limit = self.algorithm.max_leaf_nodes
        after = self.n_leaves + pending.split.n_branches - 1
        if limit is not None and after > limit:
            self.builder.stop(np.array([pending.node]), np.array([Reason.MAX_LEAF_NODES], dtype=np.uint8))
            return False
        self.n_leaves = after
        return True

    def decide(self, numbers: Numbers, depth: Numbers, nodes: Nodes) -> list[Pending]:
        """Find out for new nodes whether they are leaves, and if not, their splits."""
        reasons = stop_before_search(nodes, depth, self.algorithm)
        is_open = reasons == Reason.SPLIT
        handles = self.rows.open(nodes, is_open)
        self.builder.stop(numbers[~is_open], reasons[~is_open])
        numbers, depth, nodes = numbers[is_open], depth[is_open], nodes.take(is_open)
        if not len(nodes):
            return []
        band = self._bands(nodes)
        keeps = self.builder.keeps_candidates
        best = self.rows.best_splits(handles, nodes, self._rules, band, keeps)
        unit = nodes.scale**self.criterion.degree  # from the impurity of scanned numbers to that of the target
        choice = choose(
            best.gain,
            best.score,
            best.information,
            band,
            ratio=self.criterion.ratio,
            guard=self.algorithm.guard,
            zero_gain=self.algorithm.zero_gain == "split",
            min_gain=self._min_gain(unit),
        )
        if keeps:
            self._keep(numbers, nodes, best, choice, unit)
        return self._pend(numbers, depth, handles, nodes, best, choice, unit)

    def _bands(self, nodes: Nodes) -> Floats:
        """Return the width within which scores are tied. Of a user's criterion the scale is not known: only equal
        ones are.
        """
        return np.zeros(len(nodes)) if self.criterion.own else TIE * nodes.scaled_impurity

    def _min_gain(self, unit: Floats) -> Floats:
        """Return the least gain of a split, in units of the scanned numbers; a tiny unit makes it unreachable."""
        with np.errstate(divide="ignore"):
            return np.zeros(len(unit)) if self.algorithm.min_gain == 0 else self.algorithm.min_gain / unit

    @cached_property
    def _rules(self) -> list[Rule]:
        """What the search must know, for every column; the tie band is each node's own."""
        options = self.algorithm
        rule = Rule(
            criterion=self.criterion,
            missing=options.missing,
            nominal=options.nominal,
            band=0.0,
            min_samples_leaf=min(int(options.min_samples_leaf), 2**62),
            min_weight_leaf=options.min_weight_fraction_leaf * self.total_weight,
            min_cases=options.min_cases,
            splitter=options.splitter,
            looks=looks_of(options.max_features, len(self.rows.features)),
        )
        signed = [replace(rule, monotone=int(self.signs[j])) for j in self.rows.features]
        if options.threshold != "data":
            return signed
        kinds = [self.rows.schema.features[j].kind for j in self.rows.features]
        return [
            rule if kind == "nominal" else replace(rule, training_values=self.rows.training_values(j))
            for rule, j, kind in zip(signed, self.rows.features, kinds, strict=True)
        ]

    def _pend(
        self,
        numbers: Numbers,
        depth: Numbers,
        handles: Sequence[Any],
        nodes: Nodes,
        best: Best,
        choice: Choice,
        unit: Floats,
    ) -> list[Pending]:
        """Return the nodes that have a split worth making; the others become leaves."""
        at = np.arange(len(nodes))
        won = choice.winner >= 0
        gain = np.where(won, best.gain[at, choice.winner], 0.0) * unit
        decrease = gain * nodes.weight
        bar = self.algorithm.min_impurity_decrease
        too_little = won & (bar > 0) & (decrease / self.total_weight < bar - TIE * np.maximum(nodes.impurity, bar))
        some = np.isfinite(best.gain).any(axis=1)
        reason = np.where(too_little, Reason.MIN_IMPURITY_DECREASE, np.where(some, Reason.NO_GAIN, Reason.NO_CANDIDATE))
        split_on = won & ~too_little
        self.builder.stop(numbers[~split_on], reason[~split_on].astype(np.uint8))
        pending = []
        for i in np.flatnonzero(split_on).tolist():
            found = best.found(i, int(choice.winner[i]))
            assert isinstance(found, Found)
            split = self._split(self.rows.features[choice.winner[i]], found)
            pending.append(
                Pending(
                    int(numbers[i]),
                    int(depth[i]),
                    handles[i],
                    split,
                    float(gain[i]),
                    float(decrease[i]),
                    found.exact,
                    None if nodes.inherited is None else nodes.inherited.take([i]),
                )
            )
        return pending

    def _split(self, feature: int, found: Found) -> Split:
        branches = np.zeros(0, dtype=np.int32) if found.category_branch is None else found.category_branch
        shares = shares_of(self.algorithm.missing, found.weights, found.missing_branch)
        return Split(feature, found.kind, len(found.weights), found.threshold, branches, shares)

    # --- the record of what was found ---

    def _keep(self, numbers: Numbers, nodes: Nodes, best: Best, choice: Choice, unit: Floats) -> None:
        """Keep the record of the search in each node, while the tree is small enough."""
        for i, number in enumerate(numbers.tolist()):
            if self.builder.keeps_candidates:
                results = [best.found(i, j) for j in range(len(self.rows.features))]
                self.builder.keep(
                    number, [self._candidate(j, r, choice, i, nodes, unit) for j, r in enumerate(results)]
                )

    def _candidate(
        self, column: int, result: Found | Verdict, choice: Choice, i: int, nodes: Nodes, unit: Floats
    ) -> Candidate:
        feature = self.rows.features[column]
        if not isinstance(result, Found):
            return Candidate(feature, result)
        gain = result.gain * float(unit[i])
        return Candidate(
            feature,
            choice.verdict(i, column),
            self._split(feature, result),
            None if result.table is None else self._in_units(result.table, nodes, i),
            None if result.missing is None else self._in_units(result.missing, nodes, i),
            gain,
            result.score if self.criterion.ratio else gain,
            result.tried,
            result.exact,
        )

    def _in_units(self, statistics: Floats, nodes: Nodes, i: int) -> Floats:
        """Return class weights as they are; moments of scanned numbers as (weight, mean, mean squared deviation), or
        (weight, median, mean absolute deviation) in units of the target.
        """
        if self.algorithm.task == "class":
            return statistics
        centre, scale = float(nodes.centre[i]), float(nodes.scale[i])
        if not self.criterion.additive:
            return statistics * [1.0, scale, scale] + [0.0, centre, 0.0]
        w, wy, wyy = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        safe = np.where(w > 0, w, 1.0)
        variance = wyy / safe - (wy / safe) ** 2
        variance = np.where(
            variance > 8 * EPSILON * wyy / safe, variance, 0.0
        )  # no more than the rounding of the two terms
        return np.stack([w, centre + scale * wy / safe, variance * scale**2], axis=-1)
