"""Whether the arrays of a tree agree with each other. Run after every grow, prune and load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciduous.data.schema import Feature
from deciduous.errors import ModelFileError
from deciduous.kernels import SplitKind
from deciduous.model.extras import check_extras
from deciduous.model.reason import Reason
from deciduous.model.split import Split
from deciduous.model.tree import ARRAYS, Tree

Array = NDArray[Any]

#: The kinds of splits that read categories.
BY_CATEGORY = (SplitKind.MULTIWAY, SplitKind.SUBSET, SplitKind.ONE_VS_REST, SplitKind.GROUPS)

#: Sums of weights may differ by rounding.
SLACK = 1e-9


def check(tree: Tree) -> None:
    """Raise ModelFileError with the first contradiction: lengths, links, questions, shares, statistics or answers."""
    for part in (_lengths, _links, _questions, _categories, _shares, _statistics, check_extras):
        part(tree)
    for one in tree.by_target():
        for part in (_lengths, _classes, _answers):
            part(one)


def _demand(holds: object, message: str, nodes: Array | None = None) -> None:
    """Raise unless a condition holds everywhere; the message names the first node where it does not.

    `nodes`: the nodes that the elements of `holds` belong to; by default element i belongs to node i.
    """
    holds = np.asarray(holds)
    if not holds.all():
        first = int(np.argmin(holds))
        where = f" (node {first if nodes is None else int(nodes[first])})" if holds.ndim == 1 else ""
        raise ModelFileError(f"the tree contradicts itself: {message}{where}.")


def _lengths(tree: Tree) -> None:
    n = len(tree)
    _demand(n > 0, "it has no node")
    for name in ARRAYS:
        array = getattr(tree, name)
        _demand(array.ndim == 1, f"{name} is not one-dimensional")
        if name in ("category_start", "class_start"):
            _demand(len(array) == n + 1, f"{name} must have one number more than there are nodes")
            ragged = tree.category_branch if name == "category_start" else tree.class_code
            _demand(array[0] == 0 and array[-1] == len(ragged), f"{name} must run from 0 to the end of its list")
            _demand(np.diff(array) >= 0, f"{name} must not decrease")
        elif name not in ("category_branch", "class_code", "class_weight"):
            _demand(len(array) == n, f"{name} must have one element a node")
    _demand(len(tree.class_code) == len(tree.class_weight), "class_code and class_weight differ in length")


def _links(tree: Tree) -> None:
    n = len(tree)
    inner = np.flatnonzero(tree.first_child >= 0)
    first, branches = tree.first_child[inner].astype(np.int64), tree.n_branches[inner].astype(np.int64)
    _demand(tree.parent[:1] == -1, "node 0 must be the root")
    _demand((tree.n_branches == 0) | (tree.first_child >= 0), "a leaf has branches")
    _demand(branches >= 2, "an inner node has fewer than two branches", inner)
    _demand((first > inner) & (first + branches <= n), "children must come after their parent, within the tree", inner)
    if branches.sum() != n - 1:
        raise ModelFileError("the tree contradicts itself: every node but the root must be the child of one node.")
    children = np.repeat(first - np.cumsum(branches) + branches, branches) + np.arange(n - 1)
    expected = np.full(n, -1, dtype=np.int64)
    expected[children] = np.repeat(inner, branches)
    _demand(expected == tree.parent, "parent and first_child disagree")


def _questions(tree: Tree) -> None:
    inner = ~tree.is_leaf
    _demand(np.isin(tree.kind, [int(kind) for kind in SplitKind]), "kind is not a kind of split")
    _demand((tree.kind != SplitKind.LEAF) == inner, "kind and first_child disagree about leaves")
    _demand(~inner | ((tree.feature >= 0) & (tree.feature < len(tree.schema))), "feature is no column")
    kinds = np.array([feature.kind for feature in tree.schema.features])
    asked = np.where(inner, kinds[np.where(inner, tree.feature, 0)], "")
    ordered = np.isin(asked, ["numeric", "ordinal"])
    thresholds = tree.kind == SplitKind.THRESHOLD
    _demand(
        ~thresholds | (ordered & np.isfinite(tree.threshold)), "a threshold needs an ordered column and a finite number"
    )
    _demand(~_by_category(tree) | (asked == "nominal"), "a split by category needs a nominal column")
    _demand(~inner | np.isin(asked, ["numeric", "ordinal", "nominal"]), "id and weight columns cannot be asked for")
    _demand((tree.kind != SplitKind.MISSING) | (tree.n_branches == 2), "'missing or not' has two branches")
    binary = thresholds | (tree.kind == SplitKind.SUBSET) | (tree.kind == SplitKind.ONE_VS_REST)
    _demand(~binary | (tree.n_branches <= 3), "a binary split has two branches, and one for missing cells")
    levels = np.array([len(feature.categories) for feature in tree.schema.features])[np.where(inner, tree.feature, 0)]
    in_range = (tree.threshold >= 0) & (tree.threshold < np.maximum(levels, 1))
    _demand(~thresholds | (asked != "ordinal") | in_range, "an ordinal threshold lies outside the categories")


def _by_category(tree: Tree) -> NDArray[np.bool_]:
    return np.isin(tree.kind, [int(k) for k in BY_CATEGORY])


def _categories(tree: Tree) -> None:
    categories = np.array([len(feature.categories) for feature in tree.schema.features])
    by_category = _by_category(tree)
    wanted = np.where(by_category, categories[np.where(by_category, tree.feature, 0)], 0)
    _demand(np.diff(tree.category_start) == wanted, "category_branch must list every category of the column")
    owner = np.repeat(np.arange(len(tree)), np.diff(tree.category_start))
    branch = tree.category_branch
    multiway = tree.kind == SplitKind.MULTIWAY
    in_groups = tree.kind == SplitKind.GROUPS
    known = np.where(multiway, wanted, 2)  # branches of known cells; one more may hold the missing ones
    known[in_groups] = tree.n_branches[in_groups]
    _demand((branch >= -1) & (branch < known[owner]), "category_branch names a branch that is not there", owner)
    _demand(~multiway | np.isin(tree.n_branches - wanted, [0, 1]), "a multiway split has a branch per category")
    code = np.arange(len(branch)) - tree.category_start[owner]
    _demand(~multiway[owner] | (branch == code), "a multiway split has a branch per category, in order", owner)
    groups = np.flatnonzero(in_groups)
    own = [branch[tree.category_start[i] : tree.category_start[i + 1]] for i in groups]
    named = [len(np.unique(codes[codes >= 0])) for codes in own]
    _demand(tree.n_branches[groups] == np.array(named, dtype=np.int64), "a group has no category", groups)
    left = np.bincount(owner[branch == 0], minlength=len(tree))
    one = tree.kind == SplitKind.ONE_VS_REST
    _demand(~one | (left == 1), "one category against the rest needs exactly one category in branch 0")
    right = np.bincount(owner[branch == 1], minlength=len(tree))
    subset = tree.kind == SplitKind.SUBSET
    _demand(~subset | ((left > 0) & (right > 0)), "a subset split needs categories in both branches")


def _shares(tree: Tree) -> None:
    _demand(np.isfinite(tree.share) & (tree.share >= 0), "share must be finite and not negative")
    sums = np.bincount(tree.parent[1:], weights=tree.share[1:], minlength=len(tree))
    _demand(
        tree.is_leaf | (np.abs(sums - 1) < SLACK) | (sums == 0),
        "the shares of a node's branches must sum to 1, or all be 0",
    )


def _statistics(tree: Tree) -> None:
    _demand(np.isfinite(tree.weight) & (tree.weight >= 0), "weight must be finite and not negative")
    _demand(tree.n_samples >= 0, "n_samples must not be negative")
    _demand((tree.n_samples > 0) == (tree.weight > 0), "weight and n_samples disagree about empty nodes")
    _demand(np.isfinite(tree.impurity) & (tree.impurity >= 0), "impurity must be finite and not negative")
    _demand(np.isnan(tree.gain) == tree.is_leaf, "gain belongs to inner nodes, and to them only")
    below = np.bincount(tree.parent[1:], weights=tree.weight[1:], minlength=len(tree))
    _demand(below <= tree.weight * (1 + SLACK), "the children weigh more than their parent")
    rows = np.bincount(tree.parent[1:], weights=tree.n_samples[1:], minlength=len(tree))
    if tree.options.get("missing") != "fractional":
        _demand(rows <= tree.n_samples, "the children hold more rows than their parent")


def _classes(tree: Tree) -> None:
    if tree.task == "number":
        _demand(len(tree.class_code) == 0, "a regression tree has no class weights")
        return
    owner = np.repeat(np.arange(len(tree)), np.diff(tree.class_start))
    _demand((tree.class_code >= 0) & (tree.class_code < len(tree.classes)), "class_code is no class", owner)
    positive = np.isfinite(tree.class_weight) & (tree.class_weight > 0)
    _demand(positive, "class_weight must be finite and positive", owner)
    same_node = np.diff(owner) == 0
    _demand(
        ~same_node | (np.diff(tree.class_code) > 0), "the classes of a node must be listed once, in order", owner[1:]
    )
    sums = np.bincount(owner, weights=tree.class_weight, minlength=len(tree))
    _demand(np.abs(sums - tree.weight) <= SLACK * np.maximum(tree.weight, 1), "class weights do not sum to the weight")


def _answers(tree: Tree) -> None:
    nodes = np.arange(len(tree))
    expected = np.where(tree.n_samples > 0, nodes, np.maximum(tree.parent, 0))
    _demand(tree.answers_from == expected, "a node answers for itself, an empty one through its parent")
    _demand(tree.weight[tree.answers_from] > 0, "the node that answers has no rows")
    _demand(np.isfinite(tree.value), "value must be finite")
    _demand(tree.value == tree.value[tree.answers_from], "an empty node does not answer as its parent")
    if tree.task == "class":
        whole = (tree.value == np.floor(tree.value)) & (tree.value >= 0) & (tree.value < len(tree.classes))
        _demand(whole, "value is no class")
    _demand(np.isin(tree.reason, [int(reason) for reason in Reason]), "reason is not a reason")
    _demand((tree.reason == Reason.SPLIT) == ~tree.is_leaf, "reason and first_child disagree about leaves")


def check_split(split: Split, feature: Feature) -> None:
    """Raise ModelFileError if a single split does not fit the column that it asks for."""
    n, codes = split.n_branches, split.category_branch
    by_category = split.kind in BY_CATEGORY
    _demand(not by_category or feature.kind == "nominal", "a split by category needs a nominal column")
    _demand(
        len(codes) == (len(feature.categories) if by_category else 0), "it lists other categories than its column has"
    )
    known = {SplitKind.MULTIWAY: len(codes), SplitKind.GROUPS: n}.get(split.kind, 2)
    _demand(n in (known, known + (split.kind != SplitKind.MISSING)), "it has a wrong number of branches")
    _demand(((codes >= -1) & (codes < known)).all(), "it names a branch that is not there")
    if split.kind == SplitKind.MULTIWAY:
        _demand((codes == np.arange(known)).all(), "a multiway split has a branch per category, in order")
    elif by_category:
        all_named = np.isin(np.arange(known), codes).all()
        _demand(all_named or split.kind == SplitKind.ONE_VS_REST, "a branch has no category")
        _demand(
            (codes == 0).sum() == 1 or split.kind != SplitKind.ONE_VS_REST, "it needs exactly one category in branch 0"
        )
    if split.kind == SplitKind.THRESHOLD:
        _demand(feature.kind in ("numeric", "ordinal") and np.isfinite(split.threshold), "it needs a threshold")
        in_range = 0 <= split.threshold < max(len(feature.categories), 1)
        _demand(feature.kind != "ordinal" or in_range, "its threshold lies outside the categories")
    else:
        _demand(np.isnan(split.threshold), "it has a threshold that it does not ask for")
    _demand((np.isfinite(split.shares) & (split.shares >= 0)).all(), "its shares must be finite and not negative")
