"""`deciduous fit` with several targets."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from deciduous.cli import main


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    """Write a table with two targets of classes and two of numbers, which three columns say something about."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 120))
    frame = pl.DataFrame(
        {
            "x": x,
            "z": z,
            "colour": np.where(x > 0, "red", "blue"),
            "size": np.where(z > 0.3, "large", "small"),
            "price": x + rng.normal(size=120),
            "mass": 2 * z + rng.normal(size=120),
        }
    )
    frame.write_csv("table.csv")
    return frame


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    "flags", [("--target", "colour", "--target", "size"), ("--target", "colour,size"), ("--target", "colour, size")]
)
def test_classes(table: pl.DataFrame, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]) -> None:
    options = ("--algorithm", "cart", "--kind", "price=id", "--kind", "mass=id", "--save", "m.json")
    code, out, err = run(capsys, "fit", "table.csv", *flags, *options)
    assert code == 0, err
    assert "colour: On its own rows: 120 of 120 right (100.0 %)." in out
    assert "size: On its own rows: 120 of 120 right (100.0 %)." in out
    assert "not pruned (several targets" in out
    document = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert [document["target"], *(other["target"] for other in document["others"])] == ["colour", "size"]
    assert run(capsys, "draw", "m.json", "--out", "m.svg")[0] == 0
    assert "large" in Path("m.svg").read_text(encoding="utf-8")
    code, out, _ = run(capsys, "predict", "m.json", "table.csv")
    assert out.splitlines()[0].endswith("prediction of colour,prediction of size")


def test_the_printed_python_call_grows_the_saved_tree(table: pl.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--algorithm", "cart", "--max-depth", "3", "--save", "m.json")
    code, out, err = run(capsys, "fit", "table.csv", "--target", "price,mass", *options)
    assert code == 0, err
    assert "price: On its own rows: mean absolute error" in out
    names: dict[str, Any] = {}
    exec(textwrap.dedent(out.split("The same in Python:\n")[1].split("\n\n")[0]), names)
    assert names["model"].tree_.to_json() == Path("m.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("targets", "algorithm", "what"),
    [
        ("colour,price", "cart", "'colour' class, 'price' number"),
        ("colour,size", "c45", "c45 predicts one target"),
        ("colour,sise", "cart", "no column 'sise'"),
    ],
)
def test_what_is_refused(
    table: pl.DataFrame, capsys: pytest.CaptureFixture[str], targets: str, algorithm: str, what: str
) -> None:
    code, _, err = run(capsys, "fit", "table.csv", "--target", targets, "--algorithm", algorithm)
    assert code == 2
    assert what in err


def test_a_comma_in_a_name(table: pl.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    table.rename({"colour": "a,b"}).write_csv("other.csv")
    code, out, _ = run(capsys, "fit", "other.csv", "--target", "a,b", "--algorithm", "cart")
    assert code == 0
    assert "model = deciduous.CARTClassifier(" in out
    assert out.rstrip().endswith(".fit(frame, 'a,b')")


@pytest.fixture
def model(table: pl.DataFrame, capsys: pytest.CaptureFixture[str]) -> str:
    run(capsys, "fit", "table.csv", "--target", "colour,size", "--algorithm", "cart", "--save", "m.json")
    return "m.json"


def test_nodes_are_explained_for_all_targets(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "explain", model, "--data", "table.csv")
    assert code == 0, err
    assert "The working of the CART tree for colour, size" in out
    assert "The mean over the targets:\n  mean_drop(D, x) = (" in out
    assert "best of 119 candidates" in out
    code, out, err = run(capsys, "explain", model, "--lang", "zh")
    assert code == 0, err
    assert "T 个目标的平均：mean_drop(D, a) = sum_t drop_t(D, a) / T" in out
    code, out, err = run(capsys, "worksheet", model, "--data", "table.csv")
    assert code == 0, err
    assert "mean_drop(D, x) = ____" in out


@pytest.mark.parametrize("act", [("rules",), ("explain", "--row", "x=1", "--row", "z=0")])
def test_what_answers_for_one_target_is_told_which(
    model: str, capsys: pytest.CaptureFixture[str], act: tuple[str, ...]
) -> None:
    name, *flags = act
    code, out, err = run(capsys, name, model, *flags, "--target", "size")
    assert code == 0, err
    assert "small" in out
    assert "red" not in out
    assert "2 targets, 'colour', 'size'; --target chooses one of them" in run(capsys, name, model, *flags)[2]
    assert "it has 'colour', 'size'. Did you mean 'size'?" in run(capsys, name, model, *flags, "--target", "sise")[2]


def test_a_target_goes_with_a_row(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--target goes with --row" in run(capsys, "explain", model, "--target", "size")[2]
