"""What a picture shows of a tree: one frozen record, and which nodes it opens."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.table import Table
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.model.route import route
from deciduous.model.tree import Tree

DIRECTIONS = ("down", "right")
SHAPES = ("box", "round")
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class View:
    """What a picture shows.

    direction: `down`, or `right`, which suits wide trees and long names.
    max_depth: at most so many questions on a path; what is below is counted (`+37 nodes`).
    max_nodes: at most so many nodes, level by level.
    collapse: numbers of nodes to close.
    splits: the half-grown tree after so many splits, in the order in which they were made; the sets into which the
        training rows are divided by then are named D1, D2, ... until nothing is left to be divided.
    row: a row whose path is highlighted: a dict, a one-row frame, or a list of cells in the order of the columns.
    data: rows `(X, y)` to draw inside the nodes: the distribution of the question's column by class, or the target
        against it with the mean of each branch (pictures as SVG, TikZ, PNG, PDF and with matplotlib).
    counts: the rows, and the weight and share of each class, or the mean.
    impurity, numbers: the impurity, and the number of each node.
    shape: `box` or `round`.
    digits: the least significant digits of a number; a threshold gets more where others of its column are near.
    """

    direction: str = "down"
    max_depth: int | None = None
    max_nodes: int | None = None
    collapse: Collection[int] = ()
    splits: int | None = None
    row: Any = None
    data: tuple[Any, Any] | None = None
    counts: bool = True
    impurity: bool = False
    numbers: bool = False
    shape: str = "box"
    digits: int = 4

    def __post_init__(self) -> None:
        """Check the options; OptionError says what is allowed."""
        for name, allowed in (("direction", DIRECTIONS), ("shape", SHAPES)):
            value = getattr(self, name)
            if value not in allowed:
                raise OptionError(f"{name}={value!r} is not one of {listing(allowed)}.{nearest(value, allowed)}")
        for name, least in (("max_depth", 0), ("max_nodes", 1), ("splits", 0)):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise OptionError(f"{name}={value!r} must be a whole number of at least {least}, or None.")
        if isinstance(self.digits, bool) or not isinstance(self.digits, int) or not 1 <= self.digits <= 17:
            raise OptionError(f"digits={self.digits!r} must be between 1 and 17.")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> View:
        """Return the view of these options; TypeError with the nearest name for an unknown one."""
        names = [field.name for field in fields(cls)]
        for name in options:
            if name not in names:
                raise TypeError(
                    f"there is no option {name!r} of a picture; there are {listing(names, len(names))}."
                    + nearest(name, names)
                )
        return cls(**options)


def tree_of(model: Any) -> Tree:
    """Return the tree of a fitted estimator, or the tree itself; TypeError for what has none."""
    tree = getattr(model, "tree_", model)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"only a fitted estimator of deciduous or a Tree can be drawn; this is a {type(model).__name__}. "
            "Call fit first."
        )
    return tree


def single_of(model: Any, who: str) -> Tree:
    """Return the tree of a model; OptionError if it has several targets, which `who` cannot draw."""
    tree = tree_of(model)
    tree.demand_one_target(who)
    return tree


def passed_by(tree: Tree, row: Any) -> Mask:
    """Return which nodes a row passes, in part or whole, shape (nodes,). DataError if it is not one row."""
    given = _one_row(tree, row)
    table = Table.encode_like(given, tree.schema, needed=tree.used_features, who="the tree")
    if table.n_rows != 1:
        raise DataError(f"row= must be one row; it has {table.n_rows}.")
    passed = np.zeros(len(tree), dtype=bool)
    for node in route(tree, table).nodes.tolist():
        passed[tree.path(node)] = True
    return passed


def _one_row(tree: Tree, row: Any) -> Any:
    """Return a row as `Table` reads it; a frame as it is."""
    names = tree.schema.names
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:
        row = row.to_dict() if tree.schema.named else list(row)
    if isinstance(row, list | tuple | np.ndarray) and np.ndim(row) == 1:
        if len(row) != len(names):
            raise DataError(f"row= has {len(row)} cells; the tree was trained with the columns {listing(names)}.")
        row = dict(zip(names, row, strict=True))
    if not isinstance(row, Mapping):
        return row
    cells = _complete(tree, row)
    return [cells] if tree.schema.named else np.array([list(cells.values())], dtype=object)


def _complete(tree: Tree, row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row with empty cells for the columns that the tree does not ask for."""
    names, cells = tree.schema.names, {str(name): cell for name, cell in row.items()}
    for name in cells:
        if name not in names and name != tree.target:
            raise DataError(
                f"row= has a column {name!r} that the tree does not know; it knows {listing(names)}."
                + nearest(name, names)
            )
    absent = [names[j] for j in tree.used_features if names[j] not in cells]
    if absent:
        raise DataError(
            f"row= lacks {listing(absent)}, which the tree asks for; a missing cell is given as None "
            "(on the command line NAME=)."
        )
    return {name: cells.get(name) for name in names}


def opened(tree: Tree, view: View, lit: Mask) -> Mask:
    """Return which nodes are drawn with what is below them, shape (nodes,)."""
    is_open = ~tree.is_leaf
    for node in view.collapse:
        is_open[tree.node(node).index] = False
    if view.max_depth is not None:
        is_open &= tree.depth < view.max_depth
    if view.splits is not None:
        made = np.sort(tree.first_child[~tree.is_leaf])
        is_open &= np.searchsorted(made, tree.first_child) < view.splits
    if view.max_nodes is not None:
        _limit(tree, is_open, view.max_nodes, lit)
    return is_open


def _limit(tree: Tree, is_open: Mask, max_nodes: int, lit: Mask) -> None:
    """Close nodes, the deepest first, until at most so many are seen; those that a row passes stay open."""
    first_child, n_branches = tree.first_child.tolist(), tree.n_branches.tolist()
    seen = 1 + int(tree.n_branches[is_open & lit].sum())
    level = [0]
    while level:
        below: list[int] = []
        for node in level:
            if not is_open[node]:
                continue
            if not lit[node]:
                is_open[node] = seen + n_branches[node] <= max_nodes
                seen += n_branches[node] if is_open[node] else 0
            if is_open[node]:
                below.extend(range(first_child[node], first_child[node] + n_branches[node]))
        level = below
