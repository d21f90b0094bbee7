"""`max_bins`: a column of many values is searched in few bins of neighbouring values.

A column with at most `max_bins` different values keeps them, each in a bin of its own; then nothing changes. Of others,
each value falls into bin floor(max_bins * m / n), m the number of training rows below it and half of its own, n that
of all rows with a known value: bins of about equally many rows, none of which divides a value. Weights play no part. A
bin is known by its least and its greatest training value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciduous.measures import Floats


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of one column, in order: the least and the greatest training value of each, shape (bins,)."""

    low: Floats
    high: Floats

    def __len__(self) -> int:
        """Return the number of bins."""
        return len(self.low)

    def low_of(self, cells: Floats) -> Floats:
        """Return for training values (or NaN) the least value of their bins."""
        binned: Floats = self.low[np.searchsorted(self.low, cells, side="right") - 1]
        return np.where(np.isnan(cells), cells, binned)

    def high_of(self, cells: Floats) -> Floats:
        """Return for training values the greatest value of their bins."""
        binned: Floats = self.high[np.searchsorted(self.low, cells, side="right") - 1]
        return binned


def bins_of(cells: Floats, max_bins: int) -> Bins | None:
    """Return the bins of the known cells of a column; None if every value has a bin of its own."""
    values, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
    if len(values) <= max_bins:
        return None
    twice_below = 2 * np.cumsum(counts) - counts  # twice m
    bins = max_bins * twice_below // (2 * counts.sum())
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    return Bins(values[starts], values[np.append(starts[1:], len(values)) - 1])
