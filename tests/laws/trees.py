"""What it means for two trees to be the same."""

from collections.abc import Collection

import numpy as np

from deciduous.model.tree import Tree

STRUCTURE = (
    "parent",
    "first_child",
    "n_branches",
    "feature",
    "kind",
    "threshold",
    "category_start",
    "category_branch",
    "class_start",
    "class_code",
    "n_samples",
    "answers_from",
    "reason",
    "exact",
)
STATISTICS = ("weight", "class_weight", "share", "value")
WITHIN = 1e-12


def same_structure(one: Tree, other: Tree, skip: Collection[str] = ()) -> None:
    """The same questions with the same answers, bit by bit, the same rows and reasons; weights and means may differ."""
    for name in STRUCTURE:
        if name not in skip:
            assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "threshold"), name


def same_tree(one: Tree, other: Tree, skip: Collection[str] = ()) -> None:
    """The same structure; and the same statistics, up to the rounding of sums in another order."""
    same_structure(one, other, skip)
    for name in STATISTICS:
        if name not in skip:
            assert np.allclose(getattr(one, name), getattr(other, name), rtol=WITHIN, atol=0), name
    scale = 1.0 if one.task == "class" else one.impurity.max()
    assert np.allclose(one.impurity, other.impurity, rtol=WITHIN, atol=WITHIN * scale)
    assert np.allclose(one.gain, other.gain, rtol=WITHIN, atol=WITHIN * scale, equal_nan=True)
