"""`deciduous importance`: which columns matter."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer
from sklearn.inspection import permutation_importance

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, open_model, read, say
from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.estimators.base import TreeEstimator
from deciduous.explain.importance import surrogate_importance
from deciduous.language import translate as _
from deciduous.model.labels import significant
from deciduous.textgrid import grid


@app.command(epilog="Example:  deciduous importance loan.json loan.csv --repeats 20")
def importance(
    model: ModelFile,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="A table that holds the target: each column is shuffled in it in turn."),
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often each column of FILE is shuffled.")] = 10,
    random_state: Annotated[int, typer.Option(help="The seed of the shuffling.")] = 0,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Show what share of the drop in impurity each column has, largest first.

    Of a tree with surrogates also rpart's importance: what columns would save that stand in for others counts too.

    With FILE, preferably rows that the tree was not grown on, also how much worse the answers are when a column is
    shuffled: the share of right answers lost, or the coefficient of determination (R squared). That is fairer to
    columns of few values.
    """
    estimator = open_model(model)
    names = list(estimator.tree_.schema.names)
    shares = estimator.feature_importances_
    asked = [j for j, feature in enumerate(estimator.tree_.schema.features) if feature.is_split_on]
    order = sorted(asked, key=lambda j: (-shares[j], j))
    header, cells = [_("column"), _("importance")], [[names[j], significant(float(shares[j]), 4)] for j in order]
    if estimator.tree_.surrogates is not None:
        worth = surrogate_importance(estimator.tree_)
        worth = worth / (worth.sum() or 1.0)
        header.append(_("with surrogates"))
        cells = [[*line, significant(float(worth[j]), 4)] for line, j in zip(cells, order, strict=True)]
    if file is not None:
        if repeats < 1:
            raise OptionError(f"--repeats {repeats} must be at least 1.")
        lost = lost_by_shuffling(estimator, read(file, na, separator, decimal), repeats, random_state, file)
        header += [_("lost when shuffled"), "+-"]
        cells = [[*line, *lost[j]] for line, j in zip(cells, order, strict=True)]
    say(grid(header, cells, numbers=range(1, len(header))))


def lost_by_shuffling(
    estimator: TreeEstimator, frame: pl.DataFrame, repeats: int, random_state: int, file: str
) -> list[list[str]]:
    """Return for each column the score lost when it is shuffled, and the standard deviation over the repeats."""
    tree = estimator.tree_
    tree.demand_one_target("deciduous importance with a FILE")
    if tree.target not in frame.columns:
        raise DataError(
            f"{file} has no column {tree.target!r}, the target of the model; it has {listing(frame.columns)}."
            + nearest(tree.target, frame.columns)
        )
    frame = frame.filter(frame[tree.target].is_not_null())
    estimator.predict(frame)  # says by name what column is absent
    absent = [pl.lit(None).alias(name) for name in tree.schema.names if name not in frame.columns]
    X = frame.with_columns(absent).select(tree.schema.names)
    found = permutation_importance(
        estimator, X, frame[tree.target].to_numpy(), n_repeats=repeats, random_state=random_state
    )
    return [
        [significant(float(mean), 4), significant(float(deviation), 2)]
        for mean, deviation in zip(found.importances_mean, found.importances_std, strict=True)
    ]
