"""Medians and absolute errors of many sets of rows at once are those of each set alone."""

import numpy as np
import pytest

from deciduous.deviations import about_median
from deciduous.search.medians import summaries


@pytest.mark.parametrize("seed", range(40))
def test_sets_of_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    y = rng.normal(size=n) if seed % 2 else rng.integers(-3, 4, n).astype(float)
    weight = [np.ones(n), rng.integers(1, 4, n) / 4, rng.uniform(0.1, 2, n)][seed % 3]
    places = np.sort(rng.integers(0, n + 1, (6, 2, 4)), axis=-1)
    low, high = places[..., ::2], places[..., 1::2]  # two ranges a set
    found = summaries(y, weight, low, high)
    for at in np.ndindex(6, 2):
        rows = np.concatenate([np.arange(a, b) for a, b in zip(low[at], high[at], strict=True)])
        if not len(rows):
            assert found[at].tolist() == [0, 0, 0]
            continue
        alone = about_median(y[rows], weight[rows])
        assert found[at] == pytest.approx([weight[rows].sum(), alone.value, alone.impurity], rel=1e-12, abs=1e-12)


def test_no_rows() -> None:
    none = np.zeros((3, 2, 1), dtype=np.int64)
    assert summaries(np.zeros(0), np.zeros(0), none, none).shape == (3, 2, 3)


def test_a_weight_that_is_half_up_to_rounding_is_half() -> None:
    y, weight = np.array([0.0, 1.0, 5.0, 9.0]), np.array([0.1, 0.2, 0.3, 1e-17])  # 0.1 + 0.2 != 0.3 in floats
    assert summaries(y, weight, np.array([0]), np.array([3]))[1] == 3.0
