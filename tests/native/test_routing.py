"""The native walk down a tree gives the NumPy twin's result to the last bit, however the columns lie in memory and
whatever the number of threads.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from deciduous.kernels import SplitKind, reference

native = pytest.importorskip("deciduous.kernels._native", reason="the native kernels are absent")

NUMBERS = 4  # features 0 .. 3 are numbers, 4 and 5 codes
CATEGORIES = 5
ONLY_THRESHOLDS = (SplitKind.THRESHOLD,)
ALL_KINDS = tuple(kind for kind in SplitKind if kind != SplitKind.LEAF)


def random_shares(rng: np.random.Generator, n: int, spread: bool) -> np.ndarray:
    """Where missing cells go: nowhere, into one branch, or, with `spread`, into several."""
    policy = rng.integers(3 if spread else 2)
    if policy == 0:
        return np.zeros(n)
    if policy == 1:
        return np.eye(n)[rng.integers(n)]
    shares = rng.random(n) * (rng.random(n) < 0.7) + np.eye(n)[0]
    return shares / (shares.sum() if rng.random() < 0.5 else 2)  # no tree that was grown loses parts of rows


def random_tree(rng: np.random.Generator, kinds: Sequence[SplitKind], spread: bool, n_splits: int) -> dict[str, Any]:
    """Return the arrays of a tree whose nodes ask random questions."""
    first, branches, feature, kind, threshold, share = [-1], [0], [-1], [0], [np.nan], [1.0]
    start, codes = [0, 0], []
    waiting, node = [0], 0
    while waiting:
        node = waiting.pop(0)
        start[node] = len(codes)
        asked = kinds[rng.integers(len(kinds))]
        if node > 0 and (len(first) > 2 * n_splits or rng.random() < 0.1):
            start.append(len(codes))
            continue
        n = int(rng.integers(2, 4))
        by_code = asked in (SplitKind.MULTIWAY, SplitKind.SUBSET, SplitKind.ONE_VS_REST, SplitKind.GROUPS)
        first[node], branches[node], kind[node] = len(first), n, int(asked)
        feature[node] = int(rng.integers(NUMBERS, NUMBERS + 2) if by_code else rng.integers(NUMBERS))
        if not by_code and len(kinds) > 1 and rng.random() < 0.3:
            feature[node] = NUMBERS  # thresholds and gaps of ranked codes
        threshold[node] = float(rng.normal()) if feature[node] < NUMBERS else float(rng.integers(CATEGORIES))
        codes += rng.integers(-1, n, CATEGORIES - 1).tolist() if by_code else []
        start.append(len(codes))
        for part in random_shares(rng, n, spread).tolist():
            waiting.append(len(first))
            for array, value in ((first, -1), (branches, 0), (feature, -1), (kind, 0), (threshold, np.nan)):
                array.append(value)
            share.append(part)
    return {
        "first_child": np.array(first, np.int32),
        "n_branches": np.array(branches, np.int32),
        "feature": np.array(feature, np.int32),
        "kind": np.array(kind, np.uint8),
        "threshold": np.array(threshold),
        "category_start": np.array(start[: len(first) + 1], np.int64),
        "category_branch": np.array(codes, np.int32),
        "share": np.array(share),
    }


def layouts(numbers: np.ndarray, codes: np.ndarray) -> dict[str, list[np.ndarray | None]]:
    """Return the same columns, lying in memory in different ways."""
    by_rows, by_columns = np.ascontiguousarray(numbers), np.asfortranarray(numbers)
    wide = np.zeros((len(numbers), 40))
    wide[:, 7 : 7 + NUMBERS] = numbers
    backwards = np.ascontiguousarray(numbers[::-1])[::-1]
    apart = [by_rows[:, 0], np.array(numbers[:, 1]), wide[:, 9], backwards[:, 3]]
    own = [codes[:, 0], np.ascontiguousarray(codes[:, 1])]
    return {
        "by rows": [*by_rows.T, *own],
        "by columns": [*by_columns.T, *own],
        "part of a wide table": [*wide.T[7 : 7 + NUMBERS], *own],
        "backwards": [*backwards.T, *own],
        "apart": [*apart, *own],
    }


def random_cells(rng: np.random.Generator, n: int, missing: float) -> tuple[np.ndarray, np.ndarray]:
    numbers = rng.normal(size=(n, NUMBERS))
    codes = rng.integers(0, CATEGORIES, (n, 2)).astype(np.int32)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = -1
    codes[rng.random(codes.shape) < missing] = -2
    return numbers, codes


def same(native_ends: Any, twin_ends: Any) -> bool:
    """Whether two results are equal, to the last bit."""
    for ours, twins in zip(native_ends, twin_ends, strict=True):
        if not (ours is twins is None or (type(ours) is type(twins) and np.array_equal(ours, twins))):
            return False
    return True


@pytest.mark.parametrize("spread", [False, True], ids=["whole", "parts"])
@pytest.mark.parametrize("kinds", [ONLY_THRESHOLDS, ALL_KINDS], ids=["thresholds", "all kinds"])
@pytest.mark.parametrize("missing", [0.0, 0.1], ids=["complete", "gaps"])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 300])
def test_native_and_numpy_walk_alike(n: int, missing: float, kinds: Sequence[SplitKind], spread: bool) -> None:
    rng = np.random.default_rng(n)
    for n_splits in (0, 1, 5, 60):
        tree = random_tree(rng, kinds, spread, n_splits)
        numbers, codes = random_cells(rng, n, missing)
        for unseen_as_missing in (False, True):
            for columns in layouts(numbers, codes).values():
                twin = reference.route(**tree, unseen_as_missing=unseen_as_missing, columns=columns, n_rows=n)
                ours = native.route(**tree, unseen_as_missing=unseen_as_missing, columns=columns, n_rows=n)
                assert same(ours, twin)


@pytest.mark.parametrize("kinds", [ONLY_THRESHOLDS, ALL_KINDS], ids=["thresholds", "all kinds"])
@pytest.mark.parametrize("spread", [False, True], ids=["whole", "parts"])
def test_any_number_of_threads_gives_one_result(kinds: Sequence[SplitKind], spread: bool) -> None:
    rng, n = np.random.default_rng(4), 50_003
    tree = random_tree(rng, kinds, spread, 40)
    columns = layouts(*random_cells(rng, n, 0.05))["by rows"]
    twin = reference.route(**tree, unseen_as_missing=True, columns=columns, n_rows=n)
    assert (twin[0] is None) == (not spread)
    for n_threads in (0, 1, 2, 3, 8):
        ours = native.route(**tree, unseen_as_missing=True, columns=columns, n_rows=n, n_threads=n_threads)
        assert same(ours, twin)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("layout", ["by rows", "by columns", "part of a wide table", "backwards", "apart"])
def test_an_infinity_is_reported_where_the_tree_asks(layout: str, value: float) -> None:
    rng, n = np.random.default_rng(2), 600
    tree = random_tree(rng, ALL_KINDS, False, 1)
    asked = set(tree["feature"][tree["first_child"] >= 0].tolist())
    assert not asked >= set(range(NUMBERS))
    for feature in range(NUMBERS):
        for row in (0, 5, 127, 128, n - 1):
            numbers, codes = random_cells(rng, n, 0.1)
            numbers[row, feature] = value
            columns = layouts(numbers, codes)[layout]
            for module in (native, reference):
                ends = module.route(**tree, unseen_as_missing=False, columns=columns, n_rows=n)
                assert ends[3] is (feature in asked)


def test_columns_that_no_node_asks_for_may_be_absent() -> None:
    rng, n = np.random.default_rng(3), 40
    tree = random_tree(rng, ONLY_THRESHOLDS, False, 1)
    numbers, codes = random_cells(rng, n, 0.0)
    asked = tree["feature"].tolist()
    for whole in layouts(numbers, codes).values():
        columns = [cells if j in asked else None for j, cells in enumerate(whole)]
        given = {"unseen_as_missing": False, "columns": columns, "n_rows": n}
        assert same(native.route(**tree, **given), reference.route(**tree, **given))
