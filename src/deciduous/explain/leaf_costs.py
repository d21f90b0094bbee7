"""What nodes cost as leaves, written out: shares of rows times their impurity, or counts of wrong answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciduous.explain import class_steps
from deciduous.explain.blocks import Block, Heading, formula_of
from deciduous.explain.expression import Count, Expression, Name, Style, Times
from deciduous.explain.expression import minus as less
from deciduous.explain.steps import Calculation, Step, node_symbol, share
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.costs import Cost, node_costs

#: The family of measures by the word of a cost.
OF_COST = {"gini": "gini", "entropy": "entropy"}


class LeafCosts:
    """The costs of the nodes of a tree as leaves.

    `per_row`: divided by the weight of the root, R(t) of cost-complexity pruning; else sums over the rows of a node,
    C(t, 1) of optimal pruning.
    """

    def __init__(self, tree: Tree, cost: Cost, style: Style, *, per_row: bool) -> None:
        self.tree, self.cost, self.style, self.per_row = tree, cost, style, per_row
        self.unit = float(tree.weight[0]) if per_row else 1.0
        self.values: Floats = node_costs(tree, cost) / self.unit

    def symbol(self, node: int) -> Name:
        """Return the symbol of the cost of a node as a leaf."""
        text = f"R({node})" if self.per_row else f"C({node}, 1)"
        return Name(text, text)

    def steps(self, node: int) -> list[Step]:
        """Return how the cost of a node comes about: its impurity, where that is a measure of classes, and the cost."""
        tree, work = self.tree, Calculation(self.style)
        weight, exact = float(tree.weight[node]), float(self.values[node])
        if weight == 0:
            return work.steps
        numbers, formula = self._errors(node), None
        if numbers is None:
            impurity = self._impurity(work, node)
            size = share(weight, self.unit) if self.per_row else Count(weight)
            mean: Expression = Count(exact * self.unit / weight) if impurity is None else impurity.figure
            numbers = Times((size, mean))
            if impurity is not None:
                formula = Times((self._size(node), impurity.symbol))
        work.step("leaf_cost", "", self.symbol(node), formula, numbers, exact)
        return work.steps

    def _errors(self, node: int) -> Expression | None:
        """Return the number, or the share, of the rows that a node answers wrongly, where that is the cost."""
        if not isinstance(self.cost, str) or self.cost != "errors":
            return None
        wrong, weight = float(self.values[node]) * self.unit, float(self.tree.weight[node])
        return share(wrong, self.unit) if self.per_row else less(Count(weight), Count(weight - wrong))

    def _impurity(self, work: Calculation, node: int) -> Step | None:
        """Add the impurity of a node, if the cost is that of its classes as they are counted."""
        if not isinstance(self.cost, str) or self.tree.task == "number":
            return None
        own = class_steps.FAMILIES.get(str(self.tree.options["criterion"]), ("",))[0]
        family = OF_COST.get(self.cost, own if self.cost == "impurity" else "")
        if family not in class_steps.VALUES:
            return None
        counts = np.array([n for n in self.tree.node(node).class_weights.values() if n > 0])
        found = float(class_steps.VALUES[family](counts)) * float(self.tree.weight[node]) / self.unit
        if not np.isclose(found, self.values[node], rtol=1e-9, atol=1e-12):
            return None
        return class_steps.impurity_step(work, family, counts, node_symbol(node))

    def _size(self, node: int) -> Name:
        symbol = node_symbol(node)
        if not self.per_row:
            return Name(f"|{symbol.text}|", f"|{symbol.latex}|")
        return Name(f"|{symbol.text}|/|D|", rf"\frac{{|{symbol.latex}|}}{{|D|}}")

    def blocks(self) -> Iterator[Block]:
        """Return the costs of all nodes, node by node."""
        yield Heading(_("What each node costs as a leaf"))
        conditions = Conditions(self.tree)
        for node in range(len(self.tree)):
            where = conditions(node) or _("the root, all rows")
            yield Heading(_("Node {node}: {where}").format(node=node, where=where), 3)
            for step in self.steps(node):
                yield formula_of(step, self.style)
