"""`deciduous predict`: answer for the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, TableFile, note, open_model, read
from deciduous.cli.fit import training_fit
from deciduous.errors import DataError, OptionError
from deciduous.files import refuse_overwriting, write_whole


@app.command(epilog="Example:  deciduous predict loan.json new.csv --out answers.csv --proba")
def predict(
    model: ModelFile,
    file: TableFile,
    out: Annotated[
        str | None, typer.Option(help="Write here instead of the terminal: CSV, or TSV if it ends in .tsv.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add a column with the share of each class.")] = False,
    column: Annotated[str, typer.Option(help="The name of the column of answers.")] = "prediction",
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Add the tree's answers to the rows of FILE.

    Columns are matched by name and categories by label. Where FILE holds the target too, says how many answers are
    right.
    """
    if out is not None:
        refuse_overwriting(out, model, file)
    if not column:
        raise OptionError("--column must not be empty: it names the column of answers.")
    estimator = open_model(model)
    tree = estimator.tree_
    frame = read(file, na, separator, decimal)
    predicted = estimator.predict(frame)
    answers = [pl.Series(column, predicted.tolist())]
    if tree.others:
        answers = [pl.Series(f"{column} of {name}", predicted[:, k].tolist()) for k, name in enumerate(tree.targets)]
    if proba:
        if tree.task == "number":
            raise OptionError("--proba needs a tree that predicts classes; this one predicts numbers.")
        tree.demand_one_target("--proba")
        shares = estimator.predict_proba(frame)
        answers += [pl.Series(f"share of {label}", shares[:, k]) for k, label in enumerate(tree.classes)]
    names = [*frame.columns, *(series.name for series in answers)]
    taken = [name for name in names if names.count(name) > 1]
    if taken:
        raise DataError(f"{file} already has a column {taken[0]!r}; name the answers with --column.")
    tab = out is not None and Path(out).suffix.lower() in (".tsv", ".tab")
    text = frame.with_columns(answers).write_csv(separator="\t" if tab else ",")
    if not tree.others and tree.target in frame.columns and frame[tree.target].null_count() < len(frame):
        note(
            training_fit(estimator, frame, tree.target).replace(
                "On its own rows", "Compared with the target in the file"
            )
        )
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_whole(out, text)
        typer.echo(f"Wrote {len(frame)} row{'s' * (len(frame) != 1)} to {out}.")
