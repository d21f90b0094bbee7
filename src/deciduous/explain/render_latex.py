"""Blocks as a LaTeX document. XeLaTeX and LuaLaTeX set Chinese too (package ctex); pdfLaTeX does without."""

from __future__ import annotations

from dataclasses import dataclass

from deciduous.explain.blocks import Blank, Block, Formula, Grid, Heading, Text
from deciduous.explain.expression import Expression, Style, latex_of, latex_text
from deciduous.textgrid import one_line

PREAMBLE = r"""\documentclass[fleqn]{article}
\usepackage{amsmath,amssymb,longtable,iftex}
\usepackage[margin=2cm]{geometry}
\iftutex\IfFileExists{ctex.sty}{\usepackage[scheme=plain]{ctex}}{}\fi
\setlength{\parindent}{0pt}
\setlength{\parskip}{3pt}
\setlength{\mathindent}{1em}
\allowdisplaybreaks
\begin{document}
\abovedisplayskip=3pt \belowdisplayskip=3pt \abovedisplayshortskip=3pt \belowdisplayshortskip=3pt
"""
SECTIONS = {1: "section*", 2: "subsection*", 3: "subsubsection*"}
RELATIONS = {"<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "=": "="}


@dataclass
class LatexWriter:
    """Writes blocks as LaTeX."""

    style: Style

    def before(self) -> str:
        """Return the preamble."""
        return PREAMBLE

    def after(self) -> str:
        """Return the end of the document."""
        return "\\end{document}\n"

    def block(self, block: Block) -> str:
        """Return a block."""
        match block:
            case Heading(text, level):
                return f"\\{SECTIONS[level]}{{{latex_text(one_line(text))}}}\n"
            case Text(text):
                return f"{latex_text(one_line(text))}\n\n"
            case Formula():
                label = f"{latex_text(one_line(block.label))}:\n" if block.label else ""
                return f"{label}\\begin{{align*}}\n{_aligned(block, self.style)}\n\\end{{align*}}\n"
            case Grid():
                return _table(block)


def _table(grid: Grid) -> str:
    flush = "".join("r" if j in grid.numbers else "l" for j in range(len(grid.header)))
    if len(grid.header) - len(grid.numbers) > 1:  # the last column of words is broken into lines
        flush = flush[:-1] + "p{5cm}"
    lines = [" & ".join(latex_text(one_line(cell)) for cell in row) + r" \\" for row in (grid.header, *grid.rows)]
    rows = "\n".join([lines[0], r"\hline", *lines[1:]])
    return f"\\begin{{longtable}}[l]{{{flush}}}\n{rows}\n\\end{{longtable}}\n"


def _aligned(formula: Formula, style: Style) -> str:
    """Return a formula with every relation but the first on a line of its own; a result stays behind its numbers."""
    text = ""
    last = len(formula.parts) - 1
    for i, (relation, part) in enumerate(formula.related()):
        sign = RELATIONS.get(relation, "")
        stays = i > 1 and i == last and isinstance(part, str)
        begin = "" if not relation else f" &{sign} " if i == 1 else f" {sign} " if stays else f" \\\\\n &{sign} "
        text += begin + _part(part, style)
    return text


def mathematics(formula: Formula, style: Style) -> str:
    """Return a formula as one line of LaTeX."""
    return " ".join(
        f"{RELATIONS.get(relation, '')} {_part(part, style)}".strip() for relation, part in formula.related()
    )


def _part(part: Expression | str | Blank, style: Style) -> str:
    if isinstance(part, Blank):
        return rf"\underline{{\hspace{{{part.width / 2:g}em}}}}"
    if isinstance(part, str):
        mantissa, exponent, power = part.partition("e")
        return rf"{mantissa} \times 10^{{{int(power)}}}" if exponent else part
    return latex_of(part, style)
