"""CARTRegressor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from deciduous.algorithms.cart import CART_NUMBERS
from deciduous.criteria import Gain
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.classifiers import Kinds, Pruning
from deciduous.estimators.documented import documented
from deciduous.estimators.rpart import check_method, rpart_options
from deciduous.measures import Floats


@documented
class CARTRegressor(RegressorMixin, TreeEstimator):
    """CART for numbers (Breiman et al. 1984, chapter 8): binary splits that lower the squared error most; leaves
    answer a mean, or under `criterion="absolute_error"` a median.

    Parameters that scikit-learn has too mean the same there. Sums are taken about each node's own mean, so targets far
    from 0 (1e8 and 1e8 + 1) or tiny are split right.
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
        costs: Any = None,
        max_surrogates: int = 5,
        max_competitors: int = 4,
        use_surrogates: int = 2,
        surrogate_style: int = 0,
        cp: float = 0.0,
        shrink: float | None = None,
        cv_loss: str = "deviance",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        splitter: str = "best",
        max_features: int | float | str | None = None,
        random_state: Any = None,
        monotonic_cst: Any = None,
        keep_candidates: int = 1000,
        max_bins: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        pruning: Pruning = None,
        ccp_alpha: float = 0.0,
        cv: Any = None,
        rule: str = "min",
        validation_fraction: float = 0.25,
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
        self.costs = costs
        self.max_surrogates = max_surrogates
        self.max_competitors = max_competitors
        self.use_surrogates = use_surrogates
        self.surrogate_style = surrogate_style
        self.cp = cp
        self.shrink = shrink
        self.cv_loss = cv_loss
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.splitter = splitter
        self.max_features = max_features
        self.random_state = random_state
        self.monotonic_cst = monotonic_cst
        self.keep_candidates = keep_candidates
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.kinds = kinds

    @classmethod
    def rpart(
        cls,
        *,
        method: str = "anova",
        minsplit: int | None = None,
        minbucket: int | None = None,
        cp: float = 0.01,
        maxcompete: int = 4,
        maxsurrogate: int = 5,
        usesurrogate: int = 2,
        xval: Any = 10,
        surrogatestyle: int = 0,
        maxdepth: int = 30,
        parms: Mapping[str, Any] | None = None,
        cost: Any = None,
        **options: Any,
    ) -> Self:
        """Return an estimator that grows the tree of the R package rpart, with its parameters and defaults.

        `method`: `anova`, or `poisson` with counts as target (and `fit(..., exposure=...)`); survival (`exp`) is not
        offered. `parms` of `poisson`: `shrink`, and `method` (`deviance` or `sqrt`, by which folds are judged). The
        others as in `CARTClassifier.rpart`.
        """
        check_method(method, ("anova", "poisson"), cls.__name__)
        words = rpart_options(
            method,
            minsplit=minsplit,
            minbucket=minbucket,
            cp=cp,
            maxcompete=maxcompete,
            maxsurrogate=maxsurrogate,
            usesurrogate=usesurrogate,
            xval=xval,
            surrogatestyle=surrogatestyle,
            maxdepth=maxdepth,
            parms=parms,
            cost=cost,
        )
        return cls(**{**words, **options})

    def predict(self, X: Any) -> Floats:
        """Return the mean of the target in the leaf of each row, or its median under absolute error, shape (rows,);
        (rows, targets) for several targets.
        """
        arrivals = self._arrivals(X)
        means = [self._mix(arrivals, tree.value[arrivals.nodes]) for tree in self.tree_.by_target()]
        return means[0] if len(means) == 1 else np.stack(means, axis=1)
