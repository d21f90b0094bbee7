"""`deciduous report`: a saved tree as one HTML file for others."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, open_model, read, say
from deciduous.errors import DataError, listing, nearest
from deciduous.files import refuse_overwriting
from deciduous.language import translate as _
from deciduous.report.document import report as report_of
from deciduous.report.made import Source


@app.command(
    epilog="Example:  deciduous report loan.json loan.csv --out report.html\n\n"
    "Example:  deciduous report loan.json loan.csv --validation new.csv --lang zh --out report.html"
)
def report(
    model: ModelFile,
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table that the tree was grown on, with the target.")],
    out: Annotated[str, typer.Option(help="Write to this file.", show_default=False)],
    target: Annotated[
        str | None, typer.Option(help="The column of DATA that holds the target, if it is called otherwise there.")
    ] = None,
    validation: Annotated[
        str | None, typer.Option(metavar="FILE", help="Judge the tree by this table, which it was not grown on.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Judge by so many folds, where there is no --validation.")] = 10,
    seed: Annotated[int, typer.Option(help="The seed that draws the folds.")] = 0,
    title: Annotated[str | None, typer.Option(help="What stands at the top.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Write one HTML file that shows the tree to others: to look into, to follow rows, to prune by a slider; how good
    it is on rows that it has not seen, the columns, the rules, and how it was made. It needs no network.
    """
    refuse_overwriting(out, model, data, validation)
    estimator = open_model(model)
    name = target or estimator.tree_.target
    frame = with_target(read(data, na, separator, decimal), data, name)
    other = None if validation is None else with_target(read(validation, na, separator, decimal), validation, name)
    made = report_of(
        estimator,
        frame,
        name,
        validation=None if other is None else (other, name),
        folds=folds,
        seed=seed,
        title=title,
        source=Source(model, data, validation, folds),
    )
    made.save(out)
    typer.echo(_("Wrote {file}.").format(file=out))
    for sentence in made.left_out:
        say(sentence)


def with_target(frame: pl.DataFrame, file: str, target: str) -> pl.DataFrame:
    """Return a table that has the target; DataError names the columns of one that has not."""
    if target not in frame.columns:
        raise DataError(
            f"{file} has no column {target!r}, the target; it has {listing(frame.columns)}."
            + nearest(target, frame.columns)
        )
    return frame
