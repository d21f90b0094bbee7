"""Derivations as plain values: for JSON, and as data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import polars as pl

from deciduous.explain.blocks import number_columns
from deciduous.explain.expression import Style, latex_of, text_of
from deciduous.explain.steps import FeatureDerivation, NodeDerivation, Step
from deciduous.language import speaking, spoken

if TYPE_CHECKING:
    from deciduous.explain.derivation import Derivation
    from deciduous.explain.joint import JointDerivation


def dict_of(derivation: Derivation, lang: str | None = None) -> dict[str, Any]:
    """Return a derivation as plain values: a list of nodes, each with its steps and columns."""
    with speaking(lang):
        tree, style = derivation.tree, derivation.style
        return {
            "algorithm": tree.options["name"],
            "target": tree.target,
            "criterion": tree.options["criterion"],
            "language": spoken(),
            "digits": style.digits,
            "rounding": "each step" if style.each_step else "end",
            "nodes": [_node(node, style, number_columns(str(tree.options["criterion"]))) for node in derivation],
        }


def joint_dict_of(derivation: JointDerivation, lang: str | None = None) -> dict[str, Any]:
    """Return the derivation of several targets as plain values: in every node the means, and each target's own."""
    with speaking(lang):
        found = dict_of(derivation, lang)
        of_numbers = number_columns(str(derivation.tree.options["criterion"]))
        targets = derivation.tree.targets
        for node, entry in zip(iter(derivation), found["nodes"], strict=True):
            entry["targets"] = {
                name: _node(part, derivation.style, of_numbers)
                for name, part in zip(targets, node.of_targets, strict=True)
            }
        return {**found, "target": list(targets)}


def _node(node: NodeDerivation, style: Style, of_numbers: tuple[str, str]) -> dict[str, Any]:
    working = node.working
    return {
        "node": working.node,
        "path": list(working.path),
        "n_samples": working.n_samples,
        "weight": working.weight,
        "class_weights": {str(label): weight for label, weight in working.class_weights.items()},
        "rows": list(node.rows),
        "steps": [step_dict(step, style) for step in node.steps],
        "features": [_feature(feature, node.classes or of_numbers, style) for feature in node.features],
        "comparison": [step_dict(step, style) for step in node.comparison],
        "decision": working.decision,
        "branches": [{"node": number, "condition": condition} for number, condition in working.branches],
    }


def _feature(feature: FeatureDerivation, names: tuple[str, ...], style: Style) -> dict[str, Any]:
    working = feature.working
    return {
        "feature": working.feature,
        "verdict": working.verdict,
        "why": working.why,
        "score": _number(working.score),
        "table": [
            {
                "branch": line.condition,
                "symbol": line.symbol.text,
                "weight": line.weight,
                "cells": dict(zip(names, line.cells, strict=True)),
                "rows": list(line.rows),
            }
            for line in feature.lines
        ],
        "steps": [step_dict(step, style) for step in feature.steps],
        "others": [step_dict(step, style) for step in feature.others],
        "tried": [{key: _number(value) for key, value in asdict(one).items()} for one in feature.tried],
        "n_tried": feature.n_tried,
        "remarks": list(feature.remarks),
    }


def step_dict(step: Step, style: Style) -> dict[str, Any]:
    """Return a step as plain values, its formula as text and as LaTeX."""
    return {
        "quantity": step.quantity,
        "of": step.of,
        "symbol": step.symbol.text,
        "formula": None if step.formula is None else text_of(step.formula, style),
        "numbers": None if step.numbers is None else text_of(step.numbers, style),
        "latex": None if step.numbers is None else latex_of(step.numbers, style),
        "result": style.result(step.value),
        "value": _number(step.value),
        "exact": _number(step.exact),
    }


def _number(value: Any) -> Any:
    """Return None for a number that JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def frame_of(derivation: Derivation) -> pl.DataFrame:
    """Return the steps of a derivation, a row a step."""
    steps = (
        (node.working.node, feature, step) for node in derivation for feature, steps in node.parts() for step in steps
    )
    return steps_frame(steps, derivation.style)


def steps_frame(steps: Iterable[tuple[int, str, Step]], style: Style) -> pl.DataFrame:
    """Return steps as a data frame, each given with its node and column (empty for the node itself)."""
    rows = [{"node": node, "feature": feature, **step_dict(step, style)} for node, feature, step in steps]
    types = {"node": pl.Int64, "value": pl.Float64, "exact": pl.Float64}
    names = ("node", "feature", "quantity", "of", "symbol", "formula", "numbers", "latex", "result", "value", "exact")
    return pl.DataFrame(rows, schema={name: types.get(name, pl.String) for name in names})
