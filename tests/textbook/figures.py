"""Figures of documents and books beside ours: compared as text, to the digits that are printed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from deciduous import Node
from deciduous.explain.working import BranchWorking, FeatureWorking, working_of
from deciduous.kernels import SplitKind


@dataclass(frozen=True)
class Figure:
    """One figure: what it is called, its right value as text, and the calls that yield it.

    `measured` calls a public function; `shown` reads the figure off a fitted tree's own working, where it has it.
    `printed` is what the document prints, where that is not right.
    """

    name: str
    right: str
    measured: Callable[[], float]
    shown: Callable[[], float] | None = None
    printed: str | None = None

    def __str__(self) -> str:
        """Return the id of the test."""
        wrong = f"printed {self.printed}, right " if self.printed else ""
        return f"{self.name} = {wrong}{self.right}"

    def check(self) -> None:
        """Compare our figures with the right one, to its digits."""
        assert rounded(self.measured(), like=self.right) == self.right
        if self.shown is not None:
            assert rounded(self.shown(), like=self.right) == self.right


def rounded(value: float, like: str) -> str:
    """Return a number as text with as many decimals as `like` has."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def parametrize(figures: Iterable[Figure]) -> pytest.MarkDecorator:
    """Return the decorator that runs a test once a figure."""
    return pytest.mark.parametrize("figure", figures, ids=str)


def feature_working(estimator: Any, feature: str, node: int = 0) -> FeatureWorking:
    """Return the figures that a fitted tree shows for a feature in one of its nodes."""
    return next(f for f in working_of(estimator.tree_, node).features if f.feature == feature)


def branch_working(estimator: Any, condition: str, node: int = 0) -> BranchWorking:
    """Return the figures that a fitted tree shows for one branch, named by its condition such as `Leg = long`."""
    branches = (b for f in working_of(estimator.tree_, node).features for b in f.branches)
    return next(b for b in branches if b.condition == condition)


def questions(node: Node) -> Any:
    """Return the tree below a node as nested dicts, `{feature: {answer: ...}}`; a leaf is what it predicts."""
    if node.is_leaf:
        return node.prediction
    split, feature = node.split, node.tree.schema.features[node.split.feature]
    t = f"{split.threshold:.4g}"
    answers = feature.categories if split.kind == SplitKind.MULTIWAY else (f"<= {t}", f"> {t}")
    return {feature.name: dict(zip(answers, map(questions, node.children), strict=True))}
