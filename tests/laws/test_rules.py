"""The rules of a tree answer every row as the tree does: rows with missing cells and unseen categories included."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, explain_row, rules
from deciduous.explain.change import changed
from tests.strategies import Small, fit, tables, task_of, tasks


def disturbed(table: Small, seed: int) -> pd.DataFrame:
    """Rows of a table with cells exchanged, made missing, and given categories and numbers that training never saw."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name, column in table.X.items():
        cells = column.astype(object).to_numpy()[rng.integers(0, len(table), 30)]
        strange = rng.uniform(-3, 5, 30).round(2) if table.X[name].dtype == float else np.array(["new"] * 30, object)
        kind = rng.integers(0, 5, 30)
        cells = np.where(kind == 0, None, np.where(kind == 1, strange, cells))
        columns[str(name)] = cells.astype(float) if table.X[name].dtype == float else cells
    return pd.DataFrame(columns)


@pytest.mark.filterwarnings("ignore")
@given(tasks(), st.integers(0, 2**32 - 1), st.sampled_from(["node", "missing"]))
def test_rules_answer_as_the_tree(task: Any, seed: int, unseen: str) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options, unseen=unseen)
    X = disturbed(table, seed)
    if options["missing"] == "error":
        X = X.ffill().bfill()
        if X.isna().any(axis=None):
            return
    found = rules(model)
    assert found.shares(X).sum(axis=1) == pytest.approx(np.ones(30))
    answers, expected = found.predict(X), model.predict(X).tolist()
    if task_of(estimator) == "number":
        assert answers == pytest.approx(expected)
    else:
        assert answers == expected


@pytest.mark.filterwarnings("ignore")
@given(tasks())
def test_rules_cover_the_training_rows_that_they_say(task: Any) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options)
    found = rules(model, stops=False)
    weight = table.weight * (table.weight > 0)
    assert found.shares(table.X).T @ weight == pytest.approx([rule.weight for rule in found])
    assert sum(rule.coverage for rule in found) == pytest.approx(1.0)
    assert len(found) == model.get_n_leaves()
    for rule in found:
        names = [condition.feature.name for condition in rule.conditions]
        assert len(names) == len(set(names))


@pytest.mark.filterwarnings("ignore")
@given(
    st.sampled_from([CARTClassifier, CARTRegressor]),
    tables(missing=True),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["node", "missing"]),
    st.sampled_from([0, 1, 2]),
)
def test_rules_of_surrogates_answer_as_the_tree(
    estimator: Any, table: Small, seed: int, unseen: str, use_surrogates: int
) -> None:
    """Also where the surrogates decide; and a row explained says which of them did."""
    options = {"missing": "surrogates", "unseen": unseen, "use_surrogates": use_surrogates}
    model = fit(estimator, table, **options)
    X = disturbed(table, seed)
    found = rules(model)
    assert found.shares(X).sum(axis=1) == pytest.approx(np.ones(30))
    assert found.predict(X) == model.predict(X).tolist()
    assert found.shares(table.X).T @ (table.weight * (table.weight > 0)) == pytest.approx([r.weight for r in found])
    explained = explain_row(model, X.iloc[0].to_dict())
    assert explained.prediction == model.predict(X.iloc[:1])[0]
    assert [way.share for way in explained.ways] == [1.0]
    assert all(visit.share == 1 for way in explained.ways for visit in way.visits)
    assert explained.to_text()
    if explained.change is not None:
        row = changed(X.iloc[0].to_dict(), explained.change)
        assert model.predict([row])[0] == explained.change.prediction


def test_rules_of_surrogates_say_so() -> None:
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, np.nan], "z": [10, 20, 30, 40, 50, 60, 60]})
    model = CARTClassifier(missing="surrogates", max_depth=1).fit(X, list("aaabbba"))
    text = rules(model).to_text()
    assert "the surrogates of the question decide" in " ".join(text.split())
    assert "IF x < 3.5 (if missing: as surrogates say) THEN a" in text
    told = " ".join(explain_row(model, {"x": None, "z": 55}).to_text().split())
    assert "x = missing: goes to this branch by the surrogate z >= 35, since z = 55" in told


def test_confidence_and_lift() -> None:
    model = CARTClassifier(max_depth=1).fit({"x": [1, 2, 3, 4, 5]}, list("aabba"))
    low, high = rules(model)
    assert (low.prediction, low.confidence, low.coverage) == ("a", 1.0, 0.4)
    assert low.lift == pytest.approx(1 / 0.6)
    assert (high.prediction, high.n_samples, high.confidence) == ("b", 3, pytest.approx(2 / 3))
    assert high.lift == pytest.approx((2 / 3) / 0.4)
    assert [r.prediction for r in rules(model).ordered("lift")] == ["a", "b"]
    assert [r.node for r in rules(model).where(min_confidence=0.9)] == [low.node]
    assert rules(model).where(prediction="a").predict({"x": [1, 9]}) == ["a", None]


def test_numbers_have_a_spread_and_no_confidence() -> None:
    model = CARTRegressor(max_depth=1).fit({"x": [1, 2, 3, 4]}, [1.0, 3, 8, 8])
    low, high = rules(model)
    assert (low.prediction, low.spread, high.spread) == (2.0, 1.0, 0.0)
    assert np.isnan(low.confidence)
    assert "squared error 1" in str(rules(model))


def test_a_missing_cell_that_goes_down_all_branches_is_said() -> None:
    model = C45Classifier(min_cases=1, pruning=None).fit(
        {"a": ["u", "u", "v", None], "b": list("ssst")}, ["x", "x", "y", "y"]
    )
    text = rules(model).to_text()
    assert "a = u or missing (counts 0.667)" in text
    assert "exactly one" not in text


def test_rules_in_chinese() -> None:
    model = CARTClassifier(max_depth=1).fit({"x": [1, 2, 3, 4]}, list("aabb"))
    text = rules(model).to_text(lang="zh")
    assert "若 x <= 2.5 则 a" in text
    assert "置信度 100 %" in text


@pytest.mark.filterwarnings("ignore:categories that training never saw")
def test_categories_never_seen_stop_where_no_branch_takes_missing_cells() -> None:
    X = pd.DataFrame({"a": list("uuuvv"), "x": [1.0, 1, 1, 2, 2]})
    model = ID3Classifier(missing="error", unseen="missing", zero_gain="split").fit(X, list("ppqqq"))
    found = rules(model)
    new = pd.DataFrame({"a": ["new"] * 2, "x": [1.0, 2]})
    assert found.shares(new).sum(axis=1).tolist() == [1, 1]
    assert found.predict(new) == model.predict(new).tolist()
