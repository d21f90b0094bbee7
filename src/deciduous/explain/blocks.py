"""Headings, text, formulas and tables: what derivations are made into before they are written in some form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.cells import cell_len

from deciduous.explain.expression import Count, Expression, Log, Name, Style, latex_text, plain
from deciduous.explain.steps import FeatureDerivation, Line, NodeDerivation, Step, labels_text
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.labels import NUMBERS

if TYPE_CHECKING:
    from deciduous.explain.derivation import Derivation


@dataclass(frozen=True)
class Heading:
    """A heading: 1 for the whole, 2 for a node, 3 for a column; `of`: the column alone, without the verdict on it."""

    text: str
    level: int = 2
    of: str | None = None


@dataclass(frozen=True)
class Text:
    """A paragraph. `role`: `choice` for what a node comes to, `pruned` for what becomes of it in pruning, `taken` for
    which subtree is, `decision` for what gives these away; `item` for one of a numbered list, `detail` for what is said
    of it.
    """

    text: str
    role: str = ""


@dataclass(frozen=True)
class Blank:
    """A place that is left free, to be filled in by hand; so many characters wide."""

    width: int = 8


@dataclass(frozen=True)
class Formula:
    """A line of mathematics: parts with relations between them, `=` by default, and words before it, if any.

    Text among the parts is a number, as a rule the result.
    """

    parts: tuple[Expression | str | Blank, ...]
    relations: tuple[str, ...] = ()
    label: str = ""

    def related(self) -> Iterator[tuple[str, Expression | str | Blank]]:
        """Return the parts, each with the relation before it; none before the first."""
        relations = self.relations or ("=",) * (len(self.parts) - 1)
        return zip(("", *relations), self.parts, strict=True)


@dataclass(frozen=True)
class Grid:
    """A table; the columns listed in `numbers` are set flush right. `role`: `counts` or `classes`, what is given;
    `moments`, given but for the means and what follows; `tried`, `overview` or `figures`, whose numbers are worked out,
    with a verdict in the last column.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    role: str = ""


#: How algorithms are called.
ALGORITHMS = {"id3": "ID3", "c45": "C4.5", "cart": "CART"}
#: Beyond so many classes, or so many cells of a line for their names, their counts stand in one column.
MOST_CLASS_COLUMNS = 8
WIDEST_CLASS_COLUMNS = 56


Block = Heading | Text | Formula | Grid


def with_colon(label: str) -> str:
    """Return the words before a formula."""
    return _("{label}:").format(label=label)


def formula_of(step: Step, style: Style) -> Formula:
    """Return a step as a line of mathematics."""
    parts: list[Expression | str | Blank] = [step.symbol]
    parts += [part for part in (step.formula, step.numbers) if part is not None]
    return Formula((*parts, style.result(step.value)))


def of_derivation(derivation: Derivation) -> Iterator[Block]:
    """Return the blocks of a derivation: the definitions once, then node by node."""
    from deciduous.explain.regions import of_regions

    tree = derivation.tree
    yield from head_of(derivation)
    for node in derivation:
        yield from of_node(node, derivation.style, str(tree.options["criterion"]))
    if len(derivation) == len(tree):
        yield from of_regions(tree, derivation.style)


def head_of(derivation: Derivation) -> Iterator[Block]:
    """Return the heading of a derivation, and the definitions."""
    from deciduous.explain.notation import definitions

    tree = derivation.tree
    name = ALGORITHMS.get(str(tree.options["name"]), tree.options["name"])
    target = _(", ").join(tree.targets)
    yield Heading(_("The working of the {name} tree for {target}").format(name=name, target=target), 1)
    yield from definitions(derivation)


def of_node(node: NodeDerivation, style: Style, criterion: str) -> Iterator[Block]:
    """Return the blocks of one node: its own figures, column by column, the columns side by side, the decision."""
    yield from node_head(node)
    yield from steps_of(node, style)
    for feature in node.features:
        yield from of_feature(node, feature, style, criterion)
    if any(not math.isnan(f.working.score) for f in node.features):
        yield Heading(_("The columns side by side"), 3)
        yield overview(node, style)
    for step in node.comparison:
        yield formula_of(step, style)
    yield from node_tail(node)


def node_head(node: NodeDerivation) -> Iterator[Block]:
    """Return where a node is, and its rows."""
    working = node.working
    where = path_text(working.path) if working.path else _("the root, all rows")
    yield Heading(_("Node {node}: {where}").format(node=working.node, where=where))
    yield Text(rows_text(node))
    if node.rows:
        yield Text(_("{symbol} = {{{labels}}}").format(symbol=node.symbol.text, labels=labels_text(node.rows)))


def steps_of(node: NodeDerivation, style: Style) -> Iterator[Block]:
    """Return the figures of a node's own rows."""
    for step in node.steps:
        yield formula_of(step, style)
        if step.quantity == "entropy" and node.classes:
            yield from _bounds(step, node.n_classes)


def node_tail(node: NodeDerivation) -> Iterator[Block]:
    """Return what a node comes to."""
    working = node.working
    yield Text(working.decision, "choice")
    if node.answer:
        yield Text(node.answer, "decision")
    for number, condition in working.branches:
        yield Text(_("node {node}: {condition}").format(node=number, condition=condition), "decision")


#: Of longer paths the middle is left out.
MOST_CONDITIONS = 10


def path_text(path: tuple[str, ...]) -> str:
    """Return the conditions on the way to a node, joined; of many, the first and the last ones."""
    if len(path) <= MOST_CONDITIONS:
        return _(" and ").join(path)
    half = MOST_CONDITIONS // 2
    left_out = _("({n} more)").format(n=len(path) - 2 * half)
    return _(" and ").join([*path[:half], left_out, *path[-half:]])


def _bounds(step: Step, n_classes: int) -> Iterator[Block]:
    """Return between what an entropy stands, 0 for one class and log2 |Y| where all are equally frequent, and where."""
    most = math.log2(n_classes)
    yield Formula(("0", step.symbol, Log(Count(n_classes)), plain(most, 4)), ("<=", "<=", "="))
    if most:
        share = f"{100 * step.exact / most:.3g} %"
        yield Text(_("it is {share} of the largest entropy that there may be").format(share=share), "decision")


def rows_text(node: NodeDerivation) -> str:
    """Return how many rows a node has, and of which classes."""
    working = node.working
    if not working.n_samples:
        return _("no rows")
    text = _n("{n} row", "{n} rows", working.n_samples).format(n=working.n_samples)
    if working.weight != working.n_samples:
        text += _(", weight {weight}").format(weight=plain(working.weight))
    if working.class_weights:
        counts = ", ".join(f"{label} {plain(weight)}" for label, weight in working.class_weights.items() if weight > 0)
        text = _("{rows}: {counts}").format(rows=text, counts=counts)
    return text


def of_feature(node: NodeDerivation, feature: FeatureDerivation, style: Style, criterion: str) -> Iterator[Block]:
    """Return the blocks of one column: what became of it, and its figures."""
    yield feature_head(feature)
    yield from figures_of(node, feature, style, criterion)


def feature_head(feature: FeatureDerivation) -> Heading:
    """Return the heading of a column."""
    figures = feature.working
    return Heading(_("{feature}: {verdict}").format(feature=figures.feature, verdict=figures.why), 3, figures.feature)


def figures_of(node: NodeDerivation, feature: FeatureDerivation, style: Style, criterion: str) -> Iterator[Block]:
    """Return the contingency table of a column, the steps, the candidates, the remarks."""
    if feature.lines:
        yield _contingency(node, feature, criterion)
        if node.classes and feature.missing is not None and feature.missing.weight:
            yield from known_shares(node.classes, feature.lines)
    for step in feature.steps:
        yield formula_of(step, style)
    if len(feature.tried) > 1:
        yield _tried(node, feature, style, criterion)
        if feature.n_tried > len(feature.tried):
            rest = feature.n_tried - len(feature.tried)
            yield Text(_n("and {n} more candidate", "and {n} more candidates", rest).format(n=rest))
    for step in feature.others:
        yield formula_of(step, style)
    for remark in feature.remarks:
        yield Text(remark, "decision")


def _contingency(node: NodeDerivation, feature: FeatureDerivation, criterion: str) -> Grid:
    own = node.classes or tuple(_(name) for name in number_columns(criterion))
    lines = (*feature.lines, *([feature.missing] if feature.missing else []))
    return replace(counts_grid(own, lines, _rows_header(node)), role="counts" if node.classes else "moments")


#: So many shares stand in a line.
SHARES_A_LINE = 4


def known_shares(classes: Sequence[str], lines: Sequence[Line]) -> Iterator[Formula]:
    """Return the shares p~ of each class and r~ of each branch among the rows whose cell is known, as fractions."""
    counts = [sum(line.cells[i] for line in lines) for i in range(len(classes))]
    total = plain(sum(line.weight for line in lines))
    for letter, names, parts in (
        ("p", classes, counts),
        ("r", [line.branch for line in lines], [line.weight for line in lines]),
    ):
        shares = [
            Name(
                f"{letter}~({name})={plain(part)}/{total}",
                rf"\tilde{{{letter}}}_{{\text{{{latex_text(name)}}}}} = \frac{{{plain(part)}}}{{{total}}}",
            )
            for name, part in zip(names, parts, strict=True)
        ]
        for i in range(0, len(shares), SHARES_A_LINE):
            some = shares[i : i + SHARES_A_LINE]
            text, latex = ", ".join(one.text for one in some), r",\quad ".join(one.latex for one in some)
            yield Formula((Name(text, latex),))


def number_columns(criterion: str) -> tuple[str, str]:
    """Return what a table of numbers has beside the weight: where the answer lies, and how far the rows are from it."""
    return NUMBERS["absolute_error"] if criterion == "absolute_error" else ("mean", "variance")


def _rows_header(node: NodeDerivation) -> str:
    """Return what branches are counted in: rows, or their weight where that is something else."""
    working = node.working
    are_rows = working.weight == working.n_samples and all(w.is_integer() for w in working.class_weights.values())
    return _("rows") if are_rows else _("weight")


def counts_grid(own: Sequence[str], lines: Sequence[Line], counted: str | None = None) -> Grid:
    """Return a contingency table: a line a branch, a column for each of what is counted, or one for all of many.

    `counted`: the heading of the sums of the lines, rows by default.
    """
    many = len(own) > MOST_CLASS_COLUMNS or sum(cell_len(name) + 2 for name in own) > WIDEST_CLASS_COLUMNS
    labelled = any(line.rows for line in lines)
    sums = _("rows") if counted is None else counted
    header = (_("branch"), sums, *((_("classes"),) if many else own), *([_("row labels")] if labelled else []))
    rows = []
    for line in lines:
        cells = [plain(cell, 5) for cell in line.cells]
        if many:
            cells = [", ".join(f"{name} {cell}" for name, cell in zip(own, cells, strict=True) if cell != "0")]
        rows.append((line.named, plain(line.weight), *cells, *([labels_text(line.rows)] if labelled else [])))
    return Grid(header, tuple(rows), (1,) if many else tuple(range(1, 2 + len(own))), "counts")


#: How the drop in impurity is called in a table of candidates, by criterion; that of numbers, by none of them.
DROPS = {"gini": "drop in Gini", "misclassification": "drop in misclassification"}


def _tried(node: NodeDerivation, feature: FeatureDerivation, style: Style, criterion: str) -> Grid:
    """Return the candidates of a column; the mean impurity of the branches beside the gain, and the ratio where columns
    are compared by it.
    """
    gain = DROPS.get(criterion, "gain" if node.classes else "drop")
    after = {"gini": _("Gini index"), "misclassification": _("error after")}.get(criterion, "")
    ratios = criterion == "gain_ratio"
    extra = [after] if after else [_("ratio")] if ratios else []
    rows = []
    for one in feature.tried:
        verdict = _("best") if one.best else "" if one.allowed else _("removed by limits")
        more = [one.after] if after else [one.ratio] if ratios else []
        shown = [style.result(value) if math.isfinite(value) else "-" for value in (one.gain, *more)]
        rows.append((one.what, " + ".join(map(plain, one.weights)), *shown, verdict))
    header = (_("candidate"), _rows_header(node), _(gain), *extra, "")
    return Grid(header, tuple(rows), tuple(range(1, 3 + len(extra))), "tried")


def overview(node: NodeDerivation, style: Style) -> Grid:
    """Return the columns side by side: what they are compared by, and the other measures beside it."""

    def shown(value: float) -> str:
        return "" if math.isnan(value) else style.result(value)

    figures = [feature.working for feature in node.features]
    measures = {"drop": _("drop")}
    if node.classes:
        measures = {
            "gain": _("gain"),
            "split_information": _("split info"),
            "gain_ratio": _("ratio"),
            "gini_index": _("Gini index"),
        }
    rows = tuple((f.feature, *(shown(getattr(f, name)) for name in measures), f.why) for f in figures)
    return Grid((_("column"), *measures.values(), ""), rows, tuple(range(1, 1 + len(measures))), "overview")
