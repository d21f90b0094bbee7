"""`deciduous draw`: each format, to a file and to the terminal, and what it says about mistakes."""

from __future__ import annotations

import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import deciduous
from deciduous import datasets
from deciduous.cli import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Any:
    """Run `draw` with the tree of the loan table in loan.json; the exit code, what is printed, and the errors."""
    monkeypatch.chdir(tmp_path)
    loan = datasets.load("loan")
    deciduous.ID3Classifier(kinds=loan.kinds).fit(loan.frame, "Class").save("loan.json")

    def run_line(line: str) -> tuple[int, bytes, str]:
        code = main(["draw", *shlex.split(line)])
        out, err = capfdbinary.readouterr()
        return code, out, err.decode()

    return run_line


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        *(("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("dot", b"digraph"), ("mermaid", b"graph TD")),
        *(("tikz", b"\\documentclass"), ("text", b"id3 tree for Class: 15 rows")),
    ],
)
def test_every_format_goes_to_the_terminal_and_to_a_file(run: Any, tmp_path: Path, kind: str, begins: bytes) -> None:
    code, out, err = run(f"loan.json --format {kind}")
    assert (code, err) == (0, "")
    assert out.startswith(begins)
    assert run(f"loan.json --format {kind} --out picture")[:2] == (0, b"Wrote picture.\n")
    assert (tmp_path / "picture").read_bytes() == out


def test_svg_is_the_default_and_a_files_name_says_its_format(run: Any, tmp_path: Path) -> None:
    assert run("loan.json")[1].startswith(b"<svg ")
    run("loan.json --out a.mmd --direction right")
    assert (tmp_path / "a.mmd").read_text().startswith("graph LR")


def test_a_row_and_other_options_reach_the_picture(run: Any) -> None:
    svg = run('loan.json --row "Owns House=No" --row Employed=Yes --impurity --numbers --theme dark')[1].decode()
    root = ET.fromstring(svg)
    assert sum("lit" in g.get("class", "") for g in root.iter("{http://www.w3.org/2000/svg}g")) == 5
    assert "entropy 0.971" in svg
    assert "0: Owns House" in svg
    assert "+2 nodes" in run("loan.json --max-depth 1")[1].decode()
    assert "+2 nodes" in run("loan.json --collapse 1")[1].decode()
    assert ">D1<" in run("loan.json --splits 1 --no-counts")[1].decode()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("loan.json --format gif", "--format gif is not one of 'svg'"),
        ("loan.json --out a.gif", "'a.gif' ends in none of 'svg'"),
        ("loan.json --out loan.json", "not overwritten"),
        ("loan.json --row Employed", "must be NAME=CELL"),
        ("loan.json --row Emploid=Yes", "Did you mean 'Employed'?"),
        ('loan.json --row "Owns House=No"', "lacks 'Employed'"),
        ("loan.json --theme pink", "--theme pink"),
        ("loan.json --direction up", "--direction up"),
        ("loan.json --max-depth -1", "--max-depth -1"),
        ("loan.json --collapse 99", "there is no node 99"),
        ("loan.json --format text --splits 1", "splits does not apply to text"),
    ],
)
def test_mistakes_are_told_in_one_line(run: Any, tmp_path: Path, line: str, message: str) -> None:
    code, out, err = run(line)
    assert (code, out) == (2, b"")
    assert err.startswith("deciduous: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["loan.json"]


def test_text_in_ascii(run: Any) -> None:
    code, out, _ = run("loan.json --format text --ascii")
    assert code == 0
    assert out.isascii()
    assert b"\n+- Owns House = No" in out
    code, _, err = run("loan.json --format svg --ascii")
    assert code == 2
    assert "--ascii belongs to --format text" in err
