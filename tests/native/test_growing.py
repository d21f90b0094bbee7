"""The native growing and its NumPy twin grow the same tree: structure, thresholds, counts; sums to rounding."""

import os
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, DataWarning, Tree, kernels
from deciduous.estimators.base import TreeEstimator
from deciduous.kernels import SplitKind
from deciduous.model.candidate import Candidate
from deciduous.model.tree import ARRAYS
from tests.native.tables import random_problem

pytest.importorskip("deciduous.kernels._native", reason="the native kernels are not built here")

SEEDS = 12_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 160
BATCH = 40
SUMS = ("weight", "impurity", "gain", "value", "class_weight", "share")


def grown(estimator: TreeEstimator, X: object, y: object, weight: object, kernel: str) -> Tree:
    with kernels.use(kernel), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        tree = clone(estimator).fit(X, y, weight).tree_
    tree.check()
    return tree


def assert_same(a: Tree, b: Tree) -> None:
    unit = max(1.0, float(np.nan_to_num(np.abs(a.impurity)).max()))
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        if name in SUMS:
            np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12 * unit, err_msg=name)
        else:
            np.testing.assert_array_equal(x, y, err_msg=name)
    assert (a.candidates is None) == (b.candidates is None)
    for p, q in zip(sum(a.candidates or (), ()), sum(b.candidates or (), ()), strict=True):
        assert_same_candidate(p, q, unit)


def assert_same_candidate(p: Candidate, q: Candidate, unit: float) -> None:
    assert (p.feature, p.verdict, p.tried, p.exact) == (q.feature, q.verdict, q.tried, q.exact)
    assert (p.table is None, p.missing is None) == (q.table is None, q.missing is None)
    if p.table is not None and q.table is not None:
        np.testing.assert_allclose(p.table, q.table, rtol=1e-9, atol=1e-10 * unit)


@pytest.mark.parametrize("conventions", ["c45", "r8", "j48"])
@pytest.mark.parametrize("seed", range(8))
def test_a_column_that_gains_nothing_has_a_cut_all_the_same_or_none(conventions: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], 40)
    X = np.column_stack(
        [np.repeat(rng.permutation(40).astype(float), 2), np.where(rng.random(80) < 0.8, y, rng.integers(0, 2, 80))]
    )
    X[rng.random(80) < 0.1, 1] = np.nan
    X[:4, 0] = np.nan  # of both classes as many: its cuts gain nothing, or next to nothing
    estimator = C45Classifier(conventions=conventions, mdl_correction=False, min_cases=1.0)
    numpy, native = (grown(estimator, X, y, None, kernel) for kernel in ("numpy", "native"))
    assert_same(numpy, native)
    assert numpy.candidates is not None
    assert native.candidates is not None
    for p, q in zip(sum(numpy.candidates, ()), sum(native.candidates, ()), strict=True):
        assert (p.split is None) == (q.split is None)
        assert p.split is None or q.split is None or p.split.threshold == q.split.threshold


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_random_tables(first: int) -> None:
    for seed in range(first, first + BATCH):
        estimator, X, y, weight = random_problem(seed)
        numpy, native = (grown(estimator, X, y, weight, kernel) for kernel in ("numpy", "native"))
        try:
            assert_same(numpy, native)
        except AssertionError as difference:
            raise AssertionError(f"seed {seed}: {estimator!r}") from difference


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize(
    "estimator",
    [
        CARTClassifier(),
        CARTClassifier(criterion="entropy"),
        CARTClassifier(max_bins=32),
        CARTRegressor(max_depth=8),
        CARTRegressor(),
        C45Classifier(pruning=None),
        CARTRegressor(max_depth=5, missing="fractional", criterion="absolute_error"),
    ],
    ids=["class", "class by entropy", "class in bins", "number", "number, whole", "class in parts", "number in parts"],
)
def test_any_number_of_threads(estimator: TreeEstimator, missing: float) -> None:
    """To the last bit, whichever way of searching a node takes: large, small or tiny, recorded or not."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 6))
    X[rng.random(X.shape) < missing] = np.nan
    y = np.clip(np.nan_to_num(X[:, 0] * X[:, 1]) + 2 * rng.normal(size=20_000) + 2, 0, 4).astype(int)
    trees = [grown(estimator.set_params(n_jobs=n), X, y, None, "native") for n in (1, 2, 5)]
    for other in trees[1:]:
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(trees[0], name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("conventions", ["c45", "j48", "r8"])
def test_small_tables_of_many_categories(conventions: str) -> None:
    """Columns with a category for every few rows, which only some conventions keep out of the average gain."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 30))
        X = pd.DataFrame({f"c{j}": rng.integers(0, rng.integers(1, n + 1), n).astype(str) for j in range(4)})
        X["x"] = rng.integers(0, 6, n).astype(float)
        y = rng.integers(0, 2 + seed % 2, n).astype(str)
        estimator = C45Classifier(
            conventions=conventions,
            min_cases=seed % 3,
            mdl_correction=seed % 5 > 0,
            pruning=None,
            collapse=False,
            kinds={f"c{j}": "nominal" for j in range(4)},
        )
        assert_same(*(grown(estimator, X, y, None, kernel) for kernel in ("numpy", "native")))


def test_more_rows_and_classes_than_a_narrow_record_holds() -> None:
    rng = np.random.default_rng(2)
    n, n_classes = 70_000, 20_000
    X = rng.integers(0, 1000, size=(n, 1)).astype(float)
    y = rng.integers(0, n_classes, n)
    estimator = CARTClassifier(max_depth=2, keep_candidates=0)
    assert_same(*(grown(estimator, X, y, None, kernel) for kernel in ("numpy", "native")))


def test_a_deep_chain() -> None:
    n = 3000
    tree = grown(CARTClassifier(), np.arange(n, dtype=float)[:, None], np.arange(n) % 2, None, "native")
    assert tree.n_leaves == n
    assert (tree.kind[~tree.is_leaf] == SplitKind.THRESHOLD).all()


@pytest.mark.parametrize("columns", ["distinct", "tied", "few", "few, recorded", "binned", "mixed", "missing"])
@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("gini", 3), ("entropy", 3), ("squared_error", 0)])
def test_more_rows_than_a_small_node_has(criterion: str, n_classes: int, columns: str) -> None:
    rng = np.random.default_rng(4)
    n = 5000
    X = rng.normal(size=(n, 3)).round({"distinct": 15, "binned": 15, "tied": 2}.get(columns, 1))
    if columns == "mixed":
        X[:, :1] = rng.normal(size=(n, 1))
    if columns == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1]) + rng.normal(size=n)
    options: Any = {"keep_candidates": 10_000 if columns == "few, recorded" else 0}
    options |= {"max_bins": 40 if columns == "binned" else None, "missing": "direction"}
    estimator: TreeEstimator = CARTRegressor(max_depth=8, **options)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
        estimator = CARTClassifier(max_depth=9, criterion=criterion, min_samples_leaf=2, **options)
    reference = grown(estimator, X, y, None, "numpy")
    for n_jobs in (1, 3):
        assert_same(reference, grown(estimator.set_params(n_jobs=n_jobs), X, y, None, "native"))


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_larger_nodes_with_many_categories(criterion: str, n_jobs: int) -> None:
    rng = np.random.default_rng(3)
    n = 4000
    X = pd.DataFrame({"number": rng.normal(size=n), "tied": rng.integers(0, 9, n) * 1.0})
    X["many"], X["few"] = pd.Categorical(rng.integers(0, 40, n)), pd.Categorical(rng.integers(0, 5, n))
    X = X.mask(rng.random(X.shape) < 0.05)
    y = rng.poisson(np.exp(np.nan_to_num(X["number"]))) * 1.0
    heavy = rng.random(n) * np.where(rng.random(n) < 0.1, 100, 1) + 1e-3
    for weight, nominal in ((None, "subset"), (heavy, "one_vs_rest"), (heavy, "multiway")):
        estimator = CARTRegressor(
            criterion=criterion, nominal=nominal, min_samples_leaf=5, max_depth=4, monotonic_cst={"number": 1}
        ).set_params(n_jobs=n_jobs)
        assert_same(*(grown(estimator, X, y, weight, kernel) for kernel in ("numpy", "native")))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "gain", "mdl_correction": False, "min_cases": 0.0, "max_leaf_nodes": 9},
        {"conventions": "j48"},
        {"conventions": "r8"},
    ],
    ids=["c45", "best first", "j48", "r8"],
)
def test_larger_nodes_in_parts(options: dict[str, Any], weighted: bool) -> None:
    rng = np.random.default_rng(4)
    n = 3000
    X = pd.DataFrame({"number": rng.normal(size=n), "tied": rng.integers(0, 40, n) * 1.0})
    X["few"] = pd.Categorical(rng.choice(list("pqrst"), n))
    y = (X["number"] + rng.normal(size=n) + 2 * X["few"].eq("p") > 0) * 1 + (rng.random(n) < 0.2)
    X = X.mask(rng.random(X.shape) < 0.1)
    estimator = C45Classifier(max_depth=5, collapse=False, pruning=None, **options)
    weight = rng.random(n) + 0.1 if weighted else None
    assert_same(*(grown(estimator, X, y, weight, kernel) for kernel in ("numpy", "native")))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("conventions", ["c45", "j48", "r8"])
def test_many_light_parts(conventions: str, seed: int) -> None:
    """Most entries weigh next to nothing: what is passed over without a search is what a search would not divide. No
    row is lost, and the parts of each weigh 1 together.
    """
    rng = np.random.default_rng(seed)
    n = 1500
    X = pd.DataFrame(
        {"number": rng.normal(size=n), "close": rng.integers(0, 400, n) * 6e-6, "tied": rng.integers(0, 40, n)}
    )
    for k in (5, 12, 30):
        X[f"of {k}"] = pd.Categorical(rng.integers(0, k, n))
    effect = rng.normal(size=12)[X["of 12"].cat.codes] + X["number"] + rng.normal(size=n)
    y = np.digitize(effect, [-1, 0.8][seed % 2 :]) + (rng.random(n) < 0.05 * (seed % 3))
    X = X.mask(rng.random(X.shape) < rng.choice([0.05, 0.1, 0.3], X.shape[1]))
    weight = rng.integers(1, 4, n) / 2 if seed % 2 else None
    options: Any = {"collapse": False, "pruning": None, "keep_candidates": 0, "min_cases": float(rng.choice([1, 2, 4]))}
    estimator = C45Classifier(conventions=conventions, max_depth=4, **options)
    numpy, native = (grown(estimator, X, y, weight, kernel) for kernel in ("numpy", "native"))
    assert_same(numpy, native)
    leaves = native.weight[native.is_leaf].sum()
    assert leaves == pytest.approx(n if weight is None else weight.sum(), rel=1e-9)
    inner = np.flatnonzero(~native.is_leaf)
    for node in inner.tolist():
        assert native.share[native.first_child[node] :][: native.n_branches[node]].sum() == pytest.approx(
            1.0, rel=1e-12
        )


def three_rows(in_parts: bool = False) -> Any:
    native = kernels.native()
    assert native is not None
    classes, rows = np.array([0, 1, 0], np.int32), np.arange(3)
    columns, n_categories = [np.array([1.0, 2, np.nan if in_parts else 3])], np.zeros(1, np.int32)
    return native.TrainingRows(columns, n_categories, classes, None, None, 2, rows, 3, 1, 0, 0, in_parts)


def divided(rows: Any, shares: list[float], block: int = 0) -> Any:
    node, one = (np.array([0]), np.array([3])), np.ones(1, np.int32)
    question = (0 * one, one.astype(np.uint8), np.array([1.5]), 2 * one, 0 * one)
    return rows.divide(*node, *question, np.zeros(2, np.int64), np.zeros(0, np.int32), np.array(shares), block)


def test_blocks_of_entries() -> None:
    rows = three_rows(in_parts=True)
    counts, weight, *_ = divided(rows, [0.75, 0.25])
    assert (counts.tolist(), weight.tolist()) == ([2, 2], [1.75, 1.25])
    starts, sizes = rows.keep(np.array([1, 1], np.uint8))
    assert (starts[0], sizes.tolist(), rows.block) == (0, [2, 2], 1)
    with pytest.raises(ValueError, match="let go"):
        divided(rows, [0.75, 0.25])  # its block went with its last node
    with pytest.raises(ValueError, match="more nodes are let go"):
        rows.let_go(1, 3)
    rows.let_go(1, 2)


@pytest.mark.parametrize("shares", [[1.0], [0.5, 1.5], [0.5, np.nan]])
def test_wrong_shares_are_refused(shares: list[float]) -> None:
    with pytest.raises(ValueError, match="share"):
        divided(three_rows(in_parts=True), shares)


def searched(
    rows: Any, size: int = 3, nominal: int = 0, measure: int = 0, random: bool = False, n_signs: int = 0
) -> Any:
    node, one = (np.array([0]), np.array([size])), np.ones(1)
    inherited = (np.zeros(n_signs, np.int8), np.zeros(0, np.uint64), np.zeros(0), np.zeros(0))
    conventions = (False, -1.0, 0.0, False, False, False, 0.0, 0.0)
    options = (measure, 0, nominal, 1, 0.0, 0.0, 0.0, conventions, True, random, 0, False, *inherited)
    return rows.best_splits(*node, one, one, one, one * 0, np.array([2.0, 1.0]), *options)


def test_a_search_that_is_described() -> None:
    rows = three_rows()
    gain, _, kind, *_ = searched(rows)
    one = np.zeros(1, np.int64)
    threshold, low, high, branches, weights, *_ = (part.tolist() for part in rows.describe(one, one))
    assert (kind.tolist(), threshold, low, high) == ([SplitKind.THRESHOLD], [1.5], [1.0], [2.0])
    assert (branches, weights) == ([0, 2], [1, 2])
    findings = rows.findings()
    *_, lines, missing = findings.arrays()
    assert (lines.tolist(), missing.tolist(), findings.n_cells) == ([1, 0, 1, 1], [0, 0], 4)
    assert gain == pytest.approx((4 / 9 - 2 / 3 * 0.5) * 3)  # the weight of the node was said to be 1


@pytest.mark.parametrize(
    "call",
    [
        lambda rows: rows.divide(*[np.zeros(1, dtype=t) for t in (np.int64, np.int64, np.int32, np.uint8)]),
        lambda rows: rows.keep(np.ones(3, dtype=np.uint8)),
        lambda rows: searched(rows, size=99),
        lambda rows: searched(rows, nominal=3),
        lambda rows: searched(rows, measure=6),
        lambda rows: searched(rows, measure=5),
        lambda rows: searched(rows, random=True),
        lambda rows: searched(rows, n_signs=2),
        lambda rows: searched(rows, n_signs=1),
        lambda rows: rows.describe(np.zeros(1, np.int64), np.zeros(1, np.int64)),
        lambda rows: (searched(rows), rows.describe(np.zeros(1, np.int64), np.ones(1, np.int64))),
    ],
    ids=[
        "too few arguments",
        "branches not divided",
        "a segment outside",
        "no such split",
        "no such measure",
        "numbers' measure for classes",
        "draws without keys",
        "signs of other columns",
        "signs without bounds",
        "not searched",
        "a column",
    ],
)
def test_wrong_calls_are_refused(call: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        call(three_rows())  # type: ignore[operator]


@pytest.mark.parametrize(
    ("classes", "rows", "message"),
    [
        (np.array([0, 5, 0], np.int32), np.arange(3), "no class"),
        (np.array([0, 1, 0], np.int32), np.array([0, 3]), "within the table"),
        (np.array([0, 1, 0], np.int32), np.array([1, 0]), "increase"),
    ],
)
def test_wrong_rows_are_refused(classes: np.ndarray, rows: np.ndarray, message: str) -> None:
    native = kernels.native()
    assert native is not None
    with pytest.raises(ValueError, match=message):
        native.TrainingRows([np.ones(3)], np.zeros(1, np.int32), classes, None, None, 2, rows, 3, 1)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_tree_that_stays_small_though_its_targets_differ_keeps_what_was_found(criterion: str) -> None:
    rng = np.random.default_rng(8)
    X, y = rng.integers(0, 3, (1_000, 2)), rng.normal(size=1_000)
    estimator = CARTRegressor(criterion=criterion, keep_candidates=30)  # of many more, it looks like
    numpy, native = (grown(estimator, X, y, None, kernel) for kernel in ("numpy", "native"))
    assert len(native) <= 30
    assert native.candidates is not None
    assert_same(numpy, native)
