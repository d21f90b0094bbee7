"""What the native search found in nodes of sorted rows: the best split of every column, described where it is asked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.nodes import Nodes
from deciduous.grow.ragged import Starts
from deciduous.grow.splits import Splits
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.missing.shares import shares_of
from deciduous.model.candidate import Verdict
from deciduous.search.contingency import Found, Rule
from deciduous.search.conventions import MIN_SPLIT_SHARE, MOST_MIN_SPLIT
from deciduous.search.thresholds import threshold_between

if TYPE_CHECKING:
    from deciduous.grow.sorted_rows import SortedRows

THRESHOLD = int(SplitKind.THRESHOLD)


@dataclass(frozen=True, eq=False)
class Description:
    """Splits described: ragged over branches and categories. `low`, `high`: the neighbours of a threshold, their
    middle.
    """

    threshold: Floats
    low: Floats
    high: Floats
    branch_start: Starts
    weights: Floats
    category_start: Starts
    category_branch: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FullDescription(Description):
    """Splits described with how many candidates the limits allow (`tried`), how many different values are known, the
    number of missing rows, the contingency tables (a line a branch), and the sums of the missing rows.
    """

    tried: NDArray[np.int64]
    values: NDArray[np.int64]
    missing_rows: NDArray[np.int64]
    lines: Floats
    missing: Floats


class SortedBest:
    """The best splits of a batch, as arrays (nodes, columns)."""

    def __init__(
        self,
        rows: SortedRows,
        native: Any,
        nodes: Nodes,
        rules: Sequence[Rule],
        bands: Floats,
        found: tuple[Any, ...],
    ) -> None:
        self._rows, self._native, self._nodes, self._rules = rows, native, nodes, rules
        shape = (len(rows.features), len(nodes))  # column after column
        arrays = (array.reshape(shape).T for array in found)
        self.gain, self.information, self.kind, self.missing_branch, exact, tried = arrays
        self.exact = exact.view(bool)
        rule = rules[0] if rules else None
        self.correction = corrections(rule, self.kind, tried, nodes.weight)
        self.score = scores(rule, self.gain - self.correction, self.information, self.kind, bands)

    def splits(self, nodes: NDArray[np.intp], columns: NDArray[np.intp], policy: str) -> Splits:
        """Return the best splits of some columns."""
        described = self.described(nodes, columns)
        starts, missing_branch = described.branch_start, self.missing_branch[nodes, columns]
        return Splits(
            np.array(self._rows.features, dtype=np.int32)[columns],
            self.kind[nodes, columns],
            described.threshold,
            starts,
            shares_of(policy, described.weights, starts, missing_branch),
            described.category_start,
            described.category_branch,
            self.exact[nodes, columns],
        )

    def described(self, nodes: NDArray[np.intp], columns: NDArray[np.intp]) -> Description:
        """Describe the best splits of some columns."""
        description = Description(*self._native.describe(nodes.astype(np.int64), columns.astype(np.int64)))
        set_thresholds(self._rules, description, columns, self.kind[nodes, columns])
        return description

    def findings(self) -> SortedFindings:
        """Return all that was found, with contingency tables, independent of the source."""
        found, width = self._native.findings(), self._nodes.statistics.shape[1]
        findings = SortedFindings(
            found,
            self.gain,
            self.score,
            self.information,
            self.correction,
            self.kind,
            self.missing_branch,
            self.exact,
            width,
        )
        findings.set_thresholds(self._rules)
        return findings


def programs_rules(rule: Rule) -> tuple[Any, ...]:
    """Return the conventions as the native kernels read them: numbers and flags of `Conventions`."""
    rules = rule.conventions
    band = -1.0 if rules.band is None else rules.band
    most, share = (MOST_MIN_SPLIT, MIN_SPLIT_SHARE) if rule.min_cases > 0 else (0.0, 0.0)
    flags = rules.counts_rows, rules.ones_by_ratio, rule.mdl_correction
    return rules.in_turn, band, rules.gap, *flags, most, share


def corrections(rule: Rule | None, kind: NDArray[np.uint8], tried: NDArray[np.int64], weight: Floats) -> Floats:
    """Return what thresholds pay for having been chosen among several (`correction_of` of search/thresholds.py), shape
    (nodes, columns). `tried`: how many; `weight`: of the nodes.
    """
    if rule is None or not rule.mdl_correction:
        return np.zeros(kind.shape)
    bits = np.where(kind == THRESHOLD, np.log2(np.maximum(tried, 1)), 0.0)
    paid: Floats = bits / weight[:, None]
    return paid


def scores(rule: Rule | None, left: Floats, information: Floats, kind: NDArray[np.uint8], bands: Floats) -> Floats:
    """Return what columns are compared by, -inf where there is no candidate after all, shape (nodes, columns).

    `left`: of the gain, after the correction.
    """
    if rule is None:
        return left
    score = left
    if rule.criterion.ratio:
        none = np.full(left.shape, -np.inf)
        score = np.divide(left, information, out=none, where=information > 0)
    if rule.mdl_correction or rule.conventions.numbers_need_gain:
        score = np.where((kind == THRESHOLD) & (left <= bands[:, None]), -np.inf, score)
    compared: Floats = score
    return compared


def by_data(rules: Sequence[Rule]) -> bool:
    """Whether thresholds are training values instead of midpoints."""
    return any(rule.training_values is not None for rule in rules)


def set_thresholds(
    rules: Sequence[Rule], described: Description, columns: NDArray[np.intp], kinds: NDArray[np.uint8]
) -> None:
    """Correct the thresholds of splits where they are no midpoints, or where there is none."""
    if by_data(rules):
        for c in np.unique(columns):
            here = (columns == c) & (kinds == THRESHOLD)
            values = rules[c].training_values
            described.threshold[here] = threshold_between(described.low[here], described.high[here], values)
    described.threshold[kinds != THRESHOLD] = np.nan


@dataclass(frozen=True, eq=False)
class SortedFindings:
    """All that a search found: arrays (nodes, columns), and the splits, which are read when they are asked for."""

    _found: Any
    gain: Floats
    score: Floats
    information: Floats
    correction: Floats
    kind: NDArray[np.uint8]
    missing_branch: NDArray[np.int32]
    exact: NDArray[np.bool_]
    width: int

    @cached_property
    def described(self) -> FullDescription:
        """The splits in order of (column, node)."""
        described = FullDescription(*self._found.arrays())
        described.threshold[self.kind.T.ravel() != THRESHOLD] = np.nan
        return described

    def set_thresholds(self, rules: Sequence[Rule]) -> None:
        """Work out the thresholds now, if they are training values, which are not kept."""
        if by_data(rules):
            set_thresholds(rules, self.described, np.indices(self.kind.T.shape)[0].ravel(), self.kind.T.ravel())

    @property
    def n_cells(self) -> int:
        """How many numbers the contingency tables hold."""
        cells: int = self._found.n_cells
        return cells

    def found(self, node: int, column: int) -> Found | Verdict:
        """Return the best candidate of one column in one node, or why there is none."""
        described, at = self.described, column * len(self.gain) + node
        kind = SplitKind(self.kind[node, column])
        if kind == SplitKind.LEAF:
            values = int(described.values[at])
            if values < 0:
                return "not looked at"
            return "no known cell" if values == 0 else "constant" if values == 1 else "limits"
        branches = slice(described.branch_start[at], described.branch_start[at + 1])
        categories = slice(described.category_start[at], described.category_start[at + 1])
        has_missing = described.missing_rows[at] > 0
        return Found(
            kind,
            described.weights[branches].tolist(),
            described.lines.reshape(-1, self.width)[branches],
            float(self.gain[node, column]),
            float(self.score[node, column]),
            float(self.information[node, column]),
            correction=float(self.correction[node, column]),
            missing_branch=int(self.missing_branch[node, column]),
            threshold=float(described.threshold[at]),
            category_branch=described.category_branch[categories] if categories.stop > categories.start else None,
            tried=int(described.tried[at]),
            exact=bool(self.exact[node, column]),
            missing=described.missing.reshape(-1, self.width)[at] if has_missing else None,
        )
