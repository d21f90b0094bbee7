"""The progress bar of growing."""

from typing import Any

import numpy as np
import pytest

from deciduous import CARTClassifier, OptionError
from deciduous.grow import progress

X = np.random.default_rng(0).normal(size=(500, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_bar_on_the_error_output(capsys: pytest.CaptureFixture[str]) -> None:
    CARTClassifier(verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "500/500 rows in leaves" in err


@pytest.mark.usefixtures("at_once")
def test_silent_unless_asked(capsys: pytest.CaptureFixture[str]) -> None:
    CARTClassifier().fit(X, Y)
    assert capsys.readouterr() == ("", "")


def test_no_bar_for_what_is_done_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    CARTClassifier(verbose=1).fit(X[:20], Y[:20])
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 7}, {"max_depth": 2}, {"min_impurity_decrease": 0.05}])
def test_every_row_is_counted_once(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    settled: list[int] = []
    monkeypatch.setattr(progress.Progress, "settled", lambda self, rows: settled.append(rows))
    CARTClassifier(verbose=1, **options).fit(X, Y)
    assert sum(settled) == 500 if "max_leaf_nodes" not in options else sum(settled) <= 500


@pytest.mark.usefixtures("at_once")
def test_the_bar_is_closed_when_growing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[bool] = []
    bar = progress._bar

    def watched(units: str) -> Any:
        shown = bar(units)
        stop = shown.stop
        shown.stop = lambda: (stopped.append(True), stop())
        return shown

    calls: list[int] = []

    def criterion(tables: np.ndarray) -> np.ndarray:
        calls.append(1)
        return np.full(len(tables), np.nan if len(calls) > 4 else 1.0)

    monkeypatch.setattr(progress, "_bar", watched)
    with pytest.raises(OptionError):
        CARTClassifier(verbose=1, criterion=criterion).fit(X, Y)
    assert stopped == [True]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "model",
    [CARTClassifier.rpart(xval=4), CARTClassifier(pruning="cost_complexity", cv=4)],
    ids=["table of complexities", "nested path"],
)
def test_a_bar_of_folds(capsys: pytest.CaptureFixture[str], model: CARTClassifier) -> None:
    model.fit(X, Y)
    assert capsys.readouterr() == ("", "")
    model.set_params(verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "4/4 folds" in err
    assert err.count("rows in leaves") <= err.count("folds")  # of the whole tree, not of those of the folds


@pytest.mark.parametrize("verbose", [-1, 1.5, "yes"])
def test_wrong_values(verbose: Any) -> None:
    with pytest.raises(OptionError, match="verbose"):
        CARTClassifier(verbose=verbose).fit(X, Y)
