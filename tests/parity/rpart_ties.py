"""Where our tree and rpart's part: proof that the two candidates are equally good, and what still must match then."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from deciduous import Tree
from deciduous.estimators.growing import grow_with_surrogates, risk_of, surrogate_source
from deciduous.estimators.training import training_set
from deciduous.explain.summary import splits_of
from deciduous.model.route import route
from deciduous.search.first import Classes, Numbers, Rated, Rates, entropy_of, gini_of
from tests.parity.oracles import Comparison
from tests.parity.rpart_cases import (
    Fitted,
    as_recorded,
    encoded,
    fit,
    frame_of,
    grown,
    ordered_as_recorded,
    recorded_value,
    split_of,
)

#: Candidates whose improvements differ by no more than this share are tied.
EQUAL = 1e-12


class Walk:
    """A walk down both trees as long as they ask the same; `ties` names the places where they part at a tie."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted
        self.frame = {line["node"]: line for line in fitted.case["expected"]["frame"]}
        self.ties: list[str] = []
        self.unlike: set[int] = set()  # recorded nodes below which the trees differ, or that were not reached
        self.ends = route(grown(fitted.tree), encoded(fitted, fitted.table.X)).nodes

    def comparisons(self) -> Iterator[Comparison]:
        """Compare the nodes on common ways; what depends on all that is below, only where all below is the same."""
        common = list(self._common(1, 0))
        for number, node in common:
            line, found = self.frame[number], frame_of(self.fitted, node)
            skipped = {"node", "yval2", "complexity", "ncompete", "nsurrogate", "var"}
            keys = [key for key in line if key not in skipped]
            if not any(_is_below(other, number) for other in self.unlike):
                keys += ["var"]
                if not self.ties:
                    keys += ["complexity"]
            for key in keys:
                yield f"node {number}: {key}", _plain(found[key], line[key]), recorded_value(line[key])
            if line["var"] != "<leaf>" and not self.fitted.tree.is_leaf[node]:
                yield from self._splits(number, node)

    def _common(self, number: int, node: int) -> Iterator[tuple[int, int]]:
        """Yield (recorded number, our node) wherever the questions above are the same."""
        yield number, node
        tree = self.fitted.tree
        if self.frame[number]["var"] == "<leaf>" or tree.is_leaf[node]:
            if (self.frame[number]["var"] == "<leaf>") != bool(tree.is_leaf[node]):
                self.unlike.add(number)
            return
        ours = as_recorded(self.fitted, split_of(splits_of(tree, node)[0], number))
        theirs = ordered_as_recorded(self.fitted, self._recorded(number, "primary")[0])
        left = int(tree.surrogates.left[node])
        if _question(ours) != _question(theirs):
            if _question(ours) != _question(_exchanged(theirs)) or not self._equal_means(node, theirs):
                self.unlike.add(number)
                return
            self.ties.append(f"node {number}: left and right")
            left = 1 - left
        first = int(tree.first_child[node])
        for side, branch in enumerate((left, 1 - left)):
            yield from self._common(2 * number + side, first + branch)

    def _recorded(self, number: int, role: str) -> list[dict[str, Any]]:
        splits = self.fitted.case["expected"]["splits"]
        return [split for split in splits if split["node"] == number and split["role"] == role]

    def _splits(self, number: int, node: int) -> Iterator[Comparison]:
        """Compare the splits of a node in order; others in their place must be as good."""
        for role in ("primary", "competing", "surrogate"):
            ours = [split_of(s, number) for s in splits_of(self.fitted.tree, node) if s.role == role]
            theirs = self._recorded(number, role)
            if role == "surrogate" and number in self.unlike:
                continue
            yield f"node {number}: {role} splits", len(ours), len(theirs)
            for i, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
                mine, other = as_recorded(self.fitted, mine), ordered_as_recorded(self.fitted, other)
                place = f"node {number}, {role} {i}"
                figures = ("improve",) if role != "surrogate" else ("agree", "adj")
                for key in figures:
                    yield f"{place}: {key}", mine[key], float(other[key])
                if _question(mine) == _question(other):
                    yield f"{place}: count", mine["count"], other["count"]
                elif role == "surrogate":
                    self.ties.append(place)  # as many rows agree, to 12 digits
                elif _question(mine) == _question(_exchanged(other)):
                    yield f"{place}: means of the sides are equal", self._equal_means(node, other), True
                    self.ties.append(place)
                else:
                    good = self._improvement(node, other)
                    yield f"{place}: is as good", abs(good - mine["improve"]) <= EQUAL * abs(good), True
                    self.ties.append(place)

    # --- the recorded split on our rows

    def _rows(self, node: int) -> np.ndarray:
        """Return the rows of a node, as the tree was grown."""
        tree, ends = self.fitted.tree, self.ends.copy()
        while (ends > node).any():
            ends = np.where(ends > node, tree.parent[ends], ends)
        return np.flatnonzero(ends == node)

    def _sides(self, node: int, recorded: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of a node that know the column, and which of them a recorded split sends left."""
        rows, table = self._rows(node), encoded(self.fitted, self.fitted.table.X)
        j = [f.name for f in table.schema.features].index(recorded["var"])
        cells, feature = table.columns[j][rows], table.schema.features[j]
        if "left" in recorded:
            names = [str(c) for c in feature.categories]
            side = np.array([n in recorded["left"] for n in names])
            known = np.flatnonzero(cells >= 0)
            left = side[cells[known]]
        else:
            value, below = recorded.get("ordinal", (recorded.get("threshold"), recorded.get("below_goes")))
            known = np.flatnonzero(cells >= 0 if cells.dtype != np.float64 else ~np.isnan(cells))
            x = cells[known].astype(float)
            left = (x <= value if "ordinal" in recorded else x < value) == (below == "left")
            order = np.argsort(x, kind="stable")
            known, left = known[order], left[order]
        return rows[known], left

    def _rated(self, node: int, rows: np.ndarray) -> Rated:
        fitted, tree = self.fitted, self.fitted.tree
        weight = fitted.weight[rows]
        if tree.task == "class":
            factor = np.ones(len(tree.classes)) if tree.split_factor is None else tree.split_factor
            impurity = gini_of if tree.options["criterion"] == "gini" else entropy_of
            return Classes(fitted.target[rows].astype(int), weight, factor, tree.class_places, impurity)
        if tree.options["criterion"] == "poisson":
            return Rates(fitted.target[rows], weight)
        return Numbers(fitted.target[rows], weight, float(tree.risk[node]))

    def _improvement(self, node: int, recorded: dict[str, Any]) -> float:
        rows, left = self._sides(node, recorded)
        rated = self._rated(node, rows)
        lines = rated.lines()
        return float(rated.improvement(lines[left].sum(axis=0)[None], lines.sum(axis=0))[0])

    def _equal_means(self, node: int, recorded: dict[str, Any]) -> bool:
        rows, left = self._sides(node, recorded)
        rated = self._rated(node, rows)
        lines = rated.lines()
        one, other = rated.mean(np.stack([lines[left].sum(axis=0), lines[~left].sum(axis=0)]))
        return bool(abs(one - other) <= EQUAL * max(abs(one), abs(other), 1.0))


def tied_in_a_fold(case: dict[str, Any]) -> bool:
    """Whether a tree of the cross-validation has a node with two columns, or a chosen one, that are equally good."""
    fitted = fit(case)
    X, folds = fitted.table.X, np.arange(len(fitted.table.X)) % 10
    algorithm = fitted.model._base.of({**fitted.model.get_params(deep=False), "keep_candidates": 10**6})
    y = (
        pd.Categorical.from_codes(fitted.target.astype(int), fitted.model.classes_)
        if case["method"] == "class"
        else fitted.target
    )
    training = training_set(X, y, fitted.weight, algorithm, fitted.model.kinds)
    risk, source = risk_of(training, algorithm), surrogate_source(training, algorithm)
    kept = (training.rows[folds[training.rows] != fold] for fold in range(10))
    trees = (grow_with_surrogates(source, training, algorithm, rows, risk) for rows in kept)
    return any(_tied(tree, node) for tree in trees for node in range(len(tree)))


def _tied(tree: Tree, node: int) -> bool:
    scores = sorted((c.score for c in tree.candidates[node] if c.verdict in ("chosen", "tied", "lower")), reverse=True)
    return not tree.is_leaf[node] and len(scores) > 1 and scores[0] - scores[1] <= EQUAL * scores[0]


def _question(split: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a split asks, thresholds to 9 digits."""
    if "left" in split:
        return split["var"], tuple(split["left"]), tuple(split["right"])
    if "ordinal" in split:
        return split["var"], *split["ordinal"]
    return split["var"], f"{split['threshold']:.9g}", split["below_goes"]


def _exchanged(split: dict[str, Any]) -> dict[str, Any]:
    other = {"left": "right", "right": "left"}
    if "left" in split:
        return {**split, "left": split["right"], "right": split["left"]}
    if "ordinal" in split:
        return {**split, "ordinal": (split["ordinal"][0], other[split["ordinal"][1]])}
    return {**split, "below_goes": other[split["below_goes"]]}


def _is_below(node: int, number: int) -> bool:
    """Whether a recorded node is below another, or the same."""
    while node > number:
        node //= 2
    return node == number


def _plain(ours: Any, recorded: Any) -> Any:
    return float(ours) if isinstance(recorded, float | int) and isinstance(ours, float | int) else ours
