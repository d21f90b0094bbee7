"""Error-based pruning with subtree raising against a second implementation: recursive, row by row, in plain Python."""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, Node, Tree, kernels
from deciduous.estimators.pruning import labelled_rows
from deciduous.kernels import SplitKind
from deciduous.prune import ErrorBased, LabelledRows, estimated_errors

#: Slack, whether the last of equal branches is the largest, and the width of equality.
RULES = {"c45": (0.0, False, None), "j48": (0.1, True, 1e-6), "r8": (0.1, True, None)}


@dataclass
class Part:
    """A node: the split that it asks, the nodes below, the class weights, and the entries (row, weight) that came."""

    split: Any
    unknown: int  # the branch of categories that the split does not know
    below: list[Part]
    weights: list[float] = field(default_factory=list)
    entries: list[tuple[int, float]] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def leaves(self) -> list[Part]:
        return [leaf for part in self.below for leaf in part.leaves()] if self.below else [self]


class Recursive:
    """The pruning of one tree."""

    def __init__(self, tree: Tree, rows: LabelledRows, confidence: float, conventions: str) -> None:
        self.tree, self.rows = tree, rows
        self.confidence, self.conventions = confidence, conventions
        self.slack, self.last, self.band = RULES[conventions]
        self.fractional = tree.options["missing"] == "fractional"
        self.root = self.part_of(tree.node(0))
        self.send(self.root, [(i, float(w)) for i, w in enumerate(rows.weight)])
        if self.band is None:
            largest = max(self.estimate(Part(None, 0, [], counts(n))) for n in tree)
            self.slack += 1e-10 * largest
        else:
            self.slack += self.band
        self.n_raised = 0

    def part_of(self, node: Node) -> Part:
        if node.is_leaf:
            return Part(None, 0, [])
        known = node.children[: -1 if node.split.missing_branch >= 0 else None]
        heaviest = max(range(len(known)), key=lambda b: (known[b].weight, -b))
        unknown = 1 if node.split.kind == SplitKind.ONE_VS_REST else heaviest
        part = Part(node.split, unknown, [self.part_of(child) for child in node.children])
        part.shares = [float(share) for share in node.split.shares]
        return part

    def branch(self, part: Part, row: int) -> int | None:
        """The branch of a row, None where its cell is missing."""
        cell = self.rows.table.columns[part.split.feature][row]
        missing = bool(np.isnan(cell)) if isinstance(cell, np.floating) else cell == -1
        if part.split.kind == SplitKind.MISSING:
            return int(missing)
        if missing:
            return None
        if part.split.kind == SplitKind.THRESHOLD:
            return 0 if cell <= part.split.threshold else 1
        found = int(part.split.category_branch[cell])
        return part.unknown if found < 0 else found

    def send(self, part: Part, entries: list[tuple[int, float]]) -> None:
        """Count rows anew in a node and below it."""
        part.entries = entries
        part.weights = [0.0] * len(self.tree.classes)
        for row, weight in entries:
            part.weights[int(self.rows.target[row])] += weight
        if not part.below:
            return
        branches = [self.branch(part, row) for row, _ in entries]
        if self.fractional:
            sums = [
                math.fsum(w for (_, w), b in zip(entries, branches, strict=True) if b == i)
                for i in range(len(part.below))
            ]
            total = sum(sums)
            part.shares = [s / total if total > 0 else 1 / len(sums) for s in sums]
        for i, child in enumerate(part.below):
            here = []
            for (row, weight), branch in zip(entries, branches, strict=True):
                share = part.shares[i] if branch is None else float(branch == i)
                if share > 0:
                    here.append((row, weight * share))
            self.send(child, here)

    def estimate(self, part: Part) -> float:
        n, most = sum(part.weights), max(part.weights)
        return float(estimated_errors(np.array(n), np.array(n - most), self.confidence, self.conventions))

    def of_leaves(self, part: Part) -> float:
        return sum(self.estimate(leaf) for leaf in part.leaves())

    def prune(self, part: Part) -> None:
        if not part.below:
            return
        for child in part.below:
            self.prune(child)
        as_leaf, as_tree = self.estimate(part), self.of_leaves(part)
        weights = [sum(child.weights) for child in part.below]
        least = max(weights) - (1e-10 * max(weights) if self.band is None else self.band)
        heaviest = [i for i, w in enumerate(weights) if w >= least]
        branch = copy.deepcopy(part.below[heaviest[-1 if self.last else 0]])
        self.send(branch, part.entries)
        as_branch = self.of_leaves(branch)
        if as_leaf <= as_tree + self.slack and as_leaf <= as_branch + self.slack:
            part.below = []
        elif as_branch <= as_tree + self.slack:
            self.n_raised += 1
            part.split, part.unknown, part.below, part.shares = (
                branch.split,
                branch.unknown,
                branch.below,
                branch.shares,
            )
            self.prune(part)


def counts(node: Node) -> list[float]:
    return [node.class_weights.get(label, 0.0) for label in node.tree.classes]


def same(ours: Node, theirs: Part) -> None:
    """Questions, class weights, rows and shares, node by node."""
    assert counts(ours) == pytest.approx(theirs.weights, rel=1e-9, abs=1e-9)
    assert ours.n_samples == len(theirs.entries)
    assert len(ours.children) == len(theirs.below)
    if ours.is_leaf:
        return
    asked, expected = ours.split, theirs.split
    assert (asked.feature, asked.kind) == (expected.feature, expected.kind)
    assert asked.threshold == pytest.approx(expected.threshold, nan_ok=True)
    assert asked.shares == pytest.approx(theirs.shares, rel=1e-9, abs=1e-12)
    for child, part in zip(ours.children, theirs.below, strict=True):
        same(child, part)


def noisy(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """A table on which branches are worth raising: the class depends on few of the columns, with noise and gaps."""
    random = np.random.default_rng(seed)
    n = int(random.integers(40, 120))
    X = pd.DataFrame(
        {
            "x": random.integers(0, 12, n).astype(float),
            "z": random.integers(0, 6, n).astype(float),
            "c": pd.Categorical(random.choice(list("uvw"), n), categories=list("uvwt")),
            "d": pd.Categorical(random.choice(list("pqrs"), n, p=[0.5, 0.3, 0.15, 0.05])),
        }
    )
    score = (X["x"] > 5).astype(int) + 2 * (X["c"] == "u") + random.integers(0, 3, n)
    holes = random.choice([0.0, 0.0, 0.1, 0.3])
    for name in X:
        X.loc[random.random(n) < holes, name] = None if X[name].dtype == "category" else np.nan
    weight = random.choice([0.25, 1.0, 1.5, 2.0], n) if random.random() < 0.3 else None
    return X, np.array(list("abc"))[np.clip(score.to_numpy() // 2, 0, 2)], weight


OPTIONS = (
    (C45Classifier, {"pruning": None, "collapse": False, "mdl_correction": False, "guard": False, "min_cases": 1.0}),
    (C45Classifier, {"pruning": None, "collapse": False, "nominal": "one_vs_rest", "min_cases": 1.0}),
    (CARTClassifier, {"missing": "fractional", "nominal": "subset"}),
    (CARTClassifier, {"missing": "direction"}),
    (CARTClassifier, {"missing": "branch", "nominal": "multiway"}),
    (CARTClassifier, {"missing": "majority", "nominal": "one_vs_rest"}),
)


@pytest.mark.parametrize("conventions", RULES)
@pytest.mark.parametrize(("estimator", "options"), OPTIONS, ids=[str(i) for i in range(len(OPTIONS))])
def test_raising(estimator: type, options: dict[str, Any], conventions: str) -> None:
    decided: Counter[str] = Counter()
    for seed in range(8):
        X, y, weight = noisy(seed)
        tree = estimator(**options).fit(X, y, weight).tree_
        rows = labelled_rows(tree, X, y, weight)
        confidence = float(np.random.default_rng(seed).choice([0.1, 0.25, 0.4]))
        expected = Recursive(tree, rows, confidence, conventions)
        same(tree.node(0), expected.root)  # as grown
        expected.prune(expected.root)
        with kernels.use("numpy" if seed % 4 == 0 else "native") if kernels.native() else kernels.use("numpy"):
            working = ErrorBased(confidence, True, conventions).working(tree, rows)
        working.pruned.check()
        same(working.pruned.node(0), expected.root)
        decided.update(step.decision for step in working.steps)
        assert sum(step.decision == "is replaced by its largest branch" for step in working.steps) == expected.n_raised
    assert decided["is replaced by its largest branch"] >= 1
    assert decided["becomes a leaf"] >= 10
