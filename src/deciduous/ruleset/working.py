"""The working of simplified rules: which conditions were dropped and why, which rules each class keeps, the order of
the classes, the rules that did harm, and the default; every figure as one would write it by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text, formula_of
from deciduous.explain.estimates import limit_definition
from deciduous.explain.expression import Style, plain
from deciduous.explain.shown import Shown
from deciduous.explain.steps import Step
from deciduous.language import translate as _
from deciduous.ruleset.conditions import merged
from deciduous.ruleset.figures import (
    FEW_NAMED,
    Length,
    bits_step,
    length_step,
    lengths_of,
    limit_step,
    rule_name,
)
from deciduous.ruleset.generalise import Dropped
from deciduous.ruleset.rule_set import RuleSet
from deciduous.ruleset.simplify import Choice, Draft, Simplification

if TYPE_CHECKING:
    import polars as pl

#: What became of the rule of a leaf, in words.
OUTCOMES = {
    "compared": "it is compared with the other rules of its class",
    "no condition": "it goes: no condition is left",
    "covers no row": "it goes: it covers no row",
    "other class": "it goes: most of the rows that it covers are of another class",
    "twice": "it goes: a rule before it says the same",
}


class SimplificationDerivation(Shown):
    """The working of simplified rules. `of`: the simplification itself; `rules`: what is left."""

    def __init__(self, of: Simplification, digits: int = 3) -> None:
        self.of, self.style = of, Style(digits, guard=4)

    @property
    def rules(self) -> RuleSet:
        """The rules that are left, with the default."""
        return self.of.rules

    # --- in blocks

    def blocks(self) -> Iterator[Block]:
        """Return how rules are made shorter, rule by rule, then which are kept, class by class, and in which order."""
        of = self.of
        title = _("The working of the simplified rules for {target}")
        yield Heading(title.format(target=of.tree.target), 1)
        text = _(
            "A rule covers N rows, E of them of another class: the upper limit U(E, N) of its error rate at the "
            "confidence {cf}. The condition goes without which that rate is least, as long as it is no more than with "
            "it; of equals the first. A rule that covers no row has U = 1."
        )
        yield Text(text.format(cf=plain(of.confidence)))
        yield from limit_definition(of.confidence)
        for draft in of.drafts:
            yield from self._draft(draft)
        yield from self._lengths()
        yield from self._order()
        yield from self._looks()
        yield from self._default()
        for block in of.rules.blocks():
            yield replace(block, level=2) if isinstance(block, Heading) else block

    def _sentence(self, draft: Draft, singly: bool) -> str:
        """Return a rule in words: as its leaf has it, each condition singly, or as it is left."""
        conditions = draft.conditions if singly else merged(draft.left)
        text = _(" AND ").join(condition.text() for condition in conditions) or _("anything")
        return _("IF {conditions} THEN {answer}").format(conditions=text, answer=self.of.tree.classes[draft.code])

    def _draft(self, draft: Draft) -> Iterator[Block]:
        yield Heading(_("Node {node}: {where}").format(node=draft.node, where=self._sentence(draft, singly=True)))
        for number, step in enumerate(self.of.dropped(draft.code, draft.conditions), 1):
            yield from self._step(draft, number, step)
        if draft.left and len(draft.left) < len(draft.conditions):
            yield Text(_("What is left: {rule}").format(rule=self._sentence(draft, singly=False)), "decision")
        yield Text(_(OUTCOMES[draft.outcome]), "decision")

    def _step(self, draft: Draft, number: int, step: Dropped) -> Iterator[Block]:
        if len(draft.conditions) > 1:
            yield Heading(_("Step {n}").format(n=number), 3)
        style = self.style
        lines = [(_("none"), *_figures(style, *step.covers, step.before), "")]
        for place, right, wrong, rate in zip(step.left, step.right, step.wrong, step.rate, strict=True):
            goes = _("goes") if place == step.chosen else ""
            lines.append((draft.conditions[place].text(), *_figures(style, right, wrong, rate), goes))
        yield Grid((_("without"), "N", "E", "U", ""), tuple(lines), (1, 2, 3), "tried")
        before, least = self.limits(step)
        yield formula_of(before, style)
        if least.symbol != before.symbol:
            yield formula_of(least, style)
        parts = (least.symbol, style.result(least.value), before.symbol, style.result(before.value))
        yield Formula(parts, ("=", "<=" if step.chosen >= 0 else ">", "="))
        if step.chosen < 0:
            yield Text(_("no condition goes"), "decision")
            return
        yield Text(_("{condition} goes").format(condition=draft.conditions[step.chosen].text()), "decision")

    def limits(self, step: Dropped) -> tuple[Step, Step]:
        """Return the expected error rate of a rule as it stands, and the least one without a condition."""
        best = step.left.index(step.chosen) if step.chosen >= 0 else int(np.argmin(step.rate))
        before = limit_step(self.style, *step.covers, step.before, self.of.confidence)
        return before, limit_step(self.style, step.right[best], step.wrong[best], step.rate[best], self.of.confidence)

    def _lengths(self) -> Iterator[Block]:
        of = self.of
        yield Heading(_("Which rules are kept"))
        text = _(
            "The rules of a class are kept that tell the class in the fewest bits. A condition takes log2 of the {n} "
            "columns, and log2 of its possible answers; log2 k! is taken off for k conditions, and for k rules. If the "
            "rules cover r of n rows, fp of them of another class, and leave fn rows of their own, the exceptions take "
            "log2 C(r, fp) + log2 C(n - r, fn). The bits of the rules count {weight}."
        )
        yield Text(text.format(n=of.language.n_columns, weight=plain(of.theory_weight)))
        for choice in of.choices:
            yield from self._choice(choice)

    def _choice(self, choice: Choice) -> Iterator[Block]:
        style, label = self.style, self.of.tree.classes[choice.code]
        yield Heading(_("The rules of {label}").format(label=label), 3)
        for draft in choice.drafts:
            yield Text(f"{rule_name(draft).text}: {self._sentence(draft, singly=False)}")
            yield formula_of(bits_step(style, self.of.language, draft), style)
        found = lengths_of(choice)
        head = (_("rules"), _("bits"), _("right"), _("wrong"), _("exceptions"), _("length"), "")
        lines = [
            (
                self._set_text(choice, one),
                style.result(one.theory),
                plain(one.right),
                plain(one.wrong),
                style.result(one.exceptions),
                style.result(one.length),
                _("kept") if one.kept else "",
            )
            for one in found
        ]
        yield Grid(head, tuple(lines), (1, 2, 3, 4, 5), "tried")
        kept = next(one for one in found if one.kept)
        yield formula_of(length_step(style, choice, kept), style)
        yield Text(self._search_text(choice, len(found)), "decision")

    def _set_text(self, choice: Choice, one: Length) -> str:
        """Return which rules a set has: all by name, or what it has more or less than the rules kept."""
        taken = [draft for draft, chosen in zip(choice.drafts, one.chosen, strict=True) if chosen]
        names = ", ".join(rule_name(draft).text for draft in taken)
        if one.kept or len(choice.drafts) <= FEW_NAMED:
            return names or _("no rule")
        if one.exchanged >= 0:
            text = _("also {rule}") if one.chosen[one.exchanged] else _("without {rule}")
            return text.format(rule=rule_name(choice.drafts[one.exchanged]).text)
        return _("all rules") if taken else _("no rule")

    def _search_text(self, choice: Choice, shown: int) -> str:
        n = len(choice.drafts)
        if not choice.candidates.exact:
            return _("found by exchange: no rule that goes in or out makes it shorter")
        text = _("the shortest of all {n} sets").format(n=2**n)
        rest = 2**n - shown
        return text + (_("; {n} more are not shown").format(n=rest) if rest else "")

    def _order(self) -> Iterator[Block]:
        of = self.of
        if not of.turns:
            return
        yield Heading(_("The order of the classes"))
        yield Text(
            _(
                "Next is always the class whose rules answer the fewest of the rows wrongly that no class before has "
                "answered; of equals the first. The rules of a class stand by their expected error, the least first."
            )
        )
        lines = [
            (str(number), str(of.tree.classes[code]), plain(wrong), _("is asked next") if code == turn.chosen else "")
            for number, turn in enumerate(of.turns, 1)
            for code, wrong in turn.wrong.items()
        ]
        yield Grid((_("turn"), _("class"), _("wrong"), ""), tuple(lines), (0, 2), "tried")

    def _looks(self) -> Iterator[Block]:
        of = self.of
        if not of.listed:
            return
        yield Heading(_("A last look"))
        yield Text(
            _(
                "As long as fewer training rows are answered wrongly without some rule, the first such rule goes. Its "
                "rows then go to the next rule that holds, or to the default."
            )
        )
        for number, look in enumerate(of.looks, 1):
            default = of.tree.classes[look.default]
            yield Heading(_("Look {n}: the default is {label}").format(n=number, label=default), 3)
            lines = [
                (rule_name(of.listed[place]).text, plain(fewer), _("goes") if place == look.goes else "")
                for place, fewer in zip(look.stay, look.fewer, strict=True)
            ]
            yield Grid((_("without"), _("errors fewer"), ""), tuple(lines), (1,), "tried")
            if look.goes < 0:
                yield Text(_("no rule goes"), "decision")

    def _default(self) -> Iterator[Block]:
        rules = self.of.rules
        yield Heading(_("The default"))
        yield Text(
            _(
                "The most frequent class among the rows that no rule covers; of equals the more frequent one in the "
                "table, then the first."
            )
        )
        lines = [
            (str(label), plain(left), plain(everything), _("the default") if code == rules.default else "")
            for code, (label, left, everything) in enumerate(
                zip(rules.classes, rules.default_weights, rules.class_weights, strict=True)
            )
        ]
        yield Grid((_("class"), _("rows without a rule"), _("all rows"), ""), tuple(lines), (1, 2), "tried")

    # --- as plain values

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the working as plain values: the rules of the tree, the sets of each class, the order, the default."""
        from deciduous.ruleset.records import dict_of

        return dict_of(self, lang)

    def to_frame(self) -> pl.DataFrame:
        """Return the conditions that could be dropped as a polars data frame: a row for each of them in each step.

        `n`, `errors`, `rate`: N, E and U without it; `..._before`: as the rule stood; `dropped`: whether it went.
        """
        from deciduous.ruleset.records import frame_of

        return frame_of(self)

    def __repr__(self) -> str:
        """Return what was simplified."""
        return f"<SimplificationDerivation of {self.of.tree!r}: {len(self.of.rules)} rules>"


def _figures(style: Style, right: float, wrong: float, rate: float) -> tuple[str, str, str]:
    """Return N, E and U as they are printed."""
    return plain(right + wrong), plain(wrong), style.result(rate)
