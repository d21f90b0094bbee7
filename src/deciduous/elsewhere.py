"""What options and their values are called elsewhere, and were once called: one table, for the hints of errors.

None of these spellings is accepted. Whoever types one is told what it is called here.
"""

from __future__ import annotations

from collections.abc import Iterable

from deciduous.errors import nearest

OLD = "An older scikit-learn"
LEFT_OUT = "there is no such option; leave it out"

#: Parameters by the name that others give them: whose it is, and what to write instead. C4.5 and J48 have letters.
PARAMETERS: dict[str, tuple[str, str]] = {
    # scikit-learn
    "min_impurity_split": (
        OLD,
        "min_impurity (a node at most this impure is a leaf), or min_impurity_decrease, which took its place there",
    ),
    "presort": (OLD, "every column is sorted once; leave it out"),
    "check_input": ("scikit-learn", "input is always checked; leave it out"),
    "X_idx_sorted": (OLD, "every column is sorted once; leave it out"),
    "categorical_features": ("scikit-learn", "kinds={column: 'nominal'}; text and category columns need no word"),
    # rpart
    "minsplit": ("rpart", "min_samples_split"),
    "minbucket": ("rpart", "min_samples_leaf"),
    "maxdepth": ("rpart", "max_depth"),
    "xval": ("rpart", "cv, with pruning='cost_complexity'"),
    "method": ("rpart", "the estimator: CARTClassifier for 'class', CARTRegressor for 'anova' and 'poisson'"),
    "split": ("rpart", "criterion: 'gini', or 'entropy' for 'information'"),
    **dict.fromkeys(
        ("usesurrogate", "surrogatestyle", "maxsurrogate", "maxcompete", "parms", "prior", "cost", "control"),
        ("rpart", "CARTClassifier.rpart(...) and CARTRegressor.rpart(...), which have rpart's own parameters"),
    ),
    "na_action": ("rpart", "missing='surrogates'; rows without a target are left out"),
    # J48, SimpleCart and REPTree of Weka: by letter and by name
    "C": ("J48", "confidence (C45Classifier)"),
    "M": ("J48", "min_cases (C45Classifier)"),
    "U": ("J48", "pruning=None"),
    "R": ("J48", "pruning='reduced_error'"),
    "N": ("J48", "validation_fraction (1/N), with pruning='reduced_error'"),
    "B": ("J48", "nominal='one_vs_rest'"),
    "S": ("J48", "subtree_raising=False (C45Classifier)"),
    "O": ("J48", "collapse=False (C45Classifier)"),
    "J": ("J48", "mdl_correction=False (C45Classifier)"),
    "A": ("J48", "laplace=True (C45Classifier)"),
    "Q": ("J48", "random_state"),
    "L": ("REPTree", "max_depth"),
    "V": ("REPTree", "min_impurity (V times the impurity of the root)"),
    "P": ("REPTree", "pruning=None"),
    "confidenceFactor": ("Weka", "confidence (C45Classifier)"),
    "subtreeRaising": ("Weka", "subtree_raising (C45Classifier)"),
    "collapseTree": ("Weka", "collapse (C45Classifier)"),
    "useMDLcorrection": ("Weka", "mdl_correction (C45Classifier)"),
    "useLaplace": ("Weka", "laplace (C45Classifier)"),
    "minVarianceProp": ("Weka", "min_impurity (that times the impurity of the root)"),
    "minNumObj": ("Weka", "min_cases (C45Classifier)"),
    "minNum": ("Weka", "min_samples_leaf"),
    "unpruned": ("Weka", "pruning=None"),
    "noPruning": ("Weka", "pruning=None"),
    "usePrune": ("Weka", "pruning='cost_complexity' with cv, or pruning=None"),
    "useOneSE": ("Weka", "rule='1se'"),
    "numFoldsPruning": ("Weka", "cv, with pruning='cost_complexity'"),
    "reducedErrorPruning": ("Weka", "pruning='reduced_error'"),
    "numFolds": ("Weka", "validation_fraction (1/numFolds), with pruning='reduced_error'"),
    "binarySplits": ("Weka", "nominal='one_vs_rest'"),
    "doNotMakeSplitPointActualValue": ("Weka", "threshold='midpoint'"),
    "maxDepth": ("Weka", "max_depth"),
    # C4.5 and C5.0
    "c": ("C4.5", "confidence (C45Classifier; C4.5's percent divided by 100)"),
    "m": ("C4.5", "min_cases (C45Classifier)"),
    "g": ("C4.5", "criterion='gain' (C45Classifier)"),
    "s": ("C4.5", "nominal='groups' (C45Classifier)"),
    **dict.fromkeys(("t", "w", "i"), ("C4.5", f"{LEFT_OUT} (windows)")),
    "p": ("C4.5", f"{LEFT_OUT} (soft thresholds)"),
    "CF": ("C5.0", "confidence (C45Classifier)"),
    "minCases": ("C5.0", "min_cases (C45Classifier)"),
    "fuzzyThreshold": ("C5.0", f"{LEFT_OUT} (soft thresholds)"),
    "noGlobalPruning": ("C5.0", "pruning='error', which is local"),
    "trials": ("C5.0", f"{LEFT_OUT} (a model is one tree)"),
    "winnow": ("C5.0", f"{LEFT_OUT}"),
    # boosting libraries
    "max_leaves": ("XGBoost", "max_leaf_nodes"),
    "num_leaves": ("LightGBM", "max_leaf_nodes"),
    "min_data_in_leaf": ("LightGBM", "min_samples_leaf"),
    "min_child_samples": ("LightGBM", "min_samples_leaf"),
    "max_bin": ("XGBoost", "max_bins"),
    "monotone_constraints": ("XGBoost", "monotonic_cst"),
    "seed": ("Other software", "random_state"),
    "n_threads": ("Other software", "n_jobs"),
    "sample_weight": ("scikit-learn", "fit(X, y, sample_weight=...)"),
    "weights": ("rpart", "fit(X, y, sample_weight=...)"),
}

SQUARES, ABSOLUTE = "'squared_error' (CARTRegressor)", "'absolute_error' (CARTRegressor)"

#: Values by option and the word that others use: whose it is, and what to write instead.
VALUES: dict[tuple[str, str], tuple[str, str]] = {
    ("criterion", "mse"): (OLD, SQUARES),
    ("criterion", "squared_loss"): (OLD, SQUARES),
    ("criterion", "ls"): (OLD, SQUARES),
    ("criterion", "least_squares"): (OLD, SQUARES),
    ("criterion", "anova"): ("rpart", SQUARES),
    ("criterion", "variance"): ("Spark", SQUARES),
    ("criterion", "mae"): (OLD, ABSOLUTE),
    ("criterion", "lad"): (OLD, ABSOLUTE),
    ("criterion", "least_absolute_deviation"): (OLD, ABSOLUTE),
    ("criterion", "deviance"): (OLD, "'log_loss' (CARTClassifier), or 'poisson' (CARTRegressor)"),
    ("criterion", "information"): ("rpart", "'entropy' (CARTClassifier)"),
    ("criterion", "class"): ("rpart", "CARTClassifier(criterion='gini')"),
    ("criterion", "exp"): ("rpart", "nothing, survival trees are out of scope"),
    ("criterion", "infogain"): (
        "Other software",
        "'gain' (ID3Classifier, C45Classifier) or 'entropy' (CARTClassifier)",
    ),
    ("criterion", "information_gain"): (
        "Other software",
        "'gain' (ID3Classifier, C45Classifier) or 'entropy' (CARTClassifier)",
    ),
    ("criterion", "gain"): ("ID3", "'entropy' (CARTClassifier)"),
    ("criterion", "gainratio"): ("Other software", "'gain_ratio' (C45Classifier)"),
    ("criterion", "gain_ratio"): ("C4.5", "C45Classifier, whose criterion it is"),
    **dict.fromkeys(
        [("criterion", word) for word in ("squared_error", "absolute_error", "friedman_mse", "poisson")],
        ("CART for numbers", "CARTRegressor, whose criterion it is"),
    ),
    ("criterion", "gini"): ("CART", "CARTClassifier or ID3Classifier, whose criterion it is"),
    ("criterion", "misclassification"): ("CART", "CARTClassifier, whose criterion it is"),
    ("criterion", "entropy"): ("CART", "'gain' (ID3Classifier, C45Classifier)"),
    ("criterion", "log_loss"): ("CART", "'gain' (ID3Classifier, C45Classifier)"),
    ("max_features", "auto"): (
        OLD,
        "None (all columns) for what it meant to a regression tree, 'sqrt' for a classification tree",
    ),
    ("max_features", "all"): ("Other software", "None (all columns)"),
    ("class_weight", "auto"): (OLD, "'balanced'"),
    ("class_weight", "subsample"): (OLD, "'balanced'"),
    ("class_weight", "balanced_subsample"): ("scikit-learn's forest", "'balanced'"),
    ("pruning", "none"): ("The command", "None"),
    ("pruning", "ccp"): ("Other software", "'cost_complexity'"),
    ("pruning", "cp"): ("rpart", "'cost_complexity'"),
    ("pruning", "rep"): ("Other software", "'reduced_error'"),
    ("pruning", "pep"): ("Other software", "'pessimistic'"),
    ("pruning", "mep"): ("Other software", "'minimum_error'"),
    ("pruning", "ebp"): ("Other software", "'error'"),
    ("pruning", "cvp"): ("Other software", "'critical_value'"),
    ("pruning", "mdl"): ("Other software", "'description_length'"),
}


def parameter_hint(name: str, known: Iterable[str]) -> str:
    """Return what a parameter is called here, as the end of a message; or the nearest known name."""
    spelled = PARAMETERS.get(name.lstrip("-"))
    return nearest(name, known) if spelled is None else f" {spelled[0]} calls it so; here: {spelled[1]}."


def value_hint(option: str, value: object, allowed: Iterable[object]) -> str:
    """Return what the value of an option is called here, as the end of a message; or the nearest value allowed."""
    spelled = VALUES.get((option, value.lower())) if isinstance(value, str) else None
    return nearest(value, allowed) if spelled is None else f" {spelled[0]} calls it so; here: {spelled[1]}."
