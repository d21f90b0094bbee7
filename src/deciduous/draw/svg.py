"""Pictures as SVG, with nothing but text."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from deciduous.draw.metrics import clean, is_measured, width
from deciduous.draw.picture import picture_of
from deciduous.draw.shapes import Dot, Group, Path, Picture, Rect, Shape, Text
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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
        f'font-family="{escape(fonts)}" style="max-width:none;white-space:pre">',
        f"<title>{escape(clean(picture.title))}</title>",
        f'<rect width="{w}" height="{h}" fill="{picture.paper}"/>',
    ]
    for group in (*picture.edges, *picture.nodes):
        parts.append(_group(group))
    return "\n".join([*parts, "</svg>\n"])


def _group(group: Group) -> str:
    title = f"<title>{escape(clean(group.title))}</title>" if group.title else ""
    inside = "".join(_shape(shape) for shape in group.shapes)
    return f'<g class={quoteattr(group.kind)} data-node="{group.node}">{title}{inside}</g>'


def _shape(shape: Shape) -> str:
    written: str = _WRITERS[type(shape)](shape)
    return written


def _rect(r: Rect) -> str:
    radius = f' rx="{_number(r.radius)}"' if r.radius else ""
    place = f'x="{_number(r.x)}" y="{_number(r.y)}" width="{_number(r.width)}" height="{_number(r.height)}"'
    return f'<rect {place}{radius} fill="{r.fill or "none"}"{_stroke(r.stroke, r.line_width, r.dashed)}/>'


def _path(p: Path) -> str:
    points = [f"{_number(x)},{_number(y)}" for x, y in p.points]
    if p.curved:
        a, b, c, d, e, f = points
        line = f"M{a} L{b} C{c} {d} {e} L{f}"
    else:
        line = "M" + " L".join(points)
    return f'<path d="{line}" fill="none"{_stroke(p.stroke, p.line_width, p.dashed)}/>'


def _dot(d: Dot) -> str:
    return f'<circle cx="{_number(d.x)}" cy="{_number(d.y)}" r="{_number(d.radius)}" fill="{d.fill}"/>'


def _text(t: Text) -> str:
    anchor = "" if t.anchor == "start" else f' text-anchor="{t.anchor}"'
    weight = "" if t.weight == "normal" else f' font-weight="{t.weight}"'
    # A script whose widths no table knows is fitted into the room it has.
    fitted = "" if is_measured(t.text) else f' textLength="{_number(width(t.text, t.size, t.weight))}"'
    fitted += ' lengthAdjust="spacingAndGlyphs"' if fitted else ""
    return (
        f'<text x="{_number(t.x)}" y="{_number(t.y)}" font-size="{_number(t.size)}" fill="{t.fill}"'
        f"{anchor}{weight}{fitted}>{escape(clean(t.text))}</text>"
    )


def _stroke(colour: str | None, line_width: float, dashed: bool) -> str:
    if colour is None:
        return ""
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f' stroke="{colour}" stroke-width="{_number(line_width)}"{dash}'


_WRITERS: dict[type, Any] = {Rect: _rect, Path: _path, Dot: _dot, Text: _text}


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
