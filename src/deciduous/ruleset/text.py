"""Simplified rules in words, and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from deciduous.data.schema import Label
from deciduous.explain.blocks import Block, Heading, Text
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.labels import significant
from deciduous.ruleset.rule_set import RuleSet, SimplifiedRule

if TYPE_CHECKING:
    import polars as pl


def blocks_of(rules: RuleSet) -> Iterator[Block]:
    """Return the rules, each with what it covers and how often it is expected to be right, and the default."""
    title = _n("{n} simplified rule for {target}", "{n} simplified rules for {target}", len(rules))
    yield Heading(title.format(n=len(rules), target=rules.target), 1)
    yield Text(_("The first rule whose conditions all hold answers. A missing cell fulfils no condition."))
    for number, rule in enumerate(rules, 1):
        yield Text(f"{number}. {_sentence(rules, rule)}", "item")
        yield Text(_figures(rules, rule), "detail")
    last = _("{number}. ELSE {answer}") if len(rules) else _("{number}. always {answer}")
    yield Text(last.format(number=len(rules) + 1, answer=rules.classes[rules.default]), "item")
    left = sum(rules.default_weights)
    counts = _counts(rules.classes, rules.default_weights)
    covered = _("no training row is left to it")
    yield Text(_("{covers}: {counts}").format(covers=_rows(left), counts=counts) if left else covered, "detail")


def _sentence(rules: RuleSet, rule: SimplifiedRule) -> str:
    conditions = _(" AND ").join(condition.text() for condition in rule.conditions)
    return _("IF {conditions} THEN {answer}").format(conditions=conditions, answer=rules.classes[rule.code])


def _figures(rules: RuleSet, rule: SimplifiedRule) -> str:
    right = f"{100 * (1 - rule.expected_error):.3g} %"
    text = _("{covers}: {counts}; expected to be right in {right} of other rows")
    return text.format(covers=_rows(rule.weight), counts=_counts(rules.classes, rule.class_weights), right=right)


def _rows(weight: float) -> str:
    return _n("{n} row", "{n} rows", weight).format(n=significant(weight))


def _counts(classes: Sequence[Label], weights: Sequence[float]) -> str:
    pairs = sorted(zip(classes, weights, strict=True), key=lambda pair: -pair[1])
    return ", ".join(f"{label} {significant(weight)}" for label, weight in pairs if weight > 0)


def frame_of(rules: RuleSet) -> pl.DataFrame:
    """Return the rules as a data frame; the last row is the default, whose figures are those of the rows left to it."""
    import polars as pl

    ends: list[dict[str, Any]] = [
        {
            "rule": " AND ".join(c.text(digits=17, most=10**9) for c in rule.conditions),
            "prediction": rules.classes[rule.code],
            "n_samples": rule.n_samples,
            "weight": rule.weight,
            "confidence": rule.confidence,
            "expected_error": rule.expected_error,
            "node": rule.node,
        }
        for rule in rules
    ]
    left = sum(rules.default_weights)
    share = rules.default_weights[rules.default] / left if left else None
    ends.append({"rule": "", "prediction": rules.classes[rules.default], "weight": left, "confidence": share})
    types = {"rule": pl.String, "n_samples": pl.Int64, "weight": pl.Float64, "confidence": pl.Float64}
    return pl.DataFrame(ends, schema_overrides={**types, "expected_error": pl.Float64, "node": pl.Int64})
