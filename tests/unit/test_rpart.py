"""The presets of rpart: parameters, refusals, the table of complexities, the summary, surrogates by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

import deciduous
from deciduous import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    DataError,
    ModelFileError,
    OptionError,
    Tree,
    kernels,
)
from deciduous.explain.importance import surrogate_importance
from deciduous.explain.summary import node_numbers, splits_of
from deciduous.search.surrogates import Ask, Primary, surrogate_of


def table(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    frame = pd.DataFrame({"x": x, "twin": x + rng.normal(scale=0.3, size=n), "colour": rng.choice(["a", "b"], n)})
    frame.loc[:9, "x"] = None
    return frame, np.where(x + rng.normal(scale=0.3, size=n) > 0, "up", "down")


def test_minbucket_and_minsplit_follow_each_other() -> None:
    options = [CARTClassifier.rpart(**given).get_params() for given in ({}, {"minbucket": 4}, {"minsplit": 9})]
    assert [(o["min_samples_split"], o["min_samples_leaf"]) for o in options] == [(20, 7), (12, 4), (9, 3)]
    assert CARTClassifier.rpart(xval=0).cv is None
    assert CARTClassifier.rpart(maxdepth=3).max_depth == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CARTRegressor.rpart(method="exp"), "survival"),
        (lambda: CARTClassifier.rpart(method="exp"), "survival"),
        (lambda: CARTClassifier.rpart(method="poisson"), "is that of CARTRegressor.rpart"),
        (lambda: CARTClassifier.rpart(minsplit="20"), "minsplit='20' must be a whole number"),
        (lambda: CARTClassifier.rpart(minbucket=0), "minbucket=0 must be a whole number of at least 1"),
        (lambda: CARTClassifier.rpart(maxdepth=2.5), "maxdepth=2.5 must be a whole number"),
        (lambda: CARTClassifier.rpart(cp="small"), "cp='small' must be a number"),
        (lambda: CARTClassifier.rpart(xval=True), "xval=True must be a whole number"),
        (lambda: CARTClassifier.rpart(usesurrogate=2.0), r"usesurrogate=2\.0 must be one of 0, 1, 2"),
        (lambda: CARTClassifier.rpart(surrogatestyle=True), "surrogatestyle=True must be one of 0, 1"),
        (lambda: CARTClassifier.rpart(parms="gini"), "parms='gini' must be a mapping"),
        (lambda: CARTRegressor.rpart(method="class"), "is that of CARTClassifier.rpart"),
        (lambda: CARTRegressor.rpart(parms={"prior": [1]}), "does not know"),
        (lambda: CARTClassifier.rpart(parms={"split": "infomation"}), "information"),
        (lambda: CARTRegressor.rpart(method="poisson", parms={"method": "log"}), "sqrt"),
    ],
)
def test_parameters_that_are_refused(make: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CARTClassifier(priors=[0.5, 0.5]), "goes with missing='surrogates'"),
        (CARTClassifier(cp=0.1), "goes with missing='surrogates'"),
        (C45Classifier(missing="surrogates"), "is for CART"),
        (CARTClassifier(missing="surrogates", criterion="misclassification"), "does not go with"),
        (CARTClassifier(missing="surrogates", max_features="sqrt"), "does not go with"),
        (CARTClassifier(missing="surrogates", use_surrogates=3), "use_surrogates=3"),
        (CARTClassifier(missing="surrogates", priors=[0.5]), "priors must be"),
        (CARTClassifier(missing="surrogates", priors={"up": 1.0}), "name every class"),
        (CARTClassifier(missing="surrogates", loss=[[0, 1], [1, 1]]), "loss must be"),
        (CARTClassifier(missing="surrogates", priors=["a", "b"]), "priors must be"),
        (CARTClassifier(missing="surrogates", loss="much"), "loss must be"),
        (CARTClassifier(missing="surrogates", use_surrogates=2.0), "use_surrogates=2"),
        (CARTClassifier(missing="surrogates", costs={"z": 2.0}), "names the column 'z'"),
        (CARTClassifier(missing="surrogates", costs={"x": "dear"}), "costs\\['x'\\]='dear' must be a number above 0"),
        (CARTClassifier(missing="surrogates", costs=[1.0, 0.0, 1.0]), "costs\\['twin'\\]=0.0 must be a number above 0"),
        (CARTClassifier(missing="surrogates", costs=[1.0]), "one number for each of the 3 columns"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_options_that_are_refused(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(*table())


def test_exposure_is_for_rates() -> None:
    frame, _ = table()
    with pytest.raises(OptionError, match="exposure= goes with"):
        CARTRegressor().fit(frame, np.ones(60), exposure=np.ones(60))
    with pytest.raises(DataError, match="exposure must be above 0"):
        CARTRegressor.rpart(method="poisson").fit(frame, np.ones(60), exposure=np.zeros(60))


def test_exposure_by_name_or_as_numbers() -> None:
    frame, _ = table()
    years = np.random.default_rng(0).uniform(1, 5, 60)
    events = np.round(years * np.where(frame["twin"] > 0, 4.0, 1.0))
    one = CARTRegressor.rpart(method="poisson", xval=0).fit(frame, events, exposure=years)
    other = CARTRegressor.rpart(method="poisson", xval=0).fit(frame.assign(years=years), events, exposure="years")
    assert one.tree_.to_json() == other.tree_.to_json()
    assert one.predict(frame).min() == pytest.approx(1, abs=0.3)


def test_the_table_of_complexities_and_pruning_by_it() -> None:
    frame, y = table()
    model = CARTClassifier.rpart(minsplit=4, cp=0.0, xval=5).fit(frame, y)
    lines = model.cp_table()
    assert lines.columns == ["cp", "nsplit", "rel_error", "xerror", "xstd"]
    assert lines["nsplit"].to_list()[0] == 0
    assert lines["nsplit"].to_list()[-1] == model.get_n_leaves() - 1
    assert lines["rel_error"].is_sorted(descending=True)
    for cp, splits in lines.select("cp", "nsplit").rows():
        pruned = model.prune_by_cp(cp)
        pruned.tree_.check()
        assert pruned.get_n_leaves() == splits + 1
    chosen = CARTClassifier.rpart(minsplit=4, cp=0.0, xval=5, pruning="cost_complexity").fit(frame, y)
    best = lines.sort("xerror", maintain_order=True)["nsplit"][0]
    assert chosen.get_n_leaves() == best + 1
    small = CARTClassifier.rpart(minsplit=4, cp=0.0, xval=5, pruning="cost_complexity", rule="1se").fit(frame, y)
    assert small.get_n_leaves() <= chosen.get_n_leaves()


def test_a_tree_without_splits() -> None:
    frame, y = table()
    model = CARTClassifier.rpart(minsplit=100).fit(frame, y)
    assert model.cp_table().rows()[0][1:] == (0, 1.0, 0.0, 0.0)
    assert "Node 1" in model.summary()


@pytest.mark.parametrize("parms", [{}, {"shrink": 0}, {"shrink": 2}])
@pytest.mark.parametrize("kernel", ["numpy", "native"])
def test_events_where_training_had_none(parms: dict[str, Any], kernel: str) -> None:
    """A rate of 0, in a leaf or in a whole fold, is infinitely far from a row with events; by roots it is not."""
    if kernel == "native":
        pytest.importorskip("deciduous.kernels._native", reason="the native kernels are not built here")
    X, y = {"x": np.arange(12.0)}, [0] * 9 + [1, 4, 2]
    given = {"method": "poisson", "minsplit": 2, "cp": 0, "xval": [1] * 4 + [2] * 5 + [3] * 3}
    with kernels.use(kernel):
        model = CARTRegressor.rpart(**given, parms=parms).fit(X, y)
        roots = CARTRegressor.rpart(**given, parms=parms | {"method": "sqrt"}).fit(X, y)
        small = CARTRegressor.rpart(**given, parms=parms, pruning="cost_complexity", rule="1se").fit(X, y)
    lines = model.cp_table()
    assert lines["xerror"].to_list() == [np.inf] * len(lines)
    assert lines["xstd"].null_count() == len(lines)
    assert roots.cp_table()["xerror"].is_finite().all()
    assert len(small.tree_) == 1
    read = Tree.from_json(model.tree_.to_json())
    np.testing.assert_array_equal(read.cp_table, model.tree_.cp_table)
    assert read.to_json() == model.tree_.to_json()
    assert "inf" in model.summary()


def test_the_summary_names_all_splits() -> None:
    model = CARTClassifier.rpart(xval=0).fit(*table())
    text = model.summary()
    for part in ("primary split", "competing splits", "surrogate splits", "goes left"):
        assert part in text
    assert text == deciduous.summary(model) == deciduous.summary(model.tree_)
    assert [line.role for line in splits_of(model.tree_, 0)][:2] == ["primary", "competing"]
    assert node_numbers(model.tree_)[:3] == [1, *([2, 3] if model.tree_.surrogates.left[0] == 0 else [3, 2])]
    assert surrogate_importance(model.tree_)[1] > 0
    with pytest.raises(DataError, match="not grown with surrogates"):
        CARTClassifier().fit(*table()).summary()


def test_missing_cells_follow_the_twin() -> None:
    frame, y = table()
    model = CARTClassifier.rpart(xval=0).fit(frame, y)
    assert model.tree_.schema.features[int(model.tree_.feature[0])].name == "twin"
    low = pd.DataFrame({"x": [-2.0], "twin": [None], "colour": ["a"]})
    high = low.assign(x=2.0)
    assert model.predict(low)[0] == "down"
    assert model.predict(high)[0] == "up"
    stays = CARTClassifier.rpart(xval=0, usesurrogate=0).fit(frame, y)
    assert stays.apply(low)[0] == 0


def test_priors_change_the_shares() -> None:
    frame, y = table()
    model = CARTClassifier.rpart(xval=0, parms={"prior": {"up": 0.9, "down": 0.1}}).fit(frame, y)
    assert model.tree_.distribution(np.array([0]))[0] == pytest.approx([0.1, 0.9])
    assert model.tree_.risk[0] == pytest.approx(6.0)


def test_costs_turn_to_another_column() -> None:
    frame, y = table()
    model = CARTClassifier.rpart(xval=0, cost={"twin": 50.0, "x": 50.0}, cp=-1).fit(frame, y)
    plain = CARTClassifier.rpart(xval=0, cp=-1).fit(frame, y)
    assert (model.tree_.node(0).feature, plain.tree_.node(0).feature) == ("colour", "twin")


def test_costs_of_columns_by_position() -> None:
    """An array has no names; a frame may have numbers for names."""
    frame, y = table()
    numbers = frame[["x", "twin"]].to_numpy()
    dear = {1: 50.0}
    models = [CARTClassifier.rpart(xval=0, cost=dear).fit(X, y) for X in (numbers, pd.DataFrame(numbers))]
    assert [model.tree_.feature[0] for model in models] == [0, 0]
    assert CARTClassifier.rpart(xval=0).fit(numbers, y).tree_.feature[0] == 1
    assert Tree.from_json(models[0].tree_.to_json()).options["costs"] == [[1, 50.0]]


@pytest.mark.parametrize("n", [1, 2, 7])
def test_fewer_rows_than_folds(n: int) -> None:
    """The preset's 10 folds leave out each row once, as rpart does; a tree without splits has nothing to judge."""
    X, y = {"x": np.arange(float(n))}, np.arange(n) % 2
    model = CARTClassifier.rpart(minsplit=2, cp=0).fit(X, y)
    each = CARTClassifier.rpart(minsplit=2, cp=0, xval=list(range(n)) if n > 1 else 0).fit(X, y)
    assert model.tree_.n_leaves == n
    if n > 1:
        assert model.cp_table().equals(each.cp_table())
    assert CARTClassifier.rpart().fit(X, y).cp_table().rows()[0][1:] == (0, 1.0, 0.0, 0.0)


def test_folds_in_a_series() -> None:
    frame, y = table()
    folds = np.arange(len(y)) % 3
    tables = [
        CARTClassifier.rpart(xval=xval).fit(frame, y).cp_table() for xval in (folds, pd.Series(folds), folds.tolist())
    ]
    assert all(found.equals(tables[0]) for found in tables)
    with pytest.raises(OptionError, match=r"such as list\(KFold\(5\)\.split\(X\)\)"):
        CARTClassifier(pruning="cost_complexity", cv=KFold(5)).fit(frame, y)


@pytest.mark.parametrize("exposure", [[-1.0] * 60, [np.inf] * 60, ["a"] * 60, [1.0], [[1.0]] * 60])
def test_what_is_no_exposure(exposure: Any) -> None:
    frame, y = table()
    with pytest.raises(DataError, match="exposure must"):
        CARTRegressor.rpart(method="poisson").fit(frame, (y == "up").astype(int), exposure=exposure)


def test_importance_by_surrogates_needs_them() -> None:
    with pytest.raises(DataError, match="not grown with surrogates"):
        surrogate_importance(CARTClassifier().fit(*table()).tree_)


@pytest.mark.parametrize("cp", ["x", float("nan"), None, True])
def test_pruning_by_what_is_no_cp(cp: Any) -> None:
    with pytest.raises(OptionError, match="cp="):
        CARTClassifier.rpart(xval=0).fit(*table()).prune_by_cp(cp)


def test_saved_and_read_again(tmp_path: Any) -> None:
    frame, y = table()
    model = CARTClassifier.rpart(parms={"prior": [0.3, 0.7]}).fit(frame, y)
    read = Tree.from_json(model.tree_.to_json())
    assert read.to_json() == model.tree_.to_json()
    for old, new in (('"left":[0', '"left":[7'), ('"blind":[0', '"blind":[9'), ('"risk":[', '"risk":[-1.0,')):
        text = model.tree_.to_json().replace(" ", "")
        if old in text:
            with pytest.raises(ModelFileError):
                Tree.from_json(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "options",
    [
        {"parms": {"prior": {"up": 0.9, "down": 0.1}}, "cost": {"twin": 50.0}},
        {"parms": {"prior": [0.2, 0.8], "loss": [[0, 2], [1, 0]], "split": "information"}, "cost": [1, 3, 1]},
        {"cost": {1: 9.0}, "xval": 4},
    ],
)
def test_an_estimator_that_was_saved_fits_again(options: dict[str, Any], tmp_path: Any) -> None:
    frame, y = table()
    model = CARTClassifier.rpart(**options).fit(frame, y)
    model.save(tmp_path / "m.json")
    loaded = deciduous.load(tmp_path / "m.json")
    for name in ("priors", "loss", "costs"):
        np.testing.assert_equal(getattr(loaded, name), getattr(model, name))
    assert clone(loaded).fit(frame, y).tree_.to_json() == model.tree_.to_json()


def test_a_surrogate_by_hand() -> None:
    """Ten rows; low cells go left in eight of the nine that know both, as many as half would by majority 5 of 10."""
    side = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    x = np.array([1.0, 2, 3, 4, 8, 6, 7, 9, 10, np.nan])
    found = surrogate_of(0, x, 0, Primary(side, np.ones(10)), Ask(5, 0))
    assert found is not None
    assert (found.threshold, found.below, found.agreement) == (5.0, 0, 0.8)
    assert found.adjusted == pytest.approx(0.6)
    of_known = surrogate_of(0, x, 0, Primary(side, np.ones(10)), Ask(5, 1))
    assert of_known is not None
    assert of_known.agreement == pytest.approx(8 / 9)
    assert of_known.adjusted == pytest.approx((8 / 9 - 5 / 9) / (4 / 9))


def test_a_perfect_surrogate_of_categories_is_not_kept() -> None:
    side = np.array([0, 0, 0, 1, 1, 1])
    assert surrogate_of(0, side, 2, Primary(side, np.ones(6)), Ask(5, 0)) is None
