"""`monotonic_cst`: what a tree predicts must not fall (1), or must not rise (-1), as a column grows.

Three rules make the whole tree obey, as in scikit-learn. A threshold on a constrained column is a candidate only if its
branches answer in order, and between the bounds of the node. Its children inherit bounds: the one that answers less
nothing above the middle of their two answers, the other nothing below. And every node's own answer is moved into its
bounds, because questions about other columns are free to lead out of them. Answers are the mean or the median; for two
classes the share of the second one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Label, Schema, position_of
from deciduous.errors import OptionError, listing
from deciduous.measures import Floats

#: Answers (shares, or scanned numbers of size 1) that differ by no more than this are in order both ways.
SLACK = 1e-10

Constraints = Mapping[str, int] | tuple[int, ...]


def in_order(values: Floats, filled: NDArray[np.bool_], sign: int, low: float, high: float) -> NDArray[np.bool_]:
    """Return which candidates a constraint allows.

    `values`: what the branches answer, shape (candidates, branches); `filled`: which of them hold rows. The first two
    branches must be in order; every branch that holds rows must lie between the bounds.
    """
    rises = (values[:, 1] - values[:, 0]) * sign >= -SLACK
    ordered = rises | ~filled[:, :2].all(axis=1)
    within = (values >= low - SLACK) & (values <= high + SLACK)
    allowed: NDArray[np.bool_] = ordered & (within | ~filled).all(axis=1)
    return allowed


def child_bounds(
    low: Floats, high: Floats, signs: NDArray[Any], first: Floats, second: Floats
) -> tuple[Floats, Floats]:
    """Return the bounds of the first two children of nodes, arrays (low, high) of shape (nodes, 2).

    `low`, `high`: the bounds of the nodes; `signs`: the constraint on the column that each asks for; `first`, `second`:
    what the two children answer. The middle of these two is the bound between them; further branches (of missing
    cells) keep the bounds of their parent.
    """
    middle = np.clip(first / 2 + second / 2, low, high)
    lows, highs = np.stack([low, low], axis=1), np.stack([high, high], axis=1)
    rising, falling = signs > 0, signs < 0
    highs[rising, 0] = lows[rising, 1] = middle[rising]
    lows[falling, 0] = highs[falling, 1] = middle[falling]
    return lows, highs


def signs_of(constraints: Constraints, schema: Schema, classes: Sequence[Label]) -> NDArray[np.int8]:
    """Return the constraint on every column of a table, shape (columns,).

    OptionError names a column that is not there or that has no order, or says that there are too many classes.
    """
    if len(classes) > 2:
        raise OptionError(
            f"monotonic_cst needs numbers or two classes to predict; there are {len(classes)} classes, "
            f"{listing(classes)}: Monotonicity constraints are not supported with multiclass classification. "
            "Leave monotonic_cst out, or join classes."
        )
    signs = _by_name(constraints, schema) if isinstance(constraints, Mapping) else _by_position(constraints, schema)
    without_order = [f.name for f, s in zip(schema.features, signs.tolist(), strict=True) if s and f.kind == "nominal"]
    if without_order:
        raise OptionError(
            f"monotonic_cst constrains {listing(without_order)}, whose categories have no order. Declare an ordinal "
            "column (an ordered categorical), or give it the constraint 0."
        )
    return signs


def _by_name(constraints: Mapping[str, int], schema: Schema) -> NDArray[np.int8]:
    signs = np.zeros(len(schema), dtype=np.int8)
    for key, sign in constraints.items():
        signs[position_of("monotonic_cst", key, schema.names)] = sign
    return signs


def _by_position(constraints: tuple[int, ...], schema: Schema) -> NDArray[np.int8]:
    if len(constraints) != len(schema):
        raise OptionError(
            f"monotonic_cst has {len(constraints)} elements and the table has {len(schema)} columns, "
            f"{listing(schema.names)}; give one of -1, 0, 1 a column, or a mapping of names to them."
        )
    return np.array(constraints, dtype=np.int8)


def plain_constraints(constraints: Any) -> Any:
    """Return an array or list as a tuple of Python's own numbers, which can be compared and kept in a file."""
    if isinstance(constraints, Mapping):
        return {_plain(key): _plain(sign) for key, sign in constraints.items()}
    if isinstance(constraints, np.ndarray | list | tuple) or hasattr(constraints, "__array__"):
        cells = np.asarray(constraints, dtype=object)
        return tuple(map(_plain, cells.ravel())) if cells.ndim == 1 else cells
    return constraints


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def check_constraints(constraints: Any) -> None:
    """Raise OptionError unless constraints are None, or -1, 0 and 1 by position or by name."""
    if constraints is None:
        return
    if not isinstance(constraints, Mapping | tuple):
        raise OptionError(
            f"monotonic_cst={constraints!r:.60} must be None, one of -1, 0, 1 for every column, or a mapping of column "
            "names to them."
        )
    for key, sign in constraints.items() if isinstance(constraints, Mapping) else enumerate(constraints):
        whole = (isinstance(sign, Integral) and not isinstance(sign, bool)) or isinstance(sign, float)
        if not whole or sign not in (-1, 0, 1):
            raise OptionError(
                f"monotonic_cst[{key!r}]={sign!r:.60} must be -1 (never rises), 0 (free) or 1 (never falls)."
            )
