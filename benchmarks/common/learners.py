"""Who grows trees on the real tables: our defaults and those of other packages, each on the same folds.

A learner takes a table and returns what it says of every row when it has not seen it, and the mean number of leaves.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from common.peers.peer import Refused
from common.recorded import Recorded

#: What is said of the rows, and leaves.
Judged = tuple[NDArray[Any], float]
Learner = Callable[[Recorded], Judged]

#: scikit-learn's pruned tree: the price of a leaf is chosen among at most so many, by so many folds.
MOST_ALPHAS, INNER_FOLDS = 15, 5


def _by_fold(table: Recorded, one: Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[Any, int]]) -> Judged:
    said: NDArray[Any] = np.empty_like(table.y)
    leaves = []
    for train, test in table.splits():
        said[test], n_leaves = one(train, test)
        leaves.append(n_leaves)
    return said, float(np.mean(leaves))


def deciduous_as_the_command(algorithm: str) -> Learner:
    """Return what `deciduous fit --algorithm ...` grows: CART pruned by cross-validation, C4.5 by its estimate."""

    def learner(table: Recorded) -> Judged:
        from deciduous.cli.model import make_estimator, sized

        if not table.is_class and algorithm != "cart":
            raise Refused("classes only")
        options = sized({}, algorithm, len(table.y))[0]
        return _deciduous(make_estimator(algorithm, "class" if table.is_class else "number", options), table)

    return learner


def deciduous_cart_full(table: Recorded) -> Judged:
    """CARTClassifier() and CARTRegressor(): trees that are not pruned."""
    from deciduous import CARTClassifier, CARTRegressor

    return _deciduous(CARTClassifier() if table.is_class else CARTRegressor(), table)


def _deciduous(model: Any, table: Recorded) -> Judged:
    def one(train: NDArray[np.int64], test: NDArray[np.int64]) -> tuple[Any, int]:
        model.fit(table.X.iloc[train], table.y[train])
        return model.predict(table.X.iloc[test]), model.get_n_leaves()

    return _by_fold(table, one)


def scikit_learn(table: Recorded) -> Judged:
    """Its default tree, which is not pruned."""
    X = _as_numbers(table.X)

    def one(train: NDArray[np.int64], test: NDArray[np.int64]) -> tuple[Any, int]:
        model = _sklearn_tree(table).fit(X[train], table.y[train])
        return model.predict(X[test]), model.get_n_leaves()

    return _by_fold(table, one)


def scikit_learn_pruned(table: Recorded) -> Judged:
    """Its tree with `ccp_alpha` chosen by GridSearchCV among those of the path of the training rows."""
    from sklearn.model_selection import GridSearchCV

    X = _as_numbers(table.X)

    def one(train: NDArray[np.int64], test: NDArray[np.int64]) -> tuple[Any, int]:
        tree, y = _sklearn_tree(table), table.y[train]
        alphas = np.unique(tree.cost_complexity_pruning_path(X[train], y).ccp_alphas.clip(0))
        alphas = alphas[np.unique(np.linspace(0, len(alphas) - 1, MOST_ALPHAS).astype(int))]
        search = GridSearchCV(
            tree, {"ccp_alpha": alphas}, scoring=None if table.is_class else "neg_mean_squared_error", cv=INNER_FOLDS
        ).fit(X[train], y)
        return search.predict(X[test]), search.best_estimator_.get_n_leaves()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of fewer rows than folds
        return _by_fold(table, one)


def _sklearn_tree(table: Recorded) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return (DecisionTreeClassifier if table.is_class else DecisionTreeRegressor)(random_state=0)


def _as_numbers(X: pd.DataFrame) -> NDArray[np.float64]:
    """Return a table as scikit-learn takes it: categories one-hot, ranked ones as ranks, missing cells NaN or no 1."""
    ranked = {name: X[name].cat.codes.where(X[name].notna()) for name in X if getattr(X[name].dtype, "ordered", False)}
    return pd.get_dummies(X.assign(**ranked), dtype=np.float64).to_numpy(dtype=np.float64)


def ydf_cart(table: Recorded) -> Judged:
    """CartLearner with its defaults, which holds out a tenth of the rows to prune by."""
    import ydf

    ydf.verbose(0)
    task = ydf.Task.CLASSIFICATION if table.is_class else ydf.Task.REGRESSION
    frame = table.X.copy()
    for name in frame:
        if getattr(frame[name].dtype, "ordered", False):
            frame[name] = frame[name].cat.codes.where(frame[name].notna()).astype(np.float64)
        elif frame[name].dtype != np.float64:
            frame[name] = frame[name].astype(object).where(frame[name].notna(), "")
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    frame["target"] = table.y

    def one(train: NDArray[np.int64], test: NDArray[np.int64]) -> tuple[Any, int]:
        model: Any = ydf.CartLearner(label="target", task=task, random_seed=0).train(frame.iloc[train])
        said = model.predict_class(frame.iloc[test]) if table.is_class else model.predict(frame.iloc[test])
        return said, _ydf_leaves(model.get_tree(0).root)

    return _by_fold(table, one)


def _ydf_leaves(node: Any) -> int:
    return 1 if node.is_leaf else _ydf_leaves(node.pos_child) + _ydf_leaves(node.neg_child)


def rpart(pruned: str) -> Learner:
    """Return R's rpart: `default` (cp = 0.01), or `1se`, pruned by its cross-validation with the 1-SE rule."""

    def learner(table: Recorded) -> Judged:
        rscript = shutil.which("Rscript")
        if rscript is None:
            raise Refused("R is not installed (no Rscript)")
        ranked = [getattr(dtype, "ordered", False) for dtype in table.X.dtypes]
        frame = table.X.assign(**{n: table.X[n].cat.codes for n, r in zip(table.X, ranked, strict=True) if r})
        kinds = "".join("n" if frame[name].dtype.kind in "if" else "c" for name in frame)
        frame.columns = [f"x{j}" for j in range(frame.shape[1])]
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            files = [Path(folder) / name for name in ("table.csv", "said.csv")]
            frame.assign(y=table.y, fold=table.fold).to_csv(files[0], index=False, na_rep="?")
            script = Path(__file__).with_name("rpart_folds.R")
            command = [rscript, "--vanilla", str(script), *map(str, files), kinds, "cn"[not table.is_class], pruned]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Refused(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "R failed")
            answers = pd.read_csv(files[1], dtype={"said": str if table.is_class else float}, keep_default_na=False)
        return answers["said"].to_numpy(dtype=table.y.dtype), float(answers["leaves"].mean())

    return learner


#: The learners in the order of the tables, with the package of each.
LEARNERS: dict[str, tuple[str, Learner]] = {
    "deciduous ID3": ("deciduous", deciduous_as_the_command("id3")),
    "deciduous C4.5": ("deciduous", deciduous_as_the_command("c45")),
    "deciduous CART": ("deciduous", deciduous_as_the_command("cart")),
    "CART, not pruned": ("deciduous", deciduous_cart_full),
    "scikit-learn": ("scikit-learn", scikit_learn),
    "scikit-learn, pruned": ("scikit-learn", scikit_learn_pruned),
    "ydf CART": ("ydf", ydf_cart),
    "rpart": ("rpart", rpart("default")),
    "rpart, 1-SE": ("rpart", rpart("1se")),
}


def version_of(package: str) -> str | None:
    """Return the version of a package; None for R's, or one that is not installed."""
    import deciduous

    if package == "deciduous":
        return deciduous.__version__
    try:
        return version(package)
    except ModuleNotFoundError:
        return None
