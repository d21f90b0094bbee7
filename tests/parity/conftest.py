"""The table of passed, failed and skipped parity tests, family by family, at the end of a run."""

import re
from collections import Counter
from typing import Any

import pytest

from deciduous.textgrid import grid
from tests.parity.oracles import family

OUTCOMES = ("passed", "failed", "skipped")


def family_of(nodeid: str) -> str | None:
    """Return the line of the table that a test counts in: what is compared, of which tool; None for other tests."""
    found = re.search(r"parity/test_\w+\.py::test_(\w+)\[([^]]+)\]$", nodeid)
    of_case = family(found[2]) if found else None
    if not found or of_case is None:
        return None
    tool, _, options = of_case.partition(" ")
    tool = {
        "textbook": "textbook",
        "id3": "Weka Id3",
        "simplecart": "Weka SimpleCart",
        "reptree": "Weka REPTree",
        "j48": f"J48 {options}",
        "c45r8": f"Release 8 {options}",
    }.get(tool, f"scikit-learn {of_case}")
    variant = found[2].partition("/")[2]
    return f"{tool}: {found[1].replace('_', ' ')}" + (f" ({variant})" if variant else "")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    counts: dict[str, Counter[str]] = {}
    for outcome in OUTCOMES:
        for report in _reports(terminalreporter, outcome):
            name = family_of(report.nodeid)
            if name:
                counts.setdefault(name, Counter())[outcome] += 1
    if counts:
        rows = [[name, *(str(counts[name][outcome]) for outcome in OUTCOMES)] for name in sorted(counts)]
        terminalreporter.section("recorded oracles")
        terminalreporter.write_line(grid(["family", *OUTCOMES], rows, numbers=[1, 2, 3]))


def _reports(terminalreporter: pytest.TerminalReporter, outcome: str) -> list[Any]:
    errors = terminalreporter.stats.get("error", []) if outcome == "failed" else []
    return [*terminalreporter.stats.get(outcome, []), *errors]
