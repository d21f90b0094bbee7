"""How long the best subset of very many categories takes: 10,000 categories, 1,000,000 rows, 5 classes.

`python benchmarks/categories.py [--quick]` prints a table (medians of interleaved runs) and writes
benchmarks/categories.json. `fit` is a tree of one split through CARTClassifier, on codes in a pandas frame; `native`
and `numpy` are the search alone, from a contingency table.
"""

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deciduous
from deciduous import CARTClassifier, kernels
from deciduous.criteria import CRITERIA
from deciduous.search.contingency import TIE, Contingency, Rule
from deciduous.search.subsets import best_subset

CATEGORIES, ROWS, CLASSES = 10_000, 1_000_000, 5


def class_shares(rng: np.random.Generator, kind: str) -> np.ndarray:
    """Return the class shares of every category: of two kinds, of any kind, or all the same (only noise differs)."""
    if kind == "planted":
        slope = np.arange(1, CLASSES + 1) / sum(range(CLASSES + 1))
        return np.where(rng.random((CATEGORIES, 1)) < 0.5, slope, np.roll(slope, 1))
    if kind == "varied":
        return rng.dirichlet(np.ones(CLASSES), size=CATEGORIES)
    return np.full((CATEGORIES, CLASSES), 1 / CLASSES)


def rows_of(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes and classes of all rows."""
    rng = np.random.default_rng(0)
    shares = class_shares(rng, kind)
    codes = rng.integers(0, CATEGORIES, size=ROWS)
    y = (rng.random((ROWS, 1)) > np.cumsum(shares, axis=1)[codes, :-1]).sum(axis=1)
    return codes, y


def search_natively(table: np.ndarray, counts: np.ndarray, band: float) -> Callable[[], Any]:
    lines, rows = np.vstack([np.zeros(CLASSES), table]), np.append(0, counts)
    start, none = np.array([0, len(lines)]), 1e-10
    native: Any = kernels.native()
    chosen = ([band], 1, 0, 0, 1, 0.0, 0.0, none, ROWS)
    return lambda: native.best_categories(lines.ravel(), rows, start, CLASSES, np.array(chosen[0]), *chosen[1:])


def runs_of(kind: str) -> dict[str, Callable[[], Any]]:
    codes, y = rows_of(kind)
    table = np.bincount(codes * CLASSES + y, minlength=CATEGORIES * CLASSES).reshape(CATEGORIES, CLASSES).astype(float)
    counts = table.sum(axis=1).astype(np.int64)
    rule = Rule(CRITERIA["class", "gini"], "error", "subset", TIE * float(deciduous.gini(p=table.sum(axis=0))))
    cells = pd.Categorical.from_codes(codes, categories=[f"c{i:05}" for i in range(CATEGORIES)])
    X = pd.DataFrame({"a": cells})
    contingency = Contingency(table, counts, np.zeros(CLASSES), 0)
    return {
        "fit": lambda: CARTClassifier(max_depth=1).fit(X, y),
        "native": search_natively(table, counts, rule.band),
        "numpy": lambda: best_subset(contingency, rule),
    }


def gain_of(run: str, answer: Any) -> float:
    if run == "fit":
        return float(answer.tree_.gain[0])
    return float(answer[1][0]) if run == "native" else float(answer.gain)


def main() -> None:
    repeats, results = 1 if "--quick" in sys.argv else 5, []
    for kind in ("planted", "varied", "noise"):
        runs = runs_of(kind)
        times: dict[str, list[float]] = {run: [] for run in runs}
        gains = {}
        for _ in range(repeats):
            for run, work in runs.items():
                start = time.perf_counter()
                answer = work()
                times[run].append(time.perf_counter() - start)
                gains[run] = gain_of(run, answer)
        assert max(gains.values()) - min(gains.values()) < 1e-12, gains
        medians = {run: statistics.median(t) for run, t in times.items()}
        print(f"{kind:8}" + "".join(f"  {run} {t:6.3f} s" for run, t in medians.items()), f"  gain {gains['fit']:.6f}")
        results.append({"name": kind, "seconds": medians, "gain": gains["fit"]})
    versions = {"python": platform.python_version(), "numpy": np.__version__, "pandas": pd.__version__}
    document = {"deciduous": deciduous.__version__, "versions": versions, "results": results}
    Path(__file__).with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
