"""Numbers as close, as small and as large as floats can be: no row is lost, and training rows are answered right."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier
from deciduous.search.thresholds import threshold_between
from tests.strategies import ESTIMATORS, PLAIN_C45, task_of

TINY, HUGE = 5e-324, np.finfo(float).max


def adjacent(start: float, n: int = 5) -> list[float]:
    values = [start]
    while len(values) < n:
        values.append(float(np.nextafter(values[-1], np.inf)))
    return values


CASES = {
    "about one": adjacent(1 - 2**-52),
    "about zero": adjacent(-2 * TINY),
    "subnormal": [TINY, 2 * TINY, 1e-310, np.nextafter(1e-310, 1), 2.2250738585072014e-308],
    "integers beyond 2^53": adjacent(2.0**53),
    "odd neighbours of a power of two": [*adjacent(np.nextafter(4.0, 0), 2), np.nextafter(4.0, 5)],
    "large": [-1e308, 1e308],
    "the largest": [-HUGE, float(np.nextafter(-HUGE, 0)), 0.0, float(np.nextafter(HUGE, 0)), HUGE],
    "all sizes": [-HUGE, -1e308, -1.0, -1e-308, -TINY, 0.0, TINY, 1e-308, 1.0, 1e308, HUGE],
    "a tenth three times": [0.1 * 3, 0.3, 0.1 + 0.2],
}


def whole(estimator: type, **chosen: Any) -> Any:
    """An estimator that makes every split that divides rows."""
    chosen |= {"zero_gain": "split"} | (
        {"criterion": "gain", "min_cases": 0} | PLAIN_C45 if estimator is C45Classifier else {}
    )
    return estimator(**chosen)


def right_about_all_rows(estimator: type, x: list[float], threshold: str, missing: str) -> None:
    """Neighbouring values have different targets, each three times; so has a missing cell."""
    values = np.unique(np.array(x))
    cells = np.repeat([*values, np.nan] if missing != "error" else values, 3)
    codes = np.repeat(np.arange(len(cells) // 3) % 2, 3)
    codes[np.isnan(cells)] = 2
    y = codes.astype(float) if task_of(estimator) == "number" else np.array(["a", "b", "c"])[codes]
    model = whole(estimator, threshold=threshold, missing=missing).fit(cells[:, None], y)
    tree = model.tree_
    tree.check()
    landed = np.bincount(model.apply(cells[:, None]), minlength=len(tree))
    assert np.array_equal(landed[tree.is_leaf], tree.n_samples[tree.is_leaf])
    assert np.array_equal(model.predict(cells[:, None]), y)
    cuts = tree.threshold[~np.isnan(tree.threshold)]
    if threshold == "data":
        assert np.isin(cuts, values).all()
    assert tree.n_leaves == len(values) + (missing != "error")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
@pytest.mark.parametrize("threshold", ["midpoint", "data"])
@pytest.mark.parametrize("missing", ["error", "direction"])
@pytest.mark.parametrize("name", CASES)
def test_close_and_extreme_values(estimator: type, threshold: str, missing: str, name: str) -> None:
    right_about_all_rows(estimator, CASES[name], threshold, missing)


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SEVERAL = st.lists(FLOATS, min_size=1, max_size=8)
NEIGHBOURS = FLOATS.filter(lambda x: abs(x) < 1e308).map(lambda x: adjacent(x, 3))
PAIRS = st.tuples(NEIGHBOURS, NEIGHBOURS).map(lambda pair: pair[0] + pair[1])


@given(
    st.sampled_from(ESTIMATORS),
    SEVERAL | NEIGHBOURS | PAIRS,
    st.sampled_from(["midpoint", "data"]),
    st.sampled_from(["error", "direction", "branch"]),
)
def test_any_values(estimator: type, x: list[float], threshold: str, missing: str) -> None:
    right_about_all_rows(estimator, x, threshold, missing)


@given(st.lists(FLOATS, min_size=2, max_size=6, unique=True), st.data())
def test_threshold_lies_between(values: list[float], data: st.DataObject) -> None:
    """A threshold is not below its lower neighbour and below the upper one."""
    ordered = np.unique(np.array(values))
    if len(ordered) < 2:  # 0.0 and -0.0 are one value
        return
    cut = data.draw(st.integers(0, len(ordered) - 2))
    for training_values in (None, ordered):
        assert (
            ordered[cut]
            <= threshold_between(float(ordered[cut]), float(ordered[cut + 1]), training_values)
            < ordered[cut + 1]
        )
