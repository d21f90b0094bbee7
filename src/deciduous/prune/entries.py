"""The training rows in the leaves of a tree, each with the part of its weight that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows

#: The class weights of the root may differ from those of its rows by rounding.
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class Entries:
    """Rows of a table and the weight with which each is here; shape (entries,) both."""

    rows: NDArray[np.int64]
    weight: Floats


def joined(parts: Sequence[Entries]) -> Entries:
    """Return the entries of several nodes one behind the other."""
    if len(parts) == 1:
        return parts[0]
    return Entries(np.concatenate([part.rows for part in parts]), np.concatenate([part.weight for part in parts]))


def merged(parts: Sequence[Entries]) -> Entries:
    """Return the entries of the node above several nodes: each row once, in increasing order, its parts summed."""
    entries = joined(parts)
    order = np.argsort(entries.rows, kind="stable")
    rows, weight = entries.rows[order], entries.weight[order]
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    return Entries(rows[first], np.add.reduceat(weight, first)) if len(first) < len(rows) else Entries(rows, weight)


def entries_of_leaves(tree: Tree, rows: LabelledRows) -> list[list[Entries]]:
    """Return for each leaf its training rows, in a list of one; an empty list for inner nodes.

    DataError if these are not the rows that the tree was grown on.
    """
    arrivals = route(tree, rows.table)
    _refuse_other_rows(tree, rows, np.asarray(arrivals.nodes))
    order = np.argsort(arrivals.nodes, kind="stable")
    place, weight = arrivals.rows[order], (arrivals.weights * rows.weight[arrivals.rows])[order]
    starts = np.searchsorted(arrivals.nodes[order], np.arange(len(tree) + 1)).tolist()
    is_leaf = tree.is_leaf.tolist()
    return [
        [Entries(place[starts[i] : starts[i + 1]], weight[starts[i] : starts[i + 1]])] if is_leaf[i] else []
        for i in range(len(tree))
    ]


def _refuse_other_rows(tree: Tree, rows: LabelledRows, ends: NDArray[np.int32]) -> None:
    """Raise DataError unless the classes weigh what they do in the root, and every row ends in a leaf."""
    root = np.zeros(len(tree.classes))
    part = slice(int(tree.class_start[0]), int(tree.class_start[1]))
    root[tree.class_code[part]] = tree.class_weight[part]
    known = rows.target >= 0
    found = np.bincount(rows.target[known].astype(np.int64), weights=rows.weight[known], minlength=len(root))
    wrong = np.abs(found - root) > SLACK * np.maximum(root.sum(), 1.0)
    hint = "Subtree raising needs the rows that the tree was grown on; or choose subtree_raising=False."
    if wrong.any() or not known.all():
        code = int(np.argmax(wrong))
        raise DataError(
            f"these are not the training rows: class {tree.classes[code]!r} weighs {found[code]:g} in them and "
            f"{root[code]:g} in the tree ({int((~known).sum())} rows have a class that it does not know). {hint}"
        )
    stopped = ~tree.is_leaf[ends]
    if stopped.any():
        raise DataError(
            f"these are not the training rows: node {int(ends[np.argmax(stopped)])} does not know what to do with one "
            f"of them. {hint}"
        )
