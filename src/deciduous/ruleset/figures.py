"""The figures of simplified rules with their formulas: expected error rates, the bits of rules and of sets of rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciduous.explain.conditions import Condition, Range
from deciduous.explain.estimates import limit_numbers
from deciduous.explain.expression import (
    Choose,
    Count,
    Expression,
    Factorial,
    Figure,
    Log,
    Minus,
    Name,
    Power,
    Style,
    Sum,
    Times,
    minus,
    plain,
)
from deciduous.explain.steps import Calculation, Step
from deciduous.ruleset.conditions import Language
from deciduous.ruleset.simplify import Choice, Draft

#: Of up to so many rules all sets are shown, of more those that differ from the one kept by one rule.
FEW_NAMED = 3


def rule_name(draft: Draft) -> Name:
    """Return the symbol of the rule of a leaf."""
    return Name(f"R_{draft.node}", f"R_{{{draft.node}}}")


def limit_step(style: Style, right: float, wrong: float, rate: float, confidence: float) -> Step:
    """Return the expected error rate U(E, N) of a rule that answers so many rows right and wrong."""
    n = right + wrong
    name = f"U({plain(wrong)}, {plain(n)})"
    numbers = limit_numbers(n, wrong, confidence) if n > 0 else None
    return Calculation(style).step("upper_limit", "", Name(name, name), None, numbers, rate)


# --- bits


def bits_step(style: Style, language: Language, draft: Draft) -> Step:
    """Return the bits of a rule: those of its conditions, less those of their order."""
    symbol = Name(f"bits({rule_name(draft).text})", rf"\mathrm{{bits}}({rule_name(draft).latex})")
    columns = Log(Count(language.n_columns))
    told = [term for condition in draft.left for term in (columns, *_answer(language, condition))]
    numbers = Sum((*told, *_order(len(draft.left))))
    return Calculation(style).step("bits", "", symbol, None, numbers, language.bits(draft.left))


def _answer(language: Language, condition: Condition) -> tuple[Expression, ...]:
    """Return the bits of what a condition says of its column, as `Language.bits` counts them."""
    if isinstance(condition, Range):
        asked = condition.known and not condition.whole
        return (Count(1), Log(Count(language.cuts[condition.feature.name]))) if asked else (Count(1),)
    categories, chosen = len(condition.part), sum(condition.part)
    if chosen in (0, categories):
        return (Count(1),)
    if chosen == 1:
        return (Log(Count(categories)),)
    return (Log(minus(Power(Count(2), categories), Count(2))),)


def _order(n: int) -> tuple[Expression, ...]:
    """Return what n things take less where their order says nothing."""
    return (Minus(Log(Factorial(n))),) if n > 1 else ()


# --- sets of rules


@dataclass(frozen=True)
class Length:
    """The description length of a set of rules of one class.

    `chosen`: which rules; `theory`: their bits; `right`, `wrong`: the weight of the rows of the class, and of others,
    that they cover; `exceptions`: the bits of what they answer wrongly; `exchanged`: the rule that goes in or out of
    the set that is kept, -1 for none.
    """

    chosen: tuple[bool, ...]
    theory: float
    right: float
    wrong: float
    exceptions: float
    length: float
    kept: bool
    exchanged: int = -1


def lengths_of(choice: Choice) -> list[Length]:
    """Return the lengths of sets of rules, the one kept first: of few rules all sets; of more those that differ from it
    by one rule, none and all.
    """
    n = len(choice.drafts)
    kept = np.zeros(n, dtype=bool)
    kept[list(choice.kept)] = True
    if n <= FEW_NAMED:
        sets = [(np.array([code >> j & 1 for j in range(n)], dtype=bool), -1) for code in range(1 << n)]
    else:
        sets = [(kept ^ (np.arange(n) == j), j) for j in range(n)]
        sets += [(np.full(n, taken), -1) for taken in (False, True) if (kept != taken).sum() > 1]
    others = [one for one in sets if (one[0] != kept).any()]
    return [_length(choice, chosen, exchanged, kept) for chosen, exchanged in [(kept, -1), *others]]


def _length(choice: Choice, chosen: np.ndarray, exchanged: int, kept: np.ndarray) -> Length:
    candidates = choice.candidates
    right, wrong = candidates.covered(chosen)
    return Length(
        tuple(chosen.tolist()),
        candidates.theory(chosen),
        right,
        wrong,
        candidates.exceptions(right, wrong),
        candidates.length(chosen, right, wrong),
        bool((chosen == kept).all()),
        exchanged,
    )


def length_step(style: Style, choice: Choice, one: Length) -> Step:
    """Return the length of a set of rules: W (bits of the rules) + bits of the exceptions."""
    candidates = choice.candidates
    total, of_class = candidates.totals
    bits = [Figure(float(b)) for b, taken in zip(candidates.bits, one.chosen, strict=True) if taken]
    theory = Times((Count(candidates.theory_weight), Sum((*bits, *_order(len(bits))))))
    covered = one.right + one.wrong
    exceptions = (Log(Choose(covered, one.wrong)), Log(Choose(total - covered, of_class - one.right)))
    numbers = Sum((theory, *exceptions) if bits else exceptions)
    name = Name("bits(R)", r"\mathrm{bits}(R)")
    return Calculation(style).step("length", "", name, None, numbers, one.length)
