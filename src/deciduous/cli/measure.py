"""`deciduous measure`: one measure written out on a table, without growing a tree."""

from __future__ import annotations

from typing import Annotated

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, TableFile, read, show
from deciduous.explain.measure import MEASURES, explain_measure


@app.command(
    epilog="Example:  deciduous measure loan.csv --target Class --feature Age\n\n"
    "Example:  deciduous measure loan.csv --target Class --measure two_step"
)
def measure(
    file: TableFile,
    target: Annotated[str, typer.Option(help="The column of classes.", show_default=False)],
    feature: Annotated[str | None, typer.Option(help="The column that divides the rows.")] = None,
    measure: Annotated[str, typer.Option(help=f"{', '.join(MEASURES)}.")] = "gain_ratio",
    threshold: Annotated[float | None, typer.Option(help="Divide a column of numbers here.")] = None,
    digits: Annotated[int, typer.Option(help="Decimals of results.")] = 3,
    rounding: Annotated[str, typer.Option(help="end; or 'each step', to round on the way as some books do.")] = "end",
    format: Annotated[str, typer.Option(help="text, md, latex, html or json.")] = "text",
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Write out one calculation on the table FILE: the formula, the numbers in place, and what they come to."""
    frame = read(file, na, separator, decimal)
    found = explain_measure(measure, frame, feature, target, threshold=threshold, digits=digits, rounding=rounding)
    show(found, format, out)
