"""What the cases of the field call, mapped to deciduous. `Skip` where a feature does not exist yet."""

# The cases take everything they need from here, as the template does.
import io  # noqa: F401
import json  # noqa: F401
import math
import os  # noqa: F401
import pickle  # noqa: F401
import re  # noqa: F401
import shutil  # noqa: F401
import subprocess  # noqa: F401
import sys  # noqa: F401
import tempfile  # noqa: F401
import time  # noqa: F401
import warnings
from pathlib import Path

import numpy as np
import pandas as pd  # noqa: F401

import deciduous
from deciduous.estimators.io import estimator_of
from deciduous.explain.working import working_of


class Skip(Exception):
    """A feature that a later issue brings."""


FAST = True
SUPPORTS: set[str] = {"poisson"}
__all__ = [name for name in dir() if not name.startswith("_")]

#: The options of a C4.5 tree that is grown in full.
FULL = {"mdl_correction": False, "collapse": False, "pruning": None}
ESTIMATORS = {
    ("class", "id3"): deciduous.ID3Classifier,
    ("class", "c45"): lambda **options: deciduous.C45Classifier(**{"min_cases": 1, **FULL, **options}),
    ("class", "cart"): deciduous.CARTClassifier,
    ("reg", "cart"): deciduous.CARTRegressor,
}
#: The words of the cases for ways of pruning.
PRUNING = {"ebp": "error"}


class Tree:
    """An estimator behind the names that the cases use."""

    def __init__(self, task="class", algo="cart", **options):
        if "categorical" in options:
            options["kinds"] = dict.fromkeys(options.pop("categorical"), "nominal")
        if "monotonic" in options:
            options["monotonic_cst"] = options.pop("monotonic")
        if "prune" in options:
            options["pruning"] = PRUNING[options.pop("prune")]
        if "cf" in options:
            options["confidence"] = options.pop("cf")
        self.model = ESTIMATORS[task, algo](**options)

    def fit(self, X, y, sample_weight=None):
        self.model.fit(X, y, sample_weight=sample_weight)
        self.model.tree_.check()
        return self

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        return self.model.predict_proba(X)

    @property
    def criterion(self):
        return self.model.criterion

    @property
    def classes_(self):
        return self.model.classes_


def n_leaves(t):
    return t.model.get_n_leaves()


def depth(t):
    return t.model.get_depth()


def root(t):
    return t.model.tree_.node(0).feature


def apply(t, X):
    return t.model.apply(X)


def path(t, row):
    return t.model.decision_path(row).indices.tolist()


def node_n(t, node_id):
    return t.model.tree_.node(int(node_id)).n_samples


def thresholds(t):
    values = t.model.tree_.threshold
    return values[~np.isnan(values)].tolist()


def impurities(t):
    return t.model.tree_.impurity.tolist()


def importances(t):
    return t.model.feature_importances_


def rules(t):
    return [
        {
            "conds": [cond for condition in rule.conditions for cond in conds(condition)],
            "value": rule.prediction,
            "n": rule.n_samples,
            "dist": rule.class_weights,
        }
        for rule in deciduous.rules(t.model, stops=False)
    ]


def conds(condition):
    """The conditions of a rule on one column as the cases have them: (column, operator, bound or set, missing too)."""
    name, missing = condition.feature.name, condition.missing > 0
    if condition.feature.kind != "numeric":
        return [(name, "in", list(condition.categories), missing)]
    bounds = ((">", condition.low), ("<=", condition.high))
    return [(name, operator, bound, missing) for operator, bound in bounds if math.isfinite(bound)]


def text(t, **options):
    options.pop("feature_names", None)
    return t.model.tree_.to_text(**options)


def dot(t, **options):
    return deciduous.draw.to_dot(t.model, **options)


def svg(t, **options):
    return deciduous.draw.to_svg(t.model, **options)


def to_json(t):
    return t.model.tree_.to_json()


def from_json(s):
    t = Tree.__new__(Tree)
    t.model = estimator_of(deciduous.Tree.from_json(s))
    return t


def pycode(t):
    raise Skip("exports come later")


def gains(X, y, algo="c45"):
    options = {"max_depth": 1} | ({"min_cases": 0} if algo == "c45" else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", deciduous.DataWarning)
        model = ESTIMATORS["class", algo](**options).fit(X, y)
    figures = {}
    for candidate, feature in zip(model.tree_.node(0).candidates, working_of(model.tree_).features, strict=True):
        threshold = None if candidate.split is None else candidate.split.threshold
        figures[feature.feature] = {
            "gain": feature.gain,
            "split_info": feature.split_information,
            "gain_ratio": feature.gain_ratio,
            "threshold": threshold,
        }
    return figures


def ccp_path(t):
    path = t.model.pruning_path()
    return path.alpha.tolist(), path.n_leaves.tolist()


def cp_table(t):
    return t.model.pruning_path(cost="errors").cp_table().to_dicts()


def ucf(errors, n, cf):
    return float(deciduous.prune.estimated_errors(n, errors, cf)) / n


def cross_validate(X, y, folds, **tree_options):
    """Fold by fold with scikit-learn's own function, which aligns the classes."""
    from sklearn.model_selection import cross_val_predict

    model = Tree(**tree_options).model
    test_fold = np.empty(len(y), dtype=int)
    for k, fold in enumerate(folds):
        test_fold[fold] = k
    from sklearn.model_selection import PredefinedSplit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scikit-learn says that a class is missing from a fold
        proba = cross_val_predict(model, X, y, cv=PredefinedSplit(test_fold), method="predict_proba")
    return sorted(set(y)), proba


def load(path, target=None, **options):
    """Read a table; the missing words go by our own names."""
    if Path(path).suffix not in (".csv", ".tsv"):
        raise Skip("more file formats have their own issue")
    frame = deciduous.read_table(path, missing=options.get("missing")).to_pandas()
    if target is None:
        return frame, None
    from deciduous.data.frames import columns_of
    from deciduous.estimators.training import take_target

    take_target(columns_of(frame), target)  # our own check of the name, with its message
    return frame.drop(columns=target), frame[target]


def load_c45(stem):
    raise Skip("more file formats have their own issue")


def dask_fit(frame, target, **options):
    raise Skip("scaling out comes later")


__all__ += [
    name
    for name, value in list(globals().items())
    if getattr(value, "__module__", None) == __name__ and not name.startswith("_")
]
