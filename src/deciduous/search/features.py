"""Which search answers for which kind of feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deciduous.model.candidate import Verdict
from deciduous.search.contingency import Contingency, Found, Rule
from deciduous.search.groups import best_groups
from deciduous.search.multiway import multiway
from deciduous.search.random_split import random_split
from deciduous.search.subsets import best_subset, one_vs_rest
from deciduous.search.thresholds import best_threshold

Search = Callable[[Contingency, Rule], Found | None]

#: Searches for nominal features by the value of the `nominal` option.
NOMINAL: dict[str, Search] = {
    "multiway": multiway,
    "subset": best_subset,
    "one_vs_rest": one_vs_rest,
    "groups": best_groups,
}


def best_split(contingency: Contingency, rule: Rule) -> Found | Verdict:
    """Return the best candidate split of one feature, or the verdict that says why it has none."""
    found = _search(contingency, rule)(contingency, rule)
    if found is None:
        return why_none(contingency)
    return replace(found, missing=contingency.missing) if contingency.missing_count else found


def _search(contingency: Contingency, rule: Rule) -> Search:
    ordered = contingency.values is not None
    if rule.splitter == "random" and (ordered or rule.nominal != "multiway"):
        return random_split
    return best_threshold if ordered else NOMINAL[rule.nominal]


def why_none(contingency: Contingency) -> Verdict:
    """Return why a feature has no candidate."""
    values = int((contingency.counts > 0).sum())
    if values == 0:
        return "no known cell"
    return "constant" if values == 1 else "limits"
