"""Which rules of a class are kept: lengths worked by hand, and all subsets compared."""

from itertools import product
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous.ruleset import subset
from deciduous.ruleset.conditions import unordered
from deciduous.ruleset.subset import Candidates, choices, shortest


def candidates(covers: list[list[int]], right: list[int], bits: float = 4.0, weight: float = 0.5) -> Candidates:
    rows = [np.array(one, dtype=np.int64) for one in covers]
    is_right = np.array(right, dtype=bool)
    return Candidates(rows, np.full(len(rows), bits), is_right, np.ones(len(right)), weight)


def test_choices_and_order_in_bits() -> None:
    assert choices(10, 3) == pytest.approx(log2(comb(10, 3)))
    assert choices(5, 0) == 0.0
    assert unordered(4) == pytest.approx(log2(24))


def test_the_length_of_a_set_by_hand() -> None:
    """8 rows, 4 of the class. Rule 1 covers 3 of them and 1 other: 4 bits for the rule, half of which count; which of
    the 4 covered is wrong, log2 4 = 2; which of the 4 others is of the class, 2: together 6. No rule: log2 70 = 6.129.
    """
    found = candidates([[0, 1, 2, 4]], [1, 1, 1, 1, 0, 0, 0, 0])
    assert found.length(np.array([True]), 3, 1) == pytest.approx(6.0)
    assert found.length(np.array([False]), 0, 0) == pytest.approx(log2(70))
    assert shortest(found) == [0]
    assert shortest(candidates([[0, 1, 2, 4]], [1, 1, 1, 1, 0, 0, 0, 0], bits=5.0)) == []


def test_no_rules() -> None:
    assert shortest(candidates([], [1, 0])) == []


@st.composite
def random_candidates(draw: st.DrawFn) -> Candidates:
    n = draw(st.integers(2, 12))
    right = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    covers = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=6))
    weight = draw(st.sampled_from([0.0, 0.5, 1.0]))
    return candidates([sorted(one) for one in covers], right, draw(st.sampled_from([1.0, 4.0])), weight)


def length(of: Candidates, chosen: tuple[bool, ...]) -> float:
    """The length of a set of rules, row by row."""
    covered = set().union(*(of.covers[j].tolist() for j, taken in enumerate(chosen) if taken))
    right = sum(bool(of.right[i]) for i in covered)
    return of.length(np.array(chosen), right, len(covered) - right)


@given(random_candidates())
def test_the_best_of_all_subsets(of: Candidates) -> None:
    least = min(length(of, chosen) for chosen in product([False, True], repeat=len(of.covers)))
    kept = shortest(of)
    assert length(of, tuple(j in kept for j in range(len(of.covers)))) == pytest.approx(least, abs=1e-6)


@given(random_candidates())
def test_the_exchange_ends_where_no_single_rule_shortens(of: Candidates) -> None:
    chosen = subset._by_exchange(of).tolist()
    own = length(of, tuple(chosen))
    for j in range(len(chosen)):
        flipped = [taken != (i == j) for i, taken in enumerate(chosen)]
        assert length(of, tuple(flipped)) >= own - 1e-6
    assert own <= length(of, (False,) * len(chosen)) + 1e-6
    assert own <= length(of, (True,) * len(chosen)) + 1e-6
