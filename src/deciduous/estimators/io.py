"""Saving a fitted estimator, and reading one back from a model file."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from deciduous.data.target import as_label_array
from deciduous.errors import ModelFileError
from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.classifiers import C45Classifier, CARTClassifier, ID3Classifier
from deciduous.estimators.regressors import CARTRegressor
from deciduous.estimators.rules import RulesClassifier
from deciduous.model import io
from deciduous.model.tree import Tree
from deciduous.ruleset.io import FORMAT, rules_of
from deciduous.ruleset.rule_set import RuleSet

#: The estimator of an algorithm and a task.
ESTIMATORS: dict[tuple[str, str], type[TreeEstimator]] = {
    (cls._base.name, cls._base.task): cls for cls in (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor)
}


def save(model: TreeEstimator | RulesClassifier | Tree | RuleSet, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, a tree, or simplified rules to a model file (JSON), whole or not at all."""
    if isinstance(model, TreeEstimator):
        check_is_fitted(model)
        model = model.tree_
    if isinstance(model, Tree):
        io.save(model, path)
    else:
        model.save(path)


def load(path: str | os.PathLike[str]) -> TreeEstimator | RulesClassifier:
    """Read a model file and return the fitted estimator, a RulesClassifier for a file of simplified rules;
    ModelFileError says what is wrong with it. Nothing is executed.
    """
    return io.read_file(path, _model_of)


def _model_of(content: dict[str, Any]) -> TreeEstimator | RulesClassifier:
    if content.get("format") == FORMAT:
        return RulesClassifier.of(rules_of(content))
    return estimator_of(io.tree_of(content))


def estimator_of(tree: Tree) -> TreeEstimator:
    """Return the fitted estimator that a tree belongs to, with the options it was grown with."""
    key = (str(tree.options["name"]), tree.task)
    if key not in ESTIMATORS:
        raise ModelFileError(f"the model is of an unknown algorithm {key[0]!r} for the task {key[1]!r}.")
    cls = ESTIMATORS[key]
    known = cls().get_params()
    options = {name: value for name, value in tree.options.items() if name in known}
    if isinstance(weights := options.get("class_weight"), list):
        mappings = io.class_weights_of(weights)
        options["class_weight"] = mappings if tree.others else mappings[0]
    if isinstance(signs := options.get("monotonic_cst"), list):
        in_turn = [key for key, _ in signs] == list(range(len(tree.schema)))
        options["monotonic_cst"] = [sign for _, sign in signs] if in_turn else dict(signs)
    for name in ("priors", "costs"):
        if isinstance(given := options.get(name), list) and all(isinstance(one, list) for one in given):
            options[name] = dict(given)
    declared = {f.name: f.kind for f in tree.schema.features if f.reason.startswith("declared")}
    estimator = cls(**options, kinds=declared or None)
    estimator._adopt(tree, [as_label_array(one.classes) for one in tree.by_target()] if tree.task == "class" else [])
    return estimator
