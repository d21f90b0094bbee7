"""Pruners against the enumeration of every pruned subtree, on random trees with random whole costs (so that ties are
the rule and all sums exact) and with the trees' own costs.
"""

import itertools
import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from deciduous import Tree
from deciduous.prune.cost_complexity import Lifetimes, smallest_optimal, weakest_links
from deciduous.prune.costs import node_costs
from deciduous.prune.optimal import frontier, prune_to
from deciduous.prune.subtree import collapse
from deciduous.prune.walk import least_cost
from tests.strategies import ESTIMATORS, Small, fit, task_of

#: Larger trees have too many subtrees to enumerate.
MOST_SUBTREES = 3000
N_TREES = 2000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 100

Subtree = tuple[int, ...]  # its leaves, as nodes of the full tree, in increasing order


def subtrees(tree: Tree) -> list[Subtree]:
    """Return every pruned subtree, the full tree and the root alone included; [] if there are too many."""
    below: dict[int, list[Subtree]] = {}
    for node in reversed(range(len(tree))):
        below[node] = [(node,)]
        if not tree.is_leaf[node]:
            children = [below.pop(child.index) for child in tree.node(node).children]
            if np.prod([len(choices) for choices in children], dtype=float) > MOST_SUBTREES:
                return []
            below[node] += [tuple(sorted(itertools.chain(*parts))) for parts in itertools.product(*children)]
    return below[0]


def random_tree(seed: int) -> Tree:
    """Return a small tree that was grown on random cells: multiway or binary, weighted or not, with missing cells."""
    random = np.random.default_rng(seed)
    n, n_columns = int(random.integers(4, 14)), int(random.integers(1, 4))
    columns = tuple("numeric" if random.random() < 0.4 else int(random.integers(2, 4)) for _ in range(n_columns))
    cells = tuple(
        tuple(None if random.random() < 0.1 else int(random.integers(0, 4 if c == "numeric" else c)) for _ in range(n))
        for c in columns
    )
    weights = tuple(Fraction(int(q), 4) for q in random.integers(1, 12, n)) if random.random() < 0.5 else None
    levels = tuple(0 if c == "numeric" else int(c) for c in columns)
    y = tuple(int(v) for v in random.integers(0, 3, n))
    estimator = ESTIMATORS[int(random.integers(len(ESTIMATORS)))]
    nominal = str(random.choice(["multiway", "subset", "one_vs_rest"]))
    options = {"zero_gain": "split", "nominal": nominal}
    return fit(estimator, Small(columns, cells, levels, y, weights), **options).tree_


@cache
def grown_from(seed: int) -> tuple[Tree, list[Subtree]]:
    """Return a random tree with all its subtrees, if there are not too many; every test looks at the same trees."""
    tree = random_tree(seed)
    return tree, subtrees(tree)


def grown(n_trees: int = N_TREES) -> Iterator[tuple[Tree, list[Subtree], np.random.Generator]]:
    """Yield random trees with a question at least, with all their subtrees."""
    seeds = itertools.count()
    found = 0
    while found < n_trees:
        seed = next(seeds)
        tree, every = grown_from(seed)
        if len(every) > 1:
            found += 1
            yield tree, every, np.random.default_rng(seed)


def total(costs: np.ndarray, subtree: Subtree) -> float:
    return float(sum(costs[node] for node in subtree))


def least_by_size(costs: np.ndarray, every: list[Subtree]) -> dict[int, float]:
    """Return the least cost of a subtree for every number of leaves that one has."""
    least: dict[int, float] = {}
    node_cost = costs.tolist()
    for subtree in every:
        cost = sum([node_cost[node] for node in subtree])
        least[len(subtree)] = min(least.get(len(subtree), np.inf), cost)
    return least


def leaves_of(tree: Tree, pruned: Tree) -> Subtree:
    """Return the leaves of a pruned tree as nodes of the full one, found by walking both."""
    found, pairs = [], [(0, 0)]
    while pairs:
        full, other = pairs.pop()
        if pruned.is_leaf[other]:
            found.append(full)
            continue
        assert pruned.n_branches[other] == tree.n_branches[full]
        first, mine = int(tree.first_child[full]), int(pruned.first_child[other])
        pairs += [(first + b, mine + b) for b in range(int(tree.n_branches[full]))]
    return tuple(sorted(found))


def random_costs(tree: Tree, random: np.random.Generator) -> np.ndarray:
    """Whole costs of nodes; half of the time no inner node costs less than its branches, as with training errors."""
    costs = random.integers(0, 6, len(tree)).astype(float)
    if random.random() < 0.5:
        for node in reversed(range(len(tree))):
            if not tree.is_leaf[node]:
                costs[node] = costs[[c.index for c in tree.node(node).children]].sum() + random.integers(0, 3)
    return costs


def test_best_subtree_of_every_size() -> None:
    """Bohanec and Bratko's dynamic programme finds the least cost for every number of leaves that there is."""
    sizes = 0
    for tree, every, random in grown():
        costs = random_costs(tree, random)
        found = frontier(tree, costs)
        least = least_by_size(costs, every)
        assert dict(zip(found.size.tolist(), found.cost.tolist(), strict=True)) == least
        for place, size in enumerate(found.size):
            leaves = tuple(found.leaves(place).tolist())
            assert leaves in every
            assert len(leaves) == size
            assert total(costs, leaves) == found.cost[place]
        sizes += len(least)
    assert sizes > 3 * N_TREES


def test_at_most_so_many_leaves() -> None:
    """prune_to gives the least cost of at most n leaves, by the fewest leaves that reach it."""
    for tree, every, random in grown(N_TREES // 4):
        costs = random_costs(tree, random)
        for n in range(1, tree.n_leaves + 2):
            within = [s for s in every if len(s) <= n]
            least = min(total(costs, s) for s in within)
            fewest = min(len(s) for s in within if total(costs, s) == least)
            pruned = prune_to(tree, n, costs)
            pruned.check()
            leaves = leaves_of(tree, pruned)
            assert (len(leaves), total(costs, leaves)) == (fewest, least)


def test_smallest_optimal_subtree_at_every_alpha() -> None:
    """The nested path holds, at every critical alpha and between any two, the smallest of all optimal subtrees."""
    steps = 0
    for tree, every, random in grown():
        costs = random_costs(tree, random)
        links = weakest_links(tree, costs)
        falls = links.together()
        lifetimes = Lifetimes.of(links, falls)
        begins = [0.0] + [float(links.alpha[falls == k].min()) for k in range(1, lifetimes.n_steps)]
        critical = {Fraction(0)}
        for one, other in itertools.combinations({(len(s), total(costs, s)) for s in every}, 2):
            if one[0] != other[0]:
                critical.add(max(Fraction(0), Fraction(int(one[1] - other[1]), other[0] - one[0])))
        alphas = sorted(critical)
        for alpha in [*alphas, *((a + b) / 2 for a, b in itertools.pairwise(alphas)), alphas[-1] + 1]:
            prices = {s: Fraction(total(costs, s)) + alpha * len(s) for s in every}
            least = min(prices.values())
            fewest = min(len(s) for s, price in prices.items() if price == least)
            smallest = [s for s, price in prices.items() if price == least and len(s) == fewest]
            assert len(smallest) == 1  # Breiman et al. 1984, theorem 3.8
            step = int(np.searchsorted(begins, float(alpha) + 1e-12, side="right")) - 1
            assert tuple(lifetimes.leaves(step).tolist()) == smallest[0]
            assert leaves_of(tree, smallest_optimal(tree, float(alpha), costs)) == smallest[0]
            made_leaf, cost = least_cost(tree, costs + float(alpha), slack=1e-9)
            assert leaves_of(tree, collapse(tree, made_leaf)) == smallest[0]
            assert cost[0] == pytest.approx(float(least), abs=1e-9)
        for step in range(lifetimes.n_steps):
            leaves = lifetimes.leaves(step)
            assert lifetimes.totals(costs)[step] == costs[leaves].sum()
            assert lifetimes.totals(np.ones(len(tree)))[step] == len(leaves)
        steps += lifetimes.n_steps
    assert steps > 1.5 * N_TREES


def test_own_costs() -> None:
    """With the trees' own costs, sums of Gini, entropy or squared errors, to rounding."""
    for tree, every, _ in grown():
        for cost in ("impurity", *(("squared_error",) if tree.task == "number" else ("errors", "gini", "entropy"))):
            costs = node_costs(tree, cost)
            found, least = frontier(tree, cost), least_by_size(costs, every)
            assert found.size.tolist() == sorted(least)
            np.testing.assert_allclose(found.cost, [least[n] for n in sorted(least)], atol=1e-9)
        for n in (1, 2, 3):
            pruned = prune_to(tree, n)
            pruned.check()
            assert pruned.n_leaves <= n


def test_the_trees_are_of_many_kinds() -> None:
    """The random trees have several branches, empty branches, weights, and both tasks."""
    kinds = [
        (t.task, t.weighted, bool((t.n_branches > 2).any()), bool((t.n_samples == 0).any())) for t, _, _ in grown(100)
    ]
    assert {task_of(e) for e in ESTIMATORS} == {kind[0] for kind in kinds}
    for flag in (1, 2, 3):
        assert {kind[flag] for kind in kinds} == {True, False}
