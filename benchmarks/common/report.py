"""RESULTS.md from the JSON of the last full runs: `python -m common.report` in benchmarks/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from common.script import RESULTS
from common.tables import table

PAGE = Path(__file__).parents[1] / "RESULTS.md"

HEAD = """# Measured

Written by `make bench` from `benchmarks/results/*.json`; do not edit.

Unless said otherwise a table is one interleaved run: each contestant has a process of its own on the same data, and
all run in turn, round after round; the figures are medians. `scikit-learn / it` says how many times faster than
scikit-learn a contestant is, `it / ours` how many times slower than ours on one thread. The time of a fit goes from
the array (or frame) to the model, sorting and binning included. Peak memory is what a fit takes above its input, in
brackets as a multiple of the input's float64 bytes. `tree` compares the tree with ours from where it sends the
training rows: the same tree, or the same total leaf impurity to 1e-9 (ties broken otherwise), or how the two differ. A
run that exceeds the limit is stopped (that of ours and of scikit-learn is five times as long); slow contestants run
less often. Settings of the peers: `benchmarks/common/peers/`. What bounds a fit: `benchmarks/PROFILE.md`.
"""


def main() -> None:
    """Write the page, if there are results."""
    documents = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(RESULTS.glob("*.json"))}
    if documents:
        PAGE.write_text(page(documents), encoding="utf-8")


def page(documents: dict[str, dict[str, Any]]) -> str:
    """Return RESULTS.md."""
    return "\n".join([HEAD, *(part for name, document in documents.items() for part in _section(name, document))])


def _section(name: str, document: dict[str, Any]) -> list[str]:
    on, limits = document["machine"], document["limits"]
    versions = {
        e["name"].split()[0].rstrip(","): e["version"]
        for result in document["results"]
        for e in result["entries"]
        if e["version"]
    }
    lines = [
        f"## {document['claim']}\n",
        f"`python benchmarks/{document.get('script', name)}.py{_options(limits)}{_selected(document)}`, {on['date']}; "
        f"{on['processor']}, {on['cores']} cores, {on['memory'] / 2**30:.0f} GiB, {on['system']}, "
        f"load {on['load']:.1f} at the start; "
        + ", ".join([f"Python {on['python']}", f"NumPy {on['numpy']}", *(f"{p} {v}" for p, v in versions.items())])
        + ".\n",
    ]
    if "note" in document:
        lines.append(f"{document['note']}\n")
    for result in document["results"]:
        lines += [f"### {result['workload']['name']}\n", table(result) + "\n"]
    return lines


def _options(limits: dict[str, Any]) -> str:
    """Return the options of a script that takes them; tables of its own need none."""
    return f" --rounds {limits['rounds']} --limit {limits['seconds']:g}" if limits["seconds"] else ""


def _selected(document: dict[str, Any]) -> str:
    """Return the options that chose workloads and contestants."""
    words = ((option, word) for option, chosen in document.get("selected", {}).items() for word in chosen)
    return "".join(f" --{option} {word}" for option, word in words)


if __name__ == "__main__":
    main()
