"""Blocks as text for a terminal, at most so many cells wide."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len

from deciduous.explain.blocks import Blank, Block, Formula, Grid, Heading, Text, with_colon
from deciduous.explain.expression import Expression, Style, text_of
from deciduous.textgrid import grid, one_line, wrapped

#: Lines of a formula after the first begin with this.
INDENT = "      "
#: Brackets of one difference, such as (8.1 - 3.5)^2.
_SHORT = re.compile(r"\([^()]{1,30}\)|\|[^|]{1,30}\|")
#: What the first line of a paragraph begins with, and the others, by role.
INDENTS = {"item": ("  ", "     "), "detail": ("     ", "     ")}


@dataclass
class TextWriter:
    """Writes blocks as text."""

    style: Style
    width: int = 80
    _last: type | None = None

    def before(self) -> str:
        """Return nothing: text begins with the first block."""
        return ""

    def after(self) -> str:
        """Return nothing: text ends with the last block."""
        return ""

    def block(self, block: Block) -> str:
        """Return a block as lines; headings and tables are set apart by an empty line."""
        apart = isinstance(block, Heading | Grid) or self._last is Grid
        apart = apart and self._last is not None and not (isinstance(block, Grid) and self._last is Heading)
        self._last = type(block)
        return ("\n" if apart else "") + "\n".join(self._lines(block)) + "\n"

    def _lines(self, block: Block) -> list[str]:
        match block:
            case Heading(text, level):
                lines = wrapped(one_line(text), self.width)
                rule = {1: "=", 2: "-"}.get(level)
                return lines if rule is None else [*lines, rule * max(map(cell_len, lines))]
            case Text(text, role):
                begin, after = INDENTS.get(role, ("  ", "  "))
                return wrapped(begin + one_line(text), self.width, after)
            case Formula():
                return self._formula(block)
            case Grid(header, rows, numbers):
                return grid(header, rows, numbers, self.width, "  ").split("\n")

    def _formula(self, formula: Formula) -> list[str]:
        """Return a formula broken before relations and signs, where it is too long for a line."""
        pieces = [one_line(with_colon(formula.label))] if formula.label else []
        for relation, part in formula.related():
            text = one_line(self._part(part))
            pieces += _pieces(f"{relation} {text}" if relation else text)
        lines, line = [], "  "
        for piece in pieces:
            glue = "" if not line.strip() or line.endswith("：") else " "
            if line.strip() and cell_len(line + glue + piece) > self.width:
                lines.append(line)
                line, glue = INDENT, ""
            line += glue + piece
        return [short for long in [*lines, line] for short in wrapped(long, self.width, INDENT)]

    def _part(self, part: Expression | str | Blank) -> str:
        if isinstance(part, str):
            return part
        return "_" * part.width if isinstance(part, Blank) else text_of(part, self.style)


def _pieces(text: str) -> list[str]:
    """Return a text in pieces that may begin a line: each sign stays with the term behind it, and short brackets are
    not broken.
    """
    held = _SHORT.sub(lambda found: found[0].replace(" ", "\x00"), text)
    return [piece.replace("\x00", " ") for piece in re.split(r" (?=[+-] )", held)]
