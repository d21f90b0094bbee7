"""What columns compete by in trees with surrogates: the improvement, as rpart rates splits; and where rows went whose
cell is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from deciduous.explain.expression import Count, Expression, Log, Name, Ratio, Times
from deciduous.explain.steps import Calculation, Step, applied
from deciduous.grow.risk import costs_of
from deciduous.language import translate_plural as _n
from deciduous.model.node import Node

#: The quantity of the improvement by criterion.
IMPROVEMENTS = {
    "gini": "improvement",
    "entropy": "improvement_entropy",
    "log_loss": "improvement_entropy",
    "squared_error": "improvement_squares",
    "poisson": "improvement_poisson",
}
#: The last step of a column before it.
DROPS = ("gini_gain", "gain", "drop", "poisson_drop")
#: Figures that differ by no more than this part are the same.
ROUNDING = 1e-9


def improvement_step(work: Calculation, node: Node, symbol: Name, feature: str, score: float) -> None:
    """Add what the improvement of a column comes to, from its drop."""
    criterion = str(node.tree.options["criterion"])
    drop = next((step for step in reversed(work.steps) if step.quantity in DROPS), None)
    if drop is None or drop.of != feature or criterion not in IMPROVEMENTS:
        return
    numbers, formula, exact = _of_drop(criterion, node, symbol, drop, work.steps)
    cost = _cost(node, feature)
    if cost != 1:
        numbers, formula, exact = (
            Ratio(numbers, Count(cost)),
            Ratio(formula, Name("cost", r"\mathrm{cost}")),
            exact / cost,
        )
    if math.isclose(exact, score, rel_tol=ROUNDING, abs_tol=1e-12):
        quantity, name = IMPROVEMENTS[criterion], applied("Improvement", symbol, feature)
        work.step(quantity, feature, name, formula, numbers, score)


def _of_drop(
    criterion: str, node: Node, symbol: Name, drop: Step, steps: Sequence[Step]
) -> tuple[Expression, Expression, float]:
    """Return the improvement as numbers, as symbols, and exactly."""
    weight, rows = node.weight, Name(f"|{symbol.text}|", f"|{symbol.latex}|")
    if criterion == "squared_error":
        whole = next(step for step in steps if step.of == "" and step.quantity == "squared_sum")
        exact = weight * drop.exact / whole.exact if whole.exact > 0 else math.nan
        return (
            Ratio(Times((Count(weight), drop.figure)), whole.figure),
            Ratio(Times((rows, drop.symbol)), whole.symbol),
            exact,
        )
    factors: tuple[Expression, ...] = (Count(weight), drop.figure)
    symbols: tuple[Expression, ...] = (rows, drop.symbol)
    exact = weight * drop.exact
    if criterion == "poisson":
        factors, symbols, exact = (Count(2), *factors), (Count(2), *symbols), 2 * exact
    elif criterion != "gini":
        ln2 = Log(Count(2), 0)
        factors, symbols, exact = (*factors, ln2), (*symbols, ln2), exact * math.log(2)
    return Times(factors), Times(symbols), exact


def _cost(node: Node, feature: str) -> float:
    """Return what asking for a column costs; a model file holds a mapping as pairs."""
    names, costs = node.tree.schema.names, node.tree.options.get("costs")
    if isinstance(costs, list) and all(isinstance(pair, list | tuple) for pair in costs):
        costs = dict(costs)
    return float(costs_of(costs, names, [names.index(feature)])[0])


def sent_by_surrogates(node: Node) -> Iterator[str]:
    """Say which surrogates sent how many of the rows whose cell is missing, and where the others went."""
    tree = node.tree
    surrogates = tree.surrogates
    if surrogates is None or node.is_leaf:
        return
    lines = range(int(surrogates.start[node.index]), int(surrogates.start[node.index + 1]))
    for line in lines:
        n = int(surrogates.rows[line])
        if n:
            name = tree.schema.names[int(surrogates.feature[line])]
            yield _n(
                "{n} row with a missing cell went by the surrogate {feature}",
                "{n} rows with a missing cell went by the surrogate {feature}",
                n,
            ).format(n=n, feature=name)
