"""`deciduous importance`."""

from pathlib import Path

import numpy as np
import pytest

import deciduous
from deciduous import CARTClassifier, datasets
from deciduous.cli.app import main
from deciduous.explain.importance import surrogate_importance


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    loan = datasets.load("loan")
    loan.frame.write_csv("loan.csv")
    deciduous.save(CARTClassifier(kinds=loan.kinds).fit(loan.frame, "Class"), "loan.json")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_shares_of_the_drop_in_impurity(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["importance", "loan.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["column", "importance"]
    names = [line.rpartition("  ")[0].strip() for line in lines[2:]]
    shares = [float(line.split()[-1]) for line in lines[2:]]
    assert names[:2] == ["Employed", "Owns House"]
    assert sorted(names) == sorted(datasets.load("loan").X.columns)
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-3)


@pytest.mark.usefixtures("folder")
def test_with_a_table_the_score_lost_by_shuffling(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["importance", "loan.json", "loan.csv", "--repeats", "20"]) == 0
    first = capsys.readouterr().out
    lines = {line[:13].strip(): line[13:].split() for line in first.splitlines()[2:]}
    assert float(lines["Owns House"][1]) > 0.2
    assert lines["Age"][1:] == ["0", "0"]
    assert main(["importance", "loan.json", "loan.csv", "--repeats", "20"]) == 0
    assert capsys.readouterr().out == first
    assert main(["importance", "loan.json", "loan.csv", "--repeats", "20", "--random-state", "1"]) == 0
    assert capsys.readouterr().out != first


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["loan.json", "loan.csv", "--repeats", "0"], "--repeats 0 must be at least 1"),
        (["loan.json", "absent.csv"], "no such file"),
        (["loan.json", "other.csv"], "other.csv has no column 'Class', the target of the model"),
        (["two.json", "loan.csv"], "is for trees of one target; this one has 2"),
    ],
)
def test_mistakes_end_in_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.csv").write_text("Age,Klass\nYoung,No\n", encoding="utf-8")
    loan = datasets.load("loan")
    both = np.stack([loan.y.to_list(), loan.y.to_list()], axis=1)
    deciduous.save(CARTClassifier().fit(loan.X, both), "two.json")
    assert main(["importance", *arguments]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_predict_has_a_column_for_each_target(capsys: pytest.CaptureFixture[str]) -> None:
    loan = datasets.load("loan")
    both = np.stack([loan.y.to_list(), loan.y.to_list()[::-1]], axis=1)
    deciduous.save(CARTClassifier().fit(loan.X, both), "two.json")
    assert main(["predict", "two.json", "loan.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("prediction of y1,prediction of y2")


@pytest.mark.usefixtures("folder")
def test_with_surrogates_rparts_importance_too(capsys: pytest.CaptureFixture[str]) -> None:
    penguins = datasets.load("penguins")
    model = CARTClassifier.rpart(xval=0).fit(penguins.frame, penguins.target)
    deciduous.save(model, "p.json")
    assert main(["importance", "p.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["column", "importance", "with", "surrogates"]
    worth = surrogate_importance(model.tree_)
    shown = {line.split()[0]: float(line.split()[-1]) for line in lines[2:]}
    for name, share in zip(model.tree_.schema.names, worth / worth.sum(), strict=True):
        assert shown[name] == pytest.approx(share, abs=1e-3)
