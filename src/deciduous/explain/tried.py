"""All candidates of a column in a node, with their figures: thresholds in order of value, partitions from the best on.

They are made and scored by the functions of the search itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deciduous import measures
from deciduous.data.schema import Feature
from deciduous.explain.expression import plain
from deciduous.explain.steps import Tried, set_name
from deciduous.explain.training import TrainingRows
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import signs_of
from deciduous.search.absolute import AbsoluteSearch
from deciduous.search.contingency import Contingency, Rule, weight_of
from deciduous.search.conventions import first_best
from deciduous.search.divisions import Cuts, Divisions, all_partitions
from deciduous.search.items import Items, Sides
from deciduous.search.pick import Candidates, gains, score_of, split_information
from deciduous.search.subsets import EXHAUSTIVE_ITEMS
from deciduous.search.thresholds import candidates_of, place_of, scores_of, threshold_between


def tried_of(training: TrainingRows, node: int, position: int) -> list[Tried]:
    """Return all candidates of a column in a node; none where they cannot be listed: of multiway splits there is one,
    of random splits one is drawn, groups of values are merged step by step, of very many categories a heuristic looks
    for a good one, and J48 chooses one category against the rest in its own way.
    """
    contingency, rule = training.contingency(node, position), training.rule(node, position)
    ordered = contingency.values is not None
    by_ratio = rule.nominal == "one_vs_rest" and rule.conventions.ones_by_ratio
    if rule.splitter == "random" or (not ordered and (by_ratio or rule.nominal in ("multiway", "groups"))):
        return []
    search = None if rule.criterion.additive else training.absolute(node, position)
    source = _Source(contingency, rule if search is None else search.rule, search, training.unit(node))
    feature = training.tree.schema.features[position]
    if ordered:
        return _thresholds(source, feature, signs_of(training.tree)[0])
    return _partitions(source, feature)


@dataclass(frozen=True, eq=False)
class _Source:
    """What candidates are made and scored by; `search`: that of absolute error, which is no function of sums. `unit`:
    from the impurity of scanned numbers to that of the target.
    """

    contingency: Contingency
    rule: Rule
    search: AbsoluteSearch | None
    unit: float

    def cuts(self) -> Candidates:
        return candidates_of(self.contingency, self.rule) if self.search is None else self.search.cuts()

    def divided(self, items: Items, sides: Sides) -> Candidates:
        return Divisions(items, sides).candidates if self.search is None else self.search.divided(sides)


def _unlimited(rule: Rule) -> Rule:
    return replace(rule, min_samples_leaf=1, min_weight_leaf=0.0, min_cases=0.0, monotone=0)


def _list(
    candidates: Candidates, words: Sequence[tuple[str, tuple[str, ...]]], source: _Source
) -> tuple[list[Tried], Floats]:
    """Return candidates with their figures, and their gains under the limits. `words`: what each is, and its branches'
    names.
    """
    contingency, rule, unit = source.contingency, source.rule, source.unit
    ordered = contingency.values is not None
    limited = scores_of(candidates, contingency, rule) if ordered else gains(candidates, rule, contingency)
    free = gains(candidates, _unlimited(rule), contingency)
    best = rule.conventions.best(limited, rule.band) if ordered else first_best(limited, rule.band)
    listed = []
    for i, (what, branches) in enumerate(words):
        table, gain = candidates.tables[i], _without_rounding(float(free[i]), rule)
        weights = weight_of(table, rule.criterion)
        after = math.nan
        if rule.criterion.additive and rule.criterion.name != "poisson":
            after = float(measures.of_branch_mean(rule.criterion.impurity(table), weights)) * unit
        information = split_information(table, rule, contingency)
        ratio = score_of(gain, information, replace(rule, criterion=replace(rule.criterion, ratio=True)))
        listed.append(
            Tried(
                what,
                branches,
                tuple(weights.tolist()),
                tuple(map(tuple, table.tolist())),
                gain * unit,
                ratio,
                after,
                bool(np.isfinite(limited[i])),
                i == best,
            )
        )
    return listed, limited


def _without_rounding(gain: float, rule: Rule) -> float:
    """Return a gain, 0 where it is no more than what sums are wrong by."""
    return 0.0 if abs(gain) <= rule.band else gain


def _thresholds(source: _Source, feature: Feature, sign: str) -> list[Tried]:
    contingency, rule = source.contingency, source.rule
    if len(contingency.counts) < 2:
        return []
    candidates = source.cuts()
    values = contingency.values
    assert values is not None
    below = values if contingency.greatest is None else contingency.greatest
    places = [place_of(i, contingency, rule) for i in range(len(candidates))]
    texts = (_threshold_words(below, values, cut, branch, rule, feature, sign) for cut, branch in places)
    listed, _limited = _list(candidates, [(text, ("-", "+", "?")) for text in texts], source)
    between = [(np.nan, np.nan) if cut is None else (float(below[cut]), float(values[cut + 1])) for cut, _b in places]
    return [replace(tried, low=low, high=high) for tried, (low, high) in zip(listed, between, strict=True)]


def _threshold_words(
    below: Floats, values: Floats, cut: int | None, missing_branch: int, rule: Rule, feature: Feature, sign: str
) -> str:
    if cut is None:
        return _("{feature} is known").format(feature=feature.name)
    threshold = float(threshold_between(float(below[cut]), float(values[cut + 1]), rule.training_values))
    shown = str(feature.categories[int(threshold)]) if feature.kind == "ordinal" else plain(threshold)
    text = f"{sign} {shown}"
    return _("{condition} or {what}").format(condition=text, what=_("missing")) if missing_branch == 0 else text


def _partitions(source: _Source, feature: Feature) -> list[Tried]:
    items = Items(source.contingency, source.rule)
    if len(items) < 2:
        return []
    sides = _sides(items, source.rule)
    if sides is None:
        return []
    names = [str(feature.categories[code]) for code in items.present] + [_("missing")] * items.places_missing
    words = [_partition_words(side, names) for side in sides.tolist()]
    listed, limited = _list(source.divided(items, sides), words, source)
    order = np.argsort(-np.where(np.isfinite(limited), limited, -1.0), kind="stable")
    return [listed[i] for i in order]


def _sides(items: Items, rule: Rule) -> Sides | None:
    """Return the divisions that are tried, True = left; None where a heuristic looks for them."""
    n = len(items)
    if rule.nominal == "one_vs_rest":
        return np.eye(n, dtype=bool)[: len(items.present)] if n > 2 else np.eye(n, dtype=bool)[:1]
    if n <= EXHAUSTIVE_ITEMS:
        return all_partitions(n)
    if rule.criterion.orderable and items.on_a_line and not rule.limited:
        cuts = Cuts(items, items.order_by(np.eye(items.shares.shape[1])[0]))
        return np.array([cuts.side(cut) for cut in range(n - 1)])
    return None


def _partition_words(side: list[bool], names: list[str]) -> tuple[str, tuple[str, ...]]:
    left = [name for name, is_left in zip(names, side, strict=True) if is_left]
    right = [name for name, is_left in zip(names, side, strict=True) if not is_left]
    what = f"{{{', '.join(left)}}} | {{{', '.join(right)}}}"
    return what, (set_name(left, 1), set_name(right, 2), "?")
