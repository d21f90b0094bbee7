"""Native routing equals its NumPy twin to the last bit, and refuses trees that would lead it astray."""

import importlib
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous.kernels import reference
from deciduous.kernels.reference import SplitKind

NATIVE = "deciduous.kernels._native"
# Only where the pure package was asked for may the native core be absent.
native = pytest.importorskip(NATIVE) if os.environ.get("DECIDUOUS_PURE") else importlib.import_module(NATIVE)

CATEGORICAL = (SplitKind.MULTIWAY, SplitKind.SUBSET, SplitKind.ONE_VS_REST)
N_CATEGORIES = 6
seeds = st.integers(0, 2**32 - 1)


def leaves(n):
    """The arrays of n nodes, all leaves, to be overwritten where they split."""
    return {
        "first_child": np.full(n, -1, np.int32),
        "n_branches": np.zeros(n, np.int32),
        "feature": np.full(n, -1, np.int32),
        "kind": np.zeros(n, np.uint8),
        "threshold": np.zeros(n),
        "category_start": np.zeros(n + 1, np.int64),
        "category_branch": np.empty(0, np.int32),
        "share": np.zeros(n),
    }


def split(tree, node, first_child, shares, kind, feature=0, threshold=0.0):
    tree["first_child"][node] = first_child
    tree["n_branches"][node] = len(shares)
    tree["share"][first_child : first_child + len(shares)] = shares
    tree["kind"][node] = kind
    tree["feature"][node] = feature
    tree["threshold"][node] = threshold


def stump(kind, shares=(0.0, 0.0), threshold=0.0, category_branch=()):
    """A root that splits feature 0 into the leaves 1, 2, ..."""
    tree = leaves(1 + len(shares))
    split(tree, 0, 1, shares, kind, threshold=threshold)
    tree["category_start"][1:] = len(category_branch)
    tree["category_branch"] = np.array(category_branch, np.int32)
    return tree


def chain(n_levels):
    """Level k sends x <= k to a leaf, node 2k + 1, and the rest on, to node 2k + 2."""
    tree = leaves(2 * n_levels + 1)
    splits = np.arange(0, 2 * n_levels, 2)
    split(tree, splits, 1, (0.0, 0.0), SplitKind.THRESHOLD, threshold=np.arange(n_levels))
    tree["first_child"][splits] = splits + 1
    return tree


def random_tree(rng, n_splits):
    """A tree over `random_columns` with splits of every kind, grown at random leaves."""
    tree = leaves(1 + 4 * n_splits)
    tables = [np.empty(0, int)] * (1 + 4 * n_splits)
    open_leaves = [0]
    n_nodes = 1
    for _ in range(n_splits):
        node = open_leaves.pop(rng.integers(len(open_leaves)))
        n_branches = int(rng.integers(2, 5))
        feature = int(rng.integers(6))
        kinds = [SplitKind.THRESHOLD, SplitKind.MISSING, *(CATEGORICAL if feature >= 3 else ())]
        kind = kinds[rng.integers(len(kinds))]
        split(tree, node, n_nodes, random_shares(rng, n_branches), kind, feature, rng.integers(-6, 8) / 2)
        if kind in CATEGORICAL:
            tables[node] = rng.integers(-1, n_branches, N_CATEGORIES)
        open_leaves += range(n_nodes, n_nodes + n_branches)
        n_nodes += n_branches
    tree["category_start"][1:] = np.cumsum([table.size for table in tables])
    tree["category_branch"] = np.concatenate(tables).astype(np.int32)
    return tree


def random_shares(rng, n_branches):
    some_zero = rng.dirichlet(np.ones(n_branches)) * (rng.random(n_branches) < 0.8)
    one_hot = np.eye(n_branches)[rng.integers(n_branches)]
    return (np.zeros(n_branches), one_hot, some_zero)[rng.integers(3)]


def random_columns(rng, n_rows):
    """Numbers with ties, infinities and missing cells; codes, some of them missing or unseen."""
    numbers = rng.integers(-3, 4, (3, n_rows)).astype(float)
    numbers[rng.random(numbers.shape) < 0.15] = np.nan
    numbers[rng.random(numbers.shape) < 0.05] = np.inf
    codes = rng.integers(-2, N_CATEGORIES + 2, (3, n_rows)).astype(np.int32)
    return [*numbers, *codes]


def route(tree, columns, n_rows=None, unseen_as_missing=False, kernel=native.route):
    n_rows = len(columns[0]) if n_rows is None else n_rows
    return kernel(**tree, unseen_as_missing=unseen_as_missing, columns=columns, n_rows=n_rows)


def assert_equal(entries, expected):
    for got, wanted in zip(entries, expected, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


def assert_twins(tree, columns, **options):
    """Both kernels agree; returns the entries as lists for a comparison by hand."""
    entries = route(tree, columns, **options)
    assert_equal(entries, route(tree, columns, **options, kernel=reference.route))
    return [part.tolist() for part in entries]


@given(seed=seeds, n_splits=st.integers(0, 40), n_rows=st.integers(0, 600), unseen_as_missing=st.booleans())
def test_twins_agree(seed, n_splits, n_rows, unseen_as_missing):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n_splits)
    assert_twins(tree, random_columns(rng, n_rows), unseen_as_missing=unseen_as_missing)


@given(seed=seeds)
def test_entries_are_ordered_and_keep_every_row(seed):
    rng = np.random.default_rng(seed)
    rows, nodes, weights = route(random_tree(rng, 30), random_columns(rng, 200))
    assert np.array_equal(np.unique(rows), np.arange(200))
    assert np.all((np.diff(rows) > 0) | ((np.diff(rows) == 0) & (np.diff(nodes) > 0)))
    assert np.all(weights > 0)
    assert np.bincount(rows, weights).max() <= 1 + 1e-12


def test_a_single_leaf_takes_every_row():
    assert assert_twins(leaves(1), [None], n_rows=3) == [[0, 1, 2], [0, 0, 0], [1.0, 1.0, 1.0]]


def test_no_rows():
    tree = stump(SplitKind.THRESHOLD)
    assert assert_twins(tree, [np.empty(0)]) == [[], [], []]


def test_a_threshold_sends_equal_cells_left_and_its_neighbours_right():
    x = np.array([0.5, np.nextafter(0.5, 1), -np.inf, np.inf])
    assert assert_twins(stump(SplitKind.THRESHOLD, threshold=0.5), [x])[1] == [1, 2, 1, 2]


def test_a_threshold_splits_ordered_codes():
    codes = np.array([0, 1, 2, -1, -2], np.int32)
    tree = stump(SplitKind.THRESHOLD, shares=(0.0, 1.0), threshold=1.0)
    assert assert_twins(tree, [codes])[1] == [1, 1, 2, 2, 0]


@pytest.mark.parametrize("kind", CATEGORICAL)
def test_categories_follow_their_branch(kind):
    """Code 1 was absent in training and code 3 is beyond the table: both are unseen, like -2."""
    codes = np.array([0, 1, 2, 3, -1, -2], np.int32)
    tree = stump(kind, shares=(1.0, 0.0), category_branch=(1, -1, 0))
    assert assert_twins(tree, [codes])[1] == [2, 0, 1, 0, 1, 0]
    assert assert_twins(tree, [codes], unseen_as_missing=True)[1] == [2, 1, 1, 1, 1, 1]


def test_missing_or_not_counts_unseen_cells_as_known():
    tree = stump(SplitKind.MISSING, shares=(0.0, 1.0))
    codes = np.array([0, -2, -1], np.int32)
    assert assert_twins(tree, [codes])[1] == [1, 1, 2]
    assert assert_twins(tree, [codes], unseen_as_missing=True)[1] == [1, 2, 2]
    assert assert_twins(tree, [np.array([0.0, np.nan])])[1] == [1, 2]


def test_missing_cells_may_have_a_branch_of_their_own():
    tree = stump(SplitKind.THRESHOLD, shares=(0.0, 0.0, 1.0))
    assert assert_twins(tree, [np.array([-1.0, 1.0, np.nan])])[1] == [1, 2, 3]


def test_shares_multiply_down_the_tree():
    tree = leaves(5)
    split(tree, 0, 1, (0.25, 0.75), SplitKind.THRESHOLD)
    split(tree, 1, 3, (0.5, 0.5), SplitKind.THRESHOLD, feature=1)
    x, y = np.array([np.nan, 1.0]), np.array([np.nan, np.nan])
    assert assert_twins(tree, [x, y]) == [[0, 0, 0, 1], [2, 3, 4, 2], [0.75, 0.125, 0.125, 1.0]]


def test_one_share_below_one_loses_the_rest():
    assert assert_twins(stump(SplitKind.THRESHOLD, (0.0, 0.5)), [np.array([np.nan])]) == [[0], [2], [0.5]]


def test_a_missing_cell_without_shares_stops():
    assert assert_twins(stump(SplitKind.THRESHOLD), [np.array([np.nan, 1.0])])[1] == [0, 2]


def test_a_hundred_thousand_levels():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 100_000, 1_000)
    tree = chain(100_000)
    assert route(tree, [levels.astype(float)])[1].tolist() == (2 * levels + 1).tolist()
    assert assert_twins(tree, [np.array([3.0, 99_999.0, 1e9])])[1] == [7, 199_999, 200_000]


def test_missing_cells_spread_over_a_long_chain():
    tree = chain(5_000)
    tree["share"][1:] = 0.5
    rows, _, weights = assert_twins(tree, [np.array([np.nan, 4_999.0])])
    assert weights[:2] == [0.5, 0.25]
    assert rows.count(1) == 1


@given(seed=seeds)
def test_strided_reversed_and_read_only_columns(seed):
    rng = np.random.default_rng(seed)
    tree, columns = random_tree(rng, 20), random_columns(rng, 50)
    expected = route(tree, columns)
    strided = [np.repeat(column, 3)[::3] for column in columns]
    reversed_ = [column[::-1].copy()[::-1] for column in columns]
    for array in (*tree.values(), *columns):
        array.setflags(write=False)
    for same in (columns, strided, reversed_, tuple(columns)):
        assert_equal(route(tree, same, n_rows=50), expected)


def test_columns_that_no_node_splits_may_be_none():
    tree = stump(SplitKind.THRESHOLD)
    tree["feature"][0] = 1
    assert assert_twins(tree, [None, np.array([-1.0, 1.0]), None], n_rows=2)[1] == [1, 2]


CORRUPT = {
    "a child before its parent": ({"first_child": [0, -1, -1]}, "children"),
    "a child beyond the tree": ({"first_child": [2, -1, -1]}, "children"),
    "no branch": ({"n_branches": [0, 0, 0]}, "children"),
    "one branch": ({"n_branches": [1, 0, 0]}, "two branches"),
    "branches that overflow": ({"n_branches": [2**31 - 1, 0, 0]}, "children"),
    "two parents": ({"first_child": [1, 2, -1], "n_branches": [2, 1, 0]}, "another parent"),
    "a split of kind leaf": ({"kind": [0, 0, 0]}, "kind"),
    "an unknown kind": ({"kind": [6, 0, 0]}, "kind"),
    "a negative feature": ({"feature": [-1, -1, -1]}, "feature"),
    "a feature beyond the columns": ({"feature": [2, -1, -1]}, "feature"),
    "a column that is None": ({"feature": [1, -1, -1]}, "None"),
    "categories of numbers": ({"kind": [2, 0, 0]}, "int32"),
    "a negative start": ({"category_start": [-1, 0, 0, 0]}, "category_start"),
    "starts that fall": ({"category_start": [0, 2, 1, 2]}, "category_start"),
    "starts beyond the table": ({"category_start": [0, 3, 3, 3]}, "category_start"),
    "too few starts": ({"category_start": [0, 2, 2]}, "category_start"),
    "too few thresholds": ({"threshold": [0.0]}, "threshold"),
}


@pytest.mark.parametrize(("change", "message"), CORRUPT.values(), ids=CORRUPT.keys())
def test_a_corrupt_tree_is_refused(change, message):
    tree = stump(SplitKind.THRESHOLD, category_branch=(0, 1))
    tree |= {name: np.array(values, tree[name].dtype) for name, values in change.items()}
    with pytest.raises(ValueError, match=message):
        route(tree, [np.zeros(1), None])


@pytest.mark.parametrize("branch", [-2, 2])
def test_a_category_of_no_branch_is_refused(branch):
    tree = stump(SplitKind.SUBSET, category_branch=(0, branch))
    with pytest.raises(ValueError, match=f"branch {branch}"):
        route(tree, [np.zeros(1, np.int32)])


def test_a_tree_without_nodes_is_refused():
    with pytest.raises(ValueError, match="at least one node"):
        route(leaves(0), [], n_rows=1)


@pytest.mark.parametrize("n_rows", [-1, 1, 3])
def test_rows_that_the_columns_do_not_have_are_refused(n_rows):
    with pytest.raises(ValueError, match=r"n_rows|cells"):
        route(stump(SplitKind.THRESHOLD), [np.zeros(2)], n_rows=n_rows)


@pytest.mark.parametrize("column", [np.zeros(1, np.float32), np.zeros(1, np.int64), np.zeros((1, 1)), "a"])
def test_columns_of_other_types_are_refused(column):
    with pytest.raises(TypeError, match="column 0"):
        route(stump(SplitKind.THRESHOLD), [column], n_rows=1)


def test_tree_arrays_of_other_types_are_refused():
    tree = stump(SplitKind.THRESHOLD)
    tree["first_child"] = tree["first_child"].astype(np.int64)
    with pytest.raises(TypeError, match="incompatible"):
        route(tree, [np.zeros(1)])
