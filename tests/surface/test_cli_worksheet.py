"""Workings of pruning from `deciduous explain`, and worksheets of every working from `deciduous worksheet`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import deciduous
from deciduous.cli import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line beside the watermelons of Zhou's example of pruning; what it prints, or what it complains."""
    monkeypatch.chdir(tmp_path)
    for name in ("watermelon2_train", "watermelon2_valid"):
        deciduous.datasets.load(name).frame.write_csv(f"{name}.csv")
    frame = deciduous.read_table("watermelon2_train.csv")
    deciduous.save(deciduous.ID3Classifier(kinds={"编号": "id"}).fit(frame, "好瓜"), "melon.json")
    deciduous.save(deciduous.C45Classifier(kinds={"编号": "id"}, min_cases=1).fit(frame, "好瓜"), "c45.json")

    def run_line(line: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(shlex.split(line)) == code
        out, err = capsys.readouterr()
        return err if code else out

    return run_line


@pytest.mark.parametrize("method", ["error", "pessimistic", "minimum_error", "critical_value", "description_length"])
def test_the_working_of_pruning(run: Any, method: str) -> None:
    shown = run(f"explain melon.json --pruning {method}")
    assert shown.rstrip() in run(f"prune melon.json --method {method} --working")
    assert "剪枝结果" in run(f"explain melon.json --pruning {method} --lang zh")


def test_the_working_of_pruning_by_rows_and_in_every_form(run: Any) -> None:
    assert "4, 5, 8, 9, 11, 12, 13" in run("explain melon.json --pruning reduced_error --data watermelon2_valid.csv")
    assert "The choice among the subtrees" in run(
        "explain melon.json --pruning cost_complexity --data watermelon2_valid.csv"
    )
    assert "Round 1" in run("explain melon.json --pruning cost_complexity")
    assert "at alpha = 0.1" in run("explain melon.json --pruning cost_complexity --alpha 0.1")
    assert "C(0, k)" in run("explain melon.json --pruning optimal --to 3")
    assert json.loads(run("explain melon.json --pruning error --format json"))["pruner"] == "error"
    run("explain melon.json --pruning error --format latex --out pruning.tex")
    assert Path("pruning.tex").read_text("utf-8").startswith("\\documentclass")


SHEETS = [
    "worksheet melon.json --all",
    "worksheet melon.json --pruning error",
    "worksheet melon.json --pruning validation --data watermelon2_valid.csv",
    "worksheet melon.json --pruning cost_complexity",
    "worksheet melon.json --pruning optimal --to 3",
    "worksheet c45.json --rules --data watermelon2_train.csv",
    "worksheet watermelon2_train.csv --target 好瓜 --feature 色泽",
    "worksheet watermelon2_train.csv --target 好瓜 --measure two_step",
    "worksheet watermelon2_train.csv --target 好瓜 --measure gini",
    "worksheet watermelon2_train.csv --target 好瓜 --feature 色泽 --measure joint_entropy",
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("line", SHEETS)
def test_worksheets_leave_out_what_the_key_has(run: Any, line: str, lang: str) -> None:
    sheet = run(f"{line} --key key.txt --lang {lang}").rsplit("\n", 2)[0].replace("\n      ", " ")
    key = Path("key.txt").read_text("utf-8").replace("\n      ", " ")
    results = re.findall(r"(?m)^  \S.* = \S.* = (-?[\d.]+)$", key)
    assert results
    assert sheet.count("= ________") >= len(results)
    assert re.findall(r"(?m)^  [A-Za-z(].* = -?\d+\.\d+$", sheet) == []
    assert len(sheet.split("\n")) > 5


@pytest.mark.parametrize("form", ["md", "latex", "html"])
def test_a_key_has_the_form_of_its_worksheet(run: Any, form: str) -> None:
    run(f"worksheet melon.json --pruning pessimistic --format {form} --out sheet --key key")
    sheet, key = Path("sheet").read_text("utf-8"), Path("key").read_text("utf-8")
    assert sheet[:30] == key[:30]
    assert "5.500" in key
    assert "5.500" not in sheet


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "explain melon.json --pruning reduced_error",
            "--pruning reduced_error decides by rows .* give --data FILE with",
        ),
        ("explain melon.json --pruning optimal", "give --data FILE with the target, or --to N"),
        ("explain melon.json --pruning optimal --to many", "--to 'many' must be a whole number, with --pruning"),
        ("explain melon.json --pruning optimal --to 0", "--to 0 must be at least 1"),
        ("explain melon.json --pruning eror", "--pruning 'eror' is not one of .*Did you mean 'error'"),
        ("explain melon.json --pruning error --node 1", "--pruning explains how a tree is pruned; leave out --row"),
        ("explain melon.json --pruning error --alpha 1", "--alpha belongs to --pruning cost_complexity, not to error"),
        ("explain melon.json --alpha 1", "--alpha goes with --pruning cost_complexity"),
        ("explain melon.json --to 好瓜", "--to goes with --row, or with --pruning optimal"),
        ("worksheet melon.json --pruning error --rules", "--pruning and --rules are different workings; ask for one"),
        ("worksheet melon.json --rules", "--rules needs --data FILE"),
        ("worksheet melon.json --target 好瓜", "melon.json"),
        ("worksheet watermelon2_train.csv --target 瓜 --feature 色泽", "there is no column '瓜' for the target"),
    ],
)
def test_what_does_not_go_together(run: Any, line: str, message: str) -> None:
    assert re.search(message, run(line, code=2)), run(line, code=2)
    assert not re.search("[a-z]{4,} [a-z]{4,} [a-z]{4,}", run(f"{line} --lang zh", code=2).split(": ", 2)[2])
