"""The measures equal their definitions in exact fractions, whichever way their arguments are given."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciduous as dd
from tests.oracle import textbook

WITHIN = Fraction(1, 10**11)

CELL = st.integers(0, 40).map(lambda n: Fraction(n, 4)) | st.integers(0, 1000).map(Fraction)


@st.composite
def contingencies(draw: st.DrawFn) -> list[list[Fraction]]:
    """Tables of values x classes, some lines and columns of them empty, but not all."""
    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    line = st.lists(CELL, min_size=k, max_size=k)
    return draw(st.lists(line, min_size=n, max_size=n).filter(lambda table: any(map(any, table))))


def floats(table: list[Any]) -> np.ndarray:
    return np.array([[float(cell) for cell in line] for line in table])


def near(ours: float, exact: Fraction, scale: Fraction | int = 0) -> bool:
    """Whether two numbers are equal to 1e-11 relative; of a difference, relative to what was subtracted (`scale`)."""
    return abs(Fraction(ours) - exact) <= WITHIN * max(abs(exact), scale)


def totals(table: list[list[Fraction]]) -> list[Fraction]:
    return [sum(column) for column in zip(*table, strict=True)]


def flat(table: list[list[Fraction]]) -> list[Fraction]:
    return [cell for line in table for cell in line]


def mean_inside(table: list[list[Fraction]], impurity: Any) -> Fraction:
    return sum(sum(line) * impurity(line) for line in table) / sum(flat(table))


@given(st.lists(CELL, min_size=1, max_size=6).filter(any))
def test_of_one_node(counts: list[Fraction]) -> None:
    p = [float(count) for count in counts]
    assert near(dd.entropy(p=p), textbook.entropy(counts))
    assert near(dd.entropy(p=p, base=math.e), textbook.entropy(counts) * textbook.LN(2))
    assert near(dd.gini(p=p), textbook.gini(counts))
    assert near(dd.misclassification(p=p), textbook.IMPURITY["misclassification"](counts))


@given(contingencies())
def test_of_tables(table: list[list[Fraction]]) -> None:
    cells, node = floats(table), textbook.entropy(totals(table))
    inside, joint = mean_inside(table, textbook.entropy), textbook.entropy(flat(table))
    branches = textbook.entropy([sum(line) for line in table])
    assert near(dd.joint_entropy(table=cells), joint)
    assert near(dd.conditional_entropy(table=cells), inside, joint)
    assert near(dd.conditional_entropy(table=cells), joint - branches, joint)  # the chain rule
    assert near(dd.information_gain(table=cells), node - inside, node)
    assert near(dd.information_gain(table=cells), textbook.information_gain(table), node)
    assert near(dd.split_information(table=cells), branches)
    gini_index = mean_inside(table, textbook.gini)
    assert near(dd.gini_index(table=cells), gini_index)
    assert near(dd.gini_gain(table=cells), textbook.gini(totals(table)) - gini_index, 1)
    assert near(dd.gini_gain(table=cells), textbook.information_gain(table, impurity=textbook.gini), 1)


@given(contingencies(), st.booleans())
def test_gain_ratio(table: list[list[Fraction]], with_missing: bool) -> None:
    """The last line of the table holds the rows whose cell is missing, if there are any."""
    rows, missing = (table[:-1], table[-1]) if with_missing else (table, [])
    if not any(map(any, rows)):
        return
    labels = [(v, k, w) for v, line in enumerate(rows) for k, w in enumerate(line) if w]
    labels += [(None, k, w) for k, w in enumerate(missing) if w]
    x, y, w = [v for v, _, _ in labels], [k for _, k, _ in labels], [float(w) for _, _, w in labels]
    node = textbook.entropy(totals(rows))
    exact = textbook.information_gain(rows, missing)
    assert near(dd.information_gain(x, y, weight=w), exact, node)

    information = textbook.entropy([sum(line) for line in [*rows, missing]])
    assert near(dd.split_information(x, y, weight=w, missing="branch"), information)
    ratio, ours = textbook.gain_ratio(rows, missing), dd.gain_ratio(x, y, weight=w, missing="branch")
    assert math.isnan(ours) if ratio is None else near(ours, ratio, node / information)

    known = textbook.gain_ratio(rows)
    ours = dd.gain_ratio(x, y, weight=w)  # on the known rows alone
    information = textbook.entropy([sum(line) for line in rows])
    assert math.isnan(ours) if known is None else near(ours, known, node / information)


NUMBER = st.integers(-40, 40).map(lambda n: Fraction(n, 4))


@given(st.lists(st.tuples(NUMBER, CELL), min_size=1, max_size=12), st.sampled_from([0, 10**8, -(2**40)]))
def test_squared_error(rows: list[tuple[Fraction, Fraction]], shift: int) -> None:
    moments = [sum(w * (y + shift) ** k for y, w in rows) for k in (0, 1, 2)]
    ours = dd.squared_error([float(y + shift) for y, _ in rows], weight=[float(w) for _, w in rows])
    assert near(ours, textbook.variance(moments))


@given(st.data())
def test_vectors_and_tables_agree(data: st.DataObject) -> None:
    """Rows with a missing target take no part; those with a missing feature are counted apart."""
    n = data.draw(st.integers(1, 20))
    x = data.draw(st.lists(st.sampled_from(["u", "v", "w", None]), min_size=n, max_size=n))
    y = data.draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
    w = data.draw(st.lists(CELL, min_size=n, max_size=n))
    weight = [float(v) for v in w]
    table, values, classes, missing = dd.contingency_table(x, y, weight)
    assert values == sorted({v for v in x if v is not None})
    assert classes == sorted({v for v in y if v is not None})
    for i, value in enumerate(values):
        for k, label in enumerate(classes):
            exact = sum((w[r] for r in range(n) if x[r] == value and y[r] == label), Fraction(0))
            assert near(table[i, k], exact)
    assert near(missing, sum((w[r] for r in range(n) if x[r] is None and y[r] is not None), Fraction(0)))
    if table.sum() == 0:
        return
    for measure in (dd.joint_entropy, dd.conditional_entropy, dd.gini_index, dd.gini_gain, dd.split_information):
        assert measure(x, y, weight=weight) == pytest.approx(measure(table=table), rel=1e-11, abs=1e-13)
    share = table.sum() / (table.sum() + missing)
    gain = dd.information_gain(x, y, weight=weight)
    assert gain == pytest.approx(share * dd.information_gain(table=table), rel=1e-11, abs=1e-13)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=20))
def test_labels_and_counts_agree(labels: list[str]) -> None:
    counts = [labels.count(label) for label in "abc"]
    assert dd.entropy(labels) == pytest.approx(dd.entropy(p=counts), rel=1e-12, abs=0)
    assert dd.gini(labels) == pytest.approx(dd.gini(p=counts), rel=1e-12, abs=0)
    assert dd.misclassification(labels) == pytest.approx(dd.misclassification(p=counts), rel=1e-12, abs=0)
