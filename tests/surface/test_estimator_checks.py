"""The estimators are scikit-learn's: its own checks, and the tools that people put them into."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import deciduous

CLASSIFIERS = [deciduous.ID3Classifier, deciduous.C45Classifier, deciduous.CARTClassifier]
ESTIMATORS = [*CLASSIFIERS, deciduous.CARTRegressor]

#: The checks of scikit-learn that must fail, with the reason; at most three an estimator. None is needed.
EXPECTED: dict[type, dict[str, str]] = {cls: {} for cls in (*ESTIMATORS, deciduous.RulesClassifier)}


@pytest.mark.filterwarnings("ignore::deciduous.DataWarning")  # in some of the checks a column is the target
@parametrize_with_checks([cls() for cls in EXPECTED], expected_failed_checks=lambda e: EXPECTED[type(e)])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


#: CART in rpart's way has one target, and refuses options that its search does not know.
OTHERWISE = [
    deciduous.CARTClassifier(missing="surrogates"),
    deciduous.CARTRegressor(missing="surrogates"),
    deciduous.C45Classifier(conventions="j48"),
    deciduous.C45Classifier(conventions="r8", nominal="groups"),
]
NOT_OTHERWISE = {"check_class_weight_classifiers": "min_weight_fraction_leaf does not go with surrogates"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::deciduous.DataWarning")
@parametrize_with_checks(OTHERWISE, expected_failed_checks=lambda e: NOT_OTHERWISE if e.missing == "surrogates" else {})
def test_scikit_learns_checks_under_other_options(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("options", "several"),
    [({}, True), ({"missing": "surrogates"}, False), ({"cv": 3}, False), ({"criterion": "poisson"}, False)],
)
def test_the_tag_of_several_targets(options: dict[str, Any], several: bool) -> None:
    assert deciduous.CARTRegressor(**options).__sklearn_tags__().target_tags.multi_output == several
    assert not deciduous.CARTRegressor(criterion="?").__sklearn_tags__().target_tags.multi_output


def test_at_most_three_checks_may_fail() -> None:
    assert all(len(failing) <= 3 for failing in EXPECTED.values())


@pytest.fixture(scope="module")
def penguins() -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, categories and missing cells."""
    table = deciduous.datasets.load("penguins")
    frame = table.X.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String)).to_pandas()
    return frame, pd.Series(table.y.cast(pl.String).to_list(), name="species")


@pytest.fixture(scope="module")
def numbers(penguins: Any) -> tuple[pd.DataFrame, pd.Series]:
    """A target of numbers."""
    frame = penguins[0].dropna(subset=["body_mass_g"])
    return frame.drop(columns="body_mass_g"), frame["body_mass_g"]


def data_for(cls: Any, penguins: Any, numbers: Any) -> Any:
    return numbers if cls is deciduous.CARTRegressor else penguins


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_kinds_of_estimators(cls: Any) -> None:
    assert is_regressor(cls()) == (cls is deciduous.CARTRegressor)
    assert is_classifier(cls()) == (cls is not deciduous.CARTRegressor)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_cross_validation_on_categories_and_missing_cells(cls: Any, penguins: Any, numbers: Any) -> None:
    X, y = data_for(cls, penguins, numbers)
    scores = cross_val_score(cls(max_depth=4), X, y, cv=4)
    assert scores.shape == (4,)
    assert scores.min() > (0.1 if cls is deciduous.CARTRegressor else 0.85)
    assert len(cross_val_predict(cls(max_depth=2), X, y, cv=3)) == len(y)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_in_a_pipeline(cls: Any, penguins: Any, numbers: Any) -> None:
    X, y = data_for(cls, penguins, numbers)
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame.drop(columns="island")), cls(max_depth=3)).fit(
        X, y
    )
    assert "island" not in pipeline[-1].feature_names_in_
    assert np.array_equal(pipeline.predict(X), cls(max_depth=3).fit(X.drop(columns="island"), y).predict(X))


def test_in_a_pipeline_that_scales_numbers(numbers: Any) -> None:
    X = numbers[0].select_dtypes("number")
    scaled = make_pipeline(StandardScaler(), deciduous.CARTRegressor(max_depth=3)).fit(X, numbers[1])
    plain = deciduous.CARTRegressor(max_depth=3).fit(X, numbers[1])
    assert np.allclose(scaled.predict(X), plain.predict(X))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_grid_search_over_ranges_of_numpy(cls: Any, penguins: Any, numbers: Any) -> None:
    X, y = data_for(cls, penguins, numbers)
    grid = {"max_depth": np.arange(1, 4), "min_gain": np.linspace(0, 0.1, 2)}
    search = GridSearchCV(cls(), grid, cv=3).fit(X, y)
    assert search.best_params_["max_depth"] in (1, 2, 3)
    assert search.best_estimator_.get_depth() <= 3
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("value", [np.int64(2), np.int32(2), np.uint8(2)])
def test_what_a_grid_search_found_can_be_saved(
    cls: Any, value: Any, penguins: Any, numbers: Any, tmp_path: Any
) -> None:
    X, y = data_for(cls, penguins, numbers)
    model = cls(max_depth=value).fit(X, y)
    model.save(tmp_path / "model.json")
    assert np.array_equal(deciduous.load(tmp_path / "model.json").predict(X), model.predict(X))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_clones_and_pickles(cls: Any, penguins: Any, numbers: Any) -> None:
    X, y = data_for(cls, penguins, numbers)
    kinds = {"island": "nominal"}
    model = cls(max_depth=3, kinds=kinds).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        copy.predict(X)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.tree_.to_json() == model.tree_.to_json()
    assert not again.tree_.threshold.flags.writeable


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_params_are_set_by_name(cls: Any) -> None:
    assert cls().set_params(max_depth=7).max_depth == 7
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        cls().set_params(depth=7)
    with pytest.raises(TypeError, match="depth"):
        cls(depth=7)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_options_are_checked_at_fit_and_not_before(cls: Any) -> None:
    model = cls(max_depth=-1)
    with pytest.raises(deciduous.OptionError, match="max_depth=-1 must be a whole number of at least 0"):
        model.fit([[1], [2], [3]], [0, 1, 1])


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_weights_are_routed(cls: Any, penguins: Any, numbers: Any) -> None:
    X, y = data_for(cls, penguins, numbers)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = cls(max_depth=2).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), model).fit(X, y, sample_weight=weight)
        assert pipeline[-1].tree_.weight[0] == weight.sum()
        scored = cross_validate(model, X, y, cv=3, params={"sample_weight": weight}, return_estimator=True)
        assert sum(e.tree_.weight[0] for e in scored["estimator"]) == 2 * weight.sum()
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(cls(), X, y, cv=3, params={"sample_weight": weight})


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_frames_that_other_steps_put_out(cls: Any, container: str, numbers: Any) -> None:
    X = numbers[0].select_dtypes("number").dropna()
    y = (numbers[1][X.index] > 4000).astype(int)
    scaler = StandardScaler().set_output(transform=container)
    model = make_pipeline(scaler, cls(max_depth=3)).fit(X, y)
    assert model[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert model.score(X, y) > 0.5


def test_in_ensembles_of_scikit_learn(penguins: Any, numbers: Any) -> None:
    X, y = penguins
    vote = VotingClassifier([(cls.__name__, cls(max_depth=3)) for cls in CLASSIFIERS], voting="soft").fit(X, y)
    assert vote.score(X, y) > 0.9
    numeric = numbers[0].select_dtypes("number").to_numpy()
    big = (numbers[1] > 4000).to_numpy().astype(int)
    assert (
        BaggingClassifier(deciduous.CARTClassifier(max_depth=3), n_estimators=3, random_state=0)
        .fit(numeric, big)
        .score(numeric, big)
        > 0.8
    )
    assert OneVsRestClassifier(deciduous.C45Classifier()).fit(numeric, big).score(numeric, big) > 0.8
    both = np.column_stack([numbers[1], -numbers[1]])
    assert (
        MultiOutputRegressor(deciduous.CARTRegressor(max_depth=2)).fit(numeric, both).predict(numeric).shape
        == both.shape
    )


def test_permutation_importance(penguins: Any) -> None:
    X, y = penguins
    model = deciduous.CARTClassifier(max_depth=3).fit(X, y)
    importance = permutation_importance(model, X, y, n_repeats=2, random_state=0).importances_mean
    assert set(np.flatnonzero(importance > 0)) <= set(np.flatnonzero(model.feature_importances_ > 0))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_notebook_shows_the_estimator(cls: Any) -> None:
    assert cls.__name__ in cls(max_depth=2)._repr_html_()
