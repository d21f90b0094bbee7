"""How fast trees are grown and rows predicted, beside scikit-learn on the same data.

`python benchmarks/fit.py [--quick]` prints a table (medians of interleaved runs) and writes benchmarks/fit.json.
"""

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import deciduous
from deciduous import CARTClassifier, CARTRegressor

REPEATS = 5


def table(rows: int, columns: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal numbers, and a target that depends on three of them: classes, or a number for 0 classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    z = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=rows)
    return X, z if classes == 0 else np.digitize(z, np.quantile(z, np.arange(1, classes) / classes))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(name: str, runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, object]:
    """Time the runs in turn, several times over, and return the medians."""
    times: dict[str, list[float]] = {run: [] for run in runs}
    for _ in range(repeats):
        for run, work in runs.items():
            times[run].append(seconds(work))
    medians = {run: statistics.median(t) for run, t in times.items()}
    peer = medians["scikit-learn"]
    ratios = {run: peer / t for run, t in medians.items() if run != "scikit-learn"}
    print(f"{name:42}" + "".join(f"  {run} {t:7.3f} s" for run, t in medians.items()), end="")
    print("".join(f"  {run}: {ratio:4.1f}x" for run, ratio in ratios.items()), flush=True)
    return {"name": name, "seconds": medians, "ratio": ratios}


def fit_runs(X: np.ndarray, y: np.ndarray, depth: int | None, is_class: bool) -> dict[str, Callable[[], object]]:
    ours = CARTClassifier if is_class else CARTRegressor
    peer = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    leaves = (
        ours(max_depth=depth).fit(X, y).get_n_leaves(),
        peer(max_depth=depth, random_state=0).fit(X, y).get_n_leaves(),
    )
    print(f"  leaves: ours {leaves[0]}, scikit-learn {leaves[1]}")
    return {
        "1 thread": lambda: ours(max_depth=depth, n_jobs=1).fit(X, y),
        "2 threads": lambda: ours(max_depth=depth, n_jobs=2).fit(X, y),
        "scikit-learn": lambda: peer(max_depth=depth, random_state=0).fit(X, y),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    repeats, rows = (1, 20_000) if quick else (REPEATS, 200_000)
    results = []
    for classes, depth in ((2, None), (2, 10), (5, None), (5, 10), (0, 10)):
        X, y = table(rows, 20, classes)
        name = f"fit {rows:,} x 20, {classes or 'no'} classes, depth {depth or 'full'}"
        results.append(compare(name, fit_runs(X, y, depth, classes > 0), repeats))
    X, y = table(rows, 20, 2)
    ours, peer = CARTClassifier(max_depth=12).fit(X, y), DecisionTreeClassifier(max_depth=12).fit(X, y)
    many = np.concatenate([X] * 5)
    runs = {"1 thread": lambda: ours.predict(many), "scikit-learn": lambda: peer.predict(many)}
    results.append(compare(f"predict {len(many):,} x 20, depth 12", runs, repeats))
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scikit-learn": sklearn.__version__}
    document = {"deciduous": deciduous.__version__, "versions": versions, "results": results}
    Path(__file__).with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
