"""The estimators: fitting, asking, and what they say about the data."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_sample_weight

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, datasets, load
from deciduous.errors import DataError, DataWarning, OptionError

CLASSIFIERS = [ID3Classifier, C45Classifier, CARTClassifier]
EVERY = [*CLASSIFIERS, CARTRegressor]
X = pd.DataFrame({"colour": list("rrggbbrg"), "size": [1.0, 2, 1, 2, 3, 1, 3, 3]})
Y = np.array(["no", "no", "no", "yes", "yes", "yes", "yes", "no"], dtype=object)
NUMBERS = np.array([1.0, 2, 1, 4, 5, 7, 6, 1])


def target(estimator: Any) -> np.ndarray:
    return NUMBERS if estimator is CARTRegressor else Y


def same_tree(ours: Any, theirs: Any) -> bool:
    names = ("first_child", "feature", "threshold", "category_branch", "value", "share")
    return all(
        np.array_equal(getattr(ours.tree_, n), getattr(theirs.tree_, n), equal_nan=n == "threshold") for n in names
    )


# Fitting


@pytest.mark.parametrize("estimator", EVERY)
def test_the_target_may_be_the_name_of_a_column(estimator: Any) -> None:
    plain = estimator().fit(X, target(estimator))
    for table in (X.assign(t=target(estimator)), pl.DataFrame({**X, "t": list(target(estimator))})):
        named = estimator().fit(table, "t")
        assert same_tree(plain, named)
        assert (named.tree_.target, named.n_features_in_) == ("t", 2)
        assert list(named.feature_names_in_) == ["colour", "size"]
        assert named.predict(table).tolist() == plain.predict(X).tolist()


@pytest.mark.parametrize(
    ("table", "name", "message"),
    [
        (X.assign(play=Y), "plya", r"no column 'plya' to predict; the columns are .*Did you mean 'play'\?"),
        (X.to_numpy(), "play", "X is an array without column names"),
    ],
)
def test_a_target_that_is_not_there(table: Any, name: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        CARTClassifier().fit(table, name)


def test_the_name_of_the_target() -> None:
    assert CARTClassifier().fit(X, Y).tree_.target == "y"
    assert CARTClassifier().fit(X, pd.Series(Y, name="play")).tree_.target == "play"
    assert CARTClassifier().fit(X, pl.Series("play", list(Y))).tree_.target == "play"


@pytest.mark.parametrize("estimator", EVERY)
def test_fitting_again_forgets_the_first_time(estimator: Any) -> None:
    y = target(estimator)
    model = estimator().fit(X, y)
    array = X[["size"]].to_numpy()
    assert model.fit(array, y[::-1]) is model
    fresh = estimator().fit(array, y[::-1])
    assert vars(model).keys() == vars(fresh).keys()
    assert not hasattr(model, "feature_names_in_")
    assert same_tree(model, fresh)
    assert clone(model).get_params() == model.get_params()


def test_another_number_of_rows() -> None:
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[8, 7\]"):
        CARTClassifier().fit(X, Y[:7])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path", "get_depth", "get_n_leaves"])
def test_a_model_that_is_not_fitted(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(CARTClassifier(), method)(*[X] * (not method.startswith("get")))


# Weights


@pytest.mark.parametrize("estimator", EVERY)
def test_a_row_of_weight_zero_is_absent(estimator: Any) -> None:
    y, weight = target(estimator), np.array([1, 1, 0, 1, 1, 0, 1, 2.0])
    model = estimator().fit(X, y, weight)
    assert same_tree(model, estimator().fit(X[weight > 0], y[weight > 0], weight[weight > 0]))
    assert (model.tree_.n_samples[0], model.tree_.weight[0], model.tree_.weighted) == (6, 7, True)


def test_a_class_that_only_rows_of_weight_zero_have_is_absent() -> None:
    model = CARTClassifier().fit(X, ["other", *Y[1:]], [0, *[1] * 7])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.predict_proba(X).shape == (8, 2)


@pytest.mark.parametrize("estimator", EVERY)
def test_a_weight_column_is_the_sample_weight(estimator: Any) -> None:
    y, weight = target(estimator), np.array([1, 2, 1, 0, 3, 1, 1, 2.0])
    plain = estimator().fit(X, y, weight)
    model = estimator(kinds={"w": "weight"}).fit(X.assign(w=weight), y)
    assert same_tree(plain, model)
    assert plain.tree_.weight.tolist() == model.tree_.weight.tolist()
    both = estimator(kinds={"w": "weight"}).fit(X.assign(w=weight), y, [2.0] * 8)
    assert both.tree_.weight[0] == 2 * weight.sum()
    assert model.predict(X).tolist() == plain.predict(X).tolist()


@pytest.mark.parametrize("weights", ["balanced", {"yes": 3}, {"yes": 3, "no": 0.5}])
@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_class_weights_are_scikit_learns(estimator: Any, weights: Any) -> None:
    y = Y[[0, 1, 2, 3, 0, 2, 3, 1]]
    expected = compute_sample_weight(weights, y)
    model = estimator(class_weight=weights).fit(X, y)
    plain = estimator().fit(X, y, expected)
    assert same_tree(model, plain)
    assert model.tree_.weight == pytest.approx(plain.tree_.weight)
    assert model.tree_.weighted
    given = estimator(class_weight=weights).fit(X, y, [2.0] * 8)
    assert given.tree_.weight[0] == pytest.approx(2 * model.tree_.weight[0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [({"maybe": 1}, "class_weight names 'maybe', but the classes are 'no', 'yes'"), ({"yes": 0}, "weight 0 to 'yes'")],
)
def test_class_weights_that_do_not_fit(weights: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CARTClassifier(class_weight=weights).fit(X, Y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1] * 7, "one number a row"),
        ([-1, *[1] * 7], "row 0 has -1"),
        ([0] * 8, "no row is left to learn from"),
        (list("abcdefgh"), "weight"),
    ],
)
def test_weights_that_cannot_be_used(weight: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        CARTClassifier().fit(X, Y, weight)


# Warnings about the data


@pytest.mark.parametrize("estimator", EVERY)
def test_rows_without_a_target_are_left_out(estimator: Any) -> None:
    y = target(estimator).astype(object)
    y[[2, 5]] = None
    with pytest.warns(DataWarning, match="2 of 8 rows left out of training: their target 'y' is missing"):
        model = estimator().fit(X, y)
    known = [0, 1, 3, 4, 6, 7]
    assert same_tree(model, estimator().fit(X.iloc[known], target(estimator)[known]))


def test_rows_without_target_and_weight_need_no_warning() -> None:
    CARTClassifier().fit(X, [None, *Y[1:]], [0, *[1] * 7])


@pytest.mark.parametrize(
    ("estimator", "leak", "y"),
    [
        (CARTClassifier, list(Y), Y),
        (CARTClassifier, [1, 0] * 4, [1, 0] * 4),
        (CARTClassifier, [True, False] * 4, [True, False] * 4),
        (CARTRegressor, NUMBERS, NUMBERS),
    ],
)
def test_a_column_that_is_the_target_itself(estimator: Any, leak: Any, y: Any) -> None:
    with pytest.warns(DataWarning, match="column 'leak' is the target 'y' itself, cell for cell"):
        estimator().fit(X.assign(leak=leak), y)


# New rows


@pytest.mark.parametrize("estimator", EVERY)
def test_unseen_categories_are_answered_by_the_node_that_asks(estimator: Any) -> None:
    y = target(estimator)
    model = estimator(max_depth=1, **({} if estimator is C45Classifier else {"zero_gain": "split"})).fit(
        X[["colour"]], y
    )
    new = pd.DataFrame({"colour": ["r", "x", "y", "x"]})
    with pytest.warns(DataWarning, match=r"column 'colour': 3 cells \(row 1: 'x'\): .* by the node that asks") as said:
        answers = model.predict(new)
    assert len(said) == 1
    if not model.tree_.node(0).is_leaf:
        root = model.tree_.node(0).prediction
        assert list(answers[1:]) == pytest.approx([root] * 3) if estimator is CARTRegressor else [root] * 3


def test_unseen_categories_as_missing_ones_or_an_error() -> None:
    new = pd.DataFrame({"colour": ["x"]})
    model = ID3Classifier(unseen="missing").fit(X[["colour"]], Y)
    with pytest.warns(DataWarning, match=r"1 cell \(row 0: 'x'\): they are treated as missing cells"):
        unseen = model.predict_proba(new)
    assert unseen.tolist() == model.predict_proba(pd.DataFrame({"colour": [None]})).tolist()
    with pytest.raises(DataError, match=r"unseen='error' forbids .*column 'colour': 1 cell \(row 0: 'x'\)"):
        ID3Classifier(unseen="error").fit(X[["colour"]], Y).predict(new)


@pytest.mark.parametrize("estimator", EVERY)
def test_missing_cells_can_be_forbidden(estimator: Any) -> None:
    holes = X.assign(size=[None, None, *X["size"][2:]])
    with pytest.raises(DataError, match=r"missing='error' forbids missing cells, .* 'size' \(2\)"):
        estimator(missing="error").fit(holes, target(estimator))
    model = estimator(missing="error").fit(X[["size"]], np.sort(target(estimator))[[0, 1, 0, 1, 7, 0, 7, 7]])
    with pytest.raises(DataError, match=r"'size' \(2\)"):
        model.predict(holes)
    estimator(missing="error").fit(holes, target(estimator), [0, 0, *[1] * 6])


def test_numbers_can_be_forbidden() -> None:
    with pytest.raises(DataError, match="numeric='error' forbids columns of numbers, and 'size' is numeric"):
        ID3Classifier(numeric="error").fit(X, Y)
    ID3Classifier(numeric="error", kinds={"size": "nominal"}).fit(X, Y)


def test_some_column_must_be_left() -> None:
    with pytest.raises(DataError, match="no column is left to ask for"):
        CARTClassifier(kinds={"colour": "id", "size": "weight"}).fit(X, Y)


@pytest.mark.parametrize("estimator", EVERY)
def test_nodes_and_paths(estimator: Any) -> None:
    model = estimator().fit(X, target(estimator))
    tree = model.tree_
    ends, paths = model.apply(X), model.decision_path(X).toarray()
    assert tree.is_leaf[ends].all()
    assert paths.shape == (8, len(tree))
    assert [np.flatnonzero(line).tolist() for line in paths] == [tree.path(int(n)) for n in ends]
    assert paths.sum(axis=0).tolist() == tree.n_samples.tolist()
    assert (model.get_depth(), model.get_n_leaves()) == (tree.max_depth, tree.n_leaves)
    assert model.feature_importances_.sum() == pytest.approx(float(len(tree) > 1))


def test_a_row_that_goes_down_in_parts() -> None:
    melons = datasets.load("watermelon2a")
    model = C45Classifier(min_cases=1).fit(melons.X, melons.y)
    nothing = pl.DataFrame({name: [None] for name in melons.X.columns})
    proba = model.predict_proba(nothing)
    assert proba.sum() == pytest.approx(1)
    assert model.predict(nothing)[0] == model.classes_[proba.argmax()]
    assert model.decision_path(nothing).toarray().sum() > model.get_depth() + 1
    with np.errstate(divide="ignore"):
        assert model.predict_log_proba(nothing).tolist() == np.log(proba).tolist()


@pytest.mark.parametrize("estimator", EVERY)
def test_saving(estimator: Any, tmp_path: Path) -> None:
    model = estimator(max_depth=3, kinds={"size": "nominal"}).fit(X, target(estimator))
    model.save(tmp_path / "m")
    for read in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert same_tree(read, model)
        assert read.get_params() == model.get_params()
        assert read.predict(X).tolist() == model.predict(X).tolist()
        assert same_tree(read.fit(X, target(estimator)), model)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_users_criterion(estimator: Any, tmp_path: Path) -> None:
    def half_gini(tables: np.ndarray) -> np.ndarray:
        p = lambda t: t / np.maximum(t.sum(axis=-1, keepdims=True), 1e-300)  # noqa: E731
        impurity = lambda t: 1 - (p(t) ** 2).sum(axis=-1)  # noqa: E731
        share = tables.sum(axis=2) / tables.sum(axis=(1, 2))[:, None]
        return (impurity(tables.sum(axis=1)) - (share * impurity(tables)).sum(axis=1)) / 2

    model = estimator(criterion=half_gini).fit(X, Y)
    model.tree_.check()
    if estimator is CARTClassifier:
        assert model.tree_.node(0).gain == pytest.approx(CARTClassifier().fit(X, Y).tree_.node(0).gain / 2)
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").criterion == "half_gini"
    assert model.tree_.options["criterion"] == "half_gini"


@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_are_the_same_for_any_number_of_threads(order: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), rng.integers(0, 3, 500)
    new = np.asarray(rng.normal(size=(24_001, 5)), order=order)
    new[rng.random(new.shape) < 0.05] = np.nan
    for estimator in (C45Classifier, CARTClassifier, CARTRegressor):
        model = estimator(missing="fractional" if estimator is C45Classifier else "majority").fit(X, y)
        answers = []
        for n_jobs in (1, 2, 5, None):
            model.set_params(n_jobs=n_jobs)
            answers.append([model.apply(new), model.predict(new), model.decision_path(new).indices])
        for other in answers[1:]:
            assert all(np.array_equal(a, b) for a, b in zip(answers[0], other, strict=True))
        some = np.flatnonzero(rng.random(len(new)) < 0.01)
        assert np.array_equal(model.predict(new[some]), answers[0][1][some])


def test_threads_that_cannot_be_used() -> None:
    model = CARTClassifier().fit([[0.0], [1.0]], [0, 1]).set_params(n_jobs=-2)
    with pytest.raises(OptionError, match="n_jobs=-2 must be a whole number of at least 1"):
        model.predict(np.zeros((100_000, 1)))


def test_columns_that_the_tree_never_asks_for_may_hold_anything() -> None:
    model = CARTClassifier().fit(pd.DataFrame({"a": [0, 1, 2], "b": [1, 1, 1]}), [0, 1, 1])
    assert model.predict(pd.DataFrame({"a": [0, 2], "b": [{1}, None]})).tolist() == [0, 1]
    with pytest.raises(DataError, match="X lacks the column 'b'"):
        model.predict(pd.DataFrame({"a": [0, 2]}))


def test_a_leak_shows_only_at_the_end() -> None:
    y = np.arange(400) % 3
    other = np.where(np.arange(400) == 399, 9, y)
    CARTClassifier().fit(np.stack([other, -y], axis=1), y)  # no warning
    with pytest.warns(DataWarning, match="column 'x1' is the target"):
        CARTClassifier().fit(np.stack([other, y], axis=1), y)
