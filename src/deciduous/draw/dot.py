"""Trees in the DOT language of Graphviz."""

from __future__ import annotations

from typing import Any

from deciduous.draw.cards import Card, outline_of
from deciduous.draw.metrics import clean, wrap
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.view import View, tree_of


def to_dot(model: Any, *, theme: Theme | str = "light", **options: Any) -> str:
    """Return a fitted estimator or a tree in the DOT language; options: see `View`. Names are as they are, escaped."""
    tree, view, look = tree_of(model), View.of(options), theme_of(theme)
    outline = outline_of(tree, view)
    lines = [
        "digraph Tree {",
        f'  graph [rankdir="{"LR" if view.direction == "right" else "TB"}", bgcolor="{look.paper}"];',
        f'  node [shape="{"ellipse" if view.shape == "round" else "box"}", style="rounded,filled", '
        f'color="{look.outline}", fontcolor="{look.ink}", fontname="sans-serif", fontsize="11"];',
        f'  edge [color="{look.edge}", fontcolor="{look.ink}", fontname="sans-serif", fontsize="10"];',
    ]
    for card, above in zip(outline.cards, outline.parent, strict=True):
        lines.append(f"  {card.node} [{_attributes(_look(card, look))}];")
        if above >= 0:
            label = {"label": _wrapped(card.reply, look)} | ({"color": look.highlight} if card.lit else {})
            lines.append(f"  {outline.cards[above].node} -> {card.node} [{_attributes(label)}];")
    return "\n".join([*lines, "}\n"])


def _look(card: Card, theme: Theme) -> dict[str, str]:
    colour = theme.of_class(card.answer) if card.answer >= 0 else theme.of_number(card.level)
    fill = theme.card if card.is_open or card.is_set else theme.tinted(colour)
    label = [_wrapped(card.title, theme), *(line.text for line in card.lines)]
    look = {"label": "\n".join(label), "fillcolor": fill}
    if card.lit:
        look |= {"color": theme.highlight, "penwidth": "2.4"}
    return look if card.is_open or card.is_leaf else look | {"style": "rounded,filled,dashed"}


def _wrapped(text: str, theme: Theme) -> str:
    return "\n".join(wrap(text, theme.most_width, theme.font_size, "bold", theme.most_lines))


def _attributes(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={quoted(value)}" for name, value in values.items())


def quoted(text: str) -> str:
    """Return a DOT string that Graphviz shows as it is: it reads backslashes and HTML entities in strings.

    A quote is written as an entity, since pydotplus takes an escaped one for the end of the string.
    """
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace('"', "&quot;")
    return '"' + "\\n".join(clean(line) for line in text.split("\n")) + '"'
