"""Where missing cells go: the shares that a split stores, by policy."""

import numpy as np
import pytest

from deciduous.missing.shares import POLICIES, heaviest, shares_of


@pytest.mark.parametrize(
    ("policy", "weights", "branch", "shares"),
    [
        ("error", [3, 1], -1, [0, 0]),
        ("majority", [1, 3, 2], -1, [0, 1, 0]),
        ("majority", [3, 3], -1, [1, 0]),
        ("fractional", [5, 3, 5], -1, [5 / 13, 3 / 13, 5 / 13]),
        ("fractional", [0, 4], -1, [0, 1]),
        ("fractional", [0, 0], -1, [0.5, 0.5]),
        ("direction", [9, 1], 1, [0, 1]),
        ("direction", [1, 9], 0, [1, 0]),
        ("direction", [1, 9], -1, [0, 1]),
        ("branch", [1, 9, 2], 2, [0, 0, 1]),
        ("branch", [9, 1], -1, [1, 0]),
    ],
)
def test_shares(policy: str, weights: list[float], branch: int, shares: list[float]) -> None:
    starts = np.array([0, len(weights)])
    found = shares_of(policy, np.array(weights, dtype=float), starts, np.array([branch]))
    assert found == pytest.approx(shares)
    assert found.sum() == pytest.approx(0.0 if policy == "error" else 1.0)


@pytest.mark.parametrize(
    ("weights", "branch"),
    [
        ([1, 2], 1),
        ([2, 2], 0),
        ([2, 2 * (1 + 1e-12)], 0),
        ([2, 2 * (1 + 1e-9)], 1),
        ([0.1 + 0.2, 0.3], 0),
        ([0.3, 0.1 + 0.2], 0),
    ],
)
def test_the_first_of_the_heaviest_up_to_rounding(weights: list[float], branch: int) -> None:
    assert heaviest(np.array(weights), np.array([0, 2])).tolist() == [branch]


def test_shares_by_the_batch() -> None:
    weights, starts = np.array([1.0, 3, 2, 5, 5, 0, 4]), np.array([0, 3, 5, 7])
    assert heaviest(weights, starts).tolist() == [1, 0, 1]
    assert shares_of("direction", weights, starts, np.array([-1, 1, 0])).tolist() == [0, 1, 0, 0, 1, 1, 0]
    assert shares_of("fractional", weights, starts, np.array([-1] * 3)).tolist() == [1 / 6, 0.5, 1 / 3, 0.5, 0.5, 0, 1]
    assert shares_of("majority", weights[:0], starts[:1], np.zeros(0, dtype=np.int64)).tolist() == []


def test_every_policy_is_explained() -> None:
    assert list(POLICIES) == ["error", "majority", "branch", "direction", "fractional", "surrogates"]
    assert all(POLICIES.values())
