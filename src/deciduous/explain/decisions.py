"""What pruners that decide node by node compare in each inner node, in the order in which they decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.conventions import conventions_of
from deciduous.prune.costs import node_costs
from deciduous.prune.description_length import DescriptionLength, class_bits, question_bits
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.pessimistic import Pessimistic, standard_error
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import Errors, LabelledRows, Pruner, required
from deciduous.prune.steps import PruningStep
from deciduous.prune.validation import Validation
from deciduous.prune.walk import Mask, least_cost, slack_of, sum_of_children, sum_of_leaves


@dataclass(frozen=True)
class Part:
    """What a subtree costs in part: below one of its branches. `is_leaf`: that branch is one leaf by then.

    `n`, `errors`: its rows, and those that it answers wrongly, where error-based pruning counted them.
    """

    node: int
    cost: float
    is_leaf: bool
    n: float = math.nan
    errors: float = math.nan


@dataclass(frozen=True)
class Decision:
    """What was compared in one node: what it costs as a leaf, what it costs with its branches, and what became of it.

    `allowance`: how much more a leaf may cost and still be taken (a standard error, for example). `raised`: what the
    largest branch would cost in its place with all rows; `replaced`: it takes the place.

    `question`: the node whose question it asks by then, another one if a branch was raised to it; -1 if it was not
    asked which. `parts`: what the branches cost, and `own` what the question itself does beside them (bits, or rows
    that it cannot send on); their sum is `as_subtree`. `raised_leaves`: rows and errors of each leaf of the raised
    branch. `n`, `errors`: as for `Part`. `before`, `after`: the cost of the whole tree with the branches, and with the
    leaf.
    """

    node: int
    as_leaf: float
    as_subtree: float
    pruned: bool
    allowance: float = 0.0
    raised: float = math.inf
    replaced: bool = False
    parts: tuple[Part, ...] = ()
    own: float = 0.0
    raised_leaves: tuple[tuple[float, float], ...] = ()
    n: float = math.nan
    errors: float = math.nan
    question: int = -1
    before: float = math.nan
    after: float = math.nan


#: Sums of at most so many terms are written out.
MOST_TERMS = 12
#: The pruners that decide node by node, by comparing a leaf with its branches.
WITH_DECISIONS = (ErrorBased, MinimumError, DescriptionLength, ReducedError, Validation, Pessimistic)


def decisions_of(tree: Tree, pruner: Pruner, rows: LabelledRows | None) -> list[Decision]:
    """Return what a pruner compared in each inner node that it looked at; none of pruners that decide otherwise."""
    if isinstance(pruner, ErrorBased):
        return list(_estimated(tree, pruner, pruner.working(tree, rows).steps))
    if isinstance(pruner, Pessimistic):
        return list(_pessimistic(tree, pruner))
    if isinstance(pruner, Validation):
        return list(_questions(tree, required(rows, "the working", pruner.needs).errors(tree)))
    if isinstance(pruner, ReducedError):
        return list(_reduced(tree, pruner, required(rows, "the working", pruner.needs).errors(tree)))
    if isinstance(pruner, MinimumError):
        return list(_from_below(tree, tree.weight * pruner.error_rates(tree), np.zeros(len(tree))))
    if isinstance(pruner, DescriptionLength):
        return list(_from_below(tree, 1.0 + class_bits(tree), 1.0 + question_bits(tree)))
    return []


def _from_below(tree: Tree, costs: Floats, own: Floats, slack: float | None = None) -> Iterator[Decision]:
    """Return the decisions between a leaf and the best that is below it, children before their parents."""
    made_leaf, best = least_cost(tree, costs, own, slack_of(costs) if slack is None else slack)
    below = sum_of_children(tree, best) + np.where(tree.is_leaf, 0.0, own)
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        parts = tuple(
            Part(child, float(best[child]), bool(tree.is_leaf[child] or made_leaf[child]))
            for child in _children(tree, node)
        )
        figures = float(costs[node]), float(below[node]), bool(made_leaf[node])
        yield Decision(node, *figures, parts=parts, own=float(own[node]))


def _reduced(tree: Tree, pruner: ReducedError, errors: Errors) -> Iterator[Decision]:
    """Return the decisions by validation rows, each with the errors of the whole tree as it is by then."""
    slack = slack_of(errors.as_leaf)
    whole = float(errors.as_leaf[tree.is_leaf].sum() + errors.stopped.sum())
    for one in _from_below(tree, errors.as_leaf, errors.stopped, slack if pruner.ties == "prune" else -slack):
        found = _of_whole_tree(one, whole)
        whole = found.after if one.pruned else whole
        yield found


def _of_whole_tree(one: Decision, before: float) -> Decision:
    """Return a decision with the cost of the whole tree; `before`: that with the branches."""
    return replace(one, before=before, after=before - one.as_subtree + one.as_leaf)


def _questions(tree: Tree, errors: Errors) -> Iterator[Decision]:
    """Return the decisions whether to ask a question at all, from the root down."""
    asked = sum_of_children(tree, errors.as_leaf) + errors.stopped
    pruned = asked >= errors.as_leaf - slack_of(errors.as_leaf)
    whole = float(errors.as_leaf[0])  # of the tree as it grows
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        if _covered(tree, node, pruned):
            continue
        parts = tuple(Part(child, float(errors.as_leaf[child]), True) for child in _children(tree, node))
        figures = float(errors.as_leaf[node]), float(asked[node]), bool(pruned[node])
        own = float(errors.stopped[node])
        before = whole - figures[0] + figures[1]
        yield Decision(node, *figures, parts=parts, own=own, before=before, after=whole)
        whole = whole if pruned[node] else before


def _pessimistic(tree: Tree, pruner: Pessimistic) -> Iterator[Decision]:
    errors = node_costs(tree, "errors") + 0.5 * (tree.weight > 0)
    below = sum_of_leaves(tree, errors)
    allowance = pruner.standard_errors * standard_error(below, tree.weight)
    pruned = errors <= below + allowance + slack_of(errors)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        if not _covered(tree, node, pruned):
            parts = tuple(Part(leaf, float(errors[leaf]), True) for leaf in _leaves(tree, node))
            figures = float(errors[node]), float(below[node]), bool(pruned[node]), float(allowance[node])
            yield Decision(node, *figures, parts=parts)


def _estimated(tree: Tree, pruner: ErrorBased, steps: Sequence[PruningStep]) -> Iterator[Decision]:
    """Return the decisions of error-based pruning; a node below a branch that was raised is decided anew."""
    slack = conventions_of(pruner.conventions).slack
    known: dict[int, Part] = {}
    for step in steps:
        if step.decision == "is a leaf":
            known[step.node] = Part(step.node, step.as_leaf, True, step.n, step.errors)
            continue
        pruned = step.decision == "becomes a leaf"
        parts = tuple(known[child] for child in _children(tree, step.question))
        yield Decision(
            step.node,
            step.as_leaf,
            step.subtree,
            pruned,
            slack,
            raised=step.raised,
            replaced=step.decision == "is replaced by its largest branch",
            parts=parts,
            raised_leaves=step.raised_leaves,
            n=step.n,
            errors=step.errors,
            question=step.question,
        )
        cost = step.as_leaf if pruned else step.subtree
        known[step.node] = Part(step.node, cost, pruned, step.n, step.errors)


def _covered(tree: Tree, node: int, pruned: Mask) -> bool:
    """Whether a node above became a leaf, so that this one is not looked at."""
    return bool(pruned[tree.path(node)[:-1]].any())


def _children(tree: Tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_branches[node]))


def _leaves(tree: Tree, node: int) -> list[int]:
    """Return the leaves below a node, in their order."""
    below = [node]
    for here in below:  # grows on the way
        if not tree.is_leaf[here]:
            below.extend(_children(tree, here))
    return sorted(here for here in below if tree.is_leaf[here])
