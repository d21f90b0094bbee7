"""The summary of a tree with surrogates, as analysts know it from rpart: nodes by number, the table of complexities,
and per node the primary, competing and surrogate splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from deciduous.errors import DataError
from deciduous.kernels import SplitKind
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.candidate import Candidate
from deciduous.model.labels import among, rows_text, significant
from deciduous.model.node import Node
from deciduous.model.surrogates import Surrogate
from deciduous.model.tree import Tree
from deciduous.textgrid import WIDTH, grid, one_line, wrapped

if TYPE_CHECKING:
    import polars as pl

Role = Literal["primary", "competing", "surrogate"]

#: How the roles of splits are called.
TITLES = {"primary": "primary split", "competing": "competing splits", "surrogate": "surrogate splits"}
#: The columns of the table of complexities.
CP_COLUMNS = ("cp", "nsplit", "rel_error", "xerror", "xstd")


@dataclass(frozen=True)
class SplitLine:
    """One split of a node, left and right as rpart writes them: the side with the smaller target is left.

    `count`: the rows that know the column, for a surrogate those that it sent; -1 if not known. `improve`: of primary
    and competing splits; `agree` and `adj`: of surrogates. `threshold` with `below` (`left` or `right`: where smaller
    values go), or the categories `left` and `right`.
    """

    node: int
    role: Role
    feature: str
    count: int
    improve: float = float("nan")
    agree: float = float("nan")
    adj: float = float("nan")
    threshold: float = float("nan")
    below: str = ""
    left: tuple[Any, ...] = ()
    right: tuple[Any, ...] = ()


def required_surrogates(tree: Tree) -> None:
    """Raise DataError unless a tree was grown with surrogates."""
    if tree.surrogates is None:
        raise DataError(
            "the tree was not grown with surrogates: fit with missing='surrogates', or with CARTClassifier.rpart or "
            "CARTRegressor.rpart."
        )


def node_numbers(tree: Tree) -> list[int]:
    """Return rpart's number of each node: 1 for the root, 2 i and 2 i + 1 for the left and right child of node i."""
    required_surrogates(tree)
    assert tree.surrogates is not None
    numbers, left = [1] * len(tree), tree.surrogates.left.tolist()
    first, parents = tree.first_child.tolist(), tree.parent.tolist()
    for node in range(1, len(tree)):
        parent = parents[node]
        numbers[node] = 2 * numbers[parent] + (node - first[parent] != left[parent])
    return numbers


def splits_of(tree: Tree, node: int) -> list[SplitLine]:
    """Return the splits of an inner node: the primary one, competing ones and surrogates, each kind best first.

    Competing splits are known where the tree keeps candidates.
    """
    required_surrogates(tree)
    assert tree.surrogates is not None
    assert tree.improvement is not None
    view = tree.node(node)
    if view.is_leaf:
        return []
    candidates = view.candidates or ()
    chosen = next((c for c in candidates if c.verdict == "chosen"), None)
    primary = Candidate(int(tree.feature[node]), "chosen", tree.split(node)) if chosen is None else chosen
    lines = [_of_candidate(tree, node, "primary", primary, float(tree.improvement[node]))]
    others = sorted((c for c in candidates if c.verdict in ("tied", "lower")), key=lambda c: -c.score)
    most = int(tree.options["max_competitors"])
    lines += [_of_candidate(tree, node, "competing", c, c.score) for c in others[:most]]
    return lines + [_of_surrogate(tree, node, s) for s in tree.surrogates.of_node(node)]


def _of_candidate(tree: Tree, node: int, role: Role, candidate: Candidate, improve: float) -> SplitLine:
    assert candidate.split is not None
    name = tree.schema.features[candidate.feature].name
    split = candidate.split
    left = 0
    if split.kind == SplitKind.THRESHOLD:
        left = _left_of(tree, node, candidate)
    where = _where(tree, candidate.feature, split.threshold, split.category_branch, left, left)
    return SplitLine(node, role, name, candidate.known_rows, improve=improve, **where)


def _left_of(tree: Tree, node: int, candidate: Candidate) -> int:
    """Return the branch of a threshold with the smaller target."""
    assert tree.surrogates is not None
    if candidate.verdict == "chosen" or candidate.table is None:
        return int(tree.surrogates.left[node])
    table = candidate.table
    if tree.task == "number":
        return int(table[1, 1] < table[0, 1])
    counted = table if tree.split_factor is None else table * tree.split_factor
    means = (counted * tree.class_places).sum(axis=1) / counted.sum(axis=1)
    return int(means[1] < means[0])


def _of_surrogate(tree: Tree, node: int, surrogate: Surrogate) -> SplitLine:
    assert tree.surrogates is not None
    left = int(tree.surrogates.left[node])
    name = tree.schema.features[surrogate.feature].name
    where = _where(
        tree, surrogate.feature, surrogate.threshold, surrogate.category_branch, left, int(surrogate.below != left)
    )
    return SplitLine(
        node, "surrogate", name, surrogate.rows, agree=surrogate.agreement, adj=surrogate.adjusted, **where
    )


def _where(tree: Tree, feature: int, threshold: float, codes: Any, left: int, low_right: int) -> dict[str, Any]:
    if not len(codes):
        return {"threshold": threshold, "below": "right" if low_right else "left"}
    categories = tree.schema.features[feature].categories
    sides = [tuple(categories[c] for c in np.flatnonzero(codes == branch)) for branch in (left, 1 - left)]
    return {"left": sides[0], "right": sides[1]}


def cp_frame(tree: Tree) -> pl.DataFrame:
    """Return the table of complexities: cp, nsplit, rel_error, xerror, xstd; null where nothing was cross-validated."""
    import polars as pl

    required_surrogates(tree)
    table = np.zeros((0, 5)) if tree.cp_table is None else tree.cp_table
    columns: dict[str, Any] = dict(zip(CP_COLUMNS, table.T, strict=True))
    columns["nsplit"] = columns["nsplit"].astype(np.int64)
    return pl.DataFrame(columns).fill_nan(None)


# --- as text


def summary_of(tree: Tree, digits: int = 4, lang: str | None = None, width: int = WIDTH) -> str:
    """Return the summary: the table of complexities, importance, and every node with its splits."""
    with speaking(lang):
        return "\n".join(part for line in _lines(tree, digits) for part in _fitted(line, width))


def _fitted(line: str, width: int) -> list[str]:
    """Return a line in lines that fit, those after the first further in."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return [short for one in line.split("\n") for short in wrapped(one, width, indent)]


def _lines(tree: Tree, digits: int) -> Iterator[str]:
    from deciduous.explain.importance import surrogate_importance

    required_surrogates(tree)
    weight = _(", weight {weight}").format(weight=significant(float(tree.weight[0]))) if tree.weighted else ""
    yield f"n = {tree.n_samples[0]}{weight}"
    if tree.cp_table is not None:
        yield ""
        yield _cp_text(tree)
    importance = surrogate_importance(tree)
    if importance.any():
        order = np.argsort(-importance, kind="stable")
        shares = 100 * importance / importance.sum()
        named = (f"{one_line(tree.schema.features[j].name)} {shares[j]:.0f}" for j in order if importance[j] > 0)
        yield ""
        yield _("importance (percent): {named}").format(named=", ".join(named))
    numbers = node_numbers(tree)
    for node in sorted(range(len(tree)), key=lambda i: numbers[i]):
        yield ""
        yield from _node_lines(tree.node(node), numbers, digits)


def _cp_text(tree: Tree) -> str:
    assert tree.cp_table is not None
    known = 5 if not np.isnan(tree.cp_table[:, 3]).any() else 3
    rows = [["" if np.isnan(v) else significant(float(v)) for v in line[:known]] for line in tree.cp_table]
    return grid(list(CP_COLUMNS[:known]), rows, numbers=range(known))


def _node_lines(node: Node, numbers: list[int], digits: int) -> Iterator[str]:
    tree = node.tree
    assert tree.risk is not None
    assert tree.complexity is not None
    root = float(tree.risk[0]) or 1.0
    complexity = significant(float(tree.complexity[node.index]) / root)
    yield _("Node {node}: {rows}, complexity {complexity}").format(
        node=numbers[node.index], rows=rows_text(node.n_samples, node.weight), complexity=complexity
    )
    answer = one_line(str(node.prediction)) if tree.task == "class" else significant(float(node.prediction), digits)
    risk = significant(float(tree.risk[node.index]), digits)
    yield "  " + _("answers {answer}, risk {risk}").format(answer=answer, risk=risk)
    if tree.task == "class":
        shares = tree.distribution(np.array([node.index]))[0]
        named = zip(tree.classes, shares.tolist(), strict=True)
        yield "  " + ", ".join(f"{one_line(str(label))} {share:.3f}" for label, share in named)
    if node.is_leaf:
        return
    sizes = {numbers[child.index]: child.n_samples for child in node.children}
    left, right = (_("node {node} ({rows})").format(node=number, rows=_rows(sizes[number])) for number in sorted(sizes))
    yield "  " + _("left: {left}, right: {right}").format(left=left, right=right)
    before = ""
    for line in splits_of(tree, node.index):
        if line.role != before:
            yield "  " + _(TITLES[line.role])
            before = line.role
        yield f"    {_in_words(line, digits)}"


def _rows(n: int) -> str:
    return _n("{n} row", "{n} rows", n).format(n=n)


def _in_words(line: SplitLine, digits: int) -> str:
    if line.below:
        sign = "<" if line.below == "left" else ">="
        cut = significant(float(np.nextafter(line.threshold, np.inf)), digits)
        condition = f"{one_line(line.feature)} {sign} {cut}"
        rule = _("{condition} goes left").format(condition=condition)
    else:
        left, right = (one_line(among(side)) for side in (line.left, line.right))
        condition = f"{one_line(line.feature)} {left}"
        rule = _("{condition} goes left, {others} right").format(condition=condition, others=right)
    if line.role == "surrogate":
        return _("{rule}; agreement {agree}, adjusted {adjusted}, sent {rows}").format(
            rule=rule, agree=f"{line.agree:.3f}", adjusted=f"{line.adj:.3f}", rows=_rows(line.count)
        )
    known = "" if line.count < 0 else _(", {rows} known").format(rows=_rows(line.count))
    improvement = significant(line.improve, digits)
    return _("{rule}; improvement {improvement}{known}").format(rule=rule, improvement=improvement, known=known)
