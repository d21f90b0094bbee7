"""The faults of the field, each a script that states the right behaviour, run through our adapter.

The scripts are read from `shared/cases/open` beside the repository; where that is absent the tests are skipped.
"""

import runpy
import sys
import warnings
from pathlib import Path

import pytest

from tests.cases import adapter

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "cases" / "open"
CASES = sorted(FOLDER.glob("B*.py"))

#: The cases that a later issue brings, with the reason: these must skip, and the list must be true.
LATER = {
    "B039": "the C4.5 file format has its own issue",
    "B087": "ARFF has its own issue",
}


@pytest.mark.skipif(not CASES, reason="the folder of cases is not beside the repository")
@pytest.mark.parametrize("case", CASES or [Path("none")], ids=lambda path: path.stem)
def test_case(case, monkeypatch):
    monkeypatch.setitem(sys.modules, "adapter", adapter)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(case))
    except adapter.Skip as reason:
        if case.stem not in LATER:
            pytest.fail(f"{case.stem} skips and is not on the list: {reason}")
        pytest.skip(f"{LATER[case.stem]}: {reason}")
    assert case.stem not in LATER, f"{case.stem} passes; take it off the list"
