"""Intervals against published tables, scipy and the coverage that theory gives."""

import numpy as np
import pytest
from scipy import stats

from deciduous import DataError, OptionError
from deciduous.evaluate import accuracy_interval
from deciduous.evaluate.intervals import METHODS, resampled_interval

#: Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
NEWCOMBE = {
    "wald": [(0.2522, 0.3638), (0.0527, 0.1500), (0.0, 0.0), (0.0, 0.1009)],
    "wilson": [(0.2553, 0.3662), (0.0624, 0.1605), (0.0, 0.1611), (0.0061, 0.1718)],
    "clopper_pearson": [(0.2527, 0.3676), (0.0578, 0.1617), (0.0, 0.1684), (0.0009, 0.1776)],
}
COUNTS = [(81, 263), (15, 148), (0, 20), (1, 29)]


@pytest.mark.parametrize("method", NEWCOMBE)
def test_published_table(method: str) -> None:
    found = [accuracy_interval(*count, method=method) for count in COUNTS]
    assert [(round(i.low, 4), round(i.high, 4)) for i in found] == NEWCOMBE[method]


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [(20, 0.584, 0.919), (50, 0.670, 0.888), (100, 0.711, 0.867), (500, 0.763, 0.833), (1000, 0.774, 0.824)],
)
def test_accuracy_of_80_percent(n: int, low: float, high: float) -> None:
    """Tan, Steinbach and Kumar (2006), Introduction to Data Mining, example 4.4, where the source has its formula from
    (the book prints 0.866 for n = 100, where the formula gives 0.86660).
    """
    interval = accuracy_interval(0.8 * n, n)
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("method", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_scipy_gives_the_same(method: str, theirs: str, level: float) -> None:
    for n in (1, 7, 40):
        for right in range(n + 1):
            ours = accuracy_interval(right, n, level, method)
            ci = stats.binomtest(right, n).proportion_ci(level, theirs)
            assert (ours.low, ours.high) == (pytest.approx(ci.low, abs=1e-12), pytest.approx(ci.high, abs=1e-12))


def test_agresti_coull_adds_two_right_and_two_wrong_answers() -> None:
    """At 95 % z^2 is nearly 4: the interval of 'add two successes and two failures' (Agresti and Coull 1998)."""
    ours = accuracy_interval(17, 20, 0.95, "agresti_coull")
    p = 19 / 24
    assert ours.low == pytest.approx(p - 2 * np.sqrt(p * (1 - p) / 24), abs=0.01)
    assert ours.high == pytest.approx(p + 2 * np.sqrt(p * (1 - p) / 24), abs=0.01)
    assert ours.estimate == 17 / 20


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "p"), [(15, 0.5), (40, 0.9), (200, 0.7)])
def test_coverage(method: str, n: int, p: float) -> None:
    """How often the interval holds the true accuracy, simulated, is what the binomial law says, within 3 errors."""
    holds = np.array([i.low <= p <= i.high for i in (accuracy_interval(k, n, method=method) for k in range(n + 1))])
    theory = float(stats.binom.pmf(np.arange(n + 1), n, p) @ holds)
    runs = 20_000
    drawn = np.random.default_rng(0).binomial(n, p, runs)
    assert abs(holds[drawn].mean() - theory) <= 3 * np.sqrt(max(theory * (1 - theory), 1e-9) / runs)
    if method == "clopper_pearson":
        assert theory >= 0.95
    if method == "wilson":
        assert theory >= 0.92


@pytest.mark.parametrize("runs", [60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_coverage_of_resampling(method: str, runs: int) -> None:
    """The mean of 40 normal values: about 95 % of the intervals hold the true mean (94 % in theory for percentiles)."""
    random = np.random.default_rng(1)
    hits = 0
    for run in range(runs):
        x = random.normal(size=40)
        interval = resampled_interval(lambda rows, x=x: float(x[rows].mean()), 40, 0.95, method, 200, run)
        hits += interval.low <= 0 <= interval.high
    assert abs(hits / runs - 0.94) <= 3 * np.sqrt(0.94 * 0.06 / runs)


def test_resampling_of_a_figure_that_never_changes() -> None:
    interval = resampled_interval(lambda rows: 1.0, 30, 0.95, "bca", 100, 0)
    assert (interval.low, interval.high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: accuracy_interval(3, 2), "between 0 and n"),
        (lambda: accuracy_interval(0, 0), "n must be above 0"),
        (lambda: accuracy_interval(1, 2, level=95), "level=95 must be a share"),
        (lambda: accuracy_interval(1, 2, method="wilsn"), "Did you mean 'wilson'"),
        (lambda: resampled_interval(lambda r: 0.0, 1, 0.9, "bca", 10, 0), "at least 2 rows"),
    ],
)
def test_mistakes(call, says: str) -> None:
    with pytest.raises((DataError, OptionError), match=says):
        call()
