"""Which columns a node looks at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous.search.draw import column_keys, draw
from deciduous.search.sample import column_order, looked_at, looks_of


@pytest.mark.parametrize(
    ("max_features", "n", "looks"),
    [
        (None, 10, None),
        (3, 10, 3),
        (10, 10, None),
        (11, 10, None),
        (0.25, 10, 2),
        (0.01, 10, 1),
        (1.0, 10, None),
        (1, 10, 1),
        ("sqrt", 10, 3),
        ("sqrt", 1, None),
        ("log2", 10, 3),
        ("log2", 1, None),
    ],
)
def test_how_many(max_features: object, n: int, looks: int | None) -> None:
    assert looks_of(max_features, n) == looks  # type: ignore[arg-type]


def test_the_order_sorts_the_columns_by_a_hash() -> None:
    keys = column_keys(np.arange(50, dtype=np.uint64), [0, 3, 5, 6])
    order = column_order(keys)
    assert (np.sort(order, axis=1) == np.arange(4)).all()
    ranks = np.take_along_axis(draw(keys, 0), order, axis=1)
    assert (ranks[:, 1:] > ranks[:, :-1]).all()


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7), st.randoms(use_true_random=False))
def test_looking_on_until_a_split_is_found(valid: list[bool], looks: int, random: object) -> None:
    order = list(range(len(valid)))
    random.shuffle(order)  # type: ignore[attr-defined]
    expected = set()
    for column in order:
        if len(expected) >= looks and any(valid[seen] for seen in expected):
            break
        expected.add(column)
    looked = looked_at(np.array([order]), np.array([valid]), looks)
    assert set(np.flatnonzero(looked[0]).tolist()) == expected
