"""Charts show the figures they are made from."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import deciduous
from deciduous import draw


def axes():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    return deciduous.CARTClassifier().fit(data.data, data.target), data


def test_importance_is_sorted_and_counts_what_it_leaves_out(cancer) -> None:
    model, data = cancer
    ax = draw.plot_importance(model, ax=axes(), most=5)
    largest = np.sort(model.feature_importances_)[::-1]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(largest[:5])
    first = data.data.columns[model.feature_importances_.argmax()]
    assert ax.get_yticklabels()[0].get_text() == first
    assert ax.get_title() == f"25 more columns have {largest[5:].sum():.3f}"


def test_columns_that_cannot_be_asked_for_have_no_importance() -> None:
    loan = deciduous.datasets.load("loan")
    model = deciduous.ID3Classifier(kinds=loan.kinds).fit(loan.frame, "Class")
    ax = draw.plot_importance(model, ax=axes())
    assert "ID" not in [label.get_text() for label in ax.get_yticklabels()]


def test_the_path_of_pruning_shows_errors_and_choices(cancer) -> None:
    model, data = cancer
    path = model.cross_validated_path(data.data, data.target, cv=4)
    ax = draw.plot_pruning_path(path, ax=axes())
    curves = {line.get_label(): line for line in ax.lines}
    assert curves["training"].get_ydata().tolist() == path.training_error.tolist()
    assert curves["cross-validated"].get_ydata().tolist() == path.cv_error.tolist()
    assert {text.get_text().split(":")[0] for text in ax.texts} <= {"min", "1se", "min, 1se"}
    plain = draw.plot_pruning_path(model.pruning_path(), ax=axes(), x="alpha")
    assert [line.get_label() for line in plain.lines] == ["training"]
    with pytest.raises(deciduous.OptionError, match="n_leaves"):
        draw.plot_pruning_path(model.pruning_path(kind="optimal"), ax=axes(), x="alpha")


def test_a_confusion_matrix_has_a_cell_a_pair() -> None:
    ax = draw.plot_confusion([[5, 1], [0, 4]], ["no", "yes"], ax=axes())
    assert len(ax.patches) == 4
    assert [text.get_text() for text in ax.texts] == ["5\n83 %", "1\n17 %", "4\n100 %"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["no", "yes"]
    with pytest.raises(deciduous.DataError, match=r"\(3, 3\)"):
        draw.plot_confusion([[5, 1], [0, 4]], ["a", "b", "c"], ax=axes())


def test_evaluations_bring_their_own_matrix_and_curves() -> None:
    iris = load_iris()
    model = deciduous.CARTClassifier(max_depth=2)
    evaluation = deciduous.evaluate.cross_validate(model, iris.data, iris.target, cv=3)
    ax = draw.plot_confusion(evaluation, ax=axes())
    shown = sum(int(text.get_text().split("\n")[0]) for text in ax.texts)
    assert shown == 150
    with pytest.raises(TypeError, match="labels="):
        draw.plot_confusion([[1, 0], [0, 1]])
    table = evaluation.calibration(1)
    ax = draw.plot_calibration(evaluation, 1, ax=axes())
    assert ax.lines[1].get_xydata().tolist() == table.select("probability", "share").to_numpy().tolist()
    curve = deciduous.evaluate.learning_curve(model, iris.data, iris.target)
    ax = draw.plot_curve(curve, ax=axes())
    assert [line.get_ydata().tolist() for line in ax.lines] == [
        scores.mean(axis=1).tolist() for scores in (curve.train, curve.test)
    ]


def test_leaves_are_as_wide_as_their_rows_and_as_high_as_they_are_pure() -> None:
    iris = load_iris()
    model = deciduous.CARTClassifier(max_depth=2).fit(iris.data, iris.target)
    ax = draw.plot_leaves(model, ax=axes())
    area = sum(bar.get_width() * bar.get_height() for bar in ax.patches)
    assert area == pytest.approx(1.0)
    bottom = [bar for bar in ax.patches if bar.get_y() == 0]
    right = sum(bar.get_width() * bar.get_height() for bar in bottom)
    assert right == pytest.approx(model.score(iris.data, iris.target))


def test_leaves_of_numbers_end_at_their_values() -> None:
    data = load_diabetes()
    model = deciduous.CARTRegressor(max_depth=2).fit(data.data, data.target)
    ax = draw.plot_leaves(model, ax=axes())
    tree = model.tree_
    assert sorted(bar.get_height() for bar in ax.patches) == pytest.approx(sorted(tree.value[tree.is_leaf]))


def test_charts_speak_the_language_spoken(cancer) -> None:
    model, data = cancer
    model = deciduous.CARTClassifier(max_leaf_nodes=4).fit(data.data, data.target)
    judged = deciduous.evaluate.holdout(model, data.data, data.target)
    with deciduous.language.speaking("zh"):
        drawn = [
            draw.plot_importance(model, most=2, ax=axes()),
            draw.plot_pruning_path(model.pruning_path(data.data, data.target), ax=axes()),
            draw.plot_confusion(judged, ax=axes()),
            draw.plot_calibration(judged, ax=axes()),
            draw.plot_leaves(model, ax=axes()),
            draw.plot_curve(deciduous.evaluate.learning_curve(model, data.data, data.target, cv=2), ax=axes()),
        ]
    for ax in drawn:
        keys = [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []
        for text in (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(), *keys, *(t.get_text() for t in ax.texts)):
            assert text == "y" or not any(c.isascii() and c.isalpha() for c in text.replace("min, 1se", "")), text


@pytest.mark.filterwarnings("ignore:.*fonts:UserWarning")
def test_a_long_key_stays_on_the_page() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = [f"$class_{i:02d}" for i in (np.arange(300) % 30).tolist()]
    model = deciduous.CARTClassifier(max_leaf_nodes=40).fit(X, y)
    for ax in (draw.plot_regions(model, X, y), draw.plot_leaves(model)):
        figure = ax.figure
        figure.draw_without_rendering()
        key, page = ax.get_legend().get_window_extent(), figure.bbox
        assert page.y0 - 1 <= key.y0 < key.y1 <= page.y1 + 1
        assert key.x1 <= page.x1 + 1
        assert ax.get_window_extent().height > 0.6 * page.height
        pyplot.close(figure)
