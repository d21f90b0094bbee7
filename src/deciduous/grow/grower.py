"""The grower: one loop for ID3, C4.5 and CART, in memory or not, level by level or best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deciduous.data.schema import Label
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.builder import TreeBuilder
from deciduous.grow.frontier import BestFirst, Frontier, LevelByLevel, Pending
from deciduous.grow.rows import Entries, MemoryRows, Summary
from deciduous.grow.stopping import stop_before_search
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.candidate import Candidate, Verdict
from deciduous.model.split import Split
from deciduous.model.tree import Reason, Tree
from deciduous.search.choose import Choice, choose
from deciduous.search.contingency import TIE, Found, Rule, weight_of


def grow(
    rows: MemoryRows, algorithm: Algorithm, target: str, classes: tuple[Label, ...] = (), weighted: bool = False
) -> Tree:
    """Grow a tree.

    `rows` answers for the best splits of a batch of nodes and for the partition of a batch; `target` is the name of
    the target, `classes` its labels in the order of their codes; `weighted` says that rows have weights other than 1.
    """
    growth = _Growth(rows, algorithm)
    frontier: Frontier = LevelByLevel() if algorithm.max_leaf_nodes is None else BestFirst()
    frontier.push(growth.plant())
    while batch := frontier.pop():
        frontier.push(growth.split(batch))
    return growth.builder.freeze(rows.schema, target, classes, weighted)


class _Growth:
    """The steps of the loop: decide what becomes of nodes, and split those that are decided."""

    def __init__(self, rows: MemoryRows, algorithm: Algorithm) -> None:
        self.rows, self.algorithm = rows, algorithm
        self.criterion = algorithm.scoring
        self.builder = TreeBuilder(algorithm)
        self.n_leaves = 1
        self.total_weight = 0.0
        self._training_values: dict[int, Floats | None] = {}

    def plant(self) -> list[Pending]:
        """Add the root and decide what becomes of it."""
        entries = self.rows.root()
        summary = self.rows.summarise(entries)
        self.total_weight = summary.weight
        return self.decide([(self.builder.add(summary, parent=-1, share=1.0), 0, entries, summary)])

    def split(self, batch: list[Pending]) -> list[Pending]:
        """Make the splits of a batch, as far as the limit of leaves allows, and decide what becomes of the children."""
        made = [pending for pending in batch if self._fits(pending)]
        parts = self.rows.partition([(pending.entries, pending.split) for pending in made])
        children = []
        for pending, entries in zip(made, parts, strict=True):
            summaries = [self.rows.summarise(part) for part in entries]
            numbers = self.builder.split(pending, summaries)
            children += [
                (number, pending.depth + 1, part, summary)
                for number, part, summary in zip(numbers, entries, summaries, strict=True)
            ]
        return self.decide(children)

    def _fits(self, pending: Pending) -> bool:
        """Count the leaves that a split adds; a node whose split would be too many stays a leaf."""
        limit = self.algorithm.max_leaf_nodes
        after = self.n_leaves + pending.split.n_branches - 1
        if limit is not None and after > limit:
            self.builder.leaf(pending.node, Reason.MAX_LEAF_NODES, pending.candidates)
            return False
        self.n_leaves = after
        return True

    def decide(self, nodes: Sequence[tuple[int, int, Entries, Summary]]) -> list[Pending]:
        """Find out for new nodes (number, depth, rows, statistics) whether they are leaves, and if not, their
        splits.
        """
        open_nodes = []
        for number, depth, entries, summary in nodes:
            reason = stop_before_search(summary, depth, self.algorithm)
            if reason is None:
                open_nodes.append((number, depth, entries, summary))
            else:
                self.builder.leaf(number, reason)
        found = self.rows.best_splits(
            [(entries, summary) for _, _, entries, summary in open_nodes],
            [self._rules(summary) for _, _, _, summary in open_nodes],
        )
        decided = [self._choose(*node, best) for node, best in zip(open_nodes, found, strict=True)]
        return [pending for pending in decided if pending is not None]

    def _rules(self, summary: Summary) -> list[Rule]:
        """Return what the search must know, for every column."""
        options = self.algorithm
        rule = Rule(
            criterion=self.criterion,
            missing=options.missing,
            nominal=options.nominal,
            band=self._band(summary),
            min_samples_leaf=int(options.min_samples_leaf),
            min_weight_leaf=options.min_weight_fraction_leaf * self.total_weight,
            min_cases=options.min_cases,
        )
        if options.threshold != "data":
            return [rule] * len(self.rows.features)
        return [replace(rule, training_values=self._values(j)) for j in self.rows.features]

    def _band(self, summary: Summary) -> float:
        """Return the width within which scores are tied. Of a user's criterion the scale is not known: only equal
        ones are.
        """
        return 0.0 if self.criterion.own else TIE * summary.scaled_impurity

    def _values(self, feature: int) -> Floats | None:
        if self.rows.schema.features[feature].kind == "nominal":
            return None
        if feature not in self._training_values:
            self._training_values[feature] = self.rows.training_values(feature)
        return self._training_values[feature]

    def _choose(
        self, number: int, depth: int, entries: Entries, summary: Summary, results: Sequence[Found | Verdict]
    ) -> Pending | None:
        options, band = self.algorithm, self._band(summary)
        unit = summary.scale**2 if options.task == "number" else 1.0  # from the scanned numbers to those of the target
        found = [result if isinstance(result, Found) else None for result in results]
        choice = choose(
            found,
            band,
            ratio=self.criterion.ratio,
            guard=options.guard,
            zero_gain=options.zero_gain == "split",
            min_gain=options.min_gain / unit,
        )
        candidates = self._candidates(choice, results, summary, unit)
        if choice.winner is None:
            some = any(f is not None for f in found)
            self.builder.leaf(number, Reason.NO_GAIN if some else Reason.NO_CANDIDATE, candidates)
            return None
        best = found[choice.winner]
        assert best is not None
        decrease = best.gain * unit * summary.weight
        bar = options.min_impurity_decrease
        if bar > 0 and decrease / self.total_weight < bar - TIE * max(summary.impurity, bar):
            self.builder.leaf(number, Reason.MIN_IMPURITY_DECREASE, candidates)
            return None
        split = self._split(self.rows.features[choice.winner], best)
        return Pending(number, depth, entries, split, best.gain * unit, decrease, best.exact, candidates)

    def _split(self, feature: int, found: Found) -> Split:
        weights = weight_of(found.table, self.criterion)
        branches = np.zeros(0, dtype=np.int32) if found.category_branch is None else found.category_branch
        shares = shares_of(self.algorithm.missing, weights, found.missing_branch)
        return Split(feature, found.kind, len(found.table), found.threshold, branches, shares)

    def _candidates(
        self, choice: Choice, results: Sequence[Found | Verdict], summary: Summary, unit: float
    ) -> tuple[Candidate, ...]:
        """Return the record of the search in one node, while the tree is small enough to keep it."""
        if len(self.builder) > self.algorithm.keep_candidates:
            return ()
        return tuple(
            self._candidate(feature, result, verdict, summary, unit)
            for feature, result, verdict in zip(self.rows.features, results, choice.verdicts, strict=True)
        )

    def _candidate(
        self, feature: int, result: Found | Verdict, verdict: Verdict | None, summary: Summary, unit: float
    ) -> Candidate:
        if not isinstance(result, Found):
            return Candidate(feature, result)
        return Candidate(
            feature,
            verdict or "lower",
            self._split(feature, result),
            self._in_units(result.table, summary),
            None if result.missing is None else self._in_units(result.missing, summary),
            result.gain * unit,
            result.score if self.criterion.ratio else result.gain * unit,
            result.tried,
            result.exact,
        )

    def _in_units(self, statistics: Floats, summary: Summary) -> Floats:
        """Return class weights as they are; moments of scanned numbers as (weight, mean, mean squared deviation)."""
        if self.algorithm.task == "class":
            return statistics
        w, wy, wyy = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        safe = np.where(w > 0, w, 1.0)
        variance = np.maximum(wyy / safe - (wy / safe) ** 2, 0.0)
        return np.stack([w, summary.centre + summary.scale * wy / safe, variance * summary.scale**2], axis=-1)
