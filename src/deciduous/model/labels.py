"""Questions, answers and numbers in words: the one place where a split becomes text."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from deciduous.data.schema import Feature, Label
from deciduous.kernels import SplitKind
from deciduous.model.split import Split
from deciduous.model.tree import Tree

#: More categories than this are cut short in a line of text, with the count of the rest.
MOST_CATEGORIES = 12

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
    if abs(x) >= 1e15:
        return f"{x:.{digits}g}"
    return f"{x:.{digits}g}" if abs(x) < 1 else f"{x:.{max(digits, len(str(int(abs(x)))) + 1)}g}"


def figure(value: float, decimals: int = 4) -> str:
    """Return a measure with a fixed number of decimals, as books print it; nothing for NaN, an exponent for a tiny
    one.
    """
    if math.isnan(value):
        return ""
    return f"{value:.{decimals}f}" if value == 0 or abs(value) >= 10**-decimals else f"{value:.2e}"


class ThresholdText:
    """Thresholds of a tree as text, with so many digits that different thresholds of a column look different."""

    def __init__(self, tree: Tree, digits: int = 4) -> None:
        self._digits: dict[int, int] = {}
        inner = ~np.isnan(tree.threshold)
        for j in np.unique(tree.feature[inner]).tolist():
            values = np.unique(tree.threshold[inner & (tree.feature == j)]).tolist()
            self._digits[j] = next(
                (d for d in range(digits, 17) if len({significant(v, d) for v in values}) == len(values)), 17
            )

    def __call__(self, feature: int, threshold: float) -> str:
        """Return a threshold of a column as text; an empty one where a split has no threshold."""
        if math.isnan(threshold):
            return ""
        return significant(threshold, self._digits.get(feature, 17))


class Conditions:
    """The conditions under which rows come to the nodes of a tree, in words."""

    def __init__(self, tree: Tree, digits: int = 4) -> None:
        self._tree, self._threshold = tree, ThresholdText(tree, digits)
        self._arrives: dict[int, bool] = {}

    def __call__(self, node: int) -> str:
        """Return the answer of its parent's question that leads to a node; nothing for the root."""
        tree, parent = self._tree, int(self._tree.parent[node])
        if parent < 0:
            return ""
        split = tree.split(parent)
        feature = tree.schema.features[split.feature]
        arrives = feature.missing > 0 and self._missing_arrives(node)
        branch = node - int(tree.first_child[parent])
        return answer(split, feature, branch, self._threshold(split.feature, split.threshold), missing_arrives=arrives)

    def path(self, node: int) -> tuple[str, ...]:
        """Return the conditions from the root to a node."""
        return tuple(self(index) for index in self._tree.path(node)[1:])

    def _missing_arrives(self, node: int) -> bool:
        """Whether a row with a missing cell in its parent's column comes here whole: no question above sent it
        elsewhere.
        """
        tree, chain = self._tree, [node]
        while chain[-1] not in self._arrives and (above := self._asked_above(chain[-1])) >= 0:
            chain.append(above)
        for index in reversed(chain):
            above = self._asked_above(index)
            self._arrives[index] = bool(tree.share[index] == 1.0) and (above < 0 or self._arrives[above])
        return self._arrives[node]

    def _asked_above(self, node: int) -> int:
        """Return the nearest node above that the same column led to, or -1."""
        tree = self._tree
        parent = int(tree.parent[node])
        feature, above = int(tree.feature[parent]), parent
        while tree.parent[above] >= 0:
            if tree.feature[tree.parent[above]] == feature:
                return above
            above = int(tree.parent[above])
        return -1


def answer(
    split: Split,
    feature: Feature,
    branch: int,
    threshold: str,
    most: int = MOST_CATEGORIES,
    *,
    missing_arrives: bool = True,
) -> str:
    """Return the condition under which a row takes a branch, such as `age <= 30`, `colour in {a, b}` or `sex is
    missing`.

    `threshold`: the threshold as text (see `ThresholdText`). Where training met missing cells in the column and these
    can still be among the rows (`missing_arrives`), the branch that takes them says so.
    """
    name = feature.name
    if branch == split.missing_branch:
        return f"{name} is missing"
    if split.kind == SplitKind.MISSING:
        return f"{name} is known"
    takes_missing = missing_arrives and feature.missing > 0 and split.shares[branch] == 1.0
    return f"{name} {_condition(split, feature, branch, threshold, most)}" + (" or missing" if takes_missing else "")


def _condition(split: Split, feature: Feature, branch: int, threshold: str, most: int) -> str:
    if split.kind == SplitKind.THRESHOLD:
        if feature.kind == "ordinal":
            threshold = str(feature.categories[int(np.floor(split.threshold))])
        return f"{'<=' if branch == 0 else '>'} {threshold}"
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
    return "in {" + ", ".join(names[:most]) + (f", ... {rest} more" if rest > 0 else "") + "}"
