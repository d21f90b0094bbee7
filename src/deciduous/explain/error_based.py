"""What only error-based pruning shows (Quinlan 1993, chapter 4): its rules, the largest branch in the place of its
node, and the comparisons that decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from deciduous.explain import estimates
from deciduous.explain.blocks import Block, Formula, Text, formula_of
from deciduous.explain.decisions import MOST_TERMS, Decision
from deciduous.explain.expression import Count, Name, Style, Sum, plain
from deciduous.explain.rounds import LEAF, SUBTREE
from deciduous.explain.steps import Calculation
from deciduous.language import translate as _
from deciduous.prune.conventions import conventions_of
from deciduous.prune.error_based import ErrorBased

RAISED = Name("raised", r"\text{raised}")


def rules(pruner: ErrorBased) -> Iterator[Block]:
    """Return the rules that not all error-based pruning has, and how the upper limit is worked out."""
    if pruner.subtree_raising:
        yield Text(
            _(
                "Else its largest branch takes its place with all rows, where that is expected to err no more than the "
                "branches together; it is then pruned anew. A leaf must err no more than that, too."
            )
        )
    slack = conventions_of(pruner.conventions).slack
    if slack:
        yield Text(_("The smaller tree may err {slack} more.").format(slack=plain(slack)))
    yield from estimates.limit_definition(pruner.confidence, pruner.conventions)


def if_raised(decision: Decision, pruner: ErrorBased, style: Style) -> Iterator[Block]:
    """Return what the largest branch would err with all rows of the node, leaf by leaf."""
    if not math.isfinite(decision.raised):
        return
    label, leaves = _("its largest branch with all rows"), decision.raised_leaves
    if len(leaves) > MOST_TERMS:
        yield Formula((RAISED, style.result(decision.raised)), label=label)
        return
    work, costs = Calculation(style), []
    for i, (n, errors) in enumerate(leaves, 1):
        costs.append(estimates.upper_limit(work, Name(f"leaf {i}", rf"\text{{leaf {i}}}"), n, errors, pruner))
    formula, numbers = Sum(tuple(step.symbol for step in costs)), Sum(tuple(step.figure for step in costs))
    work.step("raised", "", RAISED, formula, numbers, decision.raised)
    for step in work.steps:
        yield replace(formula_of(step, style), label=label if step.quantity == "raised" else "")


def comparisons(decision: Decision, pruner: ErrorBased, style: Style) -> Iterator[Formula]:
    """Return the comparisons that were made: of the leaf, the branches together, and the largest branch."""
    leaf, subtree, raised = decision.as_leaf, decision.as_subtree, decision.raised
    within = conventions_of(pruner.conventions).equal_up_to(np.array([leaf, subtree]))

    def compared(one: Name, value: float, other: Name, bound: float) -> Formula:
        slack = decision.allowance
        most = Sum((other, Count(slack))) if slack else other
        relation = "<=" if value <= bound + slack + within else ">"
        return Formula((one, style.result(value), most, style.result(bound + slack)), ("=", relation, "="))

    yield compared(LEAF, leaf, SUBTREE, subtree)
    if math.isfinite(raised):
        yield compared(LEAF, leaf, RAISED, raised)
        if not decision.pruned:
            yield compared(RAISED, raised, SUBTREE, subtree)


def own_dict(decision: Decision) -> dict[str, Any]:
    """Return what only error-based pruning says of a decision, as plain values; None where no branch may be raised."""
    return {
        "n": decision.n,
        "errors": decision.errors,
        "question": decision.question,
        "raised": decision.raised if math.isfinite(decision.raised) else None,
        "replaced": decision.replaced,
    }
