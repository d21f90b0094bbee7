"""Conditions dropped from rules: the figures of the book, and small cases worked by hand."""

import numpy as np
import pytest

from deciduous.ruleset.generalise import drop_conditions, expected_rate


@pytest.mark.parametrize(
    ("right", "wrong", "printed"),
    [(2, 1, "69"), (3, 1, "55"), (6, 1, "34"), (3, 59, "97")],  # Quinlan 1993, section 5.1: a rule and what is left
)
def test_expected_error_rates_of_the_book(right: float, wrong: float, printed: str) -> None:
    rate = float(expected_rate(np.array(right, dtype=float), np.array(wrong, dtype=float), 0.25))
    assert f"{100 * rate:.0f}" == printed


def test_a_rule_that_covers_nothing_is_expected_to_be_wrong() -> None:
    assert expected_rate(np.zeros(1), np.zeros(1), 0.25).tolist() == [1.0]


def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that two conditions leave: a, b fulfil both; c, d fail the first; e, f, g the second; h both."""
    first = np.array([0, 0, 1, 1, 0, 0, 0, 1], dtype=bool)
    second = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
    right = np.array([1, 1, 0, 0, 1, 1, 1, 0], dtype=bool)
    return np.stack([first, second]), right, np.ones(8)


def test_the_condition_goes_without_which_the_rate_is_least() -> None:
    """Both: U(0, 2) = 0.5. Without the first: 2 right, 2 wrong; without the second 5 right: U(0, 5) = 0.242."""
    steps = drop_conditions(*table(), confidence=0.25)
    first, second = steps
    assert first.left == (0, 1)
    assert first.covers == (2.0, 0.0)
    assert first.before == pytest.approx(0.5)
    assert (first.right, first.wrong) == ((2.0, 5.0), (2.0, 0.0))
    assert first.rate[1] == pytest.approx(1 - 0.25 ** (1 / 5))
    assert first.chosen == 1
    assert (second.left, second.right, second.wrong) == ((0,), (5.0,), (3.0,))  # without any: all rows
    assert second.chosen == -1


def test_of_equal_conditions_the_first_goes() -> None:
    fails = np.array([[0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
    steps = drop_conditions(fails, np.array([1, 1, 1, 1], dtype=bool), np.ones(4), 0.25)
    assert [step.chosen for step in steps] == [0, 1]


def test_weights_count_as_rows() -> None:
    fails, right, _ = table()
    twice = [np.repeat(part, 2, axis=-1) for part in (fails, right)]
    heavy = drop_conditions(fails, right, np.full(8, 2.0), 0.25)
    assert heavy == drop_conditions(*twice, np.ones(16), 0.25)
