"""Pruning very deep and very large trees: no recursion, and time that grows no faster than it must."""

import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from deciduous import Tree
from deciduous.prune import (
    CriticalValue,
    DescriptionLength,
    ErrorBased,
    MinimumError,
    Pessimistic,
    collapse,
    frontier,
    nested_path,
    node_costs,
    prune_to,
    smallest_optimal,
)
from tests.trees import balanced, chain

SHAPES = {"chain": chain, "balanced": balanced}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pruners_on_a_deep_and_a_flat_tree(shape: str) -> None:
    tree = SHAPES[shape](20_000)
    tree.check()
    for pruner in (Pessimistic(), MinimumError(), CriticalValue(), DescriptionLength(), ErrorBased()):
        pruned = pruner(tree)
        pruned.check()
        assert pruned.n_leaves < tree.n_leaves
    path = nested_path(tree)
    assert path.n_leaves[-1] == 1
    assert (np.diff(path.n_leaves) < 0).all()
    middle = path.subtree(len(path) // 2)
    middle.check()
    assert middle.n_leaves == path.n_leaves[len(path) // 2]
    assert prune_to(tree, 50).n_leaves <= 50


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_every_size_of_a_tree_of_50_000_leaves(shape: str) -> None:
    """All sizes by the dynamic programme: under 10 s and 1 GiB, in a process of its own."""
    code = f"from tests.unit.prune.test_large_trees import every_size; every_size({shape!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, kib = done.stdout.split()
    assert float(seconds) < 10
    assert int(kib) < 2**20


def every_size(shape: str) -> None:
    """Print the seconds that the dynamic programme takes, and the most memory that the process used, in KiB."""
    tree = SHAPES[shape](50_000)
    begin = time.process_time()  # of one thread; the clock on the wall would measure what else runs
    found = frontier(tree)
    seconds = time.process_time() - begin
    assert found.size.tolist() == list(range(1, 50_001))
    leaves = found.leaves(12_344)
    assert len(leaves) == 12_345
    assert node_costs(tree)[leaves].sum() == pytest.approx(found.cost[12_344])
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


@pytest.mark.slow
def test_a_chain_of_a_million_levels() -> None:
    tree = chain(1_000_001)
    path = nested_path(tree, "errors")
    assert path.n_leaves[-1] == 1
    assert smallest_optimal(tree, 1.0, "errors").n_leaves < tree.n_leaves
    assert ErrorBased()(tree).n_leaves < tree.n_leaves
    halfway = 1_000_000  # the node that asks the 500,001st question
    assert leaves_after(tree, halfway) == 500_001


def leaves_after(tree: Tree, node: int) -> int:
    return collapse(tree, np.array([node])).n_leaves
