"""Multiway splits: a branch for every declared category, empty ones too."""

from __future__ import annotations

import numpy as np

from deciduous.kernels import SplitKind
from deciduous.search.contingency import Contingency, Found, Rule, weight_of
from deciduous.search.pick import Candidates, first_best, gains, score_of, split_information


def multiway(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the split with a branch for each category; None if fewer than two branches would hold rows, or limits
    forbid.

    Rows with a missing cell: left out (known rows only), in a branch of their own, or tried in each branch that holds
    rows (`direction`). The last two also try "missing or not".
    """
    return best_way(*_candidates(contingency, rule), contingency, rule)


def best_way(candidates: Candidates, places: list[int], contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best of the candidates with a branch per category; None if none is allowed.

    `places`: for each candidate the branch in which missing rows are counted (-1: none; `KNOWN_OR_NOT`).
    """
    scores = gains(candidates, rule, contingency)
    best = first_best(scores, rule.band)
    if best is None:
        return None
    n_categories = len(contingency.counts)
    table = candidates.tables[best]
    known_or_not = places[best] == KNOWN_OR_NOT
    if known_or_not:
        table = table[:2]
    gain, information = float(scores[best]), split_information(table, rule, contingency)
    return Found(
        SplitKind.MISSING if known_or_not else SplitKind.MULTIWAY,
        weight_of(table, rule.criterion).tolist(),
        table,
        gain=gain,
        score=score_of(gain, information, rule),
        split_information=information,
        missing_branch=1 if known_or_not else places[best],
        category_branch=None if known_or_not else np.arange(n_categories, dtype=np.int32),
        tried=int(np.isfinite(scores).sum()),
    )


#: The place of missing rows in the candidate "missing or not".
KNOWN_OR_NOT = -2


def _candidates(contingency: Contingency, rule: Rule) -> tuple[Candidates, list[int]]:
    """Return the candidates, and for each the branch in which missing rows are counted (-1: none)."""
    table, counts = contingency.table, contingency.counts
    if rule.known_rows_only or contingency.missing_count == 0:
        return Candidates(table[None], counts[None]), [-1]
    width = max(len(counts) + (rule.missing == "branch"), 2)
    places = missing_places(contingency, rule)
    tables = np.zeros((len(places) + 1, width, table.shape[1]))
    rows = np.zeros((len(places) + 1, width), dtype=np.int64)
    for i, place in enumerate(places):
        tables[i, : len(counts)], rows[i, : len(counts)] = table, counts
        tables[i, place] += contingency.missing
        rows[i, place] += contingency.missing_count
    tables[-1, 0], tables[-1, 1] = table.sum(axis=0), contingency.missing
    rows[-1, 0], rows[-1, 1] = counts.sum(), contingency.missing_count
    return Candidates(tables, rows), [*places, KNOWN_OR_NOT]


def missing_places(contingency: Contingency, rule: Rule) -> list[int]:
    """Return the branches in which the missing rows are tried."""
    counts = contingency.counts
    return [len(counts)] if rule.missing == "branch" else [int(b) for b in np.flatnonzero(counts)]
