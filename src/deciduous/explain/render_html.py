"""Blocks as an HTML page, formulas in MathML, which browsers show without any script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from latex2mathml.converter import convert

from deciduous.explain.blocks import Blank, Block, Formula, Grid, Heading, Text, with_colon
from deciduous.explain.expression import Style
from deciduous.explain.render_latex import RELATIONS, part_of
from deciduous.explain.steps import Named
from deciduous.language import spoken
from deciduous.textgrid import one_line

STYLE = """
body { font-family: system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; line-height: 1.5; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; margin: 0.5rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
h1, h2, h3, p, th, td { overflow-wrap: break-word; }
th, td { max-width: 24rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.formula { overflow-x: auto; overflow-y: hidden; margin: 0.1rem 0; padding: 0.2rem 0; }
math { font-size: 1.15em; }
msub + mfrac, mi + mfrac, msub + mn { margin-inline-start: 0.2em; }
h2 { border-bottom: 2px solid #888; padding-top: 1rem; }
.item { margin: 0.8rem 0 0; font-weight: 600; }
.detail { margin: 0 0 0 1.4rem; color: #444; }
.blank { display: inline-block; min-width: 4rem; height: 1.1em; border-bottom: 1px solid #000; vertical-align: bottom; }
"""


@dataclass
class HtmlWriter:
    """Writes blocks as HTML."""

    style: Style

    def before(self) -> str:
        """Return the head of the page."""
        return (
            f'<!DOCTYPE html>\n<html lang="{spoken()}">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>deciduous</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n"
        )

    def after(self) -> str:
        """Return the end of the page."""
        return "</body>\n</html>\n"

    def block(self, block: Block) -> str:
        """Return a block as an element."""
        match block:
            case Heading(text, level):
                return f"<h{level}>{escape(one_line(text))}</h{level}>\n"
            case Text(text, role):
                mark = f' class="{role}"' if role in ("item", "detail") else ""
                return f"<p{mark}>{escape(one_line(text))}</p>\n"
            case Formula():
                label = f"{escape(one_line(with_colon(block.label)))} " if block.label else ""
                return f'<div class="formula">{label}{_formula(block, self.style)}</div>\n'
            case Grid(header, rows, numbers):
                head = _row(header, numbers, "th")
                body = "".join(_row(row, numbers, "td") for row in rows)
                return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _formula(formula: Formula, style: Style) -> str:
    """Return a formula as elements between which a line may end: each part with the relation before it."""
    shown = []
    for relation, part in formula.related():
        sign = RELATIONS.get(relation, "")
        if isinstance(part, Blank):
            blank = f'<span class="blank" style="min-width: {part.width / 2:g}em"></span>'
            shown.append(f"{mathml(sign)} {blank}" if sign else blank)
        else:
            element = mathml(f"{sign} {part_of(part, style)}".strip())
            shown.append(
                element.replace("<mo>", '<mo form="infix">', 1) if sign else element
            )  # with room on both sides
    return " ".join(shown)


def _row(cells: tuple[str, ...], numbers: tuple[int, ...], tag: str) -> str:
    flush = [' class="number"' if j in numbers else "" for j in range(len(cells))]
    shown = (f"<{tag}{mark}>{_cell(cell)}</{tag}>" for mark, cell in zip(flush, cells, strict=True))
    return f"<tr>{''.join(shown)}</tr>\n"


def _cell(text: str) -> str:
    """Return the text of a cell, a symbol at its beginning in MathML."""
    if isinstance(text, Named) and text.symbol.text:
        return f"{mathml(text.symbol.latex)}: {escape(one_line(text.words))}"
    return escape(one_line(text))


def mathml(latex: str) -> str:
    """Return LaTeX as a MathML element.

    The converter reads backslashes within `\\text` literally, so what is escaped there goes past it under other signs.
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(_plain(found.group(1)))
        return rf"\text{{q{len(kept) - 1}q}}"

    converted = convert(re.sub(r"\\text\{((?:[^{}\\]|\\text[a-z]+\{\}|\\.)*)\}", keep, latex))
    return re.sub(r"<mtext>q(\d+)q</mtext>", lambda m: f"<mtext>{escape(kept[int(m.group(1))])}</mtext>", converted)


def _plain(latex: str) -> str:
    """Return LaTeX text as the text that it shows."""
    names = {"backslash": "\\", "asciicircum": "^", "asciitilde": "~", "less": "<", "greater": ">"}
    text = re.sub(r"\\text([a-z]+)\{\}", lambda found: names[found.group(1)], latex)
    return re.sub(r"\\([{}$&#%_])", r"\1", text)
