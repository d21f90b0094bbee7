"""Absolute error with many categories, what its nodes keep, and Poisson deviance; the oracle has the small tables."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous as dd
from deciduous import CARTRegressor
from deciduous.criteria import CRITERIA
from deciduous.errors import DataError, OptionError
from deciduous.explain.derivation import derivation_of

OPTIONS: dict[str, Any] = {"criterion": "absolute_error", "max_depth": 1}


def categories(n: int, per: int = 6, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Categories of which every third has large targets, with some noise."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(n), per))
    labels = [f"c{code:02d}" for code in codes]
    return pd.DataFrame({"kind": labels}), np.where(codes % 3 == 0, 50.0, 0.0) + rng.normal(size=len(codes)).round(3)


@pytest.mark.parametrize(("n", "exact"), [(5, True), (12, True), (13, False), (60, False)])
@pytest.mark.parametrize("missing", ["majority", "branch", "direction"])
def test_a_planted_division_is_found(n: int, exact: bool, missing: str) -> None:
    frame, y = categories(n)
    tree = CARTRegressor(**OPTIONS, missing=missing).fit(frame, y).tree_
    split = tree.split(0)
    small, large = (set(split.categories_of(b).tolist()) for b in (0, 1))
    assert {frozenset(small), frozenset(large)} == {
        frozenset(range(0, n, 3)),
        frozenset(set(range(n)) - set(range(0, n, 3))),
    }
    assert bool(tree.exact[0]) is exact
    assert tree.gain[0] == pytest.approx(tree.impurity[0] - (tree.weight * tree.impurity)[1:].sum() / tree.weight[0])


@pytest.mark.parametrize("n", [12, 13, 30])
def test_missing_rows_are_one_more_item(n: int) -> None:
    frame, y = categories(n)
    holes = np.arange(len(y)) % 7 == 0
    frame["kind"] = frame["kind"].mask(holes)
    tree = CARTRegressor(**OPTIONS).fit(frame, np.where(holes, 50.0, y)).tree_
    assert tree.exact[0] == (n < 12)
    taken = int(tree.split(0).shares.argmax())
    assert 0 in tree.split(0).categories_of(taken)  # with the categories of large targets
    left = frame["kind"].mask(holes).isna() | frame["kind"].isin([f"c{k:02d}" for k in range(0, n, 3)])
    assert sorted(tree.n_samples[1:].tolist()) == sorted([int(left.sum()), int((~left).sum())])


@pytest.mark.parametrize("nominal", ["multiway", "one_vs_rest", "subset"])
def test_a_limit_forbids_branches(nominal: str) -> None:
    frame, y = categories(20, per=3)
    tree = CARTRegressor(**OPTIONS, nominal=nominal, min_samples_leaf=4).fit(frame, y).tree_
    assert (len(tree) == 1) == (nominal != "subset")
    assert tree.n_samples.min() >= 4


def test_nodes_answer_medians_and_keep_them() -> None:
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, np.nan]}), [1.0, 2, 9, 30, 40, 41]
    tree = CARTRegressor(criterion="absolute_error", missing="majority", max_depth=1).fit(X, y).tree_
    root = tree.node(0)
    assert (root.prediction, root.impurity) == (19.5, dd.absolute_error(y))
    assert [child.prediction for child in root.children] == [
        5.5,
        35.0,
    ]  # the row without a cell goes left, with the heavier branch
    table = root.candidates[0].table
    assert table.tolist() == [[3, 2, pytest.approx(8 / 3)], [2, 35, 5]]
    assert root.candidates[0].missing.tolist() == [1, 41, 0]
    text = derivation_of(tree).to_text()
    assert "c(D) = 19.5" in text
    assert "drop in absolute error" in text
    assert "median 19.5, absolute error" in tree.to_text()


def test_far_from_zero_and_tiny() -> None:
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 1, 5, 6, 5, 6])
    plain = CARTRegressor(criterion="absolute_error").fit(X, y).tree_
    for shift, scale in ((1e8, 1.0), (0.0, 1e-120), (0.0, 1e140)):
        other = CARTRegressor(criterion="absolute_error").fit(X, shift + scale * y).tree_
        assert other.threshold.tolist() == pytest.approx(plain.threshold.tolist(), nan_ok=True)
        assert other.impurity == pytest.approx(scale * plain.impurity, rel=1e-7)


def test_tables_that_only_add_cannot_be_grown() -> None:
    criterion = CRITERIA["number", "absolute_error"]
    assert not criterion.additive
    with pytest.raises(OptionError, match="cannot be grown from sums"):
        criterion.gain(np.ones((1, 2, 3)))


# --- Poisson deviance


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, -2, 3, -4], r"2 of 4 rows of 'y' are negative \(row 1: -2\)"),
        ([0, 0, 0, 0], "all 4 rows of 'y' are 0"),
    ],
)
def test_targets_that_are_no_counts(y: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        CARTRegressor(criterion="poisson").fit([[1.0], [2], [3], [4]], y)


def test_a_negative_target_without_weight_takes_no_part() -> None:
    model = CARTRegressor(criterion="poisson").fit([[1.0], [2], [3]], [1, -2, 3], sample_weight=[1, 0, 1])
    assert model.predict([[1.0], [3.0]]).tolist() == [1, 3]


@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
def test_no_branch_answers_zero(nominal: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.integers(0, 9, 80), "c": rng.choice(list("abcdef"), 80)})
    y = rng.poisson(0.4, 80) * (X["c"] != "a")
    tree = CARTRegressor(criterion="poisson", nominal=nominal).fit(X, y).tree_
    tree.check()
    assert len(tree) > 5
    assert (tree.value > 0).all()
    assert tree.gain[0] == pytest.approx(
        tree.impurity[0] - (tree.weight * tree.impurity)[tree.parent == 0].sum() / tree.weight[0]
    )
    assert "half Poisson deviance" in tree.to_text()
    assert "half Poisson deviance" in derivation_of(tree).to_text()
