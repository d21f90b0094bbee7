"""`deciduous explain`: why a node asks what it asks, or why a row is answered as it is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, Language, MissingWords, ModelFile, Separator, open_model, read, show
from deciduous.errors import DataError, OptionError
from deciduous.estimators.explaining import derivation


@app.command(
    epilog="Example:  deciduous explain loan.json --node 1\n\n"
    "Example:  deciduous explain loan.json --all --data loan.csv --format html --lang zh --out loan.html"
)
def explain(
    model: ModelFile,
    node: Annotated[int | None, typer.Option(help="The number of the node; 0, the root, by default.")] = None,
    all_nodes: Annotated[bool, typer.Option("--all", help="Explain every node.")] = False,
    path: Annotated[bool, typer.Option("--path", help="Explain the nodes from the root to --node, too.")] = False,
    data: Annotated[
        str | None,
        typer.Option(help="The table that the tree was grown on: shows all candidates tried, and row labels."),
    ] = None,
    digits: Annotated[int | None, typer.Option(help="Decimals of results; 3 by default.")] = None,
    rounding: Annotated[str, typer.Option(help="end; or 'each step', to round on the way as some books do.")] = "end",
    measures: Annotated[str, typer.Option(help="own, what the tree was grown by; or all.")] = "own",
    format: Annotated[str, typer.Option(help="text, md, latex, html or json.")] = "text",
    lang: Language = None,
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Show the working of a node, every number as one would write it by hand: entropies, gain, split information,
    ratio, Gini; which column won, and why.
    """
    if all_nodes and node is not None:
        raise OptionError("--all and --node exclude each other.")
    if path and node is None:
        raise OptionError("--path needs --node.")
    estimator = open_model(model)
    rows: dict[str, Any] = {}
    if data is not None:
        frame = read(data, na, separator, decimal)
        if estimator.tree_.target not in frame.columns:
            raise DataError(f"{data} has no column {estimator.tree_.target!r}, the target of the model.")
        rows = {"X": frame, "y": estimator.tree_.target}
    chosen: int | str = "all" if all_nodes else node or 0
    shown = derivation(estimator, chosen, path=path, digits=digits, rounding=rounding, measures=measures, **rows)
    show(shown, format, lang, out)
