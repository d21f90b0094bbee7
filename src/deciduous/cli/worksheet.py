"""`deciduous worksheet`: the working of a tree with its numbers left blank, and the answer key."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, open_model, read, show
from deciduous.errors import OptionError
from deciduous.estimators.explaining import derivation
from deciduous.explain.worksheet import Worksheet
from deciduous.files import refuse_overwriting


@app.command(epilog="Example:  deciduous worksheet loan.json --format latex --out sheet.tex --key key.tex")
def worksheet(
    model: ModelFile,
    node: Annotated[int | None, typer.Option(help="The number of the node; 0, the root, by default.")] = None,
    all_nodes: Annotated[bool, typer.Option("--all", help="Every node.")] = False,
    data: Annotated[str | None, typer.Option(help="The table that the tree was grown on: adds the row labels.")] = None,
    worked: Annotated[int, typer.Option(help="So many columns stay worked out, as an example.")] = 0,
    counts: Annotated[bool, typer.Option("--counts", help="Leave the tables of counts blank, too.")] = False,
    digits: Annotated[
        int | None, typer.Option(help="Decimals of results, by default 3; of trees of numbers significant digits, 5.")
    ] = None,
    format: Annotated[str, typer.Option(help="text, md, latex or html.")] = "text",
    key: Annotated[str | None, typer.Option(help="Write the answer key to this file, in the same form.")] = None,
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Print the working of a node with blanks to be filled in by hand, for teaching; --key writes the answers."""
    if all_nodes and node is not None:
        raise OptionError("--all and --node exclude each other.")
    if key is not None and key == out:
        raise OptionError("--key and --out must be different files.")
    for path in (out, key):
        refuse_overwriting(path, model, data)
    estimator = open_model(model)
    rows: dict[str, Any] = {}
    if data is not None:
        rows = {"X": read(data, na, separator, decimal), "y": estimator.tree_.target}
    answers = derivation(estimator, "all" if all_nodes else node or 0, digits=digits, **rows)
    show(Worksheet(answers, worked, counts), format, out)
    if key is not None:
        show(answers, format, key)
