"""`deciduous fit`: grow a tree on a table, print it, and save it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, TableFile, read
from deciduous.data.frames import columns_of
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.io import ESTIMATORS
from deciduous.files import refuse_overwriting, write_whole
from deciduous.grow.algorithm import PRUNING

ALGORITHMS = ("id3", "c45", "cart")
TASKS = ("class", "number")
#: A target of whole numbers with at most this many different ones is taken as classes.
MOST_NUMBER_CLASSES = 10
#: A tree is printed down to this depth; `deciduous show` prints all of it.
PRINTED_DEPTH = 5


def _option(help_text: str, **more: Any) -> Any:
    return typer.Option(help=help_text, show_default=False, **more)


@app.command(
    epilog="Example:  deciduous fit loan.csv --target Class --algorithm id3 --save m.json\n\n"
    "Example:  deciduous fit prices.csv --target price --algorithm cart"
)
def fit(
    file: TableFile,
    target: Annotated[str, _option("The column to predict.")],
    algorithm: Annotated[str, _option("id3, c45 or cart.")],
    save: Annotated[str | None, _option("Write the model to this file (JSON), whole or not at all.")] = None,
    task: Annotated[
        str | None, _option("class or number; by default what the target's cells suggest (cart only).")
    ] = None,
    kind: Annotated[
        list[str] | None, _option("NAME=KIND: what a column is: numeric, nominal, id or weight (may be repeated).")
    ] = None,
    criterion: Annotated[
        str | None,
        _option(
            "id3: gain, gini. c45: gain_ratio, gain. cart: gini, entropy, log_loss, misclassification; for numbers "
            "squared_error, absolute_error, friedman_mse, poisson."
        ),
    ] = None,
    nominal: Annotated[str | None, _option("How categories are split: multiway, subset or one_vs_rest.")] = None,
    numeric: Annotated[str | None, _option("threshold, or error (no numbers, as in 1986).")] = None,
    threshold: Annotated[str | None, _option("midpoint, or data (a value of the table).")] = None,
    missing: Annotated[str | None, _option("Missing cells: error, majority, branch, direction or fractional.")] = None,
    unseen: Annotated[str | None, _option("Categories never seen in training: node, missing or error.")] = None,
    conventions: Annotated[str | None, _option("c45: c45 (the book), j48 or r8 (that program's trees).")] = None,
    guard: Annotated[bool | None, _option("c45: only features of at least average gain compete.")] = None,
    mdl_correction: Annotated[bool | None, _option("c45: thresholds pay for their number.")] = None,
    zero_gain: Annotated[str | None, _option("Splits without gain: split or stop.")] = None,
    min_gain: Annotated[float | None, _option("The least gain of a split.")] = None,
    min_cases: Annotated[float | None, _option("c45: at least two branches have this weight.")] = None,
    collapse: Annotated[bool | None, _option("c45: subtrees that answer no more rows rightly become leaves.")] = None,
    laplace: Annotated[bool | None, _option("c45: one row more of each class in a leaf's shares.")] = None,
    max_depth: Annotated[int | None, _option("The most questions on a path.")] = None,
    min_samples_split: Annotated[int | None, _option("A node with fewer rows is a leaf.")] = None,
    min_samples_leaf: Annotated[int | None, _option("The least rows of a branch.")] = None,
    min_weight_fraction_leaf: Annotated[
        float | None, _option("The least share of the total weight in a branch.")
    ] = None,
    min_impurity: Annotated[float | None, _option("A node at most this impure is a leaf.")] = None,
    min_impurity_decrease: Annotated[
        float | None, _option("cart: the least drop in impurity, by share of the weight.")
    ] = None,
    max_leaf_nodes: Annotated[int | None, _option("The most leaves; the tree then grows best first.")] = None,
    splitter: Annotated[str | None, _option("cart: best, or random (a split of each column drawn at random).")] = None,
    max_features: Annotated[
        str | None, _option("cart: how many columns a node looks at: a number, a share such as 0.5, sqrt or log2.")
    ] = None,
    monotonic_cst: Annotated[
        list[str] | None,
        _option("cart: NAME=1: the answer never falls as this column grows; NAME=-1: never rises (may be repeated)."),
    ] = None,
    class_weight: Annotated[str | None, _option("balanced, or CLASS=WEIGHT,CLASS=WEIGHT,...")] = None,
    keep_candidates: Annotated[
        int | None, _option("Up to so many nodes the model can be explained; default 1000.")
    ] = None,
    max_bins: Annotated[int | None, _option("Search columns of more values in so many bins; never by default.")] = None,
    verbose: Annotated[
        bool | None, _option("A progress bar on long work; by default where the terminal can show it.")
    ] = None,
    n_jobs: Annotated[int | None, _option("Threads; all cores by default. The tree is the same.")] = None,
    pruning: Annotated[str | None, _option(f"How the grown tree is pruned: {', '.join(PRUNING)}.")] = None,
    ccp_alpha: Annotated[float | None, _option("cost_complexity: the price of a leaf, as in scikit-learn.")] = None,
    confidence: Annotated[float | None, _option("c45: the confidence of --pruning error; smaller prunes more.")] = None,
    subtree_raising: Annotated[
        bool | None, _option("c45: --pruning error may put a branch in its parent's place.")
    ] = None,
    cv: Annotated[int | None, _option("cost_complexity: folds that choose the price of a leaf.")] = None,
    rule: Annotated[str | None, _option("Which subtree validation rows choose: min or 1se.")] = None,
    validation_fraction: Annotated[
        float | None, _option("The share of rows held out by pruning that needs validation rows; default 0.25.")
    ] = None,
    random_state: Annotated[int | None, _option("The seed of all random choices; 0 by default.")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Grow a tree on FILE, print it and how it was made, and save it."""
    if save is not None:
        refuse_overwriting(save, file)
    frame = read(file, na, separator, decimal)
    if target not in frame.columns:
        raise DataError(
            f"{file} has no column {target!r}; it has {listing(frame.columns)}.{nearest(target, frame.columns)}"
        )
    chosen_task, why = choose_task(frame[target], algorithm, task)
    options = {
        "criterion": criterion,
        "nominal": nominal,
        "numeric": numeric,
        "threshold": threshold,
        "missing": missing,
        "unseen": unseen,
        "conventions": conventions,
        "guard": guard,
        "mdl_correction": mdl_correction,
        "zero_gain": zero_gain,
        "min_gain": min_gain,
        "min_cases": min_cases,
        "collapse": collapse,
        "laplace": laplace,
        "max_depth": max_depth,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
        "min_weight_fraction_leaf": min_weight_fraction_leaf,
        "min_impurity": min_impurity,
        "min_impurity_decrease": min_impurity_decrease,
        "max_leaf_nodes": max_leaf_nodes,
        "splitter": splitter,
        "max_features": parse_max_features(max_features),
        "random_state": random_state,
        "monotonic_cst": parse_monotonic(monotonic_cst),
        "class_weight": parse_class_weight(class_weight, frame[target]),
        "keep_candidates": keep_candidates,
        "max_bins": max_bins,
        "n_jobs": n_jobs,
        "verbose": int(sys.stderr.isatty() if verbose is None else verbose),
        "pruning": pruning,
        "ccp_alpha": ccp_alpha,
        "confidence": confidence,
        "subtree_raising": subtree_raising,
        "cv": cv,
        "rule": rule,
        "validation_fraction": validation_fraction,
        "kinds": parse_kinds(kind),
    }
    estimator = make_estimator(
        algorithm, chosen_task, {name: value for name, value in options.items() if value is not None}
    )
    estimator.fit(frame, target)
    document = estimator.tree_.to_json()
    if save is not None:
        write_whole(save, document)
    print_fit(estimator, frame, target, why)
    typer.echo(f"\nThe same in Python:\n{python_call(file, estimator, target, na, separator, decimal)}")
    if save is not None:
        typer.echo(f"\nSaved to {save}.")


def choose_task(target: pl.Series, algorithm: str, task: str | None) -> tuple[str, str]:
    """Return the task, and why it was chosen."""
    if algorithm not in ALGORITHMS:
        raise OptionError(
            f"--algorithm {algorithm!r} is not one of {listing(ALGORITHMS)}.{nearest(algorithm, ALGORITHMS)}"
        )
    if task is not None:
        if task not in TASKS:
            raise OptionError(f"--task {task!r} is not one of {listing(TASKS)}.{nearest(task, TASKS)}")
        if task == "number" and algorithm != "cart":
            raise OptionError(f"--task number needs --algorithm cart; {algorithm} predicts classes only.")
        return task, "as asked"
    if algorithm != "cart":
        return "class", f"{algorithm} predicts classes"
    if not target.dtype.is_numeric():
        return "class", "the target is text"
    known = target.drop_nulls()
    distinct = known.n_unique()
    if bool((known == known.round()).all()) and distinct <= MOST_NUMBER_CLASSES:
        return "class", f"the target has {distinct} different whole numbers; --task number predicts the number instead"
    return "number", "the target is numeric; --task class predicts its values as classes instead"


def make_estimator(algorithm: str, task: str, options: dict[str, Any]) -> TreeEstimator:
    """Return the estimator with the options given; OptionError for one that it does not have."""
    cls = ESTIMATORS[algorithm, task]
    allowed = list(cls().get_params())
    for name in options:
        if name not in allowed:
            flags = [f"--{a.replace('_', '-')}" for a in allowed if a != "kinds"]
            what = algorithm if task == "class" else f"{algorithm} with numbers to predict"
            raise OptionError(f"--{name.replace('_', '-')} is not an option of {what}; it has {', '.join(flags)}.")
    return cls(**options)


def parse_kinds(kinds: list[str] | None) -> dict[str, str] | None:
    """Return what `--kind NAME=KIND` says; the last `=` separates, since names may contain some."""
    if not kinds:
        return None
    parsed: dict[str, str] = {}
    for text in kinds:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise OptionError(f"--kind {text!r} must read NAME=KIND, for example zip=nominal.")
        if parsed.setdefault(name, kind) != kind:
            raise OptionError(f"--kind gives the column {name!r} two kinds, {parsed[name]} and {kind}.")
    return parsed


def parse_max_features(text: str | None) -> int | float | str | None:
    """Return what `--max-features` says: a whole number, a share, or a word."""
    if text is None:
        return None
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def parse_monotonic(constraints: list[str] | None) -> dict[str, int] | None:
    """Return what `--monotonic-cst NAME=SIGN` says; the last `=` separates, since names may contain some."""
    if not constraints:
        return None
    parsed: dict[str, int] = {}
    for text in constraints:
        name, equals, sign = text.rpartition("=")
        if not equals or sign.strip() not in ("-1", "0", "1", "+1"):
            raise OptionError(f"--monotonic-cst {text!r} must read NAME=1, NAME=-1 or NAME=0, for example age=1.")
        if parsed.setdefault(name, int(sign)) != int(sign):
            raise OptionError(f"--monotonic-cst gives the column {name!r} two constraints, {parsed[name]} and {sign}.")
    return parsed


def parse_class_weight(text: str | None, target: pl.Series) -> Any:
    """Return what `--class-weight` says, with labels of the target's own type."""
    if text is None or text == "balanced":
        return text
    labels = {str(label): label for label in target.unique().to_list() if label is not None}
    weights = {}
    for pair in text.split(","):
        name, _, weight = pair.rpartition("=")
        label = labels.get(name.strip(), name.strip())
        if label in weights:
            raise OptionError(f"--class-weight gives the class {name!r} two weights.")
        try:
            weights[label] = float(weight)
        except ValueError:
            raise OptionError(
                f"--class-weight {pair!r} must read CLASS=WEIGHT, for example yes=2, or be 'balanced'."
            ) from None
    return weights


def print_fit(estimator: TreeEstimator, frame: pl.DataFrame, target: str, why: str) -> None:
    """Print what the columns were taken for, the tree, and how well it fits its own rows."""
    tree = estimator.tree_
    predicts = "classes" if tree.task == "class" else "numbers"
    typer.echo(f"{type(estimator).__name__} predicts {predicts} ({why}).\n")
    typer.echo(f"{estimator.schema_}\n")
    typer.echo(tree.to_text(max_depth=PRINTED_DEPTH))
    typer.echo(f"\n{training_fit(estimator, frame, target)}")


def training_fit(estimator: TreeEstimator, frame: pl.DataFrame, target: str) -> str:
    """Return how well the tree fits a table that holds the target: the share of rows right, or the mean error."""
    column = columns_of(frame.select(target)).columns[0]
    known = frame.filter(pl.Series(~column.missing()))
    predicted = estimator.predict(known)
    truth = known[target].to_list()
    tests = f"mean number of questions a row: {estimator.tree_.mean_tests:.2f}"
    if estimator.tree_.task == "number":
        if not all(isinstance(t, int | float) for t in truth):
            return f"The target column {target!r} holds text, so the answers are not compared with it"
        error = float(np.abs(predicted - np.array(truth, dtype=np.float64)).mean())
        return f"On its own rows: mean absolute error {error:.4g} ({len(known)} rows); {tests}."
    right = sum(str(p) == str(t) or p == t for p, t in zip(predicted.tolist(), truth, strict=True))
    return f"On its own rows: {right} of {len(known)} right ({100 * right / max(len(known), 1):.1f} %); {tests}."


def python_call(
    file: str, estimator: TreeEstimator, target: str, na: list[str] | None, separator: str | None, decimal: str | None
) -> str:
    """Return the Python lines that grow the same tree."""
    reading = {"missing": na, "separator": separator, "decimal": decimal}
    extra = "".join(f", {name}={value!r}" for name, value in reading.items() if value is not None)
    defaults = type(estimator)().get_params()
    chosen = {k: v for k, v in estimator.get_params().items() if v != defaults[k] and k != "verbose"}
    options = ", ".join(f"{k}={v!r}" for k, v in chosen.items())
    return (
        "  import deciduous\n"
        f"  frame = deciduous.read_table({file!r}{extra})\n"
        f"  model = deciduous.{type(estimator).__name__}({options}).fit(frame, {target!r})"
    )
