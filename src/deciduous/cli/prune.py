"""`deciduous prune`: prune a saved tree, and save the smaller one."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Annotated

import numpy as np
import typer

from deciduous.cli.app import app
from deciduous.cli.common import Decimal, MissingWords, ModelFile, Separator, open_model, say
from deciduous.cli.deciding import deciding_rows, labelled_frame, pruner_for
from deciduous.cli.fit import PRINTED_DEPTH
from deciduous.data.frames import columns_of
from deciduous.errors import DataWarning, OptionError
from deciduous.estimators.explaining import row_labels
from deciduous.estimators.pruning import note_shared
from deciduous.explain.pruning import pruning_of
from deciduous.files import refuse_overwriting, write_whole
from deciduous.language import translate as _
from deciduous.model.tree import Tree
from deciduous.prune.complexity import ByComplexity
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.path import nested_path, optimal_path
from deciduous.prune.pruners import PRUNERS
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity, Optimal
from deciduous.textgrid import WIDTH


@app.command(
    epilog="Example:  deciduous prune loan.json --to 4 --out small.json\n\n"
    "Example:  deciduous prune loan.json new.csv --method reduced_error --out small.json\n\n"
    "Example:  deciduous prune loan.json --method error --working"
)
def prune(
    model: ModelFile,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Rows that the tree was not grown on, with the target, to decide by."),
    ] = None,
    method: Annotated[str, typer.Option(help=f"{', '.join(PRUNERS)}.")] = "optimal",
    to: Annotated[int | None, typer.Option(help="optimal: at most so many leaves.")] = None,
    alpha: Annotated[float | None, typer.Option(help="cost_complexity: the price of a leaf.")] = None,
    cp: Annotated[
        float | None,
        typer.Option(help="A tree with surrogates: keep the splits of larger complexity, as rpart's prune does."),
    ] = None,
    cost: Annotated[
        str, typer.Option(help="optimal, cost_complexity: impurity, errors, gini, entropy, squared_error.")
    ] = "impurity",
    confidence: Annotated[
        float | None, typer.Option(help="error: the confidence, by default the model's; smaller prunes more.")
    ] = None,
    subtree_raising: Annotated[
        bool, typer.Option("--subtree-raising", help="error: branches may be raised; FILE holds the training rows.")
    ] = False,
    conventions: Annotated[
        str | None, typer.Option(help="error: c45 (the book), r8 or j48 (those programs); by default the model's.")
    ] = None,
    working: Annotated[
        bool, typer.Option("--working", help="Print the working: what is compared, node by node.")
    ] = False,
    rule: Annotated[str, typer.Option(help="Which subtree FILE chooses: min, or 1se.")] = "min",
    data: Annotated[
        str | None, typer.Option(help="The table that the tree was grown on: says whether rows of FILE are in it.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="Write the smaller model to this file (JSON).")] = None,
    na: MissingWords = None,
    separator: Separator = None,
    decimal: Decimal = None,
) -> None:
    """Prune the tree of MODEL, print what is left and what it costs, and save it.

    Without FILE: to a number of leaves (--to), a price of a leaf (--alpha), or by a method that looks at the tree
    alone. With FILE its rows decide, or only judge the result.
    """
    refuse_overwriting(out, model, file, data)
    if data is not None and file is None:
        raise OptionError("--data goes with FILE, whose rows are looked for in it.")
    estimator = open_model(model)
    pruner: Pruner
    if cp is None:
        error_based = replace(
            ErrorBased.of_tree(estimator.tree_, confidence, conventions), subtree_raising=subtree_raising
        )
        pruner = pruner_for(method, to, alpha, cost, error_based, rule)
    else:
        pruner, method = by_cp(cp, method, to, alpha, subtree_raising, working), "cp"
    frame = None if file is None else labelled_frame(estimator.tree_, file, na, separator, decimal)
    rows = deciding_rows(estimator.tree_, pruner, frame)
    if rows is not None and pruner.needs == "validation":
        warn_of_training_rows(estimator.tree_, rows, file)
    if frame is not None and data is not None:
        grown_on = labelled_frame(estimator.tree_, data, na, separator, decimal)
        note_shared(estimator.tree_, (grown_on, estimator.tree_.target), (frame, estimator.tree_.target))
    tree = pruner(estimator.tree_, rows)
    if working:
        labels = None if frame is None else row_labels(estimator.tree_, columns_of(frame))
        for part in pruning_of(estimator.tree_, pruner, rows, labels=labels).parts():
            typer.echo(part, nl=False)
        typer.echo()
    if rows is not None and isinstance(pruner, CostComplexity | Optimal):
        path = nested_path if isinstance(pruner, CostComplexity) else optimal_path
        say(f"{path(estimator.tree_, cost, rows)}\n")
    say(tree.to_text(max_depth=PRINTED_DEPTH, width=WIDTH))
    text = _("Pruned by {method} from {before} leaves to {after}.")
    say("\n" + text.format(method=method, before=estimator.tree_.n_leaves, after=tree.n_leaves))
    if rows is not None:
        before, after = (error_on(rows, shown) for shown in (estimator.tree_, tree))
        text = _("On the {n} rows of {file}: {before} before, {after} after.")
        say(text.format(n=rows.table.n_rows, file=file, before=before, after=after))
    if out is not None:
        write_whole(out, tree.to_json())
        typer.echo(_("Saved to {file}.").format(file=out))


def by_cp(
    cp: float, method: str, to: int | None, alpha: float | None, subtree_raising: bool, working: bool
) -> ByComplexity:
    """Return the pruner that `--cp` asks for; OptionError for an option that belongs to another."""
    others = {
        f"--method {method}": method != "optimal",
        "--to": to is not None,
        "--alpha": alpha is not None,
        "--subtree-raising": subtree_raising,
        "--working": working,
    }
    for option, given in others.items():
        if given:
            raise OptionError(f"--cp does not go with {option}: it keeps the splits of larger complexity.")
    return ByComplexity(cp)


def warn_of_training_rows(tree: Tree, rows: LabelledRows, file: str | None) -> None:
    """Warn where rows that are to decide fill every leaf just as those did that the tree was grown on."""
    ends = rows.errors(tree)
    weight = np.bincount(ends.nodes, ends.weight, len(tree))
    if np.allclose(weight[tree.is_leaf], tree.weight[tree.is_leaf]):
        warnings.warn(
            f"{file} fills every leaf just as the rows did that the tree was grown on. Rows that it has seen do not "
            "tell where it follows chance: give others.",
            DataWarning,
            stacklevel=2,
        )


def error_on(rows: LabelledRows, tree: Tree) -> str:
    """Return how wrong a tree is on rows, in words."""
    error = rows.errors(tree).mean
    if tree.task == "class":
        return _("{share} % wrong").format(share=f"{100 * error:.1f}")
    return _("mean squared error {error}").format(error=f"{error:.4g}")
