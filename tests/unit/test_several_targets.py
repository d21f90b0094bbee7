"""Several targets at once: what they are, what a tree says of them, and what refuses them by name."""

import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, DataError, DataWarning, ID3Classifier, OptionError
from deciduous.explain.working import working_of
from deciduous.model.tree import Tree
from deciduous.prune import ErrorBased, node_costs

X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "kind": ["a", "b", "a", "b", "c", "c"]})
CLASSES = pd.DataFrame({"colour": ["red", "red", "blue", "blue", "red", "blue"], "heavy": [0, 0, 0, 1, 1, 1]})
NUMBERS = pd.DataFrame({"price": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0], "age": [7.0, 7.0, 7.0, 2.0, 2.0, 2.0]})


def test_a_tree_of_two_targets_in_words() -> None:
    tree = CARTClassifier(max_depth=1).fit(X, CLASSES).tree_
    tree.check()
    assert tree.targets == ("colour", "heavy")
    assert str(tree).splitlines() == [
        "cart tree for colour, heavy: 6 rows, 2 leaves, depth 1",
        "all rows: 6 rows: colour: blue 3 (50 %), red 3 (50 %); heavy: 0 3 (50 %), 1 3 (50 %)",
        "├─ size <= 3.5 -> red, 0: 3 rows: colour: blue 1 (33.3 %), red 2 (66.7 %); heavy: 0 3 (100 %)",
        "└─ size > 3.5 -> blue, 1: 3 rows: colour: blue 2 (66.7 %), red 1 (33.3 %); heavy: 1 3 (100 %)",
    ]
    assert tree.impurity[0] == 0.5  # the mean over the targets
    assert tree.gain[0] == pytest.approx((0.5 - 4 / 9 + 0.5) / 2)


def test_numbers_in_words() -> None:
    tree = CARTRegressor(max_depth=1).fit(X[["size"]], NUMBERS).tree_
    assert str(tree).splitlines() == [
        "cart tree for price, age: 6 rows, 2 leaves, depth 1",
        "all rows: 6 rows, means price 4, age 4.5, variance 6.458",
        "├─ size <= 3.5 -> 2, 7: 3 rows, means price 2, age 7, variance 0.3333",
        "└─ size > 3.5 -> 6, 2: 3 rows, means price 6, age 2, variance 2.333",
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda y: y,
        lambda y: y.to_numpy(),
        lambda y: y.to_numpy().tolist(),
        lambda y: [tuple(row) for row in y.to_numpy().tolist()],
        pl.from_pandas,
    ],
    ids=["pandas", "array", "lists", "tuples", "polars"],
)
@pytest.mark.parametrize("y", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_a_target_of_several_columns_may_be_a_frame_an_array_or_rows(make: Any, y: Any) -> None:
    model = (CARTClassifier if y is CLASSES else CARTRegressor)().fit(X, make(y))
    assert model.n_outputs_ == 2
    assert model.predict(X).tolist() == y.to_numpy().tolist()
    named = not isinstance(make(y), list | np.ndarray)
    assert model.tree_.targets == (tuple(y.columns) if named else ("y1", "y2"))


def test_each_target_has_a_tree_of_its_own() -> None:
    model = CARTClassifier(max_depth=1).fit(X, CLASSES)
    for one, name, shares in zip(model.tree_.by_target(), CLASSES, model.predict_proba(X), strict=True):
        one.check()
        assert one.target == name
        assert not one.others
        assert np.array_equal(one.distribution(model.apply(X)), shares)


def test_classes_keep_their_types() -> None:
    model = CARTClassifier().fit(X, CLASSES)
    assert [classes.tolist() for classes in model.classes_] == [["blue", "red"], [0, 1]]
    assert model.n_classes_ == [2, 2]
    assert model.predict(X).dtype == object
    assert CARTClassifier().fit(X, np.array([[1, 0], [0, 1]] * 3)).predict(X).dtype == np.int64


@pytest.mark.parametrize("y", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_model_files_keep_all_targets(y: Any, tmp_path: Any) -> None:
    model = (CARTClassifier if y is CLASSES else CARTRegressor)().fit(X, y)
    deciduous.save(model, tmp_path / "m.json")
    for again in (deciduous.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert again.tree_.to_json() == model.tree_.to_json()
        assert np.array_equal(again.predict(X), model.predict(X))
        assert again.n_outputs_ == 2


def test_a_model_file_whose_targets_contradict_each_other_is_refused() -> None:
    document = CARTClassifier().fit(X, CLASSES).tree_.to_json()
    with pytest.raises(deciduous.ModelFileError, match="class weights do not sum"):
        Tree.from_json(document.replace('"class_weight": [3.0, 3.0', '"class_weight": [3.0, 2.5'))
    with pytest.raises(deciduous.ModelFileError, match="target 2 lacks 'value'"):
        Tree.from_json(
            document.replace(
                '"others": [{"target": "heavy", "classes": [0, 1], "value"',
                '"others": [{"target": "heavy", "classes": [0, 1], "valve"',
            )
        )


def test_the_frame_of_nodes_has_columns_for_each_target() -> None:
    frame = CARTClassifier(max_depth=1).fit(X, CLASSES).tree_.nodes()
    assert frame["prediction of colour"].to_list() == ["blue", "red", "blue"]
    assert frame["heavy: weight of 1"].to_list() == [3.0, 0.0, 3.0]


def test_pruned_trees_keep_all_targets() -> None:
    model = CARTClassifier().fit(X, CLASSES)
    pruned = model.prune_to(2)
    pruned.tree_.check()
    assert str(pruned.tree_) == str(CARTClassifier(max_depth=1).fit(X, CLASSES).tree_)
    assert CARTClassifier(ccp_alpha=10.0).fit(X, CLASSES).predict(X).tolist() == [["blue", 0]] * 6


def test_rows_of_unknown_target_are_left_out() -> None:
    with pytest.warns(DataWarning, match="1 of 6 rows left out of training: their target 'price', 'age' is missing"):
        tree = CARTRegressor().fit(X, NUMBERS.mask(NUMBERS == 1.0)).tree_
    assert tree.n_samples[0] == 5


@pytest.mark.parametrize("n_categories", [5, 14])
def test_categories_are_divided_for_all_targets_together(n_categories: int) -> None:
    """For few categories the best division of all; for many a good one, which is no worse than any single cut."""
    rng = np.random.default_rng(n_categories)
    codes = rng.permutation(np.repeat(np.arange(n_categories), 6))
    Y = np.stack([rng.normal(size=(2, n_categories))[k][codes] + rng.normal(size=len(codes)) for k in (0, 1)], axis=1)
    labels = np.array([f"c{code:02}" for code in codes])[:, None]
    tree = CARTRegressor(max_depth=1).fit(labels, Y).tree_
    assert tree.exact[0] == (n_categories == 5)

    def drop(left: Any) -> float:
        side = np.isin(codes, left)
        parts = [Y[side], Y[~side]]
        return float(np.mean(Y.var(axis=0) - sum(len(p) * p.var(axis=0) for p in parts) / len(Y)))

    sizes = range(1, n_categories) if n_categories == 5 else (1, n_categories - 1)
    best = max(drop(left) for size in sizes for left in itertools.combinations(range(n_categories), size))
    if n_categories == 5:
        assert tree.gain[0] == pytest.approx(best)
    else:
        assert tree.gain[0] >= best - 1e-12


@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@pytest.mark.parametrize("missing", ["majority", "branch", "direction", "fractional"])
def test_every_kind_of_split_counts_each_row_once(nominal: str, missing: str) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"n": rng.normal(size=80), "c": rng.choice(["p", "q", "r", "s"], size=80)})
    table = table.mask(rng.random(table.shape) < 0.1)
    Y = np.stack([rng.integers(0, 3, 80), rng.integers(0, 2, 80)], axis=1)
    model = CARTClassifier(nominal=nominal, missing=missing, max_depth=4, max_features=1, random_state=3).fit(table, Y)
    model.tree_.check()
    shares = model.predict_proba(table)
    assert all(np.allclose(own.sum(axis=1), 1) for own in shares)


# --- what refuses them ---


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (ID3Classifier(), "id3 predicts one target"),
        (C45Classifier(), "c45 predicts one target"),
        (CARTClassifier(criterion="misclassification"), "criterion='misclassification'.*'gini', 'entropy', 'log_loss'"),
        (CARTClassifier(criterion=lambda tables: tables[:, 0, 0]), "criterion='<lambda>'"),
        (CARTClassifier(monotonic_cst=[1, 0]), "monotonic_cst"),
        (CARTClassifier(class_weight={0: 2.0, 1: 1.0}), "class_weight with one mapping"),
        (CARTClassifier.rpart(cp=0.02, xval=0), "cp"),
        (CARTClassifier.rpart(cp=0.0, xval=0, parms={"prior": [0.5, 0.5]}), "priors"),
        (CARTClassifier.rpart(cp=0.0, xval=0, parms={"loss": [[0, 1], [2, 0]]}), "loss"),
        (CARTClassifier.rpart(cp=0.0, xval=0, cost=[1, 2]), "costs"),
        (CARTClassifier.rpart(cp=0.0, xval=0), "missing='surrogates'"),
        (CARTClassifier(pruning="reduced_error"), "pruning='reduced_error'"),
        (CARTClassifier(pruning="cost_complexity"), "pruning='cost_complexity'"),
        (CARTClassifier(pruning="cost_complexity", cv=3), "pruning='cost_complexity'"),
    ],
)
def test_what_does_not_go_with_several_targets_says_so(model: Any, what: str) -> None:
    with pytest.raises(OptionError, match=rf"y has 2 columns \('colour', 'heavy'\), and .*{what}"):
        model.fit(X, CLASSES)


def test_class_weights_of_each_target(tmp_path: Any) -> None:
    heavy, light = CARTClassifier(class_weight=[{0: 3.0}, {1: 0.5}]), CARTClassifier()
    y = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    weights = [3.0 * 0.5, 3.0, 0.5, 1.0]
    weighted, by_rows = heavy.fit(X[:4], y), light.fit(X[:4], y, weights)
    assert weighted.tree_.weight[0] == by_rows.tree_.weight[0] == 6.0
    weighted.save(tmp_path / "m.json")
    assert deciduous.load(tmp_path / "m.json").get_params()["class_weight"] == [{0: 3.0}, {1: 0.5}]
    with pytest.raises(OptionError, match="it holds 3, and the number of targets is 2"):
        CARTClassifier(class_weight=[{}, {}, {}]).fit(X[:4], y)
    with pytest.raises(OptionError, match="it holds 2, and the number of targets is 1"):
        CARTClassifier(class_weight=[{}, {}]).fit(X[:4], y[:, 0])


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson", "friedman_mse"])
def test_criteria_of_numbers_that_do_not_go_with_several(criterion: str) -> None:
    with pytest.raises(OptionError, match=f"criterion='{criterion}'.*use 'squared_error'"):
        CARTRegressor(criterion=criterion).fit(X, NUMBERS)


def test_what_is_for_one_target_says_so_afterwards_too() -> None:
    model = CARTClassifier().fit(X, CLASSES)
    named = "for trees of one target; this one has 2, 'colour', 'heavy'"
    for act in (
        lambda: working_of(model.tree_),
        lambda: model.prune(ErrorBased()),
        lambda: model.prune("reduced_error", X, CLASSES["colour"]),
        lambda: node_costs(model.tree_, "errors"),
    ):
        with pytest.raises(OptionError, match=named):
            act()


def test_rows_of_different_lengths() -> None:
    with pytest.raises(DataError, match="rows of different lengths"):
        CARTClassifier().fit([[1.0], [2.0]], [[1, 2], [1]])


def test_one_column_is_one_target() -> None:
    with pytest.warns(Warning, match="column-vector"):
        model = CARTClassifier().fit(X, CLASSES[["heavy"]].to_numpy())
    assert model.predict(X).shape == (6,)
