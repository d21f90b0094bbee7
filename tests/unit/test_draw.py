"""The hash behind every random choice."""

import numpy as np
import pytest

from deciduous.search.draw import below, child_keys, column_keys, draw, root_key, seed_of, unit

#: The published first outputs of SplitMix64, by seed.
PUBLISHED = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F],
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431],
}


@pytest.mark.parametrize("seed", PUBLISHED)
def test_it_is_splitmix64(seed: int) -> None:
    expected = PUBLISHED[seed]
    assert [int(draw(seed, k)) for k in range(len(expected))] == expected
    assert draw(np.full(len(expected), seed), np.arange(len(expected))).tolist() == expected


def test_keys_of_nodes_and_columns() -> None:
    root = root_key(7)
    assert int(root) == int(draw(7, 0))
    children = child_keys(np.array([root, root]), np.array([0, 1]))
    assert [int(c) for c in children] == [int(draw(draw(root, 0), b)) for b in (0, 1)]
    keys = column_keys(children, [4, 2])
    assert keys.shape == (2, 2)
    assert int(keys[1, 0]) == int(draw(draw(children[1], 1), 4))


def test_all_keys_of_a_large_tree_differ() -> None:
    keys = level = np.array([root_key(0)])
    for _ in range(14):
        level = child_keys(np.repeat(level, 2), np.tile([0, 1], len(level)))
        keys = np.concatenate([keys, level])
    assert len(np.unique(keys)) == len(keys) == 2**15 - 1


def test_bits_as_numbers() -> None:
    assert unit(np.array([0, 2**64 - 1], dtype=np.uint64)).tolist() == [0, 1 - 2.0**-53]
    assert unit(draw(0, 0)) == (0xE220A8397B1DCDAF >> 11) * 2.0**-53
    assert [below(3, bits) for bits in (0, 2**64 - 1, 2**63)] == [0, 2, 1]
    drawn = [below(5, bits) for bits in draw(1, np.arange(5000))]
    assert np.abs(np.bincount(drawn, minlength=5) - 1000).max() < 120  # four standard deviations


def test_seeds() -> None:
    assert [seed_of(value) for value in (None, 0, 12)] == [None, 0, 12]
    for generator in (np.random.default_rng, np.random.RandomState):
        first = generator(5)
        one, two = seed_of(first), seed_of(first)
        assert one != two  # a generator goes on
        assert seed_of(generator(5)) == one
        assert 0 <= one < 2**32
