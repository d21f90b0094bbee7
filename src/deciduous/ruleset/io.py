"""The model file of simplified rules: versioned JSON. Loading checks everything and executes nothing."""

from __future__ import annotations

import math
from typing import Any

from deciduous.data.schema import Feature, Schema
from deciduous.errors import ModelFileError
from deciduous.explain.conditions import Among, Condition, Range
from deciduous.model.document import Part
from deciduous.model.io import read_labels, read_schema, schema_document
from deciduous.ruleset.rule_set import RuleSet, SimplifiedRule

FORMAT = "deciduous rules"
VERSION = 1


def document_of(rules: RuleSet) -> dict[str, Any]:
    """Return rules as plain values, such as JSON holds."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": rules.algorithm,
        "confidence": rules.confidence,
        "theory_weight": rules.theory_weight,
        "target": rules.target,
        "classes": list(rules.classes),
        "class_weights": list(rules.class_weights),
        "schema": schema_document(rules.schema),
        "rules": [_rule_document(rules, rule) for rule in rules],
        "default": rules.classes[rules.default],
        "default_weights": list(rules.default_weights),
    }


def _rule_document(rules: RuleSet, rule: SimplifiedRule) -> dict[str, Any]:
    return {
        "conditions": [_condition_document(condition) for condition in rule.conditions],
        "prediction": rules.classes[rule.code],
        "node": rule.node,
        "rows": rule.n_samples,
        "class_weights": list(rule.class_weights),
        "expected_error": rule.expected_error,
    }


def _condition_document(condition: Condition) -> dict[str, Any]:
    """Return a condition: `above` and `up_to` of numbers (`at_least` and `less_than`, of trees with surrogates), or
    `in` some categories; or whether the cell is `known`.
    """
    column = {"column": condition.feature.name}
    if isinstance(condition, Range):
        if not condition.known or condition.whole:
            return {**column, "known": condition.known}
        if condition.below:
            bounds = {"at_least": _above(condition.low), "less_than": _above(condition.high)}
        else:
            bounds = {"above": condition.low, "up_to": condition.high}
        return column | {name: bound for name, bound in bounds.items() if math.isfinite(bound)}
    if condition.whole or not any(condition.part):
        return {**column, "known": condition.whole}
    return {**column, "in": list(condition.categories)}


def rules_of(content: dict[str, Any]) -> RuleSet:
    """Read rules from a document; ModelFileError says what is wrong and where."""
    top = Part(content, "the document")
    if content.get("version") is True or content.get("version") != VERSION:
        raise ModelFileError(
            f"it has version {content.get('version')!r:.60}, and this release reads version {VERSION}. Read it with "
            "the release that wrote it, or a newer one."
        )
    schema, classes = read_schema(top.part("schema")), read_labels(top, "classes")
    if not classes:
        raise ModelFileError("rules must have classes.")
    places = [Part(rule, f"rule {i + 1}") for i, rule in enumerate(top.get("rules", list))]
    default = _weights(top, "default_weights", len(classes))
    return RuleSet(
        schema,
        top.get("target", str),
        classes,
        tuple(_read_rule(part, schema, classes) for part in places),
        _code(top, "default", classes),
        default,
        _weights(top, "class_weights", len(classes), empty=False),
        top.get("algorithm", str),
        top.number("confidence"),
        top.number("theory_weight"),
    )


def _read_rule(part: Part, schema: Schema, classes: tuple[Any, ...]) -> SimplifiedRule:
    conditions = [Part(c, f"condition {i + 1} of {part.place}") for i, c in enumerate(part.get("conditions", list))]
    if not conditions:
        raise ModelFileError(f"{part.place} has no condition.")
    return SimplifiedRule(
        tuple(_read_condition(condition, schema) for condition in conditions),
        _code(part, "prediction", classes),
        part.count("node"),
        part.count("rows"),
        _weights(part, "class_weights", len(classes), empty=False),
        part.number("expected_error"),
    )


def _code(part: Part, key: str, classes: tuple[Any, ...]) -> int:
    label = part.raw(key)
    if isinstance(label, list | dict) or label not in classes:
        raise ModelFileError(f"{key!r} in {part.place} must be one of the classes; it is {label!r:.60}.")
    return classes.index(label)


def _weights(part: Part, key: str, n: int, empty: bool = True) -> tuple[float, ...]:
    weights: tuple[float, ...] = tuple(part.table(key, (n,)).tolist())
    if not empty and not sum(weights) > 0:
        raise ModelFileError(f"{key!r} in {part.place} must not all be 0.")
    return weights


def _read_condition(part: Part, schema: Schema) -> Condition:
    name = part.get("column", str)
    feature = next((f for f in schema.features if f.name == name), None)
    if feature is None or not feature.is_split_on:
        raise ModelFileError(f"{part.place} names column {name!r}, which cannot be asked for.")
    if "known" in part.content:
        return _known(feature, part.get("known", bool))
    if feature.kind == "numeric":
        return _read_range(part, feature)
    chosen = part.get("in", list)
    parts = tuple(float(label in chosen) for label in feature.categories)
    if not any(parts) or all(parts) or sum(parts) != len(chosen):
        raise ModelFileError(f"'in' in {part.place} must hold some of the categories of {name!r}, and not all.")
    return Among(feature, parts, unseen=0.0, missing=0.0)


def _read_range(part: Part, feature: Feature) -> Range:
    below = "at_least" in part.content or "less_than" in part.content
    names = ("at_least", "less_than") if below else ("above", "up_to")
    bounds = {key: part.number(key) for key in names if key in part.content}
    low, high = bounds.get(names[0], -math.inf), bounds.get(names[1], math.inf)
    if not bounds or not low < high:
        raise ModelFileError(f"{part.place} must have {names[0]!r} or {names[1]!r}, numbers in this order.")
    if below:
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, -math.inf) if high < math.inf else high
    return Range(feature, low, high, missing=0.0, below=below)


def _above(bound: float) -> float:
    """Return the cut of a bound that is the number just below it."""
    return math.nextafter(bound, math.inf) if math.isfinite(bound) else bound


def _known(feature: Feature, known: bool) -> Condition:
    if feature.kind == "numeric":
        return Range(feature, known=known, missing=float(not known))
    return Among(feature, (float(known),) * len(feature.categories), unseen=float(known), missing=float(not known))
