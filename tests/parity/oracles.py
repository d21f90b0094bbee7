"""The recorded oracles: results of other tools on real tables, as cases and tables that the tests compare with.

Cases whose data may be passed on are kept in `tests/data/oracles`. The others lie in the folder `shared/oracles` beside
the repository; where that is absent, their tests are skipped and say so. `copy_oracles.py` fills the first from the
second. Both have the same layout, which `tests/data/oracles/README.md` describes.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "tests" / "data" / "oracles"
SHARED = ROOT.parent / "shared" / "oracles"

#: The measures under which scikit-learn's trees are compared.
SKLEARN_CRITERIA = ("gini", "entropy", "squared_error", "absolute_error", "friedman_mse", "poisson")


@dataclass(frozen=True, eq=False)
class Table:
    """A table of the oracles.

    `X` holds the features and row labels, `kinds` says which columns are row labels; `y` is the target, `weight` the
    row weights if the table has any, `levels` the classes in the order of the oracles, `labels` the row labels (or row
    numbers from 1); `ordinal` names the columns whose categories are ranked.
    """

    X: pd.DataFrame
    y: Any
    weight: np.ndarray | None
    kinds: dict[str, str]
    levels: list[str]
    labels: list[str]
    ordinal: list[str]

    def by_level(self, shares: np.ndarray, classes: Sequence[str]) -> np.ndarray:
        """Return class shares, shape (..., classes), with the classes in the order of the levels."""
        order = [list(classes).index(level) for level in self.levels]
        return shares[..., order]


def family(case_id: str) -> str | None:
    """Return the family of a case that we run: `textbook`, `id3`, `simplecart` and `reptree` where these do not prune,
    a criterion of scikit-learn, or `j48` or `c45r8` and its options; else None.
    """
    tool, _, rest = case_id.partition(".")
    if tool in ("j48", "c45r8"):
        return f"{tool} {rest.partition('.')[2]}"
    if tool != "sk":
        unpruned = (tool, rest.rpartition(".")[2]) in (("simplecart", "U"), ("reptree", "P"))
        return tool if tool in ("textbook", "id3") or unpruned else None
    options = rest.partition(".")[2]
    return next((name for name in SKLEARN_CRITERIA if options.startswith(name)), None)


@cache
def index() -> list[dict[str, Any]]:
    """Return the lines about the cases that we run, absent ones included: id, file, data set, what must match."""
    lines: list[dict[str, Any]] = _read(COPIES / "open" / "index.json")["list"]
    return lines


def ids(*families: str) -> list[str]:
    """Return the ids of the cases of some families; a tool's name stands for all of its families."""
    named = [(line["id"], family(line["id"]) or "") for line in index()]
    return [case_id for case_id, name in named if name in families or name.partition(" ")[0] in families]


def entry(case_id: str) -> dict[str, Any]:
    """Return the line of the index about a case."""
    return next(line for line in index() if line["id"] == case_id)


@cache
def case(case_id: str) -> dict[str, Any]:
    """Return a recorded case; the test is skipped where it is absent."""
    return _read(_find("open/" + entry(case_id)["file"]))


@cache
def table(case_id: str) -> Table:
    """Return the table of a case; nominal columns are categories in the order of their levels, only `?` is missing."""
    recorded = case(case_id)
    return read_table(recorded["dataset"], recorded["schema"])


@cache
def read_table(dataset: str, schema: str) -> Table:
    """Return a table of the oracles by the paths that a case names."""
    described = _read(_find(schema))
    cells = pd.read_csv(_find(dataset), dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8")
    columns = {c["name"]: _column(cells[c["name"]].tolist(), c) for c in described["columns"]}
    types = {c["name"]: c["type"] for c in described["columns"]}
    target = described["target"]
    weights = [np.asarray(columns.pop(name)) for name, kind in types.items() if kind == "weight"]
    y = columns.pop(target)
    kinds = {name: "id" for name, kind in types.items() if kind == "id"}
    labels = list(columns[next(iter(kinds))]) if kinds else [str(i + 1) for i in range(len(cells))]
    levels = next(c.get("levels", []) for c in described["columns"] if c["name"] == target)
    ordinal = [name for name, kind in types.items() if kind == "ordinal" and name != target]
    weight = weights[0] if weights else None
    return Table(pd.DataFrame(columns), np.asarray(y), weight, kinds, levels, labels, ordinal)


def _column(cells: list[str], described: dict[str, Any]) -> Any:
    known = [None if cell == "?" else cell for cell in cells]
    if described["type"] in ("nominal", "ordinal"):
        return pd.Categorical(known, categories=described["levels"], ordered=described["type"] == "ordinal")
    if described["type"] == "id":
        return cells
    return np.array([np.nan if cell is None else float(cell) for cell in known])


def _find(path: str) -> Path:
    found = next((folder / path for folder in (COPIES, SHARED) if (folder / path).exists()), None)
    if found is None:
        pytest.skip(f"{path} is not kept here (its data may not be passed on), and the folder shared/oracles is absent")
    return found


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# --- comparing --------------------------------------------------------------------------------------------------------

#: What is compared: where it stands, our figure, and the recorded one.
Comparison = tuple[str, Any, Any]


def differences(comparisons: Iterator[Comparison], relative: float, absolute: float) -> list[Comparison]:
    """Return the comparisons that fail: numbers beyond the tolerance, anything else that is not equal."""
    return [c for c in comparisons if not _agree(c[1], c[2], relative, absolute)]


def _agree(ours: Any, recorded: Any, relative: float, absolute: float) -> bool:
    if isinstance(ours, np.ndarray):
        return np.shape(ours) == np.shape(recorded) and np.allclose(ours, recorded, rtol=relative, atol=absolute)
    if recorded is None:  # a figure that does not exist, such as a ratio over 0
        return ours is None or math.isnan(ours)
    if isinstance(recorded, float):
        return math.isclose(ours, recorded, rel_tol=relative, abs_tol=absolute)
    return bool(ours == recorded)
