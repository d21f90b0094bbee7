"""The small tables of the textbooks, and the penguins, ready to grow trees on.

`load("watermelon2")` gives a table with the order of its categories, its target and its source;
`path("watermelon2")` gives its CSV file, for the command line.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from deciduous.errors import DataError, nearest

__all__ = ["Dataset", "load", "names", "path"]

_FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True, eq=False)  # A comparison of frames has no single answer, so only identity counts.
class Dataset:
    """A table with its target and where it comes from.

    `frame` (n_rows, n_columns) holds every column: Enum for nominal ones, categories in order, else
    numbers. `kinds` holds what these types do not say: which columns are an "id" that labels the rows.
    """

    name: str
    frame: pl.DataFrame
    target: str
    kinds: dict[str, str]
    description: str
    source: str
    licence: str

    @property
    def X(self) -> pl.DataFrame:
        """The features: all columns but the target and the ids."""
        return self.frame.drop(self.target, *(name for name, kind in self.kinds.items() if kind == "id"))

    @property
    def y(self) -> pl.Series:
        """The target column."""
        return self.frame[self.target]


def names() -> list[str]:
    """The names that `load` and `path` know."""
    return list(_catalog()["datasets"])


def path(name: str) -> Path:
    """The CSV file of a data set: UTF-8, commas, a header, `?` for a missing cell; errors as of `load`."""
    _entry(name)
    return _FOLDER / f"{name}.csv"


def load(name: str, *, english: bool = False) -> Dataset:
    """The data set of this name; `english=True` translates the columns and categories of the watermelons.

    Raises:
        DataError: there is no data set of this name; the message lists those there are.
    """
    entry = _entry(name)
    words: dict[str, str] = _catalog()["english"] if english else {}
    categories: dict[str, list[str]] = entry["categories"]
    frame = pl.read_csv(
        path(name),
        null_values=["?"],
        schema_overrides=dict.fromkeys(categories, pl.String),
        infer_schema_length=None,
    )
    frame = frame.with_columns(
        pl.col(column).replace(words).cast(pl.Enum([words.get(category, category) for category in declared]))
        for column, declared in categories.items()
    ).rename({column: words.get(column, column) for column in frame.columns})
    return Dataset(
        name=name,
        frame=frame,
        target=words.get(entry["target"], entry["target"]),
        kinds={words.get(column, column): kind for column, kind in entry["kinds"].items()},
        description=entry["description"],
        source=entry["source"],
        licence=entry["licence"],
    )


@cache
def _catalog() -> Any:
    return json.loads((_FOLDER / "catalog.json").read_text(encoding="utf-8"))


def _entry(name: str) -> Any:
    datasets = _catalog()["datasets"]
    if name not in datasets:
        raise DataError(f"no data set {name!r}.{nearest(name, datasets)} There are {', '.join(datasets)}.")
    return datasets[name]
