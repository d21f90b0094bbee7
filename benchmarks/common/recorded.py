"""Real tables with recorded results of J48 and rpart: those of `tests/data/oracles`, and of the folder `shared/oracles`
beside the repository, which holds more of them (`tests/data/oracles/README.md` describes both).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "tests" / "data" / "oracles", ROOT.parent / "shared" / "oracles")
N_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Recorded:
    """A table: `X` with nominal columns as categories (ordered ones of ranked words), row labels left out; `y` labels
    or numbers; `fold` of each row, those on which Weka judged J48, else the row number modulo 10, on which rpart was
    judged.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    is_class: bool
    fold: NDArray[np.int64]

    def splits(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the rows to fit on and to judge by, fold by fold."""
        for k in np.unique(self.fold):
            yield np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)

    def error(self, predicted: NDArray[Any]) -> float:
        """Return the share of wrong answers, or the root mean squared error."""
        return float(np.mean(predicted != self.y) if self.is_class else np.sqrt(np.mean((predicted - self.y) ** 2)))


def load(name: str) -> Recorded | None:
    """Return a table by name; None if neither folder has it."""
    described, file = _read(f"open/data/{name}.schema.json"), _find(f"open/data/{name}.csv")
    if described is None or file is None:
        return None
    cells = pd.read_csv(file, dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8")
    types = {c["name"]: c for c in described["columns"]}
    target = types.pop(described["target"])
    X = pd.DataFrame({n: _column(cells[n], c) for n, c in types.items() if c["type"] not in ("id", "weight")})
    is_class = target["type"] != "numeric"
    y = cells[described["target"]].to_numpy(dtype=object if is_class else np.float64)
    j48 = _read(f"open/weka/j48.{name}.default.json")
    judged = {} if j48 is None else j48["expected"].get("cv10_seed1", {})
    fold = np.array(judged.get("fold_of_row", np.arange(len(cells)) % N_FOLDS))
    return Recorded(name, X, y, is_class, fold)


def _column(cells: pd.Series, described: dict[str, Any]) -> Any:
    known = cells.where(cells != "?", None)
    if described["type"] == "numeric":
        return known.astype(np.float64)
    return pd.Categorical(known, categories=described["levels"], ordered=described["type"] == "ordinal")


def j48(table: Recorded) -> tuple[float, float] | None:
    """Return the error of J48 with its defaults on these folds, and the leaves of its tree of all rows."""
    case = _read(f"open/weka/j48.{table.name}.default.json")
    if case is None or "cv10_seed1" not in case["expected"]:
        return None
    return 1 - case["expected"]["cv10_seed1"]["percent_correct"] / 100, case["expected"]["number_of_leaves"]


def rpart(table: Recorded) -> tuple[float, float] | None:
    """Return the error that rpart estimated by 10 folds of its own (row number modulo 10) for its default tree, and
    the leaves of that.
    """
    case = _read(f"open/rpart/rpart.{table.name}.{'class' if table.is_class else 'anova'}.default.json")
    if case is None:
        return None
    root, (_, n_splits, _, xerror, _) = case["expected"]["frame"][0], case["expected"]["cptable"]["rows"][-1]
    if not n_splits:  # rpart does not cross-validate a lone leaf
        return None
    error = xerror * root["dev"] / root["wt"]
    return (error if table.is_class else float(np.sqrt(error))), n_splits + 1


def _read(path: str) -> Any:
    file = _find(path)
    return None if file is None else json.loads(file.read_text(encoding="utf-8"))


def _find(path: str) -> Path | None:
    return next((folder / path for folder in FOLDERS if (folder / path).exists()), None)
