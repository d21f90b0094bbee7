"""Recorded cases of rpart beside our trees: what is compared, and how."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deciduous import CARTClassifier, CARTRegressor, Tree
from deciduous.data.table import Table as Encoded
from deciduous.explain.importance import surrogate_importance
from deciduous.explain.summary import SplitLine, node_numbers, splits_of
from deciduous.model.route import route
from deciduous.prune import ByComplexity
from tests.parity.oracles import SHARED, Comparison, Table, read_table

FOLDER = SHARED / "open" / "rpart"
FILES = sorted(FOLDER.glob("rpart.*.json"))


def read(file: Path) -> dict[str, Any]:
    """Return a recorded case."""
    case: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return case


@dataclass(frozen=True, eq=False)
class Fitted:
    """A recorded case, its table, and our tree with the recorded parameters and folds."""

    case: dict[str, Any]
    table: Table
    model: Any
    exposure: str | None
    target: np.ndarray
    weight: np.ndarray

    @property
    def tree(self) -> Tree:
        return self.model.tree_

    @cached_property
    def numbers(self) -> list[int]:
        return node_numbers(self.tree)

    @cached_property
    def node_of(self) -> dict[int, int]:
        """Our node by rpart's number."""
        return {number: node for node, number in enumerate(self.numbers)}


def fit(case: dict[str, Any]) -> Fitted:
    """Fit our tree to a recorded case."""
    options, table = case["options"], read_table(case["dataset"], case["schema"])
    exposure, y, X = None, table.y, table.X
    if "response" in options:
        exposure, target = options["response"].partition("(")[2].partition(")")[0].split(",")
        assert target == json.loads((SHARED / case["schema"]).read_text())["target"]
    if "dropped" in options:
        X = X.drop(columns=options["dropped"])
    if case["method"] == "class":
        place = {level: i for i, level in enumerate(case["expected"]["class_levels"])}
        y = pd.Categorical([None if v is None or v != v else place[str(v)] for v in y], categories=list(place.values()))
    words = {**options["control"], "xval": np.arange(len(X)) % 10, "parms": options.get("parms")}
    kinds = {name: kind for name, kind in table.kinds.items() if name in X}
    weight = options.get("weights", table.weight)
    weight = table.weight if isinstance(weight, str) else weight
    if case["method"] == "class":
        model = CARTClassifier.rpart(**words, kinds=kinds)
        model.fit(X, y, weight)
    else:
        model = CARTRegressor.rpart(method=case["method"], **words, kinds=kinds)
        model.fit(X, y, weight, exposure=exposure)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    if exposure is not None:
        exposures = X[exposure].to_numpy(dtype=float)
        y, weight, X = y / exposures, weight * exposures, X.drop(columns=[exposure])
    if case["method"] == "class":
        y = np.array([-1 if label != label else model.classes_.tolist().index(label) for label in y])
    return Fitted(case, replace(table, X=X), model, exposure, y, weight)


# --- figures ----------------------------------------------------------------------------------------------------------


def frame_of(fitted: Fitted, node: int) -> dict[str, Any]:
    """Return a line of rpart's frame about one of our nodes."""
    tree, view = fitted.tree, fitted.tree.node(node)
    lines = splits_of(tree, node)
    root = float(tree.risk[0])
    line = {
        "node": fitted.numbers[node],
        "var": "<leaf>" if view.is_leaf else view.feature,
        "n": view.n_samples,
        "wt": view.weight if fitted.exposure is None else float(view.n_samples),
        "dev": float(tree.risk[node]),
        "yval": fitted.case["expected"]["class_levels"][int(view.prediction)]
        if tree.task == "class"
        else view.prediction,
        "complexity": float(tree.complexity[node]) / root,
        "ncompete": sum(s.role == "competing" for s in lines),
        "nsurrogate": sum(s.role == "surrogate" for s in lines),
    }
    if tree.task == "class":
        weights = np.zeros(len(tree.classes))
        part = slice(tree.class_start[node], tree.class_start[node + 1])
        weights[tree.class_code[part]] = tree.class_weight[part]
        factor = np.ones(len(weights)) if tree.class_factor is None else tree.class_factor
        shares = tree.distribution(np.array([node]))[0]
        line["class_weights"], line["class_probs"] = (
            with_empty_classes(fitted, values) for values in (weights, shares)
        )
        line["node_prob"] = float((weights * factor).sum() / tree.weight[0])
    return line


def with_empty_classes(fitted: Fitted, values: np.ndarray) -> np.ndarray:
    """Return class figures with zeros for the levels without rows."""
    every = np.zeros(len(fitted.case["expected"]["class_levels"]))
    every[list(fitted.tree.classes)] = values
    return every


def split_of(line: SplitLine, number: int) -> dict[str, Any]:
    """Return a split as it is recorded."""
    found: dict[str, Any] = {"node": number, "role": line.role, "var": line.feature, "count": line.count}
    found |= {"improve": line.improve} if line.role != "surrogate" else {"agree": line.agree, "adj": line.adj}
    if line.below:
        return {**found, "threshold": line.threshold, "below_goes": line.below}
    return {**found, "left": [str(v) for v in line.left], "right": [str(v) for v in line.right]}


def ordered_as_recorded(fitted: Fitted, recorded: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded split of an ordered factor as a threshold on the places of its levels, from 0."""
    name = recorded["var"]
    feature = next(f for f in fitted.tree.schema.features if f.name == name)
    if feature.kind != "ordinal" or "left" not in recorded:
        return recorded
    places = {side: [list(map(str, feature.categories)).index(v) for v in recorded[side]] for side in ("left", "right")}
    below = min(("left", "right"), key=lambda side: min(places[side]))
    kept = {key: value for key, value in recorded.items() if key not in ("left", "right")}
    return {**kept, "ordinal": (max(places[below]), below)}


def as_recorded(fitted: Fitted, ours: dict[str, Any]) -> dict[str, Any]:
    """Return our split of an ordered factor in the same way."""
    feature = next(f for f in fitted.tree.schema.features if f.name == ours["var"])
    if feature.kind != "ordinal":
        return ours
    kept = {key: value for key, value in ours.items() if key not in ("threshold", "below_goes")}
    return {**kept, "ordinal": (int(np.floor(ours["threshold"])), ours["below_goes"])}


def tree_comparisons(fitted: Fitted) -> Iterator[Comparison]:
    """Compare the frame and the splits, all of them."""
    recorded = fitted.case["expected"]
    ours = set(fitted.numbers)
    yield "nodes", ours, {line["node"] for line in recorded["frame"]}
    for line in recorded["frame"]:
        number = line["node"]
        if number not in ours:
            continue
        found = frame_of(fitted, fitted.node_of[number])
        for key, value in line.items():
            if key != "yval2":
                yield f"node {number}: {key}", _number(found[key], value), recorded_value(value)
        splits = [split_of(s, number) for s in splits_of(fitted.tree, fitted.node_of[number])]
        expected = [s for s in recorded["splits"] if s["node"] == number]
        yield f"node {number}: splits", len(splits), len(expected)
        for i, (mine, theirs) in enumerate(zip(splits, expected, strict=False)):
            mine, theirs = as_recorded(fitted, mine), ordered_as_recorded(fitted, theirs)
            for key, value in theirs.items():
                yield (
                    f"node {number}, {theirs['role']} {i}: {key}",
                    _number(mine.get(key), value),
                    recorded_value(value),
                )


def _number(ours: Any, recorded: Any) -> Any:
    return float(ours) if isinstance(recorded, float | int) and isinstance(ours, float | int) else ours


def recorded_value(value: Any) -> Any:
    """Return a recorded number as one that is compared with a tolerance."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return np.array(value, dtype=float)
    return value


def table_comparisons(fitted: Fitted, merge: float = 0.0) -> Iterator[Comparison]:
    """Compare the table of complexities; lines whose CP differs by no more than a share `merge` are one."""
    recorded = merged(np.array(fitted.case["expected"]["cptable"]["rows"], dtype=float), merge)
    ours = merged(fitted.tree.cp_table, merge)
    yield "lines of the table", len(ours), len(recorded)
    for i, name in enumerate(("CP", "nsplit", "rel error", "xerror", "xstd")):
        if i < recorded.shape[1]:
            yield name, ours[:, i], recorded[:, i]


def merged(lines: np.ndarray, share: float) -> np.ndarray:
    """Return the first of lines with the same CP."""
    cp = lines[:, 0]
    return lines[np.append(True, cp[:-1] - cp[1:] > share * cp[:-1])] if share else lines


def other_comparisons(fitted: Fitted) -> Iterator[Comparison]:
    """Compare where rows end, under every use of surrogates, the pruned trees, and importance."""
    expected, tree = fitted.case["expected"], fitted.tree
    yield (
        "where",
        ends_of(fitted, fitted.table.X, int(fitted.case["options"]["control"]["usesurrogate"]), True),
        expected["where"],
    )
    for what in ("predict_train", "predict_holes"):
        if what in expected:
            yield from _predicted(fitted, what, expected[what])
    for pruned in expected["pruned_leaves"]:
        if np.isclose(tree.cp_table[:, 0], pruned["cp"], rtol=1e-11, atol=0).any():
            continue  # two lines that differ in the last bit: 12 digits do not tell between them
        small = ByComplexity(pruned["cp"])(tree)
        numbers = node_numbers(small)
        leaves = {numbers[i] for i in np.flatnonzero(small.is_leaf)}
        yield f"leaves at cp {pruned['cp']}", leaves, set(pruned["leaves"])
    importance = surrogate_importance(tree)
    ours = {f.name: v for f, v in zip(tree.schema.features, importance.tolist(), strict=True) if v > 0}
    recorded = expected.get("variable_importance") or {}
    yield "important columns", set(ours), set(recorded)
    for name, value in recorded.items():
        yield f"importance of {name}", ours.get(name, 0.0), float(value)


def _predicted(fitted: Fitted, what: str, recorded: dict[str, Any]) -> Iterator[Comparison]:
    X = fitted.table.X
    if "file" in recorded:
        X = read_table(recorded["file"], fitted.case["schema"]).X[list(X.columns)]
    for use in (2, 1, 0):
        nodes = recorded[f"usesurrogate_{use}"]
        while isinstance(nodes, str):
            nodes = recorded[nodes.removeprefix("same as ")]
        yield f"{what}, usesurrogate {use}", ends_of(fitted, X, use), nodes


def ends_of(fitted: Fitted, X: Any, use: int, as_grown: bool = False) -> list[int | None]:
    """Return rpart's number of the node where each row ends, if surrogates are used so at prediction."""
    table = encoded(fitted, X)
    tree = grown(fitted.tree) if as_grown else with_use(fitted.tree, use)
    return [fitted.numbers[i] for i in route(tree, table).nodes]


def encoded(fitted: Fitted, X: Any) -> Encoded:
    """Return rows encoded as those of the tree."""
    return Encoded.encode_like(X, fitted.tree.schema)


def grown(tree: Tree) -> Tree:
    """Return a tree that sends its training rows as they were sent while it grew."""
    inner = np.flatnonzero(~tree.is_leaf)
    share = np.zeros(len(tree))
    if tree.options["use_surrogates"] == 2:
        blind = tree.surrogates.blind[inner]
        known = blind >= 0
        share[tree.first_child[inner[known]] + blind[known]] = 1.0
    return replace(tree, share=share)


def with_use(tree: Tree, use: int) -> Tree:
    """Return a tree that uses surrogates in another way."""
    tree = replace(tree, options={**tree.options, "use_surrogates": use})
    inner = np.flatnonzero(~tree.is_leaf)
    first = tree.first_child[inner]
    share = np.zeros(len(tree))
    if use == 2:
        gap = tree.n_samples[first] - tree.n_samples[first + 1]
        share[first], share[first + 1] = gap > 0, gap < 0
    return replace(tree, share=share)
