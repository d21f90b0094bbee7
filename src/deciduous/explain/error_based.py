"""The working of error-based pruning (Quinlan 1993, chapter 4): the errors that a node is expected to make as a leaf,
by its branches, and by its largest branch in its place; and the comparisons that decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from deciduous.explain import estimates
from deciduous.explain.blocks import Block, Formula, Text
from deciduous.explain.expression import Count, Name, Style, Sum, plain
from deciduous.explain.steps import Calculation, Step, applied, node_symbol
from deciduous.language import translate as _
from deciduous.prune.conventions import conventions_of
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.steps import PruningStep

if TYPE_CHECKING:
    from deciduous.explain.pruning import Decision

LEAF, SUBTREE, RAISED = (Name(word, rf"\text{{{word}}}") for word in ("leaf", "subtree", "raised"))


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


def steps_of(decision: Decision, pruner: ErrorBased, style: Style) -> list[Step]:
    """Return the steps behind a decision: what each branch is expected to err by then, and the node as a leaf."""
    work = Calculation(style)
    for branch in decision.branches:
        symbol = node_symbol(branch.node)
        if branch.decision == "stays":
            work.step("expected_errors", "", applied("subtree", symbol), None, None, branch.subtree)
        else:
            estimates.upper_limit(work, symbol, branch.n, branch.errors, pruner)
    estimates.upper_limit(work, node_symbol(decision.node), decision.n, decision.errors, pruner)
    return work.steps


def expected(branch: PruningStep) -> float:
    """Return the errors that a branch is expected to make, as it was decided."""
    return branch.subtree if branch.decision == "stays" else branch.as_leaf


def decided(decision: Decision, pruner: ErrorBased, style: Style) -> Iterator[Block]:
    """Return the three estimates, the comparisons that were made, and what became of the node."""
    leaf, subtree, raised = decision.as_leaf, decision.as_subtree, decision.raised
    if decision.question != decision.node:
        text = _("a branch was raised to it: it asks the question of node {node} by now")
        yield Text(text.format(node=decision.question))
    together = Sum(tuple(Count(style.kept(expected(branch))) for branch in decision.branches))
    yield Formula((SUBTREE, together, style.result(subtree)), label=_("the branches together"))
    yield Formula((LEAF, style.result(leaf)), label=_("as a leaf"))
    if math.isfinite(raised):
        yield Formula((RAISED, style.result(raised)), label=_("its largest branch with all rows"))
    within = conventions_of(pruner.conventions).equal_up_to(np.array([leaf, subtree]))

    def compared(one: Name, value: float, other: Name, bound: float) -> Formula:
        slack = decision.allowance
        most = Sum((other, Count(slack))) if slack else other
        relation = "<=" if value <= bound + slack + within else ">"
        return Formula((one, style.result(value), most, style.result(bound + slack)), ("=", relation, "="))

    yield compared(LEAF, leaf, SUBTREE, subtree)
    if math.isfinite(raised):
        yield compared(LEAF, leaf, RAISED, raised)
    if math.isfinite(raised) and not decision.pruned:
        yield compared(RAISED, raised, SUBTREE, subtree)
    if decision.replaced:
        yield Text(_("it is replaced by its largest branch"), "decision")
    else:
        yield Text(_("it becomes a leaf") if decision.pruned else _("it stays"), "decision")


def own_dict(decision: Decision) -> dict[str, Any]:
    """Return what only error-based pruning says of a decision, as plain values; None where no branch may be raised."""
    return {
        "n": decision.n,
        "errors": decision.errors,
        "question": decision.question,
        "raised": decision.raised if math.isfinite(decision.raised) else None,
        "replaced": decision.replaced,
    }
