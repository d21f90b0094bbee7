"""`deciduous worksheet`: any working with its numbers left blank, and the answer key."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, open_model, read, show
from deciduous.cli.deciding import labelled_frame, target_of, working_of_pruning
from deciduous.errors import OptionError
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.explaining import derivation
from deciduous.estimators.rules import explain_simplification
from deciduous.explain.measure import MEASURES, explain_measure
from deciduous.explain.shown import Shown
from deciduous.explain.worksheet import Worksheet
from deciduous.files import refuse_overwriting
from deciduous.prune.pruners import PRUNERS


@app.command(
    epilog="Example:  deciduous worksheet loan.json --format latex --out sheet.tex --key key.tex\n\n"
    "Example:  deciduous worksheet loan.json --pruning error --key key.txt\n\n"
    "Example:  deciduous worksheet loan.csv --target Class --feature Age --key key.txt"
)
def worksheet(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model file written by 'deciduous fit --save'; with --target a table."),
    ],
    node: Annotated[int | None, typer.Option(help="The number of the node; 0, the root, by default.")] = None,
    all_nodes: Annotated[bool, typer.Option("--all", help="Every node.")] = False,
    pruning: Annotated[str | None, typer.Option(help=f"How this prunes the tree: {', '.join(PRUNERS)}.")] = None,
    to: Annotated[str | None, typer.Option(help="With --pruning optimal: at most so many leaves.")] = None,
    alpha: Annotated[float | None, typer.Option(help="With --pruning cost_complexity: the price of a leaf.")] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="How the rules of the tree are simplified, by --data.")
    ] = False,
    target: Annotated[str | None, typer.Option(help="A calculation on the table MODEL: its column of classes.")] = None,
    feature: Annotated[str | None, typer.Option(help="With --target: the column that divides the rows.")] = None,
    measure: Annotated[str, typer.Option(help=f"With --target: {', '.join(MEASURES)}.")] = "gain_ratio",
    threshold: Annotated[float | None, typer.Option(help="With --target: divide a column of numbers here.")] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="The table that the tree was grown on: adds the row labels. With --pruning: the rows that decide."
        ),
    ] = None,
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
    """Print a working with blanks to be filled in by hand, for teaching; --key writes the answers.

    It is that of a node; with --pruning or --rules that of pruning the tree, or of simplifying its rules; with --target
    one calculation on a table.
    """
    if all_nodes and node is not None:
        raise OptionError("--all and --node exclude each other.")
    asked = {"--pruning": pruning is not None, "--rules": rules, "--target": target is not None}
    chosen = [flag for flag, given in (("--node", all_nodes or node is not None), *asked.items()) if given]
    if len(chosen) > 1:
        raise OptionError(f"{' and '.join(chosen)} are different workings; ask for one.")
    if key is not None and key == out:
        raise OptionError("--key and --out must be different files.")
    for path in (out, key):
        refuse_overwriting(path, model, data)
    files: dict[str, Any] = {"na": na, "separator": separator, "decimal": decimal}
    if target is not None:
        frame = read(model, **files)
        answers: Shown = explain_measure(
            measure, frame, feature, target, threshold=threshold, digits=3 if digits is None else digits
        )
    elif pruning is not None:
        tree = open_model(model).tree_
        decide = None if data is None else labelled_frame(tree, data, **files)
        answers = working_of_pruning(tree, pruning, to, alpha, decide, digits)
    elif rules:
        answers = _of_rules(open_model(model), data, digits, files)
    else:
        answers = _of_nodes(open_model(model), "all" if all_nodes else node or 0, data, digits, files)
    show(Worksheet(answers, worked, counts), format, out)
    if key is not None:
        show(answers, format, key)


def _of_nodes(
    estimator: TreeEstimator, nodes: int | str, data: str | None, digits: int | None, files: dict[str, Any]
) -> Shown:
    """Return the derivation of a node, or of all; of many candidates so many as fit a page."""
    rows: dict[str, Any] = {}
    if data is not None:
        frame = labelled_frame(estimator.tree_, data, **files)
        rows = {"X": frame, "y": target_of(estimator.tree_, frame)}
    return derivation(estimator, nodes, digits=digits, candidates=MOST_CANDIDATES, **rows)


#: So many candidates of a column are asked for.
MOST_CANDIDATES = 24


def _of_rules(estimator: TreeEstimator, data: str | None, digits: int | None, files: dict[str, Any]) -> Shown:
    if data is None:
        raise OptionError("--rules needs --data FILE, the table that the tree was grown on.")
    frame = labelled_frame(estimator.tree_, data, **files)
    return explain_simplification(estimator, frame, estimator.tree_.target, digits=3 if digits is None else digits)
