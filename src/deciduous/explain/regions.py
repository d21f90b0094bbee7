"""A tree of numbers written as a function: f(x) = sum over m of c_m I(x in R_m), a region a leaf."""

from __future__ import annotations

from collections.abc import Iterator

from deciduous.explain.blocks import Block, Formula, Grid, Heading
from deciduous.explain.expression import Figure, Name, Style, Sum, Times, plain
from deciduous.explain.rules import rules
from deciduous.language import translate as _
from deciduous.model.tree import Tree

#: A function of more regions is not written out.
MOST_REGIONS = 30


def of_regions(tree: Tree, style: Style, named: bool = False) -> Iterator[Block]:
    """Return the function that a small tree of numbers is, and its regions; nothing for other trees. `named`: with the
    name of the target.
    """
    if tree.task != "number" or tree.n_leaves > MOST_REGIONS:
        return
    leaves = list(rules(tree, stops=False))
    heading = _("The tree as a function")
    yield Heading(_("{target}: {what}").format(target=tree.target, what=heading) if named else heading, 3)
    indicators = [Name(f"I(x in R_{m})", rf"I(x \in R_{{{m}}})") for m in range(1, len(leaves) + 1)]
    terms = tuple(
        Times((Figure(float(leaf.prediction)), indicator)) for leaf, indicator in zip(leaves, indicators, strict=True)
    )
    general = Name("sum_m c_m I(x in R_m)", r"\sum_{m=1}^{M} c_m I(x \in R_m)")
    yield Formula((Name("f(x)", "f(x)"), general, Sum(terms)))
    rows = []
    for m, leaf in enumerate(leaves, 1):
        region = _(" and ").join(condition.text() for condition in leaf.conditions) or _("anything")
        rows.append((f"R_{m}", region, str(leaf.n_samples), plain(float(leaf.prediction), style.digits)))
    yield Grid(("m", "R_m", _("rows"), "c_m"), tuple(rows), (2, 3))
