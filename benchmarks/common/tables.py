"""The result of a contest as a table, in Markdown that reads well on a terminal too."""

from __future__ import annotations

from typing import Any

from common.peers import OURS, REFERENCE

HEAD = ("contestant", "median", "runs", f"{REFERENCE} / it", "it / ours", "peak memory", "leaves", "tree")
MIB = 1024**2


def table(document: dict[str, Any]) -> str:
    """Return the table of a workload, from its part of the JSON document.

    Ratios are of medians: how many times faster than scikit-learn, and how many times slower than ours on one thread.
    Peak memory is above the input, and in brackets as a multiple of the input's float64 bytes.
    """
    if "table" in document:  # of what is counted, not timed
        return str(document["table"])
    medians = {e["name"]: e["median"] for e in document["entries"]}
    work = document["workload"]
    size = 8 * work["columns"] * (work["queries"] or work["rows"])
    lines = [_line(entry, medians, size) for entry in document["entries"]]
    return grid([HEAD, *lines])


def _line(entry: dict[str, Any], medians: dict[str, float | None], size: int) -> tuple[str, ...]:
    name, median, peak = entry["name"], entry["median"], entry["peak"]
    remark = "; ".join(part for part in (entry["tree"], entry["reason"]) if part)
    if median is None:
        return (name, "—", "0", "—", "—", "—", "—", remark)
    return (
        name,
        _time(median),
        str(len(entry["seconds"])),
        _ratio(medians.get(REFERENCE), median),
        _ratio(median, medians.get(OURS)),
        "—" if peak is None else f"{peak / MIB:,.0f} MiB ({peak / size:.1f})",
        "—" if entry["leaves"] is None else f"{entry['leaves']:,}",
        remark,
    )


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.2f} ms"


def _ratio(above: float | None, below: float | None) -> str:
    return f"{above / below:.1f}" if above and below else "—"


def grid(rows: list[tuple[str, ...]]) -> str:
    """Return rows of cells as a Markdown table with aligned columns; the first row is its head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])
