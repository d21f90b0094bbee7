"""The working of a node as text for a terminal, at most 80 columns wide where names allow it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deciduous.data.schema import Label
from deciduous.explain.working import FeatureWorking, NodeWorking
from deciduous.model.labels import NUMBERS, figure, significant
from deciduous.model.tree import Tree
from deciduous.textgrid import grid, one_line


def text_of(working: NodeWorking, tree: Tree) -> str:
    """Return the working: the node, its candidates side by side, the branches of each, and the decision."""
    ways = [f"  node {number}: {one_line(condition)}" for number, condition in working.branches]
    head = [one_line(line) for line in _head(working, tree)]
    decision = one_line(working.decision)
    parts = [*head, *_candidates(working, tree), *_branches(working, tree), "", decision, *ways]
    return "\n".join(parts)


def _number(value: float) -> str:
    return "" if math.isnan(value) else significant(value, 5)


def _head(working: NodeWorking, tree: Tree) -> Iterator[str]:
    where = " and ".join(working.path) if working.path else "the root, all rows"
    rows = f"{working.n_samples} row{'s' * (working.n_samples != 1)}"
    weight = f", weight {significant(working.weight)}" if working.weight != working.n_samples else ""
    yield f"Node {working.node}: {where}"
    if tree.task == "number":
        mean, error = _number(float(tree.value[working.node])), _number(working.impurity)
        answer, impurity = NUMBERS.get(str(tree.options["criterion"]), ("mean", "squared error"))
        yield f"  {rows}{weight}; {answer} {mean}, {impurity} {error}"
    elif working.n_samples:
        yield f"  {rows}{weight}: {_weights(working.class_weights)}"
        yield f"  Ent(D) = {figure(working.entropy)}   Gini(D) = {figure(working.gini)}"
    else:
        yield "  no rows"


def _weights(class_weights: dict[Label, float]) -> str:
    return ", ".join(f"{label} {significant(w)}" for label, w in class_weights.items() if w > 0) or "none"


def _candidates(working: NodeWorking, tree: Tree) -> Iterator[str]:
    if not working.features:
        return
    yield ""
    if tree.task == "number":
        rows = [[f.feature, _number(f.drop), f.why] for f in working.features]
        yield grid(["column", "drop", ""], rows, numbers=[1])
        return
    rows = [
        [f.feature, figure(f.gain), figure(f.split_information), figure(f.gain_ratio), figure(f.gini_index), f.why]
        for f in working.features
    ]
    yield grid(["column", "gain", "split info", "ratio", "Gini index", ""], rows, numbers=[1, 2, 3, 4])


def _branches(working: NodeWorking, tree: Tree) -> Iterator[str]:
    for feature in working.features:
        if not feature.branches:
            continue
        yield ""
        yield _title(feature)
        if tree.task == "number":
            rows = [
                [b.condition, significant(b.weight), _number(b.mean), _number(b.squared_error)]
                for b in feature.branches
            ]
            absolute = tree.options["criterion"] == "absolute_error"
            head = NUMBERS["absolute_error"] if absolute else ("mean", "squared error")
            yield grid(["  branch", "rows", *head], [["  " + r[0], *r[1:]] for r in rows], numbers=[1, 2, 3])
        else:
            rows = [
                [
                    "  " + b.condition,
                    significant(b.weight),
                    figure(b.entropy),
                    figure(b.gini),
                    _weights(b.class_weights),
                ]
                for b in feature.branches
            ]
            yield grid(["  branch", "rows", "Ent", "Gini", "classes"], rows, numbers=[1, 2, 3])
            yield f"  H(D|a) = {figure(feature.conditional_entropy)}"


def _title(feature: FeatureWorking) -> str:
    notes = []
    if feature.tried > 1:
        notes.append(f"best of {feature.tried} candidates")
    if feature.correction > 0:
        notes.append(f"which lowers its gain by {figure(feature.correction)}")
    if not feature.exact:
        notes.append("found by a heuristic, not exhaustively")
    if feature.known_share < 1:
        notes.append(f"known in {figure(feature.known_share)} of the weight")
    return one_line(feature.feature) + (f" ({'; '.join(notes)})" if notes else "")
