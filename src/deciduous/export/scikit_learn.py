"""A tree as a fitted tree of scikit-learn, for what reads its arrays: SHAP, dtreeviz, `export_text`, one's own scripts.

scikit-learn keeps thresholds as 64-bit floats and rounds what it is given to 32-bit floats before it compares. A row
whose cell lies so near to a threshold that both are rounded alike may then take another branch; `with_rows` looks for
thresholds under which no row of a table does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as Structure

from deciduous.data.table import Table
from deciduous.data.target import as_label_array
from deciduous.errors import DataError, OptionError
from deciduous.kernels import SplitKind
from deciduous.measures import Floats
from deciduous.model.io import class_weights_of
from deciduous.model.labels import Conditions
from deciduous.model.route import branches_of, route
from deciduous.model.tree import Tree

#: Criteria of ours by the name of the same measure there. Others do not change what a fitted tree answers.
CRITERIA = {"gain": "entropy", "gain_ratio": "entropy"}


def to_scikit_learn(tree: Tree, rows: Table | None = None) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted tree of scikit-learn with the same nodes (same numbers), thresholds, statistics and answers.

    `rows`: a table whose rows must take the same branches in both, though scikit-learn rounds their cells to 32-bit
    floats: thresholds are moved where that is needed. Without it thresholds are kept, and rows whose cells are 32-bit
    floats (or differ from every threshold by more than rounding) go the same way.

    Where training had missing cells they must go one way: of a tree that sends them down in parts or asks surrogates,
    and that saw none, rows without missing cells go the same way, and others follow the larger share, else the right.

    Raises OptionError for a tree that scikit-learn cannot express, naming the node and why: more than two branches,
    categories, missing cells that go down in parts, answers by losses; DataError where two cells that go apart are
    rounded alike.
    """
    _refuse_inexpressible(tree, rows)
    thresholds = _thresholds(tree) if rows is None else _moved(tree, _thresholds(tree), rows)
    estimator = _estimator(tree)
    values = _values(tree)
    estimator.tree_ = _structure(tree, thresholds, values)
    return estimator


# --- what cannot be expressed ---


def _refuse_inexpressible(tree: Tree, rows: Table | None) -> None:
    inner = np.flatnonzero(~tree.is_leaf)
    seen_missing = _seen_missing(tree, rows)[tree.feature[inner]]
    first = tree.first_child[inner]
    kind = tree.kind[inner]
    by_category = np.isin(kind, [SplitKind.MULTIWAY, SplitKind.SUBSET, SplitKind.ONE_VS_REST])
    ordinal = np.array([feature.kind == "ordinal" for feature in tree.schema.features])[tree.feature[inner]]
    binary = tree.n_branches[inner] == 2
    parts = (tree.share[first] > 0) & (tree.share[first + 1] > 0) & binary & seen_missing
    surrogates = seen_missing & (tree.options["missing"] == "surrogates")
    for fault, why in (
        (by_category, "it asks for categories, which scikit-learn's trees do not know"),
        (ordinal, "it asks for an ordered column of words, which scikit-learn's trees do not know"),
        (~binary, "it has more than two branches"),
        (parts, "a missing cell goes down both branches in parts (missing='fractional')"),
        (surrogates, "a missing cell is answered by other columns (missing='surrogates')"),
    ):
        if fault.any():
            node = int(inner[np.argmax(fault)])
            feature = tree.schema.features[tree.feature[node]].name
            raise OptionError(
                f"to_sklearn() cannot express this tree: node {node} asks for {feature!r}, and {why}. scikit-learn has "
                "binary questions about numbers, with missing='direction', 'majority' or 'error'; grow such a tree "
                "with CART on columns of numbers, or use another export."
            )


def _seen_missing(tree: Tree, rows: Table | None) -> NDArray[np.bool_]:
    """Return which columns have missing cells, in training or in the rows, shape (columns,)."""
    seen = np.array([feature.missing > 0 for feature in tree.schema.features])
    for j, cells in enumerate(() if rows is None else rows.columns):
        if cells is not None and cells.dtype == np.float64:
            seen[j] |= bool(np.isnan(cells).any())
    return seen


# --- thresholds ---


def _thresholds(tree: Tree) -> Floats:
    """Return thresholds with which training rows go the same way, if any threshold does; -2 for leaves.

    A midpoint does: of two numbers that are rounded apart, it lies between what they are rounded to. A training value
    does not if it is rounded up; then what it is rounded to does. "Missing or not" is a threshold at infinity.
    """
    thresholds = np.where(tree.is_leaf, -2.0, tree.threshold)
    if tree.options.get("threshold") == "data":
        thresholds = np.maximum(thresholds, _rounded(thresholds))
    return np.where(tree.kind == SplitKind.MISSING, np.inf, thresholds)


def _rounded(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def _moved(tree: Tree, thresholds: Floats, rows: Table) -> Floats:
    """Return thresholds under which all rows take the branches that they take in the tree."""
    moved, reached = thresholds.copy(), _reached(tree, rows)
    for node in np.flatnonzero(tree.kind == SplitKind.THRESHOLD).tolist():
        cells = rows.columns[tree.feature[node]]
        assert cells is not None
        here = cells[reached[node]].astype(np.float64)
        here = here[~np.isnan(here)]
        if not len(here):
            continue
        branch, single = branches_of(tree.split(node), here), _rounded(here)
        lowest = single[branch == 0].max(initial=-np.inf)  # a threshold is at least this
        highest = single[branch == 1].min(initial=np.inf)  # and below this
        if lowest >= highest:
            _refuse_rounding(tree, node, here, branch)
        if not lowest <= moved[node] < highest:
            moved[node] = lowest if np.isfinite(lowest) else np.nextafter(highest, -np.inf)
    return moved


def _reached(tree: Tree, rows: Table) -> list[NDArray[np.int64]]:
    """Return for each node the rows that pass it."""
    ends = route(tree, rows).nodes
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(len(tree) + 1))
    passing = [order[starts[node] : starts[node + 1]] for node in range(len(tree))]
    for node in range(len(tree) - 1, 0, -1):
        parent = int(tree.parent[node])
        passing[parent] = np.concatenate([passing[parent], passing[node]])
    return passing


def _refuse_rounding(tree: Tree, node: int, cells: Floats, branch: NDArray[np.int32]) -> None:
    low, high = cells[branch == 0].max(), cells[branch == 1].min()
    raise DataError(
        f"to_sklearn(): node {node} tells {float(low)!r} from {float(high)!r} in column "
        f"{tree.schema.features[tree.feature[node]].name!r} ({Conditions(tree, 17)(int(tree.first_child[node]))}); "
        "scikit-learn rounds both to the same 32-bit float. Fit on the table that scikit-learn sees, "
        "X.astype('float32'), or on larger differences (subtract a constant from the column)."
    )


# --- the parts of a fitted estimator ---


def _estimator(tree: Tree) -> Any:
    """Return an estimator with the options that scikit-learn shares, and the attributes of a fitted one."""
    cls = DecisionTreeClassifier if tree.task == "class" else DecisionTreeRegressor
    estimator = cls()
    shared = {name: tree.options[name] for name in SHARED if name in estimator.get_params() and name in tree.options}
    criterion = str(tree.options["criterion"])
    known = estimator._parameter_constraints["criterion"][0].options
    estimator.set_params(**shared, criterion=CRITERIA.get(criterion, criterion))
    if estimator.criterion not in known:
        estimator.set_params(criterion=cls().criterion)
    if isinstance(estimator.get_params().get("class_weight"), list):
        mappings = class_weights_of(estimator.class_weight)
        estimator.set_params(class_weight=mappings if tree.others else mappings[0])
    _set_fitted(estimator, tree)
    return estimator


SHARED = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "max_leaf_nodes",
    "splitter",
    "max_features",
    "random_state",
    "class_weight",
    "ccp_alpha",
)


def _set_fitted(estimator: BaseEstimator, tree: Tree) -> None:
    estimator.n_features_in_ = estimator.max_features_ = len(tree.schema)
    if tree.schema.named:
        estimator.feature_names_in_ = np.array(tree.schema.names, dtype=object)
    estimator.n_outputs_ = len(tree.targets)
    if tree.task == "class":
        classes = [as_label_array(one.classes) for one in tree.by_target()]
        n_classes = np.array([len(own) for own in classes], dtype=np.intp)
        several = len(classes) > 1
        estimator.classes_, estimator.n_classes_ = (classes, n_classes) if several else (classes[0], n_classes[0])


def _values(tree: Tree) -> Floats:
    """Return what nodes answer, shape (nodes, targets, classes or 1): shares of classes, or numbers."""
    targets = tree.by_target()
    if tree.task == "number":
        return np.stack([one.value for one in targets], axis=1)[:, :, None].copy()
    values = np.zeros((len(tree), len(targets), max(len(one.classes) for one in targets)))
    nodes = np.arange(len(tree))
    for k, one in enumerate(targets):
        shares = one.distribution(nodes)
        _refuse_losses(one, shares)
        # of classes equal but for rounding, the one that the tree predicts is the largest
        shares[nodes, one.value.astype(np.intp)] = shares.max(axis=1)
        values[:, k, : shares.shape[1]] = shares
    return values


def _refuse_losses(tree: Tree, shares: Floats) -> None:
    """Raise OptionError for a node that answers another class than that of the largest share, as losses make it."""
    answered = shares[np.arange(len(tree)), tree.value.astype(np.intp)]
    other = answered < shares.max(axis=1) * (1 - 1e-6)
    if other.any():
        node = int(np.argmax(other))
        raise OptionError(
            f"to_sklearn() cannot express this tree: node {node} answers {tree.node(node).prediction!r}, which costs "
            "least by loss, and scikit-learn answers the class of the largest share. Grow it without loss (priors can "
            "be expressed), or use another export."
        )


def _structure(tree: Tree, thresholds: Floats, values: Floats) -> Any:
    """Return scikit-learn's own record of a tree."""
    nodes = np.zeros(len(tree), dtype=NODE_DTYPE)
    leaf = tree.is_leaf
    nodes["left_child"] = tree.first_child
    nodes["right_child"] = np.where(leaf, -1, tree.first_child + 1)
    nodes["feature"] = np.where(leaf, -2, tree.feature)
    nodes["threshold"] = thresholds
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_samples
    nodes["weighted_n_node_samples"] = tree.weight
    goes_left = tree.share[np.where(leaf, 0, tree.first_child)] >= 0.5
    nodes["missing_go_to_left"] = goes_left & ~leaf & (tree.kind != SplitKind.MISSING)
    n_classes = np.array([max(len(one.classes), 1) for one in tree.by_target()], dtype=np.intp)
    structure = Structure(len(tree.schema), n_classes, len(n_classes))
    state = {"max_depth": tree.max_depth, "node_count": len(tree), "nodes": nodes, "values": values}
    structure.__setstate__(state)
    return structure
