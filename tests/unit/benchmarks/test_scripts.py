"""Every benchmark script runs, with tiny tables; peers that are not installed say so."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from common import report
from common.peers import OURS, PEERS

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
SCRIPTS = sorted(p.name for p in BENCHMARKS.glob("*.py") if "import run\n" in p.read_text(encoding="utf-8"))


def run(script: str, out: Path, *options: str) -> tuple[dict[str, Any], str]:
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--out", str(out), *options]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONWARNINGS"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads((out / script).with_suffix(".json").read_text(encoding="utf-8")), done.stdout


def contestants(script: str) -> list[str]:
    """Those of a script: all of them unless it names some."""
    return list(runpy.run_path(str(BENCHMARKS / script)).get("CONTESTANTS", PEERS))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_shows_every_contestant(script: str, tmp_path: Path) -> None:
    document, printed = run(script, tmp_path)
    assert document["results"]
    for result in document["results"]:
        assert [e["name"] for e in result["entries"]] == contestants(script)
        for entry in result["entries"]:
            assert entry["name"] in printed
            assert (entry["median"] is None) == bool(entry["reason"]), entry
        by_name = {e["name"]: e for e in result["entries"]}
        ours, two = by_name[OURS], by_name["deciduous, 2 threads"]
        if ours["reason"]:
            assert "not in this version" in ours["reason"]
            continue
        assert ours["median"] > 0
        assert ours["leaves"] > 1
        assert two["tree"] == "same tree"
        if (peer := by_name.get("scikit-learn")) is not None:
            assert "impurity" in peer["tree"] or peer["tree"] == "same tree" or peer["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("script", ["bootstrap.py", "real_tables.py"])
def test_a_script_with_tables_of_its_own(script: str, tmp_path: Path) -> None:
    document, printed = run(script, tmp_path)
    page = report.page({Path(script).stem: document})
    assert document["note"] in page
    assert len(document["results"]) == 2
    for result in document["results"]:
        assert "deciduous" in result["table"]
        assert result["table"] in page
        assert result["table"] in printed


@pytest.mark.slow
def test_workloads_and_contestants_can_be_chosen(tmp_path: Path) -> None:
    document, printed = run("iris.py", tmp_path, "--only", "fit iris", "--peers", "1 thread")
    (result,) = document["results"]
    assert [e["name"] for e in result["entries"]] == [OURS]
    page = report.page({"iris": document})
    assert "## Small data" in page
    assert printed.strip().splitlines()[-1] in page
