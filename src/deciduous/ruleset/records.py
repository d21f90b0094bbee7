"""The working of simplified rules as plain values: for JSON, and as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from deciduous.explain.records import step_dict
from deciduous.language import speaking, spoken
from deciduous.ruleset.figures import bits_step, length_step, lengths_of
from deciduous.ruleset.generalise import Dropped
from deciduous.ruleset.order import Look
from deciduous.ruleset.simplify import Choice, Draft

if TYPE_CHECKING:
    from deciduous.ruleset.working import SimplificationDerivation


def dict_of(working: SimplificationDerivation, lang: str | None = None) -> dict[str, Any]:
    """Return the working: the rules of the leaves, the sets of each class, the order, the default, what is left."""
    with speaking(lang):
        of = working.of
        classes = of.tree.classes
        return {
            "target": of.tree.target,
            "confidence": of.confidence,
            "theory_weight": of.theory_weight,
            "language": spoken(),
            "digits": working.style.digits,
            "drafts": [_draft(working, draft) for draft in of.drafts],
            "classes": [_choice(working, choice) for choice in of.choices],
            "order": [
                {
                    "chosen": classes[turn.chosen],
                    "wrong": [{"class": classes[code], "weight": wrong} for code, wrong in turn.wrong.items()],
                }
                for turn in of.turns
            ],
            "looks": [_look(working, look) for look in of.looks],
            "rules": of.rules.to_dict(),
        }


def _draft(working: SimplificationDerivation, draft: Draft) -> dict[str, Any]:
    return {
        "node": draft.node,
        "prediction": working.of.tree.classes[draft.code],
        "conditions": [condition.text() for condition in draft.conditions],
        "steps": [_step(working, draft, step) for step in working.of.dropped(draft.code, draft.conditions)],
        "left": [condition.text() for condition in draft.left],
        "outcome": draft.outcome,
    }


def _step(working: SimplificationDerivation, draft: Draft, step: Dropped) -> dict[str, Any]:
    figures = zip(step.left, step.right, step.wrong, step.rate, strict=True)
    return {
        "before": _figures(*step.covers, step.before),
        "without": [
            {"condition": draft.conditions[place].text(), **_figures(right, wrong, rate)}
            for place, right, wrong, rate in figures
        ],
        "dropped": draft.conditions[step.chosen].text() if step.chosen >= 0 else None,
        "calculations": [step_dict(one, working.style) for one in working.limits(step)],
    }


def _figures(right: float, wrong: float, rate: float) -> dict[str, float]:
    return {"n": right + wrong, "errors": wrong, "rate": rate}


def _choice(working: SimplificationDerivation, choice: Choice) -> dict[str, Any]:
    style, found = working.style, lengths_of(choice)
    kept = next(one for one in found if one.kept)
    return {
        "class": working.of.tree.classes[choice.code],
        "drafts": [draft.node for draft in choice.drafts],
        "bits": [step_dict(bits_step(style, working.of.language, draft), style) for draft in choice.drafts],
        "sets": [
            {
                "drafts": [draft.node for draft, taken in zip(choice.drafts, one.chosen, strict=True) if taken],
                "theory": one.theory,
                "right": one.right,
                "wrong": one.wrong,
                "exceptions": one.exceptions,
                "length": one.length,
                "kept": one.kept,
            }
            for one in found
        ],
        "length": step_dict(length_step(style, choice, kept), style),
        "exact": choice.candidates.exact,
    }


def _look(working: SimplificationDerivation, look: Look) -> dict[str, Any]:
    of = working.of
    figures = zip(look.stay, look.fewer, strict=True)
    return {
        "default": of.tree.classes[look.default],
        "without": [{"node": of.listed[place].node, "errors_fewer": fewer} for place, fewer in figures],
        "goes": of.listed[look.goes].node if look.goes >= 0 else None,
    }


def frame_of(working: SimplificationDerivation) -> pl.DataFrame:
    """Return a row for each condition that could be dropped, in each step."""
    lines = []
    for draft in working.of.drafts:
        for number, step in enumerate(working.of.dropped(draft.code, draft.conditions), 1):
            before = {f"{name}_before": value for name, value in _figures(*step.covers, step.before).items()}
            for place, right, wrong, rate in zip(step.left, step.right, step.wrong, step.rate, strict=True):
                where = {"node": draft.node, "step": number, "condition": draft.conditions[place].text()}
                figures = _figures(right, wrong, rate)
                lines.append({**where, **figures, **before, "dropped": place == step.chosen})
    counted = dict.fromkeys(("n", "errors", "rate", "n_before", "errors_before", "rate_before"), pl.Float64)
    types = {"node": pl.Int64, "step": pl.Int64, "condition": pl.String, **counted, "dropped": pl.Boolean}
    return pl.DataFrame(lines, schema=types)
