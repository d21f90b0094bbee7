"""The record of options: their defaults, and a message for every wrong value."""

from dataclasses import FrozenInstanceError, fields
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.algorithms.c45 import C45
from deciduous.algorithms.cart import CART_CLASSES, CART_NUMBERS
from deciduous.algorithms.id3 import ID3
from deciduous.errors import OptionError
from deciduous.grow.algorithm import Algorithm

NAN = float("nan")
ALGORITHMS = [ID3, C45, CART_CLASSES, CART_NUMBERS]
ESTIMATORS = [ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("criterion", "ginny", r"criterion='ginny' is not one of 'gini', 'entropy'.*nor a function.*mean 'gini'\?"),
        ("criterion", "gain_ratio", "is not one of 'gini', 'entropy', 'log_loss', 'misclassification'"),
        ("criterion", None, "criterion=None is not one of"),
        ("nominal", "multi", r"nominal='multi' is not one of 'multiway', 'subset', 'one_vs_rest'"),
        ("numeric", "no", "numeric='no' is not one of 'threshold', 'error'"),
        ("threshold", "Midpoint", r"threshold='Midpoint' is not one of 'midpoint', 'data'\. Did you mean 'midpoint'\?"),
        ("missing", "drop", "missing='drop' is not one of 'error', 'majority', 'branch', 'direction', 'fractional'"),
        ("unseen", None, "unseen=None is not one of 'node', 'missing', 'error'"),
        ("zero_gain", True, "zero_gain=True is not one of 'split', 'stop'"),
        ("guard", 1, "guard=1 must be True or False"),
        ("guard", None, "guard=None must be True or False"),
        *[(o, -0.1, f"{o}=-0.1 must be at least 0") for o in ("min_gain", "min_cases", "min_impurity")],
        ("min_impurity_decrease", NAN, "min_impurity_decrease=nan must be at least 0"),
        ("min_gain", "0.1", "min_gain='0.1' must be a number, at least 0"),
        ("min_gain", Decimal("NaN"), r"min_gain=Decimal\('NaN'\) must be a number, at least 0"),
        ("min_gain", float("inf"), "min_gain=inf must be between 0 and"),
        ("min_gain", True, "min_gain=True must be a number"),
        ("min_gain", None, "min_gain=None must be a number"),
        ("min_weight_fraction_leaf", 0.6, "min_weight_fraction_leaf=0.6 must be between 0 and 0.5"),
        ("min_weight_fraction_leaf", -1, "must be between 0 and 0.5"),
        ("max_depth", -1, "max_depth=-1 must be a whole number of at least 0"),
        ("max_depth", 2.0, "max_depth=2.0 must be a whole number of at least 0"),
        ("max_depth", True, "max_depth=True must be a whole number"),
        ("max_depth", "3", "max_depth='3' must be a whole number"),
        ("max_leaf_nodes", 1, "max_leaf_nodes=1 must be a whole number of at least 2"),
        ("min_samples_split", 1, "min_samples_split=1 must be a whole number of at least 2"),
        ("min_samples_split", None, "min_samples_split=None must be a whole number of at least 2"),
        ("min_samples_leaf", 0, "min_samples_leaf=0 must be a whole number of at least 1"),
        (
            "min_samples_leaf",
            1.5,
            "min_samples_leaf=1.5 must be a whole number of at least 1, or a share of the rows above",
        ),
        ("keep_candidates", -1, "keep_candidates=-1 must be a whole number of at least 0"),
        ("splitter", "Random", "splitter='Random' is not one of 'best', 'random'. Did you mean 'random'"),
        (
            "max_features",
            0,
            "max_features=0 must be a whole number of at least 1, a share above 0 and up to 1.0, 'sqrt'",
        ),
        ("max_features", 1.5, "max_features=1.5 must be a whole number of at least 1"),
        ("max_features", 0.0, "max_features=0.0 must be"),
        ("max_features", NAN, "max_features=nan must be"),
        ("max_features", True, "max_features=True must be"),
        ("max_features", "auto", "max_features='auto' must be .* 'sqrt', 'log2', or None"),
        ("max_features", "log", r"max_features='log' must be .*Did you mean 'log2'\?"),
        ("random_state", -1, "random_state=-1 must be a whole number of at least 0"),
        ("random_state", 2**64, "random_state=18446744073709551616 must be .* below 2\\^64"),
        ("random_state", 1.0, "random_state=1.0 must be a whole number"),
        ("class_weight", "even", "class_weight='even' must be None, 'balanced', or a mapping of classes to weights"),
        ("class_weight", [1, 2], "must be None, 'balanced', or a mapping"),
        ("class_weight", {"a": -1}, r"class_weight\['a'\]=-1 must be at least 0"),
        ("class_weight", {"a": "1"}, r"class_weight\['a'\]='1' must be a number"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(option: str, value: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CART_CLASSES.of({option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("class_weight", np.array([1, 2])),
        ("max_features", np.array([1, 2])),
        ("max_features", ["sqrt"]),
        ("splitter", ["best"]),
        ("random_state", [1]),
        ("min_gain", np.array([0.1, 1])),
        ("max_depth", np.array([1, 2])),
        ("missing", np.array(["error", "branch"])),
        ("criterion", ["gini"]),
        ("nominal", ["subset"]),
    ],
    ids=str,
)
def test_values_that_cannot_be_compared(option: str, value: Any) -> None:
    with pytest.raises(OptionError, match=option):
        CART_CLASSES.of({option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_depth", 0),
        ("max_depth", np.int64(3)),
        ("max_leaf_nodes", None),
        ("min_gain", np.float32(0.5)),
        ("min_cases", 2),
        ("min_weight_fraction_leaf", 0.5),
        ("class_weight", "balanced"),
        ("class_weight", {"a": 1, 2: np.float64(0.5)}),
        ("max_features", 0.5),
        ("max_features", np.int64(3)),
        ("max_features", np.float32(0.5)),
        ("max_features", "log2"),
        ("splitter", "random"),
        ("random_state", np.int64(3)),
        ("random_state", 2**64 - 1),
        ("monotonic_cst", (0, 1, -1)),
        ("monotonic_cst", {"a": 1}),
        ("criterion", lambda tables: np.zeros(len(tables))),
        *[("nominal", v) for v in ("multiway", "subset", "one_vs_rest")],
    ],
)
def test_values_that_are_allowed(option: str, value: Any) -> None:
    stored = getattr(CART_CLASSES.of({option: value}), option)
    assert stored == value
    assert not isinstance(stored, np.generic)  # NumPy's numbers become Python's, which a file can hold


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        ID3.max_depth = 3  # type: ignore[misc]
    assert ID3.of({"max_depth": 3, "kinds": None, "name": "x", "task": "number"}).name == "id3"
    assert ID3.max_depth is None


@pytest.mark.parametrize(("estimator", "algorithm"), list(zip(ESTIMATORS, ALGORITHMS, strict=True)))
def test_estimators_repeat_names_and_defaults(estimator: Any, algorithm: Algorithm) -> None:
    options = estimator().get_params()
    assert options.pop("kinds") is None
    assert options == {name: getattr(algorithm, name) for name in options}
    assert set(options) <= {f.name for f in fields(Algorithm)}
    assert algorithm.of(options) == algorithm


def test_the_defaults_are_those_of_the_books() -> None:
    named = ["criterion", "nominal", "threshold", "missing", "unseen", "guard", "zero_gain", "min_cases"]
    assert [[getattr(a, o) for o in named] for a in ALGORITHMS] == [
        ["gain", "multiway", "midpoint", "majority", "node", False, "stop", 0],
        ["gain_ratio", "multiway", "data", "fractional", "node", True, "stop", 2],
        ["gini", "subset", "midpoint", "direction", "node", False, "split", 0],
        ["squared_error", "subset", "midpoint", "direction", "node", False, "split", 0],
    ]


def test_plain_values_for_a_file() -> None:
    def my_score(tables: Any) -> Any:
        return tables

    plain = CART_CLASSES.of({"criterion": my_score, "class_weight": {"a": 2}}).plain()
    assert (plain["criterion"], plain["class_weight"]) == ("my_score", [["a", 2.0]])
    assert (plain["name"], plain["max_depth"]) == ("cart", None)
    assert not {"criteria", "task"} & set(plain)
    assert C45.of({"class_weight": "balanced"}).plain()["class_weight"] == "balanced"
