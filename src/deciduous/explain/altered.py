"""Classes that count more or less than their rows, where priors or losses alter what splits are rated by (Breiman et
al. 1984, section 4.4): a row of class k counts (pi_k L_k) / (|D_k|/|D| sum_j pi_j L_j), L_k the losses of its class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from deciduous.explain.blocks import Block, Formula, Grid, Text
from deciduous.explain.expression import Name, plain
from deciduous.grow.risk import priors_and_losses
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.candidate import Candidate, LazyCandidates
from deciduous.model.tree import Tree


def as_rated(tree: Tree) -> Tree:
    """Return a tree whose weights are those that its splits were rated by: itself, unless classes are altered."""
    counts = tree.split_factor
    if counts is None:
        return tree
    class_weight = tree.class_weight * counts[tree.class_code]
    nodes = np.repeat(np.arange(len(tree)), np.diff(tree.class_start))
    weight: Floats = np.bincount(nodes, weights=class_weight, minlength=len(tree)).astype(np.float64)
    kept, candidates = tree.candidates, None
    if kept is not None:
        makers = {node: partial(_of_node, kept, node, counts) for node in range(len(tree))}
        candidates = LazyCandidates(makers, len(tree))
    return replace(tree, class_weight=class_weight, weight=weight, candidates=candidates)


def _of_node(kept: Sequence[tuple[Candidate, ...]], node: int, counts: Floats) -> tuple[Candidate, ...]:
    return tuple(
        candidate
        if candidate.table is None
        else replace(
            candidate,
            table=candidate.table * counts,
            missing=None if candidate.missing is None else candidate.missing * counts,
        )
        for candidate in kept[node]
    )


def counted_as(tree: Tree) -> Iterator[Block]:
    """Return what a row of each class counts, with its figures, of a tree as it was rated; nothing where it counts its
    weight.
    """
    counts = tree.split_factor
    if counts is None:
        return
    yield Text(_("Priors and losses weight the classes: a row of class k counts w_k, and all weights below are in it."))
    yield Formula(
        (
            Name("w_k", "w_k"),
            Name(
                "pi_k L_k / (|D_k|/|D| sum_j pi_j L_j)",
                r"\frac{\pi_k L_k}{\frac{|D_k|}{|D|} \sum_j \pi_j L_j}",
            ),
        )
    )
    root = slice(int(tree.class_start[0]), int(tree.class_start[1]))
    shares = np.zeros(len(counts))
    shares[tree.class_code[root]] = tree.class_weight[root] / counts[tree.class_code[root]]  # the rows as they are
    shares /= shares.sum()
    given = tree.options.get("priors")
    if isinstance(given, list) and all(isinstance(pair, list | tuple) for pair in given):
        given = dict(given)  # as a model file holds a mapping
    priors, losses = priors_and_losses(given, tree.options.get("loss"), tree.classes, shares)
    figures = (priors, losses.sum(axis=1), shares, counts)
    rows = tuple(
        (str(label), *(plain(float(figure[k]), 4) for figure in figures)) for k, label in enumerate(tree.classes)
    )
    yield Grid((_("class"), "pi_k", "L_k", "|D_k|/|D|", "w_k"), rows, (1, 2, 3, 4), "classes")
