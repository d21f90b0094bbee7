"""Every pruner against a second implementation: recursive, node by node, written from the papers."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from deciduous import Node, Tree
from deciduous.estimators.pruning import labelled_rows
from deciduous.prune import (
    CriticalValue,
    DescriptionLength,
    ErrorBased,
    MinimumError,
    Pessimistic,
    Pruner,
    ReducedError,
    Validation,
)
from tests.oracle.test_pruning_exhaustively import leaves_of, random_tree
from tests.strategies import CLASSIFIERS, ESTIMATORS, fit, tables, task_of

SLACK = 1e-9


def counts(node: Node) -> list[float]:
    return list(node.class_weights.values())


def errors(node: Node) -> float:
    return sum(w for label, w in node.class_weights.items() if label != node.prediction)


def leaves_below(node: Node) -> list[Node]:
    return [node] if node.is_leaf else [leaf for child in node.children for leaf in leaves_below(child)]


def from_below(node: Node, as_leaf: Callable[[Node], float], own: float = 0.0, slack: float = SLACK) -> tuple:
    """Return the least cost of the tree below a node, and its leaves: a leaf where it costs no more."""
    if node.is_leaf:
        return as_leaf(node), (node.index,)
    below = [from_below(child, as_leaf, own, slack) for child in node.children]
    cost = own + sum(part[0] for part in below)
    if as_leaf(node) <= cost + slack:
        return as_leaf(node), (node.index,)
    return cost, tuple(sorted(index for part in below for index in part[1]))


def pessimistic(node: Node) -> tuple[int, ...]:
    """Quinlan (1987): from above, 1/2 error more for every leaf with rows, and a standard error."""
    if node.is_leaf:
        return (node.index,)
    n = node.weight
    below = sum(errors(leaf) + 0.5 for leaf in leaves_below(node) if leaf.weight > 0)
    if errors(node) + 0.5 <= below + math.sqrt(max(below * (n - below) / n, 0.0)) + SLACK:
        return (node.index,)
    return tuple(sorted(i for child in node.children for i in pessimistic(child)))


def minimum_error(node: Node, m: float) -> float:
    """Cestnik and Bratko (1991): N times the least of 1 - (n_c + m p_c) / (N + m)."""
    root = node.tree.node(0)
    rates = [
        1 - (node.class_weights.get(c, 0.0) + m * root.class_weights.get(c, 0.0) / root.weight) / (node.weight + m)
        for c in node.tree.classes
    ]
    return node.weight * min(rates)


def laplace(node: Node) -> float:
    """Niblett and Bratko (1986): N (N - n_c + k - 1) / (N + k)."""
    k, n = len(node.tree.classes), node.weight
    return n * (n - max(counts(node), default=0.0) + k - 1) / (n + k)


def error_based(node: Node, cf: float) -> float:
    """Quinlan (1993): E plus the errors to be added, case by case."""
    n, e = node.weight, errors(node)
    if n == 0:
        return 0.0

    def added(e: float) -> float:
        if e < 1e-6:
            return n * (1 - math.exp(math.log(cf) / n))
        if e < 0.9999:
            return added(0) + e * (added(1) - added(0))
        if e + 0.5 >= n:
            return 0.67 * (n - e)
        z = np.interp(
            cf, [0, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.4, 1], [4, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0]
        )
        f = (e + 0.5) / n  # Wilson's upper limit with the continuity correction
        limit = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
        return n * limit - e

    return e + added(e)


def significant(node: Node, level: float) -> bool:
    """The G test of SciPy on the table of branches and classes."""
    table = np.array([[c.class_weights.get(label, 0.0) for label in node.tree.classes] for c in node.children])
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return False
    g, _, freedom, _ = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    return bool(chi2.sf(g, freedom) <= level)


def critical_value(node: Node, good: Callable[[Node], bool]) -> tuple[bool, tuple[int, ...]]:
    """Mingers (1987): a question stays if it is good, or one below it."""
    if node.is_leaf:
        return False, (node.index,)
    below = [critical_value(child, good) for child in node.children]
    if good(node) or any(part[0] for part in below):
        return True, tuple(sorted(i for part in below for i in part[1]))
    return False, (node.index,)


def code_length(node: Node) -> float:
    """Krichevsky and Trofimov (1981): each row is told by (n_c + 1/2) / (n + k/2) of those before it."""
    k, seen, bits = len(node.tree.classes), dict.fromkeys(node.tree.classes, 0), 0.0
    for label, weight in node.class_weights.items():
        for _ in range(int(weight)):
            bits -= math.log2((seen[label] + 0.5) / (sum(seen.values()) + k / 2))
            seen[label] += 1
    return 1.0 + bits


def class_tree(seed: int) -> Tree | None:
    tree = random_tree(seed)
    return tree if tree.task == "class" else None


@given(st.integers(0, 2**32 - 1))
def test_pruners_that_look_at_the_tree_alone(seed: int) -> None:
    tree = class_tree(seed)
    if tree is None:
        return
    root = tree.node(0)
    expected: list[tuple[Pruner, tuple[int, ...]]] = [
        (Pessimistic(), pessimistic(root)),
        (MinimumError("laplace"), from_below(root, laplace)[1]),
        *((MinimumError(m), from_below(root, lambda n, m=m: minimum_error(n, m))[1]) for m in (0.5, 2.0, 12.0)),
        *((ErrorBased(cf), from_below(root, lambda n, cf=cf: error_based(n, cf))[1]) for cf in (0.03, 0.25, 0.6)),
        (ErrorBased(0.25, conventions="r8"), from_below(root, lambda n: error_based(n, 0.25), slack=0.1 + SLACK)[1]),
        *((CriticalValue(level=p), critical_value(root, lambda n, p=p: significant(n, p))[1]) for p in (0.05, 0.3)),
        (CriticalValue(0.1234), critical_value(root, lambda n: n.gain >= 0.1234)[1]),
    ]
    for pruner, leaves in expected:
        pruned = pruner(tree)
        pruned.check()
        assert leaves_of(tree, pruned) == leaves, pruner


@given(tables(missing=False, weights=None), st.sampled_from(CLASSIFIERS), st.sampled_from(["multiway", "one_vs_rest"]))
def test_description_length(table, estimator, nominal) -> None:
    """Whole numbers of rows; the bits of questions counted anew."""
    tree = fit(estimator, table, nominal=nominal, zero_gain="split").tree_

    def question(node: Node) -> float:
        feature = tree.schema.features[node.split.feature]
        ways = {
            "numeric": node.n_samples - 1,
            "ordinal": len(feature.categories) - 1,
            "nominal": len(feature.categories),
        }
        asked = 0.0 if nominal == "multiway" and feature.kind == "nominal" else math.log2(ways[feature.kind])
        return 1.0 + math.log2(len(table.columns)) + asked

    def least(node: Node) -> tuple[float, tuple[int, ...]]:
        here = (code_length(node), (node.index,))
        if node.is_leaf:
            return here
        parts = [least(child) for child in node.children]
        cost = question(node) + sum(part[0] for part in parts)
        return here if here[0] <= cost + SLACK else (cost, tuple(sorted(i for part in parts for i in part[1])))

    assert leaves_of(tree, DescriptionLength()(tree)) == least(tree.node(0))[1]


@given(st.data(), st.sampled_from(ESTIMATORS))
def test_pruners_that_look_at_validation_rows(data, estimator) -> None:
    """Each row is sent down by hand: with missing cells in parts, and stopping at categories never seen."""
    table = data.draw(tables(weights=None))
    other = data.draw(tables(weights=None))
    model = fit(estimator, table, zero_gain="split")
    tree, task = model.tree_, task_of(estimator)
    like = other.take(np.arange(len(other)))
    X = table.X.iloc[np.arange(len(like)) % len(table)].reset_index(drop=True)
    y = like.target(task)
    if task == "class" and not set(y) & set(tree.classes):
        return
    reach: list[list[tuple[int, float]]] = [[] for _ in range(len(tree))]  # rows that come to a node, with their part
    ends: list[list[tuple[int, float]]] = [[] for _ in range(len(tree))]
    arrivals = model._arrivals(X)
    for row, end, part in zip(arrivals.rows.tolist(), arrivals.nodes.tolist(), arrivals.weights.tolist(), strict=True):
        ends[end].append((row, part))
        for index in tree.path(end):
            reach[index].append((row, part))

    def wrong(node: Node, rows: list[tuple[int, float]]) -> float:
        if task == "class":
            return sum(part for row, part in rows if y[row] != node.prediction)
        return sum(part * (y[row] - node.prediction) ** 2 for row, part in rows)

    def best(node: Node, slack: float) -> tuple[float, tuple[int, ...]]:
        as_leaf = wrong(node, reach[node.index])
        if node.is_leaf:
            return as_leaf, (node.index,)
        parts = [best(child, slack) for child in node.children]
        cost = wrong(node, ends[node.index]) + sum(part[0] for part in parts)
        if as_leaf <= cost + slack:
            return as_leaf, (node.index,)
        return cost, tuple(sorted(i for part in parts for i in part[1]))

    def stopping(node: Node) -> tuple[int, ...]:
        asked = wrong(node, ends[node.index]) + sum(wrong(c, reach[c.index]) for c in node.children)
        if node.is_leaf or asked >= wrong(node, reach[node.index]) - SLACK:
            return (node.index,)
        return tuple(sorted(i for child in node.children for i in stopping(child)))

    rows = labelled_rows(tree, X, y)
    measured = rows.errors(tree)
    for index in range(len(tree)):
        assert measured.as_leaf[index] == pytest.approx(wrong(tree.node(index), reach[index]), abs=1e-7)
    root = tree.node(0)
    for pruner, leaves in (
        (ReducedError(), best(root, SLACK)[1]),
        (ReducedError(ties="keep"), best(root, -SLACK)[1]),
        (Validation(), stopping(root)),
    ):
        assert leaves_of(tree, pruner(tree, rows)) == leaves, pruner
    total = sum(wrong(tree.node(index), ends[index]) for index in range(len(tree)))
    assert measured.mean * len(y) == pytest.approx(total, abs=1e-7)
