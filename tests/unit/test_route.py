"""The walk down the tree, on trees made by hand."""

from typing import Any

import numpy as np
import pytest

from deciduous.data.schema import Feature, Schema
from deciduous.data.table import Table
from deciduous.kernels import MISSING_CELL as MISSING
from deciduous.kernels import UNSEEN_CELL as UNSEEN
from deciduous.kernels import SplitKind
from deciduous.model.route import branches_of, route
from deciduous.model.split import Split
from deciduous.model.tree import ARRAYS, Tree

NAN = float("nan")
INFINITELY_CLOSE = float(np.nextafter(2, 3))


def split(kind: SplitKind, n: int = 2, branch: Any = (), threshold: float = NAN) -> Split:
    return Split(0, kind, n, threshold, np.array(branch, dtype=np.int32), np.zeros(n))


@pytest.mark.parametrize(
    ("asked", "cells", "branches"),
    [
        (split(SplitKind.THRESHOLD, threshold=2), [1.0, 2.0, INFINITELY_CLOSE, -1e308, NAN], [0, 0, 1, 0, -1]),
        (split(SplitKind.THRESHOLD, 3, threshold=2), [2.0, 3.0, NAN], [0, 1, -1]),
        (split(SplitKind.THRESHOLD, threshold=1), [0, 1, 2, MISSING, UNSEEN], [0, 0, 1, -1, -2]),
        (split(SplitKind.MISSING), [1.0, NAN], [0, -1]),
        (split(SplitKind.MISSING), [0, 5, MISSING, UNSEEN], [0, 0, -1, 0]),
        (split(SplitKind.MULTIWAY, 3, [0, 1, 2]), [2, 0, MISSING, UNSEEN], [2, 0, -1, -2]),
        (split(SplitKind.SUBSET, 2, [0, -1, 1]), [0, 1, 2, MISSING, UNSEEN], [0, -2, 1, -1, -2]),
        (split(SplitKind.ONE_VS_REST, 2, [1, 0, 1]), [0, 1, 2, MISSING, UNSEEN], [1, 0, 1, -1, -2]),
    ],
)
@pytest.mark.parametrize("as_missing", [False, True])
def test_branches(asked: Split, cells: list[float], branches: list[int], as_missing: bool) -> None:
    column = np.array(cells, dtype=np.int32 if all(isinstance(c, int) for c in cells) else np.float64)
    expected = branches
    if as_missing:
        expected = [-1 if b == -2 else b for b in branches]
        if asked.kind == SplitKind.MISSING:
            expected = [-1 if c == UNSEEN else b for c, b in zip(cells, branches, strict=True)]
    assert branches_of(asked, column, as_missing).tolist() == expected


SCHEMA = Schema((Feature("n", "numeric"), Feature("c", "nominal", ("u", "v", "w"))))


def tree_of(splits: dict[int, Split], unseen: str = "node", **arrays: Any) -> Tree:
    """Return a tree with these splits; children are numbered in the order of their parents."""
    n = 1 + sum(s.n_branches for s in splits.values())
    values: dict[str, Any] = {name: [0] * n for name in ARRAYS}
    values |= {"parent": [-1] * n, "first_child": [-1] * n, "feature": [-1] * n, "threshold": [NAN] * n}
    values |= {"category_start": [0], "class_start": [0] * (n + 1), "category_branch": [], "share": [1.0] * n}
    values |= {"class_code": [], "class_weight": [], "answers_from": list(range(n))}
    free = 1
    for node in range(n):
        if (asked := splits.get(node)) is not None:
            values["first_child"][node], values["n_branches"][node] = free, asked.n_branches
            values["feature"][node], values["kind"][node] = asked.feature, int(asked.kind)
            values["threshold"][node] = asked.threshold
            values["category_branch"] += asked.category_branch.tolist()
            for b, share in enumerate(asked.shares.tolist()):
                values["parent"][free + b], values["share"][free + b] = node, share
            free += asked.n_branches
        values["category_start"].append(len(values["category_branch"]))
    values |= arrays
    options = {"name": "cart", "unseen": unseen}
    made = {name: np.array(values[name], dtype=dtype) for name, dtype in ARRAYS.items()}
    return Tree(SCHEMA, "number", "y", (), options, False, **made)


def arrivals(tree: Tree, n: list[float], c: list[int]) -> list[list[tuple[int, float]]]:
    table = Table(SCHEMA, len(n), (np.array(n, dtype=np.float64), np.array(c, dtype=np.int32)))
    found = route(tree, table)
    assert sorted(zip(found.rows, found.nodes, strict=True)) == list(zip(found.rows, found.nodes, strict=True))
    assert found.whole == (len(found.rows) == len(n))
    ends: list[list[tuple[int, float]]] = [[] for _ in n]
    for row, node, weight in zip(found.rows.tolist(), found.nodes.tolist(), found.weights.tolist(), strict=True):
        ends[row].append((node, weight))
    return ends


def number(t: float, *shares: float) -> Split:
    return Split(0, SplitKind.THRESHOLD, len(shares), t, shares=np.array(shares))


def category(*shares: float) -> Split:
    codes = np.arange(3, dtype=np.int32) if len(shares) == 3 else np.array([0, 1, -1], dtype=np.int32)
    kind = SplitKind.MULTIWAY if len(shares) == 3 else SplitKind.SUBSET
    return Split(1, kind, len(shares), category_branch=codes, shares=np.array(shares))


def test_a_tree_that_asks_nothing() -> None:
    assert arrivals(tree_of({}), [1, NAN], [0, -1]) == [[(0, 1)], [(0, 1)]]


def test_known_cells_take_their_branch() -> None:
    tree = tree_of({0: number(2, 1, 0), 2: category(0, 1, 0)})  # 0 -> 1, 2; 2 -> 3, 4, 5
    assert arrivals(tree, [2, 3, 3, 3], [0, 0, 1, 2]) == [[(1, 1)], [(3, 1)], [(4, 1)], [(5, 1)]]


def test_missing_cells_follow_the_shares() -> None:
    tree = tree_of({0: number(2, 0.25, 0.75), 2: category(0.5, 0, 0.5)})
    assert arrivals(tree, [NAN, 3, NAN], [1, -1, -1]) == [
        [(1, 0.25), (4, 0.75)],
        [(3, 0.5), (5, 0.5)],
        [(1, 0.25), (3, 0.375), (5, 0.375)],
    ]


def test_without_shares_a_missing_cell_stops() -> None:
    tree = tree_of({0: number(2, 0, 0), 2: category(0, 0, 1)})
    assert arrivals(tree, [NAN, 3], [0, -1]) == [[(0, 1)], [(5, 1)]]


@pytest.mark.parametrize(
    ("unseen", "ends"), [("node", [(2, 1.0)]), ("error", [(2, 1.0)]), ("missing", [(3, 0.5), (4, 0.5)])]
)
def test_unseen_categories(unseen: str, ends: list[tuple[int, float]]) -> None:
    tree = tree_of({0: number(2, 1, 0), 2: category(0.5, 0.5)}, unseen=unseen)
    assert arrivals(tree, [3, 3, 3], [0, UNSEEN, 2]) == [[(3, 1)], ends, ends]  # category 2: absent in training


def test_a_branch_of_their_own() -> None:
    tree = tree_of({0: number(2, 0, 0, 1)})
    assert arrivals(tree, [1, 3, NAN], [0, 0, 0]) == [[(1, 1)], [(2, 1)], [(3, 1)]]


def test_no_rows() -> None:
    assert arrivals(tree_of({0: number(2, 1, 0)}), [], []) == []
