"""Blocks as a LaTeX document. XeLaTeX and LuaLaTeX set Chinese too (package ctex); pdfLaTeX does without."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from deciduous.explain.blocks import Blank, Block, Formula, Grid, Heading, Text, with_colon
from deciduous.explain.expression import Count, Expression, Minus, Ratio, Style, Sum, latex_of, latex_text, text_of
from deciduous.explain.steps import Named

PREAMBLE = r"""\documentclass[fleqn]{article}
\usepackage{amsmath,amssymb,longtable,iftex}
\usepackage[margin=2cm]{geometry}
\newif\ifcjk\iftutex\IfFileExists{ctex.sty}{\cjktrue}{}\fi
\ifluatex\IfFileExists{luatexja.sty}{}{\cjkfalse}\fi
\ifcjk\usepackage[scheme=plain]{ctex}\fi
\setlength{\parindent}{0pt}
\setlength{\parskip}{3pt}
\setlength{\mathindent}{1em}
\setlength{\LTpre}{4pt}\setlength{\LTpost}{4pt}
\renewcommand{\arraystretch}{1.15}
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
                return f"\\{SECTIONS[level]}{{{latex_text(text)}}}\n"
            case Text(text):
                return f"{latex_text(text)}\n\n"
            case Formula():
                label = f"{latex_text(with_colon(block.label))}\n" if block.label else ""
                return f"{label}\\begin{{align*}}\n{_aligned(block, self.style)}\n\\end{{align*}}\n"
            case Grid():
                return _table(block)


def _table(grid: Grid) -> str:
    flush = "".join("r" if j in grid.numbers else "l" for j in range(len(grid.header)))
    if len(grid.header) - len(grid.numbers) > 1:  # the last column of words is broken into lines
        flush = flush[:-1] + "p{5cm}"
    lines = [" & ".join(map(_cell, row)) + r" \\" for row in (grid.header, *grid.rows)]
    rows = "\n".join([lines[0], r"\hline", *lines[1:]])
    return f"\\begin{{longtable}}[l]{{{flush}}}\n{rows}\n\\end{{longtable}}\n"


def _cell(text: str) -> str:
    """Return the text of a cell; a bracket or star at its beginning would belong to the end of the line before."""
    if isinstance(text, Named) and text.symbol.text:
        return f"${text.symbol.latex}$: {latex_text(text.words)}"
    latex = latex_text(text)
    return "{}" + latex if latex[:1] in ("[", "*") else latex


#: So many signs of a formula, written as text, fit a line.
WIDEST = 88


def _aligned(formula: Formula, style: Style) -> str:
    """Return a formula in one line if it fits; else with every relation but the first on a line of its own, and what
    is too long for one broken before its signs. A result stays behind its numbers.
    """
    wide = [cell_len(part) if isinstance(part, str) else _width(part, style) for part in formula.parts]
    if sum(wide) + 3 * len(wide) <= WIDEST:
        first, *rest = (f"{RELATIONS.get(r, '')} {part_of(part, style)}".strip() for r, part in formula.related())
        return " ".join([first, *(["&" + rest[0], *rest[1:]] if rest else [])])
    hanging = len(wide) > 1 and wide[0] + wide[1] > WIDEST  # the symbol stands on a line of its own
    text, last = "", len(formula.parts) - 1
    for i, (relation, part) in enumerate(formula.related()):
        sign = RELATIONS.get(relation, "")
        stays = i > 1 and i == last and isinstance(part, str)
        if not relation:
            begin = "&" if hanging else ""
        elif i == 1 and not hanging:
            begin = f" &{sign} "
        else:
            begin = f" {sign} " if stays else f" \\\\\n &{QUAD if hanging else ''}{sign} "
        text += begin + _broken(part, style)
    return text


#: What lines begin with below a symbol on a line of its own.
QUAD = r"\quad "


def _width(part: Expression | Blank, style: Style) -> int:
    return part.width if isinstance(part, Blank) else cell_len(text_of(part, style))


def _broken(part: Expression | str | Blank, style: Style) -> str:
    """Return a part, long sums in several lines; those in brackets have brackets of one size then."""
    begin = end = ""
    match part:
        case Minus(Sum() as whole):
            begin, end = r"-\bigl(", r"\bigr)"
        case Ratio(Sum() as whole, Count() as bottom):
            begin, end = r"\bigl(", rf"\bigr) / {latex_of(bottom, style)}"
        case Sum() as whole:
            pass
        case _:
            return part_of(part, style)
    if _width(whole, style) <= WIDEST:
        return part_of(part, style)
    lines: list[list[Expression]] = [[]]
    for term in whole.terms:
        if lines[-1] and _width(Sum((*lines[-1], term)), style) > WIDEST:
            lines.append([])
        lines[-1].append(term)
    shown = [latex_of(Sum(tuple(line)), style) for line in lines]
    joined = shown[0] + "".join(f" \\\\\n &\\qquad {_signed(line)}" for line in shown[1:])
    return f"{begin}{joined}{end}"


def _signed(latex: str) -> str:
    """Return a line of a sum with its sign before it."""
    return latex if latex.startswith("-") else f"+ {latex}"


def mathematics(formula: Formula, style: Style) -> str:
    """Return a formula as one line of LaTeX."""
    return " ".join(
        f"{RELATIONS.get(relation, '')} {part_of(part, style)}".strip() for relation, part in formula.related()
    )


def part_of(part: Expression | str | Blank, style: Style) -> str:
    """Return a part of a formula as LaTeX."""
    if isinstance(part, Blank):
        return rf"\underline{{\hspace{{{part.width / 2:g}em}}}}"
    if isinstance(part, str):
        mantissa, exponent, power = part.partition("e")
        return rf"{mantissa} \times 10^{{{int(power)}}}" if exponent else part
    return latex_of(part, style)
