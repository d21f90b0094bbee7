"""`deciduous evaluate` and `deciduous compare`: how good trees are on rows they have not seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import polars as pl
import typer

from deciduous import evaluate as judging
from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, Separator, TableFile, read, say
from deciduous.cli.fit import targets_of
from deciduous.cli.growing import growing_flags, parsed
from deciduous.cli.model import choose_task, demand_classes, make_estimator, sized, target_of
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.estimators.base import TreeEstimator
from deciduous.evaluate.intervals import METHODS as ACCURACY_INTERVALS
from deciduous.evaluate.intervals import RESAMPLED
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _

METHODS = ("cv", "holdout", "bootstrap632", "leave_one_out")
INTERVALS = (*ACCURACY_INTERVALS, *RESAMPLED)

Target = Annotated[list[str], typer.Option(help="The column to predict.", show_default=False)]
Task = Annotated[
    str | None, typer.Option(help="class or number; by default what the target's cells suggest (cart only).")
]
Folds = Annotated[int, typer.Option(help="cv: the number of folds.")]
Repeats = Annotated[int, typer.Option(help="cv: how often folds are drawn.")]
Group = Annotated[str | None, typer.Option(help="A column that says which rows belong together; it is not asked for.")]
Seed = Annotated[int, typer.Option(help="The seed of folds, samples and parts.")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file as JSON.")]


@app.command(
    epilog="Example:  deciduous evaluate penguins.csv --target species --algorithm cart\n\n"
    "Example:  deciduous evaluate penguins.csv --target species --algorithm c45 --method bootstrap632"
)
@growing_flags
def evaluate(
    file: TableFile,
    target: Target,
    algorithm: Annotated[str, typer.Option(help="id3, c45 or cart.", show_default=False)],
    options: dict[str, Any],
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS)}.")] = "cv",
    folds: Folds = 10,
    repeats: Repeats = 1,
    samples: Annotated[int, typer.Option(help="bootstrap632: the number of samples.")] = 200,
    test_size: Annotated[float, typer.Option(help="holdout: the share of rows held out.")] = 0.25,
    level: Annotated[float, typer.Option(help="The confidence of the interval.")] = 0.95,
    interval: Annotated[str, typer.Option(help=f"{', '.join(INTERVALS[:-1])} or {INTERVALS[-1]}.")] = "wilson",
    group: Group = None,
    seed: Seed = 0,
    json_file: Json = None,
    task: Task = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Judge trees by rows of FILE that they were not grown on: accuracy with its interval, and all other scores.

    Trees are grown and pruned as `deciduous fit` does with the same flags.
    """
    if json_file is not None:
        refuse_overwriting(json_file, file)
    if method not in METHODS:
        raise OptionError(f"--method {method!r} is not one of {listing(METHODS)}.{nearest(method, METHODS)}")
    if interval not in INTERVALS:
        known = listing(INTERVALS, len(INTERVALS))
        raise OptionError(f"--interval {interval!r} is not one of {known}.{nearest(interval, INTERVALS)}")
    frame = read(file, na, separator, decimal)
    rows, groups = without_groups(frame, file, group)
    name = one_target(frame, target)
    estimator = estimator_for(algorithm, task, options, rows, file, name)
    verbose = int(sys.stderr.isatty())
    if method == "cv":
        found: Any = judging.cross_validate(
            estimator, rows, name, cv=folds, repeats=repeats, groups=groups, seed=seed, verbose=verbose
        )
    elif method == "holdout":
        found = judging.holdout(estimator, rows, name, test_size=test_size, groups=groups, seed=seed)
    elif method == "leave_one_out":
        if groups is not None:
            raise OptionError("--group goes with --method cv, holdout or bootstrap632.")
        found = judging.leave_one_out(estimator, rows, name, verbose=verbose)
    else:
        found = judging.bootstrap(estimator, rows, name, samples=samples, groups=groups, seed=seed, verbose=verbose)
    say(found)
    if isinstance(found, judging.Evaluation):
        say(asked_interval(found, level, interval))
    else:
        say("\n" + _("Error of a sample: {interval}").format(interval=found.spread(level)))
    if json_file is not None:
        write_whole(json_file, found.to_json())
        typer.echo("\n" + _("Saved to {file}.").format(file=json_file))


@app.command(epilog="Example:  deciduous compare penguins.csv --target species --algorithms id3,c45,cart --repeats 3")
@growing_flags
def compare(
    file: TableFile,
    target: Target,
    algorithms: Annotated[str, typer.Option(help="Two or more of id3, c45 and cart, with commas between.")],
    options: dict[str, Any],
    folds: Folds = 10,
    repeats: Repeats = 1,
    score: Annotated[str | None, typer.Option(help="What they are compared by; by default the accuracy.")] = None,
    level: Annotated[float, typer.Option(help="A difference holds if its p is below.")] = 0.05,
    group: Group = None,
    seed: Seed = 0,
    json_file: Json = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Judge several algorithms by the same folds of FILE, and say which differences hold.

    Each is grown and pruned as `deciduous fit` does; flags of growing hold for the algorithms that have them.
    """
    if json_file is not None:
        refuse_overwriting(json_file, file)
    frame = read(file, na, separator, decimal)
    rows, groups = without_groups(frame, file, group)
    name = one_target(frame, target)
    names = [algorithm.strip() for algorithm in algorithms.split(",") if algorithm.strip()]
    demand_classes(target_of(rows, file, name))
    models = {algorithm: of_its_options(algorithm, options, rows, file, name) for algorithm in names}
    found = judging.compare(
        models,
        rows,
        name,
        cv=folds,
        repeats=repeats,
        score=score,
        level=level,
        groups=groups,
        seed=seed,
        verbose=int(sys.stderr.isatty()),
    )
    say(found)
    if json_file is not None:
        write_whole(json_file, found.to_json())
        typer.echo("\n" + _("Saved to {file}.").format(file=json_file))


def one_target(frame: pl.DataFrame, given: Sequence[str]) -> str:
    """Return the column to predict; OptionError for several."""
    names = targets_of(frame, given)
    if len(names) > 1 and all(name in frame.columns for name in names):
        raise OptionError(
            f"--target names {len(names)} columns, {listing(names)}, and models are judged by one: judge each by "
            "itself, or trees of all with scikit-learn's cross_validate in Python."
        )
    return given[0] if len(given) == 1 else names[0]


def without_groups(frame: pl.DataFrame, file: str, group: str | None) -> tuple[pl.DataFrame, Any]:
    """Return the table without the column of groups, and the groups."""
    if group is None:
        return frame, None
    groups = target_of(frame, file, group)
    if groups.null_count():
        raise DataError(f"the column of groups {group!r} has {groups.null_count()} missing cells; fill them.")
    return frame.drop(group), groups.to_numpy()


def estimator_for(
    algorithm: str, task: str | None, options: dict[str, Any], frame: pl.DataFrame, file: str, target: str
) -> TreeEstimator:
    """Return the estimator that `deciduous fit` would fit, without a progress bar of its own."""
    chosen_task, _why = choose_task(target_of(frame, file, target), algorithm, task)
    chosen, _size = sized({**parsed(options, frame[target]), "verbose": 0}, algorithm, len(frame))
    return make_estimator(algorithm, chosen_task, chosen)


def of_its_options(
    algorithm: str, options: dict[str, Any], frame: pl.DataFrame, file: str, target: str
) -> TreeEstimator:
    """Return an estimator for classes with those of the options that it has."""
    plain = estimator_for(algorithm, "class", {}, frame, file, target)
    known = {"kind", *plain.get_params()}
    return estimator_for(algorithm, "class", {k: v for k, v in options.items() if k in known}, frame, file, target)


def asked_interval(found: judging.Evaluation, level: float, method: str) -> str:
    """Return the interval that was asked for, where it is not the one that is always shown."""
    if found.task == "number":
        return "\n" + _("root mean squared error {interval}").format(interval=found.interval(level=level))
    if (level, method) == (0.95, "wilson"):
        return ""
    return "\n" + _("accuracy {interval}").format(interval=found.interval(level=level, method=method))
