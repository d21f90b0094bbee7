"""Document 004, "决策树算法简述：ID3，C4.5，CART": every figure on its nine cats and dogs.

Its errata stand in the list below: what is printed, and what is right. E(Leg) = 0.9911 is right as a number, but it is
the entropy of Leg's own values (the split information), not "the entropy after the split" (that is 0.9839). The part
about Bite in CART is cut off.
"""

from functools import cache
from typing import Any

import pytest

from deciduous import (
    C45Classifier,
    CARTClassifier,
    ID3Classifier,
    conditional_entropy,
    datasets,
    entropy,
    gain_ratio,
    gini,
    gini_gain,
    gini_index,
    information_gain,
    split_information,
)
from deciduous.explain.working import working_of
from tests.textbook.figures import Figure, branch_working, feature_working, parametrize

ANIMALS = datasets.load("catdog")
TYPE = ANIMALS.y.to_list()


def column(name: str) -> list[str]:
    return ANIMALS.frame[name].to_list()


def types(feature: str, *values: str) -> list[str]:
    """Return the targets of the rows with one of some values."""
    return [label for cell, label in zip(column(feature), TYPE, strict=True) if cell in values]


@cache
def fitted(cls: Any, **options: Any) -> Any:
    return cls(**options).fit(ANIMALS.X, ANIMALS.y)


# --- 3 ID3 ------------------------------------------------------------------------------------------------------------


def entropy_of(feature: str, value: str, printed: str) -> Figure:
    return Figure(
        f"E({value})",
        printed,
        lambda: entropy(types(feature, value)),
        lambda: branch_working(fitted(ID3Classifier), f"{feature} = {value}").entropy,
    )


def after_split(feature: str, right: str) -> Figure:
    return Figure(
        f"E(Type|{feature})",
        right,
        lambda: conditional_entropy(column(feature), TYPE),
        lambda: feature_working(fitted(ID3Classifier), feature).conditional_entropy,
    )


def gain_of(feature: str, right: str, printed: str | None = None) -> Figure:
    return Figure(
        f"G({feature})",
        right,
        lambda: information_gain(column(feature), TYPE),
        lambda: feature_working(fitted(ID3Classifier), feature).gain,
        printed,
    )


@parametrize(
    [
        Figure("E(Type)", "0.9911", lambda: entropy(TYPE), lambda: working_of(fitted(ID3Classifier).tree_).entropy),
        entropy_of("Leg", "long", "0.9710"),
        entropy_of("Leg", "short", "1"),
        after_split("Leg", "0.9839"),
        gain_of("Leg", "0.0072", printed="0.0071"),
        entropy_of("Color", "yellow", "0.8113"),
        entropy_of("Color", "black", "1"),
        entropy_of("Color", "white", "0"),
        after_split("Color", "0.5828"),
        gain_of("Color", "0.4083"),
        entropy_of("Bite", "yes", "0.9710"),
        entropy_of("Bite", "no", "0.8113"),
        after_split("Bite", "0.9000"),
        gain_of("Bite", "0.0911"),
    ]
)
def test_id3_figure(figure: Figure) -> None:
    figure.check()


def test_id3_tree() -> None:
    """Color is the root, for all three algorithms; the rest is "the same again without Color"."""
    tree = fitted(ID3Classifier).tree_
    root = tree.node(0)
    assert root.feature == "Color"
    assert [child.class_weights for child in root.children] == [{"cat": 3, "dog": 1}, {"cat": 1, "dog": 1}, {"dog": 3}]
    assert fitted(ID3Classifier).predict(ANIMALS.X).tolist() == TYPE


def test_a_column_of_its_own_value_in_every_row_gains_most() -> None:
    """体重: with three decimals of the weight every row is its own branch."""
    weights = [4.125, 4.25, 3.5, 3.75, 20.125, 18.5, 22.25, 9.875, 12.0]
    assert information_gain(weights, TYPE) == pytest.approx(entropy(TYPE), rel=1e-12)


# --- 4 C4.5 -----------------------------------------------------------------------------------------------------------


def own_entropy(feature: str, printed: str) -> Figure:
    return Figure(
        f"E({feature})",
        printed,
        lambda: split_information(column(feature)),
        lambda: feature_working(fitted(C45Classifier), feature).split_information,
    )


def ratio_of(feature: str, right: str, printed: str | None = None) -> Figure:
    return Figure(
        f"GR({feature})",
        right,
        lambda: gain_ratio(column(feature), TYPE),
        lambda: feature_working(fitted(C45Classifier), feature).gain_ratio,
        printed,
    )


@parametrize(
    [
        own_entropy("Leg", "0.9911"),
        ratio_of("Leg", "0.0073", printed="0.0072"),
        own_entropy("Color", "1.5305"),
        ratio_of("Color", "0.2668"),
        own_entropy("Bite", "0.9911"),
        ratio_of("Bite", "0.0919"),
    ]
)
def test_c45_figure(figure: Figure) -> None:
    figure.check()


def test_c45_root() -> None:
    assert fitted(C45Classifier).tree_.node(0).feature == "Color"


# --- 5 CART -----------------------------------------------------------------------------------------------------------


def gini_of(feature: str, values: str, printed: str, shown: str | None = None) -> Figure:
    """Return the Gini value of the rows with some values; `shown`: the branch of the tree that holds them."""
    return Figure(
        f"Gi({values})",
        printed,
        lambda: gini(types(feature, *values.split("&"))),
        shown and (lambda: branch_working(fitted(CARTClassifier), shown).gini),
    )


def index_of(
    name: str, feature: str, value: str, right: str, *, best: bool = True, printed: str | None = None
) -> Figure:
    """Return the Gini index of one value against the rest; the tree shows it for the best value of a feature."""
    return Figure(
        f"Gi{name}",
        right,
        lambda: gini_index([cell == value for cell in column(feature)], TYPE),
        (lambda: feature_working(fitted(CARTClassifier), feature).gini_index) if best else None,
        printed,
    )


def drop_of(
    name: str, feature: str, value: str, right: str, *, best: bool = True, printed: str | None = None
) -> Figure:
    """Return the drop in Gini, as `index_of`."""
    return Figure(
        f"ΔGi{name}",
        right,
        lambda: gini_gain([cell == value for cell in column(feature)], TYPE),
        (lambda: feature_working(fitted(CARTClassifier), feature).gini_gain) if best else None,
        printed,
    )


@parametrize(
    [
        Figure("Gi(Type)", "0.4938", lambda: gini(TYPE), lambda: working_of(fitted(CARTClassifier).tree_).gini),
        gini_of("Leg", "long", "0.48", shown="Leg = long"),
        gini_of("Leg", "short", "0.5", shown="Leg = short"),
        index_of("(Leg)", "Leg", "long", "0.4889"),
        drop_of("(Leg)", "Leg", "long", "0.005"),
        # case 1: yellow against black and white
        gini_of("Color", "yellow", "0.375"),
        gini_of("Color", "black&white", "0.320"),
        index_of("1(Color)", "Color", "yellow", "0.3444", best=False, printed="0.3827"),
        drop_of("1(Color)", "Color", "yellow", "0.1494", best=False, printed="0.1111"),
        # case 2: black against yellow and white; the drop is printed as 0.4938 - 0.4921, and is 0.00176
        gini_of("Color", "black", "0.5"),
        gini_of("Color", "yellow&white", "0.4898"),
        index_of("2(Color)", "Color", "black", "0.4921", best=False),
        drop_of("2(Color)", "Color", "black", "0.0018", best=False, printed="0.0017"),
        # case 3: white against yellow and black, the best; its index and its drop are printed in each other's place
        gini_of("Color", "white", "0", shown="Color = white"),
        gini_of("Color", "yellow&black", "0.4444", shown="Color in {yellow, black}"),
        index_of("3(Color)", "Color", "white", "0.2963", printed="0.1975"),
        drop_of("3(Color)", "Color", "white", "0.1975", printed="0.2936"),
        # Bite: cut off
        index_of("(Bite)", "Bite", "yes", "0.4333"),
        drop_of("(Bite)", "Bite", "yes", "0.0605"),
    ]
)
def test_cart_figure(figure: Figure) -> None:
    figure.check()


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
def test_cart_root(nominal: str) -> None:
    """White against the rest wins."""
    root = fitted(CARTClassifier, nominal=nominal).tree_.node(0)
    assert root.feature == "Color"
    assert [child.class_weights for child in root.children] == [{"dog": 3}, {"cat": 4, "dog": 2}]
