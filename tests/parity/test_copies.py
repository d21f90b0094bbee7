"""The copies in `tests/data/oracles`: nothing is missing, and they equal the recorded originals where these are."""

import json
from pathlib import Path

import pytest

from tests.parity.copy_oracles import PERMISSIVE, comparable
from tests.parity.oracles import COPIES, SHARED, family, index

FILES = sorted(path.relative_to(COPIES).as_posix() for path in COPIES.glob("open/*/*"))

needs_originals = pytest.mark.skipif(not SHARED.exists(), reason="the folder shared/oracles is absent")


def test_cases_on_free_data_are_all_kept() -> None:
    expected = {"open/" + line["file"] for line in index() if Path(line["dataset"]).stem in PERMISSIVE}
    kept = {name for name in FILES if not name.startswith("open/data/")}
    assert kept == expected


def test_only_free_data_are_kept() -> None:
    assert {Path(name).name.split(".")[0] for name in FILES if name.startswith("open/data/")} == PERMISSIVE


def test_every_table_names_its_source_and_licence() -> None:
    schemas = [json.loads((COPIES / name).read_text(encoding="utf-8")) for name in FILES if ".schema." in name]
    assert all(schema["source"] and schema["licence"] for schema in schemas)


@needs_originals
def test_index_lists_every_case_of_our_families() -> None:
    listed = json.loads((SHARED / "open" / "index.json").read_text(encoding="utf-8"))["list"]
    assert [line["id"] for line in index()] == [line["id"] for line in listed if family(line["id"])]


@needs_originals
def test_copies_equal_the_originals() -> None:
    texts = {name: [(folder / name).read_text(encoding="utf-8") for folder in (COPIES, SHARED)] for name in FILES}
    assert [name for name, (ours, theirs) in texts.items() if comparable(ours, name) != comparable(theirs, name)] == []
