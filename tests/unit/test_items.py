"""The items of a search: categories, the missing rows, and groups of equal class shares."""

from typing import Any

import numpy as np
import pytest

from deciduous.criteria import CRITERIA
from deciduous.search.contingency import Contingency, Rule
from deciduous.search.items import Items, sorted_by


def items(table: Any, missing: Any = None, policy: str = "error", criterion: str = "gini", **limits: Any) -> Items:
    cells = np.array(table, dtype=float)
    apart = np.zeros(cells.shape[1]) if missing is None else np.array(missing, dtype=float)
    contingency = Contingency(cells, cells.sum(axis=1).astype(np.int64), apart, int(apart.sum()))
    return Items(contingency, Rule(CRITERIA["class", criterion], policy, "subset", 1e-10, **limits))


def test_absent_categories_are_no_items() -> None:
    found = items([[1, 2], [0, 0], [3, 0]], (1, 1))
    assert found.lines.tolist() == [[1, 2], [3, 0]]
    assert (found.present.tolist(), found.places_missing) == ([0, 2], False)


def test_missing_rows_are_the_last_item_where_they_are_placed() -> None:
    assert items([[1, 2], [3, 0]], (1, 1), "direction").lines.tolist() == [[1, 2], [3, 0], [1, 1]]
    assert not items([[1, 2], [3, 0]], (0, 0), "direction").places_missing


def test_shares_are_those_of_the_classes_present() -> None:
    assert items([[1, 0, 3], [2, 0, 2]]).shares.tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_items_of_equal_shares_are_one_group() -> None:
    found = items([[1, 2, 3], [0, 4, 4], [2, 4, 6], [0, 1, 1], [5, 0, 0]]).grouped()
    assert found.group.tolist() == [0, 1, 0, 1, 2]
    assert found.table.tolist() == [[3, 6, 9], [0, 5, 5], [5, 0, 0]]
    assert found.counts.tolist() == [18, 10, 5]


def test_shares_that_differ_by_rounding_are_equal() -> None:
    line = np.array([[0.1 + 0.2, 0.3, 1], [0.3, 0.3, 1]])
    rule = Rule(CRITERIA["class", "gini"], "error", "subset", 1e-10)
    assert len(Items(Contingency(line, np.array([2, 2]), np.zeros(3), 0), rule).grouped()) == 1
    assert sorted_by(np.array([0.5 + 1e-16, 0.5 - 1e-16, 0.25]), 1e12).tolist() == [2, 0, 1]


def test_cuts_and_moves_are_divisions() -> None:
    found = items([[4, 1], [2, 2], [0, 3]], (1, 0), "branch")
    order = np.array([2, 0, 1])
    sides = np.array([[False, False, True], [True, False, True]])
    cuts, divided = found.cut(order), found.divided(sides)
    assert cuts.tables.tolist() == divided.tables.tolist()
    assert cuts.counts.tolist() == divided.counts.tolist() == [[3, 9, 1], [8, 4, 1]]
    moves = found.moved(sides[1])
    changed = found.divided(sides[1] ^ np.eye(3, dtype=bool))
    assert moves.tables.tolist() == changed.tables.tolist()
    assert moves.counts.tolist() == changed.counts.tolist()


def test_a_move_leaves_no_negative_weight() -> None:
    line = np.array([[0.1, 1.0], [0.2, 0.0], [0.3, 0.0]])
    rule = Rule(CRITERIA["class", "entropy"], "error", "subset", 1e-10)
    found = Items(Contingency(line, np.array([2, 1, 1]), np.zeros(2), 0), rule)
    for code in range(1, 7):
        moves = found.moved(np.array([code >> k & 1 for k in range(3)], dtype=bool))
        assert (moves.tables >= 0).all()
        assert np.isfinite(found.unlimited(moves)).all()


def test_the_first_in_canonical_order() -> None:
    found = items([[1, 0]] * 4)
    sides = np.array([[1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 0]], dtype=bool)
    assert found.first_in_canonical_order(sides).tolist() == [True, False, False, False]
    assert found.first_in_canonical_order(sides[[0, 2]]).tolist() == [False, False, False, True]
    assert found.first_in_canonical_order(np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=bool)).tolist() == [
        *(True, True, False, False)
    ]


@pytest.mark.parametrize(("policy", "gain"), [("branch", 0.48), ("direction", -np.inf), ("majority", -np.inf)])
def test_missing_or_not_is_asked_apart_where_missing_rows_have_a_branch(policy: str, gain: float) -> None:
    assert items([[2, 0], [1, 0]], (0, 2), policy).gain_of_asking == pytest.approx(gain)
