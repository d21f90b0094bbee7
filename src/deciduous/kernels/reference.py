"""The NumPy twins of the native kernels: the specification, and the fallback where nothing was compiled.

Each function here has the signature and, to the last bit, the result of its native namesake.
"""

from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Cells: TypeAlias = Floats | Codes
Entries: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], Floats]
#: rows and weights are None where every row ends whole; the last says whether a number was infinite.
Ends: TypeAlias = tuple[NDArray[np.int64] | None, NDArray[np.int32], Floats | None, bool]

MISSING_CELL = -1
UNSEEN_CELL = -2


class SplitKind(IntEnum):
    """How a node sends cells to branches; the numbers are those stored in trees and read by the kernels."""

    LEAF = 0
    THRESHOLD = 1
    MULTIWAY = 2
    SUBSET = 3
    ONE_VS_REST = 4
    MISSING = 5
    GROUPS = 6


def branch_of(
    kind: int, threshold: float, category_branch: Codes, column: Cells, unseen_as_missing: bool
) -> NDArray[np.int32]:
    """The branch of every cell of a column at one split: what growing and predicting share.

    ``column`` is float64 (NaN is missing) or int32 category codes (-1 missing, any other negative code a
    category never seen). ``threshold`` is read by THRESHOLD: ``x <= threshold`` is branch 0, larger is
    branch 1. ``category_branch`` is read by MULTIWAY, SUBSET, ONE_VS_REST and GROUPS: the branch of each code, -1
    where the category was absent from the node in training; such codes, and codes beyond its end, are
    unseen. For MISSING every cell that is not missing is branch 0.

    Returns int32, one a cell: a branch, or ``MISSING_CELL`` (-1), or ``UNSEEN_CELL`` (-2); where
    ``unseen_as_missing``, unseen cells are ``MISSING_CELL`` too.
    """
    if np.issubdtype(column.dtype, np.integer):
        missing = column == MISSING_CELL
        unseen = column < MISSING_CELL
    else:
        missing = np.isnan(column)
        unseen = np.zeros(column.shape, bool)

    if kind == SplitKind.MISSING:
        branch = np.zeros(column.shape, np.int32)
        unseen &= unseen_as_missing  # an unseen category is known not to be missing
    elif kind == SplitKind.THRESHOLD:
        branch = (~(column <= threshold)).astype(np.int32)
    else:
        branch = np.full(column.shape, -1, np.int32)
        listed = (column >= 0) & (column < category_branch.size)
        branch[listed] = category_branch[column[listed]]
        unseen = (branch < 0) & ~missing

    branch[unseen] = MISSING_CELL if unseen_as_missing else UNSEEN_CELL
    branch[missing] = MISSING_CELL
    return branch


def side_of(kind: int, threshold: float, below: int, category_branch: Codes, column: Cells) -> NDArray[np.int32]:
    """The branch to which a surrogate split sends every cell of a column, -1 where it cannot.

    A THRESHOLD sends cells up to ``threshold`` to the branch ``below``. A category that the split does not know is as
    good as missing.
    """
    branch = branch_of(kind, threshold, category_branch, column, True)
    return np.where(branch < 0, branch, branch ^ below).astype(np.int32)


def route(
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: Floats,
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: Floats,
    unseen_as_missing: bool,
    columns: Sequence[Cells | None],
    n_rows: int,
    n_threads: int = 1,
) -> Ends:
    """Where the rows of a table end in a tree.

    The tree is flat arrays of n elements, one a node (0 is the root): a node with a negative
    ``first_child`` is a leaf, others have the children ``first_child .. first_child + n_branches - 1``,
    all larger than the node, and send a cell of column ``feature`` to one of them as ``branch_of`` says.
    ``category_start`` (n + 1) bounds each node's slice of ``category_branch``; ``share[child]`` is the part
    of its parent's missing cells that a child receives. ``columns`` holds, per feature, ``n_rows`` cells of
    float64 or int32, or None where no node splits on it.

    A row starts at the root with weight 1. Missing: it goes to every child whose share is above 0, with its
    weight times that share; where all shares are 0 it ends in the node. Unseen: it ends in the node, or
    counts as missing if ``unseen_as_missing``.

    Returns (None, nodes, None, infinite) where every row ends whole: the node (int32) of each row. Else
    (rows, nodes, weights, infinite): entries in order of (row, node), arrays of one length (int64, int32,
    float64). `infinite` says whether a column of numbers that the tree asks for holds an infinity, which no
    threshold can be put beside. The result is the same for any number of threads; this twin has one. The
    native kernel raises ValueError for a tree that breaks these rules and TypeError for arrays of other
    types, or tree arrays that are not contiguous (columns need not be); this twin trusts what it is given.
    """
    ended: list[Entries] = []
    pending = deque([(0, np.arange(n_rows, dtype=np.int64), np.ones(n_rows))])
    while pending:
        node, rows, weights = pending.popleft()
        if first_child[node] < 0:
            ended.append((rows, np.full(rows.size, node, np.int32), weights))
            continue
        cells = columns[feature[node]]
        assert cells is not None, f"node {node} splits feature {feature[node]}, whose column is None"
        slice_ = category_branch[category_start[node] : category_start[node + 1]]
        branch = branch_of(kind[node], threshold[node], slice_, cells[rows], unseen_as_missing)
        children = range(first_child[node], first_child[node] + n_branches[node])
        shares = share[children.start : children.stop]
        for ordinal, child in enumerate(children):
            goes = branch == ordinal
            if shares[ordinal] > 0:
                goes |= branch == MISSING_CELL
            if goes.any():
                factor = np.where(branch[goes] == MISSING_CELL, shares[ordinal], 1.0)
                pending.append((child, rows[goes], weights[goes] * factor))
        stays = branch < 0 if not (shares > 0).any() else branch == UNSEEN_CELL
        if stays.any():
            ended.append((rows[stays], np.full(stays.sum(), node, np.int32), weights[stays]))
    asked = [columns[j] for j in np.unique(feature[first_child >= 0])]
    infinite = any(cells is not None and cells.dtype == np.float64 and bool(np.isinf(cells).any()) for cells in asked)
    rows, nodes, weights = _in_order(ended)
    whole = rows.size == n_rows and bool((weights == 1).all())
    return (None, nodes, None, infinite) if whole else (rows, nodes, weights, infinite)


def route_by_surrogates(
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: Floats,
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: Floats,
    unseen_as_missing: bool,
    start: NDArray[np.int64],
    asked: NDArray[np.int32],
    asked_kind: NDArray[np.uint8],
    asked_threshold: Floats,
    below: NDArray[np.int8],
    asked_start: NDArray[np.int64],
    asked_branch: NDArray[np.int32],
    columns: Sequence[Cells | None],
    n_rows: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.int32], bool]:
    """Where the rows of a table end in a tree of two branches a node that asks surrogates.

    The first arguments are those of ``route``. Node i has the surrogates ``start[i]`` up to ``start[i + 1]``: each asks
    for column ``asked``, as a THRESHOLD, whose cells up to ``asked_threshold`` go to branch ``below`` and others to the
    other one, or as a SUBSET, with its slice of ``asked_branch`` (``asked_start``: one element more than there are
    surrogates). A missing cell is replaced by the answer of the first surrogate that knows the row; where none does,
    the row goes to the child with a share, or ends in the node. Rows are whole.

    Returns the node of each row (int32), and whether a column of numbers that may be asked for holds an infinity.
    """
    ends = np.zeros(n_rows, np.int32)
    pending = deque([(0, np.arange(n_rows, dtype=np.int64))])
    while pending:
        node, rows = pending.popleft()
        ends[rows] = node
        if first_child[node] < 0 or not rows.size:
            continue
        cells = columns[feature[node]]
        assert cells is not None, f"node {node} splits feature {feature[node]}, whose column is None"
        slice_ = category_branch[category_start[node] : category_start[node + 1]]
        branch = branch_of(kind[node], threshold[node], slice_, cells[rows], unseen_as_missing)
        for i in range(start[node], start[node + 1]):
            open_ = branch == MISSING_CELL
            cells = columns[asked[i]]
            assert cells is not None, f"a surrogate asks for feature {asked[i]}, whose column is None"
            slice_ = asked_branch[asked_start[i] : asked_start[i + 1]]
            branch[open_] = side_of(asked_kind[i], asked_threshold[i], int(below[i]), slice_, cells[rows[open_]])
        shares = share[first_child[node] : first_child[node] + 2]
        if (shares > 0).any():
            branch[branch == MISSING_CELL] = int(shares[1] > 0)
        pending.extend((int(first_child[node]) + b, rows[branch == b]) for b in (0, 1))
    every = np.unique(np.concatenate([feature[first_child >= 0], asked]))
    numbers = [cells for j in every if (cells := columns[j]) is not None and cells.dtype == np.float64]
    return ends, any(bool(np.isinf(cells).any()) for cells in numbers)


def _in_order(ended: list[Entries]) -> Entries:
    if not ended:
        return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)
    rows, nodes, weights = (np.concatenate(part) for part in zip(*ended, strict=True))
    order = np.lexsort((nodes, rows))
    return rows[order], nodes[order], weights[order]


#: The leaves, and the weights of the classes in each, leaf after leaf.
Weighed: TypeAlias = tuple[NDArray[np.int32], Floats]
#: The nodes visited, the number of entries that came to each, and where rows ended: rows and weights.
Redistributed: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], Floats]


def redistribute(
    start: int,
    by_known: bool,
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    question: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: Floats,
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: Floats,
    columns: Sequence[Cells | None],
    rows: NDArray[np.int64],
    weights: Floats,
) -> Redistributed:
    """Where rows end that are all sent into one node: what raising a subtree asks.

    The tree is given as for ``route``, but node i asks the question that is stored at ``question[i]``: its
    feature, kind, threshold and categories. ``rows`` and ``weights`` are the entries that come to the node
    ``start``. With ``by_known`` the shares of missing cells are formed anew, from the weights of the known
    entries of each node (evenly where there are none); else those in ``share`` stay. A category that a
    question does not know counts as missing.

    Returns (nodes, counts, rows, weights): the nodes at and below ``start``, each after its parent (int32),
    how many entries came to each (int64), and the entries that ended in leaves (int64, float64), leaf after
    leaf in the order of ``nodes``, within a leaf in the order given. The native kernel raises ValueError for
    a tree that breaks the rules of ``route``; this twin trusts what it is given.
    """
    nodes, counts = [], []
    ended: list[tuple[NDArray[np.int64], Floats]] = []
    pending = [(start, rows, weights)]
    while pending:
        node, rows, weights = pending.pop()
        nodes.append(node)
        counts.append(len(rows))
        if first_child[node] < 0:
            ended.append((rows, weights))
            continue
        asked, n = question[node], int(n_branches[node])
        cells = columns[feature[asked]]
        assert cells is not None, f"node {node} splits feature {feature[asked]}, whose column is None"
        slice_ = category_branch[category_start[asked] : category_start[asked + 1]]
        branch = branch_of(kind[asked], threshold[asked], slice_, cells[rows], True)
        shares = share[first_child[node] : first_child[node] + n]
        if by_known:
            known = branch >= 0
            sums = np.bincount(branch[known], weights=weights[known], minlength=n)
            total = 0.0
            for weight in sums.tolist():
                total += weight
            shares = sums / total if total > 0 else np.full(n, 1.0 / n)
        for ordinal in reversed(range(n)):
            goes = branch == ordinal
            if shares[ordinal] > 0:
                goes |= branch == MISSING_CELL
            part = np.where(branch[goes] == MISSING_CELL, shares[ordinal], 1.0) * weights[goes]
            pending.append((int(first_child[node]) + ordinal, rows[goes], part))
    row_parts, weight_parts = zip(*ended, strict=True)
    return (
        np.array(nodes, dtype=np.int32),
        np.array(counts, dtype=np.int64),
        np.concatenate(row_parts),
        np.concatenate(weight_parts),
    )


def weigh_leaves(
    start: int,
    by_known: bool,
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    question: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: Floats,
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: Floats,
    columns: Sequence[Cells | None],
    codes: NDArray[np.int32],
    n_classes: int,
    rows: NDArray[np.int64],
    weights: Floats,
) -> Weighed:
    """What the leaves below a node would weigh after ``redistribute``: whether raising a subtree would help.

    ``codes``: the class of every row of the table, below ``n_classes``; the other arguments are those of
    ``redistribute``. Returns (leaves, class_weights): the leaves at and below ``start`` in the order of
    ``redistribute`` (int32), and ``n_classes`` weights for each, one leaf after the other (float64).
    """
    tree = first_child, n_branches, question, feature, kind, threshold, category_start, category_branch, share
    nodes, counts, rows, weights = redistribute(start, by_known, *tree, columns, rows, weights)
    is_leaf = first_child[nodes] < 0
    n = int(is_leaf.sum())
    cells = np.repeat(np.arange(n), counts[is_leaf]) * n_classes + codes[rows]
    return nodes[is_leaf], np.bincount(cells, weights=weights, minlength=n * n_classes).astype(np.float64)
