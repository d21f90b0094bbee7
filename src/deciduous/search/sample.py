"""`max_features`: which columns a node looks at.

A node puts the columns in a random order of its own and looks at the first `max_features` of them; if none of these
has a split that is allowed, it looks on, one column at a time, until one has (as scikit-learn documents it). Columns
that are constant in the node count as looked at.
"""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
from numpy.typing import NDArray

from deciduous.search.draw import ORDER, Keys, draw


def looks_of(max_features: int | float | str | None, n_columns: int) -> int | None:
    """Return how many columns a node looks at, at least 1; None for all of them.

    A whole number is that many, a fraction is a share of the columns, `sqrt` and `log2` are rounded down.
    """
    if max_features is None:
        return None
    if isinstance(max_features, str):
        looks = int({"sqrt": sqrt, "log2": log2}[max_features](max(n_columns, 1)))
    else:
        looks = int(max_features * n_columns) if isinstance(max_features, float) else int(max_features)
    looks = max(1, looks)
    return None if looks >= n_columns else looks


def column_order(keys: Keys) -> NDArray[np.intp]:
    """Return the order in which nodes look at their columns, given the keys of the columns; shapes (nodes, columns).

    Columns are sorted by draw(key, ORDER), the first of equals first.
    """
    return np.argsort(draw(keys, ORDER), axis=-1, kind="stable")


def looked_at(order: NDArray[np.intp], valid: NDArray[np.bool_], looks: int) -> NDArray[np.bool_]:
    """Return which columns nodes look at, given which columns have a split; shapes (nodes, columns).

    For a source that searches all columns at once: the others' candidates are then to be left out.
    """
    in_order = np.take_along_axis(valid, order, axis=1)
    found_before = np.cumsum(in_order, axis=1) - in_order > 0
    wanted = (np.arange(order.shape[1]) < looks) | ~found_before
    looked = np.zeros(valid.shape, dtype=bool)
    np.put_along_axis(looked, order, wanted, axis=1)
    return looked
