"""What the nodes of a picture say: the part of the tree that is shown, as text and figures, before anything has a
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deciduous.draw.metrics import clean
from deciduous.draw.view import Mask, View, opened, passed_by
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.labels import NUMBERS, Conditions, rows_text, significant
from deciduous.model.tree import Tree

#: A node lists so many classes, the largest; an edge so many categories. The rest is counted.
MOST_CLASSES = 4
MOST_CATEGORIES = 3
#: What the impurity is called, by criterion.
IMPURITIES = {
    **dict.fromkeys(("gain", "gain_ratio", "entropy", "log_loss"), "entropy"),
    "gini": "Gini",
    "misclassification": "errors",
    "squared_error": "variance",
    "friedman_mse": "variance",
}


class Line(NamedTuple):
    """A line of text below the title of a card; `swatch`: the class whose colour stands before it, or -1."""

    text: str
    swatch: int = -1


@dataclass(frozen=True, slots=True)
class Card:
    """A node as it is shown.

    `title`: the column that it asks for, or what it answers; `lines`: its figures; `reply`: the answer of the question
    above that leads here, `condition` the same in full; `codes`, `shares`: the classes of its bar and their shares of
    the weight; `level`: how far its number lies from the least (0) to the largest (1) of the tree; `answer`: the code
    of its class, -1 for numbers; `hidden`: how many nodes below are not shown; `is_set`: a set that is yet to be
    divided; `lit`: the highlighted row passes it.
    """

    node: int
    title: str
    lines: tuple[Line, ...]
    reply: str
    condition: str
    codes: tuple[int, ...]
    shares: tuple[float, ...]
    level: float
    answer: int
    is_open: bool
    is_leaf: bool
    is_set: bool
    hidden: int
    lit: bool


@dataclass(frozen=True, eq=False)
class Outline:
    """The nodes that are shown, a node before what is below it; `parent`: the place of the node above in the list."""

    tree: Tree
    view: View
    cards: tuple[Card, ...]
    parent: tuple[int, ...]


def outline_of(tree: Tree, view: View) -> Outline:
    """Return what a view shows of a tree, each node before those below it, branches in order."""
    lit = np.zeros(len(tree), dtype=bool) if view.row is None else passed_by(tree, view.row)
    is_open = opened(tree, view, lit)
    nodes, parent = _shown(tree, is_open)
    writer = _Writer(tree, view, is_open, lit)
    names = _set_names(tree, nodes, is_open) if view.splits is not None else {}
    return Outline(tree, view, tuple(writer.card(node, names.get(node, "")) for node in nodes), tuple(parent))


def _shown(tree: Tree, is_open: Mask) -> tuple[list[int], list[int]]:
    """Return the nodes shown, depth first, and where in the list the parent of each is."""
    first_child, n_branches, opens = tree.first_child.tolist(), tree.n_branches.tolist(), is_open.tolist()
    nodes: list[int] = []
    parent: list[int] = []
    stack = [(0, -1)]
    while stack:
        node, above = stack.pop()
        place = len(nodes)
        nodes.append(node)
        parent.append(above)
        if opens[node]:
            first = first_child[node]
            stack.extend((first + b, place) for b in range(n_branches[node] - 1, -1, -1))
    return nodes, parent


def _set_names(tree: Tree, nodes: Sequence[int], is_open: Mask) -> dict[int, str]:
    """Return the names of the sets into which a half-grown tree has divided the rows: D1, D2, ... in order.

    A tree that is whole has none: nothing is left to be divided.
    """
    parts = [node for node in nodes if not is_open[node]]
    if tree.is_leaf[parts].all():
        return {}
    return {0: "D"} if parts == [0] else {node: f"D{i}" for i, node in enumerate(parts, 1)}


class _Writer:
    """Puts nodes into words; what holds for the whole tree is worked out once."""

    def __init__(self, tree: Tree, view: View, is_open: Mask, lit: Mask) -> None:
        self.tree, self.view, self.is_open, self.lit = tree, view, is_open.tolist(), lit.tolist()
        self.conditions = Conditions(tree, view.digits)
        self.is_leaf = tree.is_leaf.tolist()
        self.below = descendants(tree)
        criterion = str(tree.options.get("criterion", "impurity"))
        mean, impurity = NUMBERS.get(criterion, ("mean", "variance" if tree.task == "number" else criterion))
        self.mean, self.impurity = _(mean), _(IMPURITIES.get(criterion, impurity))
        self.target = clean(tree.target)
        self.names = [clean(str(label)) or "''" for label in tree.classes]
        self.features = [clean(feature.name) or "''" for feature in tree.schema.features]
        self.others = [_Writer(one, view, is_open, lit) for one in tree.by_target()[1:]]
        self.least, self.largest = float(tree.value.min()), float(tree.value.max())

    def card(self, node: int, set_name: str) -> Card:
        """Return the card of a node; `set_name`: what a half-grown tree calls its rows."""
        tree, is_open = self.tree, self.is_open[node]
        is_leaf = self.is_leaf[node]
        codes, shares = self._shares(node)
        condition = self.conditions.reply(node, 10**9)
        is_short = condition.count(",") < MOST_CATEGORIES  # a comma stands between any two of them
        return Card(
            node,
            self._title(node, set_name),
            (*self._figures(node, codes, shares), *self._remarks(node, bool(set_name))),
            clean(condition if is_short else self.conditions.reply(node, MOST_CATEGORIES)),
            clean(condition),
            tuple(codes),
            tuple(shares),
            self._level(node),
            int(tree.value[node]) if tree.task == "class" else -1,
            is_open,
            is_leaf,
            bool(set_name) and not is_leaf,
            0 if is_open or set_name else self.below[node],
            self.lit[node],
        )

    def prediction(self, node: int) -> str:
        """Return what a node answers."""
        value = float(self.tree.value[node])
        return self.names[int(value)] if self.tree.task == "class" else significant(value, self.view.digits)

    def _title(self, node: int, set_name: str) -> str:
        number = f"{node}: " if self.view.numbers else ""
        if self.is_open[node]:
            return number + self.features[int(self.tree.feature[node])]
        if set_name:
            return number + (f"{self.prediction(node)}, {set_name}" if self.is_leaf[node] else set_name)
        return number + (f"{self.target} = " if self.view.counts else "") + self.prediction(node)

    def _shares(self, node: int) -> tuple[list[int], list[float]]:
        """Return the classes present, in order, and their shares of the weight."""
        start, end = self.tree.class_start[node : node + 2].tolist()
        weights = self.tree.class_weight[start:end].tolist()
        total = sum(weights)
        return (self.tree.class_code[start:end].tolist(), [w / total for w in weights]) if total > 0 else ([], [])

    def _level(self, node: int) -> float:
        if self.tree.task == "class" or self.largest == self.least:
            return 0.5
        return (float(self.tree.value[node]) - self.least) / (self.largest - self.least)

    def _figures(self, node: int, codes: list[int], shares: list[float]) -> list[Line]:
        others = [other.answer(node) for other in self.others]
        if not self.view.counts:
            return [] if self.is_open[node] else others
        n, weight = int(self.tree.n_samples[node]), float(self.tree.weight[node])
        if n == 0:
            return [Line(_("no rows: answers as above")), *others]
        rows = rows_text(n, weight, self.view.digits)
        if self.tree.task == "number":
            mean = [] if not self.is_open[node] else [Line(f"{self._of_one}{self.mean} {self.prediction(node)}")]
            return [Line(rows), *mean, *others]
        if not self.is_open[node] and codes == [int(self.tree.value[node])]:
            return [Line(f"{rows} (100 %)"), *others]
        name = [Line(f"{self.target}:")] if self.others else []
        return [Line(rows), *name, *self._classes(codes, shares, weight), *others]

    @property
    def _of_one(self) -> str:
        """What stands before a figure of one target among several."""
        return f"{self.target}: " if self.others else ""

    def answer(self, node: int) -> Line:
        """Return what a node says of this target, where another one stands at the top."""
        if self.tree.task == "number":
            figure = self.prediction(node)
            return Line(f"{self.target}: {self.mean} {figure}" if self.is_open[node] else f"{self.target} = {figure}")
        codes, shares = self._shares(node)
        share = [f" ({100 * s:.3g} %)" for code, s in zip(codes, shares, strict=True) if code == self.tree.value[node]]
        return Line(f"{self.target} = {self.prediction(node)}{''.join(share) if self.view.counts else ''}")

    def _classes(self, codes: list[int], shares: list[float], weight: float) -> list[Line]:
        largest = sorted(range(len(codes)), key=lambda i: -shares[i])[:MOST_CLASSES]
        lines = [
            Line(
                f"{self.names[codes[i]]}: {significant(shares[i] * weight, self.view.digits)} "
                f"({100 * shares[i]:.3g} %)",
                codes[i],
            )
            for i in sorted(largest)
        ]
        rest = len(shares) - len(lines)
        return lines + ([Line(_n("and {n} more class", "and {n} more classes", rest).format(n=rest))] if rest else [])

    def _remarks(self, node: int, is_part: bool) -> list[Line]:
        lines = []
        if self.view.impurity and self.tree.n_samples[node]:
            figure = significant(float(self.tree.impurity[node]), self.view.digits)
            lines.append(Line(f"{self.impurity} {figure}"))
        if not self.is_open[node] and not is_part and self.below[node]:
            lines.append(Line(_("+{n} nodes").format(n=self.below[node])))
        return lines


def descendants(tree: Tree) -> list[int]:
    """Return how many nodes lie below each node."""
    below, parents = [0] * len(tree), tree.parent.tolist()
    for node in range(len(below) - 1, 0, -1):
        below[parents[node]] += below[node] + 1
    return below
