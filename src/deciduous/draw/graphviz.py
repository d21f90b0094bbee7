"""`export_graphviz`, as scikit-learn has it: the same arguments, and text that the same programs read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, Any

import numpy as np

from deciduous.draw.cards import IMPURITIES
from deciduous.draw.dot import quoted
from deciduous.draw.metrics import clean
from deciduous.draw.theme import LIGHT, mix
from deciduous.draw.view import View, opened, single_of
from deciduous.errors import DataError, OptionError, listing
from deciduous.files import write_whole
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.labels import NUMBERS, Conditions, significant
from deciduous.model.tree import Tree

LABELS = ("all", "root", "none")
#: More classes than this are not listed one by one.
MOST_VALUES = 60
#: How much of its colour a pure node shows: black text can be read on all of them.
STRONGEST = 0.55


def export_graphviz(
    decision_tree: Any,
    out_file: str | os.PathLike[str] | IO[str] | None = None,
    *,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    label: str = "all",
    filled: bool = False,
    leaves_parallel: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rotate: bool = False,
    rounded: bool = False,
    special_characters: bool = False,
    precision: int = 3,
    fontname: str = "helvetica",
) -> str | None:
    """Return or write a tree in the DOT language, with the arguments of `sklearn.tree.export_graphviz`.

    Differences: `class_names=None` shows the tree's own class names (False shows none), `precision` is the least number
    of significant digits, thresholds get as many as make them differ, and a question with more than two answers has
    them on its edges.

    Args:
        decision_tree: a fitted estimator, or a `Tree`.
        out_file: a path or an open text file to write to; None returns the text.
        max_depth: what lies deeper is shown as `(...)`.
        feature_names: other names of the columns, in their order.
        class_names: other names of the classes, in the order of `classes_`.
        label: whether figures are named in `all` nodes, at the `root`, or in `none`.
        filled: colour nodes by class and purity, or by value.
        leaves_parallel: put all leaves on the last level.
        impurity, node_ids, proportion: show the impurity, the number of a node, shares instead of counts.
        rotate: from left to right.
        rounded, fontname: the look of nodes.
        special_characters: signs such as ≤ in questions. Labels are plain strings all the same, since pydotplus does
            not read HTML-like ones with today's pyparsing.

    Raises:
        DataError: if there are not as many names as columns or classes. OptionError: for an unknown `label`.
    """
    if label not in LABELS:
        raise OptionError(f"label={label!r} is not one of {listing(LABELS)}.")
    tree = _renamed(single_of(decision_tree, "export_graphviz"), feature_names, class_names)
    writer = _Exporter(
        tree, label, class_names is not False, filled, impurity, node_ids, proportion, special_characters, precision
    )
    shown = opened(tree, View(max_depth=max_depth), np.zeros(len(tree), dtype=bool))
    style = ", ".join(["rounded"] * rounded + ["filled"] * filled)
    lines = [
        "digraph Tree {",
        f'node [shape=box{f", style={quoted(style)}" if style else ""}, color="black", fontname={quoted(fontname)}] ;',
        f"edge [fontname={quoted(fontname)}] ;",
        *(["graph [ranksep=equally, splines=polyline] ;"] if leaves_parallel else []),
        *(["rankdir=LR ;"] if rotate else []),
        *writer.lines(shown.tolist(), rotate),
    ]
    if leaves_parallel:
        leaves = "; ".join(str(i) for i in writer.leaves)
        lines.append(f"{{rank=same ; {leaves}}} ;")
    text = "\n".join([*lines, "}\n"])
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
    else:
        write_whole(out_file, text)
    return None


def _renamed(tree: Tree, feature_names: Any, class_names: Any) -> Tree:
    """Return the tree with other names for its columns and classes."""
    names = None if feature_names is None else [str(name) for name in feature_names]
    labels = None if class_names is None or isinstance(class_names, bool) else [str(name) for name in class_names]
    for given, what, own in ((names, "feature_names", tree.schema.names), (labels, "class_names", tree.classes)):
        if given is not None and len(given) != len(own):
            raise DataError(f"{what} has {len(given)} names; the tree has {len(own)}: {listing(own)}.")
    if names is not None:
        features = tuple(replace(f, name=name) for f, name in zip(tree.schema.features, names, strict=True))
        tree = replace(tree, schema=replace(tree.schema, features=features))
    return tree if labels is None else replace(tree, classes=tuple(labels))


class _Exporter:
    """Writes the nodes and edges."""

    def __init__(
        self,
        tree: Tree,
        label: str,
        classes: bool,
        filled: bool,
        impurity: bool,
        node_ids: bool,
        proportion: bool,
        signs: bool,
        precision: int,
    ) -> None:
        self.tree, self.label, self.filled, self.signs, self.digits = tree, label, filled, signs, precision
        self.show = {"class": classes, "impurity": impurity, "number": node_ids}
        self.proportion = proportion
        self.conditions = Conditions(tree, precision)
        criterion = str(tree.options.get("criterion", "impurity"))
        number = NUMBERS.get(criterion, ("mean", criterion))[1]
        self.impurity = IMPURITIES.get(criterion, number).lower()
        self.leaves: list[int] = []

    def lines(self, shown: list[bool], rotate: bool) -> Iterator[str]:
        """Return the nodes shown, depth first, each with the edge that leads to it."""
        tree, stack = self.tree, [(0, -1)]
        while stack:
            node, above = stack.pop()
            if above >= 0 and not shown[above]:
                yield f"{node} [label={self._label(['(...)'])}" + (', fillcolor="#C0C0C0"] ;' if self.filled else "] ;")
            else:
                fill = f", fillcolor={quoted(self._fill(node))}" if self.filled else ""
                yield f"{node} [label={self._label(self._text(node))}{fill}] ;"
                if tree.first_child[node] < 0:
                    self.leaves.append(node)
                else:
                    first = int(tree.first_child[node])
                    stack.extend((first + b, node) for b in range(int(tree.n_branches[node]) - 1, -1, -1))
            if above >= 0:
                yield f"{above} -> {node}{self._edge(node, above, rotate)} ;"

    def _edge(self, node: int, above: int, rotate: bool) -> str:
        if not self._is_yes_or_no(above):
            return f" [label={self._label([self.conditions.reply(node, 3)])}]"
        if above != 0:
            return ""
        branch = node - int(self.tree.first_child[above])
        angle = (45 if branch == 0 else -45) * (-1 if rotate else 1)
        return f' [labeldistance=2.5, labelangle={angle}, headlabel="{"False" if branch else "True"}"]'

    def _is_yes_or_no(self, node: int) -> bool:
        """Whether a question has two answers, yes and no; else the answers stand on its edges."""
        return int(self.tree.n_branches[node]) == 2 and int(self.tree.kind[node]) != SplitKind.MULTIWAY

    def _text(self, node: int) -> list[str]:
        tree = self.tree
        named = self.label == "all" or (self.label == "root" and node == 0)
        first = int(tree.first_child[node])
        lines = [f"node #{node}"] if self.show["number"] else []
        if first >= 0:
            asks = self.conditions(first) if self._is_yes_or_no(node) else tree.schema.features[tree.feature[node]].name
            lines.append(asks)
        figures = [("impurity", self.impurity, significant(float(tree.impurity[node]), self.digits))]
        figures.append(("samples", "samples", self._samples(node)))
        figures.append(("value", "value", self._value(node)))
        if tree.task == "class":
            figures.append(("class", "class", str(tree.classes[int(tree.value[node])])))
        lines += [f"{name} = {text}" if named else text for what, name, text in figures if self.show.get(what, True)]
        return lines

    def _samples(self, node: int) -> str:
        n = int(self.tree.n_samples[node])
        return f"{significant(100 * n / int(self.tree.n_samples[0]), self.digits)}%" if self.proportion else str(n)

    def _weights(self, node: int) -> Floats:
        weights = np.zeros(len(self.tree.classes))
        start, end = self.tree.class_start[node : node + 2]
        weights[self.tree.class_code[start:end]] = self.tree.class_weight[start:end]
        return weights

    def _value(self, node: int) -> str:
        if self.tree.task == "number":
            return significant(float(self.tree.value[node]), self.digits)
        weights = self._weights(node)
        shares = weights / weights.sum() if self.proportion and weights.sum() > 0 else weights
        shown = [significant(float(w), self.digits) for w in shares[:MOST_VALUES]]
        return f"[{', '.join(shown)}{', ...' if len(shares) > MOST_VALUES else ''}]"

    def _fill(self, node: int) -> str:
        tree = self.tree
        if tree.task == "number":
            least, span = float(tree.value.min()), float(np.ptp(tree.value))
            return mix("#ffffff", LIGHT.high, STRONGEST * ((float(tree.value[node]) - least) / span if span else 0.0))
        shares = np.sort(self._weights(int(tree.answers_from[node])))
        second = float(shares[-2]) if len(shares) > 1 else 0.0
        purity = (shares[-1] - second) / (shares.sum() - second)
        return mix("#ffffff", LIGHT.of_class(int(tree.value[node])), STRONGEST * float(purity))

    def _label(self, lines: list[str]) -> str:
        text = "\n".join(clean(line) for line in lines)
        return quoted(text.replace("<=", "≤").replace("!=", "≠") if self.signs else text)
