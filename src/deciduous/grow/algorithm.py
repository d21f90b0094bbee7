"""The record of all options of growing. ID3, C4.5 and CART are values of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any

import numpy as np

from deciduous.criteria import Criterion, Gain, Task, criterion_of
from deciduous.data.schema import Label
from deciduous.elsewhere import value_hint
from deciduous.errors import OptionError, listing
from deciduous.grow.option_checks import (
    check_class_weight,
    check_conventions,
    check_max_features,
    check_number,
    check_pruning,
    check_rows,
    check_whole,
    plain_folds,
    plain_value,
)
from deciduous.grow.surrogate_options import check_surrogates
from deciduous.missing.shares import POLICIES
from deciduous.search.conventions import CONVENTIONS
from deciduous.search.draw import seed_of
from deciduous.search.features import NOMINAL
from deciduous.search.monotone import Constraints, check_constraints, plain_constraints

#: The allowed values of the options that are words; `criterion` depends on the algorithm and has its own list.
CHOICES: dict[str, tuple[str, ...]] = {
    "nominal": tuple(NOMINAL),
    "conventions": tuple(CONVENTIONS),
    "numeric": ("threshold", "error"),
    "threshold": ("midpoint", "data"),
    "missing": tuple(POLICIES),
    "unseen": ("node", "missing", "error"),
    "zero_gain": ("split", "stop"),
    "splitter": ("best", "random"),
    "rule": ("min", "1se"),
    "cv_loss": ("deviance", "sqrt"),
}


@dataclass(frozen=True)
class Algorithm:
    """Every option of growing a tree, with what it means.

    Attributes:
        name: `id3`, `c45` or `cart`.
        task: `class` or `number`.
        criteria: the names that `criterion` may take.
        criterion: what splits are scored by: a name, or a function of contingency tables, shape (candidates, branches,
            statistics), that returns one score a candidate (higher is better). C4.5's are `gain_ratio` and `gain`
            (Quinlan 1993, section 2.2; option -g).
        nominal: how a nominal column is split: `multiway` (a branch per category; Quinlan 1993, section 2.3), `subset`
            (two sets of categories), `one_vs_rest` (one category against all others; J48: option -B, not in Quinlan
            1993), or `groups` (C4.5: a branch per group of categories; Quinlan 1993, chapter 7: option -s).
        numeric: `threshold`, or `error` (the ID3 of 1986 knows no numbers).
        threshold: `midpoint` of the two neighbouring values, or `data` (the largest training value not above it;
            Quinlan 1993, section 2.4).
        missing: what happens to missing cells: `error`, `majority`, `branch`, `direction`, `fractional` (a row goes
            down all branches, with a part of its weight each; Quinlan 1993, chapter 3) or `surrogates` (Breiman et al.
            1984, section 5.3: other columns stand in; splits are then searched and compared as rpart does, the first
            of strictly best ones wins).
        unseen: what a category answers that training never saw: `node` (the distribution of the node that asks),
            `missing` (as a missing cell), or `error`.
        conventions: `c45` (Quinlan's book, ties decided as everywhere here), or where exactly another program's trees
            are wanted: `j48` (Weka's J48) or `r8` (Quinlan's Release 8, the program of the book in its last version,
            in double precision). Both count the classes that a target of category type declares, in its order, those
            without a row too. docs/c45.md says how the three differ.
        guard: only features of at least average gain compete by ratio (Quinlan 1993, section 2.2).
        mdl_correction: a threshold's gain is lowered by log2(c) / n, c the number of thresholds that compete for n
            rows; a threshold that then gains nothing is no candidate (not yet in Quinlan 1993; Quinlan 1996, "Improved
            use of continuous attributes in C4.5", and Release 8).
        zero_gain: `split` lets a split without gain be made (XOR needs one), `stop` makes the node a leaf; the
            conventions `j48` and `r8` have rules of their own.
        min_gain: a split must have at least this gain (the epsilon of the textbooks).
        min_cases: C4.5's M: at least two branches must have this weight (Quinlan 1993, chapter 9: option -m), and
            both sides of a threshold also a tenth of the mean weight of a class, at most 25 (the program of the book).
        collapse: with `pruning="error"` or None, a subtree that answers no more training rows rightly than a leaf would
            is made that leaf, before any pruning (the program of the book; J48 without -O). Other pruners are given the
            tree as it grew.
        laplace: a leaf's class shares are (weight of the class + 1) / (weight + number of classes) (J48: option -A; not
            in Quinlan 1993).
        priors: with `missing="surrogates"`, the prior probability of each class: a mapping of classes, or numbers in
            their order, scaled to sum 1; None for their shares of the training weight.
        loss: with `missing="surrogates"`, what each wrong answer costs: a line a true class, a column an answer, in the
            order of the classes; None for 1 each. Priors and losses alter how classes count in splits, answers and
            pruning (Breiman et al. 1984, section 4.4).
        costs: with `missing="surrogates"`, what asking for a column costs: improvements are divided by it. A mapping of
            column names (or positions), or a number a column; None for 1 each.
        max_surrogates: with `missing="surrogates"`, how many surrogates a node keeps.
        max_competitors: how many splits of other columns the summary of a node shows.
        use_surrogates: what a missing cell does: 0 leaves the row at the node, 1 asks the surrogates and leaves it
            where none knows the row, 2 sends it to the larger side then.
        surrogate_style: surrogates are compared by agreement over all rows that the primary split knows (0), or over
            those that they know too (1).
        cp: with `missing="surrogates"`, a split must lower the risk by this share of the root's risk for each leaf that
            it adds, with all that grows below it.
        shrink: with `missing="surrogates"` and `criterion="poisson"`, the coefficient of variation of the gamma prior
            towards which rates are shrunk; 0 for none, None for 1 (0 with `cv_loss="sqrt"`).
        cv_loss: how cross-validation judges rates: by `deviance`, or by differences of square roots (`sqrt`).
        max_depth: the most questions on a path; None for no limit.
        min_samples_split: a node with fewer rows is a leaf; a share (a fraction up to 1) of the rows is rounded up.
        min_samples_leaf: every branch that holds rows must hold at least this many, or this share of all rows.
        min_weight_fraction_leaf: every branch that holds rows must hold this share of the total weight.
        min_impurity: a node at most this impure is a leaf.
        min_impurity_decrease: a split must lower the impurity by this much, weighted by the node's share of the total
            weight.
        max_leaf_nodes: the most leaves; the tree then grows best first.
        splitter: `best`, the best split of each column; or `random`, one drawn at random (Geurts et al. 2006): a
            threshold between the least and the largest value in the node, or a set of categories.
        max_features: how many columns a node looks at, drawn at random: a number, a share (a fraction up to 1), `sqrt`
            or `log2` of the columns, at least one; None for all. If none of them has a split, it looks on until one
            has.
        random_state: the seed of all random choices, a whole number or one of NumPy's generators, which draws one; None
            for 0. The same seed gives the same tree, whatever the order of the rows.
        monotonic_cst: what is predicted (the second of two classes, or a number) must not fall (1), must not rise (-1)
            or is free (0) as a column grows: one for every column, or a mapping of column names; None for all free.
        class_weight: a weight per class, `balanced` (rows / (classes * rows of the class)), or None; for several
            targets also a list with a mapping for each.
        max_bins: ordered columns with more different values are searched in so many bins of about equally many rows;
            None (exact) never. Equal to exact where no two values share a bin.
        n_jobs: threads of the native kernels; None or -1 for all cores. The tree is the same for any number.
        verbose: with 1, growing that takes long shows a progress bar.
        keep_candidates: trees up to this many nodes keep every feature's best candidate in every node.
        pruning: how the grown tree is pruned: None, `error` (C4.5's estimate of errors; Quinlan 1993, chapter 4),
            `reduced_error` (by rows that the tree was not grown on; Quinlan 1987, and chapter 4 of 1993, which does
            without), `pessimistic`, `minimum_error`, `critical_value`, `description_length`, `cost_complexity`,
            `optimal` (the best subtree of every size), `validation` (pre-pruning), or a pruner of `deciduous.prune`.
        ccp_alpha: the price of a leaf in cost-complexity pruning, as in scikit-learn; with 0 and
            `pruning="cost_complexity"` validation rows choose it.
        confidence: CF, the confidence of `pruning="error"`; smaller prunes more (Quinlan 1993, section 4.2; option -c,
            in percent).
        subtree_raising: `pruning="error"` may also put the heaviest branch in the place of its parent (Quinlan 1993,
            section 4.1; J48 without -S).
        cv: folds of the cross-validation that chooses the alpha of `pruning="cost_complexity"`, drawn by the seed,
            class by class, or the fold of each row, or a list of pairs (rows to grow on, rows to judge by); None for
            validation rows. With `missing="surrogates"` the folds fill the table of complexities, pruned by it or not.
        rule: which subtree validation rows or folds choose: of least error (`min`), or the smallest within one standard
            error of it (`1se`).
        validation_fraction: the share of the rows that pruners which need validation rows hold out, where `fit` is
            given none; drawn at random, class by class.
    """

    name: str
    task: Task
    criteria: tuple[str, ...]
    criterion: str | Gain
    nominal: str
    missing: str
    numeric: str = "threshold"
    threshold: str = "midpoint"
    unseen: str = "node"
    conventions: str = "c45"
    guard: bool = False
    mdl_correction: bool = False
    zero_gain: str = "stop"
    min_gain: float = 0.0
    min_cases: float = 0.0
    collapse: bool = False
    laplace: bool = False
    priors: Any = None
    loss: Any = None
    costs: Any = None
    max_surrogates: int = 5
    max_competitors: int = 4
    use_surrogates: int = 2
    surrogate_style: int = 0
    cp: float = 0.0
    shrink: float | None = None
    cv_loss: str = "deviance"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    splitter: str = "best"
    max_features: int | float | str | None = None
    random_state: int | None = None
    monotonic_cst: Constraints | None = None
    class_weight: Mapping[Label, float] | Sequence[Mapping[Label, float]] | str | None = None
    keep_candidates: int = 1000
    max_bins: int | None = None
    n_jobs: int | None = None
    verbose: int = 0
    pruning: str | Callable[..., Any] | None = None
    ccp_alpha: float = 0.0
    confidence: float = 0.25
    subtree_raising: bool = False
    cv: int | Sequence[Any] | None = None
    rule: str = "min"
    validation_fraction: float = 0.25

    def __post_init__(self) -> None:
        """Check every value; OptionError says what is allowed."""
        criterion_of(self.criterion, self.task, self.criteria)
        for option, allowed in CHOICES.items():
            value = getattr(self, option)
            if not isinstance(value, str) or value not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not one of {listing(allowed)}.{value_hint(option, value, allowed)}"
                )
        for option in ("guard", "mdl_correction", "collapse", "laplace", "subtree_raising"):
            if not isinstance(getattr(self, option), bool):
                raise OptionError(f"{option}={getattr(self, option)!r:.60} must be True or False.")
        check_conventions(self)
        if self.max_bins is not None and self.splitter == "random":
            raise OptionError("max_bins does not go with splitter='random', which draws thresholds between all values.")
        check_class_weight(self.class_weight)
        check_max_features(self.max_features)
        if isinstance(self.random_state, Integral) and self.random_state >= 2**64:
            raise OptionError(f"random_state={self.random_state!r:.60} must be a whole number below 2^64.")
        check_constraints(self.monotonic_cst)
        check_pruning(self)
        check_surrogates(self)
        for option in ("min_gain", "min_cases", "min_impurity", "min_impurity_decrease"):
            check_number(option, getattr(self, option), 0.0)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)
        check_rows("min_samples_split", self.min_samples_split, 2)
        check_rows("min_samples_leaf", self.min_samples_leaf, 1)
        check_whole("keep_candidates", self.keep_candidates, 0)
        if not isinstance(self.verbose, bool):
            check_whole("verbose", self.verbose, 0)
        for option, least in (
            ("max_depth", 0),
            ("max_leaf_nodes", 2),
            ("max_bins", 2),
            ("n_jobs", 1),
            ("random_state", 0),
        ):
            all_cores = option == "n_jobs" and self.n_jobs == -1
            if getattr(self, option) is not None and not all_cores:
                check_whole(option, getattr(self, option), least)

    @property
    def scoring(self) -> Criterion:
        """The criterion as a record of functions."""
        return criterion_of(self.criterion, self.task, self.criteria)

    @property
    def keeps_declared(self) -> bool:
        """Whether classes of a category type are kept as declared, without rows too (Quinlan 1993: the .names file)."""
        return self.conventions != "c45"

    @property
    def inherits(self) -> bool:
        """Whether nodes have something from above: random choices, or bounds."""
        return self.max_features is not None or self.splitter == "random" or self.monotonic_cst is not None

    @property
    def seed(self) -> int:
        """The seed of all random choices."""
        return self.random_state or 0

    def of(self, options: Mapping[str, Any]) -> Algorithm:
        """Return this algorithm with some options replaced; unknown names are left to the caller."""
        plain = {key: PLAIN.get(key, plain_value)(value) for key, value in options.items() if key in OPTIONS}
        return replace(self, **plain)

    def for_rows(self, n_rows: int) -> Algorithm:
        """Return this algorithm with shares of the rows as numbers of them, rounded up."""
        if not isinstance(self.min_samples_split, float) and not isinstance(self.min_samples_leaf, float):
            return self
        return replace(
            self,
            min_samples_split=_rows(self.min_samples_split, n_rows, 2),
            min_samples_leaf=_rows(self.min_samples_leaf, n_rows, 1),
        )

    def plain(self) -> dict[str, Any]:
        """Return the options as plain values for a file: a function becomes its name, a mapping a list of pairs."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in NOT_OF_THE_TREE}
        values["cv"] = _number_of_folds(self.cv)
        values |= {name: _as_lists(getattr(self, name)) for name in ("priors", "loss", "costs")}
        weights = self.class_weight
        pairs = [_pairs(one) for one in weights] if isinstance(weights, list | tuple) else _pairs(weights)
        signs = self.monotonic_cst
        by = None if signs is None else signs.items() if isinstance(signs, Mapping) else enumerate(signs)
        constraints = None if by is None else [[key, int(sign)] for key, sign in by]
        pruning = self.pruning if self.pruning is None or isinstance(self.pruning, str) else _name_of(self.pruning)
        return {
            **values,
            "criterion": self.scoring.name,
            "class_weight": pairs,
            "monotonic_cst": constraints,
            "pruning": pruning,
        }


#: The fields that users set.
OPTIONS = frozenset(f.name for f in fields(Algorithm)) - {"name", "task", "criteria"}
#: Fields that say nothing about the tree.
NOT_OF_THE_TREE = ("criteria", "task", "n_jobs", "verbose")


def _number_of_folds(cv: Any) -> int | None:
    """Return how many folds `cv` means: itself, or those of a list of pairs, or of the fold of each row."""
    if cv is None or isinstance(cv, Integral):
        return cv  # type: ignore[return-value]
    pairs = bool(len(cv)) and isinstance(cv[0], list | tuple)
    return len(cv) if pairs else len(np.unique(np.asarray(cv)))


def _pairs(value: Any) -> Any:
    """Return a mapping as pairs, and anything else as it is."""
    if isinstance(value, Mapping):
        return [[plain_value(key), float(v)] for key, v in value.items()]
    return value


def _as_lists(value: Any) -> Any:
    """Return a mapping as pairs and a table as lists, for a file."""
    if isinstance(value, Mapping):
        return _pairs(value)
    return None if value is None else np.asarray(value, dtype=np.float64).tolist()


def _name_of(pruner: Any) -> str:
    """Return the word of a pruner, or the name of a user's own function."""
    return str(getattr(pruner, "name", None) or getattr(pruner, "__name__", type(pruner).__name__))


def _rows(limit: int | float, n_rows: int, least: int) -> int:
    return max(least, math.ceil(limit * n_rows)) if isinstance(limit, float) else int(limit)


def _seed(value: Any) -> Any:
    return plain_value(seed_of(value))


#: The options whose values are made plain in a way of their own.
PLAIN: dict[str, Callable[[Any], Any]] = {
    "random_state": _seed,
    "monotonic_cst": plain_constraints,
    "cv": plain_folds,
}
