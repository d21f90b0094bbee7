"""Sending rows down a rearranged tree: the native kernels give their NumPy twins' results to the last bit."""

from typing import Any

import numpy as np
import pytest

from deciduous.kernels import reference
from tests.native.test_routing import ALL_KINDS, NUMBERS, random_tree

native = pytest.importorskip("deciduous.kernels._native", reason="the native kernels are absent")


def rearranged(rng: np.random.Generator, tree: dict[str, Any]) -> tuple[list[Any], int]:
    """Return the arrays of a tree in which some nodes took the children and the question of a branch, and a node."""
    first, n_branches = tree["first_child"].copy(), tree["n_branches"].copy()
    question = np.arange(len(first), dtype=np.int32)
    for node in np.flatnonzero(first >= 0)[::-1].tolist():
        inner = [c for c in range(first[node], first[node] + n_branches[node]) if first[c] >= 0]
        if inner and rng.random() < 0.3:
            branch = inner[rng.integers(len(inner))]
            first[node], n_branches[node], question[node] = first[branch], n_branches[branch], question[branch]
    rest = [tree[name] for name in ("feature", "kind", "threshold", "category_start", "category_branch", "share")]
    reached = [0]
    for node in reached:
        reached += list(range(first[node], first[node] + n_branches[node])) if first[node] >= 0 else []
    inner = [node for node in reached if first[node] >= 0]
    return [first, n_branches, question, *rest], int(inner[rng.integers(len(inner))])


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("by_known", [False, True])
def test_equal(seed: int, by_known: bool) -> None:
    rng = np.random.default_rng(seed)
    tree, start = rearranged(rng, random_tree(rng, ALL_KINDS, True, int(rng.integers(1, 30))))
    n = int(rng.integers(0, 300))
    numbers = np.where(rng.random((n, NUMBERS)) < 0.2, np.nan, rng.normal(size=(n, NUMBERS)))
    codes = rng.integers(-2, 6, (n, 2)).astype(np.int32)
    columns = [*np.asfortranarray(numbers).T, *codes.T]
    rows = np.sort(rng.choice(n, n // 2, replace=False)) if n else np.zeros(0, dtype=np.int64)
    weights = rng.random(len(rows))
    ours = native.redistribute(start, by_known, *tree, columns, rows, weights)
    twin = reference.redistribute(start, by_known, *tree, columns, rows, weights)
    for a, b in zip(ours, twin, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    classes = rng.integers(0, 3, n).astype(np.int32)
    weighed = native.weigh_leaves(start, by_known, *tree, columns, classes, 3, rows, weights)
    for a, b in zip(
        weighed, reference.weigh_leaves(start, by_known, *tree, columns, classes, 3, rows, weights), strict=True
    ):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    if by_known:
        assert weighed[1].sum() == pytest.approx(weights.sum(), rel=1e-12)


def a_tree() -> dict[str, Any]:
    """One question, x <= 0, in node 0."""
    return {
        "first_child": np.array([1, -1, -1], np.int32),
        "n_branches": np.array([2, 0, 0], np.int32),
        "question": np.arange(3, dtype=np.int32),
        "feature": np.array([0, -1, -1], np.int32),
        "kind": np.array([1, 0, 0], np.uint8),
        "threshold": np.array([0.0, np.nan, np.nan]),
        "category_start": np.zeros(4, np.int64),
        "category_branch": np.zeros(0, np.int32),
        "share": np.array([1.0, 0.5, 0.5]),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 3}, "node 3: it is not there"),
        ({"rows": np.array([2])}, "row 2 is not there"),
        ({"rows": np.array([-1])}, "row -1 is not there"),
        ({"question": np.array([5, 1, 2], np.int32)}, "node 0: its question is not there"),
        ({"question": np.array([1, 1, 2], np.int32)}, "its question is of no kind"),
        ({"first_child": np.array([2, -1, -1], np.int32)}, "its children must come after it, within the tree"),
        ({"first_child": np.array([0, -1, -1], np.int32)}, "its children must come after it, within the tree"),
        ({"feature": np.array([1, -1, -1], np.int32)}, "it asks for a column that is not there"),
        ({"kind": np.array([2, 0, 0], np.uint8)}, "its categories are not there"),
    ],
    ids=str,
)
def test_trees_that_are_none(change: dict[str, Any], message: str) -> None:
    given = {"start": 0, "by_known": True, **a_tree(), "columns": [np.array([0.5, np.nan])]}
    given |= {"rows": np.array([0]), **change}
    with pytest.raises(ValueError, match=message):
        native.redistribute(**given, weights=np.ones(1))


def test_classes_that_are_none() -> None:
    given = {"start": 0, "by_known": True, **a_tree(), "columns": [np.array([0.5, np.nan])]}
    for codes, n_classes, message in (([0, 3], 3, "class 3 is not there"), ([0, 0], 0, "n_classes must be 1 or more")):
        with pytest.raises(ValueError, match=message):
            native.weigh_leaves(
                **given,
                codes=np.array(codes, np.int32),
                n_classes=n_classes,
                rows=np.array([1]),
                weights=np.ones(1),
            )
