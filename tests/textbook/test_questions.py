"""The fifteen questions of people who learn or teach trees by hand: the working answers each without being asked."""

from functools import partial
from itertools import pairwise
from typing import Any

import pandas as pd
import polars as pl
import pytest

from deciduous import (
    C45Classifier as C45WithCorrection,
)
from deciduous import (
    CARTClassifier,
    ID3Classifier,
    datasets,
    derivation,
    explain_measure,
    explain_pruning,
    explain_row,
)
from deciduous.prune import CostComplexity, estimated_errors
from tests.textbook.shown import figure_at
from tests.trees import leaf, node, tree_of

GOLF = datasets.load("golf")
#: C4.5 as the book of 1993 has it, which does not know the correction for thresholds.
C45Classifier = partial(C45WithCorrection, mdl_correction=False)
#: Humidity and temperature as words, by day, as Quinlan has them in 1986.
WORDS = pd.DataFrame(
    [
        "hot high no",
        "hot high no",
        "hot high yes",
        "mild high yes",
        "cool normal yes",
        "cool normal no",
        "cool normal yes",
        "mild high no",
        "cool normal yes",
        "mild normal yes",
        "mild normal yes",
        "mild high yes",
        "hot normal yes",
        "mild high no",
    ],
    columns=["day"],
)["day"].str.split(" ", expand=True)
WORDS.columns = ["temperature", "humidity", "play"]


def shown(estimator: Any, X: Any = GOLF.X, y: Any = GOLF.y, at: Any = 0, **options: Any) -> str:
    """The working of a node with the training rows, words in one line each."""
    return derivation(estimator(**options).fit(X, y), at, X, y).to_text()


def words(text: str) -> str:
    return " ".join(text.split())


def test_question_1_gain_of_each_attribute_row_by_row() -> None:
    text = shown(ID3Classifier)
    assert figure_at(text, 0, "", "Ent(D)") == ("-(5/14 log2 5/14 + 9/14 log2 9/14)", "0.940")
    assert figure_at(text, 0, "outlook", "Ent(D^sunny)") == ("-(3/5 log2 3/5 + 2/5 log2 2/5)", "0.971")
    assert figure_at(text, 0, "outlook", "H(D|outlook)")[0].startswith("5/14 × 0.97095 + 4/14 × 0")
    assert figure_at(text, 0, "outlook", "Gain(D, outlook)")[1] == "0.247"
    assert figure_at(text, 0, "windy", "Gain(D, windy)")[1] == "0.048"
    assert "D^sunny: outlook = sunny           5           3     2" in text
    humidity, temperature = (explain_measure("gain", WORDS, name, "play").value for name in ("humidity", "temperature"))
    assert (f"{humidity:.3f}", f"{temperature:.3f}") == ("0.152", "0.029")


def test_question_2_log_of_0_and_the_base() -> None:
    text = shown(ID3Classifier)
    assert "0 log2 0 = 0; base 2 counts in bits, and another base scales all gains alike." in text
    assert figure_at(text, 0, "outlook", "Ent(D^overcast)") == ("-(0/4 log2 0/4 + 4/4 log2 4/4)", "0.000")


def test_question_3_ties() -> None:
    table = pd.DataFrame({"a": list("uuuv"), "b": list("sstt"), "c": list("uuuv")})
    text = words(shown(ID3Classifier, table, list("xxxy")))
    assert "a is chosen: the largest information gain, 0.811; tied with it: c; the first column is taken." in text


def test_question_4_gain_ratio_an_id_column_and_split_information_0() -> None:
    table = GOLF.frame.with_columns(ID=pl.Series([f"row {i}" for i in range(1, 15)]), one=pl.lit("same"))
    found = explain_measure("gain_ratio", table, "ID", "class")
    steps = {step.quantity: f"{step.value:.3f}" for step in found.steps if step.of == "ID"}
    assert (steps["gain"], steps["split_information"], steps["gain_ratio"]) == ("0.940", "3.807", "0.247")
    assert "Gain prefers columns of many values" in found.to_text()
    assert "more than 10 different values: 'temperature'" in words(found.to_text())
    text = shown(C45Classifier, table.drop("class", "ID"), table["class"])
    assert "one value only, so one branch: split information 0, no candidate" in words(text)


def test_question_5_which_thresholds_are_tried() -> None:
    """All neighbouring different values; equal ones make one candidate."""
    found = derivation(C45Classifier(min_cases=1).fit(GOLF.X, GOLF.y), 0, GOLF.X, GOLF.y).node(0).feature("humidity")
    values = sorted(set(GOLF.frame["humidity"].to_list()))
    assert [(one.low, one.high) for one in found.tried] == list(pairwise(values))
    assert [one.what for one in found.tried if one.best] == ["<= 80"]
    assert "<= 80       9 + 5  0.102  0.109  best" in shown(C45Classifier, min_cases=1)


def test_question_6_midpoint_or_data_value() -> None:
    text = words(shown(C45Classifier, at="all"))
    assert "between the neighbouring values 70 and 85; midpoint 77.5; C4.5 prints 75" in text
    assert "midpoint 77.5" in words(shown(ID3Classifier, at="all"))


def test_question_7_threshold_by_gain_not_by_ratio() -> None:
    text = shown(C45Classifier, min_cases=1)
    found = derivation(C45Classifier(min_cases=1).fit(GOLF.X, GOLF.y), 0, GOLF.X, GOLF.y).node(0).feature("humidity")
    by_words = {one.what: (f"{one.gain:.3f}", f"{one.ratio:.3f}") for one in found.tried}
    assert by_words["<= 80"] == ("0.102", "0.109")
    assert by_words["<= 65"] == ("0.048", "0.129")
    assert "thresholds of a column are compared by gain, columns by gain ratio" in text


def test_question_8_why_outlook_although_temperature_has_the_larger_ratio() -> None:
    text = shown(C45Classifier, min_cases=1)
    assert figure_at(text, 0, "temperature", "Gain_ratio(D, temperature)")[1] == "0.305"
    assert "gain 0.113 < 0.128, the average gain: not eligible" in words(text)
    average = "(0.24675 + 0.11340 + 0.10224 + 0.04813) / 4 = 0.128"
    assert f"+ Gain(D, windy)) / 4 = {average}" in words(text)
    assert "<= 83      13 + 1  0.113  0.305  removed by limits" in shown(C45Classifier)  # at least 2 rows a branch


def test_question_9_missing_cells() -> None:
    X = GOLF.X.with_columns(outlook=pl.when(pl.int_range(pl.len()) == 11).then(None).otherwise(pl.col("outlook")))
    text = shown(C45Classifier, X)
    numbers, gain = figure_at(text, 0, "outlook", "Gain(D, outlook)")
    assert numbers.startswith("13/14 × (0.961")
    assert (gain, figure_at(text, 0, "outlook", "IV(outlook)")[1]) == ("0.199", "1.809")
    assert figure_at(text, 0, "outlook", "Gain_ratio(D, outlook)")[1] == "0.110"
    assert "goes down every branch, with weights 5/13, 3/13, 5/13; below they multiply" in words(text)
    model = C45Classifier().fit(X, GOLF.y)
    row = {"outlook": None, "temperature": 70, "humidity": 90, "windy": "false"}
    explained = explain_row(model, row)
    assert [way.share for way in explained.ways] == pytest.approx([3 / 13, 5 / 13, 5 / 13])
    assert "outlook = missing: 0.385 of it goes to this branch" in explained.to_text()


@pytest.mark.parametrize(
    ("columns", "y", "options", "reason"),
    [
        ({"a": list("uuvv")}, list("xxyy"), {}, "all its rows have the same target"),
        ({"a": list("uuuu")}, list("xxyy"), {}, "no column can divide its rows within the limits"),
        ({"a": pd.Categorical(list("uuvv"), list("uvw"))}, list("xxyy"), {}, "no training row has this answer"),
        ({"a": list("uuvv")}, list("xxyy"), {"max_depth": 0}, "the depth limit is reached"),
        ({"a": list("uvuv"), "b": list("stts")}, list("xxyy"), {}, "no split gains enough"),  # XOR
    ],
)
def test_question_10_when_recursion_stops(columns: Any, y: Any, options: Any, reason: str) -> None:
    text = words(shown(ID3Classifier, pd.DataFrame(columns), y, "all", **options))
    assert f"is a leaf because {reason}" in text


def test_question_11_the_leaf_of_a_value_without_rows() -> None:
    """The pale melons among the clear, slightly curled ones."""
    data = datasets.load("watermelon2")
    text = shown(ID3Classifier, data.X, data.y, "all")
    assert "色泽 = 浅白: no rows, so a leaf that answers as this node does" in text
    assert "no training row has this answer: it answers as its parent does" in words(text)


def test_question_12_may_an_attribute_be_used_twice() -> None:
    text = words(shown(C45Classifier, at="all"))
    assert "each branch has one value of this column left: it cannot be asked again below" in text
    assert "a column of numbers may be asked again below, with another threshold" in text
    assert "used above, one value left" in text


def test_question_13_gini_beside_entropy_and_the_subsets_of_a_3_way_column() -> None:
    data = datasets.load("catdog")
    text = shown(CARTClassifier, data.X, data.y)
    assert [line.split() for line in text.split("\n") if line.strip().startswith("column")][-1] == [
        "column",
        "gain",
        "split",
        "info",
        "ratio",
        "Gini",
        "index",
    ]
    for subset in ("{white} | {yellow, black}", "{yellow} | {black, white}", "{black} | {yellow, white}"):
        assert subset in text


def test_question_14_the_figures_of_c45s_pruning() -> None:
    text = explain_pruning(tree_of(node(leaf(6, 0), leaf(9, 0), leaf(0, 1))), "error").to_text()
    assert figure_at(text, 0, "", "U(0, 6)") == ("1 - 0.25^(1/6)", "0.206")
    assert figure_at(text, 0, "", "U(0, 9)")[1] == "0.143"
    assert figure_at(text, 0, "", "U(0, 1)")[1] == "0.750"
    numbers, limit = figure_at(text, 0, "", "U(1, 16)")
    assert limit == "0.157"
    assert "1.5" in numbers
    assert "subtree = NU(D_1) + NU(D_2) + NU(D_3) = 1.237797 + 1.284804 + 0.750000 = 3.273" in words(text)
    assert f"leaf = {float(estimated_errors(16, 1)):.3f} <= subtree = 3.273" in text
    assert float(estimated_errors(16, 1)) == pytest.approx(2.51, abs=5e-3)


def test_question_15_cost_complexity_round_by_round() -> None:
    """R's cp is 0.5 where alpha is 0.2: it divides by the root's error."""
    data = datasets.load("loan")
    model = ID3Classifier().fit(data.X, data.y)
    text = explain_pruning(model, CostComplexity(alpha=0.0, cost="errors")).to_text()
    assert "g(t) = (R(t) - R(T_t)) / (|T_t| - 1)" in text
    assert words("the root, all rows 0.400 0.000 3 0.200 falls") in words(text)
    assert figure_at(text, 0, "", "R(0)") == ("6/15", "0.400")
    assert "alpha = g(0) = (R(0) - R(T_0)) / (|T_0| - 1) = (0.4 - 0) / (3 - 1) = 0.200" in words(text)
    assert "R (rpart) divides by the root's cost: cp = alpha / R(0) = 0.2/0.4 = 0.500" in text
