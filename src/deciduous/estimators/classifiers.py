"""ID3Classifier, C45Classifier and CARTClassifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from deciduous.algorithms.c45 import C45
from deciduous.algorithms.cart import CART_CLASSES
from deciduous.algorithms.id3 import ID3
from deciduous.criteria import Gain
from deciduous.data.schema import Label
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.documented import documented
from deciduous.estimators.rpart import check_method, rpart_options
from deciduous.measures import Floats
from deciduous.model.route import Arrivals
from deciduous.model.tree import Tree
from deciduous.prune.rows import Pruner
from deciduous.search.conventions import CONVENTIONS

ClassWeight = Mapping[Label, float] | Sequence[Mapping[Label, float]] | str | None
Kinds = Mapping[Any, str] | None
Pruning = str | Pruner | None


class TreeClassifier(ClassifierMixin, TreeEstimator):
    """A tree that predicts a class: what the three classifiers share."""

    classes_: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, shape (rows,), as the labels were given at fit; (rows, targets) for several.

        The heaviest class of the leaf, the first in `classes_` of equals.
        """
        arrivals = self._arrivals(X)
        classes = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        columns = [self._labels(arrivals, *of) for of in zip(self.tree_.by_target(), classes, strict=True)]
        if len(columns) == 1:
            return columns[0]
        one_type = len({column.dtype.kind for column in columns}) == 1
        return np.stack([column if one_type else column.astype(object) for column in columns], axis=1)

    def _labels(self, arrivals: Arrivals, tree: Tree, classes: NDArray[Any]) -> NDArray[Any]:
        conventions = CONVENTIONS[tree.options.get("conventions", "c45")]
        if arrivals.whole and not conventions.in_turn:  # which compare shares, not weights
            labels: NDArray[Any] = classes[tree.value.astype(np.intp)].take(arrivals.nodes)
            return labels
        mixed: NDArray[Any] = classes[conventions.heaviest(self._shares(arrivals, tree))]
        return mixed

    def _shares(self, arrivals: Arrivals, tree: Tree) -> Floats:
        return self._mix(arrivals, tree.distribution(arrivals.nodes))

    def predict_proba(self, X: Any) -> Any:
        """Return the class shares of the leaf of each row, shape (rows, classes), in the order of `classes_`; lines
        sum to 1. For several targets a list of them.
        """
        arrivals = self._arrivals(X)
        shares = [self._shares(arrivals, tree) for tree in self.tree_.by_target()]
        return shares[0] if len(shares) == 1 else shares

    def predict_log_proba(self, X: Any) -> Any:
        """Return the natural logarithm of `predict_proba`; -inf for a share of 0."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(own) for own in shares] if isinstance(shares, list) else np.log(shares)


@documented
class ID3Classifier(TreeClassifier):
    """ID3 (Quinlan 1986): at every node the feature of largest information gain, with a branch for each of its
    categories.

    Defaults follow the textbook; numbers, which the ID3 of 1986 did not know, are split by thresholds
    (`numeric="error"` forbids them).
    """

    _base = ID3

    def __init__(
        self,
        *,
        criterion: str | Gain = "gain",
        nominal: str = "multiway",
        numeric: str = "threshold",
        threshold: str = "midpoint",
        missing: str = "majority",
        unseen: str = "node",
        zero_gain: str = "stop",
        min_gain: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        max_leaf_nodes: int | None = None,
        class_weight: ClassWeight = None,
        keep_candidates: int = 1000,
        max_bins: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight
        self.keep_candidates = keep_candidates
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.kinds = kinds


@documented
class C45Classifier(TreeClassifier):
    """C4.5 (Quinlan 1993): the largest gain ratio among the features of at least average gain; missing cells go down
    in parts.

    By default the tree is pruned by its estimated errors, with subtree raising, and thresholds pay for their number
    (`mdl_correction`).
    `conventions="j48"` and `"r8"` give the trees of Weka's J48 and of Quinlan's Release 8; see docs/c45.md.
    """

    _base = C45

    def __init__(
        self,
        *,
        criterion: str | Gain = "gain_ratio",
        nominal: str = "multiway",
        numeric: str = "threshold",
        threshold: str = "data",
        missing: str = "fractional",
        unseen: str = "node",
        conventions: str = "c45",
        guard: bool = True,
        mdl_correction: bool = True,
        zero_gain: str = "stop",
        min_gain: float = 0.0,
        min_cases: float = 2.0,
        collapse: bool = True,
        laplace: bool = False,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        max_leaf_nodes: int | None = None,
        class_weight: ClassWeight = None,
        keep_candidates: int = 1000,
        max_bins: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        pruning: Pruning = "error",
        ccp_alpha: float = 0.0,
        confidence: float = 0.25,
        subtree_raising: bool = True,
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
        self.conventions = conventions
        self.guard = guard
        self.mdl_correction = mdl_correction
        self.zero_gain = zero_gain
        self.min_gain = min_gain
        self.min_cases = min_cases
        self.collapse = collapse
        self.laplace = laplace
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight
        self.keep_candidates = keep_candidates
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.kinds = kinds


@documented
class CARTClassifier(TreeClassifier):
    """CART (Breiman et al. 1984): binary splits of least Gini index; categories are divided into two sets.

    Parameters that scikit-learn has too mean the same there. The tree is grown in full.
    """

    _base = CART_CLASSES

    def __init__(
        self,
        *,
        criterion: str | Gain = "gini",
        nominal: str = "subset",
        numeric: str = "threshold",
        threshold: str = "midpoint",
        missing: str = "direction",
        unseen: str = "node",
        zero_gain: str = "split",
        min_gain: float = 0.0,
        priors: Any = None,
        loss: Any = None,
        costs: Any = None,
        max_surrogates: int = 5,
        max_competitors: int = 4,
        use_surrogates: int = 2,
        surrogate_style: int = 0,
        cp: float = 0.0,
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
        class_weight: ClassWeight = None,
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
        self.priors = priors
        self.loss = loss
        self.costs = costs
        self.max_surrogates = max_surrogates
        self.max_competitors = max_competitors
        self.use_surrogates = use_surrogates
        self.surrogate_style = surrogate_style
        self.cp = cp
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
        self.class_weight = class_weight
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
        method: str = "class",
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
        """Return an estimator that grows the tree of the R package rpart, method `class`, with its parameters and
        defaults. The other methods are those of `CARTRegressor.rpart`.

        `minsplit` is 20 and `minbucket` a third of it; where only `minbucket` is given, `minsplit` is three times that.
        `parms`: `prior` (a number a class), `loss` (a line a true class, a column an answer), `split` (`gini` or
        `information`). `xval`: the number of folds, drawn by `random_state`, or the fold of each row; 0 for none.
        `options`: any other option of this class. Ties are decided as in rpart: the first strictly best split wins.
        """
        check_method(method, ("class",), cls.__name__)
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
