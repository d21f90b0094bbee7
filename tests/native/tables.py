"""Random tables and options, for comparing the native growing with its NumPy twin."""

from typing import Any

import numpy as np
import pandas as pd

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.estimators.base import TreeEstimator

ESTIMATORS = (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor)
CRITERIA = {
    ID3Classifier: ("gain", "gini"),
    C45Classifier: ("gain_ratio", "gain"),
    CARTClassifier: ("gini", "entropy", "misclassification"),
    CARTRegressor: ("squared_error", "friedman_mse", "absolute_error", "poisson"),
}


def random_column(rng: np.random.Generator, n: int) -> pd.Series:
    """Return numbers, with ties or not, some of them close together, categories, ranked or not, or a constant; half of
    them with missing cells, few or many.
    """
    kind = rng.integers(7)
    if kind == 0:
        cells: Any = rng.normal(size=n)
    elif kind == 1:
        cells = rng.integers(0, 6, n).astype(float)
    elif kind == 2:
        cells = pd.Categorical(rng.choice(list("abcde"), n), categories=list("abcdef"))
    elif kind == 3:
        cells = pd.Categorical(rng.choice(list("wxyz"), n), categories=list("wxyz"), ordered=True)
    elif kind == 4:
        cells = np.full(n, 1.0)
    elif kind == 5:
        cells = rng.integers(0, 9, n) + rng.choice([0, 1e-5, 9e-6, 4e-5], n)
    else:
        cells = pd.Categorical(rng.choice(list("abcdefghijklmnop"), n))
    column = pd.Series(cells)
    if rng.random() < 0.5:
        column[rng.random(n) < rng.choice([0.02, 0.2, 0.5])] = np.nan
    return column


def random_weights(rng: np.random.Generator, n: int) -> np.ndarray | None:
    """Return no weights, quarters (some of them 0), or any numbers."""
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.integers(0, 4, n) / 4 if kind == 1 else rng.random(n) + 0.1
    weights[0] = 1.0
    return weights


def random_target(rng: np.random.Generator, n: int, estimator: type[TreeEstimator]) -> np.ndarray:
    """Return up to four classes; or small whole numbers, or numbers of any size."""
    if estimator is not CARTRegressor:
        return rng.integers(0, int(rng.integers(1, 5)), n)
    if rng.random() < 0.5:
        return rng.integers(0, 5, n).astype(float)
    if rng.random() < 0.3:
        return rng.exponential(size=n) * 10.0 ** rng.integers(-3, 9)
    return rng.normal(size=n) * 10.0 ** rng.integers(-3, 9)


def random_options(rng: np.random.Generator, estimator: type[TreeEstimator]) -> dict[str, Any]:
    """Return options, each valid for the estimator."""
    options: dict[str, Any] = {
        "criterion": str(rng.choice(CRITERIA[estimator])),
        "missing": str(rng.choice(["majority", "branch", "direction", "fractional"])),
        "nominal": str(rng.choice(["multiway", "subset", "one_vs_rest"])),
        "zero_gain": str(rng.choice(["split", "stop"])),
        "threshold": str(rng.choice(["midpoint", "data"])),
        "max_depth": None if rng.random() < 0.5 else int(rng.integers(1, 6)),
        "min_samples_leaf": int(rng.choice([1, 1, 2, 5])),
        "min_weight_fraction_leaf": float(rng.choice([0.0, 0.0, 0.05])),
        "max_bins": None if rng.random() < 0.7 else int(rng.integers(2, 20)),
        "max_leaf_nodes": None if rng.random() < 0.6 else int(rng.integers(2, 12)),
    }
    if estimator is C45Classifier:
        options |= {"min_cases": float(rng.choice([0, 1, 2])), "guard": bool(rng.integers(2))}
        options |= random_conventions(rng, options)
    if estimator is not CARTRegressor and rng.random() < 0.2:
        options["class_weight"] = "balanced"
    if estimator in (CARTClassifier, CARTRegressor):
        options |= {
            "splitter": str(rng.choice(["best", "best", "random"])),
            "max_features": None if rng.random() < 0.6 else int(rng.integers(1, 4)),
            "random_state": int(rng.integers(1000)),
        }
    if options.get("splitter") == "random":
        options["max_bins"] = None
    return options


def random_conventions(rng: np.random.Generator, options: dict[str, Any]) -> dict[str, Any]:
    """Return the conventions of one of C4.5's programs, with options that it knows."""
    conventions = str(rng.choice(["c45", "c45", "j48", "r8"]))
    chosen: dict[str, Any] = {"conventions": conventions, "mdl_correction": bool(rng.integers(2)), "collapse": False}
    if conventions == "c45":
        return chosen
    known = {"missing": str(rng.choice(["fractional", "majority"])), "nominal": "multiway"}
    if conventions == "j48":
        known |= {"criterion": "gain_ratio", "nominal": str(rng.choice(["multiway", "one_vs_rest"]))}
    return chosen | known


def random_constraints(rng: np.random.Generator, table: pd.DataFrame) -> dict[str, int]:
    """Return constraints on some of the columns that have an order."""
    ordered = [name for name, kind in table.dtypes.items() if getattr(kind, "ordered", True)]
    return {str(name): int(rng.integers(-1, 2)) for name in ordered}


def random_problem(seed: int) -> tuple[TreeEstimator, pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return an estimator with its options, a table, a target and weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 120))
    table = pd.DataFrame({f"c{j}": random_column(rng, n) for j in range(int(rng.integers(1, 5)))})
    estimator = ESTIMATORS[rng.integers(4)]
    weights = random_weights(rng, n)
    target = random_target(rng, n, estimator)
    options = random_options(rng, estimator)
    if options["criterion"] == "poisson":
        target = np.abs(target) + 0.0
        target[0] = 1.0
    two_classes = estimator is CARTClassifier and len(np.unique(target)) < 3
    if (two_classes or estimator is CARTRegressor) and rng.random() < 0.4:
        options["monotonic_cst"] = random_constraints(rng, table)
    return estimator(**options), table, target, weights
