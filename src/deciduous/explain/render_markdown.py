"""Blocks as Markdown, formulas in LaTeX between dollar signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deciduous.explain.blocks import Block, Formula, Grid, Heading, Text, with_colon
from deciduous.explain.expression import Style
from deciduous.explain.render_latex import mathematics
from deciduous.textgrid import one_line

#: Signs that Markdown reads as its own.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~$-])")


@dataclass
class MarkdownWriter:
    """Writes blocks as Markdown."""

    style: Style

    def before(self) -> str:
        """Return nothing."""
        return ""

    def after(self) -> str:
        """Return nothing."""
        return ""

    def block(self, block: Block) -> str:
        """Return a block, and the empty line behind it."""
        match block:
            case Heading(text, level):
                return f"{'#' * level} {escaped(text)}\n\n"
            case Text(text):
                return f"{escaped(text)}\n\n"
            case Formula():
                label = f"{escaped(with_colon(block.label))}\n\n" if block.label else ""
                return f"{label}$$\n{mathematics(block, self.style)}\n$$\n\n"
            case Grid():
                return table(block) + "\n\n"


def table(grid: Grid) -> str:
    """Return a table; numbers are set flush right."""
    rule = ["---:" if j in grid.numbers else "---" for j in range(len(grid.header))]
    lines = [[escaped(cell) for cell in grid.header], rule, *([escaped(cell) for cell in row] for row in grid.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """Return text as Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("\\<", "&lt;").replace("\\>", "&gt;")
