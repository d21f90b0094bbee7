"""Mistakes on the command line: the message names what was typed, what is allowed, and what to do."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous
from deciduous import CARTClassifier, DataError, DataWarning, datasets
from deciduous.cli import main
from deciduous.cli.spelling import as_typed

FLAGS = {"missing": "--missing", "guard": "--guard", "pruning": "--pruning", "alpha": "--alpha", "cv": "--folds"}
FLAGS |= {
    "class_weight": "--class-weight",
    "costs": "--costs",
    "monotonic_cst": "--monotonic-cst",
    "priors": "--priors",
}


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("To say so yourself: kinds={'编号': 'id'}; or", "To say so yourself: --kind '编号=id'; or"),
        ("Leave it out with kinds={'a b': 'id'}, or drop it.", "Leave it out with --kind 'a b=id', or drop it."),
        ("Declare the kinds with kinds={...}.", "Declare the kinds with --kind NAME=KIND."),
        ("kinds['zip']='foo' is not a kind", "--kind zip=foo is not a kind"),
        ("monotonic_cst names the column 'q', which", "--monotonic-cst names the column 'q', which"),
        ("costs 指定了表中没有的列 'q'", "--costs 指定了表中没有的列 'q'"),
        ("priors must name every class", "--priors must name every class"),
        ("costs['a b']=-2.0 must be a number", "--costs 'a b=-2.0' must be a number"),
        ("missing='error' forbids", "--missing error forbids"),
        ("choose missing='error' or pruning=None", "choose --missing error or --pruning none"),
        ("guard=False and guard=True", "--no-guard and --guard"),
        ("alpha=-1.0 must be at least 0.", "--alpha -1.0 must be at least 0."),
        ("cv=1 must be", "--folds 1 must be"),
        ("it needs alpha=, a price", "it needs --alpha, a price"),
        ("CARTRegressor.rpart(missing='error')", "CARTRegressor.rpart(missing='error')"),
        ("the class 'missing=1' and malpha=3", "the class 'missing=1' and malpha=3"),
        ("class_weight['Yes']=-1.0 must be", "--class-weight Yes=-1.0 must be"),
        ('class_weight["Don\'t Play"]=-1.0 must be', "--class-weight 'Don'\"'\"'t Play=-1.0' must be"),
        ("class_weight={'a': 1, 'b': 2.5} is", "--class-weight a=1,b=2.5 is"),
        ("class_weight names 'Maybe', but", "--class-weight names 'Maybe', but"),
        ("costs['Age']=-1.0 must be", "--costs Age=-1.0 must be"),
        ("monotonic_cst={'Age': 1, 'b c': -1} does", "--monotonic-cst Age=1 --monotonic-cst 'b c=-1' does"),
        ("monotonic_cst[3]=2 must be", "--monotonic-cst 3=2 must be"),
        ("the tree needs alpha=None.", "the tree needs --alpha none."),
        ("use alpha=1.5.", "use --alpha 1.5."),
        ("alpha=1e-05 is", "--alpha 1e-05 is"),
        ("use a smaller cv.", "use a smaller --folds."),
        (
            "--group goes with --method cv, holdout or bootstrap632.",
            "--group goes with --method cv, holdout or bootstrap632.",
        ),
    ],
)
def test_options_of_python_as_they_are_typed(text: str, typed: str) -> None:
    assert as_typed(text, FLAGS) == typed


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("golf", "watermelon3"):
        datasets.load(name).frame.write_csv(f"{name}.csv")
    datasets.load("golf").frame.select("class").write_csv("only.csv")


MISTAKES = [
    ("fit golf.csv --target class", "Missing option '--algorithm': id3, c45 or cart."),
    ("evaluate golf.csv --target class", "Missing option '--algorithm': id3, c45 or cart."),
    ("fit only.csv --target class --algorithm id3", "there is no column beside the target 'class'"),
    ("evaluate only.csv --target class --algorithm id3 --folds 2", "there is no column beside the target 'class'"),
    ("evaluate golf.csv --target class,windy --algorithm cart", "--target names 2 columns, 'class', 'windy'"),
    ("compare golf.csv --target class --target windy --algorithms id3,c45", "--target names 2 columns"),
    ("evaluate golf.csv --target class --algorithm id3 --folds 1", "--folds 1 must be between 2 and"),
    ("measure golf.csv --target class --feature class", "'class' is the target: it tells everything about itself"),
    ("measure golf.csv --target class", "gain_ratio needs --feature, one of"),
    ("prune golf.json --alpha abc", "--alpha 'abc' must be a number."),
    ("prune golf.json --method cost_complexity --alpha -1", "--alpha -1.0 must be at least 0."),
    ("prune golf.json --to 1.5", "--to '1.5' must be a whole number."),
    ("fit golf.csv --target class --algorithm cart --max-depth=deep", "--max-depth 'deep' must be a whole number."),
    ("fit golf.csv --target class --algorithm cart --kind windy=foo", "--kind windy=foo is not a kind"),
    ("fit golf.csv --target class --algorithm cart --missing foo", "--missing foo is not one of"),
    (
        "fit golf.csv --target class --algorithm cart --class-weight Play=-1",
        "--class-weight Play=-1.0 must be at least 0",
    ),
    ("fit golf.csv --target class --algorithm cart --class-weight Maybe=1", "--class-weight names 'Maybe', but"),
    (
        "fit golf.csv --target class --algorithm cart --missing surrogates --costs windy=-1",
        "--costs windy=-1.0 must be",
    ),
    (
        "fit golf.csv --target class --algorithm cart --missing surrogates --priors Play=1",
        "--priors must name every class",
    ),
    (
        "fit golf.csv --target class --algorithm cart --missing surrogates --monotonic-cst humidity=1",
        "--monotonic-cst humidity=1 does not go with --missing surrogates; leave it out.",
    ),
    ("fit golf.csv --target class --algorithm cart --cv 1", "--cv 1 must be a whole number of at least 2."),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("line", "said"), MISTAKES)
@pytest.mark.usefixtures("here")
def test_what_is_said(line: str, said: str, lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    if line.startswith("prune"):
        table = datasets.load("golf")
        deciduous.save(CARTClassifier().fit(table.frame, table.target), "golf.json")
    assert main([*shlex.split(line), "--lang", lang]) == 2
    err = capsys.readouterr().err
    if lang == "en":
        assert said in err
    else:
        assert not set(said.split()) & {"must", "names", "needs", "there"} & set(err.split())


@pytest.mark.usefixtures("here")
def test_a_note_is_said_once_and_names_the_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split("compare watermelon3.csv --target 好瓜 --algorithms id3,c45,cart --folds 3 --lang en")) == 0
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == len(set(notes)) == 1
    assert "To say so yourself: --kind '编号=id'" in notes[0]


# --- in Python --------------------------------------------------------------------------------------------------------


def test_two_columns_of_one_name_are_refused_by_their_name() -> None:
    X = pd.DataFrame(np.arange(12).reshape(4, 3), columns=["a", "a", "y"])
    for judge in (deciduous.evaluate.cross_validate, deciduous.evaluate.holdout, deciduous.evaluate.bootstrap):
        with pytest.raises(DataError, match="found more than once: 'a'"):
            judge(CARTClassifier(), X, "y")


@pytest.mark.parametrize("X", [pd.DataFrame({"y": list("abab")}), {"y": list("abab")}])
def test_a_table_of_nothing_but_the_target_is_refused(X: Any) -> None:
    with pytest.raises(DataError, match="there is no column beside the target 'y'"):
        CARTClassifier().fit(X, "y")
    with pytest.raises(DataError, match="there is no column beside the target 'y'"):
        deciduous.evaluate.cross_validate(CARTClassifier(), X, "y", cv=2)


def test_validation_rows_that_are_training_rows_are_counted() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=60), "c": rng.choice(["u", "v", None], 60)})
    y = np.where(X["x"] > 0, "p", "q")
    model = CARTClassifier(pruning="reduced_error")
    with pytest.warns(DataWarning, match="10 of the 30 validation rows have the cells and the target of a training"):
        model.fit(X[:40], y[:40], validation=(X[30:], y[30:]))
    model.fit(X[:40], y[:40], validation=(X[40:], y[40:]))  # a warning would be an error here
