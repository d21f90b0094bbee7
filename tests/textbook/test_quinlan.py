"""Quinlan's golf table (ID3, 1986; C4.5, 1993): gains, an ID column, the guard, thresholds, a missing cell."""

from functools import cache
from typing import Any

import polars as pl
import pytest

from deciduous import (
    C45Classifier,
    ID3Classifier,
    datasets,
    derivation,
    entropy,
    gain_ratio,
    information_gain,
    split_information,
)
from deciduous.explain.working import working_of
from tests.parity import oracles
from tests.textbook.figures import Figure, feature_working, parametrize

GOLF = datasets.load("golf")
PLAY = GOLF.y.to_list()

#: The golf table with one cell changed: the outlook of row 12 is not known (C4.5, section 3.2).
ONE_MISSING = GOLF.frame.with_columns(
    pl.when(pl.int_range(pl.len()) == 11).then(None).otherwise(pl.col("outlook")).alias("outlook")
)


@cache
def fitted(cls: Any, missing: bool = False, **options: Any) -> Any:
    X = ONE_MISSING.drop("class") if missing else GOLF.X
    return cls(**options).fit(X, GOLF.y)


def column(name: str, frame: pl.DataFrame = GOLF.frame) -> list[Any]:
    return frame[name].to_list()


# --- gains ------------------------------------------------------------------------------------------------------------


@parametrize(
    [
        Figure("info(T)", "0.940", lambda: entropy(PLAY), lambda: working_of(fitted(ID3Classifier).tree_).entropy),
        Figure(
            "gain(outlook)",
            "0.247",  # 0.246 in Quinlan 1986, which rounds on the way
            lambda: information_gain(column("outlook"), PLAY),
            lambda: feature_working(fitted(ID3Classifier), "outlook").gain,
        ),
        Figure(
            "gain(windy)",
            "0.048",
            lambda: information_gain(column("windy"), PLAY),
            lambda: feature_working(fitted(ID3Classifier), "windy").gain,
        ),
        Figure(
            "split info(outlook)",
            "1.577",
            lambda: split_information(column("outlook")),
            lambda: feature_working(fitted(C45Classifier), "outlook").split_information,
        ),
        Figure(
            "gain ratio(outlook)",
            "0.156",
            lambda: gain_ratio(column("outlook"), PLAY),
            lambda: feature_working(fitted(C45Classifier), "outlook").gain_ratio,
        ),
    ]
)
def test_figure(figure: Figure) -> None:
    figure.check()


@pytest.mark.parametrize(
    ("feature", "gain"), [("outlook", "0.247"), ("temperature", "0.029"), ("humidity", "0.152"), ("windy", "0.048")]
)
def test_gain_of_humidity_and_temperature_as_words(feature: str, gain: str) -> None:
    weather = oracles.table("textbook.weather_nominal")
    estimator = ID3Classifier().fit(weather.X, weather.y)
    assert f"{information_gain(weather.X[feature].tolist(), weather.y):.3f}" == gain
    assert f"{feature_working(estimator, feature).gain:.3f}" == gain


def test_tree() -> None:
    """C4.5's tree (1993, figure 2-1): outlook, then humidity <= 75 and windy."""
    tree = fitted(C45Classifier).tree_
    sunny, overcast, rain = tree.node(0).children
    assert (tree.node(0).feature, sunny.feature, rain.feature) == ("outlook", "humidity", "windy")
    assert sunny.split.threshold == 75
    assert overcast.class_weights == {"Play": 4}
    assert fitted(C45Classifier).predict(GOLF.X).tolist() == PLAY


# --- an ID column, and the guard --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "right"), [("gain", "0.940"), ("split_information", "3.807"), ("gain_ratio", "0.247")]
)
def test_id_column(figure: str, right: str) -> None:
    """A value of its own in every row: all the gain there is, and a large split information."""
    rows = [f"row {i}" for i in range(1, 15)]
    measured = {"gain": information_gain, "split_information": split_information, "gain_ratio": gain_ratio}[figure]
    estimator = ID3Classifier(kinds={"ID": "nominal"}).fit(GOLF.X.with_columns(ID=pl.Series(rows)), GOLF.y)
    assert f"{measured(rows, PLAY):.3f}" == right
    assert f"{getattr(feature_working(estimator, 'ID'), figure):.3f}" == right


def test_guard_keeps_temperature_out() -> None:
    """Temperature has ratio .305 and gain .113; the average gain is .128, so outlook is chosen with ratio .156."""
    estimator = fitted(C45Classifier, min_cases=1, mdl_correction=False)
    temperature, outlook = (feature_working(estimator, name) for name in ("temperature", "outlook"))
    gains = [f.gain for f in working_of(estimator.tree_).features]
    assert f"{sum(gains) / len(gains):.3f}" == "0.128"
    assert (f"{temperature.gain:.3f}", f"{temperature.gain_ratio:.3f}") == ("0.113", "0.305")
    assert (temperature.verdict, outlook.verdict) == ("below average gain", "chosen")
    assert "below the average gain 0.1276, so not eligible: temperature" in working_of(estimator.tree_).decision


def test_thresholds_pay_for_their_number() -> None:
    """The correction of 1996: eleven thresholds of temperature cost log2(11)/14 = .247, more than the gain of .113."""
    estimator = fitted(C45Classifier, min_cases=1)
    temperature, outlook = (feature_working(estimator, name) for name in ("temperature", "outlook"))
    assert temperature.tried == 11
    assert (f"{temperature.gain:.3f}", f"{temperature.correction:.3f}") == ("0.113", "0.247")
    assert (temperature.verdict, temperature.counted) == ("no gain", False)
    assert (outlook.verdict, outlook.counted, outlook.correction) == ("chosen", True, 0.0)
    assert "0.2471" in derivation(estimator, 0, digits=4).to_text()


def test_without_the_guard_temperature_wins() -> None:
    root = fitted(C45Classifier, min_cases=1, guard=False, mdl_correction=False).tree_.node(0)
    assert root.feature == "temperature"
    assert f"{information_gain([t <= 83 for t in column('temperature')], PLAY):.3f}" == "0.113"
    assert root.split.threshold == 83  # the largest value not above the midpoint, 84


# --- the threshold of a column: by gain, not by ratio -----------------------------------------------------------------


@pytest.mark.parametrize(("threshold", "gain", "ratio"), [(80, "0.102", "0.109"), (65, "0.048", "0.129")])
def test_thresholds_of_humidity(threshold: float, gain: str, ratio: str) -> None:
    below = [humidity <= threshold for humidity in column("humidity")]
    assert f"{information_gain(below, PLAY):.3f}" == gain
    assert f"{gain_ratio(below, PLAY):.3f}" == ratio


@pytest.mark.parametrize(("placed", "threshold"), [("data", 80), ("midpoint", 82.5)])
def test_threshold_is_chosen_by_gain(placed: str, threshold: float) -> None:
    """65 has the larger ratio, 80 the larger gain."""
    estimator = fitted(C45Classifier, threshold=placed, min_cases=1, mdl_correction=False)
    humidity = feature_working(estimator, "humidity")
    assert (f"{humidity.gain:.3f}", f"{humidity.gain_ratio:.3f}") == ("0.102", "0.109")
    assert estimator.tree_.node(0).candidates[2].split.threshold == threshold
    assert humidity.tried == 8


# --- one missing cell -------------------------------------------------------------------------------------------------


@parametrize(
    [
        Figure(
            "gain(outlook), one cell missing",
            "0.199",  # 13/14 x (0.961 - 0.747)
            lambda: information_gain(column("outlook", ONE_MISSING), PLAY),
            lambda: feature_working(fitted(C45Classifier, missing=True), "outlook").gain,
        ),
        Figure(
            "info(T), outlook known",
            "0.961",
            lambda: entropy([label for cell, label in zip(column("outlook", ONE_MISSING), PLAY, strict=True) if cell]),
        ),
        Figure(
            "info_outlook(T)",
            "0.747",
            lambda: entropy(p=[2, 3]) * 5 / 13 + entropy(p=[3, 0]) * 3 / 13 + entropy(p=[3, 2]) * 5 / 13,
            lambda: feature_working(fitted(C45Classifier, missing=True), "outlook").conditional_entropy,
        ),
        Figure(
            "split info(outlook), missing as a branch",
            "1.809",
            lambda: split_information(column("outlook", ONE_MISSING), missing="branch"),
            lambda: feature_working(fitted(C45Classifier, missing=True), "outlook").split_information,
        ),
        Figure(
            "gain ratio(outlook), one cell missing",
            "0.110",
            lambda: gain_ratio(column("outlook", ONE_MISSING), PLAY, missing="branch"),
            lambda: feature_working(fitted(C45Classifier, missing=True), "outlook").gain_ratio,
        ),
    ]
)
def test_missing_figure(figure: Figure) -> None:
    figure.check()


def test_row_with_the_missing_cell_goes_down_every_branch() -> None:
    """With 5/13, 3/13 and 5/13 of its weight; further down these multiply."""
    estimator = fitted(C45Classifier, missing=True)
    tree = estimator.tree_
    assert tree.node(0).feature == "outlook"
    assert tree.split(0).shares.tolist() == pytest.approx([5 / 13, 3 / 13, 5 / 13], rel=1e-12)
    assert [child.weight for child in tree.node(0).children] == pytest.approx([5 + 5 / 13, 3 + 3 / 13, 5 + 5 / 13])


def test_second_missing_cell_multiplies_the_weights() -> None:
    """The book's sunny branch: humidity <= 75 has 2.0 of Play, humidity > 75 has 3 and 5/13 of the row with 90."""
    tree = fitted(C45Classifier, missing=True).tree_
    sunny = tree.node(0).children[0]
    assert (sunny.feature, sunny.split.threshold) == ("humidity", 75)
    assert sunny.children[0].class_weights == pytest.approx({"Play": 2})
    assert sunny.children[1].class_weights == pytest.approx({"Play": 5 / 13, "Don't Play": 3})
    asked = [{"outlook": None, "temperature": 70, "humidity": None, "windy": "false"}]
    leaf = {
        "Play": 5 / 13 * (2 / (5 + 5 / 13) + (3 + 5 / 13) / (5 + 5 / 13) * (5 / 13) / (3 + 5 / 13)) + 3 / 13 + 5 / 13
    }
    proba = dict(zip(tree.classes, fitted(C45Classifier, missing=True).predict_proba(asked)[0], strict=True))
    assert proba["Play"] == pytest.approx(leaf["Play"], rel=1e-12)
