"""What only trees with surrogates have, in the model file: read, written and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from deciduous.errors import ModelFileError
from deciduous.kernels import SplitKind
from deciduous.model.document import numbers
from deciduous.model.surrogates import TYPES, Surrogates

if TYPE_CHECKING:
    from deciduous.model.tree import Tree

#: The optional arrays of numbers, and how many they are: one a node, one a class, or lines of the table of CP.
NUMBERS = {
    "risk": "node",
    "complexity": "node",
    "improvement": "node",
    "class_factor": "class",
    "split_factor": "class",
    "places": "class",
}


def extras_document(tree: Tree) -> dict[str, Any]:
    """Return what a tree with surrogates has beside its nodes, as plain values; null for any other."""
    if tree.surrogates is None:
        return {"surrogates": None}
    surrogates = {name: plain(getattr(tree.surrogates, name)) for name in TYPES}
    of_nodes = {name: None if (a := getattr(tree, name)) is None else plain(a) for name in NUMBERS}
    table = None if tree.cp_table is None else [_with_infinity(plain(line)) for line in tree.cp_table]
    return {"surrogates": surrogates, **of_nodes, "cp_table": table}


def plain(array: Any) -> list[Any]:
    """Return an array as a list, NaN as null."""
    return [None if v != v else v for v in array.tolist()]


#: How the table of CP spells an infinite error, which JSON has no number for.
INFINITE = "inf"


def _with_infinity(line: list[Any]) -> list[Any]:
    return [INFINITE if cell == np.inf else cell for cell in line]


def read_extras(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the optional fields of a tree."""
    content = document.get("surrogates")
    if content is None:
        return {}
    if not isinstance(content, dict) or not set(TYPES) <= set(content):
        raise ModelFileError("'surrogates' must be null, or an object with " + ", ".join(TYPES) + ".")
    arrays = {name: numbers(content[name], dtype, f"{name!r} in 'surrogates'") for name, dtype in TYPES.items()}
    found: dict[str, Any] = {"surrogates": Surrogates(**arrays)}
    for name in NUMBERS:
        if document.get(name) is not None:
            found[name] = numbers(document[name], np.float64, repr(name))
    table = document.get("cp_table")
    if table is not None:
        if not isinstance(table, list) or not all(isinstance(line, list) and len(line) == 5 for line in table):
            raise ModelFileError("'cp_table' must be null, or lines of five numbers.")
        cells = [cell for line in table for cell in line]
        infinite = np.array([cell == INFINITE for cell in cells], dtype=bool)
        flat = numbers([None if cell == INFINITE else cell for cell in cells], np.float64, "'cp_table'")
        found["cp_table"] = np.where(infinite, np.inf, flat).reshape(-1, 5)
    return found


def check_extras(tree: Tree) -> None:
    """Raise ModelFileError with the first contradiction in what a tree with surrogates has."""
    surrogates = tree.surrogates
    if surrogates is None:
        return
    sizes = {"node": len(tree), "class": len(tree.classes)}
    for name, unit in NUMBERS.items():
        array = getattr(tree, name)
        if array is None and unit == "node" and name != "complexity":
            _refuse(f"{name} is absent")
        if array is not None and array.shape != (sizes[unit],):
            _refuse(f"{name} must have one number a {unit}")
    inner = ~tree.is_leaf
    asking = np.diff(surrogates.start) > 0 if len(surrogates.start) == len(tree) + 1 else np.ones(1, dtype=bool)
    if len(asking) != len(tree) or len(surrogates.left) != len(tree) or len(surrogates.blind) != len(tree):
        _refuse("the arrays of surrogates must have one element a node")
    _check_starts(surrogates.start, len(surrogates.feature), "start")
    for name in ("kind", "threshold", "below", "agreement", "adjusted", "rows"):
        if len(getattr(surrogates, name)) != len(surrogates.feature):
            _refuse(f"surrogates.{name} must have one element a surrogate")
    if len(surrogates.category_start) != len(surrogates.feature) + 1:
        _refuse("surrogates.category_start must have one element more than there are surrogates")
    _check_starts(surrogates.category_start, len(surrogates.category_branch), "category_start")
    if (asking & ~inner).any():
        _refuse(f"node {int(np.argmax(asking & ~inner))} is a leaf, and has surrogates")
    if (tree.n_branches[inner] != 2).any():
        _refuse("a node with surrogates has other than two branches")
    if not (np.isin(surrogates.left, [0, 1]).all() and np.isin(surrogates.blind, [-1, 0, 1]).all()):
        _refuse("left or blind is no branch")
    risk = np.zeros(1) if tree.risk is None else tree.risk
    if not (np.isfinite(risk).all() and (risk >= 0).all()):
        _refuse("risk must be finite and not negative")
    for i in range(len(surrogates.feature)):
        _check_surrogate(tree, surrogates, i)


def _check_starts(start: Any, end: int, name: str) -> None:
    if start[0] != 0 or start[-1] != end or (np.diff(start) < 0).any():
        _refuse(f"surrogates.{name} must rise from 0 to the end of its list")


def _check_surrogate(tree: Tree, surrogates: Surrogates, i: int) -> None:
    """Check one surrogate against its column."""
    feature, kind = int(surrogates.feature[i]), int(surrogates.kind[i])
    if not 0 <= feature < len(tree.schema):
        _refuse(f"surrogate {i} asks for column {feature}, which is not there")
    column = tree.schema.features[feature]
    codes = surrogates.category_branch[surrogates.category_start[i] : surrogates.category_start[i + 1]]
    if kind == SplitKind.SUBSET:
        if column.kind != "nominal" or len(codes) != len(column.categories) or not np.isin(codes, [-1, 0, 1]).all():
            _refuse(f"surrogate {i} must send every category of a nominal column to a branch, or none")
    elif kind == SplitKind.THRESHOLD:
        ordered = column.kind in ("numeric", "ordinal") and not len(codes)
        if not ordered or not np.isfinite(surrogates.threshold[i]) or surrogates.below[i] not in (0, 1):
            _refuse(f"surrogate {i} needs an ordered column, a finite threshold and a branch below it")
    else:
        _refuse(f"surrogate {i} is neither a threshold nor a subset")


def _refuse(what: str) -> None:
    raise ModelFileError(f"the tree contradicts itself: {what}.")
