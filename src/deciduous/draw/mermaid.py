"""Trees as Mermaid flowcharts, which GitHub, GitLab and many editors draw."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from deciduous.draw.cards import Card, outline_of
from deciduous.draw.metrics import clean, wrap
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.view import View, tree_of

#: Mermaid refuses charts of more than 500 edges or 50,000 characters, wherever a page does not allow more.
MOST_NODES, MOST_CHARACTERS = 400, 50_000
#: What Mermaid reads as markup, inside quotes too; `:fa-` stands for icons.
MARKUP = frozenset('#&"<>`[]*_~$\\')
DIRECTIONS = {"down": "TD", "right": "LR"}
#: Mermaid's own theme for each of ours.
THEMES = {"dark": "dark", "grey": "neutral"}


def to_mermaid(model: Any, *, theme: Theme | str = "light", **options: Any) -> str:
    """Return a fitted estimator or a tree as a Mermaid flowchart; options: see `View`.

    `shape="round"` draws nodes of one line as circles, others with round corners, `counts=False` nothing but questions
    and answers, `theme="dark"` chooses Mermaid's theme of this name. Where the options set no limit, a tree that is
    larger than Mermaid draws is collapsed.
    """
    tree, view, look = tree_of(model), View.of(options), theme_of(theme)
    if view.max_nodes is not None:
        return _text(model, view, look, theme)
    view = replace(view, max_nodes=min(MOST_NODES, len(tree)))
    text = _text(model, view, look, theme)
    while len(text) > MOST_CHARACTERS and (view.max_nodes or 0) > 1:
        view = replace(view, max_nodes=(view.max_nodes or 0) // 2)
        text = _text(model, view, look, theme)
    return text


def _text(model: Any, view: View, look: Theme, theme: Theme | str) -> str:
    outline = outline_of(tree_of(model), view)
    lines = [f"graph {DIRECTIONS[view.direction]}"]
    if isinstance(theme, str) and theme in THEMES:
        lines.insert(0, f"%%{{init: {json.dumps({'theme': THEMES[theme]})}}}%%")
    lit_edges = []
    for i, (card, above) in enumerate(zip(outline.cards, outline.parent, strict=True)):
        lines.append(f"    N{card.node}{_node(card, view, look)}")
        if above >= 0:
            answer = quoted(card.reply)
            lines.append(f"    N{outline.cards[above].node} -- {answer} --> N{card.node}")
            if card.lit:
                lit_edges.append(i - 1)
    lines += _styles(outline.cards, look)
    if lit_edges:
        lines.append(f"    linkStyle {','.join(map(str, lit_edges))} stroke:{look.highlight},stroke-width:3px")
    return "\n".join(lines) + "\n"


def _node(card: Card, view: View, theme: Theme) -> str:
    """Return the text of a node in its shape: a circle has room for one line, round corners for more."""
    title = wrap(card.title, theme.most_width, theme.font_size, "bold", theme.most_lines)
    lines = (*title, *(line.text for line in card.lines))
    begin, end = ("[", "]") if view.shape == "box" else ("((", "))") if len(lines) == 1 else ("(", ")")
    return f"{begin}{quoted(chr(10).join(lines))}{end}"


def _styles(cards: tuple[Card, ...], theme: Theme) -> list[str]:
    """Return the classes of style, and which nodes have them: leaves by their answer, and what is highlighted."""
    members: dict[tuple[str, str], list[str]] = {}
    for card in cards:
        if not (card.is_open or card.is_set):
            colour = theme.of_class(card.answer) if card.answer >= 0 else theme.of_number(round(card.level, 1))
            dash = "" if card.is_leaf else ",stroke-dasharray:4 3"
            style = f"fill:{theme.tinted(colour)},stroke:{theme.outline},color:{theme.ink}{dash}"
            members.setdefault(("answer", style), []).append(f"N{card.node}")
        elif card.is_set:
            members.setdefault(("set", "stroke-dasharray:4 3"), []).append(f"N{card.node}")
        if card.lit:
            members.setdefault(("lit", f"stroke:{theme.highlight},stroke-width:3px"), []).append(f"N{card.node}")
    lines = []
    ordered = sorted(members.items(), key=lambda member: member[0][0] == "lit")  # what comes last wins
    for i, ((name, style), nodes) in enumerate(ordered):
        lines += [f"    classDef {name}{i} {style}", f"    class {','.join(nodes)} {name}{i}"]
    return lines


def quoted(text: str) -> str:
    """Return text as Mermaid shows it unchanged: in quotes, markup written as codes of characters."""
    lines = ("".join(_character(c) for c in clean(line)).replace(":fa-", "#58;fa-") for line in text.split("\n"))
    return f'"{"<br/>".join(lines) or " "}"'


def _character(character: str) -> str:
    return f"#{ord(character)};" if character in MARKUP else character
