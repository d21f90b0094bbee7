"""One workload, and its data as they lie in a folder for the workers to read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Workload:
    """What is timed.

    Attributes:
        name: as tables show it.
        maker: a function of `common.data` that makes the table.
        rows, columns: its size.
        classes: classes of the target; 0 for a target of numbers.
        depth: the most questions on a path; None for no limit.
        criterion: what trees minimise; contestants with another one are compared with our tree of that criterion.
        task: `fit`, or `predict` (a tree that is fitted before, on `queries` new rows).
        queries: rows to predict.
        pruned: trees are pruned, each as its package does by itself.
        cp: if given, trees are grown as rpart grows them by default, with surrogates, down to this complexity.
        folds: if any, trees are pruned by cost complexity as cross-validation with so many folds says; row i is in fold
            i modulo the number.
        repeat: calls in one timed run, for those that take microseconds; the time reported is of one call.
    """

    name: str
    maker: str
    rows: int
    columns: int
    classes: int
    depth: int | None = None
    criterion: str = ""
    task: Literal["fit", "predict"] = "fit"
    queries: int = 0
    repeat: int = 1
    pruned: bool = False
    cp: float | None = None
    folds: int = 0

    def __post_init__(self) -> None:
        """Fill in the usual criterion of the target."""
        if not self.criterion:
            object.__setattr__(self, "criterion", "gini" if self.classes else "squared_error")


@dataclass(frozen=True)
class Data:
    """A table: X float64 of shape (rows, columns), NaN where missing, codes in nominal columns; y int64 or float64."""

    X: NDArray[np.float64]
    y: NDArray[Any]
    nominal: tuple[int, ...] = ()
    queries: NDArray[np.float64] | None = None

    def frame(self) -> Any:
        """Return X as a pandas frame, nominal columns as categories of text."""
        import pandas as pd

        columns = {f"x{j}": pd.Series(self.X[:, j]) for j in range(self.X.shape[1])}
        for j in self.nominal:
            codes = np.nan_to_num(self.X[:, j], nan=-1).astype(np.int64)
            labels = [f"c{code}" for code in range(codes.max() + 1)]
            columns[f"x{j}"] = pd.Series(pd.Categorical.from_codes(codes, labels))
        return pd.DataFrame(columns)


def write(folder: Path, work: Workload, data: Data) -> None:
    """Write a workload and its data."""
    (folder / "workload.json").write_text(json.dumps({**asdict(work), "nominal": data.nominal}), encoding="utf-8")
    np.save(folder / "X.npy", data.X)
    np.save(folder / "y.npy", data.y)
    if data.queries is not None:
        np.save(folder / "queries.npy", data.queries)


def read(folder: Path) -> tuple[Workload, Data]:
    """Read them back."""
    content = json.loads((folder / "workload.json").read_text(encoding="utf-8"))
    nominal = tuple(content.pop("nominal"))
    queries = folder / "queries.npy"
    data = Data(
        np.load(folder / "X.npy"), np.load(folder / "y.npy"), nominal, np.load(queries) if queries.exists() else None
    )
    return Workload(**content), data
