"""Finds a printed figure at its place in a rendered working: under its node, and its column, with its formula."""

import re

NODES = re.compile(r"^(?:Node|结点) (\d+)(?::|：)")


def sections(text: str) -> dict[tuple[int, str], list[str]]:
    """The lines of formulas by node and column ("" for the node's own), lines that go on joined."""
    found: dict[tuple[int, str], list[str]] = {}
    node, column = -1, ""
    for line in text.split("\n"):
        if start := NODES.match(line):
            node, column = int(start.group(1)), ""
        elif line and not line.startswith((" ", "-", "=")):
            column = re.split(r": |：", line)[0]
        lines = found.setdefault((node, column), [])
        if line.startswith("      ") and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return found


def figure_at(text: str, node: int, column: str, symbol: str) -> tuple[str, str]:
    """The formula with its numbers, and the result, of a symbol such as `Gain(D, Age)`."""
    lines = [line for line in sections(text).get((node, column), []) if line.startswith(f"{symbol} = ")]
    assert len(lines) == 1, (node, column, symbol, sections(text).get((node, column)))
    parts = lines[0].split(" = ")
    return parts[-2], parts[-1]
