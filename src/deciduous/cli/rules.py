"""`deciduous rules`: a saved tree as IF-THEN rules, as they are or simplified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, of_target, read, show
from deciduous.errors import OptionError, listing, nearest
from deciduous.estimators.io import load
from deciduous.estimators.rules import RulesClassifier, explain_simplification
from deciduous.explain import rules_text
from deciduous.explain.rules import Rules
from deciduous.explain.rules import rules as rules_of
from deciduous.explain.shown import FORMATS as SHOWN
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.ruleset.rule_set import RuleSet
from deciduous.ruleset.working import SimplificationDerivation

FORMATS = ("text", "md", "csv")
#: What orders and chooses among a tree's rules, with what it is unless said; simplified rules have their own order.
CHOICES = {
    "order": "tree",
    "answer": None,
    "min_coverage": 0.0,
    "min_confidence": 0.0,
    "min_lift": 0.0,
    "min_samples": 0,
    "stops": False,
    "digits": None,
}


@app.command(
    epilog="Example:  deciduous rules loan.json --order coverage --min-confidence 0.9\n\n"
    "Example:  deciduous rules loan.json --simplify --data loan.csv --save rules.json\n\n"
    "Example:  deciduous rules loan.json --simplify --data loan.csv --working"
)
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
    simplify: Annotated[
        bool, typer.Option("--simplify", help="Make the rules shorter and fewer, as C4.5 does; --data is needed.")
    ] = False,
    data: Annotated[str | None, typer.Option(help="--simplify: the table that the tree was grown on.")] = None,
    confidence: Annotated[
        float | None, typer.Option(help="--simplify: the confidence, by default 0.25; smaller drops more conditions.")
    ] = None,
    theory_weight: Annotated[
        float | None,
        typer.Option(help="--simplify: what the bits of rules count, by default 0.5; smaller keeps more rules."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Of several targets the one that the rules are to answer.")] = None,
    save: Annotated[
        str | None, typer.Option(help="--simplify: write the rules to this file (JSON), a model of their own.")
    ] = None,
    working: Annotated[
        bool,
        typer.Option("--working", help="--simplify: show how the rules come about, every figure as by hand."),
    ] = False,
    digits: Annotated[
        int | None, typer.Option(help="Significant digits of numbers, by default 6; of --working decimals, 3.")
    ] = None,
    format: Annotated[
        str, typer.Option(help="text, md or csv; of simplified rules also latex, html or json.")
    ] = "text",
    out: Annotated[str | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Print the tree of a model file as IF-THEN rules, each with what it covers and how often it is right.

    With --simplify the rules are made shorter and fewer. MODEL may also be a file of simplified rules (--save).
    """
    if digits is not None and not 1 <= digits <= 17:
        raise OptionError(f"--digits {digits} must be between 1 and 17.")
    choices = {
        "order": order,
        "answer": answer,
        "min_coverage": min_coverage,
        "min_confidence": min_confidence,
        "min_lift": min_lift,
        "min_samples": min_samples,
        "stops": stops,
    }
    for path in (out, save):
        refuse_overwriting(path, model, data)
    opened = load(model)
    if not simplify:
        _refuse_without_simplify(data=data, confidence=confidence, theory_weight=theory_weight, working=working or None)
    if isinstance(opened, RulesClassifier):
        if simplify:
            raise OptionError(f"{model} holds rules that are simplified already; leave out --simplify.")
        choices["digits"] = digits
        _show_simplified(opened.rules_, choices, format, out, save)
        return
    tree = of_target(opened.tree_, target)
    if simplify:
        if data is None:
            raise OptionError("--simplify needs --data FILE, the table that the tree was grown on.")
        frame = read(data, na, separator, decimal)
        found = explain_simplification(
            tree,
            frame,
            tree.target,
            confidence=confidence,
            theory_weight=theory_weight,
            digits=3 if digits is None else digits,
        )
        if not working:
            choices["digits"] = digits
        _show_simplified(found if working else found.rules, choices, format, out, save)
        return
    _refuse_without_simplify(save=save)
    _show_rules(_chosen(rules_of(tree, stops), choices), 6 if digits is None else digits, format, out)


def _refuse_without_simplify(**options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise OptionError(f"--{name.replace('_', '-')} goes with --simplify.")


def _chosen(found: Rules, choices: Mapping[str, object]) -> Rules:
    """Return the rules that the options choose, in their order."""
    tree, answer, order = found.tree, choices["answer"], str(choices["order"])
    if order != "tree":
        found = found.ordered(order)
    label = next((known for known in tree.classes if str(known) == answer), None)
    if answer is not None and label is None:
        raise OptionError(
            f"--answer {answer!r} is none of the classes {listing(tree.classes)}.{nearest(answer, tree.classes)}"
        )
    limits = {name: value for name, value in choices.items() if name.startswith("min_")}
    return found.where(prediction=label, **limits)  # type: ignore[arg-type]


def _show_rules(found: Rules, digits: int, format: str, out: str | None) -> None:
    if format not in FORMATS:
        raise OptionError(f"--format {format!r} is not one of {listing(FORMATS)}.{nearest(format, FORMATS)}")
    if format == "text" and out is None:
        for line in rules_text.lines_of(found, digits):
            typer.echo(line)
        return
    shown = {
        "text": lambda: rules_text.text_of(found, digits) + "\n",
        "md": lambda: rules_text.markdown_of(found, digits) + "\n",
        "csv": lambda: found.to_frame().write_csv(),
    }[format]()
    if out is None:
        typer.echo(shown, nl=False)
        return
    write_whole(out, shown)
    text = _n("Wrote {n} rule to {file}.", "Wrote {n} rules to {file}.", len(found))
    typer.echo(text.format(n=len(found), file=out))


def _show_simplified(
    found: RuleSet | SimplificationDerivation,
    choices: Mapping[str, object],
    format: str,
    out: str | None,
    save: str | None,
) -> None:
    for name, value in choices.items():
        if value != CHOICES[name]:
            flag = name.replace("_", "-")
            raise OptionError(f"--{flag} is for the rules of a tree, not for simplified ones.")
    formats = (*SHOWN, "csv")
    if format not in formats:
        raise OptionError(f"--format {format!r} is not one of {listing(formats)}.{nearest(format, formats)}")
    if save is not None:
        (found if isinstance(found, RuleSet) else found.rules).save(save)
    if format != "csv":
        show(found, format, out)
    elif out is None:
        typer.echo(found.to_frame().write_csv(), nl=False)
    else:
        write_whole(out, found.to_frame().write_csv())
        typer.echo(_("Wrote {file}.").format(file=out))
    if save is not None and out is None and format == "text":
        typer.echo("\n" + _("Saved to {file}.").format(file=save))
