"""Document 002, "决策树": ID3 by hand on the loan table.

All its figures are right, but for the last digit of Gain(D2, Age), which it works out from rounded numbers.

Its errata: the regions of a regression tree test y_i <= s where it must be x_i^(j) <= s, the mean of a region has no
name c_m, and the sum in Gini(D, A) runs over the values of A, not over the classes.
"""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from deciduous import CARTRegressor, ID3Classifier, datasets, entropy, gini, gini_index, information_gain
from deciduous.draw import to_mermaid
from deciduous.explain.working import working_of
from tests.textbook.figures import Figure, feature_working, parametrize, questions

LOAN = datasets.load("loan")
WITHOUT_HOUSE = LOAN.frame["Owns House"] == "No"

ROOT, D1, D2 = 0, 2, 1  # nodes: D1 owns a house, D2 does not


@cache
def id3() -> ID3Classifier:
    return ID3Classifier().fit(LOAN.X, LOAN.y)


def gain_of(feature: str, right: str, node: int = ROOT, printed: str | None = None) -> Figure:
    """Return the gain of a feature in D or D2, by the public function and in the tree's working."""
    rows = LOAN.frame if node == ROOT else LOAN.frame.filter(WITHOUT_HOUSE)
    return Figure(
        f"Gain({'D' if node == ROOT else 'D2'}, {feature})",
        right,
        lambda: information_gain(rows[feature].to_list(), rows["Class"].to_list()),
        lambda: feature_working(id3(), feature, node).gain,
        printed,
    )


@parametrize(
    [
        Figure("Ent(D)", "0.971", lambda: entropy(LOAN.y.to_list()), lambda: working_of(id3().tree_, ROOT).entropy),
        gain_of("Age", "0.083"),
        gain_of("Employed", "0.324"),
        gain_of("Owns House", "0.420"),
        gain_of("Credit Status", "0.363"),
        Figure(
            "Ent(D2)",
            "0.918",
            lambda: entropy(LOAN.y.filter(WITHOUT_HOUSE).to_list()),
            lambda: working_of(id3().tree_, D2).entropy,
        ),
        gain_of("Age", "0.252", D2, printed="0.251"),  # 0.2516
        gain_of("Employed", "0.918", D2),
        gain_of("Credit Status", "0.474", D2),
    ]
)
def test_figure(figure: Figure) -> None:
    figure.check()


def test_first_step() -> None:
    """Figure 1: whoever owns a house gets the loan; the others are D2."""
    root = id3().tree_.node(ROOT)
    assert root.feature == "Owns House"
    assert id3().tree_.node(D1).class_weights == {"Yes": 6}
    assert id3().tree_.node(D2).class_weights == {"No": 6, "Yes": 3}


def test_final_tree() -> None:
    """Figure 2."""
    employed = {"Employed": {"No": "No", "Yes": "Yes"}}
    assert questions(id3().tree_.node(ROOT)) == {"Owns House": {"No": employed, "Yes": "Yes"}}
    assert id3().predict(LOAN.X).tolist() == LOAN.y.to_list()


@pytest.mark.parametrize(
    ("splits", "nodes", "edges"),
    [
        (1, ["Owns House", "Yes, D1", "D2"], [("N0", "Yes", "N1"), ("N0", "No", "N2")]),
        (
            2,
            ["Owns House", "Yes", "Employed", "Yes", "No"],
            [("N0", "Yes", "N1"), ("N0", "No", "N2"), ("N2", "Yes", "N3"), ("N2", "No", "N4")],
        ),
    ],
)
def test_its_charts_are_drawn(splits: int, nodes: list[str], edges: list[tuple[str, str, str]]) -> None:
    """Figures 1 and 2, in Mermaid: owners first, the sets D1 and D2 while there is one to divide."""
    frame = LOAN.X.to_pandas().astype({"Owns House": str, "Employed": str})
    for name in ("Owns House", "Employed"):
        frame[name] = pd.Categorical(frame[name], ["Yes", "No"])
    chart = to_mermaid(ID3Classifier().fit(frame, LOAN.y), splits=splits, counts=False)
    assert re.findall(r'N\d+\["(.*)"\]', chart) == nodes
    assert re.findall(r'(N\d+) -- "(.*)" --> (N\d+)', chart) == edges


def test_used_feature_has_no_gain_left() -> None:
    """D2 is searched without 'Owns House': one value is left of it."""
    assert feature_working(id3(), "Owns House", D2).verdict == "constant"
    assert information_gain(["No"] * 9, LOAN.y.filter(WITHOUT_HOUSE).to_list()) == 0


def test_regression_regions_divide_x() -> None:
    """R1 = {x^(j) <= s}; the document tests y. c_m is the mean of y in R_m."""
    x, y = np.array([[1.0, 5], [2, 1], [3, 5], [4, 1]]), np.array([40.0, 42, 1, 3])
    estimator = CARTRegressor(max_depth=1).fit(x, y)
    node = estimator.tree_.node(0)
    assert (node.feature, node.split.threshold) == ("x0", 2.5)
    assert [child.prediction for child in node.children] == [41.0, 2.0]
    assert estimator.predict([[2.5, 0], [2.6, 0]]).tolist() == [41.0, 2.0]


@pytest.mark.parametrize("feature", LOAN.X.columns)
def test_gini_index_sums_over_the_values(feature: str) -> None:
    values = LOAN.frame[feature]
    parts = [LOAN.y.filter(values == value).to_list() for value in values.unique()]
    by_hand = sum(len(part) / len(values) * gini(part) for part in parts)
    assert gini_index(values.to_list(), LOAN.y.to_list()) == pytest.approx(by_hand, rel=1e-12)
