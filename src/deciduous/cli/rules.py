"""`deciduous rules`: a saved tree as IF-THEN rules."""

from __future__ import annotations

from typing import Annotated

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Language, ModelFile, open_model
from deciduous.errors import OptionError, listing, nearest
from deciduous.explain import rules_text
from deciduous.explain.rules import rules as rules_of
from deciduous.files import write_whole

FORMATS = ("text", "md", "csv")


@app.command(epilog="Example:  deciduous rules loan.json --order coverage --min-confidence 0.9")
def rules(
    model: ModelFile,
    order: Annotated[str, typer.Option(help="tree, coverage, confidence, lift or prediction.")] = "tree",
    answer: Annotated[str | None, typer.Option(help="Only the rules that end in this class.")] = None,
    min_coverage: Annotated[float, typer.Option(help="Only rules that cover this share of the table.")] = 0.0,
    min_confidence: Annotated[float, typer.Option(help="Only rules that are right in this share of their rows.")] = 0.0,
    min_lift: Annotated[float, typer.Option(help="Only rules of at least this lift.")] = 0.0,
    min_samples: Annotated[int, typer.Option(help="Only rules that cover so many training rows.")] = 0,
    stops: Annotated[
        bool, typer.Option("--stops", help="Also the rules for categories that training never saw.")
    ] = False,
    digits: Annotated[int, typer.Option(help="Significant digits of numbers.")] = 6,
    format: Annotated[str, typer.Option(help="text, md or csv.")] = "text",
    lang: Language = None,
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
) -> None:
    """Print the tree of a model file as IF-THEN rules, each with what it covers and how often it is right."""
    if format not in FORMATS:
        raise OptionError(f"--format {format!r} is not one of {listing(FORMATS)}.{nearest(format, FORMATS)}")
    if not 1 <= digits <= 17:
        raise OptionError(f"--digits {digits} must be between 1 and 17.")
    tree = open_model(model).tree_
    found = rules_of(tree, stops)
    if order != "tree":
        found = found.ordered(order)
    label = None
    if answer is not None:
        label = next((known for known in tree.classes if str(known) == answer), None)
        if label is None:
            raise OptionError(
                f"--answer {answer!r} is none of the classes {listing(tree.classes)}.{nearest(answer, tree.classes)}"
            )
    found = found.where(
        prediction=label,
        min_coverage=min_coverage,
        min_confidence=min_confidence,
        min_lift=min_lift,
        min_samples=min_samples,
    )
    if format == "text" and out is None:
        for line in rules_text.lines_of(found, digits, lang):
            typer.echo(line)
        return
    shown = {
        "text": lambda: rules_text.text_of(found, digits, lang) + "\n",
        "md": lambda: rules_text.markdown_of(found, digits, lang) + "\n",
        "csv": lambda: found.to_frame().write_csv(),
    }[format]()
    if out is None:
        typer.echo(shown, nl=False)
    else:
        write_whole(out, shown)
        typer.echo(f"Wrote {len(found)} rules to {out}.")
