"""`deciduous show`: print a saved tree."""

from __future__ import annotations

from typing import Annotated

import typer

from deciduous.cli.app import app
from deciduous.cli.common import ModelFile, open_model, say
from deciduous.errors import OptionError
from deciduous.estimators.base import TreeEstimator
from deciduous.language import translate as _
from deciduous.textgrid import WIDTH


@app.command(epilog="Example:  deciduous show loan.json --max-depth 2")
def show(
    model: ModelFile,
    max_depth: Annotated[int | None, typer.Option(help="Print at most so many levels of questions.")] = None,
    digits: Annotated[int, typer.Option(help="Significant digits of numbers.")] = 4,
    numbers: Annotated[bool, typer.Option("--numbers", help="Put the number of each node before it.")] = False,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw the lines of the tree in ASCII.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print what every column was taken for, too.")] = False,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="A tree with surrogates: print its complexities and all splits, as rpart does."),
    ] = False,
) -> None:
    """Print the tree of a model file: questions, rows, counts and shares."""
    if max_depth is not None and max_depth < 0:
        raise OptionError(f"--max-depth {max_depth} must be at least 0.")
    if not 1 <= digits <= 17:
        raise OptionError(f"--digits {digits} must be between 1 and 17.")
    estimator = open_model(model)
    if schema:
        say(f"{estimator.schema_}\n")
    if summary:
        say(estimator.summary(digits))
        return
    rails = "ascii" if ascii else "unicode"
    say(estimator.tree_.to_text(max_depth=max_depth, digits=digits, numbers=numbers, rails=rails, width=WIDTH))
    say("\n" + _("Options: {options}").format(options=options_text(estimator)))


def options_text(estimator: TreeEstimator) -> str:
    """Return the options that a tree was grown with, those that its algorithm has, in one line."""
    own = estimator.get_params()
    return ", ".join(f"{name}={value}" for name, value in estimator.tree_.options.items() if name in own)
