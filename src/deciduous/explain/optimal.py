"""The working of optimal pruning: at every node the least cost for each number of leaves, and what it is the sum of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text
from deciduous.explain.expression import Expression, Figure, Name, Style, Sum
from deciduous.explain.leaf_costs import LeafCosts
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.measures import Floats
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.optimal import Frontier, frontier
from deciduous.prune.path import MOST_LEAVES, optimal_path
from deciduous.prune.rows import LabelledRows
from deciduous.prune.selection import Optimal

#: Of a node with more ways to divide its leaves only the best of each number is shown.
MOST_DIVISIONS = 40


@dataclass(frozen=True)
class Division:
    """One way to have so many leaves below a node: `leaves` of them on each branch, none where the node is itself the
    leaf; the least `cost` that this has, and whether it is the `best` for its number.
    """

    size: int
    leaves: tuple[int, ...]
    cost: float
    best: bool


class OptimalTables:
    """The tables of the dynamic programme: `cost(t, k)` is C(t, k), the least cost of k leaves below node t."""

    def __init__(self, tree: Tree, pruner: Optimal) -> None:
        self.tree, self.pruner = tree, pruner
        self.own: Floats = node_costs(tree, pruner.cost)
        self.most = min(tree.n_leaves, MOST_LEAVES if pruner.n_leaves is None else pruner.n_leaves)
        self.frontier: Frontier = frontier(tree, pruner.cost, self.most)
        self._sizes: dict[int, list[int]] = {}
        self._costs: dict[tuple[int, int], float] = {}
        for node in range(len(tree) - 1, -1, -1):  # children before their parent
            self._add(node)

    def _add(self, node: int) -> None:
        self._costs[node, 1] = float(self.own[node])
        if self.tree.is_leaf[node]:
            self._sizes[node] = [1]
            return
        sums = {0}
        for child in self._children(node):
            sums = {a + b for a in sums for b in self._sizes[child] if a + b <= self.most}
        self._sizes[node] = sorted({1, *sums})
        for size in self._sizes[node][1:]:
            self._costs[node, size] = sum(self._costs[part] for part in self.frontier.divided(node, size))

    def _children(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.n_branches[node]))

    def sizes(self, node: int) -> list[int]:
        """Return the numbers of leaves that there can be below a node."""
        return self._sizes[node]

    def cost(self, node: int, size: int) -> float:
        """Return C(node, size)."""
        return self._costs[node, size]

    def divisions(self, node: int) -> list[Division]:
        """Return the ways to have leaves below an inner node, by their number: all of them, or the best of each."""
        found = [Division(1, (), self.cost(node, 1), True)]
        children = self._children(node)
        n_ways = np.prod([float(len(self._sizes[child])) for child in children])
        for size in self._sizes[node][1:]:
            best = tuple(taken for _child, taken in self.frontier.divided(node, size))
            ways = [best]
            if n_ways <= MOST_DIVISIONS:
                every = product(*(self._sizes[child] for child in children))
                ways = [leaves for leaves in every if sum(leaves) == size]
            for leaves in ways:
                cost = sum(self._costs[part] for part in zip(children, leaves, strict=True))
                found.append(Division(size, leaves, cost, leaves == best))
        return found

    # --- shown

    def blocks(self, style: Style, rows: LabelledRows | None) -> Iterator[Block]:
        """Return the tables from below, and the choice of the number of leaves."""
        yield Text(
            _(
                "C(t, k): the least cost of a subtree below node t with k leaves. As a leaf, node t costs C(t, 1). "
                "With more leaves they are divided among its branches, in the way of the least sum."
            )
        )
        yield from LeafCosts(self.tree, self.pruner.cost, style, per_row=False).blocks()
        conditions = Conditions(self.tree)
        for node in np.flatnonzero(~self.tree.is_leaf)[::-1].tolist():
            where = conditions(node) or _("the root, all rows")
            yield Heading(_("Node {node}: {where}").format(node=node, where=where))
            yield from self._node_blocks(node, style)
        yield from self._choice(style, rows)

    def _node_blocks(self, node: int, style: Style) -> Iterator[Block]:
        children = self._children(node)
        rows = []
        divisions = self.divisions(node)
        for division in divisions:
            parts = zip(children, division.leaves, strict=False)
            how = " + ".join(f"C({child}, {leaves})" for child, leaves in parts) or _("as a leaf")
            best = _("best") if division.best else ""
            rows.append((str(division.size), how, style.result(division.cost), best))
        yield Grid((_("leaves"), _("divided"), f"C({node}, k)", ""), tuple(rows), (2,), "figures")
        for division in divisions[1:]:
            if division.best:
                yield self._sum(node, division, style)

    def _sum(self, node: int, division: Division, style: Style) -> Formula:
        parts = list(zip(self._children(node), division.leaves, strict=True))
        names: tuple[Expression, ...] = tuple(_least(child, leaves) for child, leaves in parts)
        numbers: tuple[Expression, ...] = tuple(Figure(self._costs[part]) for part in parts)
        return Formula((_least(node, division.size), Sum(names), Sum(numbers), style.result(division.cost)))

    def _choice(self, style: Style, rows: LabelledRows | None) -> Iterator[Block]:
        """Return the least cost of the whole tree for each number of leaves, and which number is chosen."""
        yield Heading(_("The best subtree of each size"), 3)
        sizes = self._sizes[0]
        if self.pruner.n_leaves is not None:
            place = self.frontier.at_most(self.pruner.n_leaves)
            chosen = int(self.frontier.size[place])
            table = [(str(k), style.result(self.cost(0, k)), _("chosen") if k == chosen else "") for k in sizes]
            yield Grid((_("leaves"), "C(0, k)", ""), tuple(table), (1,), "figures")
            text = _n(
                "at most {n} leaf is asked for: the least cost, and of equal costs the fewest leaves",
                "at most {n} leaves are asked for: the least cost, and of equal costs the fewest leaves",
                self.pruner.n_leaves,
            )
            yield Text(text.format(n=self.pruner.n_leaves), "taken")
            return
        assert rows is not None
        path = optimal_path(self.tree, self.pruner.cost, rows)
        step = path.choose(self.pruner.rule)
        lines = []
        for i in reversed(range(len(path))):
            n = int(path.n_leaves[i])
            figures = (self.cost(0, n), float(path.validation_error[i]), float(path.validation_se[i]))
            shown = [style.result(value) for value in figures]
            lines.append((str(n), *shown, _("chosen") if i == step else ""))
        header = (_("leaves"), "C(0, k)", _("error on the validation rows"), "SE", "")
        yield Grid(header, tuple(lines), (1, 2, 3), "figures")
        yield Text(_(CHOICES[self.pruner.rule]), "taken")

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the tables as plain values: for each inner node the ways to have each number of leaves."""
        return [
            {
                "node": node,
                "divisions": [
                    {"leaves": d.size, "on_branches": list(d.leaves), "cost": d.cost, "best": d.best}
                    for d in self.divisions(node)
                ],
            }
            for node in np.flatnonzero(~self.tree.is_leaf)[::-1].tolist()
        ]


#: How a size is chosen on validation rows, by rule.
CHOICES = {
    "min": "the least error on the validation rows, and of equal errors the fewest leaves",
    "1se": "the fewest leaves within one standard error of the least error on the validation rows",
}


def _least(node: int, size: int) -> Name:
    return Name(f"C({node}, {size})", f"C({node}, {size})")
