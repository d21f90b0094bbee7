"""Value groups: the categories of a column in a few groups, a branch each (Quinlan 1993, chapter 7; option -s)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.contingency import TIE, Contingency, Found, Rule, weight_of
from deciduous.search.multiway import multiway
from deciduous.search.pick import Candidates, gains, score_of, split_information

#: Two groups are merged if the score gets better by so much; a category of less weight begins no group.
BETTER, LEAST_WEIGHT = 1e-5, 0.5

#: The categories of each group.
Groups = list[list[int]]


def best_groups(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the split with a branch for each group of categories; None if fewer than two groups are large enough.

    Groups begin as single categories, and those that are pure in one class as one. Then the two groups are merged that
    give the best score (the last two of equals), as long as that gets better, or fewer than two groups have the weight
    `min_cases`. Merges that keep half of the gain go first; while fewer than three groups have that weight, the
    heaviest stays as it is. Categories that the node does not have form one more branch, the last. Columns of two
    categories have a branch for each.
    """
    if len(contingency.counts) <= 2:
        return multiway(contingency, rule)
    groups = _first_groups(contingency, rule)
    if len(groups) < 2:
        return None
    division = _Division(contingency, rule, groups)
    tried = 1
    while len(division.groups) > 2:
        merged = division.merges()
        tried += len(merged)
        best = _best(merged, division.gain)
        if best is None or (best.score < division.score + BETTER and division.n_large >= 2):
            break
        division = best
    return division.found(tried) if division.is_allowed else None


def _first_groups(contingency: Contingency, rule: Rule) -> Groups:
    """Return the categories that are there, one a group; those of one class together."""
    weight = weight_of(contingency.table, rule.criterion)
    groups: Groups = []
    pure: dict[int, list[int]] = {}
    for category in np.flatnonzero(weight > LEAST_WEIGHT).tolist():
        classes = np.flatnonzero(contingency.table[category])
        if len(classes) == 1 and int(classes[0]) in pure:
            pure[int(classes[0])].append(category)
            continue
        groups.append([category])
        if len(classes) == 1:
            pure[int(classes[0])] = groups[-1]
    return groups


class _Division:
    """Groups with their figures."""

    def __init__(self, contingency: Contingency, rule: Rule, groups: Groups) -> None:
        self.contingency, self.rule, self.groups = contingency, rule, groups
        grouped = {category for group in groups for category in group}
        rest = [category for category in range(len(contingency.counts)) if category not in grouped]
        self.branches = [*groups, rest] if rest else groups
        self.table: Floats = np.stack([contingency.table[branch].sum(axis=0) for branch in self.branches])
        self.weight: Floats = weight_of(self.table, rule.criterion)[: len(groups)]
        # What limits say is asked of the last division alone.
        free = Rule(rule.criterion, rule.missing, rule.nominal, rule.band)
        self.gain = float(gains(self._candidate, free, contingency)[0])
        self.information = split_information(self.table, rule, contingency)
        self.score = score_of(self.gain, self.information, rule)

    @property
    def _candidate(self) -> Candidates:
        counts = np.array([[self.contingency.counts[branch].sum() for branch in self.branches]])
        return Candidates(self.table[None], counts)

    @property
    def n_large(self) -> int:
        """How many groups have the weight that two must have."""
        return int((self.weight >= self.rule.conventions.least(self.rule.min_cases)).sum())

    @property
    def is_allowed(self) -> bool:
        """Whether the limits allow it."""
        return self.n_large >= 2 and bool(np.isfinite(gains(self._candidate, self.rule, self.contingency)[0]))

    def merges(self) -> list[_Division]:
        """Return the divisions with two groups merged."""
        kept = int(self.weight.argmax()) if self.n_large < 3 else -1
        pairs = [pair for pair in combinations(range(len(self.groups)), 2) if kept not in pair]
        return [self._merged(*pair) for pair in pairs]

    def _merged(self, one: int, other: int) -> _Division:
        together = sorted(self.groups[one] + self.groups[other])
        rest = [group for i, group in enumerate(self.groups) if i not in (one, other)]
        return _Division(self.contingency, self.rule, sorted([*rest, together]))

    def found(self, tried: int) -> Found:
        """Return the division as it is stored."""
        branch_of: NDArray[np.int32] = np.empty(len(self.contingency.counts), dtype=np.int32)
        for branch, categories in enumerate(self.branches):
            branch_of[categories] = branch
        return Found(
            SplitKind.GROUPS,
            weight_of(self.table, self.rule.criterion).tolist(),
            self.table,
            gain=self.gain,
            score=self.score,
            split_information=self.information,
            category_branch=branch_of,
            tried=tried,
            exact=False,
        )


def _best(merged: Sequence[_Division], gain: float) -> _Division | None:
    """Return the last of the best; those that keep half of the gain, if there are any."""
    merged = [division for division in merged if division.gain >= gain / 2] or merged
    if not merged:
        return None
    most = max(division.score for division in merged)
    return [division for division in merged if division.score >= most - TIE][-1]
