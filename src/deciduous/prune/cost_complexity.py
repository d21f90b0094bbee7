"""Cost-complexity pruning: the weakest link first (Breiman, Friedman, Olshen and Stone 1984, chapter 3).

The cost of a pruned tree T is C_alpha(T) = C(T) + alpha |T|, where C(T) sums the costs of its leaves and |T| counts
them. As alpha grows the smallest optimal subtree T(alpha) shrinks, each inside the one before. With the entropy N_t H_t
of the leaves as C this is the penalised loss of the textbooks (Li Hang 2012, section 5.4).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import Cost, node_costs
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import Ints, least_above, least_cost, slack_of


def smallest_optimal(tree: Tree, alpha: float, cost: Cost = "impurity", leaf_size: Floats | None = None) -> Tree:
    """Return T(alpha), the smallest of the subtrees with the least C(T) + alpha |T|.

    `cost`: see `node_costs`, a sum over rows; with `entropy` this is the textbooks' C_alpha(T) = sum_t N_t H_t(T) +
    alpha |T|. `leaf_size`: what each node counts in |T|, by default 1, empty leaves included.
    """
    costs = node_costs(tree, cost)
    price = costs + alpha * (1.0 if leaf_size is None else leaf_size)
    made_leaf, _ = least_cost(tree, price, slack=slack_of(costs))
    return collapse(tree, made_leaf)


@dataclass(frozen=True, eq=False)
class Links:
    """The weakest links in the order in which they fall: node `node[i]` becomes a leaf at `alpha[i]`.

    `as_leaf`: its cost as a leaf; `added`: how much more that is than the cost of its branch at that moment; `saved`:
    how many leaves fewer it has. alpha = added / saved. Links within `slack` of each other fall together; one that
    would fall with a node above it is not listed.
    """

    tree: Tree
    node: Ints
    alpha: Floats
    as_leaf: Floats
    added: Floats
    saved: Floats
    slack: float

    def together(self) -> Ints:
        """Return for each link the step in which it falls, equal alphas together, from 1.

        Links of alpha 0 or less, which cost nothing to cut, fall in step 0: the path begins with T(0).
        """
        steps, step, begun = [], 0, 0.0
        for alpha in self.alpha.tolist():
            if alpha > begun + self.slack:
                step, begun = step + 1, alpha
            steps.append(step)
        return np.array(steps, dtype=np.int64)

    def one_by_one(self) -> Ints:
        """Return for each link a step of its own, from 1: the steps that scikit-learn lists."""
        return np.arange(1, len(self.node) + 1)


def weakest_links(tree: Tree, costs: Floats, leaf_size: Floats | None = None) -> Links:
    """Return the links in the order in which growing alpha cuts them.

    `costs`: what each node costs as a leaf (`node_costs`). `leaf_size`: what each node counts as a leaf, 1 by default
    (0 for empty leaves leaves these out of |T|).

    The least cost below a node as a function of alpha is concave and piecewise linear, and the line of the node as a
    leaf crosses it once: at its alpha. Breakpoints above it never show, and are dropped; each is stored and dropped
    once, so that all takes n log^2 n steps, for chains and balanced trees alike.
    """
    slack = slack_of(costs)
    size = np.ones(len(tree)) if leaf_size is None else leaf_size
    alphas, saved, added = _falls(tree, costs.tolist(), size.tolist(), slack)
    alphas = np.maximum(alphas, 0.0)  # a node that costs less than its branches falls at once
    fallen = np.flatnonzero(alphas < np.inf)
    order = fallen[np.argsort(alphas[fallen], kind="stable")]
    return Links(tree, order, alphas[order], costs[order], added[order], saved[order], slack)


#: A breakpoint of the least cost below a node: minus its alpha, the node that falls there, and the leaves saved and
#: the cost added by its fall.
Breakpoint = tuple[float, int, float, float]


def _falls(tree: Tree, costs: list[float], size: list[float], slack: float) -> tuple[Floats, Floats, Floats]:
    """Return the alpha at which each node becomes a leaf, the leaves it saves and the cost it adds then.

    The alpha is infinite for leaves and for nodes that fall with another.
    """
    alphas, saves, adds = [np.inf] * len(costs), [0.0] * len(costs), [0.0] * len(costs)
    parents, is_leaf = tree.parent.tolist(), tree.is_leaf.tolist()
    heaps: list[list[Breakpoint] | None] = [None] * len(costs)  # the breakpoints below, the largest alpha first
    cost, leaves = [0.0] * len(costs), [0.0] * len(costs)  # of the branches, beyond their last breakpoint
    for node in range(len(costs) - 1, -1, -1):
        if is_leaf[node]:
            cost[node], leaves[node] = costs[node], size[node]
        else:
            heap = heaps[node] or []
            alpha, saved, added = _crossing(costs[node], size[node], cost[node], leaves[node], heap, alphas, slack)
            alphas[node], saves[node], adds[node] = alpha, saved, added
            heaps[node] = heap
            if alpha < np.inf:
                heapq.heappush(heap, (-alpha, node, saved, added))
                cost[node], leaves[node] = costs[node], size[node]
        if node:
            parent = parents[node]
            cost[parent] += cost[node]
            leaves[parent] += leaves[node]
            heaps[parent] = _joined(heaps[parent], heaps[node])
            heaps[node] = None
    return np.array(alphas), np.array(saves), np.array(adds)


def _crossing(
    own: float, size: float, cost: float, leaves: float, heap: list[Breakpoint], alphas: list[float], slack: float
) -> tuple[float, float, float]:
    """Return where the node as a leaf becomes as cheap as its branches, and the leaves saved and cost added there.

    Breakpoints at or above that alpha are dropped from the heap, and the nodes that fell there never fall.
    """
    while True:
        saved, added = leaves - size, own - cost
        # With one leaf that counts alpha does not decide.
        alpha = added / saved if saved > 0 else -np.inf if added <= slack else np.inf
        if not heap or -heap[0][0] < alpha - slack or alpha == np.inf:
            return alpha, saved, added
        _, node, back, less = heapq.heappop(heap)
        alphas[node] = np.inf
        leaves, cost = leaves + back, cost - less


def _joined(one: list[Breakpoint] | None, other: list[Breakpoint] | None) -> list[Breakpoint] | None:
    """Put the smaller heap into the larger."""
    if not one or not other:
        return one or other
    if len(one) < len(other):
        one, other = other, one
    for item in other:
        heapq.heappush(one, item)
    return one


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """When each node is a leaf of the nested subtrees: from step `begin[i]` up to, not including, `end[i]`."""

    begin: Ints
    end: Ints
    n_steps: int

    @staticmethod
    def of(links: Links, steps: Ints) -> Lifetimes:
        """Return the lifetimes where link i falls in step `steps[i]`; step 0 is the tree before the first step."""
        n_steps = int(steps.max(initial=0)) + 1
        begin = np.where(links.tree.is_leaf, 0, n_steps)
        begin[links.node] = steps
        falls = np.where(links.tree.is_leaf, n_steps, begin)
        return Lifetimes(begin, least_above(links.tree, falls, n_steps).astype(np.int64), n_steps)

    def totals(self, values: Floats) -> Floats:
        """Return the sum of `values` over the leaves of the subtree of each step, shape (steps,)."""
        lives = self.begin < self.end
        begun, ended = (
            np.bincount(when[lives], weights=values[lives], minlength=self.n_steps + 1)
            for when in (self.begin, self.end)
        )
        sums: Floats = np.cumsum(begun - ended)[: self.n_steps]
        return sums

    def totals_of_inner(self, values: Floats) -> Floats:
        """Return the sum of `values` over the inner nodes of the subtree of each step, shape (steps,)."""
        ends = np.bincount(np.minimum(self.begin, self.end), weights=values, minlength=self.n_steps + 1)
        sums: Floats = values.sum() - np.cumsum(ends)[: self.n_steps]
        return sums

    def leaves(self, step: int) -> Ints:
        """Return the nodes that are leaves in a step."""
        return np.flatnonzero((self.begin <= step) & (step < self.end))
