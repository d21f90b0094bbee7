"""A tree's rules made shorter and fewer (Quinlan 1993, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError, OptionError
from deciduous.explain.conditions import Condition
from deciduous.explain.rules import paths
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows, needless
from deciduous.ruleset.conditions import Language, merged, singles
from deciduous.ruleset.generalise import Labelled, drop_conditions, expected_rate
from deciduous.ruleset.order import class_order, default_class, without_harm
from deciduous.ruleset.rule_set import RuleSet, SimplifiedRule
from deciduous.ruleset.subset import Candidates, Rows, shortest


@dataclass(frozen=True, eq=False)
class _Draft:
    """A rule on the way: its single conditions, its class, the rows that it covers."""

    node: int
    singles: tuple[Condition, ...]
    code: int
    rows: Rows
    rate: float


def simplified(tree: Tree, rows: LabelledRows, confidence: float = 0.25, theory_weight: float = 0.5) -> RuleSet:
    """Return the rules of a classification tree made shorter and fewer, by the rows that the tree was grown on.

    From the rule of every leaf, conditions are dropped while its expected error rate U_CF(E, N) does not
    rise; rules without conditions, rules alike, and rules whose class is not the most frequent one among their rows go.
    Of the rules of each class the set is kept that tells the class in the fewest bits. Classes are asked in the order
    of the rows that their rules answer wrongly, the rules of a class in that of their expected error rates; what no
    rule covers has the most frequent class among such rows. Last, rules without which fewer rows are answered wrongly
    go.

    `confidence`: CF, smaller drops more conditions; `theory_weight`: how much the bits of rules count beside those of
    exceptions, smaller keeps more rules. OptionError for a tree of numbers or several targets.
    """
    _check(tree, rows, confidence, theory_weight)
    labelled = _labelled(tree, rows)
    language = Language(rows.table, tree.used_features)
    by_class: dict[int, list[_Draft]] = {}
    for draft in _distinct(_drafts(tree, rows, labelled, confidence)):
        by_class.setdefault(draft.code, []).append(draft)
    kept = {}
    for code in sorted(by_class):
        drafts = by_class[code]
        bits = np.array([language.bits(draft.singles) for draft in drafts])
        covers = [draft.rows for draft in drafts]
        places = shortest(Candidates(covers, bits, labelled.codes == code, labelled.weight, theory_weight))
        if places:
            kept[code] = sorted((drafts[i] for i in places), key=lambda draft: draft.rate)
    order = class_order({code: [draft.rows for draft in drafts] for code, drafts in kept.items()}, labelled)
    listed = [draft for code in order for draft in kept[code]]
    stay = without_harm([draft.rows for draft in listed], [draft.code for draft in listed], labelled)
    return _rule_set(tree, [listed[i] for i in stay], labelled, confidence, theory_weight)


def _check(tree: Tree, rows: LabelledRows, confidence: float, theory_weight: float) -> None:
    needless(tree, "simplifying rules")
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence!r} must lie between 0 and 1.")
    if not 0 <= theory_weight < np.inf:
        raise OptionError(f"theory_weight={theory_weight!r} must be a number of at least 0.")
    if (rows.target < 0).any():
        raise DataError("simplifying rules needs rows of the classes that the tree knows.")


def _labelled(tree: Tree, rows: LabelledRows) -> Labelled:
    return Labelled(rows.target.astype(np.int64), rows.weight, len(tree.classes))


def _of_leaves(tree: Tree) -> Iterator[tuple[int, int, tuple[Condition, ...]]]:
    """Return every leaf with its class and the single conditions of its path."""
    for node, path in paths(tree):
        if node.is_leaf:
            conditions = [single for condition in path.values() for single in singles(condition)]
            yield node.index, int(tree.value[node.index]), tuple(conditions)


def _fails(conditions: tuple[Condition, ...], rows: LabelledRows) -> NDArray[np.bool_]:
    """Return which rows do not fulfil each condition, shape (conditions, rows)."""
    fails = np.ones((len(conditions), rows.table.n_rows), dtype=bool)
    for line, condition in zip(fails, conditions, strict=True):
        cells = rows.table.columns[rows.table.schema.index(condition.feature.name)]
        assert cells is not None
        line[:] = condition.shares(cells) < 1
    return fails


def _drafts(tree: Tree, rows: LabelledRows, labelled: Labelled, confidence: float) -> Iterator[_Draft]:
    """Return the rule of every leaf, made more general; those that are left without a condition, or whose class is not
    the most frequent one among the rows that they cover, are left out.
    """
    for node, code, conditions in _of_leaves(tree):
        fails = _fails(conditions, rows)
        steps = drop_conditions(fails, labelled.codes == code, labelled.weight, confidence)
        dropped = {step.chosen for step in steps}
        left = [i for i in range(len(conditions)) if i not in dropped]
        covered = np.flatnonzero(~fails[left].any(axis=0))
        weights = labelled.by_class(covered)
        if left and weights.sum() > 0 and code == heaviest(weights):
            yield _Draft(node, tuple(conditions[i] for i in left), code, covered, steps[-1].before)


def heaviest(weights: Floats) -> int:
    """Return the class of most weight, the first of equals."""
    return int(np.argmax(weights >= weights.max() * (1 - 1e-10)))


def _distinct(drafts: Iterator[_Draft]) -> Iterator[_Draft]:
    """Return rules, each only once."""
    seen = set()
    for draft in drafts:
        key = (draft.code, frozenset(draft.singles))
        if key not in seen:
            seen.add(key)
            yield draft


def _rule_set(tree: Tree, drafts: list[_Draft], labelled: Labelled, confidence: float, theory_weight: float) -> RuleSet:
    default, left = default_class([draft.rows for draft in drafts], labelled)
    rules = []
    for draft in drafts:
        weights = labelled.by_class(draft.rows)
        rate = float(expected_rate(weights[draft.code], weights.sum() - weights[draft.code], confidence))
        rules.append(
            SimplifiedRule(
                merged(draft.singles), draft.code, draft.node, len(draft.rows), tuple(weights.tolist()), rate
            )
        )
    total = labelled.by_class(np.arange(len(labelled.codes)))
    return RuleSet(
        tree.schema,
        tree.target,
        tree.classes,
        tuple(rules),
        default,
        tuple(left.tolist()),
        tuple(total.tolist()),
        str(tree.options["name"]),
        confidence,
        theory_weight,
    )
