"""The smallest change of a row that changes its answer: of the fewest columns, then of the least movement.

Movement is counted in training ranks: the share of the training values of a column that a number passes; another
category counts 1, an ordered one by the categories it passes. Without the training rows the thresholds of the tree
stand for the values. What was missing, or never seen, counts 1 too; no cell is made missing.

A row comes whole to one node, and then the columns that must change for another one are those whose conditions it does
not meet (`_by_rules`). Where missing cells send parts of a row down several branches, or surrogates decide, a change of
few columns may do more than that: there changes are tried one after another (`_by_trying`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from deciduous.data.schema import Label
from deciduous.data.table import Cells, Table
from deciduous.explain.answer import answers_of
from deciduous.explain.conditions import Among, Condition, Range
from deciduous.explain.ranks import Ranks, thresholds_of
from deciduous.explain.rules import Rule, passing, rules
from deciduous.explain.surrogates import Surrogated
from deciduous.model.route import route
from deciduous.model.tree import Tree

#: So many changes of a row are tried where rules do not tell the smallest.
MOST_CHANGES = 100_000


@dataclass(frozen=True)
class Change:
    """One column's part of a change: the condition to be met, and a cell that meets it."""

    feature: str
    condition: Condition
    new: Label
    movement: float


@dataclass(frozen=True)
class Counterfactual:
    """A change of some columns after which the answer is another one. `node`: where the row ends then; None if several
    nodes answer together.
    """

    node: int | None
    prediction: Label
    changes: tuple[Change, ...]

    @property
    def movement(self) -> float:
        """The sum of the movements."""
        return sum(change.movement for change in self.changes)

    @property
    def size(self) -> tuple[float, ...]:
        """What the smallest change is the smallest by."""
        return len(self.changes), self.movement


def smallest_change(
    tree: Tree, row: Table, current: Label, training: Table | None = None, to: Label | None = None
) -> Counterfactual | None:
    """Return the smallest change of the only row of a table after which the tree answers otherwise; None if there is
    none. `to`: the answer that is wanted.

    Of a row whose answer several nodes, or surrogates, decide, up to `MOST_CHANGES` changes are tried, those of few
    columns first; beyond, the smallest that leads to one node is returned.
    """
    ranks = Ranks(tree, training)
    best = _by_rules(tree, row, current, ranks, to)
    return _by_trying(tree, row, current, ranks, to, best) if _is_open(tree, row) else best


# --- by the conditions of nodes


def _by_rules(tree: Tree, row: Table, current: Label, ranks: Ranks, to: Label | None) -> Counterfactual | None:
    """Return the smallest change that meets all conditions of one node that answers otherwise."""
    best: Counterfactual | None = None
    for rule in rules(tree, stops=True):
        if rule.prediction == current or (to is not None and rule.prediction != to):
            continue
        changes = _changes(tree, rule, row, ranks)
        if changes is None or not _leads_there(tree, rule, row, changes):
            continue
        found = Counterfactual(rule.node, rule.prediction, changes)
        if best is None or found.size < best.size:
            best = found
    return best


def _leads_there(tree: Tree, rule: Rule, row: Table, changes: tuple[Change, ...]) -> bool:
    """Whether a row with the changes made fulfils a rule: a column that is changed may stand in for a missing one."""
    if tree.surrogates is None:
        return True
    columns = list(row.columns)
    for change in changes:
        feature = tree.schema.index(change.feature)
        kind = tree.schema.features[feature]
        code = change.new if kind.kind == "numeric" else kind.categories.index(change.new)
        old = columns[feature]
        assert old is not None
        columns[feature] = np.full_like(old, code)
    return bool(rule.shares(Table(row.schema, row.n_rows, tuple(columns)))[0] == 1)


def _changes(tree: Tree, rule: Rule, row: Table, ranks: Ranks) -> tuple[Change, ...] | None:
    """Return what must change for a row to fulfil a rule; None if it cannot by known cells."""
    changes = []
    for condition in rule.conditions:
        if passing(condition, row)[0] == 1:
            continue
        feature = tree.schema.index(condition.feature.name)
        wanted = condition.known if isinstance(condition, Surrogated) else condition
        change = _change(feature, wanted, _cell(row, feature), ranks)
        if change is None:
            return None
        changes.append(change)
    return tuple(changes)


def _cell(row: Table, feature: int) -> float:
    cells = row.columns[feature]
    assert cells is not None
    return float(cells[0])


def _change(feature: int, condition: Condition, old: float, ranks: Ranks) -> Change | None:
    """Return the change of a cell that meets a condition; None if no known cell does."""
    name, condition = condition.feature.name, replace(condition, missing=0.0)
    if isinstance(condition, Among):
        return _to_category(name, condition, old)
    if not condition.known or condition.low >= condition.high:
        return None
    new = ranks.nearest(feature, old, condition.low, condition.high)
    return Change(name, condition, new, ranks.movement(feature, old, new))


def _to_category(name: str, condition: Among, old: float) -> Change | None:
    """Return the change to the nearest category in order, or to the first where there is no order."""
    codes = [code for code, part in enumerate(condition.part) if part == 1]
    if not codes:
        return None
    if condition.feature.kind == "ordinal" and old >= 0:
        nearest = min(codes, key=lambda code: abs(code - old))
        steps = max(len(condition.part) - 1, 1)
        return Change(name, condition, condition.feature.categories[nearest], abs(nearest - old) / steps)
    return Change(name, condition, condition.feature.categories[codes[0]], 1.0)


# --- by trying


def _is_open(tree: Tree, row: Table) -> bool:
    """Whether parts of a row may go several ways, or surrogates say where it goes."""
    if tree.surrogates is None and not ((tree.share > 0) & (tree.share < 1)).any():
        return False
    numeric = {feature for feature in tree.used_features if tree.schema.features[feature].kind == "numeric"}
    cells = {feature: _cell(row, feature) for feature in tree.used_features}
    return any(math.isnan(cell) if feature in numeric else cell < 0 for feature, cell in cells.items())


def _by_trying(
    tree: Tree, row: Table, current: Label, ranks: Ranks, to: Label | None, best: Counterfactual | None
) -> Counterfactual | None:
    """Return the smallest change of all; `best`: one that is known to do."""
    options = {feature: list(_options(tree, feature, _cell(row, feature), ranks)) for feature in tree.used_features}
    left = MOST_CHANGES
    for n in range(1, len(options) + 1):
        if best is not None and len(best.changes) < n:
            break
        left -= sum(math.prod(len(options[feature]) for feature in chosen) for chosen in combinations(options, n))
        if left < 0:
            break
        for chosen in combinations(options, n):
            tried = list(product(*(options[feature] for feature in chosen)))
            for found in _found(tree, row, current, to, chosen, tried):
                if best is None or found.size < best.size:
                    best = found
    return best


def _options(tree: Tree, feature: int, old: float, ranks: Ranks) -> Iterator[Change]:
    """Return the changes of one column that the tree may tell apart, each the nearest of its kind."""
    known = tree.schema.features[feature]
    if known.kind != "numeric":
        for code in range(len(known.categories)):
            if code != old:
                part = tuple(float(code == other) for other in range(len(known.categories)))
                change = _to_category(known.name, Among(known, part, 0.0, 0.0), old)
                assert change is not None
                yield change
        return
    cuts = [-math.inf, *np.unique(thresholds_of(tree, feature)).tolist(), math.inf]
    for low, high in pairwise(cuts):
        if not low < old <= high:
            change = _change(feature, Range(known, low, high, below=tree.surrogates is not None), old, ranks)
            assert change is not None
            yield change


def _found(
    tree: Tree,
    row: Table,
    current: Label,
    to: Label | None,
    chosen: tuple[int, ...],
    tried: list[tuple[Change, ...]],
) -> Iterator[Counterfactual]:
    """Return those of the changes of some columns after which the answer is another one."""
    columns: list[Cells | None] = [None if cells is None else cells.repeat(len(tried)) for cells in row.columns]
    for place, feature in enumerate(chosen):
        categories = tree.schema.features[feature].categories
        codes: dict[Label, int] = {label: code for code, label in enumerate(categories)}
        news = [one[place].new for one in tried]
        if categories:
            columns[feature] = np.array([codes[new] for new in news], dtype=np.int32)
        else:
            columns[feature] = np.array(news, dtype=np.float64)
    arrivals = route(tree, Table(row.schema, len(tried), tuple(columns)))
    answers = answers_of(tree, arrivals).tolist()
    nodes = dict(zip(arrivals.rows.tolist(), arrivals.nodes.tolist(), strict=True))
    shared = set(arrivals.rows[arrivals.weights < 1].tolist())
    for i, answer in enumerate(answers):
        label: Label = answer if tree.task == "number" else tree.classes[int(answer)]
        if label != current and to in (None, label):
            yield Counterfactual(None if i in shared else nodes[i], label, tried[i])


def changed(row: Mapping[str, Any], change: Counterfactual) -> dict[str, Any]:
    """Return a row with the change made."""
    return {**row, **{one.feature: one.new for one in change.changes}}
