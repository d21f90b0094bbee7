"""Formulas of evaluation against published examples and implementations of their own, beyond those beside each method:
intervals by formula are in `test_intervals`, the bootstrap's estimates in `test_bootstrap`, scores in `test_scores`.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.model_selection import cross_val_score

from deciduous import CARTClassifier
from deciduous.evaluate import accuracy_interval, cross_validate, learning_curve
from deciduous.evaluate.comparison import _holm
from deciduous.evaluate.curves import _agreement
from deciduous.evaluate.intervals import resampled_interval
from tests.iris import iris

X, Y = iris().X.to_numpy(), iris().y.to_numpy()


def test_agresti_coull_is_wilsons_interval_widened() -> None:
    """The same centre, and never shorter (Brown, Cai and DasGupta 2001, section 3.1.2); at 95 % 'add two successes and
    two failures' (Agresti and Coull 1998).
    """
    for n in (5, 20, 100):
        for right in range(n + 1):
            wide, wilson = (accuracy_interval(right, n, 0.95, method) for method in ("agresti_coull", "wilson"))
            if wide.low > 0 and wide.high < 1:
                assert wide.low + wide.high == pytest.approx(wilson.low + wilson.high)
            assert wide.low <= wilson.low + 1e-12
            assert wide.high >= wilson.high - 1e-12
    z = stats.norm.ppf(0.975)
    p = (17 + z**2 / 2) / (20 + z**2)
    assert accuracy_interval(17, 20, 0.95, "agresti_coull").low == pytest.approx(
        p - z * np.sqrt(p * (1 - p) / (20 + z**2))
    )


def test_holms_correction() -> None:
    """The example of R's and Wikipedia's pages on Holm (1979): .01, .04, .03, .005 become .03, .06, .06, .02."""
    assert _holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert _holm([0.6, 0.7]) == [1.0, 1.0]


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_resampled_intervals_by_hand(method: str) -> None:
    """Efron and Tibshirani (1993), equations 13.4 and 14.9 to 14.15, with draws of our own; to the error of drawing."""
    x = np.random.default_rng(3).exponential(size=25)
    draws = 6000
    ours = resampled_interval(lambda rows: float(x[rows].mean()), len(x), 0.9, method, draws, 0)
    drawn = x[np.random.default_rng(99).integers(len(x), size=(draws, len(x)))].mean(axis=1)
    tails = np.array([0.05, 0.95])
    if method == "bca":
        bias = stats.norm.ppf((drawn < x.mean()).mean())
        left_out = np.array([np.delete(x, i).mean() for i in range(len(x))])
        off = left_out.mean() - left_out
        acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
        z = bias + stats.norm.ppf(tails)
        tails = stats.norm.cdf(bias + z / (1 - acceleration * z))
    low, high = np.quantile(drawn, tails)
    room = 0.05 * (high - low)
    assert (ours.low, ours.high) == (pytest.approx(low, abs=room), pytest.approx(high, abs=room))


def test_rows_of_unequal_weight_count_as_fewer() -> None:
    """Kish (1965), section 11.7: (sum w)^2 / sum w^2; weights 1 (75 rows) and 3 (75 rows) make 300^2 / 750 = 120."""
    weight = np.where(np.arange(150) % 2 == 0, 1.0, 3.0)
    found = cross_validate(CARTClassifier(max_depth=2), X, Y, cv=5, sample_weight=weight)
    accuracy = found.scores["accuracy"]
    expected = accuracy_interval(120 * accuracy, 120)
    assert (found.interval().low, found.interval().high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_agreement_is_the_mean_over_all_pairs() -> None:
    said = np.random.default_rng(0).integers(0, 3, size=(6, 40))
    pairs = [(said[i] == said[j]).mean() for i, j in combinations(range(6), 2)]
    assert _agreement(said, classes=True) == pytest.approx(np.mean(pairs))
    numbers = said + np.random.default_rng(1).normal(size=said.shape)
    pairs = [np.corrcoef(numbers[i], numbers[j])[0, 1] for i, j in combinations(range(6), 2)]
    assert _agreement(numbers, classes=False) == pytest.approx(np.mean(pairs))


def test_the_end_of_a_learning_curve_is_cross_validation() -> None:
    folds = [(np.flatnonzero(np.arange(150) % 3 != k), np.flatnonzero(np.arange(150) % 3 == k)) for k in range(3)]
    curve = learning_curve(CARTClassifier(), X, Y, sizes=(0.2, 1.0), cv=folds)
    np.testing.assert_allclose(curve.test[-1], cross_val_score(CARTClassifier(), X, Y, cv=folds))
    assert curve.values == (20, 100)


def test_calibration_is_scikit_learns() -> None:
    found = cross_validate(CARTClassifier(max_depth=2), X, Y, cv=5)
    label = found.labels.tolist()[1]
    p = found.predictions
    share, mean = calibration_curve(p.truth == 1, p.probability[:, 1], n_bins=10)
    frame = found.calibration(label)
    np.testing.assert_allclose(frame["share"], share)
    np.testing.assert_allclose(frame["probability"], mean)
