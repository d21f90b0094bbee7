"""The bootstrap estimates against plain loops over the formulas; what theory says of them is in tests/laws."""

import numpy as np
import pytest

from deciduous import CARTClassifier, CARTRegressor, DataError
from deciduous.evaluate import bootstrap
from tests.iris import iris

IRIS = iris()


def by_hand(found, X, y, model) -> dict[str, float]:
    """Efron and Tibshirani (1997), equations 17 and 24 to 29, row by row."""
    frame = found.out_of_bag.to_frame()
    of_row: dict[int, list[float]] = {}
    for row, truth, said in zip(frame["row"], frame["truth"], frame["predicted"], strict=True):
        of_row.setdefault(row, []).append(float(truth != said))
    err1 = np.mean([np.mean(errors) for errors in of_row.values()])
    own = model.predict(X)
    err = np.mean([a != b for a, b in zip(own, y, strict=True)])
    gamma = np.mean([a != b for a in own for b in y])
    err1_cut = min(err1, gamma)
    rate = (err1_cut - err) / (gamma - err) if err1 > err and gamma > err else 0.0
    err632 = 0.368 * err + 0.632 * err1
    plus = err632 + (err1_cut - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    return {"err1": err1, "err": err, "gamma": gamma, "rate": rate, "plus": plus}


@pytest.mark.parametrize("depth", [1, 2, None])
def test_formulas(depth: int | None) -> None:
    X, y = IRIS.X.to_numpy(), IRIS.y.to_list()
    model = CARTClassifier(max_depth=depth)
    found = bootstrap(model, X, y, samples=30, seed=1)
    hand = by_hand(found, X, y, model.fit(X, y))
    assert found.leave_one_out_error == pytest.approx(hand["err1"])
    assert found.apparent_error == pytest.approx(hand["err"])
    assert found.no_information_error == pytest.approx(hand["gamma"])
    assert found.overfitting_rate == pytest.approx(hand["rate"])
    assert found.error_632_plus == pytest.approx(hand["plus"])


def test_the_632_of_the_source() -> None:
    """acc_boot = 1/b sum_i (0.632 eps_i + 0.368 acc_s)."""
    found = bootstrap(CARTClassifier(max_depth=2), IRIS.X, IRIS.y, samples=20)
    acc_s = 1 - found.apparent_error
    eps = 1 - found.error_by_sample
    assert found.accuracy_632 == pytest.approx(np.mean(0.632 * eps + 0.368 * acc_s))
    shown = found.to_frame()["error_632"].mean()
    assert found.error_632 == pytest.approx(shown)


def test_share_of_different_rows() -> None:
    """1 - (1 - 1/N)^N of the rows, on average; each sample's own share is shown."""
    found = bootstrap(CARTClassifier(max_depth=1), IRIS.X, IRIS.y, samples=30)
    assert found.expected_distinct == pytest.approx(1 - (149 / 150) ** 150)
    spread = found.distinct.std(ddof=1) / np.sqrt(30)
    assert abs(found.distinct.mean() - found.expected_distinct) <= 4 * spread
    np.testing.assert_allclose(found.distinct + found.to_frame()["left_out"].to_numpy() / 150, 1.0)


def test_numbers() -> None:
    random = np.random.default_rng(5)
    X, y = random.normal(size=(80, 2)), random.normal(size=80)
    found = bootstrap(CARTRegressor(), X, y, samples=15)
    model = CARTRegressor().fit(X, y)
    assert found.no_information_error == pytest.approx(np.mean((y[:, None] - model.predict(X)) ** 2))
    assert found.apparent_error == 0
    with pytest.raises(ValueError, match="an accuracy is for classes"):
        _ = found.accuracy_632


def test_groups_are_drawn_whole() -> None:
    groups = np.arange(150) // 10
    found = bootstrap(CARTClassifier(max_depth=1), IRIS.X, IRIS.y, samples=5, groups=groups)
    frame = found.out_of_bag.to_frame()
    for run in range(5):
        out = frame.filter(frame["run"] == run)["row"].to_numpy()
        assert np.array_equal(np.sort(out), np.flatnonzero(np.isin(groups, groups[out])))


def test_the_same_for_any_number_of_processes() -> None:
    a, b = (bootstrap(CARTClassifier(), IRIS.X, IRIS.y, samples=4, seed=2, n_jobs=n) for n in (1, 2))
    assert a.to_json() == b.to_json()


def test_one_row() -> None:
    with pytest.raises(DataError, match="at least 2 are needed"):
        bootstrap(CARTClassifier(), [[1.0]], ["a"])
