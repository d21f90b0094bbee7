"""RulesClassifier: a tree's rules, simplified, as a classifier of their own."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from deciduous.data.target import as_label_array
from deciduous.errors import OptionError
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.classifiers import C45Classifier, TreeClassifier
from deciduous.estimators.explaining import encoded_rows
from deciduous.estimators.parameters import NamedParameters
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.ruleset.rule_set import RuleSet
from deciduous.ruleset.simplify import Simplification
from deciduous.ruleset.working import SimplificationDerivation


def simplify_rules(
    model: TreeEstimator | Tree,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    confidence: float = 0.25,
    theory_weight: float = 0.5,
) -> RuleSet:
    """Return the rules of a fitted classification tree made shorter and fewer (Quinlan 1993, chapter 5).

    Args:
        model: a fitted estimator, or a `Tree`; trees grown in full (`pruning=None`) lose least on the way.
        X, y, sample_weight: the rows that the tree was grown on; `y` may be the name of a column.
        confidence: CF of the upper limits of errors; smaller drops more conditions.
        theory_weight: how much the bits of rules count beside those of exceptions; smaller keeps more rules.

    Raises:
        DataError: if the rows do not fit the tree.
        OptionError: for a tree of numbers or of several targets, or a parameter out of range.
    """
    return _simplification(model, X, y, sample_weight, confidence, theory_weight).rules


def explain_simplification(
    model: TreeEstimator | Tree | RulesClassifier,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    confidence: float | None = None,
    theory_weight: float | None = None,
    digits: int = 3,
) -> SimplificationDerivation:
    """Return the working of simplified rules: the conditions dropped and their figures, the rules that each class
    keeps, the order of the classes, the rules that did harm, the default.

    Arguments and errors as for `simplify_rules`; of a fitted `RulesClassifier` its own tree and parameters are taken.
    """
    if isinstance(model, RulesClassifier):
        check_is_fitted(model)
        if not hasattr(model, "estimator_"):
            raise OptionError(
                "rules that were read from a file have no tree to show the working of: give the tree that they were "
                "made from."
            )
        own, grown = (model.confidence, model.theory_weight), model.estimator_
    else:
        own, grown = (0.25, 0.5), model
    confidence, theory_weight = (
        default if given is None else given for given, default in zip((confidence, theory_weight), own, strict=True)
    )
    return SimplificationDerivation(_simplification(grown, X, y, sample_weight, confidence, theory_weight), digits)


def _simplification(
    model: TreeEstimator | Tree, X: Any, y: Any, sample_weight: Any, confidence: float, theory_weight: float
) -> Simplification:
    tree = model.tree_ if isinstance(model, TreeEstimator) else model
    tree.demand_one_target("simplifying rules")
    class_weight = tree.options.get("class_weight")
    weights = dict(class_weight) if isinstance(class_weight, list) else class_weight
    found, rows = encoded_rows(tree, X, y, sample_weight, weights)
    return Simplification(tree, found.take(rows), confidence, theory_weight)


class RulesClassifier(ClassifierMixin, NamedParameters, BaseEstimator):
    """The rules of a tree made shorter and fewer, in the way of C4.5's rules (Quinlan 1993, chapter 5).

    `estimator`: a classifier of this library whose tree the rules are taken from; by default `C45Classifier` without
    pruning, as in the book. `confidence` and `theory_weight` as for `simplify_rules`. After fitting, `rules_` is the
    `RuleSet`, `estimator_` the classifier whose tree it was made from, and `classes_` are the classes;
    docs/simplified-rules.md says how it comes about.

    A missing cell fulfils no condition, and neither does a category that training never saw.
    """

    def __init__(
        self, estimator: TreeClassifier | None = None, *, confidence: float = 0.25, theory_weight: float = 0.5
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.theory_weight = theory_weight

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow a tree and simplify its rules; arguments and errors as for the estimator of the tree."""
        if self.estimator is not None and not isinstance(self.estimator, TreeClassifier):
            raise OptionError(
                f"estimator={self.estimator!r} must be ID3Classifier, C45Classifier or CARTClassifier, or None."
            )
        grower = C45Classifier(pruning=None) if self.estimator is None else clone(self.estimator)
        grower.fit(X, y, sample_weight)
        rules = simplify_rules(
            grower, X, y, sample_weight, confidence=self.confidence, theory_weight=self.theory_weight
        )
        self.estimator_ = grower
        return self._adopt(rules, grower.classes_)

    def _adopt(self, rules: RuleSet, classes: NDArray[Any]) -> Self:
        self.rules_, self.schema_, self.classes_ = rules, rules.schema, classes
        self.n_features_in_ = len(rules.schema)
        if rules.schema.named:
            self.feature_names_in_ = np.array(rules.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """Return the fitted classifier of a set of rules."""
        fitted = cls(confidence=rules.confidence, theory_weight=rules.theory_weight)
        return fitted._adopt(rules, as_label_array(rules.classes))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the place of the rule that answers each row, shape (rows,); the number of rules for the default."""
        check_is_fitted(self)
        return self.rules_.apply(X, type(self).__name__)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, shape (rows,): that of the first rule whose conditions all hold."""
        places = self.apply(X)
        answers: NDArray[Any] = self.classes_[self.rules_.codes[places]]
        return answers

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares among the training rows of the rule that answers each row, shape (rows, classes).

        The class predicted has the largest share; of equal ones the default is the most frequent class of the table.
        """
        places = self.apply(X)
        return self.rules_.distributions[places]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rules to a model file (JSON), whole or not at all. `deciduous.load` reads it."""
        check_is_fitted(self)
        self.rules_.save(path)

    def __sklearn_tags__(self) -> Any:
        """Say what the estimator accepts: missing cells, text and categories."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
