"""Rates that are shrunk towards that of all rows, as rpart's are: (events + a) / (exposure + a / overall rate) with
a = 1 / shrink^2.
"""

from __future__ import annotations

from deciduous.explain.expression import Count, Figure, Name, Ratio, Sum
from deciduous.explain.steps import Calculation
from deciduous.model.node import Node


def events_before(node: Node) -> float:
    """Return a: how many events of all rows are added to those of the node; 0 where rates are not shrunk."""
    options = node.tree.options
    if node.tree.surrogates is None or options["criterion"] != "poisson" or not float(node.tree.value[0]):
        return 0.0
    shrink = options.get("shrink")
    if shrink is None:
        shrink = 0.0 if options.get("cv_loss") == "sqrt" else 1.0
    return 1 / float(shrink) ** 2 if shrink else 0.0


def plain_rate(node: Node) -> float:
    """Return the events of a node by its exposure; its answer where that is not shrunk."""
    answer, a = float(node.tree.value[node.index]), events_before(node)
    if not a or not node.weight:
        return answer
    events = answer * (node.weight + a / float(node.tree.value[0])) - a
    return max(events, 0.0) / node.weight


def shrunk_step(work: Calculation, node: Node, symbol: Name) -> None:
    """Add the answer of a node, shrunk from its plain rate, if it is."""
    a, overall = events_before(node), float(node.tree.value[0])
    if not a or node.index == 0 or not node.weight:
        return
    events = plain_rate(node) * node.weight
    top = Sum((Count(events), Count(a)))
    bottom = Sum((Count(node.weight), Ratio(Count(a), Figure(overall))))
    name = Name(f"c_shrunk({symbol.text})", rf"c_{{\mathrm{{shrunk}}}}({symbol.latex})")
    work.step("shrunk_rate", "", name, None, Ratio(top, bottom), float(node.tree.value[node.index]))
