"""The training rows in the leaves of a tree, each with the part of its weight that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deciduous import kernels
from deciduous.errors import DataError
from deciduous.measures import Floats
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


def merged(parts: Sequence[Entries], n_rows: int) -> Entries:
    """Return the entries of the node above several nodes: each row once, in increasing order, its parts summed.

    `n_rows`: those of the table.
    """
    entries = joined(parts)
    if len(parts) <= 1:
        return entries
    if len(entries.rows) * FEW > n_rows:
        sums = np.bincount(entries.rows, weights=entries.weight, minlength=n_rows).astype(np.float64)
        rows = np.flatnonzero(sums)
        return Entries(rows, sums[rows])
    order = np.argsort(entries.rows, kind="stable")
    rows, weight = entries.rows[order], entries.weight[order]
    first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    return Entries(rows[first], np.add.reduceat(weight, first))


#: Entries are sorted if there are fewer than one in so many rows of the table; else summed row by row.
FEW = 20


def entries_of_leaves(tree: Tree, rows: LabelledRows) -> list[list[Entries]]:
    """Return for each leaf its training rows, in a list of one; an empty list for inner nodes.

    DataError if these are not the rows that the tree was grown on.
    """
    nodes, counts, place, weight = kernels.redistribute(
        0,
        False,
        *(tree.first_child, tree.n_branches, np.arange(len(tree), dtype=np.int32), tree.feature, tree.kind),
        *(tree.threshold, tree.category_start, tree.category_branch, tree.share, rows.table.columns),
        *(np.arange(rows.table.n_rows), rows.weight),
    )
    parts: list[list[Entries]] = [[] for _ in range(len(tree))]
    at_leaf = tree.first_child[nodes] < 0
    leaves, counts = nodes[at_leaf], counts[at_leaf]
    here = np.bincount(np.repeat(leaves, counts), weights=weight, minlength=len(tree)).astype(np.float64)
    _refuse_other_rows(tree, rows, leaves, here)
    begin = 0
    for leaf, count in zip(leaves.tolist(), counts.tolist(), strict=True):
        parts[leaf] = [Entries(place[begin : begin + count], weight[begin : begin + count])]
        begin += count
    return parts


def _refuse_other_rows(tree: Tree, rows: LabelledRows, leaves: NDArray[np.int32], weight: Floats) -> None:
    """Raise DataError unless the classes weigh what they do in the root, and the leaves what they do in the tree.

    `weight`: what came to each node, if it is a leaf.
    """
    root = np.zeros(len(tree.classes))
    part = slice(int(tree.class_start[0]), int(tree.class_start[1]))
    root[tree.class_code[part]] = tree.class_weight[part]
    known = rows.target >= 0
    found = np.bincount(rows.target[known].astype(np.int64), weights=rows.weight[known], minlength=len(root))
    slack = SLACK * max(float(tree.weight[0]), 1.0)
    wrong = leaves[np.abs(weight - tree.weight)[leaves] > slack]
    if known.all() and (np.abs(found - root) <= slack).all() and not len(wrong):
        return
    code = int(np.argmax(np.abs(found - root)))
    what = (
        f"leaf {wrong[0]} has the weight {tree.weight[wrong[0]]:g}, and {weight[wrong[0]]:g} of them come to it"
        if len(wrong)
        else f"class {tree.classes[code]!r} has the weight {root[code]:g}, and they have {found[code]:g} of it"
        if known.all()
        else f"{int((~known).sum())} of them have a class that it does not know"
    )
    raise DataError(
        f"these are not the rows that the tree was grown on: {what}. Subtree raising needs the training rows; or "
        "choose subtree_raising=False."
    )
