"""The flags of growing, which several sub-commands have: declared once, read into the options of an estimator."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import polars as pl
import typer

from deciduous.errors import OptionError
from deciduous.grow.option_checks import PRUNING

#: Every flag by the name of its option: its type, and its help.
FLAGS: dict[str, tuple[Any, str]] = {
    "kind": (list[str], "NAME=KIND: what a column is: numeric, nominal, id or weight (may be repeated)."),
    "criterion": (
        str,
        "id3: gain, gini. c45: gain_ratio, gain. cart: gini, entropy, log_loss, misclassification; for numbers "
        "squared_error, absolute_error, friedman_mse, poisson.",
    ),
    "nominal": (str, "How categories are split: multiway, subset, one_vs_rest or groups (c45)."),
    "numeric": (str, "threshold, or error (no numbers, as in 1986)."),
    "threshold": (str, "midpoint, or data (a value of the table)."),
    "missing": (str, "Missing cells: error, majority, branch, direction, fractional or surrogates."),
    "unseen": (str, "Categories never seen in training: node, missing or error."),
    "conventions": (str, "c45: c45 (the book), j48 or r8 (that program's trees)."),
    "guard": (bool, "c45: only features of at least average gain compete."),
    "mdl_correction": (bool, "c45: thresholds pay for their number."),
    "zero_gain": (str, "Splits without gain: split or stop."),
    "min_gain": (float, "The least gain of a split."),
    "min_cases": (float, "c45: at least two branches have this weight."),
    "priors": (str, "cart, missing=surrogates: CLASS=PRIOR,CLASS=PRIOR,... instead of the shares in the table."),
    "loss": (
        str,
        "cart, missing=surrogates: what wrong answers cost, a line a true class, such as '0,1;4,0'.",
    ),
    "costs": (list[str], "cart, missing=surrogates: NAME=COST: improvements by this column are divided by it."),
    "max_surrogates": (int, "cart: the surrogates that a node keeps; default 5."),
    "max_competitors": (int, "cart: the competing splits that a summary shows; default 4."),
    "use_surrogates": (int, "cart: 0 leaves rows at a missing cell, 1 asks surrogates, 2 also the larger side."),
    "surrogate_style": (int, "cart: agreement over all rows (0), or over those that the surrogate knows (1)."),
    "cp": (float, "cart, missing=surrogates: the share of the root's risk that a split must save."),
    "shrink": (float, "cart, poisson with surrogates: how far rates are shrunk towards the overall rate; 0 for not."),
    "cv_loss": (str, "cart, poisson with surrogates: how folds judge rates: deviance or sqrt."),
    "collapse": (bool, "c45: subtrees that answer no more rows rightly become leaves."),
    "laplace": (bool, "c45: one row more of each class in a leaf's shares."),
    "max_depth": (int, "The most questions on a path."),
    "min_samples_split": (str, "A node with fewer rows is a leaf; or a share of all rows, such as 0.1."),
    "min_samples_leaf": (str, "The least rows of a branch, or the share of all rows."),
    "min_weight_fraction_leaf": (float, "The least share of the total weight in a branch."),
    "min_impurity": (float, "A node at most this impure is a leaf."),
    "min_impurity_decrease": (float, "cart: the least drop in impurity, by share of the weight."),
    "max_leaf_nodes": (int, "The most leaves; the tree then grows best first."),
    "splitter": (str, "cart: best, or random (a split of each column drawn at random)."),
    "max_features": (
        str,
        "cart: how many columns a node looks at: a number, a share such as 0.5, sqrt or log2.",
    ),
    "monotonic_cst": (
        list[str],
        "cart: NAME=1: the answer never falls as this column grows; NAME=-1: never rises (may be repeated).",
    ),
    "class_weight": (str, "balanced, or CLASS=WEIGHT,CLASS=WEIGHT,..."),
    "keep_candidates": (int, "Up to so many nodes the model can be explained; default 1000."),
    "max_bins": (int, "Search columns of more values in so many bins; never by default."),
    "verbose": (bool, "A progress bar on long work; by default where the terminal can show it."),
    "n_jobs": (int, "Threads; all cores by default. The tree is the same."),
    "pruning": (str, f"How the grown tree is pruned: none, {', '.join(PRUNING)}."),
    "ccp_alpha": (float, "cost_complexity: the price of a leaf, as in scikit-learn."),
    "confidence": (float, "c45: the confidence of --pruning error; smaller prunes more."),
    "subtree_raising": (bool, "c45: --pruning error may put a branch in its parent's place."),
    "cv": (int, "cost_complexity: folds that choose the price of a leaf."),
    "rule": (str, "Which subtree validation rows choose: min or 1se."),
    "validation_fraction": (
        float,
        "The share of rows held out by pruning that needs validation rows; default 0.25.",
    ),
    "random_state": (int, "The seed of all random choices; 0 by default."),
}


def growing_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of growing in the place of its parameter `options`: it gets those that were set, by
    name, as they were typed.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "options"]
    flags = [_parameter(name, kind, text) for name, (kind, text) in FLAGS.items()]
    place = list(signature.parameters).index("options")
    parameters = [*own[:place], *flags, *own[place:]]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        options = {name: given.pop(name) for name in FLAGS}
        command(**given, options={name: value for name, value in options.items() if value is not None})

    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


def _parameter(name: str, kind: Any, text: str) -> inspect.Parameter:
    annotation = Annotated[kind | None, typer.Option(help=text, show_default=False)]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=annotation)


def parsed(options: dict[str, Any], target: pl.Series) -> dict[str, Any]:
    """Return the options of an estimator from flags as they were typed; `target`: the column to predict."""
    ready = {name: value for name, value in options.items() if name != "kind"}
    ready["verbose"] = int(options.get("verbose", sys.stderr.isatty()))
    for name, parse in PARSERS.items():
        if name in ready:
            ready[name] = parse(ready[name])
    if "class_weight" in ready:
        ready["class_weight"] = parse_class_weight(ready["class_weight"], target)
    if "priors" in ready:
        ready["priors"] = parse_class_weight(ready["priors"], target, "priors")
    if int(options.get("cv", 2)) < 2:  # Python takes folds, too, and says so
        raise OptionError(f"--cv {options['cv']} must be a whole number of at least 2.")
    if options.get("kind"):
        ready["kinds"] = parse_kinds(options["kind"])
    return ready


def parse_kinds(kinds: list[str]) -> dict[str, str]:
    """Return what `--kind NAME=KIND` says; the last `=` separates, since names may contain some."""
    parsed: dict[str, str] = {}
    for text in kinds:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise OptionError(f"--kind {text!r} must read NAME=KIND, for example zip=nominal.")
        if parsed.setdefault(name, kind) != kind:
            raise OptionError(f"--kind gives the column {name!r} two kinds, {parsed[name]} and {kind}.")
    return parsed


def parse_number(text: str) -> int | float | str:
    """Return what an option says that may be a whole number, a share, or a word."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def parse_monotonic(constraints: list[str]) -> dict[str, int]:
    """Return what `--monotonic-cst NAME=SIGN` says; the last `=` separates, since names may contain some."""
    parsed: dict[str, int] = {}
    for text in constraints:
        name, equals, sign = text.rpartition("=")
        if not equals or sign.strip() not in ("-1", "0", "1", "+1"):
            raise OptionError(f"--monotonic-cst {text!r} must read NAME=1, NAME=-1 or NAME=0, for example age=1.")
        if parsed.setdefault(name, int(sign)) != int(sign):
            raise OptionError(f"--monotonic-cst gives the column {name!r} two constraints, {parsed[name]} and {sign}.")
    return parsed


def parse_class_weight(text: str, target: pl.Series, flag: str = "class-weight") -> Any:
    """Return what `--class-weight` (or another flag) says, with labels of the target's own type."""
    if text == "balanced":
        return text
    labels = {str(label): label for label in target.unique().to_list() if label is not None}
    weights = {}
    for pair in text.split(","):
        name, equals, weight = pair.rpartition("=")
        label = labels.get(name.strip(), name.strip())
        if equals and label in weights:
            raise OptionError(f"--{flag} gives the class {name!r} two weights.")
        try:
            weights[label] = float(weight if equals else "")
        except ValueError:
            raise OptionError(
                f"--{flag} {pair!r} must read CLASS=NUMBER, for example yes=2"
                + (", or be 'balanced'." if flag == "class-weight" else ".")
            ) from None
    return weights


def parse_loss(text: str) -> list[list[float]]:
    """Return what `--loss` says: lines separated by semicolons, numbers by commas."""
    try:
        return [[float(cell) for cell in line.split(",")] for line in text.split(";")]
    except ValueError:
        raise OptionError(f"--loss {text!r} must read as lines of numbers, for example '0,1;4,0'.") from None


def parse_costs(costs: list[str]) -> dict[str, float] | None:
    """Return what `--costs NAME=COST` says; the last `=` separates, since names may contain some."""
    parsed: dict[str, float] = {}
    for text in costs:
        name, equals, cost = text.rpartition("=")
        if name in parsed:
            raise OptionError(f"--costs gives the column {name!r} two costs.")
        try:
            parsed[name] = float(cost if equals else "")
        except ValueError:
            raise OptionError(f"--costs {text!r} must read NAME=COST, for example scan=3.5.") from None
    return parsed or None


def parse_pruning(text: str) -> str | None:
    """Return the pruner that `--pruning` names; None for `none`."""
    return None if text == "none" else text


PARSERS: dict[str, Callable[[Any], Any]] = {
    "max_features": parse_number,
    "min_samples_split": parse_number,
    "min_samples_leaf": parse_number,
    "monotonic_cst": parse_monotonic,
    "pruning": parse_pruning,
    "loss": parse_loss,
    "costs": parse_costs,
}
