"""How many entries (parts of rows) C4.5 grows with, by the share of missing cells; none is ever dropped."""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from common import data
from common.machine import machine
from common.script import QUICK_ROWS, RESULTS, write
from common.tables import grid
from common.workload import Workload

CLAIM = "Growth of fractional entries with the share of missing cells"
HEAD = ("missing cells", "entries in the leaves", "a row", "entries in all nodes", "a row", "nodes", "depth", "seconds")
SHARES = (0.0, 0.05, 0.1, 0.2, 0.4)


def main() -> None:
    """Grow unpruned trees and count: mixed columns, and floats alone."""
    options = _options()
    rows = QUICK_ROWS if options.quick else options.rows
    results = [_counted(maker, rows) for maker in ("mixed_missing", "floats_missing")]
    out = RESULTS / "quick" if options.quick else RESULTS
    write(
        out / f"{Path(__file__).stem}.json",
        {"claim": CLAIM, "machine": machine(), "limits": {"rounds": 1, "seconds": 0}, "results": results},
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Benchmark: {CLAIM}.")
    parser.add_argument("--quick", action="store_true", help="a tiny table, to see that everything works")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of the tables (default %(default)s)")
    return parser.parse_known_args()[0]  # `make bench` gives all scripts the options of the contests


def _counted(maker: str, rows: int) -> dict[str, object]:
    lines = [_line(maker, rows, share) for share in SHARES]
    name = f"{rows:,} x 10 {maker.partition('_')[0]}, 2 classes, C4.5 before pruning"
    table = grid([HEAD, *lines])
    print(f"\n### {name}\n\n{table}", flush=True)
    return {"workload": {"name": name}, "entries": [], "table": table}


def _line(maker: str, rows: int, share: float) -> tuple[str, ...]:
    from deciduous import C45Classifier

    table = data.make(Workload(maker, maker, rows, 10, 2), share)
    model = C45Classifier(pruning=None, collapse=False, keep_candidates=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        tree = model.fit(table.frame(), table.y).tree_
    seconds = time.perf_counter() - start
    leaves, nodes = int(tree.n_samples[tree.is_leaf].sum()), int(tree.n_samples.sum())
    counts = (f"{leaves:,}", f"{leaves / rows:.1f}", f"{nodes:,}", f"{nodes / rows:.1f}")
    return f"{share:.0%}", *counts, f"{len(tree.weight):,}", str(int(np.max(tree.depth))), f"{seconds:.2f}"


if __name__ == "__main__":
    main()
