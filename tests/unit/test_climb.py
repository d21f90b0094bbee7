"""Improving divisions of many items."""

from typing import Any

import numpy as np
import pytest

from deciduous.criteria import CRITERIA
from deciduous.search.climb import MOST_STARTS, Climb, directions
from deciduous.search.contingency import TIE, Contingency, Rule
from deciduous.search.items import Items


def items(n: int, n_classes: int, criterion: str = "gini", seed: int = 0, **limits: Any) -> Items:
    table = np.random.default_rng(seed).integers(0, 9, size=(n, n_classes)) + np.eye(n, n_classes)
    impurity = float(CRITERIA["class", criterion].impurity(table.sum(axis=0)))
    rule = Rule(CRITERIA["class", criterion], "error", "subset", TIE * impurity, **limits)
    return Items(Contingency(table, table.sum(axis=1).astype(np.int64), np.zeros(n_classes), 0), rule)


def test_all_groupings_of_few_classes_are_tried() -> None:
    assert directions(items(20, 3)).tolist() == [[1, 0, 0], [0, 1, 0], [1, 1, 0]]
    assert len(directions(items(20, 6))) == 31 == MOST_STARTS


def test_of_many_classes_the_heaviest_are_tried() -> None:
    found = items(50, 40)
    chosen = directions(found).argmax(axis=1)
    weights = found.table.sum(axis=0)
    assert len(chosen) == len(set(chosen.tolist())) == MOST_STARTS
    assert weights[chosen].min() >= np.delete(weights, chosen).max()


def test_by_misclassification_pairs_of_classes_are_tried() -> None:
    assert directions(items(20, 3, "misclassification")).tolist() == [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    assert Climb(items(20, 8, "misclassification")).exact
    assert not Climb(items(20, 9, "misclassification")).exact  # 36 pairs
    assert not Climb(items(20, 8, "misclassification", min_samples_leaf=2)).exact
    assert not Climb(items(20, 3)).exact


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 150}])
def test_no_single_move_improves_an_end(criterion: str, limits: dict[str, int]) -> None:
    for seed in range(5):
        found = items(30, 4, criterion, seed, **limits)
        climb = Climb(found)
        assert climb.tried > 29
        ends = climb.ends
        for side, gain in zip(ends._sides, ends.gains, strict=True):
            assert found.gains(found.moved(side)).max() <= gain + 1e-9


def test_nothing_allowed() -> None:
    climb = Climb(items(20, 3, min_samples_leaf=10_000))
    assert (len(climb.ends.gains), climb.tried) == (0, 0)
    assert climb.ends.best(exact=False) is None
