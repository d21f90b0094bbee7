"""Pictures as SVG, with nothing but text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape

from deciduous.draw.metrics import clean, is_measured, width
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Bar, Dot, Group, Path, Picture, Rect, Text
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.view import View, tree_of


def to_svg(model: Any, *, theme: Theme | str = "light", **options: Any) -> str:
    """Return the picture of a fitted estimator or a tree as an SVG document.

    `theme`: `light`, `dark`, `grey` or a `Theme`; options: see `View`. Each node is a group with the class of its kind
    (`question`, `leaf`, `closed`, `set`), `data-node` and a title; each edge holds the answer that leads to its node.
    """
    return svg_of(picture_of(tree_of(model), View.of(options), theme_of(theme)))


def svg_of(picture: Picture) -> str:
    """Return a picture as an SVG document."""
    w, h = _number(picture.width), _number(picture.height)
    fonts = ", ".join(font if font == "sans-serif" else f"'{font}'" for font in picture.fonts)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
        f'font-family="{escape(fonts)}" style="max-width:none;white-space:pre">',
        f"<title>{escape(clean(picture.title))}</title>",
        f'<rect width="{w}" height="{h}" fill="{picture.paper}"/>',
    )
    return "\n".join([*head, *map(_group, picture.edges), *map(_group, picture.nodes), "</svg>\n"])


def _group(group: Group) -> str:
    title = f"<title>{escape(clean(group.title))}</title>" if group.title else ""
    inside = "".join([_WRITERS[type(shape)](shape) for shape in group.shapes])
    return f'<g class="{group.kind}" data-node="{group.node}">{title}{inside}</g>'


def _rect(r: Rect) -> str:
    radius = f' rx="{_number(r.radius)}"' if r.radius else ""
    place = f'x="{r.x:.2f}" y="{r.y:.2f}" width="{r.width:.2f}" height="{r.height:.2f}"'
    return f'<rect {place}{radius} fill="{r.fill or "none"}"{_stroke(r.stroke, r.line_width, r.dashed)}/>'


def _bar(b: Bar) -> str:
    begin, end = '<rect x="', f'" y="{b.y:.2f}" height="{b.height:.2f}" fill="'
    parts = zip(b.lefts(), b.widths, b.fills, strict=True)
    return "".join([f'{begin}{left:.2f}" width="{width:.2f}{end}{fill}"/>' for left, width, fill in parts])


def _path(p: Path) -> str:
    points = [f"{x:.2f},{y:.2f}" for x, y in p.points]
    if p.curved:
        a, b, c, d, e, f = points
        line = f"M{a} L{b} C{c} {d} {e} L{f}"
    else:
        line = "M" + " L".join(points)
    return f'<path d="{line}" fill="none"{_stroke(p.stroke, p.line_width, p.dashed)}/>'


def _dot(d: Dot) -> str:
    return f'<circle cx="{d.x:.2f}" cy="{d.y:.2f}" r="{_number(d.radius)}" fill="{d.fill}"/>'


def _text(t: Text) -> str:
    look = "" if t.anchor == "start" else f' text-anchor="{t.anchor}"'
    look += "" if t.weight == "normal" else f' font-weight="{t.weight}"'
    if not is_measured(t.text):  # a script whose widths no table knows is fitted into the room it has
        look += f' textLength="{width(t.text, t.size, t.weight):.2f}" lengthAdjust="spacingAndGlyphs"'
    place = f'x="{t.x:.2f}" y="{t.y:.2f}" font-size="{_number(t.size)}"'
    return f'<text {place} fill="{t.fill}"{look}>{escape(clean(t.text))}</text>'


@lru_cache
def _stroke(colour: str | None, line_width: float, dashed: bool) -> str:
    if colour is None:
        return ""
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f' stroke="{colour}" stroke-width="{_number(line_width)}"{dash}'


_WRITERS: dict[type, Callable[[Any], str]] = {Rect: _rect, Bar: _bar, Path: _path, Dot: _dot, Text: _text}


@lru_cache
def _number(value: float) -> str:
    """Return one of the few measures that a theme has."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
