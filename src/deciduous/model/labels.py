"""Questions, answers and numbers in words: the one place where a split becomes text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Feature, Label
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.split import Split
from deciduous.model.tree import Tree

#: More categories than this are cut short in a line of text, with the count of the rest.
MOST_CATEGORIES = 12

#: A decimal number of so many digits is a 64-bit float of its own.
DECIMAL = 15

#: What a node of numbers answers, and its impurity, by criterion, where these are not the mean and the squared error.
NUMBERS = {"absolute_error": ("median", "absolute error"), "poisson": ("mean", "half Poisson deviance")}


def significant(x: float, digits: int = 4) -> str:
    """Return a number with at least `digits` significant digits, whole numbers in full, without an exponent where
    readable.
    """
    if x == 0:
        return "0"
    if float(x).is_integer() and abs(x) < 1e15:
        return str(int(x))
    if not 1 <= abs(x) < 1e15:
        return f"{x:.{digits}g}"
    return f"{x:.{max(digits, len(str(int(abs(x)))) + 1)}g}"


def rows_text(n_samples: int, weight: float, digits: int = 4) -> str:
    """Return how many rows there are, and their weight where it is another number: `6 rows, weight 5.5`.

    Of rows that are not counted (-1) only the weight is known.
    """
    if n_samples < 0:
        return _("weight {weight}").format(weight=significant(weight, digits))
    rows = _n("{n} row", "{n} rows", n_samples).format(n=n_samples)
    if weight == n_samples:
        return rows
    return rows + _(", weight {weight}").format(weight=significant(weight, digits))


def figure(value: float, decimals: int = 4) -> str:
    """Return a measure with a fixed number of decimals, as books print it; nothing for NaN, an exponent for a tiny
    one.
    """
    if math.isnan(value):
        return ""
    return f"{value:.{decimals}f}" if value == 0 or abs(value) >= 10**-decimals else f"{value:.2e}"


class ThresholdText:
    """Thresholds of a tree as text: with `digits` significant digits, and more of them where others of the same column
    are near, so that rounding moves no threshold by more than a quarter of the way to the next one.

    Rounding errors of midpoints make no difference: 1.55 and 1.5499999999999998, which agree in their first 15 digits,
    look alike where no row can meet both. Where one is asked below the other, both are shown in full.
    """

    def __init__(self, tree: Tree, digits: int = 4) -> None:
        self._tree, self._digits = tree, digits
        self._texts: dict[int, dict[float, str]] = {}

    def __call__(self, feature: int, threshold: float) -> str:
        """Return a threshold of a column as text; an empty one where a split has no threshold."""
        if math.isnan(threshold):
            return ""
        if feature not in self._texts:
            self._texts[feature] = {} if self._digits > DECIMAL else _told_apart(self._known(feature), self._digits)
        text = self._texts[feature].get(threshold)
        return significant(float(cut_of(self._tree, threshold)), self._digits) if text is None else text

    def _known(self, feature: int) -> dict[float, float]:
        """Return the thresholds of a column, each with the number that is shown: without its rounding error."""
        tree = self._tree
        asking = np.flatnonzero((tree.feature == feature) & ~np.isnan(tree.threshold))
        nodes: dict[float, dict[float, list[int]]] = {}  # by the number without a rounding error, and by threshold
        for node, threshold in zip(asking.tolist(), tree.threshold[asking].tolist(), strict=True):
            number = float(f"{cut_of(tree, threshold):.{DECIMAL}g}")
            nodes.setdefault(number, {}).setdefault(threshold, []).append(node)
        return {
            threshold: float(cut_of(tree, threshold)) if self._meet(close) else number
            for number, close in nodes.items()
            for threshold in close
        }

    def _meet(self, close: dict[float, list[int]]) -> bool:
        """Whether a row may be asked for two of these thresholds."""
        asked = {node: threshold for threshold, nodes in close.items() for node in nodes}
        return len(close) > 1 and any(
            asked.get(above, threshold) != threshold
            for node, threshold in asked.items()
            for above in self._tree.path(node)
        )


def _told_apart(numbers: dict[float, float], digits: int) -> dict[float, str]:
    """Return numbers with at least so many digits, and as many more as keep them apart."""
    different = sorted(set(numbers.values()))
    gaps = [math.inf, *(b - a for a, b in itertools.pairwise(different)), math.inf]
    texts = {x: _rounded(x, digits, min(gaps[i], gaps[i + 1]) / 4) for i, x in enumerate(different)}
    return {threshold: texts[number] for threshold, number in numbers.items()}


def _rounded(x: float, digits: int, most: float) -> str:
    """Return a number with so many digits or more, no further off than `most`; in full where they do not do."""
    texts = (significant(x, d) for d in range(digits, DECIMAL + 1))
    return next((text for text in texts if abs(float(text) - x) <= most), repr(x))


def cut_of(tree: Tree, thresholds: Any) -> Any:
    """Return thresholds as they are shown: trees with surrogates ask x < cut, and keep the number just below."""
    return thresholds if tree.surrogates is None else np.nextafter(thresholds, np.inf)


def signs_of(tree: Tree) -> tuple[str, str]:
    """Return what stands before a shown threshold of numbers in the two branches."""
    return ("<=", ">") if tree.surrogates is None else ("<", ">=")


class Conditions:
    """The conditions under which rows come to the nodes of a tree, in words."""

    def __init__(self, tree: Tree, digits: int = 4) -> None:
        self._tree, self._threshold = tree, ThresholdText(tree, digits)
        self._asked: tuple[int, Split] = (-1, Split(-1, SplitKind.LEAF, 0))

    def __call__(self, node: int) -> str:
        """Return the answer of its parent's question that leads to a node; nothing for the root."""
        if self._tree.parent[node] < 0:
            return ""
        split, feature, branch, threshold, arrives = self._asking(node)
        return answer(split, feature, branch, threshold, missing_arrives=arrives, signs=signs_of(self._tree))

    def reply(self, node: int, most: int = MOST_CATEGORIES) -> str:
        """Return the same without the name of the column, for a place that shows the question itself."""
        if self._tree.parent[node] < 0:
            return ""
        split, feature, branch, threshold, arrives = self._asking(node)
        signs = signs_of(self._tree)
        return reply(split, feature, branch, threshold, most, missing_arrives=arrives, signs=signs)

    def _asking(self, node: int) -> tuple[Split, Feature, int, str, bool]:
        """Return the question above a node and its column, the branch that leads to the node, the threshold as text,
        and whether rows with a missing cell may come.
        """
        tree, parent = self._tree, int(self._tree.parent[node])
        if parent != self._asked[0]:  # its brothers are often asked for next
            self._asked = parent, tree.split(parent)
        split = self._asked[1]
        feature = tree.schema.features[split.feature]
        arrives = feature.missing > 0 and bool(self._missing_arrives[node])
        branch = node - int(tree.first_child[parent])
        return split, feature, branch, self._threshold(split.feature, split.threshold), arrives

    def path(self, node: int) -> tuple[str, ...]:
        """Return the conditions from the root to a node."""
        return tuple(self(index) for index in self._tree.path(node)[1:])

    @cached_property
    def _missing_arrives(self) -> NDArray[np.bool_]:
        """Whether a row with a missing cell in the column of its parent's question comes to a node whole: the parent
        sent it here, and no question above sent it elsewhere. One element a node.

        One walk in depth, which keeps for every column whether its last question on the path let such a row through.
        """
        tree = self._tree
        if tree.surrogates is not None:  # the larger branch takes only what no surrogate can send
            return np.zeros(len(tree), dtype=bool)
        first_child, n_branches, sent = (
            tree.first_child.tolist(),
            tree.n_branches.tolist(),
            (tree.share == 1.0).tolist(),
        )
        asked = [-1, *tree.feature[tree.parent[1:]].tolist()]  # the column of its parent's question
        arrives = [True] * len(tree)
        through = [True] * len(tree.schema)
        steps = [(0, True)]  # a node to enter; or ~node to leave, with what its column was set to before
        while steps:
            node, before = steps.pop()
            if node < 0:
                through[asked[~node]] = before
                continue
            if node:
                steps.append((~node, through[asked[node]]))
                through[asked[node]] = arrives[node] = sent[node] and through[asked[node]]
            steps.extend((first_child[node] + b, True) for b in range(n_branches[node]))
        return np.array(arrives)


def answer(
    split: Split,
    feature: Feature,
    branch: int,
    threshold: str,
    most: int = MOST_CATEGORIES,
    *,
    missing_arrives: bool = True,
    signs: tuple[str, str] = ("<=", ">"),
) -> str:
    """Return the condition under which a row takes a branch, such as `age <= 30`, `colour in {a, b}` or `sex is
    missing`.

    `threshold`: the threshold as text, and `signs` before it in each branch (`signs_of`). Where training met missing
    cells in the column and these can still be among the rows (`missing_arrives`), the branch that takes them says so.
    """
    name = feature.name
    if branch == split.missing_branch:
        return _("{feature} is {what}").format(feature=name, what=_("missing"))
    if split.kind == SplitKind.MISSING:
        return _("{feature} is known").format(feature=name)
    known = f"{name} {_condition(split, feature, branch, threshold, most, signs)}"
    if not _takes_missing(split, feature, branch, missing_arrives):
        return known
    return _("{condition} or {what}").format(condition=known, what=_("missing"))


def reply(
    split: Split,
    feature: Feature,
    branch: int,
    threshold: str,
    most: int,
    *,
    missing_arrives: bool = True,
    signs: tuple[str, str] = ("<=", ">"),
) -> str:
    """Return the condition of a branch without the name of the column: `≤ 30`, `≠ red`, `missing`, or categories as
    they are, cut after `most`: `a, b, c + 77 more`.
    """
    if branch == split.missing_branch:
        return _("missing")
    if split.kind == SplitKind.MISSING:
        return _("known")
    if split.kind in (SplitKind.THRESHOLD, SplitKind.ONE_VS_REST):
        condition = _condition(split, feature, branch, threshold, most, signs)
        condition = condition.replace("<=", "≤", 1).replace(">=", "≥", 1).replace("!=", "≠", 1)
    else:
        names = [str(feature.categories[code]) or "''" for code in split.categories_of(branch)]
        rest = len(names) - most
        condition = ", ".join(names[:most]) + (_(" + {n} more").format(n=rest) if rest > 0 else "")
    if not _takes_missing(split, feature, branch, missing_arrives):
        return condition
    return _("{condition} or {what}").format(condition=condition, what=_("missing"))


def _takes_missing(split: Split, feature: Feature, branch: int, missing_arrives: bool) -> bool:
    return missing_arrives and feature.missing > 0 and bool(split.shares[branch] == 1.0)


def _condition(split: Split, feature: Feature, branch: int, threshold: str, most: int, signs: tuple[str, str]) -> str:
    if split.kind == SplitKind.THRESHOLD:
        if feature.kind == "ordinal":
            threshold, signs = str(feature.categories[int(np.floor(split.threshold))]), ("<=", ">")
        return f"{signs[min(branch, 1)]} {threshold}"
    if split.kind == SplitKind.ONE_VS_REST:
        one = str(feature.categories[int(split.categories_of(0)[0])])
        return f"{'=' if branch == 0 else '!='} {one}"
    return among([feature.categories[code] for code in split.categories_of(branch)], most)


def among(categories: Iterable[Label], most: int = MOST_CATEGORIES) -> str:
    """Return `= a` for one category, `in {a, b}` for several, cut after `most`."""
    names = [str(category) for category in categories]
    if len(names) == 1:
        return f"= {names[0]}"
    rest = len(names) - most
    more = _(", ... {n} more").format(n=rest) if rest > 0 else ""
    return _("in {set}").format(set="{" + ", ".join(names[:most]) + more + "}")
