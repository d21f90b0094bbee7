"""The working of critical-value pruning: the G test of each question, or its gain."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciduous.explain.blocks import Block, Formula, Heading, Text, formula_of
from deciduous.explain.class_steps import impurity_step
from deciduous.explain.expression import Count, Log, Name, Style, Times, plain
from deciduous.explain.expression import minus as less
from deciduous.explain.steps import Calculation, applied, node_symbol
from deciduous.language import translate as _
from deciduous.model.labels import Conditions
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.critical_value import CriticalValue, g_test


def critical_blocks(tree: Tree, pruner: CriticalValue, style: Style) -> Iterator[Block]:
    """Return the gain, or the test, of every question, and which are good enough."""
    by_gain = pruner.critical is not None
    values = tree.gain if by_gain else g_test(tree)
    bound = pruner.level if pruner.critical is None else pruner.critical
    if by_gain:
        text = _("a question stays if its gain, or that of one below it, is at least {bound}")
    else:
        text = _("a question stays if it, or one below it, is significant at {bound}")
    yield Text(text.format(bound=plain(bound)))
    if not by_gain:
        yield Formula(DEFINITION)
        yield Text(
            _(
                "Were branches and classes independent, G would follow the chi-squared distribution of "
                "df = (branches - 1) (classes - 1), those with rows counted; p: how often it would be this large."
            )
        )
    conditions = Conditions(tree)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        where = conditions(node) or _("the root, all rows")
        yield Heading(_("Node {node}: {where}").format(node=node, where=where))
        if by_gain:
            yield Formula((applied("gain", node_symbol(node)), style.result(float(values[node]))))
        else:
            yield from _test(tree, node, float(values[node]), style)
        good = values[node] >= bound if by_gain else values[node] <= bound
        yield Text(_("good enough") if good else _("not good enough"), "pruned")


#: G as it is worked out.
DEFINITION = (
    Name("G(D)", "G(D)"),
    Name(
        "2 ln 2 (|D| Ent(D) - sum_v |D^v| Ent(D^v))",
        r"2 \ln 2 \left(|D| \mathrm{Ent}(D) - \sum_{v} |D^v| \mathrm{Ent}(D^v)\right)",
    ),
)


def _test(tree: Tree, node: int, significance: float, style: Style) -> Iterator[Block]:
    """Return G of the question of a node, its degrees of freedom and its significance."""
    work, bits = Calculation(style), node_costs(tree, "entropy")
    filled = [child.index for child in tree.node(node).children if child.weight > 0]
    parts = []
    for here in (node, *filled):
        counts = np.array([n for n in tree.node(here).class_weights.values() if n > 0])
        entropy = impurity_step(work, "entropy", counts, node_symbol(here))
        parts.append(Times((Count(float(tree.weight[here])), entropy.figure)))
    exact = max(float(bits[node] - bits[filled].sum()), 0.0) * 2.0 * float(np.log(2.0))
    numbers = Times((Count(2), Log(Count(2), 0), less(*parts)))
    work.step("g", "", applied("G", node_symbol(node)), None, numbers, exact)
    for step in work.steps:
        yield formula_of(step, style)
    classes = int(np.diff(tree.class_start)[node])
    df = Times((less(Count(len(filled)), Count(1)), less(Count(classes), Count(1))))
    yield Formula((Name("df", r"\mathrm{df}"), df, str((len(filled) - 1) * (classes - 1))))
    yield Formula((Name("p", "p"), style.result(significance)))
