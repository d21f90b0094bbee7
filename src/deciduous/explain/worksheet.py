"""Worksheets: a derivation with its numbers left blank, to be filled in by hand; the derivation is the answer key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from deciduous.errors import OptionError
from deciduous.explain.blocks import Blank, Block, Formula, Grid, Heading, Text
from deciduous.explain.shown import Shown
from deciduous.language import translate as _

#: How wide the blanks are: of a calculation, and of a result.
CALCULATION, RESULT = Blank(24), Blank(8)

#: What is asked in the place of an answer, by its role.
ASKED = {
    "choice": "Which column is chosen, and why? Or why is this node a leaf?",
    "pruned": "What becomes of this node, and why?",
    "taken": "Which subtree is taken, and why?",
}


class Worksheet(Shown):
    """A derivation to be filled in. `key` is the answer key: the derivation itself.

    `worked`: so many columns stay worked out, as examples; `counts`: whether the contingency tables are left blank too.
    """

    def __init__(self, key: Shown, worked: int = 0, counts: bool = False) -> None:
        if worked < 0:
            raise OptionError(f"worked={worked!r} must be at least 0.")
        self.key, self.style, self.worked, self.counts = key, key.style, worked, counts

    def blocks(self) -> Iterator[Block]:
        """Return the blocks of the derivation, with blanks in place of what is to be found."""
        columns, node = 0, False
        for block in self.key.blocks():
            if isinstance(block, Heading):
                node = node or block.level == 2
                columns += node and block.level == 3
                block = self._heading(block, node)
            if 0 < columns <= self.worked:
                yield block
                continue
            yield from self._blanked(block)

    def _heading(self, heading: Heading, node: bool) -> Heading:
        """Return a heading without the verdict on its column."""
        if not node or heading.level != 3 or heading.of is None:
            return heading
        return replace(heading, text=heading.of)

    def _blanked(self, block: Block) -> Iterator[Block]:
        match block:
            case Formula((_one,)):  # shares, which the table tells
                return
            case Formula(parts) if block.relations and isinstance(parts[1], str):  # two results compared
                return
            case Formula(parts) if isinstance(parts[-1], str) and not block.relations:
                kept = parts[:-2] if len(parts) > 2 else parts[:1]
                yield replace(block, parts=(*kept, CALCULATION, RESULT))
            case Grid(_header, _rows, numbers, role) if role in ("overview", "tried", "figures") or (
                role == "counts" and self.counts
            ):
                yield replace(block, rows=tuple(_blank_row(row, numbers, role) for row in _rows))
            case Grid(_header, _rows, numbers, "moments"):  # means are asked for, how many rows there are is told
                asked = numbers if self.counts else tuple(j for j in numbers if j > 1)
                yield replace(block, rows=tuple(_blank_row(row, asked, "counts") for row in _rows))
            case Text(_text, "decision" | "item" | "detail"):
                return
            case Text(_text, role) if role in ASKED:
                yield Text(_(ASKED[role]))
                yield Formula((Blank(60),))
            case _other:
                yield block

    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return the answer key as plain values."""
        return self.key.to_dict(lang)

    def __repr__(self) -> str:
        """Return what is to be filled in."""
        return f"<Worksheet of {self.key!r}>"


def _blank_row(row: tuple[str, ...], numbers: tuple[int, ...], role: str) -> tuple[str, ...]:
    """Return a line of a table without its numbers; the last cell of tables of figures is a verdict."""
    last = len(row) - 1 if role != "counts" else -1
    return tuple("____" if j in numbers else "" if j == last else cell for j, cell in enumerate(row))


def worksheet(key: Shown, *, worked: int = 0, counts: bool = False) -> Worksheet:
    """Return a worksheet: a derivation with blanks, of nodes, a measure, pruning or simplified rules.

    `worked`: so many columns of the first node stay worked out, as an example; `counts`: the contingency tables are
    blank too. Its `key` is the answer key.
    """
    return Worksheet(key, worked, counts)
