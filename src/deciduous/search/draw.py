"""Random choices as a hash of (seed, path of the node, what is chosen): the same whatever the order or the threads.

`draw(key, k)` is output k of the generator SplitMix64 started at `key` (Steele, Lea and Flood 2014, "Fast splittable
pseudorandom number generators"): with GOLDEN = 0x9E3779B97F4A7C15 and all arithmetic modulo 2^64,

    z = key + (k + 1) * GOLDEN
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB
    z ^ (z >> 31)

Every node has a key: `draw(seed, 0)` for the root, `draw(draw(parent's key, CHILD), branch)` for a child. Every column
in a node has one: `draw(draw(node's key, COLUMN), position in the table)`. All that is drawn hangs on these, never on a
count of earlier draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

GOLDEN, FIRST, SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))

#: What is drawn from the key of a node, and from that of a column in a node.
CHILD, COLUMN = range(2)
ORDER, THRESHOLD, MISSING_SIDE, CATEGORIES = range(4)


def draw(key: Any, k: Any) -> Any:
    """Return the hash of a key and a number (or of arrays of them, element by element), 64 bits."""
    with np.errstate(over="ignore"):
        z = np.asarray(key, dtype=np.uint64) + (np.asarray(k, dtype=np.uint64) + np.uint64(1)) * GOLDEN
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
        return z ^ (z >> np.uint64(31))


def root_key(seed: int) -> Any:
    """Return the key of the root; `seed` is at least 0 and below 2^64."""
    return draw(np.uint64(seed), 0)


def child_keys(parents: Any, branches: Any) -> Any:
    """Return the keys of children by the keys of their parents and their branches."""
    return draw(draw(parents, CHILD), branches)


def column_keys(nodes: Keys, columns: Sequence[int]) -> Keys:
    """Return the keys of columns in nodes, shape (nodes, columns); `columns` are positions in the table."""
    keys: Keys = draw(draw(nodes, COLUMN)[:, None], np.asarray(columns, dtype=np.uint64)[None, :])
    return keys


def unit(bits: Any) -> Any:
    """Return 64 random bits as a number in [0, 1): the upper 53 of them, times 2^-53."""
    return (np.asarray(bits, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def below(n: int, bits: Any) -> int:
    """Return 64 random bits as a whole number in [0, n), n up to 2^32: their upper half, times n, over 2^32."""
    return (int(bits) >> 32) * n >> 32


def seed_of(random_state: Any) -> Any:
    """Return the seed that a generator of NumPy stands for, drawn from it; anything else as it is."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint64))
    return random_state
