"""`deciduous fit`: grow a tree on a table, print it, how good it is, and save it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer
from rich.cells import cell_len

from deciduous import evaluate
from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, TableFile, read, say
from deciduous.cli.growing import growing_flags, parsed
from deciduous.cli.model import choose_common_task, make_estimator, sized, target_of
from deciduous.data.frames import columns_of
from deciduous.errors import DataError, DataWarning
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.parameters import constructor_call
from deciduous.estimators.rules import RulesClassifier
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.language import translate_plural as _n
from deciduous.textgrid import WIDTH

#: A tree is printed down to this depth; `deciduous show` prints all of it.
PRINTED_DEPTH = 5
#: A tree is judged by cross-validation on tables of at most so many rows, by rows held out on larger ones.
CROSS_VALIDATED_ROWS = 5000
#: A longer call of a constructor has a line an option, so that the call of fit stands beside it.
CALL_WIDTH = 50
#: Fewer rows say nothing about other rows.
FEWEST_JUDGED = 10


@app.command(
    epilog="Example:  deciduous fit loan.csv --target Class --algorithm id3 --save m.json\n\n"
    "Example:  deciduous fit prices.csv --target price --algorithm cart"
)
@growing_flags
def fit(
    file: TableFile,
    target: Annotated[
        list[str],
        typer.Option(
            help="The column to predict; several, with commas between or --target repeated, by one tree (cart only).",
            show_default=False,
        ),
    ],
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
    exposure: Annotated[
        str | None,
        typer.Option(
            help="cart, poisson with surrogates: the column that says how long or how many each row was watched; the "
            "target counts events, and the tree predicts rates.",
            show_default=False,
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
    targets = targets_of(frame, target)
    columns = [target_of(frame, file, name) for name in targets]
    rates = frame if exposure is None else with_rates(frame, file, targets, exposure)
    chosen_task, why = choose_common_task(columns, algorithm, "number" if exposure and task is None else task)
    chosen, size = sized(parsed(options, columns[0]), algorithm, len(frame), len(targets))
    estimator = make_estimator(algorithm, chosen_task, chosen)
    if len(targets) == 1:
        estimator.fit(frame, targets[0], **({} if exposure is None else {"exposure": exposure}))
    else:
        estimator.fit(frame.drop(targets), frame.select(targets))
    document = estimator.tree_.to_json()
    if save is not None:
        write_whole(save, document)
    print_fit(estimator, rates, targets, why, size)
    if exposure is not None:
        say(
            _("On other rows: with --exposure the folds of --cv judge rates; see xerror in 'deciduous show --summary'.")
        )
    elif estimate and len(targets) == 1:
        say(honest_estimate(estimator, frame, targets[0]))
    elif estimate:
        text = _("On other rows: no estimate for several targets; scikit-learn's cross_validate judges such trees.")
        say(text)
    call = python_call(file, estimator, targets, na, separator, decimal, exposure)
    typer.echo("\n" + _("The same in Python:") + "\n" + call)
    if save is not None:
        typer.echo("\n" + _("Saved to {file}.").format(file=save))


def targets_of(frame: pl.DataFrame, given: Sequence[str]) -> list[str]:
    """Return the columns to predict: each of the given words is a column, or several with commas between."""
    names = [name for word in given for name in ([word] if word in frame.columns else word.split(","))]
    return list(dict.fromkeys(name if name in frame.columns else name.strip() for name in names))


def with_rates(frame: pl.DataFrame, file: str, targets: Sequence[str], exposure: str) -> pl.DataFrame:
    """Return the table with events by exposure as the target, for the comparison with what a tree of rates predicts."""
    target_of(frame, file, exposure)
    for name in (*targets, exposure):
        if not frame[name].dtype.is_numeric():
            raise DataError(f"--exposure goes with numbers; the column {name!r} holds text.")
    return frame.with_columns((pl.col(targets[0]) / pl.col(exposure)).alias(targets[0]))


def print_fit(estimator: TreeEstimator, frame: pl.DataFrame, targets: Sequence[str], why: str, size: str) -> None:
    """Print what the columns were taken for, the tree, and how well it fits its own rows."""
    tree = estimator.tree_
    classes, numbers = _("{name} predicts classes ({why})."), _("{name} predicts numbers ({why}).")
    what = classes if tree.task == "class" else numbers
    say(what.format(name=type(estimator).__name__, why=why) + "\n")
    say(f"{estimator.schema_}\n")
    say(tree.to_text(max_depth=PRINTED_DEPTH, width=WIDTH))
    say("\n" + _("Size: {size}.").format(size=size))
    if len(targets) == 1:
        say(_("On its own rows: {found}").format(found=fit_on(estimator, frame, targets[0])))
        return
    predicted = estimator.predict(frame)
    for k, name in enumerate(targets):
        known = ~columns_of(frame.select(name)).columns[0].missing()
        found = compared(predicted[known, k], frame.filter(pl.Series(known))[name], tree.task == "number") + _(".")
        say(f"{name}: " + _("On its own rows: {found}").format(found=found))


def honest_estimate(estimator: TreeEstimator, frame: pl.DataFrame, target: str) -> str:
    """Return how good trees grown in the same way are on rows they have not seen, with an interval."""
    n = frame[target].count()
    if n < FEWEST_JUDGED:
        few = _n("On other rows: {n} row is too few to tell.", "On other rows: {n} rows are too few to tell.", n)
        return few.format(n=n)
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
    found = compared(model.predict(known), known[target], getattr(model, "classes_", None) is None)
    if isinstance(model, RulesClassifier):
        return found + _(".")
    questions = _("; mean number of questions a row: {n}.").format(n=f"{model.tree_.mean_tests:.2f}")
    return found + questions


def compared(predicted: Any, target: pl.Series, by_number: bool) -> str:
    """Return how many answers are right, or how far off they are."""
    truth = target.to_list()
    if by_number:
        if not all(isinstance(t, int | float) for t in truth):
            text = _("the column {column} holds text, so the answers are not compared with it")
            return text.format(column=repr(target.name))
        error = float(np.abs(predicted - np.array(truth, dtype=np.float64)).mean())
        return _("mean absolute error {error} ({n} rows)").format(error=f"{error:.4g}", n=len(truth))
    right = sum(str(p) == str(t) or p == t for p, t in zip(predicted.tolist(), truth, strict=True))
    share = f"{100 * right / max(len(truth), 1):.1f} %"
    return _("{right} of {n} right ({share})").format(right=right, n=len(truth), share=share)


def python_call(
    file: str,
    estimator: TreeEstimator,
    targets: Sequence[str],
    na: list[str] | None,
    separator: str | None,
    decimal: str | None,
    exposure: str | None = None,
) -> str:
    """Return the Python lines that grow the same tree."""
    reading = {"missing": na, "separator": separator, "decimal": decimal}
    extra = "".join(f", {name}={value!r}" for name, value in reading.items() if value is not None)
    several = [f"frame.drop({list(targets)!r})", f"frame.select({list(targets)!r})"]
    rows = ["frame", repr(targets[0])] if len(targets) == 1 else several
    rows += [] if exposure is None else [f"exposure={exposure!r}"]
    call = f"model = deciduous.{constructor_call(estimator, ('verbose',), CALL_WIDTH)}.fit("
    last = call.rpartition("\n")[2] + ", ".join(rows) + ")"
    if cell_len(last) > WIDTH - 2:
        rows = ["", *(f"    {part}," for part in rows), ""]
    call += ("\n" if rows[0] == "" else ", ").join(rows) + ")"
    lines = ["import deciduous", f"frame = deciduous.read_table({file!r}{extra})", *call.split("\n")]
    return "\n".join(f"  {line}" for line in lines)
