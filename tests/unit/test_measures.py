"""The measures of the field, against their formulas and the figures that everybody knows."""

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import datasets, measures
from deciduous.errors import DataError, OptionError

GOLF = datasets.load("golf").frame
OUTLOOK, PLAY = GOLF["outlook"].to_list(), GOLF["class"].to_list()
NAN = float("nan")
TABLES = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=5)
OF_TABLES = [
    measures.joint_entropy,
    measures.conditional_entropy,
    measures.information_gain,
    measures.split_information,
    measures.gain_ratio,
    measures.gini_index,
    measures.gini_gain,
]
OF_LABELS = [measures.entropy, measures.gini, measures.misclassification]


def plain_entropy(weights: Any) -> float:
    weights = [w for w in np.ravel(weights) if w > 0]
    return -sum(w / sum(weights) * math.log2(w / sum(weights)) for w in weights)


# Labels of one kind


@pytest.mark.parametrize(
    ("labels", "entropy", "gini", "error"),
    [
        ([], 0, 0, 0),
        (["a"], 0, 0, 0),
        (["a", "b"], 1, 0.5, 0.5),
        ([1, 2, 3, 4], 2, 0.75, 0.75),
        (["a", "a", "a", "b"], 0.8112781244591328, 0.375, 0.25),
        ([True, False, False, False], 0.8112781244591328, 0.375, 0.25),
        ([1, "a"], 1, 0.5, 0.5),
    ],
)
def test_the_three_measures_of_labels(labels: list[Any], entropy: float, gini: float, error: float) -> None:
    assert measures.entropy(labels) == pytest.approx(entropy, abs=1e-15)
    assert measures.gini(labels) == pytest.approx(gini, abs=1e-15)
    assert measures.misclassification(labels) == pytest.approx(error, abs=1e-15)


@pytest.mark.parametrize("measure", OF_LABELS)
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", None, "b"],
        ["a", "b", NAN, "b"],
        np.array(["a", "b", None, "b"], dtype=object),
        pd.Series(["a", "b", pd.NA, "b"], dtype="string"),
        pd.Series(["a", "b", None, "b"], dtype="category"),
        pl.Series(["a", "b", None, "b"]),
        [1.0, 2.0, NAN, 2.0],
        ("a", "b", None, "b"),
        ("a", "b", NAN, "b"),
    ],
    ids=["None", "NaN", "array", "NA", "categories", "polars", "numbers", "tuple of None", "tuple of NaN"],
)
def test_rows_without_a_label_take_no_part(measure: Any, labels: Any) -> None:
    assert measure(labels) == measure(["a", "b", "b"])


def test_a_tuple_of_labels_is_read_as_a_list_of_them() -> None:
    assert measures.contingency_table((1, "a"), ("x", "y"))[1] == [1, "a"]


@pytest.mark.parametrize("measure", OF_LABELS)
def test_counts_probabilities_and_weights_are_the_same_thing(measure: Any) -> None:
    labels = ["a", "b", "b", "c"]
    assert measure(p=[1, 2, 1]) == measure(p=[0.25, 0.5, 0.25]) == measure(labels)
    assert measure(["a", "b", "c"], weight=[1, 2, 1]) == measure(labels)
    assert measure([*labels, "d"], weight=[1, 1, 1, 1, 0]) == measure(labels)


def test_bases_scale_the_entropy() -> None:
    assert measures.entropy(p=[1, 1, 1], base=3) == pytest.approx(1)
    assert measures.entropy(p=[1, 1], base=math.e) == pytest.approx(math.log(2))


@given(st.lists(st.integers(0, 1000), max_size=6))
def test_entropy_is_the_formula_and_within_its_bounds(weights: list[int]) -> None:
    entropy = measures.entropy(p=weights)
    assert entropy == pytest.approx(plain_entropy(weights), abs=1e-12)
    assert 0 <= entropy <= math.log2(max(len(weights), 1)) + 1e-12
    assert measures.gini(p=weights) == pytest.approx(
        1 - sum((w / sum(weights)) ** 2 for w in weights) if sum(weights) else 0, abs=1e-12
    )


@pytest.mark.parametrize(
    ("y", "weight", "expected"),
    [
        ([], None, 0),
        ([1], None, 0),
        ([1, 3], None, 1),
        ([1, 3, NAN], None, 1),
        ([1, 3], [3, 1], 0.75),
        ([1, 3], [0, 0], 0),
        ([1e8, 1e8 + 1], None, 0.25),
        ([1e-9, 3e-9], None, 1e-18),
    ],
)
def test_squared_error(y: list[float], weight: list[float] | None, expected: float) -> None:
    assert measures.squared_error(y, weight=weight) == pytest.approx(expected, rel=1e-9, abs=0)


# A feature and a target


def test_quinlans_golf() -> None:
    assert measures.entropy(PLAY) == pytest.approx(0.940, abs=5e-4)
    assert measures.information_gain(OUTLOOK, PLAY) == pytest.approx(0.247, abs=5e-4)
    assert measures.information_gain(GOLF["windy"].to_list(), PLAY) == pytest.approx(0.048, abs=5e-4)
    rows = [str(i) for i in range(14)]
    assert measures.split_information(rows) == pytest.approx(3.807, abs=5e-4)
    assert measures.gain_ratio(rows, PLAY) == pytest.approx(0.247, abs=5e-4)


def test_quinlans_golf_with_a_missing_cell() -> None:
    outlook = [None if i == 11 else cell for i, cell in enumerate(OUTLOOK)]  # an overcast day, as in Quinlan 1993
    assert measures.information_gain(outlook, PLAY) == pytest.approx(0.199, abs=5e-4)
    assert measures.split_information(outlook, missing="branch") == pytest.approx(1.809, abs=5e-4)
    assert measures.gain_ratio(outlook, PLAY, missing="branch") == pytest.approx(0.110, abs=5e-4)
    known = [i for i in range(14) if i != 11]
    without = [OUTLOOK[i] for i in known], [PLAY[i] for i in known]
    assert measures.gain_ratio(outlook, PLAY) == pytest.approx(measures.gain_ratio(*without))
    assert measures.split_information(outlook) == pytest.approx(measures.split_information(without[0]))
    assert measures.gini_gain(outlook, PLAY) == pytest.approx(measures.gini_gain(*without))


@given(TABLES)
def test_the_measures_of_a_table_are_their_formulas(table: list[list[int]]) -> None:
    cells, total = np.array(table, dtype=float), max(np.sum(table), 1)
    classes, branches = cells.sum(axis=0), cells.sum(axis=1)
    conditional = sum(n / total * plain_entropy(line) for n, line in zip(branches, cells, strict=True))
    gain = plain_entropy(classes) - conditional
    close = lambda x: pytest.approx(x, abs=1e-12)  # noqa: E731
    assert measures.conditional_entropy(table=table) == close(conditional)
    assert measures.joint_entropy(table=table) == close(plain_entropy(cells))
    assert measures.joint_entropy(table=table) == close(conditional + plain_entropy(branches))
    assert measures.information_gain(table=table) == close(gain)
    assert measures.split_information(table=table) == close(plain_entropy(branches))
    index = sum(n / total * measures.gini(p=line) for n, line in zip(branches, cells, strict=True))
    assert measures.gini_index(table=table) == close(index)
    assert measures.gini_gain(table=table) == close(measures.gini(p=classes) - index)
    assert min(measures.information_gain(table=table), measures.gini_gain(table=table)) >= 0
    ratio = measures.gain_ratio(table=table)
    assert math.isnan(ratio) if (branches > 0).sum() < 2 else ratio == close(gain / plain_entropy(branches))


@pytest.mark.parametrize("measure", OF_TABLES)
def test_vectors_and_their_table_give_one_figure(measure: Any) -> None:
    table = measures.contingency_table(OUTLOOK, PLAY)[0]
    assert measure(OUTLOOK, PLAY) == measure(table=table)
    doubled = measure(OUTLOOK, PLAY, weight=[2] * 14)
    assert doubled == pytest.approx(measure(OUTLOOK * 2, PLAY * 2))


def test_contingency_table() -> None:
    table, values, classes, missing = measures.contingency_table(
        ["v", "u", None, "v", "u"], ["n", "y", "y", None, "n"], weight=[1, 2, 4, 8, 16]
    )
    assert table.tolist() == [[16, 2], [1, 0]]
    assert (values, classes, missing) == (["u", "v"], ["n", "y"], 4)


@pytest.mark.parametrize("cell", [None, NAN, np.float64("nan"), pd.NA, pd.NaT])
def test_missing_cells(cell: object) -> None:
    assert measures.is_missing(cell)


@pytest.mark.parametrize("cell", [0, "", "NA", False, float("inf")])
def test_cells_that_are_not_missing(cell: object) -> None:
    assert not measures.is_missing(cell)


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measures.entropy("abc"), "sequence of labels, one a row; got the text 'abc'"),
        (lambda: measures.entropy(np.zeros((2, 2))), r"one-dimensional .* shape \(2, 2\)"),
        (lambda: measures.entropy([["a"], ["b"]]), "one-dimensional .* row 0"),
        (lambda: measures.entropy(p=[0.5, -0.5]), "p must be"),
        (lambda: measures.entropy(p=[0.5, NAN]), "p must be"),
        (lambda: measures.entropy(["a"], weight=[-1]), "not negative; row 0 has -1"),
        (lambda: measures.entropy(["a", "b"], weight=[1, NAN]), "finite .* row 1 has nan"),
        (lambda: measures.entropy(["a"], weight=[1, 2]), r"shape \(1,\); got shape \(2,\)"),
        (lambda: measures.information_gain(["a"], ["b", "c"]), "feature has 1 rows and target has 2"),
        (lambda: measures.information_gain(table=[1, 2]), "table must be two-dimensional"),
        (lambda: measures.information_gain(table=[[1, -2]]), "weights >= 0"),
        (lambda: measures.squared_error([[1.0]]), "one-dimensional"),
    ],
)
def test_data_that_cannot_be_used(call: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measures.entropy(), "either labels"),
        (lambda: measures.entropy(["a"], p=[1]), "either labels"),
        (lambda: measures.entropy(p=[1], weight=[1]), "weight goes with labels"),
        (lambda: measures.entropy(["a"], base=1), r"base must be a number above 1 \(2 gives bits\); got 1"),
        (lambda: measures.entropy(["a"], base=0.5), "base must be a number above 1"),
        (lambda: measures.entropy(["a"], base=-2), "base must be"),
        (lambda: measures.entropy(["a"], base=NAN), "base must be"),
        (lambda: measures.gini_index(["a"]), "give feature and target"),
        (lambda: measures.gini_index(["a"], ["b"], table=[[1]]), "not both"),
        (lambda: measures.gini_index(table=[[1]], weight=[1]), "not both"),
        (lambda: measures.gain_ratio(["a"], ["b"], missing="drop"), "'known' or 'branch'; got 'drop'"),
    ],
)
def test_options_that_do_not_fit(call: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()
