"""`deciduous explain`: why a node asks what it asks."""

from __future__ import annotations

from typing import Annotated

import typer

from deciduous.cli.app import app
from deciduous.cli.common import ModelFile, open_model
from deciduous.errors import OptionError
from deciduous.explain.text import text_of
from deciduous.explain.working import working_of


@app.command(epilog="Example:  deciduous explain loan.json --node 1")
def explain(
    model: ModelFile,
    node: Annotated[int | None, typer.Option(help="The number of the node; 0, the root, by default.")] = None,
    all_nodes: Annotated[bool, typer.Option("--all", help="Explain every node.")] = False,
) -> None:
    """Show the working of a node: every feature's entropies, gain, split information, ratio and Gini; which won, and
    why.
    """
    if all_nodes and node is not None:
        raise OptionError("--all and --node exclude each other.")
    tree = open_model(model).tree_
    nodes = range(len(tree)) if all_nodes else [node or 0]
    for i, index in enumerate(nodes):
        typer.echo(("\n\n" if i else "") + text_of(working_of(tree, index), tree))
