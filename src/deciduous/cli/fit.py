"""`deciduous fit`: grow a tree on a table, print it, how good it is, and save it."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from deciduous import evaluate
from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, TableFile, read
from deciduous.cli.growing import growing_flags, parsed
from deciduous.cli.model import choose_task, make_estimator, sized, target_of
from deciduous.data.frames import columns_of
from deciduous.errors import DataWarning
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.parameters import constructor_call
from deciduous.estimators.rules import RulesClassifier
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _
from deciduous.language import translate_filled

#: A tree is printed down to this depth; `deciduous show` prints all of it.
PRINTED_DEPTH = 5
#: A tree is judged by cross-validation on tables of at most so many rows, by rows held out on larger ones.
CROSS_VALIDATED_ROWS = 5000
#: Fewer rows say nothing about other rows.
FEWEST_JUDGED = 10


@app.command(
    epilog="Example:  deciduous fit loan.csv --target Class --algorithm id3 --save m.json\n\n"
    "Example:  deciduous fit prices.csv --target price --algorithm cart"
)
@growing_flags
def fit(
    file: TableFile,
    target: Annotated[str, typer.Option(help="The column to predict.", show_default=False)],
    algorithm: Annotated[str, typer.Option(help="id3, c45 or cart.", show_default=False)],
    options: dict[str, Any],
    save: Annotated[
        str | None, typer.Option(help="Write the model to this file (JSON), whole or not at all.", show_default=False)
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="class or number; by default what the target's cells suggest (cart only).", show_default=False
        ),
    ] = None,
    estimate: Annotated[bool, typer.Option(help="Estimate how good the tree is on other rows.")] = True,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Grow a tree on FILE, print it and how it was made, and save it.

    Unless you say how large the tree is to be, CART is pruned by cross-validation (100 rows or more) and C4.5 by its
    own estimate; ID3 is not pruned.
    """
    if save is not None:
        refuse_overwriting(save, file)
    frame = read(file, na, separator, decimal)
    chosen_task, why = choose_task(target_of(frame, file, target), algorithm, task)
    chosen, size = sized(parsed(options, frame[target]), algorithm, len(frame))
    estimator = make_estimator(algorithm, chosen_task, chosen)
    estimator.fit(frame, target)
    document = estimator.tree_.to_json()
    if save is not None:
        write_whole(save, document)
    print_fit(estimator, frame, target, why, size)
    if estimate:
        typer.echo(honest_estimate(estimator, frame, target))
    call = python_call(file, estimator, target, na, separator, decimal)
    typer.echo("\n" + _("The same in Python:") + "\n" + call)
    if save is not None:
        typer.echo("\n" + _("Saved to {file}.").format(file=save))


def print_fit(estimator: TreeEstimator, frame: pl.DataFrame, target: str, why: str, size: str) -> None:
    """Print what the columns were taken for, the tree, and how well it fits its own rows."""
    tree = estimator.tree_
    classes, numbers = _("{name} predicts classes ({why})."), _("{name} predicts numbers ({why}).")
    what = classes if tree.task == "class" else numbers
    typer.echo(what.format(name=type(estimator).__name__, why=why) + "\n")
    typer.echo(f"{estimator.schema_}\n")
    typer.echo(tree.to_text(max_depth=PRINTED_DEPTH))
    typer.echo("\n" + _("Size: {size}.").format(size=size))
    typer.echo(_("On its own rows: {found}").format(found=fit_on(estimator, frame, target)))


def honest_estimate(estimator: TreeEstimator, frame: pl.DataFrame, target: str) -> str:
    """Return how good trees grown in the same way are on rows they have not seen, with an interval."""
    n = frame[target].count()
    if n < FEWEST_JUDGED:
        return _("On other rows: {n} rows are too few to tell.").format(n=n)
    model = type(estimator)(**{**estimator.get_params(), "verbose": 0})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # growing has said what there is to say about the rows
            if n <= CROSS_VALIDATED_ROWS:
                found, how = evaluate.cross_validate(model, frame, target), _("10-fold cross-validation")
            else:
                found = evaluate.holdout(model, frame, target)
                how = _("{n} rows held out").format(n=len(found.predictions))
            interval = found.interval()
    except ValueError as error:  # a part of the rows may be what a tree cannot be grown on
        text = _("On other rows: no estimate, since with a part of the rows {error}")
        return text.format(error=translate_filled(str(error)))
    by_number = found.task == "number"
    figures = [f"{x:.4g}" if by_number else f"{100 * x:.1f}" for x in (interval.estimate, interval.low, interval.high)]
    number = _("On other rows, by {how}: root mean squared error {estimate} ({low} to {high} with 95 % confidence).")
    share = _("On other rows, by {how}: {estimate} % right ({low} to {high} % with 95 % confidence).")
    places = dict(zip(("estimate", "low", "high"), figures, strict=True))
    return (number if by_number else share).format(how=how, **places)


def fit_on(model: TreeEstimator | RulesClassifier, frame: pl.DataFrame, target: str) -> str:
    """Return how well a model fits a table that holds the target: the share of rows right, or the mean error."""
    column = columns_of(frame.select(target)).columns[0]
    known = frame.filter(pl.Series(~column.missing()))
    predicted = model.predict(known)
    truth = known[target].to_list()
    if getattr(model, "classes_", None) is None:
        if not all(isinstance(t, int | float) for t in truth):
            text = _("the column {column} holds text, so the answers are not compared with it")
            return text.format(column=repr(target))
        error = float(np.abs(predicted - np.array(truth, dtype=np.float64)).mean())
        found = _("mean absolute error {error} ({n} rows)").format(error=f"{error:.4g}", n=len(known))
    else:
        right = sum(str(p) == str(t) or p == t for p, t in zip(predicted.tolist(), truth, strict=True))
        share = f"{100 * right / max(len(known), 1):.1f} %"
        found = _("{right} of {n} right ({share})").format(right=right, n=len(known), share=share)
    if isinstance(model, RulesClassifier):
        return found + _(".")
    questions = _("; mean number of questions a row: {n}.").format(n=f"{model.tree_.mean_tests:.2f}")
    return found + questions


def python_call(
    file: str, estimator: TreeEstimator, target: str, na: list[str] | None, separator: str | None, decimal: str | None
) -> str:
    """Return the Python lines that grow the same tree."""
    reading = {"missing": na, "separator": separator, "decimal": decimal}
    extra = "".join(f", {name}={value!r}" for name, value in reading.items() if value is not None)
    call = constructor_call(estimator, ("verbose",))
    return (
        "  import deciduous\n"
        f"  frame = deciduous.read_table({file!r}{extra})\n"
        f"  model = deciduous.{call}.fit(frame, {target!r})"
    )
