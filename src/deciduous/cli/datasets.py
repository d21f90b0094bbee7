"""`deciduous datasets`: the tables that come along."""

from __future__ import annotations

from typing import Annotated

import typer

from deciduous import datasets as tables
from deciduous.cli.app import app
from deciduous.cli.common import say
from deciduous.errors import OptionError
from deciduous.files import write_whole
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.textgrid import grid


@app.command(epilog="Example:  deciduous datasets loan --out loan.csv")
def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The table to write; without one, all are listed.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="Write the table to this CSV file instead of the terminal.")] = None,
    english: Annotated[bool, typer.Option("--english", help="English names in the watermelon tables.")] = False,
) -> None:
    """List the tables that come along, or write one as CSV."""
    if name is None:
        if out is not None:
            raise OptionError("--out needs the name of a table, for example: deciduous datasets loan --out loan.csv")
        say(listing_text())
        return
    frame = tables.load(name, english=english).frame
    text = frame.write_csv(null_value="?")
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_whole(out, text)
        rows = _n("Wrote {n} row to {file}.", "Wrote {n} rows to {file}.", len(frame))
        typer.echo(rows.format(n=len(frame), file=out))


def listing_text() -> str:
    """Return the tables with size, target and source."""
    rows = []
    for name in tables.names():
        table = tables.load(name)
        rows.append([name, str(len(table.frame)), str(table.X.width), table.target, _(table.description)])
    return grid([_("name"), _("rows"), _("features"), _("target"), _("what it is")], rows, numbers=[1, 2])
