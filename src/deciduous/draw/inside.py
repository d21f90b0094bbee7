"""What the rows look like inside a node: the column that it asks for, by class or against the target, and where the
question cuts it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.draw.cards import Outline
from deciduous.draw.metrics import LINE, width, wrap
from deciduous.draw.sample import Sample, sample_of
from deciduous.draw.shapes import Dot, Path, Rect, Shape, Text, moved
from deciduous.draw.theme import Theme
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.model.route import branches_of, route
from deciduous.model.split import Split
from deciduous.model.tree import Tree
from deciduous.prune.walk import preorder

#: The size of a chart, the most bars of a column of numbers and of categories, and the most rows that are dots.
WIDTH, HEIGHT = 168.0, 62.0
MOST_BINS, MOST_BARS, MOST_DOTS = 24, 12, 150
#: The size of the text below a chart, in font sizes; the gap between the categories of two branches.
TINY, BRANCH_GAP = 0.72, 7.0
RADIUS = 1.5
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Chart:
    """Shapes from (0, 0) to (width, height)."""

    width: float
    height: float
    parts: tuple[Shape, ...]

    def shapes(self, x: float, y: float) -> tuple[Shape, ...]:
        """Return the shapes with their upper left corner at (x, y)."""
        return tuple(moved(part, x, y) for part in self.parts)


Charts = dict[int, Chart]


def charts_of(outline: Outline, theme: Theme) -> Charts:
    """Return the chart of every question that is shown, by node; none where the view has no data."""
    if outline.view.data is None:
        return {}
    tree = outline.tree
    tree.demand_one_target("data=")
    sample = sample_of(tree, *outline.view.data)
    passing = _Passing(tree, sample)
    painter = _Painter(tree, sample, theme)
    charts = {}
    for card in outline.cards:
        rows = passing(card.node) if card.is_open else np.zeros(0, dtype=np.int64)
        if len(rows):
            charts[card.node] = painter.chart(tree.split(card.node), rows)
    return charts


class _Passing:
    """Which rows pass a node, in part or whole: a range of the rows sorted by the order of the nodes they end in."""

    def __init__(self, tree: Tree, sample: Sample) -> None:
        arrivals = route(tree, sample.table)
        self.span = preorder(tree)
        place = self.span.first[arrivals.nodes]
        order = np.argsort(place, kind="stable")
        self.rows, self.place = arrivals.rows[order], place[order]

    def __call__(self, node: int) -> Rows:
        first, last = np.searchsorted(self.place, (self.span.first[node], self.span.last[node]))
        return np.unique(self.rows[first:last])


@dataclass(frozen=True)
class _Slot:
    """A stretch of the horizontal axis that holds one category: its code, name, branch, and place."""

    code: int
    name: str
    branch: int
    left: float
    width: float


class _Painter:
    def __init__(self, tree: Tree, sample: Sample, theme: Theme) -> None:
        self.tree, self.sample, self.theme = tree, sample, theme
        self.size = theme.font_size * TINY
        self.height = HEIGHT + LINE * self.size

    def chart(self, split: Split, rows: Rows) -> Chart:
        """Return the chart of a question and the rows that it is put to."""
        cells = self.sample.cells(split.feature)[rows]
        target = self.sample.target[rows]
        if split.kind == SplitKind.MISSING:
            slots = _places([(0, _("known"), 0), (1, _("missing"), 1)])
            parts = self._of_categories(np.isnan(cells).astype(np.float64), target, slots)
            return Chart(WIDTH, self.height, (*parts, *self._names(slots)))
        known = ~np.isnan(cells)
        cells, target = cells[known], target[known]
        if not len(cells):
            return Chart(WIDTH, self.height, ())
        if self.tree.schema.features[split.feature].kind == "numeric":
            return Chart(WIDTH, self.height, tuple(self._of_numbers(split, cells, target)))
        slots = self._slots(split, cells)
        parts = self._of_categories(cells, target, slots)
        n_categories = len(np.unique(cells))
        names = self._names(slots) if n_categories <= len(slots) else [self._left_out(len(slots), n_categories)]
        return Chart(WIDTH, self.height, (*parts, *names))

    # --- numbers ---

    def _of_numbers(self, split: Split, cells: Floats, target: Floats) -> list[Shape]:
        low, high = min(float(cells.min()), split.threshold), max(float(cells.max()), split.threshold)
        scale = WIDTH / ((high - low) or 1.0)
        cut = (split.threshold - low) * scale
        if self.tree.task == "class":
            shapes = self._histogram((cells - low) * scale, target, cut)
        else:
            left = cells <= split.threshold
            x = np.clip((cells - low) * scale, RADIUS, WIDTH - RADIUS)
            shapes = self._scatter(x, target, [(left, 0.0, cut), (~left, cut, WIDTH)])
        shapes.append(Path(((cut, 0.0), (cut, HEIGHT)), self.theme.ink, 1.2, dashed=True))
        base = self._base(0)
        ends = [Text(0.0, base, significant(low, 3), self.size, self.theme.muted)]
        ends.append(Text(WIDTH, base, significant(high, 3), self.size, self.theme.muted, "normal", "end"))
        return [*shapes, self._axis(), *ends]

    def _histogram(self, x: Floats, target: Floats, cut: float) -> list[Shape]:
        """Return stacked bars; one of their edges is where the question cuts, so that no bar holds both answers."""
        n = min(MOST_BINS, max(4, len(x)))
        n_left = min(max(round(n * cut / WIDTH), 1), n - 1)
        edges = np.concatenate([np.linspace(0, cut, n_left + 1), np.linspace(cut, WIDTH, n - n_left + 1)[1:]])
        # a bin holds what lies above its left edge and up to its right one, as the question has it
        place = np.clip(np.searchsorted(edges, x, side="left") - 1, 0, n - 1)
        counts = self._counts(place, target, n)
        density = counts / np.maximum(np.diff(edges), 1e-9)[:, None]
        return self._stacks(density, edges[:-1].tolist(), np.diff(edges).tolist())

    def _counts(self, place: NDArray[np.intp], target: Floats, n: int) -> Floats:
        """Return how many rows of each class are in each place, shape (places, classes)."""
        counts = np.zeros((n, len(self.tree.classes)))
        known = target >= 0
        np.add.at(counts, (place[known], target[known].astype(np.int64)), 1.0)
        return counts

    def _stacks(self, heights: Floats, left: Sequence[float], widths: Sequence[float]) -> list[Shape]:
        scale = HEIGHT / (heights.sum(axis=1).max() or 1.0)
        shapes: list[Shape] = []
        for i in np.flatnonzero(heights.sum(axis=1) > 0).tolist():
            top = HEIGHT
            for code in np.flatnonzero(heights[i]).tolist():
                high = float(heights[i, code]) * scale
                top -= high
                gap = min(0.6, widths[i] / 4)
                shapes.append(Rect(left[i] + gap / 2, top, widths[i] - gap, high, self.theme.of_class(code)))
        return shapes

    def _scatter(
        self, x: Floats, target: Floats, sides: Sequence[tuple[NDArray[np.bool_], float, float]]
    ) -> list[Shape]:
        """Return rows as dots and the mean of each side as a line from its left to its right end."""
        low, span = float(target.min()), float(np.ptp(target)) or 1.0
        y = RADIUS + (HEIGHT - 2 * RADIUS) * (1 - (target - low) / span)
        some = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_DOTS)).astype(np.int64))
        shapes: list[Shape] = [Dot(float(x[i]), float(y[i]), RADIUS, self.theme.outline) for i in some.tolist()]
        for rows, left, right in sides:
            if rows.any():
                mean = float(y[rows].mean())
                shapes.append(Path(((left, mean), (right, mean)), self.theme.highlight, 2.2))
        return shapes

    # --- categories ---

    def _slots(self, split: Split, cells: Floats) -> list[_Slot]:
        """Return the categories that are there, the most frequent ones, those of a branch beside each other."""
        codes, counts = np.unique(cells.astype(np.int32), return_counts=True)
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_BARS])
        codes = codes[kept]
        column = codes.astype(np.float64) if split.kind == SplitKind.THRESHOLD else codes
        branches = branches_of(split, column, self.tree.unseen == "missing")
        order = np.argsort(branches, kind="stable")
        categories = self.tree.schema.features[split.feature].categories
        return _places([(int(codes[i]), str(categories[codes[i]]) or "''", int(branches[i])) for i in order])

    def _of_categories(self, cells: Floats, target: Floats, slots: Sequence[_Slot]) -> list[Shape]:
        if self.tree.task == "class":
            counts = np.array(
                [
                    self._counts(np.zeros(int(m.sum()), dtype=np.intp), target[m], 1)[0]
                    for m in (cells == slot.code for slot in slots)
                ]
            )
            bars = self._stacks(counts, [s.left for s in slots], [s.width for s in slots])
            return [*bars, self._axis()]
        x, sides = np.zeros(len(cells)), []
        for slot in slots:
            mine = cells == slot.code
            spread = np.modf(np.arange(mine.sum()) * 0.6180339887498949)[0] - 0.5
            x[mine] = slot.left + slot.width * (0.5 + 0.6 * spread)
        branch = np.full(len(cells), -9)
        for slot in slots:
            branch[cells == slot.code] = slot.branch
        for b in dict.fromkeys(slot.branch for slot in slots):
            own = [slot for slot in slots if slot.branch == b]
            sides.append((branch == b, own[0].left, own[-1].left + own[-1].width))
        shown = branch != -9
        sides = [(rows[shown], left, right) for rows, left, right in sides]
        return [*self._scatter(x[shown], target[shown], sides), self._axis()]

    def _names(self, slots: Sequence[_Slot]) -> list[Shape]:
        """Return the names below the bars, cut to their width; none where not even two letters fit."""
        shapes: list[Shape] = []
        for slot in slots:
            if slot.width >= 2 * self.size:
                name = wrap(slot.name, slot.width, self.size)[0]
                if width(name, self.size) <= slot.width:
                    middle = slot.left + slot.width / 2
                    shapes.append(Text(middle, self._base(0), name, self.size, self.theme.muted, "normal", "middle"))
        return shapes

    def _left_out(self, shown: int, n_categories: int) -> Text:
        """Return what stands below the bars in place of names where not all categories have one."""
        words = _("{k} most frequent of {n}").format(k=shown, n=n_categories)
        return Text(WIDTH / 2, self._base(0), words, self.size, self.theme.muted, "normal", "middle")

    def _axis(self) -> Path:
        return Path(((0.0, HEIGHT), (WIDTH, HEIGHT)), self.theme.outline, 0.8)

    def _base(self, line: int) -> float:
        return HEIGHT + (line + 1) * LINE * self.size - 0.24 * self.size


def _places(categories: Sequence[tuple[int, str, int]]) -> list[_Slot]:
    """Return slots side by side over the whole width, with a gap between branches; (code, name, branch) each."""
    changes = sum(a[2] != b[2] for a, b in itertools.pairwise(categories))
    each = (WIDTH - changes * BRANCH_GAP) / len(categories)
    slots: list[_Slot] = []
    left, before = 0.0, categories[0][2]
    for code, name, branch in categories:
        left += BRANCH_GAP if branch != before else 0.0
        slots.append(_Slot(code, name, branch, left, each))
        left, before = left + each, branch
    return slots
