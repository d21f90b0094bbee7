"""Multiway splits: a branch for every declared category, empty ones too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deciduous.kernels import SplitKind
from deciduous.search.contingency import Contingency, Found, Rule, weight_of
from deciduous.search.pick import Candidates, gains, score_of, split_information


def multiway(contingency: Contingency, rule: Rule) -> Found | None:
    """Return the split with a branch for each category; None if fewer than two branches would hold rows, or limits
    forbid.

    Rows with a missing cell: left out (known rows only), in a branch of their own, or tried in each branch that holds
    rows (`direction`). The last two also try "missing or not".
    """
    return best_way(lambda part: _candidates(contingency, rule, part), contingency, rule)


def best_way(make: Callable[[list[int]], Candidates], contingency: Contingency, rule: Rule) -> Found | None:
    """Return the best of the candidates with a branch per category; None if none is allowed.

    `make` returns candidates by the places of their missing rows: a branch, `NOWHERE` or `KNOWN_OR_NOT`.
    """
    places = _places(contingency, rule)
    # Each candidate is a whole table: of very many categories, a part of the candidates at a time.
    step = max(CELLS // max(contingency.table.size, 1), 1)
    parts = (places[i : i + step] for i in range(0, len(places), step))
    scores = np.concatenate([gains(make(part), rule, contingency) for part in parts])
    best = rule.conventions.best(scores, rule.band)
    if best is None:
        return None
    n_categories = len(contingency.counts)
    table = make(places[best : best + 1]).tables[0]
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


#: The place of missing rows in the candidate "missing or not", and where they are in no branch.
KNOWN_OR_NOT, NOWHERE = -2, -1

#: How many cells of tables are held at once.
CELLS = 1 << 22


def _places(contingency: Contingency, rule: Rule) -> list[int]:
    """Return the branches in which missing rows are tried, one a candidate."""
    if rule.known_rows_only or contingency.missing_count == 0:
        return [NOWHERE]
    n = len(contingency.counts)
    return [*([n] if rule.missing == "branch" else np.flatnonzero(contingency.counts).tolist()), KNOWN_OR_NOT]


def _candidates(contingency: Contingency, rule: Rule, places: list[int]) -> Candidates:
    """Return the candidates with the missing rows in these places."""
    table, counts = contingency.table, contingency.counts
    n = len(counts)
    width = n if places == [NOWHERE] else max(n + (rule.missing == "branch"), 2)
    tables = np.zeros((len(places), width, table.shape[1]))
    rows = np.zeros((len(places), width), dtype=np.int64)
    for i, place in enumerate(places):
        if place == KNOWN_OR_NOT:
            tables[i, 0], tables[i, 1] = table.sum(axis=0), contingency.missing
            rows[i, 0], rows[i, 1] = counts.sum(), contingency.missing_count
            continue
        tables[i, :n], rows[i, :n] = table, counts
        if place != NOWHERE:
            tables[i, place] += contingency.missing
            rows[i, place] += contingency.missing_count
    return Candidates(tables, rows)
