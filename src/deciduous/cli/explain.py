"""`deciduous explain`: why a node asks what it asks, or why a row is answered as it is."""

from __future__ import annotations

from typing import Annotated, Any

import polars as pl
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, of_target, open_model, read, show
from deciduous.cli.deciding import labelled_frame, target_of, working_of_pruning
from deciduous.data.readers import MISSING_WORDS
from deciduous.data.schema import Feature, Label
from deciduous.errors import OptionError, listing, nearest
from deciduous.estimators.explaining import derivation
from deciduous.explain.derivation import MOST_TRIED
from deciduous.explain.row import explain_row
from deciduous.files import refuse_overwriting
from deciduous.model.tree import Tree
from deciduous.prune.pruners import PRUNERS


@app.command(
    epilog="Example:  deciduous explain loan.json --node 1\n\n"
    "Example:  deciduous explain loan.json --all --data loan.csv --format html --lang zh --out loan.html\n\n"
    "Example:  deciduous explain loan.json --pruning error --format latex --out pruning.tex"
)
def explain(
    model: ModelFile,
    node: Annotated[int | None, typer.Option(help="The number of the node; 0, the root, by default.")] = None,
    all_nodes: Annotated[bool, typer.Option("--all", help="Explain every node.")] = False,
    path: Annotated[bool, typer.Option("--path", help="Explain the nodes from the root to --node, too.")] = False,
    row: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE (repeated), or the number of a row of --data: explain the answer for this row."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="With --row: the answer that the smallest change leads to; with --pruning optimal: so many leaves."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="With --row: of several targets the one whose answer is explained.")
    ] = None,
    pruning: Annotated[
        str | None, typer.Option(help=f"Explain how this prunes the tree: {', '.join(PRUNERS)}.")
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="With --pruning cost_complexity: the price of a leaf.")] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="The table that the tree was grown on: shows all candidates tried, and row labels. With --pruning: "
            "the rows that decide."
        ),
    ] = None,
    candidates: Annotated[
        int, typer.Option(help="With --data: so many candidates of a column are shown at most, the best ones.")
    ] = MOST_TRIED,
    digits: Annotated[
        int | None, typer.Option(help="Decimals of results, by default 3; of trees of numbers significant digits, 5.")
    ] = None,
    rounding: Annotated[str, typer.Option(help="end; or 'each step', to round on the way as some books do.")] = "end",
    measures: Annotated[str, typer.Option(help="own, what the tree was grown by; or all.")] = "own",
    format: Annotated[str, typer.Option(help="text, md, latex, html or json.")] = "text",
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Show the working of a node, every number as one would write it by hand: entropies, gain, split information,
    ratio, Gini; which column won, and why.

    With --row: why a row is answered as it is. With --pruning: what a method of pruning compares, node by node.
    """
    if all_nodes and node is not None:
        raise OptionError("--all and --node exclude each other.")
    if path and node is None:
        raise OptionError("--path needs --node.")
    if row and (all_nodes or node is not None):
        raise OptionError("--row explains an answer; --node and --all explain nodes.")
    if pruning is not None and (row or all_nodes or node is not None):
        raise OptionError("--pruning explains how a tree is pruned; leave out --row, --node and --all.")
    if to is not None and not row and pruning is None:
        raise OptionError("--to goes with --row, or with --pruning optimal.")
    if target is not None and not row:
        raise OptionError("--target goes with --row; nodes are explained for all targets together.")
    if alpha is not None and pruning is None:
        raise OptionError("--alpha goes with --pruning cost_complexity.")
    refuse_overwriting(out, model, data)
    estimator = open_model(model)
    if pruning is not None:
        tree = estimator.tree_
        decide = None if data is None else labelled_frame(tree, data, na, separator, decimal)
        show(working_of_pruning(tree, pruning, to, alpha, decide, digits), format, out)
        return
    if row:
        frame = None if data is None else read(data, na, separator, decimal)
        tree = of_target(estimator.tree_, target)
        show(explain_row(tree, row_of(row, tree, frame, na), frame, to=label_of(to, tree)), format, out)
        return
    rows: dict[str, Any] = {}
    if data is not None:
        frame = labelled_frame(estimator.tree_, data, na, separator, decimal)
        rows = {"X": frame, "y": target_of(estimator.tree_, frame)}
    chosen: int | str = "all" if all_nodes else node or 0
    told: dict[str, Any] = {"digits": digits, "rounding": rounding, "measures": measures, "candidates": candidates}
    show(derivation(estimator, chosen, path=path, **told, **rows), format, out)


def row_of(
    told: list[str], tree: Tree, frame: pl.DataFrame | None = None, na: list[str] | None = None
) -> dict[str, Any]:
    """Return the row that `--row` describes: NAME=VALUE once a column, or the number of a row of a table, from 1.
    `na`: the words that mean a missing cell, by default those of tables.
    """
    if len(told) == 1 and "=" not in told[0]:
        if frame is None:
            raise OptionError(f"--row {told[0]!r} must read NAME=VALUE; a row number goes with --data.")
        number = int(told[0]) if told[0].isdecimal() else 0
        if not 1 <= number <= len(frame):
            raise OptionError(f"--row {told[0]!r} must be a number between 1 and {len(frame)}, or NAME=VALUE.")
        return frame.row(number - 1, named=True)
    cells: dict[str, Any] = dict.fromkeys(tree.schema.names)
    for text in told:
        name = next((n for n in sorted(cells, key=len, reverse=True) if text.startswith(f"{n}=")), None)
        if name is None:
            given = text.partition("=")[0]
            raise OptionError(
                f"--row {text!r} must read NAME=VALUE, the name being one of {listing(cells)}.{nearest(given, cells)}"
            )
        cells[name] = _cell(text[len(name) + 1 :], tree.schema.features[tree.schema.index(name)], na)
    return cells


def _cell(text: str, feature: Feature, na: list[str] | None) -> str | None:
    """Return a cell as it was typed; None for a word that means a missing one, and is no category of the column."""
    words = MISSING_WORDS if feature.kind == "numeric" else ("?",)
    missing = text in na if na is not None else text.lower() in words
    return None if not text or (missing and text not in map(str, feature.categories)) else text


def label_of(text: str | None, tree: Tree) -> Label | None:
    """Return the class of this name; OptionError if there is none."""
    if text is None:
        return None
    found = next((label for label in tree.classes if str(label) == text), None)
    if found is None:
        raise OptionError(f"--to {text!r} is none of the classes {listing(tree.classes)}.{nearest(text, tree.classes)}")
    return found
