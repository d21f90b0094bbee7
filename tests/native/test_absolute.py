"""Absolute error: the native sets of ranks and their NumPy twin find the same cuts, however the medians wander."""

import numpy as np
import pytest

from deciduous import CARTRegressor
from tests.native.test_growing import assert_same, grown

pytest.importorskip("deciduous.kernels._native", reason="the native kernels are not built here")


def from_both_ends(n: int) -> np.ndarray:
    """Least, greatest, second least, ...: the middle of every prefix lies beside a gap nearly as wide as all."""
    y = np.empty(n)
    y[::2], y[1::2] = np.arange((n + 1) // 2), np.arange(n)[::-1][: n // 2]
    return y


TARGETS = {
    "rising": lambda n: np.arange(n) * 1.0,
    "from both ends": from_both_ends,
    "far halves": lambda n: np.where(np.arange(n) % 2, 1e6, 0.0) + np.random.default_rng(3).normal(size=n),
    "ties": lambda n: np.random.default_rng(4).integers(0, 4, n) * 1.0,
    "noise": lambda n: np.random.default_rng(5).normal(size=n),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [2, 3, 64, 65, 128, 4_097])
def test_medians_that_wander(n: int, target: str, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    X = np.stack([np.arange(n) * 1.0, rng.normal(size=n), rng.integers(0, 9, n)], axis=1)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    depth = 1 if n > 1_000 else 4
    for kept in (0, 1_000):  # nodes of few rows have a search of their own, where nothing is recorded
        estimator = CARTRegressor(criterion="absolute_error", max_depth=depth, keep_candidates=kept)
        trees = [grown(estimator, X, TARGETS[target](n), weight, kernel) for kernel in ("numpy", "native")]
        assert_same(*trees)


def test_a_set_of_three_levels() -> None:
    n = 300_000  # 64 x 64 words and more
    y = from_both_ends(n)
    estimator = CARTRegressor(criterion="absolute_error", max_depth=1, keep_candidates=0)
    X = np.arange(n)[:, None] * 1.0
    assert_same(*[grown(estimator, X, y, None, kernel) for kernel in ("numpy", "native")])
