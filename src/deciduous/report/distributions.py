"""How the rows of a node are distributed: the column that it asks for by class, or the numbers to predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.draw.sample import Sample
from deciduous.measures import Floats
from deciduous.model.route import branches_of, route
from deciduous.model.tree import Tree

#: Bars of numbers, and of categories; the rarest categories are counted together.
BINS = 16
MOST_BARS = 12
#: So many classes have a colour of their own in a chart, the most frequent ones; the rest is one.
MOST_SERIES = 8
#: Of larger tables so many rows, evenly spaced, are looked at.
MOST_ROWS = 200_000

Ints = NDArray[np.int64]


class Distributions:
    """The rows of a sample, node by node.

    Rows are put in the order in which a walk in depth meets the nodes where they end: those of a node and of all that
    is below it then lie beside each other.
    """

    def __init__(self, tree: Tree, sample: Sample) -> None:
        self.tree, self.sample = tree, sample
        arrivals = route(tree, sample.table)
        before, self.last = _walk(tree)
        self.first = before
        order = np.argsort(before[arrivals.nodes], kind="stable")
        self.rows: Ints = arrivals.rows[order]
        self.places = before[arrivals.nodes][order]
        self.series = _series(tree, sample.target)

    def rows_of(self, node: int) -> Ints:
        """Return the rows that come to a node, in part or whole."""
        low, high = np.searchsorted(self.places, [self.first[node], self.last[node]])
        found = self.rows[low:high]
        return found if len(found) == len(self.sample.rows) else np.unique(found)

    def of_node(self, node: int) -> dict[str, Any]:
        """Return how many rows come to a node, and their distribution as `of_column` does: of the column that it asks
        for, and of the numbers to predict.
        """
        rows = self.rows_of(node)
        data: dict[str, Any] = {"rows": len(rows)}
        if not len(rows):
            return data
        is_leaf = self.tree.first_child[node] < 0
        branch = None if is_leaf else self._branches(node, rows)
        if not is_leaf:
            cut = float(self.tree.threshold[node])
            data["column"] = self.of_column(int(self.tree.feature[node]), rows, branch, cut)
        if self.tree.task == "number":
            groups = np.zeros(len(rows), dtype=np.int64) if branch is None else branch
            data["target"] = _of_numbers(self.sample.target[rows], groups, _groups(groups))
        return data

    def of_column(self, feature: int, rows: Ints, branch: Ints | None = None, cut: float = np.nan) -> dict[str, Any]:
        """Return the bars of a column for some rows: from `low` to `high` (of numbers), with an edge where the question
        cuts them (`cut`, the first `left` bars being below), or `names` (codes of categories, -1 for all others),
        `counts`, a list a series, `series`, the class or branch of each, and how many cells are `missing`.
        """
        cells, groups, kinds = self.sample.cells(feature)[rows], *self._grouped(rows, branch)
        known = ~np.isnan(cells)
        data = {"feature": feature, "missing": int((~known).sum())}
        if not known.any():
            return data
        if self.tree.schema.features[feature].kind == "numeric":
            return {**data, **_of_numbers(cells[known], groups[known], kinds, cut)}
        return {**data, **_of_categories(cells[known], groups[known], kinds)}

    def _grouped(self, rows: Ints, branch: Ints | None) -> tuple[Ints, Sequence[int]]:
        """Return the group of each row, and the groups in order: classes, or for numbers branches."""
        if self.tree.task == "class":
            return self.series[rows], [int(s) for s in np.unique(self.series)]
        groups = np.zeros(len(rows), dtype=np.int64) if branch is None else branch
        return groups, _groups(groups)

    def _branches(self, node: int, rows: Ints) -> Ints:
        split = self.tree.split(node)
        cells = self.sample.table.columns[split.feature]
        assert cells is not None
        return branches_of(split, cells[rows], self.tree.unseen == "missing").astype(np.int64)


def thinned(sample: Sample, most: int) -> Ints:
    """Return the places of at most so many rows of a sample, evenly spaced."""
    n = len(sample.rows)
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def _walk(tree: Tree) -> tuple[Ints, Ints]:
    """Return when a walk in depth comes to each node, and when it has seen all that is below it."""
    size = [1] * len(tree)
    parents = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        size[parents[node]] += size[node]
    before, first, n = [0] * len(tree), tree.first_child.tolist(), tree.n_branches.tolist()
    for node in range(len(tree)):
        at = before[node] + 1
        for child in range(first[node], first[node] + n[node]) if first[node] >= 0 else ():
            before[child] = at
            at += size[child]
    start = np.array(before, dtype=np.int64)
    return start, start + np.array(size, dtype=np.int64)


def _series(tree: Tree, target: Floats) -> Ints:
    """Return the class of each row, or -1 for a class that has no colour of its own, shape (rows,)."""
    if tree.task == "number":
        return np.zeros(len(target), dtype=np.int64)
    codes = target.astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(tree.classes))
    coloured = np.argsort(-counts, kind="stable")[:MOST_SERIES]
    return np.where(np.isin(codes, coloured), codes, -1)


def _groups(groups: Ints) -> list[int]:
    return [int(g) for g in np.unique(groups)]


def _of_numbers(cells: Floats, groups: Ints, kinds: Sequence[int], cut: float = np.nan) -> dict[str, Any]:
    low, high = float(cells.min()), float(cells.max())
    n = BINS if high > low else 1
    # Halved before they are subtracted: the difference of huge numbers is no number.
    edges = 2 * np.linspace(low / 2, high / 2, n + 1)
    data: dict[str, Any] = {"low": low, "high": high}
    if low < cut < high:
        left = min(max(round(n * (cut / 2 - low / 2) / (high / 2 - low / 2)), 1), n - 1)
        above = np.linspace(cut / 2, high / 2, n - left + 1)[1:]
        edges = 2 * np.concatenate([np.linspace(low / 2, cut / 2, left + 1), above])
        data |= {"cut": cut, "left": left}
    # A bar holds what lies above its left edge and up to its right one, as questions have it.
    bins = np.clip(np.searchsorted(edges, cells, side="left") - 1, 0, n - 1)
    counts = [np.bincount(bins[groups == kind], minlength=n).tolist() for kind in kinds]
    return {**data, "counts": counts, "series": list(kinds)}


def _of_categories(cells: Floats, groups: Ints, kinds: Sequence[int]) -> dict[str, Any]:
    codes, inverse, total = np.unique(cells.astype(np.int64), return_inverse=True, return_counts=True)
    kept = np.sort(np.argsort(-total, kind="stable")[:MOST_BARS])
    bar = np.full(len(codes), len(kept))
    bar[kept] = np.arange(len(kept))
    names = [*codes[kept].tolist(), *([-1] if len(kept) < len(codes) else [])]
    counts = [np.bincount(bar[inverse[groups == kind]], minlength=len(names)).tolist() for kind in kinds]
    return {"names": names, "counts": counts, "series": list(kinds)}
