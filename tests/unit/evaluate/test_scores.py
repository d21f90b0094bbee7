"""Every score against scikit-learn's function, or the formula."""

import numpy as np
import pytest
from sklearn import metrics

from deciduous import DataError, OptionError
from deciduous.evaluate import Predictions
from deciduous.evaluate.scores import CLASS_SCORES, NUMBER_SCORES, by_class, calibration, confusion, mean_cost

RANDOM = np.random.default_rng(3)
N = 200


def drawn(classes: int) -> Predictions:
    probability = RANDOM.dirichlet(np.ones(classes), N)
    truth = RANDOM.integers(classes, size=N)
    rows = np.arange(N)
    weight = RANDOM.uniform(0.5, 2, N)
    return Predictions(rows * 0, rows, truth, probability.argmax(axis=1), probability, weight, np.array([[0, N]]))


@pytest.mark.parametrize("classes", [2, 4])
def test_class_scores(classes: int) -> None:
    p = drawn(classes)
    w = {"sample_weight": p.weight}
    macro = {"average": "macro", **w}
    of_second = p.probability[:, 1]
    expected = {
        "accuracy": metrics.accuracy_score(p.truth, p.predicted, **w),
        "balanced_accuracy": metrics.balanced_accuracy_score(p.truth, p.predicted, **w),
        "precision": metrics.precision_score(p.truth, p.predicted, **macro),
        "recall": metrics.recall_score(p.truth, p.predicted, **macro),
        "f1": metrics.f1_score(p.truth, p.predicted, **macro),
        "f1_weighted": metrics.f1_score(p.truth, p.predicted, average="weighted", **w),
        "roc_auc": metrics.roc_auc_score(p.truth, of_second, **w)
        if classes == 2
        else metrics.roc_auc_score(p.truth, p.probability, multi_class="ovr", **w),
        "log_loss": metrics.log_loss(p.truth, p.probability, **w),
        "brier": (2 if classes == 2 else 1)
        * (
            metrics.brier_score_loss(p.truth, of_second, **w)
            if classes == 2
            else np.average(((p.probability - np.eye(classes)[p.truth]) ** 2).sum(axis=1), weights=p.weight)
        ),
    }
    assert {name: score(p, classes) for name, score in CLASS_SCORES.items()} == pytest.approx(expected)


def test_number_scores() -> None:
    truth, said, weight = RANDOM.normal(size=N), RANDOM.normal(size=N), RANDOM.uniform(0.5, 2, N)
    rows = np.arange(N)
    p = Predictions(rows * 0, rows, truth, said, None, weight, np.array([[0, N]]))
    expected = {
        "mean_absolute_error": np.average(abs(truth - said), weights=weight),
        "root_mean_squared_error": np.sqrt(np.average((truth - said) ** 2, weights=weight)),
        "r_squared": metrics.r2_score(truth, said, sample_weight=weight),
    }
    assert {name: score(p, 0) for name, score in NUMBER_SCORES.items()} == pytest.approx(expected)


def test_confusion_matrix_and_classes() -> None:
    p = drawn(3)
    table = confusion(p, 3)
    np.testing.assert_allclose(table, metrics.confusion_matrix(p.truth, p.predicted, sample_weight=p.weight))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(p.truth, p.predicted, sample_weight=p.weight)
    figures = by_class(table)
    for name, expected in (("precision", precision), ("recall", recall), ("f1", f1)):
        np.testing.assert_allclose(figures[name], expected)


def test_a_class_that_is_never_predicted_has_no_precision() -> None:
    figures = by_class(np.array([[3.0, 0], [2, 0]]))
    assert np.isnan(figures["precision"][1])
    assert figures["recall"][1] == 0


def test_cost_under_a_loss() -> None:
    table, labels = np.array([[8.0, 2], [1, 9]]), np.array(["good", "bad"])
    assert mean_cost(table, [[0, 1], [5, 0]], labels) == pytest.approx((2 * 1 + 1 * 5) / 20)
    assert mean_cost(table, {("bad", "good"): 5}, labels) == pytest.approx(5 / 20)
    with pytest.raises(DataError, match="2 x 2; its shape is"):
        mean_cost(table, [[0, 1, 2]], labels)
    with pytest.raises(DataError, match="names the class 'worse'"):
        mean_cost(table, {("worse", "good"): 1}, labels)


def test_calibration_counts_every_row_once() -> None:
    p = drawn(2)
    curve = calibration(p, 1, 5)
    assert curve["weight"].sum() == pytest.approx(p.weight.sum())
    first = p.probability[:, 1] < 0.2
    assert curve["share"][0] == pytest.approx(np.average(p.truth[first] == 1, weights=p.weight[first]))
    with pytest.raises(OptionError, match="bins=0"):
        calibration(p, 1, 0)
