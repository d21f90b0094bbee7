"""The layout: no overlap, parents in the middle, mirror images, depth without recursion, linear time."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous.draw.layout import Layout, layout_of


def random_parents(rng: random.Random, n: int) -> list[int]:
    """Parents of a random tree, each before its children, listed depth first."""
    children: list[list[int]] = [[]]
    for i in range(1, n):
        children.append([])
        children[rng.randrange(i) if rng.random() < 0.5 else max(0, i - rng.randint(1, 3))].append(i)
    parent, place, stack = [], {}, [(0, -1)]
    while stack:
        node, above = stack.pop()
        place[node] = len(parent)
        parent.append(above)
        stack.extend((child, place[node]) for child in reversed(children[node]))
    return parent


def least_gap(layout: Layout, size: list[float]) -> float:
    """The least distance between neighbours on a level."""
    order = np.lexsort((layout.breadth, layout.level))
    half, at, level = np.array(size)[order] / 2, layout.breadth[order], layout.level[order]
    gaps = (at - half)[1:] - (at + half)[:-1]
    return float(gaps[level[1:] == level[:-1]].min(initial=np.inf))


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_boxes_keep_their_gap_and_parents_stand_in_the_middle(seed: int, n: int) -> None:
    rng = random.Random(seed)
    parent = random_parents(rng, n)
    size = [rng.uniform(1, 50) for _ in parent]
    layout = layout_of(parent, size, 5.0, 9.0)
    assert least_gap(layout, size) >= 5.0 - 1e-9
    half = np.array(size) / 2
    assert (layout.breadth - half).min() == pytest.approx(0.0)
    assert (layout.breadth + half).max() == pytest.approx(layout.extent)
    for i in range(n):
        below = [j for j in range(n) if parent[j] == i]
        if below:
            middle = (layout.breadth[below[0]] + layout.breadth[below[-1]]) / 2
            assert layout.breadth[i] == pytest.approx(middle)
            assert (np.diff(layout.breadth[below]) > 0).all()


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_cousins_keep_the_wider_gap(seed: int, n: int) -> None:
    rng = random.Random(seed)
    parent = random_parents(rng, n)
    size = [rng.uniform(1, 50) for _ in parent]
    layout = layout_of(parent, size, 5.0, 40.0)
    for i, j in itertools.combinations(range(n), 2):
        if layout.level[i] == layout.level[j] and parent[i] != parent[j]:
            distance = layout.breadth[j] - layout.breadth[i] - (size[i] + size[j]) / 2
            assert distance >= 40.0 - 1e-9


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_the_mirror_image_of_a_tree_is_drawn_as_the_mirror_image(seed: int, n: int) -> None:
    rng = random.Random(seed)
    children: list[list[int]] = [[] for _ in range(n)]
    for i in range(1, n):
        children[rng.randrange(i)].append(i)
    sizes = [rng.uniform(1, 50) for _ in range(n)]

    def listed(step: int) -> tuple[list[int], list[int]]:
        order, parent, stack = [], [], [(0, -1)]
        while stack:
            node, above = stack.pop()
            here = len(order)
            order.append(node)
            parent.append(above)
            stack.extend((child, here) for child in children[node][::-step])
        return order, parent

    (order, parent), (other, mirrored_parent) = listed(1), listed(-1)
    plain = layout_of(parent, [sizes[i] for i in order], 5.0)
    mirrored = layout_of(mirrored_parent, [sizes[i] for i in other], 5.0)
    at = dict(zip(order, plain.breadth, strict=True))
    back = dict(zip(other, plain.extent - mirrored.breadth, strict=True))
    assert plain.extent == pytest.approx(mirrored.extent)
    assert [at[i] for i in range(n)] == pytest.approx([back[i] for i in range(n)])


def test_a_full_binary_tree_is_as_broad_as_its_leaves() -> None:
    parent = [-1, 0, 1, 1, 0, 4, 4]
    layout = layout_of(parent, [10.0] * 7, 2.0)
    assert layout.extent == pytest.approx(4 * 10 + 3 * 2)
    assert layout.breadth.tolist() == pytest.approx([23, 11, 5, 17, 35, 29, 41])


def test_a_small_subtree_slides_under_a_broad_neighbour() -> None:
    """A leaf beside a deep brother takes no room below."""
    parent = [-1, 0, 0, 2, 3, 3]  # the root, a leaf, and a chain that ends in two leaves
    layout = layout_of(parent, [10.0] * 6, 2.0)
    assert layout.breadth[4] < layout.breadth[1] + 12
    assert layout.extent < 4 * 12


@pytest.mark.parametrize("n", [30_000])
def test_a_chain_needs_no_recursion_and_linear_time(n: int) -> None:
    parent = [-1, 0, 0]
    while len(parent) < n:
        parent += [len(parent) - 1] * 2
    layout = layout_of(parent, [1.0] * len(parent), 1.0)
    assert least_gap(layout, [1.0] * len(parent)) >= 1.0 - 1e-6
