"""What a tree answers for rows, by where they ended: whole, or in parts that are mixed."""

from __future__ import annotations

import numpy as np

from deciduous.measures import Floats
from deciduous.model.route import Arrivals
from deciduous.model.tree import Tree
from deciduous.search.conventions import CONVENTIONS


def shares_of(tree: Tree, arrivals: Arrivals) -> Floats:
    """Return the class shares of the answer for each row, shape (rows, classes)."""
    return _mixed(arrivals, tree.distribution(arrivals.nodes))


def answers_of(tree: Tree, arrivals: Arrivals) -> Floats:
    """Return the answer for each row, shape (rows,): the number, or the code of the class; as `predict` does."""
    if tree.task == "number":
        return _mixed(arrivals, tree.value[arrivals.nodes])
    conventions = CONVENTIONS[tree.options.get("conventions", "c45")]
    if arrivals.whole and not conventions.in_turn:  # which compare shares, not weights
        return tree.value[arrivals.nodes]
    return conventions.heaviest(shares_of(tree, arrivals)).astype(np.float64)


def _mixed(arrivals: Arrivals, answers: Floats) -> Floats:
    """Return for each row the answers of the nodes that it reaches, weighted by its parts."""
    if arrivals.whole:
        return answers
    mixed = np.zeros((arrivals.n_rows, *answers.shape[1:]))
    np.add.at(mixed, arrivals.rows, answers * arrivals.weights.reshape(-1, *[1] * (answers.ndim - 1)))
    return mixed
