"""The bundled tables: what they hold, and that they equal the oracles' tables cell by cell."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from deciduous import datasets
from deciduous.data.readers import read_table
from deciduous.errors import DataError

ORACLES = Path(__file__).parents[2].parent / "shared" / "oracles" / "open" / "data"
NAMES = datasets.names()
WATERMELONS = [name for name in NAMES if name.startswith("watermelon")]


def categories(column: pl.Series) -> list[str]:
    assert isinstance(column.dtype, pl.Enum)
    return column.dtype.categories.to_list()


def test_names() -> None:
    assert sorted(NAMES) == [
        "catdog",
        "golf",
        "loan",
        "penguins",
        "watermelon2",
        "watermelon2_train",
        "watermelon2_valid",
        "watermelon2a",
        "watermelon3",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_data_set_says_what_it_is(name: str) -> None:
    data = datasets.load(name)
    assert data.name == name
    assert all((data.description, data.source, data.licence))
    assert set(data.kinds.values()) <= {"id"}
    assert set(data.kinds) <= set(data.frame.columns)
    assert data.y.name == data.target
    assert data.y.null_count() == 0
    assert data.X.columns == [c for c in data.frame.columns if c != data.target and c not in data.kinds]
    assert all(dtype.is_numeric() or isinstance(dtype, pl.Enum) for dtype in data.frame.dtypes)


@pytest.mark.parametrize("name", NAMES)
def test_every_data_set_equals_the_oracles_table(name: str) -> None:
    if not ORACLES.is_dir():
        pytest.skip("the oracles' tables are not beside this repository")
    stem = {"golf": "golf_quinlan"}.get(name, name)
    schema = json.loads((ORACLES / f"{stem}.schema.json").read_text(encoding="utf-8"))
    theirs = pl.read_csv(ORACLES / f"{stem}.csv", infer_schema_length=0, null_values=["?"])
    data = datasets.load(name)

    assert data.target == schema["target"]
    assert data.kinds == {c["name"]: "id" for c in schema["columns"] if c["type"] == "id"}
    assert data.frame.columns == theirs.columns
    for column in schema["columns"]:
        ours = data.frame[column["name"]]
        if "levels" in column:
            assert categories(ours) == column["levels"]
            assert ours.to_list() == theirs[column["name"]].to_list()
        else:
            assert ours.cast(pl.Float64).to_list() == theirs[column["name"]].cast(pl.Float64).to_list()


@pytest.mark.parametrize("name", NAMES)
def test_the_file_reads_as_the_data_set(name: str) -> None:
    read, data = read_table(datasets.path(name)), datasets.load(name)
    plain = data.frame.with_columns(pl.col(pl.Enum).cast(pl.String))
    assert read.to_dict(as_series=False) == plain.to_dict(as_series=False)
    assert read.schema == plain.schema


def test_golf_is_quinlans() -> None:
    data = datasets.load("golf")
    assert data.frame["humidity"][2] == 78
    assert data.frame["humidity"][13] == 80
    assert data.y.value_counts().sort("class").rows() == [("Play", 9), ("Don't Play", 5)]
    assert data.kinds == {}


def test_the_cells_missing_in_watermelon2a_are_the_only_difference_from_watermelon2() -> None:
    full, holes = datasets.load("watermelon2").frame, datasets.load("watermelon2a").frame
    assert sum(holes.null_count().row(0)) == 13
    assert holes.with_columns(pl.col(c).fill_null(full[c]) for c in full.columns).equals(full)


def test_the_two_parts_of_watermelon2_are_the_whole() -> None:
    parts = [datasets.load(f"watermelon2_{part}").frame for part in ("train", "valid")]
    assert pl.concat(parts).sort("编号").equals(datasets.load("watermelon2").frame)


@pytest.mark.parametrize("name", WATERMELONS)
def test_watermelons_in_english(name: str) -> None:
    chinese, english = datasets.load(name), datasets.load(name, english=True)
    assert english.target == "good"
    assert english.kinds == {"id": "id"}
    assert english.X.columns[:6] == ["colour", "root", "sound", "texture", "navel", "touch"]
    assert categories(english.frame["root"]) == ["curled", "slightly curled", "stiff"]
    assert categories(english.y) == ["yes", "no"]
    for theirs, ours in zip(chinese.frame, english.frame, strict=True):
        assert theirs.to_physical().to_list() == ours.to_physical().to_list()
        assert ours.name.isascii()
        assert ours.dtype.is_numeric() or all(c.isascii() for c in categories(ours))


def test_english_changes_nothing_else() -> None:
    assert datasets.load("loan", english=True).frame.equals(datasets.load("loan").frame)
    assert datasets.load("watermelon3", english=True).X.columns[6:] == ["density", "sugar"]


@pytest.mark.parametrize("ask", [datasets.load, datasets.path])
def test_an_unknown_name(ask: Callable[[str], object]) -> None:
    with pytest.raises(DataError, match=r"no data set 'watermellon3'\. Did you mean 'watermelon3'\? .*golf"):
        ask("watermellon3")
