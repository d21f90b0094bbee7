"""The record of a search: what a small tree keeps of it, so that it can show its working without the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciduous.criteria import Criterion, columns_of
from deciduous.grow.nodes import Findings, Nodes, as_splits
from deciduous.measures import Floats
from deciduous.model.candidate import Candidate
from deciduous.search.choose import Choice
from deciduous.search.contingency import Found

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Record:
    """What was found in a batch of nodes.

    `unit`: from scanned numbers to the target's, a factor a node; `features`: the columns that were asked for;
    `policy` for missing cells.
    """

    findings: Findings
    choice: Choice
    nodes: Nodes
    unit: Floats
    features: Sequence[int]
    criterion: Criterion
    policy: str

    def candidates(self, node: int) -> tuple[Candidate, ...]:
        """Return the best candidate of every column in a node of the batch."""
        return tuple(self._candidate(node, column) for column in range(len(self.features)))

    def _candidate(self, i: int, column: int) -> Candidate:
        feature, result = self.features[column], self.findings.found(i, column)
        if not isinstance(result, Found):
            return Candidate(feature, result)
        gain, correction = result.gain * float(self.unit[i]), result.correction * float(self.unit[i])
        return Candidate(
            feature,
            self.choice.verdict(i, column),
            as_splits([(feature, result)], self.policy)[0],
            None if result.table is None else self._in_units(result.table, i),
            None if result.missing is None else self._in_units(result.missing, i),
            gain,
            result.score if self.criterion.ratio or self.policy == "surrogates" else gain - correction,
            result.tried,
            result.exact,
            correction,
            bool(self.choice.counted[i, column]),
            result.known_rows,
        )

    def _in_units(self, statistics: Floats, i: int) -> Floats:
        """Return class weights as they are; moments of scanned numbers as (weight, mean, mean squared deviation), or
        (weight, median, mean absolute deviation) in units of the target; of several targets with one weight.
        """
        if self.criterion.task == "class":
            return statistics
        centres, scale = np.atleast_1d(self.nodes.centre[i]).tolist(), float(self.nodes.scale[i])
        if not self.criterion.additive:
            scaled: Floats = statistics * np.array([1.0, scale, scale]) + np.array([0.0, *centres, 0.0])
            return scaled
        w = statistics[..., 0]
        safe, columns = np.where(w > 0, w, 1.0), [w]
        for centre, (_, first, second) in zip(centres, columns_of("number", centres), strict=True):
            mean, square = statistics[..., first] / safe, statistics[..., second] / safe
            variance = square - mean**2
            variance = np.where(variance > 8 * EPSILON * square, variance, 0.0)  # more than the rounding of both
            columns += [centre + scale * mean, variance * scale**2]
        moments: Floats = np.stack(columns, axis=-1)
        return moments
