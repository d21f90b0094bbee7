"""Evaluating by 200 bootstrap samples, beside 20 fits of the same tree by scikit-learn; 20,000 x 20 floats.

`python benchmarks/bootstrap.py [--quick] [--rounds N]` prints a table of medians of interleaved runs and writes
results/bootstrap.json.
"""

import argparse
import dataclasses
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import data
from common.contest import Limits
from common.learners import version_of
from common.machine import machine
from common.script import RESULTS, write
from common.tables import grid
from common.workload import Workload

SAMPLES, FITS = 200, 20
NOTE = f"""`deciduous`: `evaluate.bootstrap` of CARTClassifier() or CARTRegressor() with {SAMPLES} samples, from table
to estimates: {SAMPLES} trees of resampled rows, each judged by the rows not drawn, and one tree of all rows.
`scikit-learn`: {FITS} fits of its tree to all rows, nothing else. Seconds on the clock, and of the processor. The
goal: less time than scikit-learn's fits."""


def main() -> None:
    """Time both, in turn."""
    parser = argparse.ArgumentParser(description="Benchmark: evaluating by the bootstrap.")
    parser.add_argument("--quick", action="store_true", help="tiny tables, one round")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contestant (default %(default)s)")
    parser.add_argument("--out", type=Path, help="where the JSON goes (default benchmarks/results, or a folder in it)")
    options = parser.parse_args()
    rows, samples, fits = (200, 10, 1) if options.quick else (20_000, SAMPLES, FITS)
    limits = Limits(rounds=1 if options.quick else options.rounds, seconds=0)
    claim = f"Evaluating: {SAMPLES} bootstrap samples beside {FITS} fits"
    document: dict[str, Any] = {"claim": claim, "note": NOTE, "machine": machine(), "results": []}
    document["limits"] = dataclasses.asdict(limits)
    print(f"\n## {claim}\n\n{NOTE}", flush=True)
    for target, classes in (("2 classes", 2), ("numbers", 0)):
        work = Workload(f"{rows:,} x 20 floats, {target}, full depth", "floats", rows, 20, classes)
        result = timed(work, samples, fits, limits.rounds)
        print(f"\n### {work.name}\n\n{result['table']}", flush=True)
        document["results"].append(result)
    out = options.out or RESULTS / ("quick" if options.quick else "")
    write(out / f"{Path(__file__).stem}.json", document)


def timed(work: Workload, samples: int, fits: int, rounds: int) -> dict[str, Any]:
    """Return the part of the document about a workload."""
    contestants = contestants_of(work, samples, fits)
    clock: dict[str, list[float]] = {name: [] for name in contestants}
    cpu: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.perf_counter(), time.process_time()
            run()
            clock[name].append(time.perf_counter() - start[0])
            cpu[name].append(time.process_time() - start[1])
    seconds = {name: (statistics.median(clock[name]), statistics.median(cpu[name])) for name in contestants}
    theirs = next(reversed(seconds.values()))
    lines = [
        (name, f"{own[0]:.2f} s", f"{own[1]:.2f} s", *(f"{b / a:.2f}" for a, b in zip(own, theirs, strict=True)))
        for name, own in seconds.items()
    ]
    head = ("contestant", "clock", "processor", "scikit-learn / it, clock", "scikit-learn / it, processor")
    entries = [{"name": package, "version": version_of(package)} for package in ("deciduous", "scikit-learn")]
    return {"workload": dataclasses.asdict(work), "table": grid([head, *lines]), "runs": clock, "entries": entries}


def contestants_of(work: Workload, samples: int, fits: int) -> dict[str, Callable[[], Any]]:
    """Return what is timed, scikit-learn last."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from deciduous import CARTClassifier, CARTRegressor
    from deciduous.evaluate import bootstrap

    table = data.make(work)
    ours, theirs = (CARTClassifier, DecisionTreeClassifier) if work.classes else (CARTRegressor, DecisionTreeRegressor)

    def fit_all() -> None:
        for _ in range(fits):
            theirs(random_state=0).fit(table.X, table.y)

    def judge(threads: int | None) -> Callable[[], Any]:
        return lambda: bootstrap(ours(n_jobs=threads), table.X, table.y, samples=samples)

    return {
        f"deciduous, {samples} samples, 1 thread": judge(1),
        f"deciduous, {samples} samples, all cores": judge(None),
        f"scikit-learn, {fits} fits": fit_all,
    }


if __name__ == "__main__":
    main()
