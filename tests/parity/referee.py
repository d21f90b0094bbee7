"""Who is right where a tree of Release 8 differs from ours: the proof that the difference is one of rounding.

The program works in single precision: numbers that are equal to within 1e-6 of their size may compare either way. At a
node where the two trees ask different questions, our search is run again with its limits a little lower and a little
higher; the recorded question must then be among those that are as good as the best one. Where one of the two trees has
a leaf because a subtree was collapsed or pruned, the proof is needed for a node in that subtree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciduous import C45Classifier, Node
from deciduous.algorithms.c45 import C45
from deciduous.estimators.growing import grow_on
from deciduous.estimators.training import training_set
from deciduous.grow.rows import Entries, MemoryRows
from deciduous.search.choose import Contest, choose
from deciduous.search.contingency import Found, Rule
from deciduous.search.conventions import CONVENTIONS, MANY_CATEGORIES, Conventions

#: How far apart numbers are, in parts of their size, that single precision may take as equal, or in either order.
SINGLE = 1e-6


@dataclass(frozen=True)
class Shifted(Conventions):
    """Release 8's conventions with all limits shifted by a part of their size."""

    by: float = 0.0

    def least(self, limit: float) -> float:
        """Return the weight that is enough for a limit."""
        return limit * (1 + self.by)


def shifted(by: float) -> Shifted:
    """Return conventions whose limits are larger (or smaller, for a negative `by`) by a part of their size.

    The gap between neighbouring values of up to 2 is known to a fifth of itself in single precision; in the recorded
    tables larger values do not lie that close.
    """
    plain = dict(vars(CONVENTIONS["r8"]))
    guard_slack, gap = plain.pop("guard_slack") - by, plain.pop("gap") * (1 + 0.2 * np.sign(by))
    return Shifted(**plain, guard_slack=guard_slack, gap=gap, by=by)


SHIFTS = [CONVENTIONS["r8"], shifted(-SINGLE), shifted(SINGLE)]

#: Where a node is: the branches taken from the root.
Place = tuple[int, ...]


class Referee:
    """Compares the tree that a table grows with a recorded one."""

    def __init__(self, estimator: C45Classifier, X: Any, y: Any) -> None:
        self.algorithm = C45.of(estimator.get_params())
        training = training_set(X, y, None, self.algorithm, estimator.kinds)
        values, n_classes = training.target.values, len(training.classes)
        self.criterion = self.algorithm.scoring
        self.rows = MemoryRows(training.table, values, training.weight, self.criterion, n_classes, training.rows)
        self.grown = grow_on(training, self.algorithm, training.rows)
        self.whole = Entries(training.rows, training.weight[training.rows])

    def differences(self, ours: Node, recorded: dict[str, Any]) -> list[tuple[Place, bool]]:
        """Return where two trees begin to differ, and whether it is proved that rounding decides there.

        `ours`: the root of our tree, collapsed or not; `recorded`: the tree of the program, collapsed.
        """
        return list(self._differences(self.grown.node(0), ours, recorded, self.whole, ()))

    def _differences(
        self, grown: Node, ours: Node, recorded: dict[str, Any], entries: Entries, place: Place
    ) -> Iterator[tuple[Place, bool]]:
        if "attr" not in recorded:
            if not ours.is_leaf:
                yield place, self._is_open_below(grown, entries)
        elif grown.is_leaf or not same_question(grown, recorded):
            yield place, self._is_as_good(entries, recorded)
        elif ours.is_leaf:
            yield place, self._is_open_below(grown, entries)
        else:
            parts = self.rows._parts(entries, grown.split)
            below = zip(grown.children, ours.children, recorded["children"], parts, strict=True)
            for branch, nodes in enumerate(below):
                yield from self._differences(*nodes, (*place, branch))

    def _is_open_below(self, grown: Node, entries: Entries) -> bool:
        """Whether in a node, or one below it, another question is as good as ours."""
        if len(set(self._as_good(entries))) > 1:
            return True
        if grown.is_leaf:
            return False
        parts = self.rows._parts(entries, grown.split)
        return any(self._is_open_below(child, part) for child, part in zip(grown.children, parts, strict=True))

    def _as_good(self, entries: Entries) -> Iterator[int]:
        """Return the columns that may win in a node, -1 for none, under all shifts of the limits."""
        for rules in SHIFTS:
            _, score = self._contest(entries, rules)
            best = score.max()
            yield from np.flatnonzero(score >= best - SINGLE * abs(best)).tolist() if best > -np.inf else [-1]

    def _is_as_good(self, entries: Entries, recorded: dict[str, Any]) -> bool:
        """Whether a recorded question is as good as the best one, under one of the shifts of the limits."""
        column = [self.rows.schema.features[j].name for j in self.rows.features].index(recorded["attr"])
        for rules in SHIFTS:
            found, score = self._contest(entries, rules)
            best, candidate = score.max(), found[column]
            if score[column] == -np.inf or score[column] < best - SINGLE * abs(best):
                continue
            assert isinstance(candidate, Found)
            if recorded["kind"] != "numeric" or self._is_as_good_a_cut(entries, column, candidate, recorded):
                return True
        return False

    def _is_as_good_a_cut(self, entries: Entries, column: int, found: Found, recorded: dict[str, Any]) -> bool:
        """Whether a recorded threshold gains what ours gains, or is a value that the midpoint may just reach."""
        table = self.rows.contingency(entries, 0.0, 1.0, self.rows.features[column])
        theirs = float(np.float32(recorded["threshold"])) * (1 + 1e-7)
        if _close(found.threshold, recorded["threshold"]):
            return True
        left = table.values <= theirs
        if (left == (table.values <= found.threshold)).all():
            middle = (table.values[left].max() + table.values[~left].min()) / 2
            values = self.rows.training_values(self.rows.features[column])
            reached = [values[values <= middle * (1 + part)].max() for part in (-SINGLE, SINGLE)]
            return any(_close(value, recorded["threshold"]) for value in reached)
        cut = np.stack([table.table[left].sum(axis=0), table.table[~left].sum(axis=0)])
        known = table.table.sum()
        gain = float(self.criterion.gain(cut[None])[0]) * known / (known + table.missing.sum())
        return bool(gain >= found.gain * (1 - SINGLE))

    def _contest(self, entries: Entries, rules: Conventions) -> tuple[list[Any], np.ndarray]:
        """Return what is found for every column of a node, and the scores of those that compete (else -inf)."""
        options, features = self.algorithm, [self.rows.schema.features[j] for j in self.rows.features]
        statistics = np.bincount(self.rows.values[entries.rows], weights=entries.weight)
        band = rules.bands(self.criterion.impurity(statistics[None].astype(float)))
        base = Rule(
            self.criterion,
            options.missing,
            options.nominal,
            float(band[0]),
            min_cases=options.min_cases,
            mdl_correction=options.mdl_correction,
            conventions=rules,
        )
        found = []
        for j, feature in zip(self.rows.features, features, strict=True):
            values = None if feature.kind == "nominal" else self.rows.training_values(j)
            found.append(self.rows._best_split(entries, 0.0, 1.0, j, replace(base, training_values=values)))
        gain, score, information = (
            np.array([[getattr(f, name) if isinstance(f, Found) else -np.inf for f in found]])
            for name in ("gain", "score", "split_information")
        )
        gain = gain - np.array([[f.correction if isinstance(f, Found) else 0.0 for f in found]])
        least = MANY_CATEGORIES * self.rows.n_rows
        many = np.array([f.kind == "nominal" and len(f.categories) >= least for f in features])
        contest = Contest(self.criterion.ratio, options.guard, False, rules, many)
        choice = choose(gain, score, information, band, contest, np.zeros(1))
        return found, np.where(choice.eligible & ~choice.below, score, -np.inf)[0]


def _close(a: float, b: float) -> bool:
    return bool(abs(a - b) <= SINGLE * max(abs(a), abs(b)))


def same_question(node: Node, recorded: dict[str, Any]) -> bool:
    if node.feature != recorded["attr"]:
        return False
    return recorded["kind"] != "numeric" or _close(node.split.threshold, recorded["threshold"])
