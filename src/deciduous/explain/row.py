"""One row explained: the path in words, the distribution at each step, what missing and unseen cells did, and the
smallest change that changes the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from deciduous.data.frames import columns_of
from deciduous.data.schema import Label
from deciduous.data.table import Table
from deciduous.errors import DataError
from deciduous.explain.answer import answers_of, shares_of
from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text
from deciduous.explain.change import Change, Counterfactual, smallest_change
from deciduous.explain.expression import Figure, Name, Style, Sum, Times, plain
from deciduous.explain.measure import cells_of
from deciduous.explain.shown import Shown
from deciduous.explain.steps import applied
from deciduous.explain.surrogates import Question, side_text
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.model.labels import Conditions, significant
from deciduous.model.node import Node
from deciduous.model.route import branches_of, route
from deciduous.model.tree import Tree


@dataclass(frozen=True)
class Visit:
    """One node that the row comes to: the condition that led there, the row's own cell, and what the node answers.

    `share`: the part of the row that comes here. `remark`: what a missing or unseen cell did.
    """

    node: Node
    condition: str
    cell: str
    share: float
    remark: str = ""


@dataclass(frozen=True)
class Way:
    """A way of the row, or of a part of it, from the root to where it ends; `stops`: at a question, not in a leaf."""

    visits: tuple[Visit, ...]
    share: float
    stops: bool


class RowExplanation(Shown):
    """Why a row is answered as it is.

    `prediction`, `distribution` (by class; empty for numbers), `ways` (one, but for missing cells that send parts of
    the row down several branches), and `change`, the smallest that changes the answer, or None.
    """

    def __init__(
        self, tree: Tree, row: Table, cells: Mapping[str, Any], training: Table | None, to: Label | None
    ) -> None:
        self.tree, self.cells, self._row = tree, dict(cells), row
        self.style = Style(5 if tree.task == "number" else 3, significant=tree.task == "number")
        arrivals = route(tree, row)
        self._ends = list(zip(arrivals.nodes.tolist(), arrivals.weights.tolist(), strict=True))
        answer = float(answers_of(tree, arrivals)[0])
        self.prediction: Label = answer if tree.task == "number" else tree.classes[int(answer)]
        shares = [] if tree.task == "number" else shares_of(tree, arrivals)[0].tolist()
        self.distribution: dict[Label, float] = dict(zip(tree.classes, shares, strict=True))
        self._ranked = training is not None
        self.change: Counterfactual | None = smallest_change(tree, row, self.prediction, training, to)

    @property
    def ways(self) -> list[Way]:
        """The ways of the row, in the language spoken."""
        return [self._way(node, share) for node, share in self._ends]

    def _way(self, end: int, share: float) -> Way:
        conditions = Conditions(self.tree)
        path = self.tree.path(end)
        visits, here = [Visit(self.tree.node(0), "", "", 1.0)], 1.0
        for parent, child in pairwise(path):
            branch, split = self._branch(parent), self.tree.split(parent)
            taken = child - int(self.tree.first_child[parent])
            remark = ""
            if branch == -1 and self.tree.surrogates is not None:
                remark = self._sent(Question.of(self.tree, parent), taken)
            elif branch == -1:
                here *= float(split.shares[taken])
                remark = _("goes to this branch")
                if split.shares[taken] < 1:
                    remark = _("{share} of it goes to this branch").format(share=f"{split.shares[taken]:.3g}")
                if self._is_unseen(split.feature):
                    remark = _("never seen in training, so treated as missing; {remark}").format(remark=remark)
            visits.append(Visit(self.tree.node(child), conditions(child), self._cell(split.feature), here, remark))
        return Way(tuple(visits), share, not self.tree.is_leaf[end])

    def _sent(self, question: Question, taken: int) -> str:
        """Return what sent the row on where the cell that is asked for is missing."""
        place = int(question.answers(self._row)[1][0])
        if place < 0:
            return _("no surrogate knows the row, so it goes to the larger branch")
        surrogate = question.surrogates[place]
        cell = self._cell(surrogate.feature)
        condition = side_text(self.tree.schema.features[surrogate.feature], surrogate, taken)
        return _("goes to this branch by the surrogate {condition}, since {cell}").format(
            condition=condition, cell=cell
        )

    def _branch(self, node: int) -> int:
        split = self.tree.split(node)
        cells = self._row.columns[split.feature]
        assert cells is not None
        return int(branches_of(split, cells, self.tree.unseen == "missing")[0])

    def _is_unseen(self, feature: int) -> bool:
        cells = self._row.columns[feature]
        return cells is not None and cells.dtype != np.float64 and int(cells[0]) != -1

    def _cell(self, feature: int) -> str:
        name = self.tree.schema.features[feature].name
        cell = self.cells.get(name)
        shown = _("missing") if cell is None else plain(cell) if isinstance(cell, float) else str(cell)
        return f"{name} = {shown}"

    # --- shown

    def blocks(self) -> Iterator[Block]:
        """Return the answer, the ways, and the smallest change."""
        tree = self.tree
        answer = significant(float(self.prediction), 5) if tree.task == "number" else str(self.prediction)
        yield Heading(_("{target} = {answer}").format(target=tree.target, answer=answer), 1)
        ways = self.ways
        for way in ways:
            yield from self._way_blocks(way, len(ways) > 1, answer)
        if len(ways) > 1:
            yield from self._mixture()
        if self.distribution:
            shown = ", ".join(f"{label} {100 * p:.3g} %" for label, p in self.distribution.items() if p > 0)
            yield Text(_("The distribution of the answer: {shares}").format(shares=shown))
        yield Heading(_("The smallest change that changes the answer"), 3)
        yield from self._change_blocks()

    def _mixture(self) -> Iterator[Block]:
        """Return how the answers of several nodes are mixed, each with the part of the row that ends there."""
        yield Text(_("The parts together: the answer of each node, times the part of the row that ends there"))
        nodes = np.array([node for node, _share in self._ends])
        if self.tree.task == "number":
            mixed = [(Name("c", "c"), self.tree.value[nodes].tolist(), float(str(self.prediction)))]
        else:
            shares = self.tree.distribution(nodes)
            mixed = [
                (applied("p", str(label)), shares[:, code].tolist(), p)
                for code, (label, p) in enumerate(self.distribution.items())
                if p > 0
            ]
        for symbol, answers, result in mixed:
            parts = zip(self._ends, answers, strict=True)
            numbers = Sum(tuple(Times((Figure(share), Figure(answer))) for (_node, share), answer in parts))
            yield Formula((symbol, numbers, self.style.result(result)))

    def _way_blocks(self, way: Way, several: bool, answer: str) -> Iterator[Block]:
        if several:
            yield Heading(_("{share} of the row").format(share=f"{100 * way.share:.3g} %"), 3)
        rows = []
        for visit in way.visits:
            what = visit.condition or _("all rows")
            rows.append((str(visit.node.index), what, visit.cell, str(visit.node.n_samples), self._answers(visit.node)))
        yield Grid((_("node"), _("condition"), _("the row has"), _("rows"), _("answers there")), tuple(rows), (0, 3))
        for visit in way.visits:
            if visit.remark:
                yield Text(_("{cell}: {remark}").format(cell=visit.cell, remark=visit.remark))
        end = way.visits[-1].node
        if way.stops:
            yield Text(self._stop_text(end))
        elif not several:
            told = [visit.condition for visit in way.visits[1:]]
            because = _(" and ").join(told) if told else _("every row has the same answer")
            yield Text(_("The answer is {answer}, because {conditions}.").format(answer=answer, conditions=because))

    def _stop_text(self, node: Node) -> str:
        assert node.split is not None
        text = _("this question has no branch for it, so node {node} itself answers").format(node=node.index)
        if self._is_unseen(node.split.feature):
            text = _("never seen in training; {remark}").format(remark=text)
        return _("{cell}: {remark}").format(cell=self._cell(node.split.feature), remark=text)

    def _answers(self, node: Node) -> str:
        if self.tree.task == "number":
            return significant(float(node.prediction), 5)
        shares = self.tree.distribution(np.array([node.index]))[0].tolist()
        pairs = sorted(zip(self.tree.classes, shares, strict=True), key=lambda pair: -pair[1])[:4]
        return ", ".join(f"{label} {100 * p:.3g} %" for label, p in pairs if p > 0)

    def _change_blocks(self) -> Iterator[Block]:
        change = self.change
        if change is None:
            yield Text(_("no leaf answers otherwise"))
            return
        for one in change.changes:
            new = plain(one.new, 15) if isinstance(one.new, float) else str(one.new)
            feature = self.tree.schema.index(one.feature)
            text = _("{old}: change it to {new} ({condition})").format(
                old=self._cell(feature), new=new, condition=one.condition.text()
            )
            yield Text(text + self._passed(feature, one))
        answer = significant(float(change.prediction), 5) if self.tree.task == "number" else str(change.prediction)
        if change.node is None:
            yield Text(_("then the answer is {answer}").format(answer=answer))
        else:
            yield Text(_("then node {node} answers {answer}").format(node=change.node, answer=answer))

    def _passed(self, feature: int, change: Change) -> str:
        """Return in words how far a number moves."""
        cells = self._row.columns[feature]
        assert cells is not None
        if self.tree.schema.features[feature].kind != "numeric" or np.isnan(cells[0]):
            return ""
        share = f"{100 * change.movement:.3g} %"
        if self._ranked:
            return _(", past {share} of the values in training").format(share=share)
        return _(", past {share} of the thresholds that the tree asks for").format(share=share)

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the explanation as plain values."""
        with speaking(lang):
            ways = [
                {
                    "share": way.share,
                    "stops": way.stops,
                    "visits": [
                        {
                            "node": visit.node.index,
                            "condition": visit.condition,
                            "cell": visit.cell,
                            "share": visit.share,
                            "remark": visit.remark,
                        }
                        for visit in way.visits
                    ],
                }
                for way in self.ways
            ]
            change = self.change
            return {
                "target": self.tree.target,
                "prediction": self.prediction,
                "distribution": {str(label): share for label, share in self.distribution.items()},
                "ways": ways,
                "change": None
                if change is None
                else {
                    "node": change.node,
                    "prediction": change.prediction,
                    "changes": [
                        {"feature": c.feature, "new": c.new, "movement": c.movement, "condition": c.condition.text()}
                        for c in change.changes
                    ],
                },
            }

    def __repr__(self) -> str:
        """Return the answer."""
        return f"<RowExplanation: {self.tree.target} = {self.prediction!r}>"


def explain_row(model: Any, row: Any, X: Any = None, *, to: Label | None = None) -> RowExplanation:
    """Explain the answer for one row.

    `model`: a fitted estimator or a `Tree`; `row`: a mapping of column names to cells (those that the tree asks for are
    enough), a line of a frame, a list of cells in the order of the columns, or a table of one row. `X`: the training
    rows, by whose ranks the smallest change is measured (else the tree's own thresholds); `to`: the answer that the
    change is to lead to. DataError if there is not exactly one row.
    """
    tree: Tree = getattr(model, "tree_", model)
    tree.demand_one_target("explain_row")
    rows = _as_rows(row, tree)
    columns = columns_of(rows)
    if columns.n_rows != 1:
        raise DataError(f"explain_row takes one row; got {columns.n_rows}.")
    table = Table.encode_like(rows, tree.schema, needed=tree.used_features, who="the tree")
    names = columns.names if columns.named else tree.schema.names
    cells = {name: cells_of(column)[0] for name, column in zip(names, columns.columns, strict=False)}
    training = None if X is None else Table.encode_like(X, tree.schema, needed=tree.used_features, who="the tree")
    return RowExplanation(tree, table, cells, training, to)


def _as_rows(row: Any, tree: Tree) -> Any:
    """Return a row as a table of one; a mapping need not have the columns that the tree does not ask for."""
    if isinstance(row, Mapping):
        asked = {tree.schema.names[j] for j in tree.used_features}
        return [{name: None for name in tree.schema.names if name not in asked} | dict(row)]
    if not tree.schema.named and np.ndim(row) == 1:
        return [list(row)]
    if isinstance(row, list | tuple) and not (row and isinstance(row[0], list | tuple | Mapping)):
        return [dict(zip(tree.schema.names, row, strict=False))]
    if getattr(row, "ndim", 2) == 1:
        named = hasattr(row, "to_dict") and tree.schema.named
        return [row.to_dict() if named else dict(zip(tree.schema.names, np.asarray(row).tolist(), strict=False))]
    return row
