"""What every benchmark script does: run its workloads, print their tables, write JSON."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from common.contest import Entry, Limits, contest
from common.machine import machine
from common.peers import PEERS
from common.tables import table
from common.workload import Workload

RESULTS = Path(__file__).parents[1] / "results"
#: A quick run checks that everything works; its figures mean nothing and are kept apart.
QUICK_ROWS, QUICK_COLUMNS = 200, 6


def run(script: str, claim: str, workloads: Sequence[Workload], names: Sequence[str] = tuple(PEERS)) -> None:
    """Run a script: `claim` is the heading of its tables, and its results go to `results/SCRIPT.json`.

    The options are read from the command line, see `--help`. Results of quick runs, and of selected workloads or
    contestants, go to folders of their own.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that contestants and their data go when this goes
    options = _options(claim)
    limits = Limits(rounds=1 if options.quick else options.rounds, seconds=options.limit)
    kind = "quick" if options.quick else "selected" if options.only or options.peers else ""
    out = options.out or RESULTS / kind
    chosen = [n for n in names if any(word in n for word in options.peers or [""])]
    print(f"\n## {claim}", flush=True)
    document: dict[str, Any] = {"claim": claim, "script": Path(script).stem, "machine": machine()}
    selected = {"only": options.only or [], "peers": options.peers or []}
    document |= {"limits": asdict(limits), "selected": selected, "results": []}
    workloads = [work for work in workloads if any(word in work.name for word in options.only or [""])]
    for work in _small(workloads) if options.quick else workloads:
        print(f"\n### {work.name}\n", flush=True)
        result = {"workload": asdict(work), "entries": [_entry(e) for e in contest(work, chosen, limits)]}
        print(table(result), flush=True)
        document["results"].append(result)
        write(out / f"{Path(script).stem}.json", document)  # what was measured stays if the rest is cut off


def write(path: Path, document: dict[str, Any]) -> None:
    """Write results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _options(claim: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Benchmark: {claim}.")
    parser.add_argument("--quick", action="store_true", help="tiny tables, one round, to see that everything works")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contestant (default %(default)s)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a run may take (default %(default)s)")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only workloads whose name has this text")
    parser.add_argument("--peers", action="append", metavar="TEXT", help="only contestants whose name has this text")
    parser.add_argument("--out", type=Path, help="where the JSON goes (default benchmarks/results, or a folder in it)")
    return parser.parse_args()


def _small(workloads: Sequence[Workload]) -> list[Workload]:
    """Return tiny workloads; of those that differ in size only, the first."""
    # OpenMP's threads would wait for each other in a busy loop, which takes most of the time where cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    small = {}
    for work in workloads:
        rows, columns = min(work.rows, QUICK_ROWS), min(work.columns, QUICK_COLUMNS)
        sizes = {"rows": rows, "columns": columns, "queries": min(work.queries, QUICK_ROWS)}
        tiny = replace(work, repeat=min(work.repeat, 2), **sizes)
        small.setdefault(replace(tiny, name=""), replace(tiny, name=f"quick, {rows} x {columns}: {work.name}"))
    return list(small.values())


def _entry(entry: Entry) -> dict[str, Any]:
    return {**asdict(entry), "median": entry.median}
