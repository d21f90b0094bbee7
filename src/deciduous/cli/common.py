"""What several sub-commands need: options that read a file, and the model they work on."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer
from rich.cells import cell_len

from deciduous.cli.app import complain
from deciduous.data.readers import read_table_with_report
from deciduous.errors import OptionError, listing, nearest
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.io import load
from deciduous.estimators.rules import RulesClassifier
from deciduous.explain.shown import Shown
from deciduous.files import write_whole
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.model.tree import Tree
from deciduous.textgrid import WIDTH, wrapped

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by 'deciduous fit --save'.")]
TableFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV or TSV file in UTF-8, with a header line.")]
MissingWords = Annotated[
    list[str] | None,
    typer.Option(
        "--na", metavar="WORD", help="A word that means a missing cell, instead of the rules (may be repeated)."
    ),
]
Separator = Annotated[
    str | None, typer.Option("--separator", help="What separates cells, instead of what the header suggests.")
]
Decimal = Annotated[str | None, typer.Option("--decimal", help="The decimal mark: '.' or ','.")]


def say(text: object) -> None:
    """Print text, lines that are longer than those of a terminal broken at blanks.

    Lines that end in the name of a file are printed as they are, so that it can be copied: they do not come here.
    """
    for line in str(text).split("\n"):
        for part in [line] if cell_len(line) <= WIDTH else wrapped(line, WIDTH, "  "):
            typer.echo(part)


def note(text: str) -> None:
    """Say something beside the result, on stderr."""
    complain(_("note"), text)


def read(path: str, na: list[str] | None, separator: str | None, decimal: str | None) -> pl.DataFrame:
    """Read a table and say how it was read, where anything was guessed."""
    frame, report = read_table_with_report(path, missing=na, separator=separator, decimal=decimal)
    for text in report.notes:
        note(translate_filled(text))
    return frame


def open_model(path: str) -> TreeEstimator:
    """Read the model file of a tree."""
    model = load(path)
    if isinstance(model, RulesClassifier):
        raise OptionError(
            f"{path} holds simplified rules and no tree: 'deciduous rules' prints them, 'deciduous predict' answers by "
            "them."
        )
    return model


def of_target(tree: Tree, target: str | None) -> Tree:
    """Return the tree of the target that `--target` names; of several one must be named."""
    if target is None and tree.others:
        raise OptionError(
            f"the model has {len(tree.targets)} targets, {listing(tree.targets)}; --target chooses one of them."
        )
    if target is not None and target not in tree.targets:
        raise OptionError(
            f"--target {target!r} is no target of the model; it has {listing(tree.targets)}."
            + nearest(target, tree.targets)
        )
    return next(one for one in tree.by_target() if target in (None, one.target))


def show(shown: Shown, format: str, out: str | None) -> None:
    """Write something in a form to a file, or part by part to the terminal."""
    parts = shown.parts(format)
    if out is None:
        for part in parts:
            typer.echo(part, nl=False)
        return
    write_whole(out, "".join(parts))
    typer.echo(_("Wrote {file}.").format(file=out))
