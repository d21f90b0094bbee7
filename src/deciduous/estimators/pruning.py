"""Pruning as part of an estimator: which pruner its options ask for, the rows that the pruner looks at, and pruning a
fitted estimator further.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from deciduous.data.frames import columns_of
from deciduous.data.table import Table
from deciduous.data.target import encode_target_like
from deciduous.errors import DataError, DataWarning, OptionError, listing, nearest
from deciduous.estimators.cp_validation import with_cp_table
from deciduous.estimators.cross_validation import Parts, cross_validated, labelled, parts_of, shuffled
from deciduous.estimators.growing import grow_on
from deciduous.estimators.training import TrainingSet, refuse_missing, take_target, training_set
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.option_checks import PRUNING
from deciduous.measures import Floats, as_weights
from deciduous.model.tree import Tree
from deciduous.prune.collapsing import Collapse
from deciduous.prune.complexity import ByComplexity, chosen_cp
from deciduous.prune.cost_complexity import Lifetimes, weakest_links
from deciduous.prune.costs import Cost, node_costs
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.optimal import prune_to
from deciduous.prune.path import PruningPath, nested_path, optimal_path
from deciduous.prune.pruners import PRUNERS
from deciduous.prune.rows import LabelledRows, Pruner
from deciduous.prune.selection import CostComplexity, Optimal

#: The paths of `pruning_path`, and how they are found.
PATHS: dict[str, Callable[..., PruningPath]] = {"nested": nested_path, "optimal": optimal_path}

#: The options of a tree that is neither pruned nor collapsed.
FULL: dict[str, Any] = {"pruning": None, "ccp_alpha": 0.0, "cv": None, "collapse": False}


def pruner_of(algorithm: Algorithm) -> Pruner | None:
    """Return the pruner that the options ask for, or None."""
    word = algorithm.pruning
    if word is None:
        return CostComplexity(algorithm.ccp_alpha) if algorithm.ccp_alpha > 0 else None
    if not isinstance(word, str):
        if not hasattr(word, "needs"):
            raise OptionError(f"the pruner {word!r:.60} must say what it needs; see deciduous.prune.Pruner.")
        return word  # type: ignore[return-value]
    if word == "error":
        return ErrorBased(algorithm.confidence, algorithm.subtree_raising, algorithm.conventions)
    if word == "cost_complexity":
        return CostComplexity(algorithm.ccp_alpha or None, algorithm.rule)
    return Optimal(rule=algorithm.rule) if word == "optimal" else PRUNERS[word]()


def fitted_tree(training: TrainingSet, algorithm: Algorithm, validation: Any) -> Tree:
    """Grow a tree, and prune it as the options say; `validation`: what `fit` was given."""
    if algorithm.missing == "surrogates" and validation is None and _judged_by_complexity(algorithm):
        return _by_complexity(training, algorithm)
    if algorithm.cv is not None and algorithm.pruning == "cost_complexity" and algorithm.ccp_alpha == 0:
        if validation is not None:
            raise OptionError("validation= and cv= both say what decides about pruning; give one of them.")
        path = cross_validated(training, algorithm, parts_of(training, algorithm.cv, algorithm.seed))
        return path.subtree(path.choose(algorithm.rule))
    pruner = pruner_of(algorithm)
    growing, for_pruner = hold_out(training, algorithm, pruner, validation)
    tree = grow_on(training, algorithm, growing)
    if algorithm.collapse and (pruner is None or isinstance(pruner, ErrorBased)):
        tree = Collapse(algorithm.conventions)(tree)
    return tree if pruner is None else pruner(tree, for_pruner(tree))


def _judged_by_complexity(algorithm: Algorithm) -> bool:
    """Whether the table of complexities says what is pruned: nothing, or what folds choose."""
    if algorithm.ccp_alpha > 0:
        return False
    return algorithm.pruning is None or (algorithm.pruning == "cost_complexity" and algorithm.cv is not None)


def _by_complexity(training: TrainingSet, algorithm: Algorithm) -> Tree:
    """Grow a tree with its table of complexities, cross-validated if the options say so, and prune it by that."""
    tree = with_cp_table(training, algorithm, _parts_for_complexity(training, algorithm))
    return tree if algorithm.pruning is None else ByComplexity(chosen_cp(tree, algorithm.rule))(tree)


def _parts_for_complexity(training: TrainingSet, algorithm: Algorithm) -> Parts | None:
    """Return the folds that fill the table of complexities: of fewer rows than folds, each is left out once, as rpart
    does; a single row cannot be left out, and has no split to judge.
    """
    cv, n = algorithm.cv, len(training.rows)
    if isinstance(cv, Integral) and n < int(cv):
        cv = n
    if cv is None or (isinstance(cv, Integral) and int(cv) < 2):
        return None if cv is None else []
    return parts_of(training, cv, algorithm.seed)


Held = Callable[[Tree], LabelledRows | None]


def hold_out(
    training: TrainingSet, algorithm: Algorithm, pruner: Pruner | None, validation: Any
) -> tuple[NDArray[np.int64], Held]:
    """Return the rows to grow on, and a function of the grown tree that gives the rows for its pruner."""
    needs = "statistics" if pruner is None else pruner.needs
    if needs != "validation":
        if validation is not None:
            raise OptionError(f"validation= is given, but pruning={algorithm.pruning!r} looks at no validation rows.")
        if needs == "statistics":
            return training.rows, lambda tree: None
        return training.rows, lambda tree: replace(labelled(training, training.rows), grown_on=True)
    if validation is not None:
        if not isinstance(validation, tuple | list) or len(validation) not in (2, 3):
            raise OptionError("validation must be (X, y) or (X, y, sample_weight).")
        return training.rows, lambda tree: _noting_shared(tree, training, validation)
    held = _drawn(training, algorithm)
    return training.rows[~held], lambda tree: labelled(training, training.rows[held])


def _noting_shared(tree: Tree, training: TrainingSet, validation: Sequence[Any]) -> LabelledRows:
    """Return validation rows; a DataWarning counts those that a tree is grown on too."""
    rows, grown_on = labelled_rows(tree, *validation), labelled(training, training.rows)
    _note(grown_on, _with_all_cells(tree, *validation[:2]), 5)
    return rows


def note_shared(tree: Tree, grown_on: tuple[Any, Any], validation: tuple[Any, Any]) -> None:
    """Warn of validation rows (X, y) that have all cells and the target of a row that the tree was grown on."""
    _note(_with_all_cells(tree, *grown_on), _with_all_cells(tree, *validation), 4)


def _with_all_cells(tree: Tree, X: Any, y: Any) -> LabelledRows:
    """Return rows with all columns that are there, not only those that the tree asks for."""
    columns = columns_of(X)
    if isinstance(y, str):
        _, y = take_target(columns, y)
    there = [j for j, f in enumerate(tree.schema.features) if not columns.named or f.name in columns.names]
    table = Table.encode_like(X, tree.schema, needed=there)
    target = encode_target_like(y, tree.task, tree.classes, tree.target)
    rows = LabelledRows(table, target.values.astype(np.float64), np.ones(table.n_rows))
    return rows.take(np.flatnonzero(target.known))


def _note(grown_on: LabelledRows, rows: LabelledRows, stacklevel: int) -> None:
    pairs = zip(grown_on.table.columns, rows.table.columns, strict=True)
    known = [(own, other) for own, other in pairs if own is not None and other is not None]
    own, others = (
        np.column_stack([*(np.asarray(cells, dtype=np.float64) for cells in side), target])
        for side, target in (
            ([own for own, _ in known], grown_on.target),
            ([other for _, other in known], rows.target),
        )
    )
    shared = int(np.isin(_as_keys(others), _as_keys(own)).sum())
    if shared:
        warnings.warn(
            f"{shared} of the {len(others)} validation rows have the cells and the target of a training row. Rows that "
            "a tree was grown on do not tell where it follows chance; give others, unless such rows are alike by "
            "nature.",
            DataWarning,
            stacklevel=stacklevel,
        )


def _as_keys(rows: Floats) -> NDArray[np.void]:
    """Return each row as one thing that can be compared; missing cells are alike."""
    plain = np.ascontiguousarray(np.where(np.isnan(rows), np.inf, rows + 0.0))
    return plain.view(np.dtype((np.void, plain.dtype.itemsize * plain.shape[1]))).ravel()


def _drawn(training: TrainingSet, algorithm: Algorithm) -> NDArray[np.bool_]:
    """Return which of the rows that take part are held out: a share of each class, drawn by the seed."""
    n, share = len(training.rows), algorithm.validation_fraction
    held = np.zeros(n, dtype=bool)
    evenly = np.diff(np.floor(np.arange(n + 1) * share + 0.5)) > 0
    held[shuffled(training, algorithm.seed)] = evenly
    if not held.any() or held.all():
        raise DataError(
            f"validation_fraction={share:g} of {n} row{'s' * (n != 1)} leaves none to prune or none to grow on; "
            "pass fit(..., validation=(X, y))."
        )
    return held


def labelled_rows(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows:
    """Return rows for a pruner, encoded as the tree was; `y` may be the name of a column of X.

    Rows without a target take no part, and a DataWarning counts them. A class that the tree does not know is answered
    wrongly by every node. DataError says what cannot be used.
    """
    if isinstance(y, str):
        _, y = take_target(columns_of(X), y)
    table = Table.encode_like(X, tree.schema, needed=tree.used_features, who="the tree")
    target = encode_target_like(y, tree.task, tree.classes, tree.target)
    if len(target.values) != table.n_rows:
        raise DataError(f"X has {table.n_rows} rows and y has {len(target.values)}; they must be the same rows.")
    if tree.options["missing"] == "error":
        refuse_missing(table)
    if tree.unseen == "error" and table.unseen:
        raise DataError(f"unseen='error' forbids categories that training never saw: {listing(table.unseen)}.")
    rows = LabelledRows(table, target.values.astype(np.float64), as_weights(sample_weight, table.n_rows))
    if not target.known.all():
        gaps = int((~target.known).sum())
        warnings.warn(f"{gaps} of {table.n_rows} rows left out: they have no target.", DataWarning, stacklevel=3)
        rows = rows.take(np.flatnonzero(target.known))
    if not rows.weight.sum() > 0:
        raise DataError("no row is left to look at: every row has zero weight or no target.")
    return rows


def pruner_named(pruning: Any, tree: Tree) -> Pruner:
    """Return the pruner of a word, or what is one already; OptionError for anything else.

    Error-based pruning has the confidence and the conventions that the tree was grown with.
    """
    if isinstance(pruning, str) and pruning in PRUNERS:
        return ErrorBased.of_tree(tree) if pruning == ErrorBased.name else PRUNERS[pruning]()
    if isinstance(pruning, str) or not hasattr(pruning, "needs"):
        raise OptionError(
            f"pruning={pruning!r:.60} is not one of {listing(PRUNING, len(PRUNING))}, nor a pruner of deciduous.prune."
            + (nearest(pruning, PRUNING) if isinstance(pruning, str) else "")
        )
    found: Pruner = pruning
    return found


class PruningMixin:
    """What estimators can do about pruning after fitting; everything returns something new."""

    tree_: Tree
    kinds: Any
    _base: ClassVar[Algorithm]

    if TYPE_CHECKING:

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...

        def _adopt(self, tree: Tree, classes: Sequence[NDArray[Any]]) -> None: ...

    def prune(self, pruning: str | Pruner, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Return a copy of this fitted estimator whose tree is pruned.

        Args:
            pruning: a word of the option `pruning`, or a pruner of `deciduous.prune`. The word `error` prunes with the
                confidence and the conventions of the fit, and raises no branches.
            X, y, sample_weight: the rows that decide, for pruners that look at some; they should not be those that the
                tree was grown on. `y` may be the name of a column.

        Raises:
            OptionError: for an unknown word, or a pruner that needs rows and got none.
        """
        check_is_fitted(self)
        pruner = pruner_named(pruning, self.tree_)
        rows = None if X is None else labelled_rows(self.tree_, X, y, sample_weight)
        return self._with(pruner(self.tree_, rows))

    def prune_to(self, n_leaves: int, cost: Cost = "impurity") -> Self:
        """Return a copy with the best subtree of at most `n_leaves` leaves: of least training cost, not a guess by
        alpha (Bohanec and Bratko 1994). `cost`: see `deciduous.prune.node_costs`.
        """
        check_is_fitted(self)
        return self._with(prune_to(self.tree_, n_leaves, cost))

    def prune_by_cp(self, cp: float) -> Self:
        """Return a copy that keeps the splits of larger complexity than `cp`, a share of the root's risk, as rpart's
        `prune` does; for trees grown with surrogates.
        """
        check_is_fitted(self)
        return self._with(ByComplexity(cp)(self.tree_))

    def _with(self, tree: Tree) -> Self:
        copy: Self = clone(self)
        classes = getattr(self, "classes_", [])
        copy._adopt(tree, classes if isinstance(classes, list) else [classes])
        return copy

    def pruning_path(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, kind: str = "nested", cost: Cost = "impurity"
    ) -> PruningPath:
        """Return the subtrees of the fitted tree from large to small, with their sizes, costs and errors.

        `kind`: `nested` (cost-complexity) or `optimal` (the best of every size); X and y: validation rows, if any.
        """
        check_is_fitted(self)
        self.tree_.demand_one_target("pruning_path")
        if kind not in PATHS:
            raise OptionError(f"kind={kind!r} is not one of {listing(PATHS)}.")
        rows = None if X is None else labelled_rows(self.tree_, X, y, sample_weight)
        return PATHS[kind](self.tree_, cost, rows)

    def cross_validated_path(
        self, X: Any, y: Any, sample_weight: Any = None, *, cv: Any = 10, cost: Cost = "impurity"
    ) -> PruningPath:
        """Grow a full tree and return its path of cost-complexity pruning with cross-validated errors.

        `cv`: the number of folds, drawn by `random_state` class by class; or the fold of each row, shape (rows,); or a
        list of pairs (rows to grow on, rows to judge by), as scikit-learn's splitters give them.
        `PruningPath.choose` picks the step of least error, or by the rule of one standard error.
        """
        algorithm = self._base.of({**self.get_params(deep=False), **FULL})
        training = training_set(X, y, sample_weight, algorithm, self.kinds)
        if training.others:
            raise OptionError("cross_validated_path is for one target; grow a tree of each.")
        return cross_validated(training, algorithm, parts_of(training, cv, algorithm.seed), cost)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow a full tree and return the path of its weakest links, as scikit-learn's method of this name does.

        Returns `ccp_alphas` and `impurities`, one a link in the order in which they fall, after alpha 0 and the
        impurity of the full tree; links of equal alpha are listed one by one. `pruning_path` has more.
        """
        known = self.get_params(deep=False)
        full = {option: value for option, value in FULL.items() if option in known}
        grown = clone(self).set_params(**full).fit(X, y, sample_weight)
        costs = node_costs(grown.tree_)
        links = weakest_links(grown.tree_, costs)
        total = float(grown.tree_.weight[0])
        impurities = Lifetimes.of(links, links.one_by_one()).totals(costs) / total
        return Bunch(ccp_alphas=np.concatenate([[0.0], links.alpha / total]), impurities=impurities)
