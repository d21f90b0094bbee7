"""The working of pruning: the decision at each node with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

from deciduous.errors import OptionError
from deciduous.explain import error_based, estimates
from deciduous.explain.blocks import Block, Formula, Heading, Text, formula_of
from deciduous.explain.decisions import MOST_TERMS, WITH_DECISIONS, Decision, Part, decisions_of
from deciduous.explain.expression import Expression, Figure, Name, Style, Sum
from deciduous.explain.optimal import OptimalTables
from deciduous.explain.passing import PassingRows
from deciduous.explain.records import step_dict
from deciduous.explain.rounds import LEAF, SUBTREE, Rounds
from deciduous.explain.shown import Shown
from deciduous.explain.significance import critical_blocks
from deciduous.explain.steps import Calculation, Step, node_symbol
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.critical_value import CriticalValue
from deciduous.prune.description_length import DescriptionLength
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.pessimistic import Pessimistic
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity, Optimal
from deciduous.prune.validation import Validation


class PruningDerivation(Shown):
    """The working of a pruner on a tree. `pruned` is the tree that it leaves, `decisions` what it compared.

    `labels`: one a row, if the rows have some.
    """

    def __init__(
        self,
        tree: Tree,
        pruner: Pruner,
        rows: LabelledRows | None,
        style: Style,
        labels: Sequence[str] | None = None,
    ) -> None:
        self.tree, self.pruner, self.rows, self.style = tree, pruner, rows, style
        self.pruned = pruner(tree, rows)
        by_validation = isinstance(pruner, ReducedError | Validation)
        self.passing = PassingRows(tree, rows, labels) if by_validation and rows is not None else None

    @cached_property
    def decisions(self) -> list[Decision]:
        """The decision at each inner node, in the order in which they are made."""
        return decisions_of(self.tree, self.pruner, self.rows)

    def steps_of(self, decision: Decision) -> list[Step]:
        """Return the steps behind a decision: the cost of each branch that is a leaf, that of the node as a leaf, and
        the sum of the branches.
        """
        work = Calculation(self.style)
        own = Part(decision.node, decision.as_leaf, True, decision.n, decision.errors)
        if len(decision.parts) <= MOST_TERMS:
            costs = [self._cost(work, part) for part in decision.parts]
            if isinstance(self.pruner, DescriptionLength):
                costs.append(estimates.question(work, self.tree, decision.node))
            self._sum(work, decision, costs)
        self._cost(work, own)
        return work.steps

    def _cost(self, work: Calculation, part: Part) -> Step:
        """Add what a node costs: as a leaf, or with what stays below it, which was worked out before."""
        if not part.is_leaf:
            return work.step("below", "", _below(part.node), None, None, part.cost)
        tree, pruner, node = self.tree, self.pruner, part.node
        if isinstance(pruner, ErrorBased):
            return estimates.upper_limit(work, node_symbol(node), part.n, part.errors, pruner)
        if isinstance(pruner, MinimumError):
            return estimates.expected_error(work, tree, node, pruner)
        if isinstance(pruner, Pessimistic):
            return estimates.corrected(work, tree, node)
        if isinstance(pruner, DescriptionLength):
            return estimates.description(work, tree, node)
        assert self.passing is not None
        return estimates.validation_errors(work, tree, node, self.passing.weights(node), part.cost)

    def _sum(self, work: Calculation, decision: Decision, costs: Sequence[Step]) -> None:
        """Add the sum of the branches, and of what the question itself costs."""
        names: list[Expression] = [step.symbol for step in costs]
        numbers: list[Expression] = [step.figure for step in costs]
        if decision.own and not isinstance(self.pruner, DescriptionLength):
            names.append(Name("stopped", r"\text{stopped}"))
            numbers.append(Figure(decision.own))
        work.step("subtree", "", SUBTREE, Sum(tuple(names)), Sum(tuple(numbers)), decision.as_subtree)

    # --- shown

    def blocks(self) -> Iterator[Block]:
        """Return how the pruner decides, then node by node, and what is left."""
        tree, pruner = self.tree, self.pruner
        yield Heading(_("The working of {name}").format(name=_(NAMES.get(pruner.name, pruner.name))), 1)
        if isinstance(pruner, CostComplexity):
            yield from Rounds(tree, pruner, self.rows, self.style).blocks()
        elif isinstance(pruner, CriticalValue):
            yield from critical_blocks(tree, pruner, self.style)
        elif isinstance(pruner, Optimal):
            yield from OptimalTables(tree, pruner).blocks(self.style, self.rows)
        elif isinstance(pruner, WITH_DECISIONS):
            yield Text(estimates.own_text(pruner))
            if isinstance(pruner, ErrorBased):
                yield from error_based.rules(pruner)
            if isinstance(pruner, DescriptionLength):
                yield from estimates.description_definition()
            for decision in self.decisions:
                yield from self._decision_blocks(decision)
        else:
            raise OptionError(f"the working of pruning by {pruner.name!r} cannot be shown.")
        yield Heading(_("What is left"), 3)
        text = _("from {before} leaves to {after}")
        yield Text(text.format(before=tree.n_leaves, after=self.pruned.n_leaves), "decision")

    def _decision_blocks(self, decision: Decision) -> Iterator[Block]:
        node, style = decision.node, self.style
        condition = Conditions(self.tree)(node) or _("the root, all rows")
        yield Heading(_("Node {node}: {where}").format(node=node, where=condition))
        if decision.question not in (-1, node):
            text = _("a branch was raised to it: it asks the question of node {node} by now")
            yield Text(text.format(node=decision.question))
        if self.passing is not None:
            yield self.passing.table([node, *(part.node for part in decision.parts[:MOST_TERMS])])
        steps = self.steps_of(decision)
        for step in steps:
            label = _("the branches together") if step.quantity == "subtree" else ""
            yield _labelled(formula_of(step, style), label)
        if steps[-1].quantity == "subtree" or not any(step.quantity == "subtree" for step in steps):
            yield Formula((SUBTREE, style.result(decision.as_subtree)), label=_("the branches together"))
        yield Formula((LEAF, style.result(decision.as_leaf)), label=_("as a leaf"))
        yield from self._comparison(decision)
        if decision.replaced:
            yield Text(_("it is replaced by its largest branch"), "pruned")
        else:
            yield Text(_("it becomes a leaf") if decision.pruned else _("it stays"), "pruned")

    def _comparison(self, decision: Decision) -> Iterator[Block]:
        """Return the leaf beside the subtree, a standard error added, and what the whole tree answers rightly."""
        if isinstance(self.pruner, ErrorBased):
            yield from error_based.if_raised(decision, self.pruner, self.style)
            yield from error_based.comparisons(decision, self.pruner, self.style)
            return
        style, se = self.style, Name("SE", r"\mathrm{SE}")
        if decision.allowance:
            assert isinstance(self.pruner, Pessimistic)
            numbers = estimates.standard_error_numbers(decision.as_subtree, float(self.tree.weight[decision.node]))
            shown = (numbers,) if self.pruner.standard_errors == 1 else ()
            yield Formula((se, *shown, style.result(decision.allowance)), label=_("a standard error"))
        most = Sum((SUBTREE, se)) if decision.allowance else SUBTREE
        number = style.result(decision.as_subtree + decision.allowance)
        relation = "<=" if decision.pruned else ">"
        if self.passing is not None and not decision.pruned:
            relation = ">=" if decision.as_leaf == decision.as_subtree else ">"
        yield Formula((LEAF, style.result(decision.as_leaf), most, number), ("=", relation, "="))
        if self.passing is not None:
            yield Text(self.passing.whole_text(decision.before, decision.after), "decision")

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the decisions as plain values."""
        with speaking(lang):
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
                    for one in self.decisions
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
        found = [asdict(one) for one in self.decisions]
        return pl.DataFrame([{name: one[name] for name in COLUMNS} for one in found], schema=list(COLUMNS))

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
#: The columns of the data frame of decisions.
COLUMNS = ("node", "as_leaf", "as_subtree", "pruned", "allowance", "raised", "replaced", "n", "errors", "question")


def _below(node: int) -> Name:
    """Return the symbol of what a node that stays costs with all that is below it."""
    return Name("T" if node == 0 else f"T_{node}", "T" if node == 0 else f"T_{{{node}}}")


def _labelled(formula: Formula, label: str) -> Formula:
    return replace(formula, label=label)


def pruning_of(
    tree: Tree,
    pruner: Pruner,
    rows: LabelledRows | None = None,
    digits: int = 3,
    labels: Sequence[str] | None = None,
) -> PruningDerivation:
    """Return the working of a pruner on a tree; `rows` as the pruner needs them, and their labels, if there are any."""
    tree.demand_one_target("the working of pruning")
    guard = 1 + len(str(int(tree.weight[0])))  # rates are multiplied by so many rows
    return PruningDerivation(tree, pruner, rows, Style(digits, guard=max(2, guard)), labels)
