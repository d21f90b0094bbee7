"""Ragged arrays: parts of different lengths one behind the other, and where each part starts (one element more)."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
Starts = NDArray[np.int64]


def starts_of(lengths: Any) -> Starts:
    """Return where parts of these lengths start, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def lengths_of(starts: Starts) -> NDArray[np.int64]:
    """Return the lengths of parts."""
    return starts[1:] - starts[:-1]


def take(starts: Starts, values: NDArray[T], which: NDArray[Any]) -> tuple[Starts, NDArray[T]]:
    """Return some of the parts, in the order asked for."""
    if not len(values):
        return np.zeros(len(which) + 1, dtype=np.int64), values
    begins = starts[:-1][which]
    lengths = starts[1:][which] - begins
    taken = starts_of(lengths)
    return taken, values[np.repeat(begins - taken[:-1], lengths) + np.arange(taken[-1])]
