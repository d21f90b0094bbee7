"""CARTRegressor."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin

from deciduous.algorithms.cart import CART_NUMBERS
from deciduous.criteria import Gain
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.classifiers import Kinds, Pruning
from deciduous.measures import Floats


class CARTRegressor(RegressorMixin, TreeEstimator):
    """CART for numbers (Breiman et al. 1984, chapter 8): binary splits that lower the squared error most; leaves
    answer a mean.

    Parameters are those of `deciduous.grow.algorithm.Algorithm`, which says what each means; those that scikit-learn
    has too mean the same there. Sums are taken about each node's own mean, so targets far from 0 (1e8 and 1e8 + 1) or
    tiny are split right.
    """

    _base = CART_NUMBERS

    def __init__(
        self,
        *,
        criterion: str | Gain = "squared_error",
        nominal: str = "subset",
        numeric: str = "threshold",
        threshold: str = "midpoint",
        missing: str = "direction",
        unseen: str = "node",
        zero_gain: str = "split",
        min_gain: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        keep_candidates: int = 1000,
        n_jobs: int | None = None,
        pruning: Pruning = None,
        ccp_alpha: float = 0.0,
        cv: Any = None,
        rule: str = "min",
        validation_fraction: float = 0.25,
        random_state: Any = None,
        kinds: Kinds = None,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.numeric = numeric
        self.threshold = threshold
        self.missing = missing
        self.unseen = unseen
        self.zero_gain = zero_gain
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.keep_candidates = keep_candidates
        self.n_jobs = n_jobs
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.kinds = kinds

    def predict(self, X: Any) -> Floats:
        """Return the mean of the target in the leaf of each row, shape (rows,)."""
        arrivals = self._arrivals(X)
        return self._mix(arrivals, self.tree_.value[arrivals.nodes])
