"""The best subtree for every number of leaves at once, by dynamic programming.

Bohanec and Bratko (1994), "Trading accuracy for simplicity in decision trees"; Almuallim (1996), "An efficient
algorithm for optimal pruning of decision trees". The subtrees of two sizes need not be nested, and their costs need
not lie on a convex curve: cost-complexity pruning finds only those on its lower hull.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from deciduous.errors import OptionError
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import Cost, node_costs
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import Ints, slack_of

#: With at most so many sizes on the lighter side, the best division is stored, in a byte a size; else the two sides.
SHORT = 16
#: If the heavier side has at most so many sizes too, all sums are looked at in one table.
FEW = 64


@dataclass(frozen=True, eq=False)
class Frontier:
    """The least cost for every number of leaves, and the subtrees that reach it.

    `size`: the numbers of leaves that some pruned subtree has, increasing; `cost`: the least cost of a subtree with
    exactly so many leaves. Trees with several branches a question do not have every number.
    """

    tree: Tree
    size: Ints
    cost: Floats
    slack: float
    _merges: dict[int, list[_Merge]]

    def at_most(self, n_leaves: int) -> int:
        """Return the place of the best subtree of at most so many leaves, the smallest of equally good ones."""
        within = int(np.searchsorted(self.size, n_leaves, side="right"))
        if not within:
            raise OptionError(f"n_leaves={n_leaves!r} must be at least 1.")
        costs = self.cost[:within]
        return int(np.argmax(costs <= costs.min() + self.slack))

    def subtree(self, place: int) -> Tree:
        """Return the subtree with `size[place]` leaves and cost `cost[place]`."""
        return collapse(self.tree, self.leaves(place))

    def leaves(self, place: int) -> Ints:
        """Return the nodes that are leaves of that subtree."""
        return self.nodes(place)[0]

    def nodes(self, place: int) -> tuple[Ints, Ints]:
        """Return the nodes that are leaves of that subtree, and those that ask, each in increasing order."""
        is_leaf, first, branches = self._structure
        leaves: list[int] = []
        asking: list[int] = []
        stack = [(0, int(self.size[place]))]
        while stack:
            node, size = stack.pop()
            if size == 1 or is_leaf[node]:
                leaves.append(node)
                continue
            asking.append(node)
            stack.extend((child, taken) for child, taken in self.divided(node, size) if not is_leaf[child])
            leaves += [child for child in range(first[node], first[node] + branches[node]) if is_leaf[child]]
        return np.array(sorted(leaves), dtype=np.int64), np.array(sorted(asking), dtype=np.int64)

    def divided(self, node: int, size: int) -> list[tuple[int, int]]:
        """Return how the leaves of the best subtree of a size below an inner node are divided among its branches: the
        children, in order, each with its number of leaves.
        """
        is_leaf, first, branches = self._structure
        children = range(first[node], first[node] + branches[node])
        taken = {child: 1 for child in children if is_leaf[child]}
        size -= len(taken)
        for merge in reversed(self._merges[node]):
            taken[merge.child] = merge.taken(size)
            size -= taken[merge.child]
        return [(child, taken[child]) for child in children]

    @cached_property
    def _structure(self) -> tuple[list[bool], list[int], list[int]]:
        return self.tree.is_leaf.tolist(), self.tree.first_child.tolist(), self.tree.n_branches.tolist()


@dataclass(frozen=True, eq=False)
class _Merge:
    """How leaves are divided between a child and its siblings before it: `taken(size)` of them go to the child.

    The first takes all. Else the division is stored as the number that goes to the lighter side, or found again from
    the costs of both sides by size.
    """

    child: int
    to_lighter: NDArray[np.uint8] | None = None
    child_is_lighter: bool = True
    before: Floats | None = None
    own: Floats | None = None

    def taken(self, size: int) -> int:
        if self.to_lighter is not None:
            lighter = int(self.to_lighter[size])
            return lighter if self.child_is_lighter else size - lighter
        if self.before is None or self.own is None:
            return size
        least = max(0, size - len(self.before) + 1)
        own = np.arange(least, min(size, len(self.own) - 1) + 1)
        return least + int(np.argmin(self.own[own] + self.before[size - own]))


def frontier(tree: Tree, cost: Cost = "impurity", most_leaves: int | None = None) -> Frontier:
    """Return the best subtree for every number of leaves.

    `cost`: see `node_costs`; `most_leaves`: look at no larger subtrees, which saves time. For n leaves the work grows
    as n^2 (n * most_leaves with a limit), for every shape of tree.
    """
    costs = node_costs(tree, cost)
    most = tree.n_leaves if most_leaves is None else most_leaves
    if not isinstance(most, Integral) or most < 1:
        raise OptionError(f"most_leaves={most_leaves!r} must be a whole number of at least 1.")
    best, merges = _best(tree, costs.tolist(), most)
    size = np.flatnonzero(np.isfinite(best))
    return Frontier(tree, size, best[size], slack_of(costs), merges)


def prune_to(tree: Tree, n_leaves: int, cost: Cost = "impurity") -> Tree:
    """Return the best subtree of at most `n_leaves` leaves, the smallest of equally good ones.

    By default the cost is the training impurity in the tree's own criterion; see `node_costs` for others.
    """
    found = frontier(tree, cost, n_leaves)
    return found.subtree(found.at_most(n_leaves))


def _best(tree: Tree, costs: list[float], most: int) -> tuple[Floats, dict[int, list[_Merge]]]:
    """Return the least costs of the root by number of leaves (infinite where there is none), and the merges."""
    first, branches = tree.first_child.tolist(), tree.n_branches.tolist()
    best: dict[int, Floats] = {}  # of the inner nodes whose parent is still to come
    merges: dict[int, list[_Merge]] = {}
    for node in range(len(costs) - 1, -1, -1):
        if first[node] < 0:
            continue
        children = range(first[node], first[node] + branches[node])
        ends = [costs[child] for child in children if first[child] < 0]
        total = None
        merges[node] = []
        for child in children:
            if first[child] >= 0:
                total, merge = _sum(total, best.pop(child), child, most)
                merges[node].append(merge)
        best[node] = _with_leaves(total, len(ends), sum(ends), most)
        best[node][1] = costs[node]
    return best.get(0, np.array([np.inf, costs[0]])), merges


def _with_leaves(costs: Floats | None, n: int, cost: float, most: int) -> Floats:
    """Return costs by size with n more leaves that cost so much together."""
    costs = np.zeros(1) if costs is None else costs
    shifted = np.empty(max(min(len(costs) + n, most + 1), 2))
    shifted[: min(n, len(shifted))] = np.inf
    shifted[len(costs) + n :] = np.inf
    np.add(costs[: max(len(shifted) - n, 0)], cost, out=shifted[n : n + len(costs)])
    return shifted


def _sum(before: Floats | None, own: Floats, child: int, most: int) -> tuple[Floats, _Merge]:
    """Return the least of `before[i] + own[j]` for every i + j."""
    if before is None:
        return own, _Merge(child)
    light, heavy = (own, before) if len(own) <= len(before) else (before, own)
    n = min(len(before) + len(own) - 1, most + 1)
    if len(light) > SHORT:
        return _least_sums(light, heavy, n)[0], _Merge(child, before=before, own=own)
    costs, to_lighter = (_least_sums if len(heavy) > FEW else _least_of_table)(light, heavy, n)
    return costs, _Merge(child, to_lighter.astype(np.uint8), light is own)


def _least_of_table(light: Floats, heavy: Floats, n: int) -> tuple[Floats, NDArray[Any]]:
    """Return the least of `light[i] + heavy[j]` for i + j = 0 .. n - 1, and the first i of each, from all the sums."""
    width = len(light)
    padded = np.full(n + 2 * width, np.inf)
    padded[width : width + min(len(heavy), n)] = heavy[:n]
    table = as_strided(padded[width:], (n, width), (8, -8)) + light  # heavy[s - i] + light[i] in line s, column i
    first = table.argmin(axis=1)
    return table[np.arange(n), first], first


def _least_sums(light: Floats, heavy: Floats, n: int) -> tuple[Floats, NDArray[Any]]:
    """Return the same, one element of `light` after the other; without the places if `light` is not short."""
    costs = np.full(n, np.inf)
    first = np.zeros(n if len(light) <= SHORT else 0, dtype=np.uint8)
    room = np.empty(len(heavy))
    for i in np.flatnonzero(np.isfinite(light)).tolist():
        part = costs[i : i + len(heavy)]
        sums = np.add(heavy[: len(part)], light[i], out=room[: len(part)])
        if len(first):
            first[i : i + len(heavy)][sums < part] = i
        np.minimum(part, sums, out=part)
    return costs, first
