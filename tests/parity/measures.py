"""The measures of the textbook oracles beside the library's public functions, taken on the rows of a node."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from deciduous import (
    conditional_entropy,
    contingency_table,
    entropy,
    gain_ratio,
    gini,
    gini_gain,
    gini_index,
    information_gain,
    joint_entropy,
    split_information,
)
from tests.parity.oracles import Comparison, Table

#: The recorded figures of a threshold.
CUT_FIGURES = ("conditional_entropy", "gain", "iv", "gain_ratio", "gini_index", "gini_gain")


def root_comparisons(table: Table, expected: dict[str, Any]) -> Iterator[Comparison]:
    yield "class entropy", entropy(table.y), expected["class_entropy"]
    yield "class gini", gini(table.y), expected["class_gini"]
    yield "class counts", class_counts(table.y, expected["class_levels"]), expected["class_counts"]
    for measure in expected["root_measures"]:
        yield from measure_comparisons("root", table.X[measure["attribute"]], table.y, measure, table.levels)


def node_comparisons(table: Table, node: dict[str, Any]) -> Iterator[Comparison]:
    where = node["path"] or "root"
    rows = np.isin(table.labels, node["rows"])
    X, y = table.X[rows], table.y[rows]
    yield f"{where}: n", len(y), node["n"]
    yield f"{where}: counts", class_counts(y, table.levels), node["counts"]
    yield f"{where}: entropy", entropy(y), node["entropy"]
    yield f"{where}: gini", gini(y), node["gini"]
    for measure in node.get("measures", []):
        yield from measure_comparisons(where, X[measure["attribute"]], y, measure, table.levels)


def class_counts(y: Any, levels: list[str]) -> list[int]:
    return [int((y == level).sum()) for level in levels]


def measure_comparisons(
    where: str, column: Any, y: Any, measure: dict[str, Any], levels: list[str]
) -> Iterator[Comparison]:
    """Compare the figures of one attribute in one node."""
    where = f"{where}: {measure['attribute']}"
    known = ~column.isna().to_numpy()
    x = column.astype(object).where(known, None).tolist()
    yield f"{where}: class_entropy_known", entropy(y[known]), measure["class_entropy_known"]
    if measure["type"] == "numeric":
        yield from threshold_comparisons(where, column.to_numpy(), y, measure, levels)
    else:
        yield from nominal_comparisons(where, x, y, measure, levels)
        yield from value_comparisons(where, column.to_numpy(), y, measure, levels)
        yield from partition_comparisons(where, column[known].to_numpy(), y[known], measure, levels)


def nominal_comparisons(
    where: str, x: list[Any], y: Any, measure: dict[str, Any], levels: list[str]
) -> Iterator[Comparison]:
    known = np.array([cell is not None for cell in x])
    ours = {
        "conditional_entropy": conditional_entropy(x, y),
        "joint_entropy": joint_entropy(x, y),
        "gain": information_gain(x, y),
        "gain_known": information_gain(np.array(x, dtype=object)[known], y[known]),
        "iv": split_information(x, y),
        "gain_ratio": gain_ratio(x, y),
        "gini_index_multiway": gini_index(x, y),
        "gini_gain_multiway": gini_gain(x, y),
    }
    if "known_fraction_rho" in measure:
        ours |= {
            "iv_missing_as_extra_branch": split_information(x, y, missing="branch"),
            "gain_ratio_c45_missing": gain_ratio(x, y, missing="branch"),
        }
    for name, figure in ours.items():
        yield f"{where}: {name}", figure, measure[name]
    cells, values, classes, _ = contingency_table(x, y)
    for value, counts in measure["counts"].items():
        line = cells[values.index(value)] if value in values else np.zeros(len(classes))
        ordered = [line[classes.index(level)] if level in classes else 0 for level in levels]
        yield f"{where}: counts of {value}", ordered, counts


def value_comparisons(where: str, x: Any, y: Any, measure: dict[str, Any], levels: list[str]) -> Iterator[Comparison]:
    for value, figure in measure["entropy_by_value"].items():
        yield f"{where}={value}: entropy", entropy(y[x == value]), figure
    for value, figure in measure["gini_by_value"].items():
        yield f"{where}={value}: gini", gini(y[x == value]), figure


def partition_comparisons(
    where: str, x: Any, y: Any, measure: dict[str, Any], levels: list[str]
) -> Iterator[Comparison]:
    """Compare the figures of the binary partitions; they are taken on the rows whose cell is known."""
    for partition in measure["binary_partitions"]:
        left = np.isin(x, partition["left"])
        yield from side_comparisons(f"{where} in {partition['left']}", left, y, partition, levels)
        yield f"{where}: gini_left", gini(y[left]), partition["gini_left"]
        yield f"{where}: gini_right", gini(y[~left]), partition["gini_right"]
        for name, figure in binary_figures(left, y).items():
            if name in partition:
                yield f"{where} in {partition['left']}: {name}", figure, partition[name]
    if "best_binary_partitions_by_gini" in measure:
        drops = [gini_gain(np.isin(x, partition["left"]), y) for partition in measure["binary_partitions"]]
        yield f"{where}: best partitions", best_of(drops), measure["best_binary_partitions_by_gini"]
    for value, figure in measure["value_vs_rest_gini_index"].items():
        yield f"{where}={value} or not: gini_index", gini_index(x == value, y), figure


def side_comparisons(
    where: str, left: Any, y: Any, recorded: dict[str, Any], levels: list[str]
) -> Iterator[Comparison]:
    yield f"{where}: left_counts", class_counts(y[left], levels), recorded["left_counts"]
    yield f"{where}: right_counts", class_counts(y[~left], levels), recorded["right_counts"]


def binary_figures(left: Any, y: Any) -> dict[str, float]:
    return {
        "conditional_entropy": conditional_entropy(left, y),
        "gain": information_gain(left, y),
        "entropy_gain": information_gain(left, y),
        "iv": split_information(left, y),
        "gain_ratio": gain_ratio(left, y),
        "gini_index": gini_index(left, y),
        "gini_gain": gini_gain(left, y),
    }


def best_of(scores: list[float]) -> list[int]:
    return [i for i, score in enumerate(scores) if score >= max(scores) - 1e-12]


def threshold_comparisons(
    where: str, x: Any, y: Any, measure: dict[str, Any], levels: list[str]
) -> Iterator[Comparison]:
    candidates = measure["candidates"]
    thresholds = [c["threshold"] for c in candidates]
    values = np.unique(x)
    yield f"{where}: distinct values", len(values), measure["distinct_values"]
    yield f"{where}: thresholds", (values[:-1] + values[1:]) / 2, thresholds
    found = [binary_figures(x <= t, y) for t in thresholds]
    for candidate, figures in zip(candidates, found, strict=True):
        here = f"{where}<={candidate['threshold']}"
        yield from side_comparisons(here, x <= candidate["threshold"], y, candidate, levels)
        yield from ((f"{here}: {name}", figures[name], candidate[name]) for name in CUT_FIGURES)
    if found:
        yield from best_threshold_comparisons(where, len(y), thresholds, found, measure)


def best_threshold_comparisons(
    where: str, n: int, thresholds: list[float], found: list[dict[str, float]], measure: dict[str, Any]
) -> Iterator[Comparison]:
    for name, figure in (("gain", "gain"), ("gain_ratio", "gain_ratio"), ("gini", "gini_gain")):
        best = [thresholds[i] for i in best_of([f[figure] for f in found])]
        yield f"{where}: best threshold by {name}", best, measure[f"best_threshold_by_{name}"]
    at_best = max(found, key=lambda f: round(f["gain"], 12))
    yield f"{where}: gain", at_best["gain"], measure["gain"]
    yield f"{where}: iv_at_best_gain", at_best["iv"], measure["iv_at_best_gain"]
    yield f"{where}: gain_ratio_at_best_gain", at_best["gain_ratio"], measure["gain_ratio_at_best_gain"]
    yield f"{where}: gini_index", min(f["gini_index"] for f in found), measure["gini_index"]
    corrected = at_best["gain"] - np.log2(len(thresholds)) / n
    yield f"{where}: gain_mdl_corrected", corrected, measure["gain_mdl_corrected"]
