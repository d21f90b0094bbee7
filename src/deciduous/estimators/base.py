"""What all estimators share: fitting, and every question that is answered by walking down the tree."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from deciduous.data.schema import Schema
from deciduous.data.table import Table
from deciduous.draw.notebook import html_of, inside_box
from deciduous.errors import DataError, DataWarning, OptionError
from deciduous.estimators.parameters import NamedParameters
from deciduous.estimators.pruning import PruningMixin, fitted_tree
from deciduous.estimators.training import refuse_missing, training_set
from deciduous.explain.importance import impurity_importance
from deciduous.explain.summary import cp_frame, summary_of
from deciduous.grow.algorithm import Algorithm
from deciduous.grow.joint_rows import not_joint
from deciduous.grow.sources import threads
from deciduous.measures import Floats
from deciduous.model.route import Arrivals, route
from deciduous.model.tree import Tree

if TYPE_CHECKING:
    import polars as pl

#: Tables of fewer rows go down the tree sooner than threads start.
WORTH_THREADS = 20_000


class TreeEstimator(PruningMixin, NamedParameters):
    """The common part of the estimators.

    Attributes after fitting: `tree_` (a `Tree`), `schema_` (what every column was taken for), `n_features_in_`,
    `feature_names_in_` (if X had names), `n_outputs_` (the number of targets), and `classes_`, `n_classes_` for
    classifiers; lists of them for several targets.
    """

    _base: ClassVar[Algorithm]
    kinds: Any
    n_jobs: int | None
    tree_: Tree
    schema_: Schema

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, validation: Any = None, exposure: Any = None
    ) -> Self:
        """Grow a tree, and prune it if the options say so.

        Args:
            X: the table, shape (rows, columns): a pandas, polars or pyarrow frame, a NumPy array, a list of dicts.
            y: the target, one a row; or the name of a column of X. CART takes several targets, shape (rows, targets).
            sample_weight: a weight a row, at least 0; rows of weight 0 take no part.
            validation: rows that decide about pruning, `(X, y)` or `(X, y, sample_weight)`; without them pruners that
                need some hold out a part of the training rows (`validation_fraction`), which the tree does not count.
            exposure: with `missing="surrogates"` and `criterion="poisson"`, how long or how many each row was watched,
                above 0: y then counts events, and the tree predicts rates. One number a row, or the name of a column.

        Raises:
            DataError, OptionError: saying what was found, where, and what to do. Both are ValueErrors.
        """
        algorithm = self._base.of(vars(self))
        training = training_set(X, y, sample_weight, algorithm, self.kinds, exposure)
        tree = fitted_tree(training, algorithm, validation)
        classes = [target.classes for target in (training.target, *training.others) if target.classes is not None]
        self._adopt(tree, classes)
        return self

    def _adopt(self, tree: Tree, classes: Sequence[NDArray[Any]]) -> None:
        """Take over a tree as the fitted one; `classes`: of each target, none for numbers."""
        self.tree_, self.schema_ = tree, tree.schema
        self.n_features_in_ = len(tree.schema)
        if tree.schema.named:
            self.feature_names_in_ = np.array(tree.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_outputs_ = len(tree.targets)
        if classes:
            several = len(classes) > 1
            self.classes_ = list(classes) if several else classes[0]
            self.n_classes_ = [len(own) for own in classes] if several else len(classes[0])

    def _arrivals(self, X: Any) -> Arrivals:
        """Send rows down the tree; says once how many cells held categories that training never saw."""
        check_is_fitted(self)
        tree = self.tree_
        table = Table.encode_like(X, tree.schema, needed=tree.used_features, who=type(self).__name__)
        if tree.options["missing"] == "error":
            refuse_missing(table)
        self._report_unseen(table)
        return route(tree, table, self._threads(table.n_rows))

    def _threads(self, n_rows: int) -> int:
        """Return the number of threads that go down the tree with so many rows; OptionError if `n_jobs` is wrong."""
        return 1 if n_rows < WORTH_THREADS else threads(self._base.of({"n_jobs": self.n_jobs}).n_jobs)

    def _report_unseen(self, table: Table) -> None:
        if not table.unseen:
            return
        found = "; ".join(
            f"column {name!r}: {u.count} cell{'s' * (u.count != 1)} (row {u.row}: {u.example!r})"
            for name, u in table.unseen.items()
        )
        policy = self.tree_.unseen
        if policy == "error":
            raise DataError(f"unseen='error' forbids categories that training never saw: {found}.")
        answers = {
            "node": "these rows are answered by the node that asks, with its distribution or mean",
            "missing": "they are treated as missing cells",
        }
        warnings.warn(f"categories that training never saw, {found}: {answers[policy]}.", DataWarning, stacklevel=4)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the node in which each row ends, shape (rows,).

        A leaf; or the node that asks, for a category that training never saw. Of a row whose missing cells send parts
        of it down several branches, the node with the largest part (the first of equals).
        """
        arrivals = self._arrivals(X)
        if arrivals.whole:
            return arrivals.nodes
        order = np.lexsort((arrivals.nodes, -np.round(arrivals.weights, 12), arrivals.rows))
        first = np.searchsorted(arrivals.rows, np.arange(arrivals.n_rows))
        return arrivals.nodes[order][first]

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes, in part or whole: a sparse matrix of 0 and 1, shape (rows, nodes)."""
        arrivals = self._arrivals(X)
        depth = self.tree_.depth
        n_passed = depth[arrivals.nodes] + 1
        ends = np.cumsum(n_passed)
        passed = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
        nodes, place = arrivals.nodes, ends - 1
        while len(nodes):  # from the bottom up: the nodes of a path rise
            passed[place] = nodes
            below_root = nodes > 0
            nodes, place = self.tree_.parent[nodes[below_root]], place[below_root] - 1
        rows = np.repeat(arrivals.rows, n_passed)
        if not arrivals.whole:  # a node that two parts of a row pass is one node
            rows, passed = np.unique(np.stack([rows, passed]), axis=1)
        starts = np.searchsorted(rows, np.arange(arrivals.n_rows + 1))
        ones = np.ones(len(passed), dtype=np.int64)
        return csr_matrix((ones, passed, starts), shape=(arrivals.n_rows, len(self.tree_)))

    def _mix(self, arrivals: Arrivals, answers: Floats) -> Floats:
        """Return per row the answers of the nodes it reaches, weighted by its parts; `answers` has a line an
        arrival.
        """
        if arrivals.whole:
            return answers
        mixed = np.zeros((arrivals.n_rows, *answers.shape[1:]))
        np.add.at(mixed, arrivals.rows, answers * arrivals.weights.reshape(-1, *[1] * (answers.ndim - 1)))
        return mixed

    def get_depth(self) -> int:
        """Return the most questions on a path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves, empty ones included."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """The drop in impurity by column, scaled to sum 1 (Breiman et al. 1984, section 5.3.4); 0 for a column never
        asked for.
        """
        check_is_fitted(self)
        return impurity_importance(self.tree_)

    def summary(self, digits: int = 4, lang: str | None = None) -> str:
        """Return the summary that analysts know from rpart: the table of complexities, the importance of columns, and
        every node with its primary, competing and surrogate splits; `lang`: `en` or `zh`. DataError unless grown with
        surrogates.
        """
        check_is_fitted(self)
        return summary_of(self.tree_, digits, lang)

    def cp_table(self) -> pl.DataFrame:
        """Return the table of complexities as a polars frame: cp, nsplit, rel_error, xerror, xstd.

        DataError unless grown with surrogates; other trees have `pruning_path().cp_table()`.
        """
        check_is_fitted(self)
        return cp_frame(self.tree_)

    def to_sklearn(self, X: Any = None) -> Any:
        """Return a fitted DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn with the same nodes and
        answers, for what reads its arrays (`tree_.children_left`, `tree_.threshold`, ...): SHAP, dtreeviz, scripts.

        X: a table, as a rule the training one, whose rows are to go the same way in both. scikit-learn rounds cells to
        32-bit floats: with X thresholds are moved where a row of it would change its branch; without X that is only
        sure for cells that are 32-bit floats already. Nodes have the same numbers in both.

        Raises OptionError for what scikit-learn's trees cannot express: more than two branches, categories, answers by
        losses, missing cells that go down in parts or follow surrogates where training or X had any. DataError names
        two cells of X that must go apart and that scikit-learn rounds to one.
        """
        from deciduous.export.scikit_learn import to_scikit_learn

        check_is_fitted(self)
        tree = self.tree_
        who = f"{type(self).__name__}.to_sklearn"
        rows = None if X is None else Table.encode_like(X, tree.schema, needed=tree.used_features, who=who)
        return to_scikit_learn(tree, rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted tree to a model file (JSON), whole or not at all. `deciduous.load` reads it."""
        from deciduous.estimators.io import save

        save(self, path)

    def _html_repr(self) -> str:
        """Return scikit-learn's box for a notebook, with the picture of the fitted tree in it."""
        box: str = estimator_html_repr(self)
        return inside_box(box, html_of(self)) if hasattr(self, "tree_") else box

    def __sklearn_tags__(self) -> Any:
        """Say what the estimator accepts: missing cells, text and categories."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._base.name == "cart" and self._goes_with_several_targets()
        return tags

    def _goes_with_several_targets(self) -> bool:
        try:
            return not not_joint(self._base.of(vars(self)))
        except (OptionError, TypeError):  # of wrong options `fit` complains
            return False
