"""The working of a node: its figures, its words, and how a terminal shows it."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, datasets, derivation, measures
from deciduous.errors import DataError, OptionError
from deciduous.explain.blocks import Grid
from deciduous.explain.derivation import derivation_of
from deciduous.explain.working import NodeWorking, working_of
from deciduous.language import speaking
from deciduous.model.candidate import VERDICTS
from deciduous.model.labels import figure

GOLF = datasets.load("golf")
OUTLOOK, PLAY = GOLF.frame["outlook"].to_list(), GOLF.y.to_list()
ID3 = ID3Classifier().fit(GOLF.X.drop("humidity", "temperature"), GOLF.y).tree_
C45 = C45Classifier().fit(GOLF.X, GOLF.y).tree_
NUMBERS = CARTRegressor().fit(pd.DataFrame({"x": [1.0, 2, 3, None], "k": [1.0] * 4}), [1.0, 2, 6, 6]).tree_


def by_feature(working: NodeWorking) -> dict[str, Any]:
    return {f.feature: f for f in working.features}


def test_the_root_of_golf() -> None:
    working = working_of(ID3)
    assert (working.node, working.path, working.n_samples, working.weight) == (0, (), 14, 14)
    assert working.class_weights == {"Play": 9, "Don't Play": 5}
    assert working.entropy == working.impurity == pytest.approx(0.940, abs=5e-4)
    assert working.gini == pytest.approx(measures.gini(PLAY))
    outlook = by_feature(working)["outlook"]
    assert (outlook.verdict, outlook.why, outlook.known_share, outlook.tried) == ("chosen", "chosen", 1, 1)
    assert [outlook.gain, outlook.score] == pytest.approx([measures.information_gain(OUTLOOK, PLAY)] * 2)
    assert outlook.conditional_entropy == pytest.approx(measures.conditional_entropy(OUTLOOK, PLAY))
    assert outlook.split_information == pytest.approx(measures.split_information(OUTLOOK))
    assert outlook.gain_ratio == pytest.approx(measures.gain_ratio(OUTLOOK, PLAY))
    assert outlook.gini_index == pytest.approx(measures.gini_index(OUTLOOK, PLAY))
    assert outlook.gini_gain == pytest.approx(measures.gini_gain(OUTLOOK, PLAY))
    sunny = outlook.branches[0]
    assert (sunny.condition, sunny.weight) == ("outlook = sunny", 5)
    assert sunny.class_weights == {"Play": 2, "Don't Play": 3}
    assert sunny.entropy == pytest.approx(measures.entropy(p=[2, 3]))
    assert math.isnan(sunny.mean)
    assert working.decision == "outlook is chosen: the largest information gain, 0.2467."


def test_why_outlook_is_the_root_of_c45() -> None:
    features = by_feature(working_of(C45))
    assert features["outlook"].verdict == "chosen"
    assert features["humidity"].branches[0].condition.startswith("humidity <= ")
    assert {f.verdict for f in features.values()} <= set(VERDICTS)
    below = [name for name, f in features.items() if f.verdict == "below average gain"]
    counted = {name: f.gain - f.correction for name, f in features.items() if f.counted}
    assert list(counted) == ["outlook", "windy"]  # the numbers pay more for their thresholds than they gain
    average = np.mean(list(counted.values()))
    assert below == [name for name, gain in counted.items() if gain < average] == ["windy"]
    decision = working_of(C45).decision
    assert decision.startswith("outlook is chosen: the largest gain ratio, 0.1564")
    assert f"below the average gain {figure(average)}, so not eligible: {', '.join(below)}." in decision


def test_a_missing_cell_as_quinlan_has_it() -> None:
    outlook = [None if i == 11 else cell for i, cell in enumerate(OUTLOOK)]
    tree = C45Classifier().fit(pd.DataFrame({"outlook": outlook}), PLAY).tree_
    feature = by_feature(working_of(tree))["outlook"]
    assert feature.known_share == pytest.approx(13 / 14)
    assert feature.gain == pytest.approx(0.199, abs=5e-4)
    assert feature.split_information == pytest.approx(1.809, abs=5e-4)
    assert [feature.gain_ratio, feature.score] == pytest.approx([0.110, 0.110], abs=5e-4)
    assert "rho = |D~| / |D| = 13/14 = 0.929" in derivation_of(tree).to_text()


def test_a_tie_is_said() -> None:
    table = pd.DataFrame({"a": list("uuvv"), "b": list("sstt"), "c": list("pqpq")})
    working = working_of(ID3Classifier().fit(table, list("xxyy")).tree_)
    assert [f.verdict for f in working.features] == ["chosen", "tied", "no gain"]
    assert working.features[1].why == "tied with the chosen one, which comes first"
    assert working.decision.endswith("; tied with it: b; the first column is taken.")


@pytest.mark.parametrize(
    ("columns", "options", "why"),
    [
        ({"a": list("uuuu")}, {}, "one value only"),
        ({"a": [None] * 4}, {}, "no known cell"),
        ({"a": list("uvvv")}, {"min_samples_leaf": 2}, "no split within the limits"),
        ({"a": list("uvuv")}, {}, "gains too little"),
    ],
)
def test_why_a_column_is_not_asked_for(columns: Any, options: Any, why: str) -> None:
    tree = ID3Classifier(**options).fit(pd.DataFrame(columns), list("xxyy")).tree_
    working = working_of(tree)
    assert working.features[0].why == why
    assert working.decision.startswith("Node 0 is a leaf because no ")
    assert why in derivation_of(tree).to_text()


def test_a_category_that_was_asked_for_above_is_used_up() -> None:
    table = pd.DataFrame({"a": list("uuvvuuvv"), "k": ["c"] * 8, "b": list("sstt" * 2)})
    tree = ID3Classifier(zero_gain="split").fit(table, list("xyxxxyxx")).tree_
    child = next(node for node in tree.node(0).children if node.candidates)
    why = {f.feature: f.why for f in working_of(tree, child.index).features}
    assert why["a"] == "used above, one value left"
    assert why["k"] == "one value only"


def test_the_way_to_a_node() -> None:
    leaf = ID3.node(0).children[0].children[0]
    working = working_of(ID3, leaf.index)
    assert working.path == ("outlook = sunny", "windy = true")
    assert working.decision.startswith(f"Node {leaf.index} is a leaf because ")


def test_numbers() -> None:
    working = working_of(NUMBERS)
    assert math.isnan(working.entropy)
    assert working.impurity == pytest.approx(measures.squared_error([1, 2, 6, 6]))
    x, k = working.features
    assert x.drop == x.score == pytest.approx(NUMBERS.gain[0])
    assert math.isnan(x.gain)
    assert [(b.condition, b.weight, b.mean) for b in x.branches] == [
        ("x <= 2.5", 2, pytest.approx(1.5)),
        ("x > 2.5 or missing", 2, pytest.approx(6)),
    ]
    assert x.branches[0].squared_error == pytest.approx(0.25)
    assert k.why == "one value only"
    assert "drop in squared error" in working.decision


def test_a_tree_without_candidates() -> None:
    tree = CARTClassifier(keep_candidates=0).fit([[1], [2]], ["x", "y"]).tree_
    with pytest.raises(DataError, match=r"keeps no candidates .*keep_candidates=0 nodes.* larger keep_candidates"):
        working_of(tree)
    with pytest.raises(DataError, match="there is no node 99"):
        working_of(ID3, 99)


# As text


def test_the_working_as_text() -> None:
    lines = derivation_of(ID3).to_text().split("\n")
    start = lines.index("Node 0: the root, all rows")
    assert lines[start + 2 : start + 5] == [
        "  14 rows: Don't Play 5, Play 9",
        "  Ent(D) = -(5/14 log2 5/14 + 9/14 log2 9/14) = 0.940",
        "  0 <= Ent(D) <= log2 2 = 1",
    ]
    assert "  H(D|outlook) = 5/14 × 0.97095 + 4/14 × 0 + 5/14 × 0.97095 = 0.694" in lines
    beside = lines.index("The columns side by side")
    assert lines[beside + 1].split() == ["column", "gain", "split", "info", "ratio", "Gini", "index"]
    assert lines[beside + 3].split() == ["outlook", "0.247", "1.577", "0.156", "0.343", "chosen"]
    assert "  outlook is chosen: the largest information gain, 0.247." in lines
    assert max(map(len, lines)) <= 80


def test_the_working_of_numbers_as_text() -> None:
    lines = derivation_of(NUMBERS).to_text().split("\n")
    start = lines.index("Node 0: the root, all rows")
    assert lines[start + 2 : start + 5] == ["  4 rows", "  c(D) = 15/4 = 3.75", "  S(D) = 4 × 5.1875 = 20.75"]
    assert "  best of 5 candidates" in lines
    assert ["D^-:", "x", "<=", "2.5", "2", "1.5", "0.25"] in [line.split() for line in lines]


def test_weights_and_heuristics_are_named() -> None:
    rng = np.random.default_rng(0)
    town = [f"t{i}" for i in range(15)] * 20
    tree = CARTClassifier(max_depth=1).fit({"town": town}, rng.integers(0, 3, 300), [2.0] * 300).tree_
    text = derivation_of(tree).to_text()
    assert "300 rows, weight 600" in text
    assert "found by a heuristic, not exhaustively" in text


def test_a_leaf_as_text() -> None:
    cells = pd.Categorical(list("uuv"), categories=["u", "v", "w"])
    tree = ID3Classifier().fit(pd.DataFrame({"a": cells}), list("xxy")).tree_
    text = derivation_of(tree, 1).to_text()
    assert text[text.index("Node 1") :].split("\n") == [
        "Node 1: a = u",
        "-------------",
        "  2 rows: x 2",
        "  Ent(D_1) = -(2/2 log2 2/2) = 0.000",
        "  0 <= Ent(D_1) <= log2 2 = 1",
        "  it is 0 % of the largest entropy that there may be",
        "  Node 1 is a leaf because all its rows have the same target.",
        "  answers x: 2 of 2",
    ]
    assert "  no rows" in derivation_of(tree, 3).to_text()


# What is counted and compared is called by its name


def grids(model: Any, lang: str = "en", **rows: Any) -> dict[str, tuple[str, ...]]:
    """The headings of the first table of each kind in the working of the root."""
    with speaking(lang):
        blocks = list(derivation(model, 0, **rows).blocks())
    return {block.role: block.header for block in reversed(blocks) if isinstance(block, Grid)}


@pytest.mark.parametrize(
    ("model", "counts", "tried"),
    [
        (
            CARTClassifier(max_depth=1),
            ("branch", "rows", "p", "q"),
            ("candidate", "rows", "drop in Gini", "Gini index", ""),
        ),
        (CARTClassifier(criterion="entropy"), ("branch", "rows", "p", "q"), ("candidate", "rows", "gain", "")),
        (
            CARTClassifier(criterion="misclassification"),
            ("branch", "rows", "p", "q"),
            ("candidate", "rows", "drop in misclassification", "error after", ""),
        ),
        (CARTRegressor(), ("branch", "rows", "mean", "variance"), ("candidate", "rows", "drop", "")),
        (
            CARTRegressor(criterion="absolute_error"),
            ("branch", "rows", "median", "absolute error"),
            ("candidate", "rows", "drop", ""),
        ),
        (CARTRegressor(criterion="poisson"), ("branch", "rows", "mean", "variance"), ("candidate", "rows", "drop", "")),
    ],
)
def test_the_headings_of_tables(model: Any, counts: tuple[str, ...], tried: tuple[str, ...]) -> None:
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    y = list("ppqqpq") if isinstance(model, CARTClassifier) else [1, 2, 4, 8, 5, 9]
    found = grids(model.fit(X, y), X=X, y=y)
    assert found["counts" if isinstance(model, CARTClassifier) else "moments"] == counts
    assert found["tried"] == tried
    assert "信息增益" not in "".join(grids(model.fit(X, y), "zh", X=X, y=y)["tried"]) or model.criterion == "entropy"


def test_branches_are_counted_in_weight_where_rows_have_some() -> None:
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}), list("ppqq")
    model = CARTClassifier().fit(X, y, [2.0, 2, 1, 1])
    found = grids(model, X=X, y=y, sample_weight=[2.0, 2, 1, 1])
    assert found["counts"][1] == found["tried"][1] == "weight"


def test_all_candidates_are_counted_though_fewer_are_shown() -> None:
    X, y = pd.DataFrame({"x": np.arange(50.0)}), list("pq" * 10 + "q" * 30)
    model = ID3Classifier(max_depth=1).fit(X, y)
    everything, some = derivation(model, 0, X, y), derivation(model, 0, X, y, candidates=5)
    assert len(everything.node(0).features[0].tried) == 49
    assert len(some.node(0).features[0].tried) == 5
    assert any(one.best for one in some.node(0).features[0].tried)
    for shown in (everything, some):
        assert "best of 49 candidates" in shown.to_text()
    assert "and 44 more candidates" in some.to_text()
    with pytest.raises(OptionError, match="candidates=0 must be at least 1"):
        derivation(model, 0, X, y, candidates=0)


def test_candidates_of_trees_with_surrogates_are_written_as_their_branches() -> None:
    X, y = pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40.0) % 7}), list("p" * 20 + "q" * 20)
    model = CARTClassifier(missing="surrogates", pruning=None).fit(X, y)
    feature = derivation(model, 0, X, y).node(0).features[0]
    assert feature.lines[0].condition == "x < 19.5"
    assert [one.what for one in feature.tried if one.best] == ["< 19.5"]


@pytest.mark.parametrize("missing", ["direction", "branch", "fractional", "majority"])
def test_known_rows_are_defined_where_they_are_set_apart(missing: str) -> None:
    X, y = pd.DataFrame({"a": ["u", "u", "v", None]}), list("ppqq")
    estimator = (
        C45Classifier(missing=missing, min_cases=1) if missing == "fractional" else CARTClassifier(missing=missing)
    )
    text = derivation(estimator.fit(X, y)).to_text()
    apart = missing in ("fractional", "majority")
    for sign in ("D~: the rows whose cell is known", "p~_k, r~_v", "rho = |D~| / |D|", "p~(p)=2/3, p~(q)=1/3", "r~("):
        assert (sign in " ".join(text.split())) == apart, sign


def test_negative_numbers_stand_in_brackets() -> None:
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}), [-1.5, 2, -3, -4]
    text = derivation(CARTRegressor(max_depth=1).fit(X, y), 0, X, y).to_text()
    assert "c(D) = (-1.5 + 2 + (-3) + (-4)) / 4 = -1.625" in text
    assert "S(D) = (-1.5 - (-1.625))^2 + (2 - (-1.625))^2 + " in text


def test_few_numbers_are_written_out_under_absolute_error_too() -> None:
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4, None]}), [3, 1, 7, 9, 2]
    model = CARTRegressor(criterion="absolute_error", missing="majority", max_depth=1).fit(X, y)
    text = derivation(model, 0, X, y).to_text().replace("D~^", "D^")
    assert "c(D) = median(1, 2, 3, 7, 9) = 3" in text
    assert "A(D^-) = |3 - 2| + |1 - 2| = 2" in text
    assert "A(D~) = 12" in text
    assert "drop(D, x) = (A(D~) - A(D^-) - A(D^+)) / |D| = (12 - 2 - 2) / 5 = 1.6" in text
    assert "x is chosen: the largest drop in absolute error, 1.6." in text
