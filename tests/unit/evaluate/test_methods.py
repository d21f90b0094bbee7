"""Hold-out, cross-validation and comparisons: every row judged by models that have not seen it."""

import json
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from deciduous import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    DataError,
    DataWarning,
    ID3Classifier,
    OptionError,
    datasets,
    evaluate,
)
from deciduous.language import speaking
from tests.iris import iris

IRIS = iris()
X, Y = IRIS.X.to_numpy(), IRIS.y.to_numpy()


def test_cross_validation_is_scikit_learns() -> None:
    folds = KFold(5, shuffle=True, random_state=0)
    ours = evaluate.cross_validate(CARTClassifier(), X, Y, cv=folds)
    np.testing.assert_allclose(ours.score_by_run("accuracy"), cross_val_score(CARTClassifier(), X, Y, cv=folds))
    said = ours.to_frame().sort("row")["predicted"].to_numpy()
    assert (said == cross_val_predict(CARTClassifier(), X, Y, cv=folds)).all()


@pytest.mark.parametrize("cv", [5, np.arange(150) % 3, [(range(75, 150), range(75)), (range(75), range(75, 150))]])
def test_every_row_is_judged_once(cv) -> None:
    found = evaluate.cross_validate(CARTClassifier(), X, Y, cv=cv)
    assert sorted(found.predictions.row.tolist()) == list(range(150))
    assert found.scores["accuracy"] == pytest.approx(np.mean(found.predictions.truth == found.predictions.predicted))


def test_repeats_draw_other_folds() -> None:
    found = evaluate.cross_validate(CARTClassifier(max_depth=2), X, Y, cv=3, repeats=2, seed=7)
    first, second = (found.predictions.of_run(run).row.tolist() for run in (0, 3))
    assert found.predictions.n_runs == 6
    assert first != second
    n = found.interval()
    assert n.high - n.low == pytest.approx(np.diff(_ends(evaluate.accuracy_interval(n.estimate * 150, 150)))[0])


def _ends(interval) -> tuple[float, float]:
    return interval.low, interval.high


def test_groups_stay_together() -> None:
    groups = np.arange(150) // 5
    for cv in (4, GroupKFold(4)):
        found = evaluate.cross_validate(CARTClassifier(max_depth=1), X, Y, cv=cv, groups=groups)
        for run in range(4):
            out = found.predictions.of_run(run).row
            assert not np.isin(groups[out], np.delete(groups, out)).any()


def test_leave_one_out() -> None:
    found = evaluate.leave_one_out(CARTClassifier(max_depth=1), X[::5], Y[::5])
    assert found.predictions.n_runs == 30
    assert (found.predictions.sizes == [29, 1]).all()


def test_holdout_draws_class_by_class() -> None:
    found = evaluate.holdout(CARTClassifier(), X, Y, test_size=0.2, seed=3)
    assert np.bincount(found.predictions.truth).tolist() == [10, 10, 10]


FRAMES = {
    "polars": lambda: IRIS.frame,
    "pandas": lambda: IRIS.frame.to_pandas(),
    "pyarrow": lambda: IRIS.frame.to_arrow(),
    "dict": lambda: IRIS.frame.to_dict(as_series=False),
    "dicts": lambda: IRIS.frame.to_dicts(),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_tables_of_every_kind(kind: str) -> None:
    """The target by name, and the same figures whatever the table is made of."""
    expected = evaluate.cross_validate(CARTClassifier(), IRIS.X, IRIS.y, cv=4)
    found = evaluate.cross_validate(CARTClassifier(), FRAMES[kind](), IRIS.target, cv=4)
    assert found.scores == expected.scores
    assert found.target == IRIS.target


def test_text_and_missing_cells() -> None:
    melons = datasets.load("watermelon2a")
    found = evaluate.leave_one_out(C45Classifier(), melons.X, melons.y)
    assert len(found.predictions) == 17
    assert set(found.labels.tolist()) == {"是", "否"}


def test_rows_without_a_target_are_left_out_and_counted() -> None:
    y = [None, *Y[1:].tolist()]
    with pytest.warns(DataWarning, match="1 of 150 rows left out"):
        found = evaluate.cross_validate(CARTClassifier(), X, y, cv=3)
    assert len(found.predictions) == 149


def test_weights_are_used_to_fit_and_to_judge() -> None:
    weight = np.where(np.arange(150) % 2, 1.0, 3.0)
    found = evaluate.cross_validate(CARTClassifier(max_depth=1), X, Y, cv=3, sample_weight=weight)
    p = found.predictions
    assert found.scores["accuracy"] == pytest.approx(np.average(p.truth == p.predicted, weights=weight[p.row]))
    assert found.confusion_matrix.sum() == pytest.approx(weight.sum())


def test_a_row_of_weight_zero_takes_no_part() -> None:
    weight = np.ones(150)
    weight[:10] = 0
    assert len(evaluate.cross_validate(CARTClassifier(), X, Y, cv=3, sample_weight=weight).predictions) == 140


def test_estimators_of_scikit_learn_and_pipelines() -> None:
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, random_state=0))
    assert evaluate.cross_validate(model, X, Y, cv=3).scores["accuracy"] > 0.8


def test_a_class_that_a_fold_never_saw() -> None:
    y = np.array(["a"] * 10 + ["b"] * 10 + ["c"])
    found = evaluate.leave_one_out(CARTClassifier(), np.arange(21.0)[:, None], y)
    assert found.labels.tolist() == ["a", "b", "c"]
    assert found.predictions.probability.shape == (21, 3)
    assert found.by_class().row(2)[2] == 0  # no recall


def test_a_fitted_model_on_other_rows() -> None:
    model = CARTClassifier().fit(X[::2], Y[::2])
    found = evaluate.on_rows(model, X[1::2], Y[1::2])
    assert found.scores["accuracy"] == pytest.approx(model.score(X[1::2], Y[1::2]))
    strange = evaluate.on_rows(model, X[:3], ["new", Y[1], Y[2]])
    assert strange.scores["accuracy"] == pytest.approx(2 / 3)
    assert strange.labels.tolist()[-1] == "new"


def test_numbers() -> None:
    y = X[:, 3]
    folds = KFold(4, shuffle=True, random_state=1)
    found = evaluate.cross_validate(CARTRegressor(), X[:, :3], y, cv=folds)
    by_fold = cross_val_score(CARTRegressor(), X[:, :3], y, cv=folds, scoring="neg_root_mean_squared_error")
    np.testing.assert_allclose(found.score_by_run("root_mean_squared_error"), -by_fold)
    interval = found.interval(resamples=200)
    assert interval.low < found.scores["root_mean_squared_error"] < interval.high
    with pytest.raises(OptionError, match="is for classes"):
        _ = found.confusion_matrix


def test_what_is_printed_and_written() -> None:
    found = evaluate.cross_validate(CARTClassifier(), IRIS.frame, IRIS.target, cv=3)
    text = str(found)
    assert f"accuracy {found.scores['accuracy']:.4f} (95 % interval" in text
    assert max(map(len, text.splitlines())) <= 100
    figures = json.loads(found.to_json())
    assert figures["confusion_matrix"] == found.confusion_matrix.tolist()
    assert found.confusion_frame().shape == (3, 4)
    assert "<pre>" in found._repr_html_()


# --- comparisons ------------------------------------------------------------------------------------------------------


def test_corrected_t_test_is_the_formula() -> None:
    """Nadeau and Bengio (2003), as Bouckaert and Frank (2004) write it for r x k-fold cross-validation."""
    x = np.random.default_rng(0).normal(0.02, 0.05, 20)
    sizes = np.tile([90, 10], (20, 1))
    t, degrees, p = evaluate.corrected_t_test(x, sizes)
    expected = (x.sum() / 20) / np.sqrt((1 / 20 + 10 / 90) * ((x - x.mean()) ** 2).sum() / 19)
    assert (t, degrees) == (pytest.approx(expected), 19)
    assert p == pytest.approx(2 * (1 - stats.t.cdf(abs(expected), 19)))


def test_mcnemar() -> None:
    """Agresti (2002), Categorical Data Analysis, section 10.1: 86 and 150 changed their mind, z^2 = 17.36."""
    assert evaluate.mcnemar(86, 150) == pytest.approx(stats.chi2.sf(17.36, 1), rel=0.4)
    assert evaluate.mcnemar(0, 0) == 1.0
    assert evaluate.mcnemar(5, 0) == pytest.approx(2 * 0.5**5)


def test_comparison() -> None:
    models = {"stump": CARTClassifier(max_depth=1), "c45": C45Classifier(), "cart": CARTClassifier()}
    found = evaluate.compare(models, X, Y, cv=5, repeats=2)
    pairs = {(p.first, p.second): p for p in found.pairs}
    assert pairs["stump", "c45"].holds
    assert not pairs["c45", "cart"].holds
    a, b = (found.evaluations[name] for name in ("stump", "cart"))
    assert (a.predictions.row == b.predictions.row).all()
    assert "cart is better than stump" in str(found)
    assert found.to_frame().shape[0] == 3
    raw = sorted(p.p_t for p in found.pairs)
    adjusted = sorted(p.p_holm for p in found.pairs)
    assert adjusted[0] == pytest.approx(min(1, 3 * raw[0]))


def test_a_model_against_itself() -> None:
    found = evaluate.compare([CARTClassifier(), CARTClassifier()], X, Y, cv=3)
    assert [p.holds for p in found.pairs] == [False]
    assert list(found.evaluations) == ["CARTClassifier 1", "CARTClassifier 2"]


# --- curves -----------------------------------------------------------------------------------------------------------


def test_learning_curve() -> None:
    curve = evaluate.learning_curve(CARTClassifier(), X, Y, sizes=(0.1, 1.0), cv=3)
    full = evaluate.cross_validate(CARTClassifier(), X, Y, cv=3).score_by_run("accuracy")
    np.testing.assert_allclose(curve.test[-1], full)
    assert curve.values == (10, 100)
    assert (curve.train == 1).all()


def test_complexity_curve() -> None:
    curve = evaluate.complexity_curve(CARTClassifier(), X, Y, "max_leaf_nodes", [2, 3, 20], cv=3)
    assert (curve.leaves[:2].T == [2, 3]).all()
    assert curve.best in (3, 20)
    with pytest.raises(OptionError, match="Did you mean 'max_leaf_nodes'"):
        evaluate.complexity_curve(CARTClassifier(), X, Y, "max_leaves_nodes", [2])


def test_stability() -> None:
    found = evaluate.stability(CARTClassifier(), IRIS.X, IRIS.y, samples=8)
    assert sum(found.root.values()) == pytest.approx(1)
    assert max(found.used.values()) <= 1 + 1e-12
    assert 0.8 < found.agreement <= 1
    alone = evaluate.stability(CARTClassifier(max_depth=0), IRIS.X, IRIS.y, samples=3)
    assert alone.agreement < 1  # the majority changes with the sample
    assert "(a single leaf)" in str(alone)


def test_curves_and_stability_in_chinese() -> None:
    data = datasets.load("loan")
    curve = evaluate.learning_curve(ID3Classifier(kinds=data.kinds), data.frame, "Class", cv=3)
    steady = evaluate.stability(ID3Classifier(kinds=data.kinds), data.frame, "Class", samples=5)
    alone = evaluate.stability(ID3Classifier(kinds=data.kinds, max_depth=0), data.frame, "Class", samples=5)
    left = evaluate.leave_one_out(ID3Classifier(kinds=data.kinds), data.frame, "Class")
    with speaking("zh"):
        assert str(curve).split("\n")[0].split() == [
            "样本数",
            "精度（训练样本）",
            "标准差",
            "其他样本",
            "标准差",
            "叶结点数",
        ]
        assert str(steady).startswith("由自助样本生成的 5 棵树：叶结点 ")
        assert "（单个叶结点）" in str(alone)
        assert "留一法：15 个模型" in str(left)
    assert str(curve).split("\n")[0].split()[:4] == ["rows", "accuracy", "on", "own"]


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: evaluate.cross_validate(CARTClassifier(), X, Y, cv=1), "between 2 and the number of rows, 150"),
        (lambda: evaluate.cross_validate(CARTClassifier(), X, Y, cv=[1, 2]), "the fold of each of the 150 rows"),
        (lambda: evaluate.cross_validate(CARTClassifier(), X, Y, cv=[([0, 1], [999])]), "rows go from 0 to 149"),
        (lambda: evaluate.cross_validate(CARTClassifier(), X, Y[:10]), "X has 150 rows and y has 10"),
        (lambda: evaluate.cross_validate(CARTClassifier(), IRIS.frame, "specie"), "Did you mean 'species'"),
        (lambda: evaluate.cross_validate(CARTClassifier(), X, "species"), "array without column names"),
        (lambda: evaluate.cross_validate(StandardScaler(), X, Y), "neither a classifier nor a regressor"),
        (lambda: evaluate.holdout(CARTClassifier(), X, Y, test_size=2), "share of the rows between 0 and 1"),
        (lambda: evaluate.bootstrap(CARTClassifier(), X, Y, samples=0), "samples=0 must be at least 1"),
        (lambda: evaluate.compare([CARTClassifier()], X, Y), "at least two models; 1 given"),
        (lambda: evaluate.compare([CARTClassifier(), CARTRegressor()], X, Y), "cannot be compared"),
        (lambda: evaluate.compare([ID3Classifier(), CARTClassifier()], X, Y, score="acc"), "not a score of this task"),
        (lambda: evaluate.learning_curve(CARTClassifier(), X, Y, sizes=(0, 1)), "above 0 and up to 1"),
        (lambda: evaluate.complexity_curve(CARTClassifier(), X, Y, "max_depth", []), "at least one value"),
        (lambda: evaluate.stability(CARTClassifier(), X, Y, samples=1), "at least 2 samples"),
    ],
)
def test_mistakes(call, says: str) -> None:
    with pytest.raises((DataError, OptionError), match=says):
        call()


def test_frames_are_as_before(tmp_path) -> None:
    """Nothing is written into what the user passes."""
    for frame in (IRIS.frame.to_pandas(), IRIS.frame.clone(), IRIS.frame.to_arrow()):
        before = frame.copy() if isinstance(frame, pd.DataFrame) else frame
        evaluate.holdout(CARTClassifier(), frame, IRIS.target)
        same = frame.equals(before)
        assert same
        assert isinstance(frame, pd.DataFrame | pl.DataFrame | pa.Table)


# --- tables that are hardly enough --------------------------------------------------------------------------------

SMALL = np.random.default_rng(0).normal(size=(30, 2))


@pytest.mark.parametrize(
    ("classes", "says", "how"),
    [
        (["a"] * 14 + ["b"] * 14 + ["c"] * 2, "class 'c': 2, fewer than the 5 folds; some folds have none", True),
        (list("abcdefghij") * 3, "no class has as many rows as there are folds, 5: folds are drawn without", False),
    ],
)
def test_classes_of_fewer_rows_than_folds(classes: list[str], says: str, how: bool) -> None:
    """It is said which class is too small, and whether folds are drawn class by class."""
    with pytest.warns(DataWarning, match=says):
        found = evaluate.cross_validate(CARTClassifier(), SMALL, classes, cv=5)
    assert ("class by class" in found.method) == how
    assert len(found.predictions) == 30


def test_a_class_of_one_row_is_not_held_out_by_class() -> None:
    with pytest.warns(DataWarning, match="rows of the class 'b': 1, too few"):
        evaluate.holdout(CARTClassifier(), SMALL, ["a"] * 29 + ["b"])


@pytest.mark.parametrize("target", [["a"] * 30, np.full(30, 3.5)], ids=["class", "number"])
def test_a_target_that_is_always_the_same(target) -> None:
    model = CARTClassifier() if isinstance(target, list) else CARTRegressor()
    with pytest.warns(DataWarning, match=r"is (a|3\.5) in all 30 rows: there is nothing to learn"):
        found = evaluate.stability(model, SMALL, target, samples=5)
    assert "nan" not in str(found)
    with pytest.warns(DataWarning, match="nothing to learn"):
        compared = evaluate.compare([model, model], SMALL, target, cv=3)
    assert "nan" not in str(compared)
    assert not compared.pairs[0].holds
    with pytest.warns(DataWarning, match="nothing to learn"):
        assert evaluate.bootstrap(model, SMALL, target, samples=5).error_632_plus == 0


def test_mistakes_show_before_anything_is_fitted() -> None:
    class Never(CARTClassifier):
        def fit(self, *_: object, **__: object) -> "Never":
            raise AssertionError("fitted")

    with pytest.raises(OptionError, match="Did you mean 'accuracy'"):
        evaluate.compare([Never(), Never()], X, Y, score="accurcy")
    with pytest.raises(OptionError, match="cv=100 must be between 2"):
        evaluate.cross_validate(Never(), SMALL, ["a", "b"] * 15, cv=100)


METHODS = {
    "holdout": evaluate.holdout,
    "cross_validate": evaluate.cross_validate,
    "leave_one_out": evaluate.leave_one_out,
    "bootstrap": partial(evaluate.bootstrap, samples=2),
    "learning_curve": evaluate.learning_curve,
    "complexity_curve": partial(evaluate.complexity_curve, option="max_depth", values=[1, 2]),
    "stability": partial(evaluate.stability, samples=2),
    "compare": lambda model, *rows, **options: evaluate.compare([model, model], *rows, **options),
}


@pytest.mark.parametrize("name", METHODS)
def test_too_few_rows_are_refused_in_words(name: str) -> None:
    with pytest.raises(DataError, match="no row is left to look at: every row has zero weight or no target"):
        METHODS[name](CARTClassifier(), SMALL, ["a", "b"] * 15, sample_weight=np.zeros(30))
    with pytest.raises(DataError, match="there is only one row: at least 2 are needed"):
        METHODS[name](CARTClassifier(), SMALL, ["a", "b"] * 15, sample_weight=np.arange(30) == 3)


@pytest.mark.parametrize("name", ["holdout", "cross_validate", "bootstrap"])
def test_weights_in_a_column_count_as_those_that_are_given(name: str) -> None:
    """In fitting, once, and in judging; rows of weight 0 take no part."""
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    weight = np.random.default_rng(2).integers(0, 4, len(frame)).astype(float)
    model = CARTClassifier(max_depth=2, kinds={"w": "weight"})
    options = {"samples": 3} if name == "bootstrap" else {}
    held = getattr(evaluate, name)(model, frame.assign(w=weight), Y, **options)
    given = getattr(evaluate, name)(CARTClassifier(max_depth=2), frame, Y, sample_weight=weight, **options)
    held, given = (found.out_of_bag if name == "bootstrap" else found for found in (held, given))
    assert held.weighted
    assert held.scores == given.scores
    assert held.predictions.weight.tolist() == given.predictions.weight.tolist()


def test_an_interval_of_no_known_method_names_all() -> None:
    found = evaluate.cross_validate(CARTClassifier(), X, Y, cv=3)
    with pytest.raises(OptionError, match=r"'wilson', .* 'bca'.* Did you mean 'wilson'"):
        found.interval(method="wilsn")
