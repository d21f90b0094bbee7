"""`deciduous draw`: the picture of a saved tree."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deciduous.cli.app import app
from deciduous.cli.common import ModelFile, open_model
from deciduous.draw.formats import FORMATS, content_of, kind_of
from deciduous.errors import OptionError
from deciduous.files import refuse_overwriting, write_to_stdout, write_whole
from deciduous.language import translate as _


@app.command(
    epilog="Example:  deciduous draw loan.json --out loan.svg\n\n"
    "Example:  deciduous draw loan.json --format mermaid --max-depth 2\n\n"
    'Example:  deciduous draw loan.json --out path.png --row "Owns House=No" --row Employed=Yes'
)
def draw(
    model: ModelFile,
    format: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(FORMATS)}; by default what --out ends in, else svg."),
    ] = None,
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    max_depth: Annotated[int | None, typer.Option(help="Draw at most so many levels of questions.")] = None,
    max_nodes: Annotated[int | None, typer.Option(help="Draw at most so many nodes, level by level.")] = None,
    direction: Annotated[str, typer.Option(help="down or right.")] = "down",
    row: Annotated[
        list[str] | None, typer.Option(metavar="NAME=CELL", help="A cell of a row whose path is highlighted.")
    ] = None,
    splits: Annotated[int | None, typer.Option(help="The half-grown tree after so many splits.")] = None,
    collapse: Annotated[list[int] | None, typer.Option(metavar="NODE", help="A node to close.")] = None,
    impurity: Annotated[bool, typer.Option("--impurity", help="Show the impurity of each node.")] = False,
    numbers: Annotated[bool, typer.Option("--numbers", help="Show the number of each node.")] = False,
    counts: Annotated[bool, typer.Option(help="Show rows, counts and shares.")] = True,
    shape: Annotated[str, typer.Option(help="box or round.")] = "box",
    digits: Annotated[int, typer.Option(help="Significant digits of numbers.")] = 4,
    theme: Annotated[str, typer.Option(help="light, dark or grey.")] = "light",
    ascii: Annotated[bool, typer.Option("--ascii", help="text: draw the lines of the tree in ASCII.")] = False,
) -> None:
    """Draw the tree of MODEL. SVG, DOT, Mermaid, TikZ and text need nothing installed; PNG and PDF need matplotlib."""
    if out is not None:
        refuse_overwriting(out, model)
    options: dict[str, Any] = {
        "max_depth": max_depth,
        "max_nodes": max_nodes,
        "direction": direction,
        "row": None if row is None else row_of(row),
        "splits": splits,
        "collapse": tuple(collapse or ()),
        "impurity": impurity,
        "numbers": numbers,
        "counts": counts,
        "shape": shape,
        "digits": digits,
    }
    kind = format or ("svg" if out is None else kind_of(out))
    if ascii and kind != "text":
        raise OptionError(f"--ascii belongs to --format text, not to {kind}.")
    if ascii:
        options["rails"] = "ascii"
    content = content_of(open_model(model), kind, theme=theme, **options)
    if out is None:
        write_to_stdout(content)
    else:
        write_whole(out, content)
        typer.echo(_("Wrote {file}.").format(file=out))


def row_of(cells: list[str]) -> dict[str, str | None]:
    """Return the row that NAME=CELL pairs describe; an empty cell is missing. OptionError for what is no pair."""
    row: dict[str, str | None] = {}
    for cell in cells:
        name, sign, text = cell.partition("=")
        if not sign:
            raise OptionError(f'--row {cell!r} must be NAME=CELL, for example --row "Owns House=No".')
        row[name] = text or None
    return row
