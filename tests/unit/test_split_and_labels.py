"""Splits, and their answers in words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import CARTClassifier, CARTRegressor, Tree
from deciduous.data.schema import Feature
from deciduous.kernels import SplitKind
from deciduous.model.labels import Conditions, ThresholdText, among, answer, figure, significant
from deciduous.model.split import Split
from tests.trees import leaf, node, tree_of

AGE = Feature("age", "numeric")
TOWN = Feature("town", "nominal", ("Ulm", "Köln", "北京", "Rome, GA"))
GRADE = Feature("grade", "ordinal", ("low", "mid", "high"))
SEX = Feature("sex", "nominal", (False, True))
CODE = Feature("code", "nominal", (1, 2.5))


def split(kind: SplitKind, n: int = 2, branch: Any = (), shares: Any = None, threshold: float = np.nan) -> Split:
    shares = np.zeros(n) if shares is None else np.array(shares, dtype=float)
    return Split(0, kind, n, threshold, np.array(branch, dtype=np.int32), shares)


def answers(asked: Split, feature: Feature, threshold: str = "") -> list[str]:
    return [answer(asked, feature, b, threshold) for b in range(asked.n_branches)]


@pytest.mark.parametrize(
    ("asked", "feature", "words"),
    [
        (split(SplitKind.THRESHOLD, threshold=30), AGE, ["age <= 30", "age > 30"]),
        (split(SplitKind.THRESHOLD, 3, threshold=30), AGE, ["age <= 30", "age > 30", "age is missing"]),
        (split(SplitKind.THRESHOLD, threshold=0), GRADE, ["grade <= low", "grade > low"]),
        (split(SplitKind.THRESHOLD, threshold=1.5), GRADE, ["grade <= mid", "grade > mid"]),
        (split(SplitKind.MISSING), AGE, ["age is known", "age is missing"]),
        (
            split(SplitKind.MULTIWAY, 4, [0, 1, 2, 3]),
            TOWN,
            ["town = Ulm", "town = Köln", "town = 北京", "town = Rome, GA"],
        ),
        (split(SplitKind.MULTIWAY, 2, [0, 1]), SEX, ["sex = False", "sex = True"]),
        (split(SplitKind.MULTIWAY, 3, [0, 1]), CODE, ["code = 1", "code = 2.5", "code is missing"]),
        (split(SplitKind.SUBSET, 2, [0, 1, 1, -1]), TOWN, ["town = Ulm", "town in {Köln, 北京}"]),
        (
            split(SplitKind.SUBSET, 3, [0, 1, 1, 0]),
            TOWN,
            ["town in {Ulm, Rome, GA}", "town in {Köln, 北京}", "town is missing"],
        ),
        (split(SplitKind.ONE_VS_REST, 2, [1, 0, 1, 1]), TOWN, ["town = Köln", "town != Köln"]),
        (split(SplitKind.ONE_VS_REST, 3, [1, 0]), CODE, ["code = 2.5", "code != 2.5", "code is missing"]),
    ],
)
def test_the_condition_of_every_branch(asked: Split, feature: Feature, words: list[str]) -> None:
    assert answers(asked, feature, "30") == words


@pytest.mark.parametrize(
    ("shares", "missing", "words"),
    [
        ([1, 0], 3, ["age <= 30 or missing", "age > 30"]),
        ([0, 1], 3, ["age <= 30", "age > 30 or missing"]),
        ([0, 1], 0, ["age <= 30", "age > 30"]),
        ([0.5, 0.5], 3, ["age <= 30", "age > 30"]),
        ([0, 0, 1], 3, ["age <= 30", "age > 30", "age is missing"]),
    ],
)
def test_the_branch_that_takes_missing_cells_says_so(shares: list[float], missing: int, words: list[str]) -> None:
    asked = split(SplitKind.THRESHOLD, len(shares), shares=shares, threshold=30)
    assert answers(asked, Feature("age", "numeric", missing=missing), "30") == words


@pytest.mark.parametrize(
    ("asked", "branch"),
    [
        (split(SplitKind.THRESHOLD), -1),
        (split(SplitKind.THRESHOLD, 3), 2),
        (split(SplitKind.SUBSET, 3, [0, 1, 1]), 2),
        (split(SplitKind.ONE_VS_REST, 2, [0, 1, 1]), -1),
        (split(SplitKind.MULTIWAY, 4, [0, 1, 2, 3]), -1),
        (split(SplitKind.MULTIWAY, 5, [0, 1, 2, 3]), 4),
        (split(SplitKind.MULTIWAY, 2, [0]), 1),
        (split(SplitKind.MISSING), 1),
    ],
)
def test_the_branch_of_missing_cells(asked: Split, branch: int) -> None:
    assert asked.missing_branch == branch


def test_the_categories_of_a_branch() -> None:
    asked = split(SplitKind.SUBSET, 2, [0, -1, 1, 0])
    assert [asked.categories_of(b).tolist() for b in (0, 1)] == [[0, 3], [2]]


@pytest.mark.parametrize(
    ("names", "text"), [("a", "= a"), ("ab", "in {a, b}"), ("abcd", "in {a, b, c, ... 1 more}"), ("", "in {}")]
)
def test_a_list_of_categories(names: str, text: str) -> None:
    assert among(names, most=3) == text


# Numbers


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-12345678.0, "-12345678"),
        (1e15, "1e+15"),
        (0.5, "0.5"),
        (1 / 3, "0.3333"),
        (-1 / 3, "-0.3333"),
        (0.00123456, "0.001235"),
        (12.3456, "12.35"),
        (123456.75, "123456.8"),
        (-123456.75, "-123456.8"),
        (1.00001, "1"),
        (1e-7, "1e-07"),
        (99.99999, "100"),
    ],
)
def test_significant_digits(x: float, text: str) -> None:
    assert significant(x) == text


@pytest.mark.parametrize(("digits", "text"), [(1, "0.3"), (2, "0.33"), (10, "0.3333333333")])
def test_the_number_of_digits_may_be_chosen(digits: int, text: str) -> None:
    assert significant(1 / 3, digits) == text


@pytest.mark.parametrize(
    ("x", "text"), [(0, "0.0000"), (0.940286, "0.9403"), (3.8, "3.8000"), (1.5e-7, "1.50e-07"), (float("nan"), "")]
)
def test_figures(x: float, text: str) -> None:
    assert figure(x) == text
    assert figure(1 / 3, 2) == "0.33"


# Thresholds


def thresholds(x: list[float], y: list[Any], **options: Any) -> list[str]:
    tree = CARTRegressor(**options).fit(np.array(x).reshape(-1, 1), y).tree_
    text = ThresholdText(tree)
    return [text(int(tree.feature[i]), t) for i, t in enumerate(tree.threshold.tolist()) if t == t]


def test_different_thresholds_look_different() -> None:
    x = [0.1, 0.100001, 0.100002, 0.100003]
    shown = thresholds(x, [0, 1, 0, 1])
    assert len(set(shown)) == len(shown) == 3
    assert sorted(map(float, shown)) == pytest.approx([0.1000005, 0.1000015, 0.1000025], abs=4e-7)


def test_neighbouring_floats_look_different() -> None:
    x = [1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2)]
    shown = thresholds(x, [0, 1, 0])
    assert len(set(shown)) == len(shown) == 2


def test_thresholds_are_no_longer_than_they_need_to_be() -> None:
    assert thresholds([1, 2, 3.25], [0, 1, 1]) == ["1.5"]
    assert thresholds([1, 2, 2 + 1 / 3], [0, 0, 1]) == ["2.167"]


def test_a_threshold_has_the_digits_that_it_needs() -> None:
    X = [[0.1, 1 / 3], [0.1000001, 1 / 3], [0.1000002, 1 / 3], [0.1000002, 2 / 3]]
    tree = CARTClassifier().fit(X, list("abab")).tree_
    text = ThresholdText(tree)
    shown = {(int(tree.feature[i]), text(int(tree.feature[i]), t)) for i, t in enumerate(tree.threshold) if t == t}
    assert shown == {(0, "0.10000005"), (0, "0.10000015"), (1, "0.5")}
    assert text(0, float("nan")) == ""
    assert thresholds([0.1, 0.1000001, 0.1000002, 7 / 3, 4], [0, 9, 0, 5, 9])[-1] == "3.167"


def asking(*thresholds: float) -> Tree:
    """A tree of one column that asks for the first threshold at its root, and for the others side by side below."""
    tree = tree_of(node(node(leaf(1, 0), leaf(0, 1)), node(leaf(1, 0), leaf(0, 1))))
    inner = ~tree.is_leaf
    found = np.full(len(tree), np.nan)
    found[inner] = thresholds
    kind = np.where(inner, SplitKind.THRESHOLD, SplitKind.LEAF).astype(tree.kind.dtype)
    schema = replace(tree.schema, features=(Feature("x", "numeric"), *tree.schema.features[1:]))
    feature = np.where(inner, 0, -1).astype(tree.feature.dtype)
    starts = np.zeros(len(tree) + 1, dtype=tree.category_start.dtype)
    return replace(
        tree,
        schema=schema,
        threshold=found,
        kind=kind,
        feature=feature,
        category_start=starts,
        category_branch=tree.category_branch[:0],
    )


def up(x: float) -> float:
    """The next larger float."""
    return float(np.nextafter(x, np.inf))


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ((0.5, 0.275, up(0.275)), ["0.5", "0.275", "0.275"]),
        ((0.1, up(up(0.275)), 0.275), ["0.1", "0.275", "0.275"]),
        ((0.275, 0.1, up(0.275)), ["0.275", "0.1", repr(up(0.275))]),
        ((0.5, 0.275, 0.2750000000001), ["0.5", "0.275", "0.2750000000001"]),
        ((1 / 3, 0.33333, 0.333333), ["0.3333333", "0.33333", "0.333333"]),
        ((3.0, 0.1 + 0.2, 0.3), ["3", "0.3", "0.3"]),
        ((0.0, -1e-320, 1e-320), ["0", "-1e-320", "1e-320"]),
    ],
)
def test_rounding_errors_look_alike_where_no_row_meets_both(asked: tuple[float, ...], shown: list[str]) -> None:
    """Two midpoints of decimal numbers often differ in their last bit; a row sees it only if it is asked for both."""
    tree = asking(*asked)
    text = ThresholdText(tree)
    assert [text(0, threshold) for threshold in tree.threshold.tolist() if threshold == threshold] == shown


def test_missing_cells_are_named_only_where_they_can_still_come() -> None:
    X = [[1.0], [2], [3], [4], [np.nan]]
    tree = CARTRegressor().fit(X, [0, 1, 5, 9, 0]).tree_
    words = Conditions(tree)
    takes_missing = [node for node in range(len(tree)) if words(node).endswith(" or missing")]
    path = [int(n) for n in CARTRegressor().fit(X, [0, 1, 5, 9, 0]).decision_path([[np.nan]]).indices if n]
    assert takes_missing == sorted(path)
    assert words(0) == ""
    assert words.path(0) == ()
    assert words.path(path[-1])[-1] == words(path[-1])


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_texts_of_thresholds_are_in_their_order(seed: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-12, 12)
    asked = scale * (rng.normal() + rng.choice([1e-3, 1e-6, 1e-9, 1.0]) * rng.normal(size=3))
    text = ThresholdText(asking(*asked), digits)
    shown = [float(text(0, threshold)) for threshold in np.sort(asked)]
    assert (np.diff(shown) > 0).all()
    assert np.abs(shown - np.sort(asked)).max() <= 0.51 * 10.0 ** -(digits - 1) * np.abs(asked).max()
