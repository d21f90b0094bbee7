"""The training rows in a node of a tree, each with the part of its weight that is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from deciduous.errors import DataError
from deciduous.measures import Floats
from deciduous.model.route import route
from deciduous.model.tree import Tree
from deciduous.prune.rows import LabelledRows

#: What nodes and classes weigh may differ from the sum of their rows by rounding.
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class Entries:
    """Rows of a table and the weight with which each is here; shape (entries,) both."""

    rows: NDArray[np.int64]
    weight: Floats


def entries_of_root(tree: Tree, rows: LabelledRows) -> Entries:
    """Return the rows as entries of the root; DataError if these are not the rows that the tree was grown on."""
    if not rows.grown_on:
        _refuse_other_rows(tree, rows)
    return Entries(np.arange(rows.table.n_rows), rows.weight)


def _refuse_other_rows(tree: Tree, rows: LabelledRows) -> None:
    """Raise DataError unless the classes weigh what they do in the root, and the leaves what they do in the tree."""
    known, slack = rows.target >= 0, SLACK * max(float(tree.weight[0]), 1.0)
    if not known.all():
        _refuse(f"{int((~known).sum())} of them have a class that it does not know")
    root = np.zeros(len(tree.classes))
    part = slice(int(tree.class_start[0]), int(tree.class_start[1]))
    root[tree.class_code[part]] = tree.class_weight[part]
    found = np.bincount(rows.target.astype(np.int64), weights=rows.weight, minlength=len(root))
    if (np.abs(found - root) > slack).any():
        code = int(np.argmax(np.abs(found - root)))
        _refuse(f"class {tree.classes[code]!r} has the weight {root[code]:g}, and they have {found[code]:g} of it")
    came = route(tree, rows.table)
    here = np.bincount(came.nodes, weights=came.weights * rows.weight[came.rows], minlength=len(tree))
    wrong = np.flatnonzero((np.abs(here - tree.weight) > slack) & tree.is_leaf)
    if len(wrong):
        leaf = int(wrong[0])
        _refuse(f"leaf {leaf} has the weight {tree.weight[leaf]:g}, and {here[leaf]:g} of them come to it")


def _refuse(what: str) -> NoReturn:
    raise DataError(
        f"these are not the rows that the tree was grown on: {what}. Subtree raising needs the training rows; or "
        "choose subtree_raising=False."
    )
