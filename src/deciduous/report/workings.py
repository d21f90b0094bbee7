"""The working of the nodes as HTML, as far as there is room."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from deciduous.errors import DataError
from deciduous.explain.blocks import Block, Heading, Text, of_node
from deciduous.explain.derivation import Derivation, derivation_of
from deciduous.explain.render_html import HtmlWriter
from deciduous.explain.steps import NodeDerivation
from deciduous.language import translate as _
from deciduous.model.tree import Tree
from deciduous.report.nodes import Ints

#: The working of all nodes may take so many characters.
MOST_CHARACTERS = 900_000
#: So many columns of a node are written out, those of the best scores; its overview has all.
MOST_COLUMNS = 4


@dataclass(frozen=True)
class Workings:
    """The working of nodes as HTML, by number; of how many nodes it is left out, and why."""

    by_node: dict[int, str]
    left_out: int = 0
    reason: str = ""


def workings_of(tree: Tree, held: Ints) -> Workings:
    """Return the working of the nodes held, the upper levels first, until the room is used up."""
    if tree.candidates is None:
        return Workings({}, len(held), _("the tree has too many nodes to keep what it is made of (keep_candidates)"))
    derivation, by_node, room = derivation_of(tree, "all"), dict[int, str](), MOST_CHARACTERS
    for node in sorted(held.tolist(), key=lambda node: int(tree.depth[node])):
        try:
            text = _html(derivation, node)
        except DataError as error:
            return Workings(by_node, len(held) - len(by_node), str(error))
        room -= len(text)
        if room < 0:
            words = _("to keep the file small; “deciduous explain MODEL --node N” prints them")
            return Workings(by_node, len(held) - len(by_node), words)
        by_node[node] = text
    return Workings(by_node)


def _html(derivation: Derivation, index: int) -> str:
    writer, node = HtmlWriter(derivation.style), derivation.node(index)
    shown = _written_out(node)
    blocks = of_node(node, derivation.style, str(derivation.tree.options["criterion"]))
    return "".join(writer.block(block) for block in _some(blocks, shown, len(node.features)))


def _written_out(node: NodeDerivation) -> set[str]:
    """Return the columns that are written out: the best by their score, the chosen one first of equals."""
    by_score = sorted(
        (f.working for f in node.features),
        key=lambda w: (math.inf if math.isnan(w.score) else -w.score, w.verdict != "chosen"),
    )
    return {working.feature for working in by_score[:MOST_COLUMNS]}


def _some(blocks: Iterator[Block], shown: set[str], n_columns: int) -> Iterator[Block]:
    """Return the blocks of a node without its own heading, and without those of columns that are not shown."""
    skipped = False
    for block in blocks:
        if isinstance(block, Heading):
            if block.level < 3:
                continue
            if skipped and block.of is None and n_columns > len(shown):
                text = _("The working of {n} columns of lower score is left out.")
                yield Text(text.format(n=n_columns - len(shown)))
            skipped = block.of is not None and block.of not in shown
            block = Heading(block.text, 4)
        if not skipped:
            yield block
