"""Pictures as TikZ, for LaTeX documents."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from deciduous.draw.metrics import clean
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Bar, Dot, Path, Picture, Rect, Shape, Text
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.view import View, tree_of

ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}
#: What TeX reads as markup, and signs that not every engine has in its fonts.
TEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "'": "\\textquotesingle{}",
    "`": "\\textasciigrave{}",
    "-": "{-}",
    "≤": "\\ensuremath{\\leq}",
    "≠": "\\ensuremath{\\neq}",
    "…": "\\ldots{}",
}
#: A document around the picture. Engines that read Unicode fonts find Chinese characters in what ctex chooses.
DOCUMENT = """\\documentclass[border=2pt]{standalone}
\\usepackage{iftex}
\\ifpdftex
  \\usepackage[T1]{fontenc}
  \\usepackage[utf8]{inputenc}
  \\usepackage{textcomp}
\\else
  \\usepackage[fontset=fandol]{ctex}
\\fi
\\usepackage{tikz}
\\begin{document}
PICTURE\\end{document}
"""


def to_tikz(model: Any, *, theme: Theme | str = "light", document: bool = False, **options: Any) -> str:
    """Return the picture of a fitted estimator or a tree as a `tikzpicture`; options: see `View`.

    document: return a LaTeX document that compiles as it is; names in Chinese need XeLaTeX or LuaLaTeX with ctex.
    """
    text = tikz_of(picture_of(tree_of(model), View.of(options), theme_of(theme)))
    return DOCUMENT.replace("PICTURE", text) if document else text


def tikz_of(picture: Picture) -> str:
    """Return a picture as a `tikzpicture`, in points; y runs down."""
    shapes = [shape for group in chain(picture.edges, picture.nodes) for shape in group.shapes]
    colours = sorted({colour for shape in shapes for colour in _colours(shape)})
    names = {colour: f"dtree{i}" for i, colour in enumerate(colours)}
    lines = [
        f"% {clean(picture.title)}",
        *(f"\\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}" for colour, name in names.items()),
        "\\begin{tikzpicture}[x=1pt,y=-1pt,inner sep=0pt,outer sep=0pt,font=\\sffamily]",
        f"\\useasboundingbox (0,0) rectangle ({_number(picture.width)},{_number(picture.height)});",
        *(_WRITERS[type(shape)](shape, names) for shape in shapes),
        "\\end{tikzpicture}\n",
    ]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Return text that TeX prints as it is, every blank too."""
    return re.sub("(?<= ) |^ ", r"\\ ", "".join(TEX.get(c, c) for c in clean(text)))


def _colours(shape: Shape) -> list[str]:
    if isinstance(shape, Bar):
        return list(shape.fills)
    found = [getattr(shape, name, None) for name in ("fill", "stroke")]
    return [colour for colour in found if colour]


def _rect(r: Rect, names: dict[str, str]) -> str:
    look = [f"fill={names[r.fill]}"] if r.fill else []
    look += _pen(r.stroke, r.line_width, r.dashed, names)
    radius = min(r.radius, r.width / 2, r.height / 2)
    look += [f"rounded corners={_number(radius)}pt"] if radius > 0 else []
    return f"\\path[{','.join(look)}] {_at(r.x, r.y)} rectangle {_at(r.x + r.width, r.y + r.height)};"


def _bar(b: Bar, names: dict[str, str]) -> str:
    return "\n".join(_rect(part, names) for part in b.rects())


def _path(p: Path, names: dict[str, str]) -> str:
    points = [_at(x, y) for x, y in p.points]
    if p.curved:
        a, b, c, d, e, f = points
        line = f"{a} -- {b} .. controls {c} and {d} .. {e} -- {f}"
    else:
        line = " -- ".join(points)
    return f"\\path[{','.join(_pen(p.stroke, p.line_width, p.dashed, names))}] {line};"


def _dot(d: Dot, names: dict[str, str]) -> str:
    return f"\\path[fill={names[d.fill]}] {_at(d.x, d.y)} circle [radius={_number(d.radius)}pt];"


def _text(t: Text, names: dict[str, str]) -> str:
    bold = "\\bfseries" if t.weight == "bold" else ""
    # Computer Modern Sans is narrower than the widths that boxes are made for, so text stays inside.
    font = f"\\fontsize{{{_number(t.size * 0.9)}}}{{{_number(t.size)}}}\\selectfont{bold}"
    look = f"anchor={ANCHORS[t.anchor]},text={names[t.fill]},font=\\sffamily{font}"
    return f"\\node[{look}] at {_at(t.x, t.y)} {{{escaped(t.text)}}};"


def _pen(colour: str | None, line_width: float, dashed: bool, names: dict[str, str]) -> list[str]:
    if colour is None:
        return []
    return [f"draw={names[colour]}", f"line width={_number(line_width)}pt", *(["dashed"] if dashed else [])]


def _at(x: float, y: float) -> str:
    return f"({_number(x)},{_number(y)})"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


_WRITERS: dict[type, Any] = {Rect: _rect, Bar: _bar, Path: _path, Dot: _dot, Text: _text}
