"""Plain-text grids whose columns line up on a terminal, Chinese names included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, get_character_cell_size

#: How many cells a line of a terminal has.
WIDTH = 80


def grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Iterable[int] = (),
    width: int = WIDTH,
    indent: str = "",
) -> str:
    """Return a grid of text; the columns listed in `numbers` are set flush right.

    Widths are those of a terminal, where a Chinese character takes two cells. The widest columns of words are made
    narrower until a line fits into `width`, and their cells broken into several lines; then the headings of numbers.
    """
    lines = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(cell_len(line[j]) for line in lines) for j in range(len(header))]
    right = set(numbers)
    least = [
        max([cell_len(line[j]) for line in lines[1:]], default=0) if j in right else NARROWEST
        for j in range(len(header))
    ]
    _narrow(widths, width - cell_len(indent), right, least)
    cells = [[wrapped(cell, widths[j]) for j, cell in enumerate(line)] for line in lines]
    text = ["\n".join(_lines_of(row, widths, right, indent)) for row in cells]
    rule = indent + "  ".join("-" * width for width in widths)
    return "\n".join([text[0], rule.rstrip(), *text[1:]])


#: Columns of words are not made narrower than this.
NARROWEST = 8


def _narrow(widths: list[int], width: int, right: set[int], least: list[int]) -> None:
    """Make the widest columns narrower, those of words first, until all fit into a width or none can be."""
    for columns in ([j for j in range(len(widths)) if j not in right], list(range(len(widths)))):
        while sum(widths) + 2 * (len(widths) - 1) > width:
            widest = max((j for j in columns if widths[j] > least[j]), key=lambda j: widths[j], default=None)
            if widest is None:
                break
            widths[widest] -= 1


def _lines_of(row: Sequence[Sequence[str]], widths: Sequence[int], right: set[int], indent: str) -> Iterable[str]:
    """Return the lines of a row whose cells may have several."""
    for i in range(max(map(len, row))):
        cells = [cell[i] if i < len(cell) else "" for cell in row]
        padded = (_padded(cell, widths[j], j in right) for j, cell in enumerate(cells))
        yield (indent + "  ".join(padded)).rstrip()


def one_line(text: str) -> str:
    """Return text with line breaks and control characters written out, since they would break lines of text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _padded(cell: str, width: int, right: bool) -> str:
    gap = " " * (width - cell_len(cell))
    return gap + cell if right else cell + gap


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return text in lines of at most `width` cells, broken at blanks and between Chinese characters; what is longer is
    broken within.

    Lines after the first begin with `indent`, which is part of the width.
    """
    lines, line = [], ""
    for word in _words(text, max(width - cell_len(indent), 2)):
        if line.strip() and cell_len(line + word.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent + word.lstrip()
        else:
            line += word
    return [*lines, line.rstrip()]


#: Characters as wide as Chinese ones; and those of them that no line begins, or ends, with.
_WIDE, _CLOSING, _OPENING = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef", "。，；：！？、）」』》】％", r"（「『《【\[({"
#: What is not broken: a Chinese character, or a run of others, with the punctuation and the blanks that belong to it;
#: a number with its share, such as `7 (50 %)`.
_UNBROKEN = re.compile(
    rf"[{_OPENING}]*(?:[^\s{_WIDE}]+(?: %[^\s{_WIDE}]*| \([\d.e-]+ %\)[^\s{_WIDE}]*)?|[{_WIDE}])[{_CLOSING}]*\s*|\s+"
)


def _words(text: str, width: int) -> Iterable[str]:
    """Return the words of a text, each with the blanks behind it; those wider than `width` in pieces."""
    for word in _UNBROKEN.findall(text):
        if cell_len(word.rstrip()) <= width:
            yield word
            continue
        start, used = 0, 0
        for end, sign in enumerate(word.rstrip()):
            cells = get_character_cell_size(sign)
            if used + cells > width:
                yield word[start:end]
                start, used = end, 0
            used += cells
        yield word[start:]
