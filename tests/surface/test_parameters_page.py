"""docs/parameters.md: what it calls an option here is one, and what it says is refused is refused with a hint."""

import re
from pathlib import Path

import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.elsewhere import PARAMETERS

PAGE = Path(__file__).parents[2] / "docs" / "parameters.md"
OWN = {name for cls in (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor) for name in cls().get_params()}
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith(("| `", "| |"))
]


def codes(cells: list[str]) -> list[str]:
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


def test_the_page_has_its_rows() -> None:
    assert len(ROWS) > 35


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40] or row[1][:40])
def test_every_option_named_here_exists(row: list[str]) -> None:
    elsewhere = 2 if row[1].startswith("`-") or not row[0] else 1  # C4.5 and J48 have a column each
    here = {name for code in codes(row[elsewhere:]) for name in re.findall(r"\b([a-z]\w+)=", code)}
    assert here <= OWN | {"sample_weight"}
    same = any(cell == "the same" for cell in row)
    for code in codes(row[:elsewhere]):
        word = re.sub(r"^-", "", code).partition("=")[0].split(" ")[0].split(".")[0]
        if code.startswith('"'):  # a value of the option before it
            continue
        is_ours = word in OWN or hasattr(CARTClassifier, word) or word.endswith("_") or same
        assert is_ours or word in PARAMETERS, f"{word} has no hint"
