"""`deciduous predict`: answer for the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, TableFile, note, read
from deciduous.cli.fit import fit_on
from deciduous.errors import DataError, OptionError
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.io import load
from deciduous.estimators.rules import RulesClassifier
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.tree import Tree
from deciduous.ruleset.rule_set import RuleSet


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
    """Add the answers of a tree, or of simplified rules, to the rows of FILE.

    Columns are matched by name and categories by label. Where FILE holds the target too, says how many answers are
    right.
    """
    if out is not None:
        refuse_overwriting(out, model, file)
    if not column:
        raise OptionError("--column must not be empty: it names the column of answers.")
    estimator = load(model)
    about = estimator.rules_ if isinstance(estimator, RulesClassifier) else estimator.tree_
    targets = about.targets if isinstance(about, Tree) else (about.target,)
    frame = read(file, na, separator, decimal)
    predicted = estimator.predict(frame)
    answers = [pl.Series(column, predicted.tolist())]
    if len(targets) > 1:
        answers = [pl.Series(f"{column} of {name}", predicted[:, k].tolist()) for k, name in enumerate(targets)]
    if proba:
        answers += _shares(estimator, about, frame)
    names = [*frame.columns, *(series.name for series in answers)]
    taken = [name for name in names if names.count(name) > 1]
    if taken:
        raise DataError(f"{file} already has a column {taken[0]!r}; name the answers with --column.")
    tab = out is not None and Path(out).suffix.lower() in (".tsv", ".tab")
    text = frame.with_columns(answers).write_csv(separator="\t" if tab else ",")
    if len(targets) == 1 and about.target in frame.columns and frame[about.target].null_count() < len(frame):
        found = fit_on(estimator, frame, about.target)
        note(_("Compared with the target in the file: {found}").format(found=found))
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_whole(out, text)
        rows = _n("Wrote {n} row to {file}.", "Wrote {n} rows to {file}.", len(frame))
        typer.echo(rows.format(n=len(frame), file=out))


def _shares(estimator: TreeEstimator | RulesClassifier, about: Tree | RuleSet, frame: pl.DataFrame) -> list[pl.Series]:
    """Return a column a class: its share in what answers each row."""
    if not about.classes:
        raise OptionError("--proba needs a tree that predicts classes; this one predicts numbers.")
    if isinstance(about, Tree):
        about.demand_one_target("--proba")
    shares = estimator.predict_proba(frame)
    return [pl.Series(f"share of {label}", shares[:, k]) for k, label in enumerate(about.classes)]
