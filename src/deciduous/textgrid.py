"""Plain-text grids whose columns line up on a terminal, Chinese names included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Return a grid of text; the columns listed in `numbers` are set flush right.

    Widths are those of a terminal, where a Chinese character takes two cells.
    """
    lines = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(cell_len(line[j]) for line in lines) for j in range(len(header))]
    right = set(numbers)
    text = [
        "  ".join(_padded(cell, width, j in right) for j, (cell, width) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join(line.rstrip() for line in [text[0], rule, *text[1:]])


def one_line(text: str) -> str:
    """Return text with line breaks and control characters written out, since they would break lines of text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _padded(cell: str, width: int, right: bool) -> str:
    gap = " " * (width - cell_len(cell))
    return gap + cell if right else cell + gap


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return text in lines of at most `width` cells, broken at blanks; a word that is longer is broken within.

    Lines after the first begin with `indent`, which is part of the width.
    """
    lines, line = [], ""
    for word in _words(text, width - cell_len(indent)):
        if line.strip() and cell_len(line + word.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent + word.lstrip()
        else:
            line += word
    return [*lines, line.rstrip()]


def _words(text: str, width: int) -> Iterable[str]:
    """Return the words of a text, each with the blanks behind it; those wider than `width` in pieces."""
    for word in re.findall(r"\s+|\S+\s*", text):
        piece = ""
        for sign in word:
            if cell_len((piece + sign).rstrip()) > width:
                yield piece
                piece = ""
            piece += sign
        yield piece
