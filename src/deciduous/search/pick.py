"""Scoring the candidates of one feature: the limits that remove some, and the tie rule that takes the first of the
best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous import measures
from deciduous.measures import Floats
from deciduous.search.contingency import TIE, Contingency, Counts, Rule, weight_of
from deciduous.search.monotone import in_order


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate splits of one feature: `tables` (candidates, branches, statistics), `counts` (candidates, branches)."""

    tables: Floats
    counts: Counts

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.tables)


def allowed(candidates: Candidates, rule: Rule) -> NDArray[np.bool_]:
    """Return which candidates the limits allow.

    At least two branches hold rows; every branch that holds rows has `min_samples_leaf` of them and the minimum weight;
    at least two branches have the weight `min_cases` (Quinlan 1993, chapter 9: option -m); the monotonic constraint on
    the column holds.
    """
    filled = candidates.counts > 0
    keep: NDArray[np.bool_] = filled.sum(axis=1) >= 2
    if rule.min_samples_leaf > 1:
        keep &= (~filled | (candidates.counts >= rule.min_samples_leaf)).all(axis=1)
    if rule.monotone:
        keep &= in_order(rule.criterion.value(candidates.tables), filled, rule.monotone, rule.low, rule.high)
    if rule.min_weight_leaf <= 0 and rule.min_cases <= 0:
        return keep
    weights = weight_of(candidates.tables, rule.criterion)
    if rule.min_weight_leaf > 0:
        keep &= (~filled | (weights >= rule.min_weight_leaf * (1 - TIE))).all(axis=1)
    if rule.min_cases > 0:
        keep &= (weights >= rule.conventions.least(rule.min_cases)).sum(axis=1) >= 2
    return keep


def gains(candidates: Candidates, rule: Rule, contingency: Contingency) -> Floats:
    """Return the gain of every candidate, -inf for those that the limits remove; the known share is multiplied in."""
    scores = np.full(len(candidates), -np.inf)
    keep = allowed(candidates, rule)
    if keep.any():
        tables = candidates.tables if keep.all() else candidates.tables[keep]
        scores[keep] = rule.criterion.gain(tables) * known_share(contingency, rule)
    return scores


def known_share(contingency: Contingency, rule: Rule) -> float:
    """Return rho, the share of the node's weight whose cell is known; 1 where missing rows are part of the tables."""
    if not rule.known_rows_only or contingency.missing_count == 0:
        return 1.0
    known = float(weight_of(contingency.table, rule.criterion).sum())
    return known / (known + float(weight_of(contingency.missing, rule.criterion)))


def split_information(table: Floats, rule: Rule, contingency: Contingency) -> float:
    """Return the entropy of the branch weights; rows with a missing cell are one more branch (Quinlan 1993, section
    3.2).
    """
    branches = weight_of(table, rule.criterion)
    if rule.known_rows_only and contingency.missing_count:
        branches = np.append(branches, weight_of(contingency.missing, rule.criterion))
    return float(measures.of_entropy(branches))


def score_of(gain: float, information: float, rule: Rule) -> float:
    """Return what features are compared by: the gain, or gain / split information."""
    if not rule.criterion.ratio:
        return gain
    return gain / information if information > 0 else -np.inf
