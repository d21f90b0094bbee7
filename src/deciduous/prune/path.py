"""The path of pruning: the subtrees from the full tree to its root, with their sizes, costs and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from deciduous.errors import DataError, OptionError, listing, nearest
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.model.tree import Tree
from deciduous.prune.cost_complexity import Lifetimes, Links, weakest_links
from deciduous.prune.costs import Cost, node_costs
from deciduous.prune.optimal import frontier
from deciduous.prune.rows import Errors, LabelledRows
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import Ints
from deciduous.search.contingency import TIE
from deciduous.textgrid import grid

if TYPE_CHECKING:
    import polars as pl

RULES = ("min", "1se")
#: Of longer paths the middle is not printed.
MOST_LINES = 40
#: The optimal subtrees of at most so many leaves are listed, since looking at all of them takes quadratic time.
MOST_LEAVES = 1000


#: From values of leaves and values of inner nodes to their sums over the leaves and inner nodes of each step.
Totals = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class PruningPath:
    """Subtrees from large to small; one element a step, arrays of shape (steps,).

    `alpha`: from here on the step's subtree is the smallest optimal one (NaN if the subtrees are those of every size).
    `n_leaves`, `n_splits`; `cost`: the sum of the costs of the leaves, per unit of weight; `training_error`: the share
    of wrong answers, or for numbers the impurity; `validation_error`, `validation_se`: the share of wrong answers or
    mean squared error on validation rows, and its standard error; `cv_error`, `cv_se`: the same, cross-validated; NaN
    where not known. `links`: which node falls when, for nested paths.
    """

    tree: Tree
    alpha: Floats
    n_leaves: Ints
    n_splits: Ints
    cost: Floats
    training_error: Floats
    validation_error: Floats
    validation_se: Floats
    cv_error: Floats
    cv_se: Floats
    leaves: Callable[[int], Ints]
    links: Links | None = None

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.n_leaves)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<PruningPath of {len(self)} subtrees, {self.n_leaves[0]} to {self.n_leaves[-1]} leaves>"

    def subtree(self, step: int) -> Tree:
        """Return the tree of a step; DataError if there is no such step."""
        if not 0 <= step < len(self):
            raise DataError(f"there is no step {step}; the path has steps 0 to {len(self) - 1}.")
        return collapse(self.tree, self.leaves(step))

    @property
    def judged_by(self) -> tuple[Floats, Floats]:
        """The errors to choose by, and their standard errors: cross-validated ones, else those of validation rows."""
        for error, se in ((self.cv_error, self.cv_se), (self.validation_error, self.validation_se)):
            if not np.isnan(error).any():
                return error, se
        raise OptionError("the path has no error to choose by: give validation rows.")

    def choose(self, rule: str = "min") -> int:
        """Return the step to choose: the smallest subtree of least error (`min`), or within one standard error of it
        (`1se`, Breiman et al. 1984, section 3.4.3).
        """
        if rule not in RULES:
            raise OptionError(f"rule={rule!r} is not one of {listing(RULES)}.{nearest(rule, RULES)}")
        error, se = self.judged_by
        best = int(np.flatnonzero(error <= error.min() * (1 + TIE))[-1])
        within = error[best] + (se[best] if rule == "1se" else 0.0)
        return int(np.flatnonzero(error <= within * (1 + TIE))[-1])

    def to_frame(self) -> pl.DataFrame:
        """Return the path as a polars data frame, a row a step; what is not known is null."""
        import polars as pl

        names = ("alpha", "n_leaves", "n_splits", "cost", "training_error", "validation_error", "validation_se")
        columns = {name: getattr(self, name) for name in (*names, "cv_error", "cv_se")}
        return pl.DataFrame({"step": np.arange(len(self)), **columns}).fill_nan(None)

    def cp_table(self) -> pl.DataFrame:
        """Return the table of rpart, from small to large: cp, nsplit, rel_error, xerror, xstd, and the alpha itself.

        Costs are divided by that of the root, so that rel_error starts at 1; alpha = cp * cost of the root. A subtree
        is best for every cp from its own up to that of the line before. `xerror` is the cross-validated error, else
        that of validation rows, divided by the root's training error (of medians and rates by the root's own xerror),
        and `xstd` its standard error; null where neither is known.
        """
        import polars as pl

        root = self.cost[-1] if self.cost[-1] > 0 else 1.0
        order = slice(None, None, -1)
        known = not np.isnan(self.cv_error).any()
        error, se = (self.cv_error, self.cv_se) if known else (self.validation_error, self.validation_se)
        whole = self.training_error if self._errs_as_trained else error
        unit = whole[-1] if whole[-1] > 0 else 1.0
        table = {
            "cp": self.alpha[order] / root,
            "nsplit": self.n_splits[order],
            "rel_error": self.cost[order] / root,
            "xerror": error[order] / unit,
            "xstd": se[order] / unit,
            "alpha": self.alpha[order],
        }
        return pl.DataFrame(table).fill_nan(None)

    @property
    def _errs_as_trained(self) -> bool:
        """Whether training errors are in the units of those of other rows: wrong answers, or squares."""
        return self.tree.task == "class" or self.tree.options["criterion"] in ("squared_error", "friedman_mse")

    def link_table(self) -> pl.DataFrame:
        """Return why the nodes of a nested path fall, a row a link: g(t) = (R(t) - R(T_t)) / (|T_t| - 1), per unit of
        weight, and R(t), R(T_t) and |T_t| as they are when it falls.
        """
        import polars as pl

        if self.links is None:
            raise OptionError("only the nested path of cost-complexity pruning has links.")
        links, unit = self.links, float(self.tree.weight[0])
        return pl.DataFrame(
            {
                "step": links.together(),
                "node": links.node,
                "alpha": links.alpha / unit,
                "cost_as_leaf": links.as_leaf / unit,
                "cost_of_branch": (links.as_leaf - links.added) / unit,
                "leaves_of_branch": (links.saved + 1).astype(np.int64),
            }
        )

    def __str__(self) -> str:
        """Return the path as a grid of text; `<- min` and `<- 1se` mark what the rules choose."""
        shown = list(range(len(self)))
        if len(shown) > MOST_LINES:
            shown = [*shown[: MOST_LINES // 2], -1, *shown[-MOST_LINES // 2 :]]
        marks = self._marks()
        columns = {"leaves": self.n_leaves, "alpha": self.alpha, "cost": self.cost, "training": self.training_error}
        columns |= {
            "validation": self.validation_error,
            "+-": self.validation_se,
            "cross-validated": self.cv_error,
            "+- ": self.cv_se,
        }
        known = {name: c for name, c in columns.items() if not np.isnan(c.astype(np.float64)).all()}
        rows = [
            ["..."] * (len(known) + 2)
            if step < 0
            else [str(step), *(significant(float(c[step])) for c in known.values()), marks.get(step, "")]
            for step in shown
        ]
        return grid([_("step"), *map(_, known), ""], rows, numbers=range(len(known) + 1))

    def _marks(self) -> dict[int, str]:
        try:
            chosen = [(self.choose(rule), rule) for rule in RULES]
        except OptionError:
            return {}
        steps = {step for step, _rule in chosen}
        return {step: "<- " + ", ".join(rule for s, rule in chosen if s == step) for step in steps}


def nested_path(tree: Tree, cost: Cost = "impurity", rows: LabelledRows | None = None) -> PruningPath:
    """Return the nested path of cost-complexity pruning: T(alpha) for every alpha at which it changes.

    `cost`: see `node_costs`; `rows`: validation rows. The path begins with T(0), which lacks what lowers no cost.
    """
    costs = node_costs(tree, cost)
    alpha, lives, links = _nested(tree, costs)
    unit = float(tree.weight[0])
    validation = _unknown(lives.n_steps)
    if rows is not None:
        validation = mean_and_se(_error_sums(rows.errors(tree), _totals_of(lives)), rows.weight)
    return PruningPath(
        tree,
        alpha,
        lives.totals(np.ones(len(tree))).astype(np.int64),
        lives.totals_of_inner(np.ones(len(tree))).astype(np.int64),
        lives.totals(costs) / unit,
        lives.totals(_training_costs(tree)) / unit,
        *validation,
        *_unknown(lives.n_steps),
        leaves=lives.leaves,
        links=links,
    )


def nested_error_sums(tree: Tree, cost: Cost, rows: LabelledRows) -> tuple[Floats, Floats]:
    """Return the alphas of the nested path, and the sums of each step's errors on rows, as `mean_and_se` takes them."""
    alpha, lives, _ = _nested(tree, node_costs(tree, cost))
    return alpha, _error_sums(rows.errors(tree), _totals_of(lives))


def _nested(tree: Tree, costs: Floats) -> tuple[Floats, Lifetimes, Links]:
    """Return the alpha of each step, per unit of weight, and when which nodes are leaves."""
    links = weakest_links(tree, costs)
    steps = links.together()
    lives = Lifetimes.of(links, steps)
    alpha = np.zeros(lives.n_steps)
    alpha[steps[::-1]] = links.alpha[::-1]  # the first of each step is written last
    alpha[0] = 0.0
    return alpha / float(tree.weight[0]), lives, links


def _totals_of(lives: Lifetimes) -> Totals:
    return lambda leaves, inner: lives.totals(leaves) + lives.totals_of_inner(inner)


def optimal_path(
    tree: Tree, cost: Cost = "impurity", rows: LabelledRows | None = None, most_leaves: int = MOST_LEAVES
) -> PruningPath:
    """Return the best subtree of every number of leaves, up to `most_leaves`; see `frontier`."""
    found = frontier(tree, cost, min(most_leaves, tree.n_leaves))
    last = len(found.size) - 1
    parts = [found.nodes(last - step) for step in range(last + 1)]
    unit = float(tree.weight[0])

    def totals(leaves: Floats, inner: Floats) -> Floats:
        return np.array([leaves[at].sum() + inner[above].sum() for at, above in parts])

    nothing = np.zeros(len(tree))
    validation = _unknown(last + 1)
    if rows is not None:
        validation = mean_and_se(_error_sums(rows.errors(tree), totals), rows.weight)
    return PruningPath(
        tree,
        np.full(last + 1, np.nan),
        found.size[::-1],
        np.array([len(above) for _, above in parts]),
        found.cost[::-1] / unit,
        totals(_training_costs(tree), nothing) / unit,
        *validation,
        *_unknown(last + 1),
        leaves=lambda step: parts[step][0],
    )


def with_cross_validation(path: PruningPath, error: Floats, se: Floats) -> PruningPath:
    """Return the path with cross-validated errors."""
    return replace(path, cv_error=error, cv_se=se)


def _training_costs(tree: Tree) -> Floats:
    return node_costs(tree, "errors" if tree.task == "class" else "impurity")


def _unknown(n_steps: int) -> tuple[Floats, Floats]:
    return np.full(n_steps, np.nan), np.full(n_steps, np.nan)


def _error_sums(errors: Errors, totals: Totals) -> Floats:
    """Return the sums of w e, w^2 e and w^2 e^2 over rows of weight w and error e, shape (3, steps)."""
    sums = ((errors.as_leaf, errors.stopped), errors.of_squared_weight, errors.squares)
    return np.array([totals(*part) for part in sums])


def mean_and_se(sums: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the mean error of each step and its standard error, from sums of w e, w^2 e and w^2 e^2 and the weights.

    The standard error is sqrt(sum w^2 (e - mean)^2) / sum w; for rows of weight 1 and errors 0 or 1 it is
    sqrt(R (1 - R) / n) (Breiman et al. 1984, section 3.4.1).
    """
    total = float(weight.sum())
    mean = sums[0] / total
    squares = sums[2] - 2 * mean * sums[1] + mean**2 * float((weight**2).sum())
    return mean, np.sqrt(np.maximum(squares, 0.0)) / total
