"""The working of pruning: the decision at each node with its figures, and the rounds of cost-complexity pruning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from deciduous.errors import OptionError
from deciduous.explain import error_based, estimates
from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text, formula_of
from deciduous.explain.expression import Count, Name, Ratio, Style, Sum, plain
from deciduous.explain.expression import minus as less
from deciduous.explain.optimal import OptimalTables
from deciduous.explain.records import step_dict
from deciduous.explain.shown import Shown
from deciduous.explain.steps import Calculation, Step
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.conventions import conventions_of
from deciduous.prune.costs import node_costs
from deciduous.prune.critical_value import CriticalValue, g_test
from deciduous.prune.description_length import DescriptionLength, class_bits, question_bits
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.path import nested_path
from deciduous.prune.pessimistic import Pessimistic, standard_error
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import LabelledRows, Pruner, required
from deciduous.prune.selection import CostComplexity, Optimal
from deciduous.prune.steps import PruningStep
from deciduous.prune.validation import Validation
from deciduous.prune.walk import least_cost, slack_of, sum_of_children, sum_of_leaves


@dataclass(frozen=True)
class Decision:
    """What was compared in one node: what it costs as a leaf, what it costs with its branches, and what became of it.

    `allowance`: how much more a leaf may cost and still be taken (a standard error, for example). `raised`: what the
    largest branch would cost in its place with all rows; `replaced`: it takes the place.

    Of error-based pruning also `n` and `errors`, N and E of the node as a leaf; `question`: the node whose question it
    asks by then, another one where a branch was raised to it; `branches`: what was last found of each branch.
    """

    node: int
    as_leaf: float
    as_subtree: float
    pruned: bool
    allowance: float = 0.0
    raised: float = math.inf
    replaced: bool = False
    n: float = math.nan
    errors: float = math.nan
    question: int = -1
    branches: tuple[PruningStep, ...] = ()


class PruningDerivation(Shown):
    """The working of a pruner on a tree. `pruned` is the tree that it leaves, `decisions` what it compared."""

    def __init__(self, tree: Tree, pruner: Pruner, rows: LabelledRows | None, style: Style) -> None:
        self.tree, self.pruner, self.rows, self.style = tree, pruner, rows, style
        self.pruned = pruner(tree, rows)

    @cached_property
    def decisions(self) -> list[Decision]:
        """The decision at each inner node, in the order in which they are made."""
        tree, pruner = self.tree, self.pruner
        if isinstance(pruner, Pessimistic):
            return self._from_above()
        if isinstance(pruner, Validation):
            return self._questions()
        if isinstance(pruner, ErrorBased):
            return self._estimated(pruner)
        own, slack = np.zeros(len(tree)), 0.0
        costs = self.costs
        if isinstance(pruner, ReducedError):
            own = required(self.rows, "the working", pruner.needs).errors(tree).stopped
            slack = -2 * slack_of(costs) if pruner.ties == "keep" else 0.0
        elif isinstance(pruner, DescriptionLength):
            own = 1.0 + question_bits(tree)
        made_leaf, best = least_cost(tree, costs, own, slack + slack_of(costs))
        below = sum_of_children(tree, best) + own
        inner = np.flatnonzero(~tree.is_leaf)[::-1].tolist()
        return [Decision(node, float(costs[node]), float(below[node]), bool(made_leaf[node])) for node in inner]

    @cached_property
    def costs(self) -> Floats:
        """What each node costs as a leaf, in the units of the pruner, shape (nodes,)."""
        tree, pruner = self.tree, self.pruner
        if isinstance(pruner, MinimumError):
            return tree.weight * pruner.error_rates(tree)
        if isinstance(pruner, DescriptionLength):
            return 1.0 + class_bits(tree)
        if isinstance(pruner, ReducedError | Validation):
            return required(self.rows, "the working", pruner.needs).errors(tree).as_leaf
        return node_costs(tree, "errors")

    def _estimated(self, pruner: ErrorBased) -> list[Decision]:
        slack = conventions_of(pruner.conventions).slack
        latest: dict[int, PruningStep] = {}
        decisions = []
        for step in pruner.working(self.tree, self.rows).steps:
            latest[step.node] = step
            if step.decision == "is a leaf":
                continue
            branches = tuple(latest[child.index] for child in self.tree.node(step.question).children)
            decisions.append(
                Decision(
                    step.node,
                    step.as_leaf,
                    step.subtree,
                    pruned=step.decision == "becomes a leaf",
                    allowance=slack,
                    raised=step.raised,
                    replaced=step.decision == "is replaced by its largest branch",
                    n=step.n,
                    errors=step.errors,
                    question=step.question,
                    branches=branches,
                )
            )
        return decisions

    def _from_above(self) -> list[Decision]:
        tree, pruner = self.tree, self.pruner
        assert isinstance(pruner, Pessimistic)
        errors = node_costs(tree, "errors") + 0.5 * (tree.weight > 0)
        below = sum_of_leaves(tree, errors)
        allowance = pruner.standard_errors * standard_error(below, tree.weight)
        pruned = errors <= below + allowance + slack_of(errors)
        figures = zip(errors.tolist(), below.tolist(), pruned.tolist(), allowance.tolist(), strict=True)
        inner = set(np.flatnonzero(~tree.is_leaf).tolist())
        return [
            Decision(node, *one)
            for node, one in enumerate(figures)
            if node in inner and not self._covered(node, pruned)
        ]

    def _questions(self) -> list[Decision]:
        tree = self.tree
        errors = required(self.rows, "the working", "validation").errors(tree)
        asked = sum_of_children(tree, errors.as_leaf) + errors.stopped
        pruned = asked >= errors.as_leaf - slack_of(errors.as_leaf)
        inner = [node for node in np.flatnonzero(~tree.is_leaf).tolist() if not self._covered(node, pruned)]
        return [Decision(n, float(errors.as_leaf[n]), float(asked[n]), bool(pruned[n])) for n in inner]

    def _covered(self, node: int, pruned: Any) -> bool:
        """Whether a node above became a leaf, so that this one is not looked at."""
        return bool(pruned[self.tree.path(node)[:-1]].any())

    # --- shown

    def blocks(self) -> Iterator[Block]:
        """Return how the pruner decides, then node by node, and what is left."""
        tree = self.tree
        yield Heading(_("The working of {name}").format(name=_(NAMES.get(self.pruner.name, self.pruner.name))), 1)
        if isinstance(self.pruner, CostComplexity):
            yield from self._rounds()
        elif isinstance(self.pruner, CriticalValue):
            yield from self._critical()
        elif isinstance(self.pruner, Optimal):
            yield from OptimalTables(tree, self.pruner).blocks(self.style, self.rows)
        elif isinstance(self.pruner, WITH_DECISIONS):
            yield Text(estimates.own_text(self.pruner))
            if isinstance(self.pruner, ErrorBased):
                yield from error_based.rules(self.pruner)
            for decision in self.decisions:
                yield from self._decision_blocks(decision)
        else:
            raise OptionError(f"the working of pruning by {self.pruner.name!r} cannot be shown.")
        yield Heading(_("What is left"), 3)
        text = _("from {before} leaves to {after}")
        yield Text(text.format(before=tree.n_leaves, after=self.pruned.n_leaves), "decision")

    def steps_of(self, decision: Decision) -> list[Step]:
        """Return the steps behind a decision: the cost of each branch, their sum, and the cost as a leaf."""
        if isinstance(self.pruner, ErrorBased):
            return error_based.steps_of(decision, self.pruner, self.style)
        tree, work = self.tree, Calculation(self.style)
        children = [child.index for child in tree.node(decision.node).children]
        for node in (*children, decision.node):
            if isinstance(self.pruner, MinimumError):
                estimates.expected_error(work, tree, node, self.pruner)
            elif isinstance(self.pruner, Pessimistic) and (node == decision.node or tree.is_leaf[node]):
                estimates.corrected(work, tree, node)
        return work.steps

    def _decision_blocks(self, decision: Decision) -> Iterator[Block]:
        node, style = decision.node, self.style
        condition = Conditions(self.tree)(node) or _("the root, all rows")
        yield Heading(_("Node {node}: {where}").format(node=node, where=condition))
        for step in self.steps_of(decision):
            yield formula_of(step, style)
        if isinstance(self.pruner, ErrorBased):
            yield from error_based.decided(decision, self.pruner, style)
            return
        leaf, subtree = Name("leaf", r"\text{leaf}"), Name("subtree", r"\text{subtree}")
        yield Formula((subtree, style.result(decision.as_subtree)), label=_("the branches together"))
        yield Formula((leaf, style.result(decision.as_leaf)), label=_("as a leaf"))
        if decision.allowance:
            yield Formula((Name("SE", r"\mathrm{SE}"), style.result(decision.allowance)), label=_("a standard error"))
        most = Sum((subtree, Name("SE", r"\mathrm{SE}"))) if decision.allowance else subtree
        number = style.result(decision.as_subtree + decision.allowance)
        relation = "<=" if decision.pruned else ">"
        if isinstance(self.pruner, Validation | ReducedError) and not decision.pruned:
            relation = ">=" if decision.as_leaf == decision.as_subtree else ">"
        relations = ("=", relation, "=")
        yield Formula((leaf, style.result(decision.as_leaf), most, number), relations)
        yield Text(_("it becomes a leaf") if decision.pruned else _("it stays"), "decision")

    # --- cost-complexity

    def _rounds(self) -> Iterator[Block]:
        """Return the rounds: R(t), R(T_t), |T_t| and g(t) of every inner node that is left; the smallest g falls."""
        pruner, tree = self.pruner, self.tree
        assert isinstance(pruner, CostComplexity)
        costs = node_costs(tree, pruner.cost) / tree.weight[0]
        root = float(costs[0])
        yield Text(
            _(
                "R(t): the cost of node t as a leaf, per row; R(T_t): that of the leaves below it; |T_t|: how many "
                "these are. The node of the smallest g(t) becomes a leaf, at alpha = g(t)."
            )
        )
        ratio = Ratio(less(Name("R(t)", "R(t)"), Name("R(T_t)", "R(T_t)")), less(Name("|T_t|", "|T_t|"), Count(1)))
        yield Formula((Name("g(t)", "g(t)"), ratio))
        path = nested_path(tree, pruner.cost)
        for step in range(len(path) - 1):
            yield from self._round(path.subtree(step), step, float(path.alpha[step + 1]), pruner.cost, root)
        if pruner.alpha is not None:
            yield from self._penalised(pruner.alpha, costs)

    def _round(self, tree: Tree, step: int, alpha: float, cost: Any, root: float) -> Iterator[Block]:
        style = self.style
        costs = node_costs(tree, cost) / tree.weight[0]
        below, leaves = sum_of_leaves(tree, costs), sum_of_leaves(tree, np.ones(len(tree)))
        inner = np.flatnonzero(~tree.is_leaf)
        g = (costs[inner] - below[inner]) / (leaves[inner] - 1)
        conditions = Conditions(tree)
        yield Heading(_("Round {n}: {leaves} leaves").format(n=step + 1, leaves=tree.n_leaves))
        rows = []
        for node, value in zip(inner.tolist(), g.tolist(), strict=True):
            figures = (costs[node], below[node])
            falls = _("falls") if value <= alpha * (1 + 1e-9) + 1e-15 else ""
            where = conditions(node) or _("the root, all rows")
            shown = [style.result(float(x)) for x in figures]
            rows.append((where, *shown, plain(float(leaves[node])), style.result(value), falls))
        yield Grid((_("node"), "R(t)", "R(T_t)", "|T_t|", "g(t)", ""), tuple(rows), (1, 2, 3, 4))
        weakest = int(inner[int(np.argmin(g))])
        numbers = Ratio(
            less(Count(float(costs[weakest])), Count(float(below[weakest]))),
            less(Count(float(leaves[weakest])), Count(1)),
        )
        yield Formula((Name("alpha", r"\alpha"), numbers, style.result(alpha)))
        if root > 0:
            yield Formula(
                (
                    Name("cp", r"\mathrm{cp}"),
                    Ratio(Name("alpha", r"\alpha"), Name("R(root)", r"R(\text{root})")),
                    Ratio(Count(alpha), Count(root)),
                    style.result(alpha / root),
                ),
                label=_("R (rpart) divides by the root's cost"),
            )

    def _penalised(self, alpha: float, costs: Floats) -> Iterator[Block]:
        """Return both costs C_alpha(T) of every inner node, at a price alpha of a leaf."""
        tree, style = self.tree, self.style
        yield Heading(_("C_alpha(T) = C(T) + alpha |T| at alpha = {alpha}").format(alpha=plain(alpha)))
        _made, best = least_cost(tree, costs + alpha, slack=slack_of(costs))
        below = sum_of_children(tree, best)
        conditions, rows = Conditions(tree), []
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            pruned = costs[node] + alpha <= below[node] + slack_of(costs)
            where = conditions(node) or _("the root, all rows")
            figures = (style.result(float(costs[node] + alpha)), style.result(float(below[node])))
            rows.append((where, *figures, _("it becomes a leaf") if pruned else _("it stays")))
        yield Grid((_("node"), _("as a leaf"), _("the branches together"), ""), tuple(rows), (1, 2))

    def _critical(self) -> Iterator[Block]:
        """Return the significance, or the gain, of every question."""
        pruner, tree, style = self.pruner, self.tree, self.style
        assert isinstance(pruner, CriticalValue)
        by_gain = pruner.critical is not None
        values = tree.gain if by_gain else g_test(tree)
        bound = pruner.critical if pruner.critical is not None else pruner.level
        yield Text(
            _("a question stays if its gain, or that of one below it, is at least {bound}").format(bound=plain(bound))
            if by_gain
            else _("a question stays if it, or one below it, is significant at {bound}").format(bound=plain(bound))
        )
        conditions, rows = Conditions(tree), []
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            good = values[node] >= bound if by_gain else values[node] <= bound
            where = conditions(node) or _("the root, all rows")
            rows.append((where, style.result(float(values[node])), _("good") if good else ""))
        yield Grid((_("node"), _("gain") if by_gain else _("significance"), ""), tuple(rows), (1,))

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the decisions as plain values."""
        with speaking(lang):
            found = self.decisions if isinstance(self.pruner, WITH_DECISIONS) else []
            tables = OptimalTables(self.tree, self.pruner).to_dict() if isinstance(self.pruner, Optimal) else None
            return {
                "pruner": self.pruner.name,
                "leaves_before": self.tree.n_leaves,
                "leaves_after": self.pruned.n_leaves,
                "decisions": [
                    {
                        "node": one.node,
                        "as_leaf": one.as_leaf,
                        "as_subtree": one.as_subtree,
                        "allowance": one.allowance,
                        "pruned": one.pruned,
                        **(error_based.own_dict(one) if isinstance(self.pruner, ErrorBased) else {}),
                        "steps": [step_dict(step, self.style) for step in self.steps_of(one)],
                    }
                    for one in found
                ],
                **({} if tables is None else {"tables": tables}),
            }

    def to_frame(self) -> Any:
        """Return the decisions as a polars data frame, a row an inner node; for optimal pruning a row a division.

        Of cost-complexity and critical-value pruning see `PruningPath.to_frame` and `Tree.nodes`: there are no rows.
        """
        import polars as pl

        if isinstance(self.pruner, Optimal):
            tables = OptimalTables(self.tree, self.pruner).to_dict()
            return pl.DataFrame([{"node": one["node"], **d} for one in tables for d in one["divisions"]])
        found = self.decisions if isinstance(self.pruner, WITH_DECISIONS) else []
        names = [field.name for field in fields(Decision) if field.name != "branches"]
        return pl.DataFrame([{name: getattr(one, name) for name in names} for one in found], schema=names)

    def __repr__(self) -> str:
        """Return what is pruned by what."""
        return f"<PruningDerivation: {self.pruner.name} of {self.tree!r}>"


#: How pruners are called.
NAMES = {
    "error": "error-based pruning",
    "reduced_error": "reduced-error pruning",
    "pessimistic": "pessimistic pruning",
    "minimum_error": "minimum-error pruning",
    "critical_value": "critical-value pruning",
    "description_length": "pruning by description length",
    "cost_complexity": "cost-complexity pruning",
    "optimal": "optimal pruning",
    "validation": "pre-pruning by validation",
}
#: The pruners that decide node by node, by comparing a leaf with its branches.
WITH_DECISIONS = (ErrorBased, MinimumError, DescriptionLength, ReducedError, Validation, Pessimistic)


def pruning_of(tree: Tree, pruner: Pruner, rows: LabelledRows | None = None, digits: int = 3) -> PruningDerivation:
    """Return the working of a pruner on a tree; `rows` as the pruner needs them."""
    tree.demand_one_target("the working of pruning")
    return PruningDerivation(tree, pruner, rows, Style(digits, guard=5))  # rates are multiplied by many rows
