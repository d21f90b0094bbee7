"""`to_sklearn()`: a fitted tree of scikit-learn that answers every row as ours does."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, DataError, ID3Classifier, OptionError

MODELS: list[Any] = [
    CARTClassifier(),
    CARTClassifier(criterion="misclassification", max_depth=6, ccp_alpha=0.001),
    CARTClassifier(criterion="entropy", max_leaf_nodes=12, class_weight={0: 1, 1: 3, 2: 1}),
    CARTClassifier(threshold="data", missing="majority"),
    ID3Classifier(max_depth=5),
    C45Classifier(missing="majority"),
    CARTRegressor(min_samples_leaf=0.01),
    CARTRegressor(criterion="absolute_error", max_depth=5),
    CARTRegressor(criterion="poisson", max_depth=5, monotonic_cst=[1, 0, 0]),
]


def table(seed: int, n: int = 400, missing: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    y = np.digitize(X["a"] - np.abs(X["b"]) + rng.normal(size=n), [-1, 1])
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.uniform(0.5, 2, n)


def same(ours: Any, theirs: Any, X: Any) -> None:
    assert (theirs.predict(X) == ours.predict(X)).all()
    assert (theirs.apply(X) == ours.apply(X)).all()
    assert (theirs.decision_path(X) != ours.decision_path(X)).nnz == 0
    if hasattr(ours, "predict_proba"):
        assert np.allclose(theirs.predict_proba(X), ours.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_answers_nodes_and_figures_are_the_same(model: Any, missing: float, tmp_path: Any) -> None:
    X, y, weight = table(0, missing=missing)
    model.fit(X, y, weight)
    exported = model.to_sklearn()
    assert type(exported) is (DecisionTreeClassifier if hasattr(model, "classes_") else DecisionTreeRegressor)
    new = table(1, missing=missing)[0]
    for rows in (X, new.astype(np.float32)):
        same(model, exported, rows)
    same(model, model.to_sklearn(X), X)
    assert exported.get_n_leaves() == model.get_n_leaves()
    assert exported.get_depth() == model.get_depth()
    assert exported.tree_.n_node_samples.tolist() == model.tree_.n_samples.tolist()
    assert np.allclose(exported.tree_.impurity, model.tree_.impurity)
    assert np.allclose(exported.feature_importances_, model.feature_importances_)
    same(model, pickle.loads(pickle.dumps(exported)), X)
    deciduous.save(model, tmp_path / "m.json")
    same(model, deciduous.load(tmp_path / "m.json").to_sklearn(), X)


def test_scripts_that_read_the_arrays_go_on_working() -> None:
    X, y, _ = table(0)
    model = CARTClassifier(max_depth=3).fit(X, np.array(["no", "yes", "perhaps"])[y])
    exported = model.to_sklearn()
    tree, nodes = exported.tree_, [0]
    leaves = 0
    while nodes:
        node = nodes.pop()
        if tree.children_left[node] == tree.children_right[node]:
            leaves += 1
            continue
        assert tree.threshold[node] == model.tree_.threshold[node]
        nodes += [tree.children_left[node], tree.children_right[node]]
    assert leaves == tree.n_leaves == model.get_n_leaves()
    assert exported.classes_.tolist() == ["no", "perhaps", "yes"]
    assert exported.feature_names_in_.tolist() == ["a", "b", "c"]
    assert "a <= " in export_text(exported, feature_names=["a", "b", "c"])
    assert exported.score(X, model.predict(X)) == 1.0
    assert exported.get_params()["max_depth"] == 3


def test_plot_tree_draws_it() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    X, y, _ = table(0)
    assert plot_tree(CARTRegressor(max_depth=2).fit(X, y).to_sklearn(), ax=figure.subplots())


def test_a_root_alone() -> None:
    model = CARTClassifier().fit([[1.0], [2.0]], ["x", "x"])
    same(model, model.to_sklearn(), [[0.0], [np.nan]])


def test_classes_that_are_equal_but_for_rounding_have_one_winner() -> None:
    """0.1 + 0.2 and 0.3 are tied: ours is the first class, and so must be the largest share there."""
    X, y, weight = [[0.0]] * 3, ["a", "b", "b"], [0.3, 0.1, 0.2]
    model = CARTClassifier().fit(X, y, weight)
    assert model.predict([[0.0]]) == model.to_sklearn().predict([[0.0]]) == ["a"]


# --- rounding to 32-bit floats ---

STEP = 2.0**-23  # between 32-bit floats from 1 to 2


@pytest.mark.parametrize("threshold", ["midpoint", "data"])
def test_numbers_that_are_rounded_apart_need_no_table(threshold: str) -> None:
    """Neighbours nearer to each other than the step of 32-bit floats, but on either side of a point of rounding."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        edge = 1 + STEP * (int(rng.integers(1, 1000)) + 0.5)
        low, high = edge - STEP * rng.uniform(0.01, 0.49), edge + STEP * rng.uniform(0.01, 0.49)
        X = np.array([[low], [high], [edge - STEP * 3], [edge + 3 * STEP]])
        model = CARTClassifier(threshold=threshold).fit(X, [0, 1, 0, 1])
        same(model, model.to_sklearn(), X)
        same(model, model.to_sklearn(X), X)


def test_numbers_that_are_rounded_alike_are_named() -> None:
    X = pd.DataFrame({"when": [1 + STEP * 0.1, 1 + STEP * 0.2, 5.0]})
    model = CARTClassifier().fit(X, ["x", "y", "y"])
    with pytest.raises(DataError, match=r"node 0 tells 1\.00000001.* from 1\.00000002.* in column 'when'.*float32"):
        model.to_sklearn(X)
    rounded = X.astype(np.float32)
    same(model.fit(rounded, ["x", "x", "y"]), model.to_sklearn(rounded), rounded)


def test_either_every_row_goes_the_same_way_or_it_is_said() -> None:
    refused = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        X = 1 + STEP * rng.integers(0, 24, size=(12, 2)) * rng.choice([0.3, 0.5, 1.0])
        y = rng.integers(0, 2, 12)
        model = CARTClassifier(threshold=["midpoint", "data"][seed % 2]).fit(X, y)
        other = 1 + STEP * rng.integers(0, 24, size=(12, 2)) * 0.3
        for rows in (X, other):
            try:
                exported = model.to_sklearn(rows)
            except DataError:
                refused += 1
            else:
                same(model, exported, rows)
    assert 7 < refused < 93


def test_cells_of_any_size() -> None:
    X = np.array([[-1e300], [-3.5e38], [0.0], [1e-300], [3.3e38]])
    model = CARTRegressor().fit(X, [0, 0, 1, 1, 2])
    exported = model.to_sklearn(X[2:])
    same(model, exported, X[2:])


# --- what cannot be expressed ---


@pytest.mark.parametrize(
    ("model", "column", "why"),
    [
        (ID3Classifier(), ["x", "y", "x", "z"], "categories"),
        (CARTClassifier(), ["x", "y", "x", "z"], "categories"),
        (CARTClassifier(nominal="one_vs_rest"), [True, False, True, False], "categories"),
        (
            CARTClassifier(),
            pd.Categorical(["s", "m", "s", "l"], categories=["s", "m", "l"], ordered=True),
            "ordered column of words",
        ),
        (CARTClassifier(missing="branch"), [1.0, 2.0, 1.0, np.nan], "more than two branches"),
        (C45Classifier(min_cases=1), [1.0, 2.0, 1.0, np.nan], "in parts (missing='fractional')"),
    ],
)
def test_what_scikit_learn_cannot_express_is_refused_by_name(model: Any, column: Any, why: str) -> None:
    X = pd.DataFrame({"it": column, "noise": [1.0, 1.0, 1.0, 1.0]})
    model.fit(X, ["a", "b", "a", "c"])
    with pytest.raises(OptionError) as caught:
        model.to_sklearn()
    assert "asks for 'it'" in str(caught.value)
    assert why in str(caught.value)


def test_columns_of_words_that_the_tree_does_not_ask_for_do_not_matter() -> None:
    X = pd.DataFrame({"word": ["x", "x", "x", "x"], "n": [1.0, 2.0, 3.0, 4.0]})
    model = CARTClassifier().fit(X, [0, 0, 1, 1])
    coded = X.assign(word=0.0)
    assert (model.to_sklearn().predict(coded) == [0, 0, 1, 1]).all()


def test_missing_or_not_is_a_threshold_at_infinity() -> None:
    X = pd.DataFrame({"n": [1.0, 1.0, np.nan, np.nan]})
    model = CARTClassifier().fit(X, [0, 0, 1, 1])
    exported = model.to_sklearn(X)
    assert exported.tree_.threshold[0] == np.inf
    same(model, exported, pd.DataFrame({"n": [-1e30, 1e30, np.nan]}))


def test_one_mapping_of_class_weights_in_a_list() -> None:
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    assert CARTClassifier(class_weight=[{"a": 2.0}]).fit(X, y).to_sklearn().class_weight == {"a": 2.0}


#: Grown on rows without missing cells these are binary trees of numbers like any other.
COMPLETE: list[Any] = [
    C45Classifier(),
    C45Classifier(conventions="j48", confidence=0.1),
    C45Classifier(conventions="r8", min_cases=5),
    CARTClassifier.rpart(xval=0),
    CARTClassifier.rpart(xval=0, usesurrogate=1, parms={"prior": [0.2, 0.5, 0.3], "split": "information"}),
    CARTRegressor.rpart(xval=0, cp=0.001),
    CARTRegressor.rpart(method="poisson", xval=0),
]


@pytest.mark.parametrize("model", COMPLETE, ids=repr)
def test_trees_that_would_divide_missing_cells_and_saw_none(model: Any) -> None:
    X, y, weight = table(0)
    model.fit(X, y, weight)
    assert model.get_n_leaves() > 2
    for exported in (model.to_sklearn(), model.to_sklearn(X)):
        same(model, exported, X)
        same(model, exported, table(1)[0].astype(np.float32))
    gap = X.copy()
    gap.iloc[:9] = np.nan
    with pytest.raises(OptionError, match="a missing cell"):
        model.to_sklearn(gap)
    with pytest.raises(OptionError, match="a missing cell"):
        model.fit(gap, y, weight).to_sklearn()


def test_answers_by_losses_cannot_be_expressed() -> None:
    X, y, _ = table(0)
    loss = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    model = CARTClassifier.rpart(xval=0, parms={"loss": loss}).fit(X, y)
    with pytest.raises(OptionError, match=r"node 0 answers 2, which costs least by loss"):
        model.to_sklearn()
