"""The rows that decide about pruning, node by node: how many of which class come there, and which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciduous.explain.blocks import Grid
from deciduous.explain.expression import plain
from deciduous.explain.steps import labels_text
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows
from deciduous.prune.walk import Mask, preorder


class PassingRows:
    """The rows that come to each node of a tree; `labels`: one a row, if there are any."""

    def __init__(self, tree: Tree, rows: LabelledRows, labels: Sequence[str] | None) -> None:
        self.tree, self.rows, self.labels = tree, rows, labels
        self._errors = rows.errors(tree)
        span = preorder(tree)
        self._first, self._last, self._end = span.first, span.last, span.first[self._errors.nodes]

    def _here(self, node: int) -> Mask:
        """Return which entries come to a node; a row that a missing cell divides has several."""
        here: Mask = (self._end >= self._first[node]) & (self._end < self._last[node])
        return here

    def weights(self, node: int) -> Floats:
        """Return the weight of each class among the rows that come to a node, those of unknown classes last; for
        numbers of all rows together.
        """
        here = self._here(node)
        weight = self._errors.weight[here]
        if self.tree.task == "number":
            return np.array([weight.sum()])
        codes = self._errors.target[here].astype(np.int64) % (len(self.tree.classes) + 1)
        return np.bincount(codes, weight, len(self.tree.classes) + 1).astype(np.float64)

    def table(self, nodes: Sequence[int]) -> Grid:
        """Return which rows come to some nodes, and what each answers them as a leaf."""
        header = [_("node"), _("validation rows"), _("answers as a leaf")]
        if self.tree.task == "class":
            header.insert(2, _("classes"))
        if self.labels is not None:
            header.append(_("row labels"))
        return Grid(tuple(header), tuple(self._line(node) for node in nodes), (0, 1), "counts")

    def _line(self, node: int) -> tuple[str, ...]:
        weights, answering = self.weights(node), self.tree.node(int(self.tree.answers_from[node]))
        line = [str(node), plain(float(weights.sum()))]
        if self.tree.task == "class":
            labels = [*map(str, self.tree.classes), _("unknown class")]
            line.append(
                ", ".join(f"{label} {plain(n)}" for label, n in zip(labels, weights.tolist(), strict=True) if n)
            )
            line.append(str(answering.prediction))
        else:
            line.append(plain(float(answering.prediction), 5))
        if self.labels is not None:
            rows = np.unique(self._errors.rows[self._here(node)])
            line.append(labels_text([self.labels[row] for row in rows.tolist()]))
        return tuple(line)

    def whole_text(self, before: float, after: float) -> str:
        """Return in words how the whole tree answers all rows, with the branches and with the leaf."""
        total = self._errors.total
        if self.tree.task == "number":
            text = _("mean squared error of all validation rows: {before} with the branches, {after} as a leaf")
            return text.format(before=plain(before / total, 5), after=plain(after / total, 5))
        shown = [f"{plain(total - e)}/{plain(total)} = {100 * (1 - e / total):.1f} %" for e in (before, after)]
        text = _("of all validation rows are answered right: {before} with the branches, {after} as a leaf")
        return text.format(before=shown[0], after=shown[1])
