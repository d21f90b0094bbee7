"""Charts of figures that are there: importance, the path of pruning, confusion, learning curves, the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from deciduous.draw.matplotlib import families, key, named, new_axes
from deciduous.draw.metrics import wrap
from deciduous.draw.theme import Theme, mix, theme_of
from deciduous.draw.view import single_of, tree_of
from deciduous.errors import DataError, OptionError
from deciduous.evaluate.curves import Curve
from deciduous.evaluate.evaluation import Evaluation
from deciduous.explain.importance import impurity_importance
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.model.tree import Tree
from deciduous.prune.path import PruningPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The width of names beside an axis, in pixels.
NAME_WIDTH = 200.0
#: A cell of a confusion matrix shows its number up to so many classes.
MOST_NUMBERED = 20


def plot_importance(model: Any, *, ax: Axes | None = None, theme: Theme | str = "light", most: int | None = 20) -> Axes:
    """Draw the importance of the columns, the largest first (see `feature_importances_`); return the axes.

    `most`: at most so many columns; the title counts the others, None draws all.
    """
    tree, look = tree_of(model), theme_of(theme)
    importance = impurity_importance(tree)
    may_ask = [j for j, feature in enumerate(tree.schema.features) if feature.is_split_on]
    order = np.array(sorted(may_ask, key=lambda j: -importance[j]), dtype=np.int64)
    shown = order if most is None else order[:most]
    ax = ax if ax is not None else new_axes(6.4, 0.8 + 0.3 * len(shown))
    places = range(len(shown))
    ax.barh(places, importance[shown], color=look.of_class(0), height=0.7)
    for i, value in zip(places, importance[shown].tolist(), strict=True):
        ax.text(value, i, f" {value:.3f}", va="center", color=look.ink, fontsize=9)
    _names(ax, "y", [tree.schema.names[j] for j in shown])
    ax.set(ylim=(len(shown) - 0.5, -0.5), xlim=(0, float(importance.max() or 1.0) * 1.15))
    named(ax, xlabel=_("share of the drop in impurity"))
    if len(shown) < len(order):
        rest = float(importance[order[len(shown) :]].sum())
        more = len(order) - len(shown)
        text = _n("{n} more column has {share}", "{n} more columns have {share}", more)
        named(ax, title=text.format(n=more, share=f"{rest:.3f}"))
    _bare(ax)
    return ax


def plot_pruning_path(
    path: PruningPath, *, ax: Axes | None = None, theme: Theme | str = "light", x: str = "n_leaves"
) -> Axes:
    """Draw the errors along a path of pruning, with bands of one standard error, and what the rules choose.

    `path`: see `pruning_path` and `cross_validated_path` of the estimators; `x`: `n_leaves` or `alpha`.
    """
    look = theme_of(theme)
    if x not in ("n_leaves", "alpha"):
        raise OptionError(f"x={x!r} is not one of 'n_leaves', 'alpha'.")
    at: Floats = np.asarray(getattr(path, x), dtype=np.float64)
    if np.isnan(at).any():
        raise OptionError("the path of optimal subtrees has no alphas; draw it over x='n_leaves'.")
    ax = ax if ax is not None else new_axes(6.4, 4.2)
    curves = (
        ("training", path.training_error, None),
        ("validation", path.validation_error, path.validation_se),
        ("cross-validated", path.cv_error, path.cv_se),
    )
    for i, (name, error, se) in enumerate(curves):
        if np.isnan(error).any():
            continue
        colour = look.of_class(i)
        ax.plot(at, error, color=colour, marker="o", markersize=3, linewidth=1.4, label=_(name))
        if se is not None and not np.isnan(se).any():
            ax.fill_between(at, error - se, error + se, color=colour, alpha=0.15, linewidth=0)
    _mark_choices(ax, path, at, look)
    wrong = _("share of wrong answers") if path.tree.task == "class" else _("mean squared error")
    named(ax, xlabel=_("leaves") if x == "n_leaves" else _("alpha, the price of a leaf"), ylabel=wrong)
    if x == "n_leaves" and at.max() > 50:
        ax.set_xscale("log")
    key(ax)
    _bare(ax)
    return ax


def _mark_choices(ax: Axes, path: PruningPath, at: Floats, theme: Theme) -> None:
    try:
        chosen = {rule: path.choose(rule) for rule in ("min", "1se")}
    except OptionError:  # no error to choose by
        return
    error = path.judged_by[0]
    for step in sorted(set(chosen.values())):
        rule = ", ".join(rule for rule, its in chosen.items() if its == step)
        n = int(path.n_leaves[step])
        ax.plot(at[step], error[step], "o", markersize=9, markerfacecolor="none", color=theme.highlight)
        side = 12 if "min" in rule else -16
        ax.annotate(
            f"{rule}: {_n('{n} leaf', '{n} leaves', n).format(n=n)}",
            (float(at[step]), float(error[step])),
            xytext=(6, side),
            textcoords="offset points",
            color=theme.highlight,
            fontsize=9,
            fontfamily=families(),
        )


def plot_confusion(
    evaluation: Any, labels: Sequence[Any] | None = None, *, ax: Axes | None = None, theme: Theme | str = "light"
) -> Axes:
    """Draw a confusion matrix; return the axes.

    `evaluation`: what `deciduous.evaluate` returns; or a matrix of counts or weights, a line for each true class and a
    column for each predicted one, shape (classes, classes), as `sklearn.metrics.confusion_matrix` gives it, with the
    `labels` of the classes in this order. The shade is the share of a true class.
    """
    if labels is None:
        evaluation, labels = _matrix_of(evaluation)
    counts: Floats = np.asarray(evaluation, dtype=np.float64)
    n = len(labels)
    if counts.shape != (n, n):
        raise DataError(f"a matrix of {n} classes has the shape ({n}, {n}); this one has {counts.shape}.")
    look = theme_of(theme)
    wide, high = (0.62, 0.5) if n <= MOST_NUMBERED else (0.28, 0.24)
    ax = ax if ax is not None else new_axes(1.8 + wide * n, 1.2 + high * n)
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1.0)
    for i in range(n):
        for j in range(n):
            colour = look.of_class(0) if i == j else look.of_class(3)
            fill = mix(look.paper, colour, 0.75 * float(shares[i, j]))
            ax.bar(j - 0.5, 1, 1, i - 0.5, align="edge", color=fill, edgecolor=look.paper, linewidth=1)
            if n <= MOST_NUMBERED and counts[i, j]:
                text = f"{significant(float(counts[i, j]))}\n{100 * shares[i, j]:.0f} %"
                ax.text(j, i, text, ha="center", va="center", fontsize=8, color=look.ink)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="auto")
    _names(ax, "x", [str(label) for label in labels])
    _names(ax, "y", [str(label) for label in labels])
    ax.tick_params(axis="x", labelrotation=90 if n > 6 else 0)
    named(ax, xlabel=_("predicted"), ylabel=_("true"))
    _bare(ax)
    return ax


def _matrix_of(evaluation: Any) -> tuple[Floats, Sequence[Any]]:
    if not isinstance(evaluation, Evaluation):
        raise TypeError(
            f"a matrix needs labels=, the classes in its order; without them give an Evaluation, not a "
            f"{type(evaluation).__name__}."
        )
    matrix = evaluation.confusion_matrix
    assert evaluation.labels is not None
    return matrix, evaluation.labels.tolist()


def plot_curve(curve: Curve, *, ax: Axes | None = None, theme: Theme | str = "light") -> Axes:
    """Draw a learning or complexity curve of `deciduous.evaluate`; return the axes.

    The mean score on the rows that models were fitted on, and on others, each with a band of one standard deviation
    over the runs.
    """
    look = theme_of(theme)
    ax = ax if ax is not None else new_axes(6.4, 4.2)
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in curve.values)
    at = list(curve.values) if numbers else list(range(len(curve.values)))
    for i, (name, scores) in enumerate(((_("on their own rows"), curve.train), (_("on others"), curve.test))):
        mean, colour = scores.mean(axis=1), look.of_class(i)
        ax.plot(at, mean, color=colour, marker="o", markersize=3, linewidth=1.4, label=name)
        if scores.shape[1] > 1:
            spread = scores.std(axis=1, ddof=1)
            ax.fill_between(at, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0)
    if not numbers:
        _names(ax, "x", [str(value) for value in curve.values])
    named(ax, xlabel=_(curve.along.replace("_", " ")), ylabel=_(curve.score.replace("_", " ")))
    key(ax)
    _bare(ax)
    return ax


def plot_calibration(
    evaluation: Evaluation,
    label: Any = None,
    *,
    bins: int = 10,
    ax: Axes | None = None,
    theme: Theme | str = "light",
) -> Axes:
    """Draw how often a class came where its probability was said to be about so much; return the axes.

    `evaluation`: what `deciduous.evaluate` returns; `label`: the class, by default the last. Honest probabilities lie
    on the diagonal; a dot is as large as the weight of the rows in its bin.
    """
    look = theme_of(theme)
    found = evaluation.calibration(label, bins)
    assert evaluation.labels is not None
    name = wrap(str(evaluation.labels.tolist()[-1] if label is None else label), NAME_WIDTH, 12.0)[0]
    ax = ax if ax is not None else new_axes(4.6, 4.4)
    ax.plot([0, 1], [0, 1], color=look.outline, linewidth=1.0, linestyle=(0, (4, 3)))
    said, came, weight = (found[column].to_numpy() for column in ("probability", "share", "weight"))
    ax.plot(said, came, color=look.of_class(0), linewidth=1.2)
    ax.scatter(said, came, s=12 + 160 * weight / weight.max(), color=look.of_class(0), zorder=3)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    named(ax, xlabel=_("probability of {name}, as said").format(name=name), ylabel=_("share of rows that were"))
    _bare(ax)
    return ax


def plot_leaves(model: Any, *, ax: Axes | None = None, theme: Theme | str = "light") -> Axes:
    """Draw each leaf as a bar as wide as the rows in it (by weight), the purest first; return the axes.

    Classes are stacked, that of the leaf at the bottom, so that its colour is as high as the leaf is pure; of a tree
    for numbers the bar ends at the value, and a line shows one standard deviation (or mean deviation) around it.
    """
    tree, look = single_of(model, "plot_leaves"), theme_of(theme)
    ax = ax if ax is not None else new_axes(7.2, 3.6)
    leaves = np.flatnonzero(tree.is_leaf & (tree.weight > 0))
    shares = tree.weight[leaves] / tree.weight[leaves].sum()
    if tree.task == "class":
        _class_leaves(ax, tree, leaves, shares, look)
        ax.set(ylim=(0, 1))
        named(ax, ylabel=_("share of each class"))
    else:
        _number_leaves(ax, tree, leaves, shares, look)
        named(ax, ylabel=tree.target)
    ax.set(xlim=(0, 1))
    n = len(leaves)
    text = _n("{n} leaf, as wide as its share of the rows", "{n} leaves, as wide as their share of the rows", n)
    named(ax, xlabel=text.format(n=n))
    _bare(ax)
    return ax


def _class_leaves(ax: Axes, tree: Tree, leaves: Any, shares: Floats, theme: Theme) -> None:
    found = tree.distribution(leaves)
    own = tree.value[leaves].astype(np.int64)
    order = np.lexsort((-shares, -found[np.arange(len(leaves)), own]))
    left = np.concatenate([[0.0], np.cumsum(shares[order])[:-1]])
    found, own, width = found[order], own[order], shares[order]
    below = np.zeros(len(order))
    named: set[int] = set()

    def stack(rows: Any, codes: Any) -> None:
        for code in np.unique(codes).tolist():
            mine = rows[codes == code]
            label = None if code in named else wrap(str(tree.classes[code]) or "''", 160.0, 12.0)[0]
            height = found[mine, code]
            look: dict[str, Any] = {
                "color": theme.of_class(code),
                "edgecolor": theme.paper,
                "linewidth": 0.5,
                "label": label,
            }
            ax.bar(left[mine], height, width[mine], below[mine], align="edge", **look)
            below[mine] += height
            named.add(code)

    everything = np.arange(len(order))
    stack(everything, own)
    for code in np.flatnonzero(found.sum(axis=0) > 0).tolist():
        rows = everything[(own != code) & (found[:, code] > 0)]
        if len(rows):
            stack(rows, np.full(len(rows), code))
    key(ax, wrap(tree.target, 160.0, 12.0)[0])


def _number_leaves(ax: Axes, tree: Tree, leaves: Any, shares: Floats, theme: Theme) -> None:
    order = np.argsort(tree.value[leaves], kind="stable")
    values, width, spread = tree.value[leaves][order], shares[order], tree.impurity[leaves][order]
    if tree.options.get("criterion") in ("squared_error", "friedman_mse"):
        spread = np.sqrt(spread)
    left = np.concatenate([[0.0], np.cumsum(width)[:-1]])
    least, span = float(values.min()), float(np.ptp(values)) or 1.0
    colours = [theme.of_number((v - least) / span) for v in values.tolist()]
    ax.bar(left, values, width, align="edge", color=colours, edgecolor=theme.paper, linewidth=0.5)
    if tree.options.get("criterion") != "poisson":  # half a deviance is no distance
        ax.errorbar(left + width / 2, values, spread, fmt="none", ecolor=theme.muted, elinewidth=0.8)


def _names(ax: Axes, axis: str, names: Sequence[str]) -> None:
    """Set names, which may be long or Chinese, beside an axis."""
    texts = [wrap(name, NAME_WIDTH, 12.0)[0] or "''" for name in names]
    where = ax.xaxis if axis == "x" else ax.yaxis
    where.set_ticks(range(len(texts)), texts, fontfamily=families(), parse_math=False)


def _bare(ax: Axes) -> None:
    """Leave out the sides of the frame that say nothing."""
    ax.spines[["top", "right"]].set_visible(False)
