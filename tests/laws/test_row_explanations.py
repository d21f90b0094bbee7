"""One row explained: the way is the walk's, the answer the tree's, and the smallest change does change it."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, DataError, OptionError, datasets, explain_row, rules
from deciduous.explain.change import changed
from tests.laws.test_rules import disturbed
from tests.strategies import fit, task_of, tasks

GOLF = datasets.load("golf")


@pytest.mark.filterwarnings("ignore")
@given(tasks(), st.integers(0, 2**32 - 1), st.sampled_from(["node", "missing"]), st.booleans())
def test_a_row_is_explained_as_it_is_answered(task: Any, seed: int, unseen: str, with_training: bool) -> None:
    estimator, table, options = task
    model = fit(estimator, table, **options, unseen=unseen)
    X = disturbed(table, seed)
    X = X.ffill().bfill() if options["missing"] == "error" else X
    if options["missing"] == "error" and X.isna().any(axis=None):
        return
    row = X.iloc[0].to_dict()
    found = explain_row(model, row, table.X if with_training else None)
    expected = model.predict(X.iloc[[0]])[0]
    assert found.prediction == (pytest.approx(expected) if task_of(estimator) == "number" else expected)
    passed = {visit.node.index for way in found.ways for visit in way.visits}
    assert passed == set(model.decision_path(X.iloc[[0]]).indices.tolist())
    assert sum(way.share for way in found.ways) == pytest.approx(1.0)
    assert found.to_text().startswith("y = ")
    if found.change is None:
        others = {rule.prediction for rule in rules(model, stops=False)} - {found.prediction}
        assert (
            not others or X.iloc[0].isna().any() or task_of(estimator) == "number" or options["nominal"] != "multiway"
        )
        return
    after = changed(row, found.change)
    frame = X.iloc[[0]].astype(object).assign(**{name: [cell] for name, cell in after.items()})
    frame = frame.astype({name: float for name in X.columns if X[name].dtype == float})
    assert model.predict(frame)[0] == found.change.prediction != found.prediction
    if found.change.node is None:
        assert len(np.unique(model.decision_path(frame).indices)) > 2  # several nodes answer together
    else:
        assert model.apply(frame)[0] == found.change.node


def test_the_smallest_change_has_the_fewest_columns_then_the_least_movement() -> None:
    x, z = np.meshgrid(np.arange(10.0), np.arange(10.0))
    y = np.where(z.ravel() > 8, "far", np.where(x.ravel() > 6, "near", "here"))
    model = CARTClassifier().fit({"x": x.ravel(), "z": z.ravel()}, y)
    found = explain_row(model, {"x": 5.0, "z": 4.0}, {"x": x.ravel(), "z": z.ravel()})
    assert found.change is not None
    (change,) = found.change.changes
    assert (found.change.prediction, change.feature, change.new) == ("near", "x", 7.0)
    assert change.movement == pytest.approx(0.2)  # the values 5 and 6 of ten
    far = explain_row(model, {"x": 5.0, "z": 4.0}, to="far")
    assert far.change is not None
    assert [(c.feature, c.new) for c in far.change.changes] == [("z", 9.0)]


def test_the_path_in_words() -> None:
    model = C45Classifier().fit(GOLF.X, GOLF.y)
    row = {"outlook": "sunny", "temperature": 70, "humidity": 85, "windy": "false"}
    text = explain_row(model, row).to_text()
    assert "The answer is Don't Play, because outlook = sunny and humidity > 75." in text
    assert "humidity = 85: change it to 75 (humidity <= 75), past 100 % of the thresholds" in text
    chinese = explain_row(model, row).to_text("zh")
    assert "结论为 Don't Play，因为 outlook = sunny 且 humidity > 75。" in chinese


def test_an_unseen_category_stops() -> None:
    model = C45Classifier().fit(GOLF.X, GOLF.y)
    row = {"outlook": "fog", "temperature": 70, "humidity": 85, "windy": "false"}
    assert "outlook = fog: never seen in training; this question has no branch for it, so node 0 itself" in " ".join(
        explain_row(model, row).to_text().split()
    )


@pytest.mark.parametrize("form", ["md", "latex", "html", "json"])
def test_every_form(form: str) -> None:
    model = CARTRegressor(max_depth=2).fit({"x": [1, 2, 3, 4]}, [1.0, 2, 5, 7])
    assert "x" in "".join(explain_row(model, [2.0]).parts(form))


def test_rows_of_arrays() -> None:
    model = CARTRegressor(max_depth=2).fit(np.arange(8.0).reshape(4, 2), [1.0, 2, 5, 7])
    assert explain_row(model, [6.0, 7.0]).prediction == explain_row(model, np.array([6.0, 7.0])).prediction == 7.0


def test_trees_of_several_targets_are_refused() -> None:
    model = CARTClassifier().fit([[1.0], [2], [3], [4]], [[0, 0], [0, 1], [1, 0], [1, 1]])
    for explain in (rules, lambda one: explain_row(one, [1.0])):
        with pytest.raises(OptionError, match="for trees of one target"):
            explain(model)


def test_a_row_needs_only_the_columns_that_the_tree_asks_for() -> None:
    table = datasets.load("loan")
    model = C45Classifier(kinds=table.kinds).fit(table.frame, "Class")
    assert explain_row(model, {"Owns House": "No", "Employed": "Yes"}).prediction == "Yes"
    with pytest.raises(DataError, match="lacks the column 'Employed'"):
        explain_row(model, {"Owns House": "No"})


def test_more_rows_are_refused() -> None:
    model = C45Classifier().fit(GOLF.X, GOLF.y)
    with pytest.raises(DataError, match="takes one row; got 14"):
        explain_row(model, GOLF.X)


def test_parts_of_a_row_are_put_together() -> None:
    model = C45Classifier().fit(GOLF.X, GOLF.y)
    text = explain_row(model, {"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "false"}).to_text()
    assert "humidity = missing: 0.4 of it goes to this branch" in text
    assert "p(Don't Play) = 0.40000 × 0 + 0.60000 × 1 = 0.600" in text
    numbers = CARTRegressor(missing="fractional").fit({"x": [1, 2, 3, 4]}, [1.0, 2, 5, 7])
    found = explain_row(numbers, {"x": None})
    assert found.prediction == pytest.approx(15 / 4)
    assert "c = 0.25" in found.to_text()


def test_a_number_to_change_to_is_printed_so_that_it_does() -> None:
    """Trees with surrogates ask x < cut: the cut itself is on the other side; long thresholds are not cut off."""
    x = np.round(np.linspace(0.1, 9.9, 50) ** 3 + 0.123456789, 9)
    for options in ({"missing": "surrogates", "pruning": None}, {}):
        model = CARTClassifier(**options).fit({"x": x}, np.where(x > 200, "far", "near"))
        for row, to in (({"x": 500.0}, "near"), ({"x": 1.0}, "far")):
            for training in (None, {"x": x}):
                (line,) = re.findall(r"change it to ([\d.]+)", explain_row(model, row, training).to_text())
                assert model.predict({"x": [float(line)]})[0] == to


def test_surrogates_are_changed_where_that_is_less() -> None:
    x, z = np.arange(40.0), np.arange(40.0) + 0.5
    y = np.where(x > 19, "far", "near")
    model = CARTClassifier(missing="surrogates", pruning=None).fit({"x": x, "z": z}, y)
    found = explain_row(model, {"x": None, "z": 22.0}, {"x": x, "z": z})
    assert found.prediction == "far"
    assert found.change is not None
    assert [(one.feature, one.new) for one in found.change.changes] == [("z", 19.5)]
