"""`deciduous evaluate` and `deciduous compare`, and the estimate that `deciduous fit` prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import deciduous
from deciduous import evaluate
from deciduous.cli import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line; what it prints, or its error if another exit code is expected."""
    monkeypatch.chdir(tmp_path)
    deciduous.datasets.load("penguins").frame.write_csv("penguins.csv")

    def run_line(line: str, expected: int = 0) -> str:
        code = main(shlex.split(line))
        out, err = capsys.readouterr()
        assert code == expected, err
        return out if expected == 0 else err

    return run_line


def penguins(target: str = "species") -> Any:
    return deciduous.read_table("penguins.csv"), target


def test_the_figures_are_those_of_the_library(run: Any) -> None:
    out = run("evaluate penguins.csv --target species --algorithm c45 --folds 4 --json e.json")
    expected = evaluate.cross_validate(deciduous.C45Classifier(), *penguins(), cv=4)
    assert " ".join(str(expected).split()) in " ".join(out.split())
    assert json.loads(Path("e.json").read_text("utf-8"))["scores"] == pytest.approx(expected.to_dict()["scores"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--method holdout --test-size 0.5", "hold-out: judged by 172 of 344 rows"),
        ("--method bootstrap632 --samples 5", "0.632 x 0."),
        ("--method cv --folds 3 --repeats 2", "3 folds drawn class by class, repeated 2 times"),
        ("--method cv --folds 3 --interval clopper_pearson --level 0.9", "(90 % interval"),
        ("--method cv --folds 3 --group island", "groups kept whole"),
        ("--method cv --folds 3 --max-depth 1", "CARTClassifier(max_depth=1)"),
        ("--method cv --folds 3 --pruning none", "CARTClassifier(), target species"),
    ],
)
def test_methods(options: str, says: str, run: Any) -> None:
    assert says in run(f"evaluate penguins.csv --target species --algorithm cart {options}")


def test_leave_one_out(run: Any) -> None:
    deciduous.datasets.load("loan").frame.drop("ID").write_csv("loan.csv")
    out = run("evaluate loan.csv --target Class --algorithm id3 --method leave_one_out")
    assert "leave-one-out: 15 models" in out


def test_numbers(run: Any) -> None:
    out = run("evaluate penguins.csv --target body_mass_g --algorithm cart --max-depth 2 --folds 3")
    assert "root mean squared error" in out
    assert "r squared" in out


def test_compare(run: Any) -> None:
    out = run("compare penguins.csv --target species --algorithms id3,c45,cart --folds 3 --max-depth 2 --json c.json")
    figures = json.loads(Path("c.json").read_text("utf-8"))
    assert list(figures["models"]) == ["id3", "c45", "cart"]
    assert "the same rows for all models" in out
    assert len(figures["pairs"]) == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("evaluate penguins.csv --target species --algorithm cart --method loo", "--method 'loo' is not one of"),
        ("evaluate penguins.csv --target specie --algorithm cart", "Did you mean 'species'"),
        ("evaluate penguins.csv --target species --algorithm cart --folds 1", "--folds 1 must be between 2 and"),
        ("evaluate penguins.csv --target species --algorithm cart --group sex", "has 11 missing cells"),
        ("evaluate penguins.csv --target species --algorithm cart --json penguins.csv", "penguins.csv"),
        ("evaluate penguins.csv --target species --algorithm cart --folds 3 --interval w", "is not one of"),
        (
            "evaluate penguins.csv --target species --algorithm cart --method holdout --test-size 3",
            "--test-size 3.0 must",
        ),
        (
            "evaluate penguins.csv --target species --algorithm cart --method bootstrap632 --samples 0",
            "--samples 0 must",
        ),
        ("compare penguins.csv --target species --algorithms cart", "at least two models"),
        ("compare penguins.csv --target bill_depth_mm --algorithms id3,cart", "holds fractions, such as 18.7. Numbers"),
        ("compare penguins.csv --target species --algorithms cart,forest", "'forest' is not one of"),
        ("compare penguins.csv --target species --algorithms id3,cart --score acc --folds 2", "not a score"),
    ],
)
def test_mistakes(line: str, says: str, run: Any) -> None:
    assert says in run(line, 2)


def test_many_numbers_are_compared_as_classes_and_this_is_said(run: Any, capsys: Any) -> None:
    Path("many.csv").write_text("a,y\n" + "".join(f"{i % 7},{i % 12}\n" for i in range(48)))
    main(shlex.split("compare many.csv --target y --algorithms id3,c45 --folds 2"))
    assert "each of the 12 different numbers of the target 'y' is taken as a class" in capsys.readouterr().err
    assert "each of 12 different numbers is one" in " ".join(run("fit many.csv --target y --algorithm id3").split())


def test_fit_prunes_cart_and_says_so(run: Any) -> None:
    out = run("fit penguins.csv --target species --algorithm cart --save m.json")
    assert "Size: pruned: the smallest tree within one standard error" in out
    assert re.search(r"On other rows, by 10-fold cross-validation: \d\d\.\d % right \(\d\d\.\d to", out)
    model = deciduous.load("m.json")
    assert (model.pruning, model.cv, model.rule) == ("cost_complexity", 10, "1se")
    whole = run("fit penguins.csv --target species --algorithm cart --pruning none --no-estimate --save w.json")
    assert "On other rows" not in whole
    assert deciduous.load("w.json").get_n_leaves() > model.get_n_leaves()


def test_fit_prunes_nothing_that_has_a_size(run: Any) -> None:
    out = run("fit penguins.csv --target species --algorithm cart --max-depth 2 --no-estimate")
    assert "Size: as asked." in out


def test_fit_on_few_rows_tells_no_accuracy(run: Any) -> None:
    Path("few.csv").write_text("a,y\n1,x\n2,z\n3,x\n")
    assert "On other rows: 3 rows are too few to tell." in run("fit few.csv --target y --algorithm cart")


def test_fit_on_a_table_whose_parts_cannot_be_grown_on(run: Any) -> None:
    rows = "".join(f"{i},{int(i == 3)}\n" for i in range(12))
    Path("counts.csv").write_text("a,y\n" + rows)
    out = run("fit counts.csv --target y --algorithm cart --task number --criterion poisson --max-depth 1")
    assert "On other rows: no estimate" in out
