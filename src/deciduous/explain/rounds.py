"""The working of cost-complexity pruning: what nodes cost, the rounds, and which subtree is taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text
from deciduous.explain.decisions import MOST_TERMS
from deciduous.explain.expression import Count, Expression, Figure, Name, Ratio, Style, Sum, plain
from deciduous.explain.expression import minus as less
from deciduous.explain.leaf_costs import LeafCosts
from deciduous.explain.optimal import CHOICES
from deciduous.language import translate as _
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.path import nested_path
from deciduous.prune.rows import LabelledRows
from deciduous.prune.selection import CostComplexity
from deciduous.prune.walk import least_above, least_cost, slack_of, sum_of_children, sum_up

#: The symbols of the price of a leaf, and of both costs.
ALPHA = Name("alpha", r"\alpha")
LEAF, SUBTREE = Name("leaf", r"\text{leaf}"), Name("subtree", r"\text{subtree}")


class Rounds:
    """The rounds of cost-complexity pruning on a tree."""

    def __init__(self, tree: Tree, pruner: CostComplexity, rows: LabelledRows | None, style: Style) -> None:
        self.tree, self.pruner, self.rows, self.style = tree, pruner, rows, style
        self.own = LeafCosts(tree, pruner.cost, style, per_row=True)
        self.path = nested_path(tree, pruner.cost, rows if pruner.alpha is None else None)

    def blocks(self) -> Iterator[Block]:
        """Return R(t) of every node, the rounds, and the choice."""
        yield Text(
            _(
                "R(t): the cost of node t as a leaf, per row; R(T_t): that of the leaves below it; |T_t|: how many "
                "these are. The node of the smallest g(t) becomes a leaf, at alpha = g(t)."
            )
        )
        ratio = Ratio(less(Name("R(t)", "R(t)"), Name("R(T_t)", "R(T_t)")), less(Name("|T_t|", "|T_t|"), Count(1)))
        yield Formula((Name("g(t)", "g(t)"), ratio))
        yield from self.own.blocks()
        for step in range(len(self.path) - 1):
            yield from self._round(step)
        if self.pruner.alpha:
            yield from self._penalised(self.pruner.alpha)
        elif self.pruner.alpha is None and self.rows is not None:
            yield from self._choice()

    def _round(self, step: int) -> Iterator[Block]:
        """Return R(t), R(T_t), |T_t| and g(t) of every inner node that is left, and the alpha of this round."""
        style, tree, costs = self.style, self.tree, self.own.values
        is_leaf = tree.is_leaf.copy()
        is_leaf[self.path.leaves(step)] = True
        gone = ~least_above(tree, ~is_leaf, True).astype(bool)
        here = is_leaf & ~gone
        below, leaves = sum_up(tree, np.where(here, costs, 0.0)), sum_up(tree, here.astype(np.float64))
        inner = np.flatnonzero(~is_leaf & ~gone)
        g = (costs[inner] - below[inner]) / (leaves[inner] - 1)
        alpha = float(self.path.alpha[step + 1])
        yield Heading(_("Round {n}: {leaves} leaves").format(n=step + 1, leaves=int(leaves[0])))
        conditions, rows = Conditions(tree), []
        for node, value in zip(inner.tolist(), g.tolist(), strict=True):
            where = conditions(node) or _("the root, all rows")
            figures = (style.result(float(costs[node])), style.result(float(below[node])), plain(float(leaves[node])))
            falls = _("falls") if value <= alpha * (1 + 1e-9) + 1e-15 else ""
            rows.append((str(node), where, *figures, style.result(value), falls))
        yield Grid(("t", _("condition"), "R(t)", "R(T_t)", "|T_t|", "g(t)", ""), tuple(rows), (2, 3, 4, 5), "figures")
        weakest = int(inner[int(np.argmin(g))])
        parts = [leaf for leaf in np.flatnonzero(here).tolist() if weakest in tree.path(leaf)]
        yield from self._weakest(weakest, parts, alpha)

    def _weakest(self, node: int, parts: list[int], alpha: float) -> Iterator[Block]:
        """Return how the g of the node that falls comes about, and its cp; `parts`: the leaves below it."""
        style, costs = self.style, self.own.values
        branch = f"R(T_{node})", f"R(T_{{{node}}})"
        below = float(costs[parts].sum())
        if len(parts) <= MOST_TERMS:
            sums: tuple[Expression, ...] = tuple(Figure(float(costs[leaf])) for leaf in parts)
            symbols: tuple[Expression, ...] = tuple(self.own.symbol(leaf) for leaf in parts)
            yield Formula((Name(*branch), Sum(symbols), Sum(sums), style.result(below)))
        numbers = Ratio(less(Count(float(costs[node])), Count(below)), less(Count(len(parts)), Count(1)))
        formula = Ratio(less(self.own.symbol(node), Name(*branch)), less(_size(node), Count(1)))
        yield Formula((ALPHA, Name(f"g({node})", f"g({node})"), formula, numbers, style.result(alpha)))
        root = float(costs[0])
        if root > 0:
            whole = Ratio(ALPHA, self.own.symbol(0))
            yield Formula(
                (Name("cp", r"\mathrm{cp}"), whole, Ratio(Count(alpha), Count(root)), style.result(alpha / root)),
                label=_("R (rpart) divides by the root's cost"),
            )

    def _penalised(self, alpha: float) -> Iterator[Block]:
        """Return both costs C_alpha(T) of every inner node, at a price alpha of a leaf."""
        tree, style, costs = self.tree, self.style, self.own.values
        yield Heading(_("C_alpha(T) = C(T) + alpha |T| at alpha = {alpha}").format(alpha=plain(alpha)))
        text = _("per row; the textbooks' C_alpha(T) = sum_t N_t H_t(T) + alpha |T| is {n} times this, alpha = {alpha}")
        weight = float(tree.weight[0])
        yield Text(text.format(n=plain(weight), alpha=plain(alpha * weight)))
        made_leaf, best = least_cost(tree, costs + alpha, slack=slack_of(costs))
        below = sum_of_children(tree, best)
        conditions = Conditions(tree)
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            where = conditions(node) or _("the root, all rows")
            yield Heading(_("Node {node}: {where}").format(node=node, where=where), 3)
            as_leaf = float(costs[node] + alpha)
            numbers = Sum((Figure(float(costs[node])), Count(alpha)))
            formula = Sum((self.own.symbol(node), ALPHA))
            yield Formula((LEAF, formula, numbers, style.result(as_leaf)), label=_("as a leaf"))
            children = [child.index for child in tree.node(node).children]
            parts = Sum(tuple(Figure(float(best[child])) for child in children))
            shown = (parts,) if len(children) <= MOST_TERMS else ()
            result = style.result(float(below[node]))
            yield Formula((SUBTREE, *shown, result), label=_("the branches together"))
            relation = "<=" if made_leaf[node] else ">"
            yield Formula((LEAF, style.result(as_leaf), SUBTREE, result), ("=", relation, "="))
            yield Text(_("it becomes a leaf") if made_leaf[node] else _("it stays"), "pruned")

    def _choice(self) -> Iterator[Block]:
        """Return the errors of the subtrees on the validation rows, and which subtree is taken."""
        style, path = self.style, self.path
        taken = path.choose(self.pruner.rule)
        yield Heading(_("The choice among the subtrees"))
        rows = []
        for step in range(len(path)):
            figures = (path.alpha, path.cost, path.validation_error, path.validation_se)
            shown = [style.result(float(values[step])) for values in figures]
            rows.append((str(step), str(path.n_leaves[step]), *shown, _("chosen") if step == taken else ""))
        header = (_("step"), _("leaves"), "alpha", "R(T)", _("error on the validation rows"), "SE", "")
        yield Grid(header, tuple(rows), (2, 3, 4, 5), "figures")
        yield Text(_(CHOICES[self.pruner.rule]), "taken")


def _size(node: int) -> Name:
    return Name(f"|T_{node}|", f"|T_{{{node}}}|")
