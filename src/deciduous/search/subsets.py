"""Binary splits of categories: a subset against the rest, and one category against the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciduous.kernels import SplitKind
from deciduous.search.climb import Climb
from deciduous.search.contingency import Contingency, Found, Rule
from deciduous.search.conventions import first_best
from deciduous.search.divisions import Cuts, Divisions, all_partitions
from deciduous.search.items import Items
from deciduous.search.pick import Candidates, score_of, split_information

#: Up to this many items every division is tried (2,047 of them); beyond, several classes need a heuristic.
EXHAUSTIVE_ITEMS = 12


def best_subset(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best division of the categories present into two sets; None if no candidate is allowed.

    Exact for two classes and for numbers, by ordering the categories by share or mean (Breiman et al. 1984, theorem
    4.5; Fisher 1958); exact for several classes where the categories have at most 12 different class shares, by trying
    all divisions of those. Under limits both are exact still if what the limits allow is as good as the best without
    them; else all divisions of up to 12 categories are tried. Beyond, `Climb` looks for a good one, and `Found.exact`
    is false.
    """
    items = Items(contingency, rule)
    if len(items) < 2:
        return items.report_asking(tried=1) if items.gain_of_asking > -np.inf else None
    few = len(items) <= EXHAUSTIVE_ITEMS
    groups = items.grouped() if rule.criterion.orderable and not items.on_a_line else items
    likely = _sure_without_limits(items, groups)
    if likely is not None and not likely.hindered and (_no_others(likely) or not few):
        return likely.best(exact=True)
    if few:
        return Divisions(items, all_partitions(len(items))).best(exact=True)
    climb = Climb(items if rule.limited else groups)
    return climb.ends.best(exact=climb.exact, tried=climb.tried)


def _sure_without_limits(items: Items, groups: Items) -> Divisions | None:
    """Return divisions that hold a best one as long as no limits forbid it; None if there are too many to try.

    That is the cuts of one order for two classes or numbers, else all divisions that keep items of equal class shares
    together.
    """
    if not items.rule.criterion.orderable:
        return None
    if items.on_a_line or len(groups) == 1:
        return Cuts(items, items.order_by(np.eye(items.shares.shape[1])[0]))
    return Divisions(groups, all_partitions(len(groups))) if len(groups) <= EXHAUSTIVE_ITEMS else None


def _no_others(divisions: Divisions) -> bool:
    """Whether no other divisions are as good: the impurity is strictly concave, and there is a gain."""
    rule = divisions.items.rule
    return rule.criterion.strict and divisions.top > rule.band


def one_vs_rest(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best split of one category against all others, branch 0 holding the one; None if none is allowed.

    With `missing="direction"`, missing rows are tried with the one and with the rest, and "missing or not" last.
    """
    items = Items(contingency, rule)
    nothing = np.zeros(len(items), dtype=bool)
    if rule.conventions.ones_by_ratio:
        return _one_by_ratio(items, items.moved(nothing))
    if not items.places_missing:
        gains = items.gains(items.moved(nothing)) if len(items) > 1 else np.zeros(0)
        gains = np.append(gains, items.gain_of_asking)
    else:
        missing = np.append(nothing[1:], True)
        with_rest = items.gains(items.moved(nothing))  # the last: missing rows alone
        with_one = items.gains(items.moved(missing))
        gains = np.append(np.stack([with_one[:-1], with_rest[:-1]], axis=1), with_rest[-1])
        if len(items) == 2:  # the two sides of one category are "missing or not"
            gains = gains[-1:]
    best = first_best(gains, rule.band)
    if best is None:
        return None
    tried = int(np.isfinite(gains).sum())
    if best == len(gains) - 1:
        return items.report_asking(tried)
    one = best // 2 if items.places_missing else best
    left = np.arange(len(items)) == one
    if items.places_missing:
        left[-1] = best % 2 == 0
    return items.report(left, tried, kind=SplitKind.ONE_VS_REST)


def _one_by_ratio(items: Items, ones: Candidates) -> Found | None:
    """Return the category of the largest gain ratio against the rest, as J48 has it: the first category declared is
    taken if it is allowed, another if its ratio is better than that of the one kept so far, or than 0.

    Where none is, the column has a candidate without gain, which counts in the average and cannot be chosen.
    """
    rule, gains = items.rule, items.gains(ones)
    allowed = np.flatnonzero(np.isfinite(gains)).tolist()
    if len(items) < 2 or not allowed:
        return None
    kept, ratio = None, 0.0
    for one in allowed:
        score = score_of(float(gains[one]), split_information(ones.tables[one], rule, items.contingency), rule)
        if score - ratio > rule.conventions.ratio_band or items.present[one] == 0:
            kept, ratio = one, score
    left = np.arange(len(items)) == (allowed[0] if kept is None else kept)
    found = items.report(left, len(allowed), kind=SplitKind.ONE_VS_REST)
    return replace(found, gain=0.0, score=0.0) if kept is None else found
