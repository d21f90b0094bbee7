"""Splits of ordered columns: x <= t against x > t."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.search.contingency import Contingency, Found, Rule, weight_of
from deciduous.search.pick import Candidates, gains, score_of, split_information

#: Tables of sums and of counts are cut alike.
N = TypeVar("N", np.float64, np.int64)


def best_threshold(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best threshold, or "missing or not", of an ordered feature; None if no candidate is allowed.

    A cut lies between neighbouring different values. With `missing="branch"` the missing rows are a third branch of
    every cut; with `"direction"` every cut is tried with them left, then right; both also try the split "missing or
    not", last.
    """
    return best_cut(candidates_of(contingency, rule), contingency, rule)


def best_cut(candidates: Candidates, contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best of the candidates of an ordered feature, given in the order of `best_threshold`; None if none is
    allowed.
    """
    scores = scores_of(candidates, contingency, rule)
    best = rule.conventions.best(scores, rule.band)
    if best is None:
        return None
    cut, missing_branch = place_of(best, contingency, rule)
    table = candidates.tables[best]
    threshold = float("nan")
    if cut is None:  # "missing or not" was padded to the width of the cuts
        table = table[[0, -1]]
    else:
        assert contingency.values is not None
        below = contingency.values if contingency.greatest is None else contingency.greatest
        low, high = float(below[cut]), float(contingency.values[cut + 1])
        threshold = float(threshold_between(low, high, rule.training_values))
    gain, information = float(scores[best]), split_information(table, rule, contingency)
    tried = int(np.isfinite(scores).sum())
    correction = 0.0 if cut is None or not rule.mdl_correction else correction_of(tried, contingency, rule)
    needs_gain = rule.mdl_correction or rule.conventions.numbers_need_gain
    left = gain - correction
    return Found(
        SplitKind.MISSING if cut is None else SplitKind.THRESHOLD,
        weight_of(table, rule.criterion).tolist(),
        table,
        gain=gain,
        score=-np.inf if needs_gain and left <= rule.band else score_of(left, information, rule),
        split_information=information,
        correction=correction,
        missing_branch=missing_branch,
        threshold=threshold,
        tried=tried,
    )


def correction_of(tried: int, contingency: Contingency, rule: Rule) -> float:
    """Return log2(c) / n, what a threshold pays for having been chosen among c candidates; n is the node's weight,
    missing cells included (Quinlan 1996, "Improved use of continuous attributes in C4.5").
    """
    weight = weight_of(contingency.table.sum(axis=0) + contingency.missing, rule.criterion)
    return math.log2(tried) / float(weight)


def scores_of(candidates: Candidates, contingency: Contingency, rule: Rule) -> Floats:
    """Return the gains of the candidates, -inf where limits or conventions forbid one.

    With `min_cases` both sides of a cut must have the minimum for numbers (`Conventions.min_split`).
    """
    rules = rule.conventions
    if rule.min_cases > 0:
        known = float(weight_of(contingency.table, rule.criterion).sum())
        least = rules.min_split(rule.min_cases, known, contingency.table.shape[1])
        rule = replace(rule, min_cases=least)
        if rules.counts_rows and contingency.counts.sum() < rules.least(2 * least):
            return np.full(len(candidates), -np.inf)
    scores = gains(candidates, rule, contingency)
    if rules.gap > 0:
        assert contingency.values is not None
        below = contingency.values if contingency.greatest is None else contingency.greatest
        scores[below[:-1] + rules.gap >= contingency.values[1:]] = -np.inf
    return scores


def threshold_between(low: Any, high: Any, training_values: Floats | None) -> Floats:
    """Return the thresholds between neighbouring values, `low` < `high`: numbers, or arrays of one shape.

    The midpoint, or with `training_values` the largest of them that is not above it. Never as large as `high`, so that
    the rows fall as they were counted, however close the two values are.
    """
    low, high = np.asarray(low), np.asarray(high)
    with np.errstate(over="ignore"):
        middle = np.where(np.isfinite(high - low), low + (high - low) / 2, low / 2 + high / 2)
    midpoint: Floats = np.where((low <= middle) & (middle < high), middle, low)
    if training_values is None:
        return midpoint
    thresholds: Floats = training_values[np.searchsorted(training_values, midpoint, side="right") - 1]
    return thresholds


def candidates_of(contingency: Contingency, rule: Rule) -> Candidates:
    """Return the candidates in the order of `best_threshold`."""
    left, right = _sides(contingency.table)
    left_counts, right_counts = _sides(contingency.counts)
    if rule.known_rows_only or contingency.missing_count == 0:
        return Candidates(np.stack([left, right], axis=1), np.stack([left_counts, right_counts], axis=1))
    known, known_count = contingency.table.sum(axis=0), contingency.counts.sum()
    place = _with_branch if rule.missing == "branch" else _with_direction
    return Candidates(
        place(left, right, contingency.missing, known),
        place(left_counts, right_counts, contingency.missing_count, known_count),
    )


def _sides(table: NDArray[N]) -> tuple[NDArray[N], NDArray[N]]:
    """Return the sums below and above every cut, each summed from its own end so that an empty class stays exactly
    0.
    """
    below = np.cumsum(table, axis=0)[:-1]
    above = np.cumsum(table[::-1], axis=0)[::-1][1:]
    return below, above


def _with_branch(left: NDArray[N], right: NDArray[N], missing: Any, known: NDArray[N]) -> NDArray[N]:
    """Return (left, right, missing) for every cut, then (known, nothing, missing)."""
    cuts = np.stack([left, right, np.broadcast_to(missing, left.shape)], axis=1)
    known_or_not = np.stack([known, np.zeros_like(known), np.broadcast_to(missing, known.shape)])
    return np.concatenate([cuts, known_or_not[None]])


def _with_direction(left: NDArray[N], right: NDArray[N], missing: Any, known: NDArray[N]) -> NDArray[N]:
    """Return (left + missing, right), (left, right + missing) for every cut, then (known, missing)."""
    cuts = np.stack([np.stack([left + missing, right], axis=1), np.stack([left, right + missing], axis=1)], axis=1)
    known_or_not = np.stack([known, np.broadcast_to(missing, known.shape)])
    return np.concatenate([cuts.reshape(-1, *cuts.shape[2:]), known_or_not[None]])


def place_of(best: int, contingency: Contingency, rule: Rule) -> tuple[int | None, int]:
    """Return the cut of a candidate (None for "missing or not") and the branch that its missing rows were counted
    in.
    """
    if rule.known_rows_only or contingency.missing_count == 0:
        return best, -1
    n_cuts = len(contingency.counts) - 1
    if rule.missing == "branch":
        return (best, 2) if best < n_cuts else (None, 1)
    return (best // 2, best % 2) if best < 2 * n_cuts else (None, 1)
