"""What passes between the grower and a source of rows."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from deciduous.grow.nodes import BestFound, Nodes
from deciduous.kernels import SplitKind
from deciduous.search.contingency import Found

ARRAYS = [f.name for f in fields(Nodes) if f.name not in ("handles", "inherited", "risk")]


def nodes(n: int) -> Nodes:
    """Return a batch of which every number says which node it belongs to."""
    at = np.arange(n)
    return Nodes(
        rows=at + 10,
        weight=at + 0.5,
        statistics=np.stack([at, at + 0.5], axis=1).astype(float),
        impurity=at / 8,
        scaled_impurity=at / 4,
        pure=at % 2 == 0,
        centre=-at.astype(float),
        scale=2.0**at,
        handles=[f"rows of {i}" for i in range(n)],
    )


@pytest.mark.parametrize(
    ("which", "taken"),
    [
        (np.array([True, False, True, True]), [0, 2, 3]),
        (np.array([False] * 4), []),
        (np.array([True] * 4), [0, 1, 2, 3]),
        (np.array([3, 0]), [3, 0]),
        (np.zeros(0, dtype=np.int64), []),
    ],
    ids=["some", "none", "all", "by number", "no number"],
)
def test_some_nodes_of_a_batch(which: Any, taken: list[int]) -> None:
    batch = nodes(4)
    some = batch.take(which)
    assert len(some) == len(taken)
    assert some.handles is None  # a source gives new ones, when it opens the nodes
    for name in ARRAYS:
        before, after = getattr(batch, name), getattr(some, name)
        assert after.dtype == before.dtype
        assert after.tolist() == [before[i].tolist() for i in taken]
    assert some.statistics.shape == (len(taken), 2)
    assert not any(np.shares_memory(getattr(some, name), getattr(batch, name)) for name in ARRAYS)


def test_a_batch_has_as_many_nodes_as_its_arrays_elements() -> None:
    assert [len(nodes(n)) for n in (0, 1, 5)] == [0, 1, 5]
    assert nodes(2).handles == ["rows of 0", "rows of 1"]


# The best splits


def found(gain: float, score: float | None = None, information: float = 1.0) -> Found:
    return Found(SplitKind.MULTIWAY, [1.0, 1.0], None, gain, gain if score is None else score, information)


def test_the_best_splits_as_arrays() -> None:
    results = [
        [found(0.5), "constant", found(0.25, 0.5, 0.5)],
        ["no known cell", "limits", found(0.0, -np.inf, 0.0)],
    ]
    best = BestFound(results, [0, 1, 2])  # type: ignore[arg-type]
    assert best.gain.tolist() == [[0.5, -np.inf, 0.25], [-np.inf, -np.inf, 0.0]]
    assert best.score.tolist() == [[0.5, -np.inf, 0.5], [-np.inf, -np.inf, -np.inf]]
    assert best.information.tolist() == [[1.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert all(best.found(i, j) is results[i][j] for i in range(2) for j in range(3))


@pytest.mark.parametrize(("results", "shape"), [([], (0, 3)), ([[], []], (2, 0)), ([["limits"] * 3], (1, 3))])
def test_nothing_found(results: Any, shape: tuple[int, int]) -> None:
    best = BestFound(results, range(shape[1]))
    assert best.gain.shape == best.score.shape == best.information.shape == shape
    assert not np.isfinite(best.gain).any()
    assert not np.isfinite(best.score).any()
    assert not best.information.any()
