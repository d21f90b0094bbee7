"""The measures of the field: entropy, gain, gain ratio, Gini, squared error.

Each public measure takes vectors (one label per row, `None` or NaN for a missing cell) or a contingency table with
`table=`: one line per value of the feature, one column per class, cells = sums of weights. Logarithms have base 2
unless `base` says otherwise, and `0 log 0 = 0`.

Missing cells of the feature follow the books: a measure is taken on the rows where the feature is known, and a gain is
multiplied by their share rho (Quinlan 1993, section 3.2; Zhou 2016, section 4.4.2). Rows whose target is missing take
no part.

The functions whose names begin with `of_` work on arrays of tables at once; growing, explaining and the public
functions all call them, so there is one formula for each figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from deciduous.errors import DataError, OptionError

Floats = NDArray[np.float64]

# --- on arrays of statistics: the last axis holds class weights
# ----------------------------------------------------------


def of_entropy(weights: Floats, base: float = 2.0) -> Floats:
    """Return the entropy of class weights along the last axis; 0 where all weights are 0."""
    total = weights.sum(axis=-1)
    shares = weights / np.where(total > 0, total, 1.0)[..., None]
    nats = entr(shares).sum(axis=-1)  # entr(p) = -p ln p, and 0 for p = 0
    entropy: Floats = np.maximum(nats, 0.0) / math.log(base)
    return entropy


def of_gini(weights: Floats) -> Floats:
    """Return 1 - sum p^2 along the last axis; 0 where all weights are 0."""
    total = weights.sum(axis=-1)
    shares = weights / np.where(total > 0, total, 1.0)[..., None]
    gini: Floats = np.maximum((shares * (1.0 - shares)).sum(axis=-1), 0.0)
    return gini


def of_misclassification(weights: Floats) -> Floats:
    """Return 1 - max p along the last axis; 0 where all weights are 0."""
    total = weights.sum(axis=-1)
    safe = np.where(total > 0, total, 1.0)
    return np.where(total > 0, np.maximum(1.0 - weights.max(axis=-1) / safe, 0.0), 0.0)


def of_squared_error(moments: Floats) -> Floats:
    """Return the mean squared deviation of `(w, w*y, w*y^2)` along the last axis; 0 where w is 0.

    The moments must be taken about a point near the mean (the callers centre y on the node), or digits are lost.
    """
    w, wy, wyy = moments[..., 0], moments[..., 1], moments[..., 2]
    safe = np.where(w > 0, w, 1.0)
    mean = wy / safe
    return np.where(w > 0, np.maximum(wyy / safe - mean * mean, 0.0), 0.0)


def of_branch_mean(values: Floats, weights: Floats) -> Floats:
    """Return the mean over branches (last axis) of `values`, weighted; 0 where there is no weight."""
    total = weights.sum(axis=-1)
    mean: Floats = (values * weights).sum(axis=-1) / np.where(total > 0, total, 1.0)
    return mean


# --- from vectors to tables
# ----------------------------------------------------------------------------------------------


def contingency_table(
    feature: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None
) -> tuple[Floats, list[Any], list[Any], float]:
    """Count the weights of every (value, class) pair.

    Returns `(table, values, classes, missing)`: the table of shape (values, classes), the values and classes in sorted
    order, and the weight of the rows (with a known target) whose feature is missing.
    """
    x, y = as_labels(feature, "feature"), as_labels(target, "target")
    if len(x) != len(y):
        raise DataError(f"feature has {len(x)} rows and target has {len(y)}; they must be the same rows.")
    w = as_weights(weight, len(y))
    y_codes, classes = factorize(y)
    x_codes, values = factorize(x)
    known = (x_codes >= 0) & (y_codes >= 0)
    table = np.zeros((len(values), len(classes)))
    np.add.at(table, (x_codes[known], y_codes[known]), w[known])
    return table, values, classes, float(w[(x_codes < 0) & (y_codes >= 0)].sum())


def as_labels(values: Any, what: str) -> NDArray[np.object_]:
    """Return a 1-D object array of labels."""
    if isinstance(values, str):
        raise DataError(f"{what} must be a sequence of labels, one a row; got the text {values!r}.")
    # Lists and tuples are kept as they are: NumPy would turn (1, "a") into two labels of one type.
    cells = values if isinstance(values, list | tuple) else np.asarray(values)
    if isinstance(cells, np.ndarray):
        if cells.ndim != 1:
            raise DataError(f"{what} must be one-dimensional (one label a row); got shape {cells.shape}.")
        cells = cells.tolist()
    labels = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        if isinstance(cell, list | tuple | np.ndarray | dict | set):
            raise DataError(f"{what} must be one-dimensional (one label a row); row {i} holds {cell!r:.60}.")
        labels[i] = cell
    return labels


def as_weights(weight: ArrayLike | None, n: int) -> Floats:
    """Return the row weights as floats; 1 for every row if none are given."""
    if weight is None:
        return np.ones(n)
    try:
        w = np.asarray(weight)
        if w.dtype.kind in "cMm":
            raise TypeError
        w = w.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"weight must hold one number a row; got {weight!r:.60}.") from None
    if w.shape != (n,):
        raise DataError(f"weight must have one number a row, shape ({n},); got shape {w.shape}.")
    if not np.isfinite(w).all() or (w < 0).any():
        row = int(np.argmax(~np.isfinite(w) | (w < 0)))
        raise DataError(f"weights must be finite and not negative; row {row} has {w[row]}.")
    return w


def is_missing(value: object) -> bool:
    """Tell whether a cell is missing: None, NaN, pandas' NA or NaT."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    if isinstance(value, Decimal):
        return value.is_qnan()
    return type(value).__name__ in ("NAType", "NaTType")


def factorize(labels: NDArray[np.object_]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return codes (-1 = missing) and the distinct labels in sorted order (by type name, then value, if mixed)."""
    distinct = {label for label in labels if not is_missing(label)}
    ordered = sorted_labels(distinct)
    code = {label: i for i, label in enumerate(ordered)}
    return np.array([-1 if is_missing(v) else code[v] for v in labels], dtype=np.int64), ordered


def sorted_labels(labels: set[Any] | Sequence[Any]) -> list[Any]:
    """Sort labels; labels of several types that cannot be compared are sorted by type name first."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda v: (type(v).__name__, str(v)))


def _table_of(
    feature: ArrayLike | None, target: ArrayLike | None, table: ArrayLike | None, weight: ArrayLike | None
) -> tuple[Floats, float]:
    """Return (table, weight of the missing rows) from either form of the arguments."""
    if table is not None:
        if feature is not None or target is not None or weight is not None:
            raise OptionError("give either feature and target (with weight), or table=, not both.")
        cells = np.asarray(table, dtype=np.float64)
        if cells.ndim != 2 or not np.isfinite(cells).all() or (cells < 0).any():
            raise DataError("table must be two-dimensional (values x classes) with finite weights >= 0.")
        return cells, 0.0
    if feature is None or target is None:
        raise OptionError("give feature and target (one label a row each), or table= (values x classes).")
    cells, _, _, missing = contingency_table(feature, target, weight)
    return cells, missing


def _class_weights(labels: ArrayLike | None, p: ArrayLike | None, weight: ArrayLike | None) -> Floats:
    """Return class weights from labels, or from probabilities (any weights: they are scaled to sum 1)."""
    if (labels is None) == (p is None):
        raise OptionError("give either labels (one a row) or p= (one probability or weight a class).")
    if p is not None:
        if weight is not None:
            raise OptionError("weight goes with labels, not with p=.")
        shares = np.asarray(p, dtype=np.float64)
        if shares.ndim != 1 or not np.isfinite(shares).all() or (shares < 0).any():
            raise DataError("p must be one-dimensional with finite numbers >= 0.")
        return shares
    codes, classes = factorize(as_labels(labels, "labels"))
    w = as_weights(weight, len(codes))
    counted: Floats = np.bincount(codes[codes >= 0], weights=w[codes >= 0], minlength=max(len(classes), 1)).astype(
        float
    )
    return counted


def _checked_base(base: float) -> float:
    if not (base > 1 and math.isfinite(base)):
        raise OptionError(f"base must be a number above 1 (2 gives bits); got {base!r}.")
    return float(base)


# --- the public measures
# -------------------------------------------------------------------------------------------------


def entropy(
    labels: ArrayLike | None = None,
    *,
    p: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
) -> float:
    """Information entropy Ent(D) = -sum_k p_k log p_k (Shannon 1948), in bits for base 2.

    `labels`: one label a row, shape (rows,); or `p=`: probabilities or counts, shape (classes,). Between 0 (one
    class) and log |Y| (all classes equally frequent). Rows with a missing label take no part.
    """
    return float(of_entropy(_class_weights(labels, p, weight), _checked_base(base)))


def gini(labels: ArrayLike | None = None, *, p: ArrayLike | None = None, weight: ArrayLike | None = None) -> float:
    """Gini value 1 - sum_k p_k^2: the chance that two draws differ in class (Breiman et al. 1984, section 4.3)."""
    return float(of_gini(_class_weights(labels, p, weight)))


def misclassification(
    labels: ArrayLike | None = None, *, p: ArrayLike | None = None, weight: ArrayLike | None = None
) -> float:
    """Share of rows that the majority class gets wrong, 1 - max_k p_k."""
    return float(of_misclassification(_class_weights(labels, p, weight)))


def squared_error(y: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Mean squared deviation from the mean, in squared units of y (Breiman et al. 1984, section 8.3).

    `y`: numbers, shape (rows,); rows with NaN take no part. 0 for no rows.
    """
    values = np.asarray(y, dtype=np.float64)
    if values.ndim != 1:
        raise DataError(f"y must be one-dimensional; got shape {values.shape}.")
    w = as_weights(weight, len(values))
    known = ~np.isnan(values)
    values, w = values[known], w[known]
    total = w.sum()
    if total == 0:
        return 0.0
    deviation = values - (w * values).sum() / total
    deviation -= (w * deviation).sum() / total  # second pass: what rounding of the mean left over
    return float((w * deviation * deviation).sum() / total)


def joint_entropy(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
) -> float:
    """Joint entropy H(X, Y) = -sum p(x, y) log p(x, y) over the rows where both are known."""
    cells, _ = _table_of(feature, target, table, weight)
    return float(of_entropy(cells.ravel(), _checked_base(base)))


def conditional_entropy(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
) -> float:
    """Conditional entropy H(D|a) = sum_v |D^v|/|D| Ent(D^v) over the rows where the feature is known."""
    cells, _ = _table_of(feature, target, table, weight)
    return float(of_branch_mean(of_entropy(cells, _checked_base(base)), cells.sum(axis=1)))


def information_gain(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
) -> float:
    """Information gain rho (Ent(D) - H(D|a)), D the rows where the feature is known and rho their share.

    Quinlan 1986, section 4; with missing cells Quinlan 1993, section 3.2. Without missing cells rho is 1.
    """
    cells, missing = _table_of(feature, target, table, weight)
    base = _checked_base(base)
    known = cells.sum()
    if known == 0:
        return 0.0
    gain = of_entropy(cells.sum(axis=0), base) - of_branch_mean(of_entropy(cells, base), cells.sum(axis=1))
    return max(float(gain), 0.0) * float(known) / float(known + missing)


def split_information(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
    missing: str = "known",
) -> float:
    """Split information IV(a) = -sum_v |D^v|/|D| log |D^v|/|D| (intrinsic value).

    `missing="known"`: over the rows where the feature is known (Zhou 2016, section 4.4.2); `missing="branch"`: the
    rows with a missing cell are one more branch (Quinlan 1993, section 3.2). `target` may be left out.
    """
    if missing not in ("known", "branch"):
        raise OptionError(f"missing must be 'known' or 'branch'; got {missing!r}.")
    if table is None and target is None and feature is not None:
        target = np.zeros(len(as_labels(feature, "feature")))
    cells, unknown = _table_of(feature, target, table, weight)
    branches = cells.sum(axis=1)
    if missing == "branch":
        branches = np.append(branches, unknown)
    return float(of_entropy(branches, _checked_base(base)))


def gain_ratio(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    base: float = 2.0,
    missing: str = "known",
) -> float:
    """Gain ratio = gain / split information (Quinlan 1993, section 2.2); NaN where the split information is 0.

    `missing="known"` is the book's figure on the known rows alone, neither part multiplied by rho (Zhou 2016);
    `missing="branch"` is C4.5's: rho times the gain, over the split information with the missing rows as a branch.
    """
    information = split_information(feature, target, table=table, weight=weight, base=base, missing=missing)
    gain = information_gain(feature, target, table=table, weight=weight, base=base)
    if missing == "known":
        cells, unknown = _table_of(feature, target, table, weight)
        known = cells.sum()
        gain = gain * (known + unknown) / known if known > 0 else 0.0
    return gain / information if information > 0 else math.nan


def gini_index(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
) -> float:
    """Gini index sum_v |D^v|/|D| Gini(D^v) over the rows where the feature is known (Zhou 2016, section 4.2.3)."""
    cells, _ = _table_of(feature, target, table, weight)
    return float(of_branch_mean(of_gini(cells), cells.sum(axis=1)))


def gini_gain(
    feature: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    table: ArrayLike | None = None,
    weight: ArrayLike | None = None,
) -> float:
    """Drop in Gini, Gini(D) - Gini_index(D, a), over the rows where the feature is known."""
    cells, _ = _table_of(feature, target, table, weight)
    drop = of_gini(cells.sum(axis=0)) - of_branch_mean(of_gini(cells), cells.sum(axis=1))
    return max(float(drop), 0.0)
