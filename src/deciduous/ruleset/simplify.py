"""A tree's rules made shorter and fewer (Quinlan 1993, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError, OptionError
from deciduous.explain.conditions import Condition
from deciduous.explain.rules import paths
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows
from deciduous.ruleset.conditions import Language, merged, singles
from deciduous.ruleset.generalise import Dropped, Labelled, drop_conditions, expected_rate
from deciduous.ruleset.order import Look, Turn, class_order, default_class, without_harm
from deciduous.ruleset.rule_set import RuleSet, SimplifiedRule
from deciduous.ruleset.subset import Candidates, Rows, shortest

#: What becomes of the rule of a leaf before sets of rules are compared.
Outcome = Literal["compared", "no condition", "covers no row", "other class", "twice"]


@dataclass(frozen=True, eq=False)
class Draft:
    """The rule of a leaf on the way: the single conditions of its path, those that are left, the rows that it covers.

    `rate`: its expected error rate. `outcome`: whether it is among the rules that are compared, or why not: all its
    conditions were dropped, it covers no row, most of its rows are of another class, or a rule before it says the same.
    """

    node: int
    code: int
    conditions: tuple[Condition, ...]
    left: tuple[Condition, ...]
    rows: Rows
    rate: float
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class Choice:
    """The rules of one class that were compared, and the positions of those kept, the least expected error first."""

    code: int
    drafts: Sequence[Draft]
    candidates: Candidates
    kept: tuple[int, ...]


class Simplification:
    """The rules of a classification tree made shorter and fewer, by the rows that the tree was grown on, step by step.

    From the rule of every leaf, conditions are dropped while its expected error rate U_CF(E, N) does not
    rise; rules without conditions, rules alike, and rules whose class is not the most frequent one among their rows go.
    Of the rules of each class the set is kept that tells the class in the fewest bits. Classes are asked in the order
    of the rows that their rules answer wrongly, the rules of a class in that of their expected error rates; what no
    rule covers has the most frequent class among such rows. Last, rules without which fewer rows are answered wrongly
    go.

    `confidence`: CF, smaller drops more conditions; `theory_weight`: how much the bits of rules count beside those of
    exceptions, smaller keeps more rules. OptionError for a tree of numbers or several targets.
    """

    def __init__(self, tree: Tree, rows: LabelledRows, confidence: float = 0.25, theory_weight: float = 0.5) -> None:
        _check(tree, rows, confidence, theory_weight)
        self.tree, self.rows, self.confidence, self.theory_weight = tree, rows, confidence, theory_weight
        self.labelled = Labelled(rows.target.astype(np.int64), rows.weight, len(tree.classes))
        self.language = Language(rows.table, tree.used_features)

    def dropped(self, code: int, conditions: tuple[Condition, ...]) -> list[Dropped]:
        """Return the steps in which conditions of a rule for a class are dropped."""
        right = self.labelled.codes == code
        return drop_conditions(_fails(conditions, self.rows), right, self.labelled.weight, self.confidence)

    @cached_property
    def drafts(self) -> list[Draft]:
        """The rule of every leaf, made more general."""
        seen: set[tuple[int, frozenset[Condition]]] = set()
        return [self._draft(*leaf, seen) for leaf in _of_leaves(self.tree)]

    def _draft(
        self, node: int, code: int, conditions: tuple[Condition, ...], seen: set[tuple[int, frozenset[Condition]]]
    ) -> Draft:
        steps = self.dropped(code, conditions)
        gone = {step.chosen for step in steps}
        left = tuple(condition for i, condition in enumerate(conditions) if i not in gone)
        covered = np.flatnonzero(~_fails(left, self.rows).any(axis=0))
        key = (code, frozenset(left))
        outcome = "twice" if key in seen else self._outcome(left, self.labelled.by_class(covered), code)
        if outcome == "compared":
            seen.add(key)
        rate = steps[-1].before if steps else 1.0
        return Draft(node, code, conditions, left, covered if outcome == "compared" else covered[:0], rate, outcome)

    def _outcome(self, left: tuple[Condition, ...], weights: Floats, code: int) -> Outcome:
        if not left:
            return "no condition"
        if weights.sum() <= 0:
            return "covers no row"
        return "compared" if code == heaviest(weights) else "other class"

    @cached_property
    def choices(self) -> list[Choice]:
        """The rules of each class that has some, and which of them are kept."""
        by_class: dict[int, list[Draft]] = {}
        for draft in self.drafts:
            if draft.outcome == "compared":
                by_class.setdefault(draft.code, []).append(draft)
        return [self._choice(code, by_class[code]) for code in sorted(by_class)]

    def _choice(self, code: int, drafts: list[Draft]) -> Choice:
        bits = np.array([self.language.bits(draft.left) for draft in drafts])
        of_class = self.labelled.codes == code
        covers = [draft.rows for draft in drafts]
        candidates = Candidates(covers, bits, of_class, self.labelled.weight, self.theory_weight)
        kept = sorted(shortest(candidates), key=lambda place: drafts[place].rate)
        return Choice(code, drafts, candidates, tuple(kept))

    @cached_property
    def turns(self) -> list[Turn]:
        """The turns in which the classes that keep rules get their order."""
        covers = {c.code: [c.drafts[place].rows for place in c.kept] for c in self.choices if c.kept}
        return class_order(covers, self.labelled)

    @cached_property
    def listed(self) -> list[Draft]:
        """The rules that are kept, in order."""
        kept = {c.code: [c.drafts[place] for place in c.kept] for c in self.choices}
        return [draft for turn in self.turns for draft in kept[turn.chosen]]

    @cached_property
    def looks(self) -> list[Look]:
        """The last looks, in which rules that do harm go."""
        return without_harm([draft.rows for draft in self.listed], [draft.code for draft in self.listed], self.labelled)

    @cached_property
    def rules(self) -> RuleSet:
        """What is left: the rules in order, and the default."""
        tree, labelled = self.tree, self.labelled
        drafts = [self.listed[place] for place in self.looks[-1].stay]
        default, left = default_class([draft.rows for draft in drafts], labelled)
        total = labelled.by_class(np.arange(len(labelled.codes)))
        return RuleSet(
            tree.schema,
            tree.target,
            tree.classes,
            tuple(self._rule(draft) for draft in drafts),
            default,
            tuple(left.tolist()),
            tuple(total.tolist()),
            str(tree.options["name"]),
            self.confidence,
            self.theory_weight,
        )

    def _rule(self, draft: Draft) -> SimplifiedRule:
        weights = self.labelled.by_class(draft.rows)
        rate = float(expected_rate(weights[draft.code], weights.sum() - weights[draft.code], self.confidence))
        rows = len(draft.rows)
        return SimplifiedRule(merged(draft.left), draft.code, draft.node, rows, tuple(weights.tolist()), rate)


def _check(tree: Tree, rows: LabelledRows, confidence: float, theory_weight: float) -> None:
    if tree.task != "class":
        raise OptionError("simplifying rules is for trees that predict classes; this one predicts numbers.")
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence!r} must lie between 0 and 1.")
    if not isinstance(theory_weight, Real) or not 0 <= theory_weight < np.inf:
        raise OptionError(f"theory_weight={theory_weight!r} must be a number of at least 0.")
    if (rows.target < 0).any():
        raise DataError("simplifying rules needs rows of the classes that the tree knows.")


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


def heaviest(weights: Floats) -> int:
    """Return the class of most weight, the first of equals."""
    return int(np.argmax(weights >= weights.max() * (1 - 1e-10)))
