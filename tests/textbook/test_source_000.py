"""Document 000, "05.决策树公式推导": the bounds of the entropy, and the formulas of ID3, C4.5 and CART.

It prints formulas and no worked numbers. Its errata: the expanded Gain has a factor |D_k^v|/|D^v| too many, |D^v|/D
should be |D^v|/|D|, the regression criterion has a minus between the two sums of squares, and step 2 of CART takes the
value of smallest Gini value instead of the binary split of smallest Gini index.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import (
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    conditional_entropy,
    datasets,
    entropy,
    gain_ratio,
    gini,
    gini_index,
    information_gain,
    split_information,
)
from tests.textbook.figures import Figure, feature_working, parametrize

MELONS = datasets.load("watermelon2", english=True)
GOOD = MELONS.y.to_list()
FEATURES = MELONS.X.columns

class_weights = st.lists(st.floats(0, 1e9), min_size=1, max_size=20).filter(lambda weights: sum(weights) > 0)


# --- 0 <= Ent(D) <= log2 |Y| ------------------------------------------------------------------------------------------


@given(class_weights)
def test_entropy_lies_between_0_and_log2_of_the_number_of_classes(weights: list[float]) -> None:
    assert 0 <= entropy(p=weights) <= math.log2(len(weights)) + 1e-12


@given(st.lists(st.sampled_from("abcdef"), min_size=1))
def test_entropy_of_labels_lies_between_the_bounds(labels: list[str]) -> None:
    assert 0 <= entropy(labels) <= math.log2(len(set(labels))) + 1e-12


@given(st.integers(1, 1000), st.floats(1e-300, 1e300))
def test_entropy_is_largest_where_all_classes_are_equally_frequent(n: int, weight: float) -> None:
    assert entropy(p=[weight / n] * n) == pytest.approx(math.log2(n), rel=1e-12, abs=1e-12)


@given(st.integers(1, 50), st.integers(0, 49), st.floats(1e-300, 1e300))
def test_entropy_is_0_where_one_class_has_all_weight(n: int, k: int, weight: float) -> None:
    assert entropy(p=[weight if i == k % n else 0 for i in range(n)]) == 0  # 0 log 0 = 0


@given(class_weights)
def test_entropy_is_smaller_the_farther_from_equal(weights: list[float]) -> None:
    """Ent is concave, as the proof has it: mixing class shares with equal ones never lowers it."""
    shares = np.array(weights) / sum(weights)
    assert entropy(p=(shares + 1 / len(shares)) / 2) >= entropy(p=shares) - 1e-12


# --- the formulas, summed by hand over the values of a column ---------------------------------------------------------


def parts(feature: str) -> list[list[str]]:
    """Return the targets of D^1, ..., D^V."""
    column = MELONS.frame[feature].to_list()
    return [[y for x, y in zip(column, GOOD, strict=True) if x == value] for value in dict.fromkeys(column)]


def weighted_mean(feature: str, measure) -> float:
    """Return sum_v |D^v| / |D| measure(D^v): divided by |D|, where the document has D."""
    return sum(len(part) / len(GOOD) * measure(part) for part in parts(feature))


def shares(labels: list[str]) -> list[float]:
    return [labels.count(label) / len(labels) for label in set(labels)]


@pytest.mark.parametrize("feature", FEATURES)
def test_conditional_entropy_and_gain(feature: str) -> None:
    column = MELONS.frame[feature].to_list()
    by_hand = weighted_mean(feature, lambda part: -sum(p * math.log2(p) for p in shares(part)))
    assert conditional_entropy(column, GOOD) == pytest.approx(by_hand, rel=1e-12)
    assert information_gain(column, GOOD) == pytest.approx(entropy(GOOD) - by_hand, rel=1e-12)


@pytest.mark.parametrize("feature", FEATURES)
def test_gain_ratio_is_gain_over_intrinsic_value(feature: str) -> None:
    column = MELONS.frame[feature].to_list()
    intrinsic_value = -sum(p * math.log2(p) for p in shares(column))
    assert split_information(column) == pytest.approx(intrinsic_value, rel=1e-12)
    assert gain_ratio(column, GOOD) == pytest.approx(information_gain(column, GOOD) / intrinsic_value, rel=1e-12)


@pytest.mark.parametrize("feature", FEATURES)
def test_gini_index_is_the_weighted_gini_value(feature: str) -> None:
    column = MELONS.frame[feature].to_list()
    by_hand = weighted_mean(feature, lambda part: 1 - sum(p * p for p in shares(part)))
    assert gini_index(column, GOOD) == pytest.approx(by_hand, rel=1e-12)


@given(class_weights)
def test_the_four_forms_of_the_gini_value_are_equal(weights: list[float]) -> None:
    p = np.array(weights) / sum(weights)
    pairs = sum(p[k] * p[j] for k in range(len(p)) for j in range(len(p)) if j != k)
    ours = gini(p=weights)
    assert ours == pytest.approx(pairs, abs=1e-12)
    assert ours == pytest.approx(sum(p[k] * (1 - p[k]) for k in range(len(p))), abs=1e-12)
    assert ours == pytest.approx(1 - sum(p**2), abs=1e-12)


def test_gain_prefers_columns_of_many_values() -> None:
    """A column with a value of its own in every row gains all there is; so ID3 takes it if it may ask for it."""
    X = MELONS.X.with_columns(row=np.array([f"r{i}" for i in range(len(GOOD))]))
    assert information_gain(X["row"].to_list(), GOOD) == pytest.approx(entropy(GOOD), rel=1e-12)
    assert ID3Classifier(kinds={"row": "nominal"}).fit(X, GOOD).tree_.node(0).feature == "row"


# --- CART -------------------------------------------------------------------------------------------------------------


def is_value(feature: str, value: str) -> list[bool]:
    return [x == value for x in MELONS.frame[feature]]


def cart() -> CARTClassifier:
    return CARTClassifier().fit(MELONS.X, GOOD)


@parametrize(
    [
        Figure(
            "Gini_index(texture = blurred), the rule of step 2",
            "0.403",
            lambda: gini_index(is_value("texture", "blurred"), GOOD),
        ),
        Figure(
            "Gini_index(texture = clear), CART",
            "0.286",
            lambda: gini_index(is_value("texture", "clear"), GOOD),
            lambda: feature_working(cart(), "texture").gini_index,
        ),
    ]
)
def test_cart_takes_the_split_of_smallest_index_not_the_value_of_smallest_gini_value(figure: Figure) -> None:
    figure.check()


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
def test_cart_asks_for_clear_texture(nominal: str) -> None:
    """By step 2 it would be 纹理=模糊, whose rows are pure; CART asks for 纹理=清晰."""
    pure = [part for part in parts("texture") if gini(part) == 0]
    assert pure == [["no", "no", "no"]]
    tree = CARTClassifier(nominal=nominal).fit(MELONS.X, GOOD).tree_
    texture = tree.schema.features[tree.feature[0]]
    assert [texture.categories[code] for code in tree.split(0).categories_of(0)] == ["clear"]


def test_regression_criterion_is_the_sum_of_the_two_sums_of_squares() -> None:
    """With the printed minus another threshold would win."""
    x, y = np.array([1.0, 2, 3, 4, 5, 6]), np.array([0.0, 1, 9, 10, 11, 30])
    cuts = [(a + b) / 2 for a, b in pairwise(x)]

    def squares(part: np.ndarray) -> float:
        return float(((part - part.mean()) ** 2).sum())

    plus = min(cuts, key=lambda t: squares(y[x <= t]) + squares(y[x > t]))
    minus = min(cuts, key=lambda t: squares(y[x <= t]) - squares(y[x > t]))
    tree = CARTRegressor(max_depth=1).fit(x[:, None], y).tree_
    assert tree.node(0).split.threshold == plus != minus
    assert [child.prediction for child in tree.node(0).children] == [y[x <= plus].mean(), y[x > plus].mean()]
