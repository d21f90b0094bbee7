"""The choice between columns, in a batch of nodes: ties, limits, the guard, and the verdicts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous.search.choose import Choice, Contest, choose

NONE = -np.inf  # the gain of a column without a candidate
Ratio = tuple[float, float, float]  # gain, gain ratio and split information of one column
OPTIONS = {"ratio": False, "guard": False, "zero_gain": False}


def by_gain(gain: Any, band: Any = 1e-10, min_gain: Any = 0.0, **options: Any) -> Choice:
    """Choose by gain, in one node a line."""
    gain = np.array(gain, dtype=float)
    per_node = (np.broadcast_to(np.asarray(v, dtype=float), len(gain)) for v in (band, min_gain))
    return _choose(gain, gain, np.ones(gain.shape), *per_node, **options)


def by_ratio(columns: list[list[Ratio]], min_gain: float = 0.0, **options: Any) -> Choice:
    """Choose by ratio, in one node a line."""
    gain, score, information = np.array(columns, dtype=float).transpose(2, 0, 1)
    band, least = np.full(len(gain), 1e-10), np.full(len(gain), min_gain)
    return _choose(gain, score, information, band, least, **{"ratio": True} | options)


def _choose(gain: Any, score: Any, information: Any, band: Any, min_gain: Any, **options: Any) -> Choice:
    return choose(gain, score, information, band, Contest(**OPTIONS | options), min_gain)


def verdicts(choice: Choice, node: int, has_candidate: Any) -> list[str | None]:
    """Return the verdicts on the columns of one node, None where there is no candidate."""
    return [choice.verdict(node, j) if known else None for j, known in enumerate(has_candidate)]


# By gain


@pytest.mark.parametrize(
    ("gains", "options", "winner", "expected"),
    [
        ([], {}, -1, []),
        ([NONE, NONE], {}, -1, [None, None]),
        ([NONE, NONE], {"zero_gain": True}, -1, [None, None]),
        ([0.2, NONE, 0.5], {}, 2, ["lower", None, "chosen"]),
        ([0.5, 0.5, 0.2], {}, 0, ["chosen", "tied", "lower"]),
        ([0.5, 0.5 + 1e-11], {}, 0, ["chosen", "tied"]),
        ([0.5, 0.5 + 1e-9], {}, 1, ["lower", "chosen"]),
        ([0.5, 0.5 + 0.8e-10, 0.5 + 1.6e-10], {}, 1, ["lower", "chosen", "tied"]),  # never pairwise
        ([0.5, 0.5, 0.5 + 1e-11], {"band": 0.0}, 2, ["lower", "lower", "chosen"]),
        ([0.5, 0.5, 0.4], {"band": 0.0}, 0, ["chosen", "tied", "lower"]),
        ([0.0, 1e-11], {}, -1, ["no gain", "no gain"]),
        ([0.0, 1e-11], {"zero_gain": True}, 0, ["chosen", "tied"]),
        ([NONE, 0.0, 0.0], {"zero_gain": True}, 1, [None, "chosen", "tied"]),
        ([-1e-17, 0.0], {"zero_gain": True}, 0, ["chosen", "tied"]),  # no gain, but for rounding
        ([0.1, 0.3], {"min_gain": 0.2}, 1, ["no gain", "chosen"]),
        ([0.1, 0.3], {"min_gain": 0.3}, 1, ["no gain", "chosen"]),
        ([0.1, 0.3], {"min_gain": 0.3 + 1e-11}, 1, ["no gain", "chosen"]),
        ([0.1, 0.3], {"min_gain": 0.4}, -1, ["no gain", "no gain"]),
        ([0.0, 0.0], {"min_gain": 0.1, "zero_gain": True}, -1, ["no gain", "no gain"]),
        ([0.1, 0.2, 0.3], {"guard": True}, 2, ["lower", "lower", "chosen"]),  # the guard is for ratios
    ],
)
def test_by_gain(gains: list[float], options: Any, winner: int, expected: list[Any]) -> None:
    choice = by_gain([gains], **options)
    assert choice.winner.tolist() == [winner]
    assert verdicts(choice, 0, np.isfinite(gains)) == expected


def test_a_verdict_for_every_column() -> None:
    choice = by_gain([[0.5, 0.5, 0.2, 0.0, NONE]])
    assert choice.eligible.tolist() == [[True, True, True, False, False]]
    assert choice.tied.tolist() == [[True, True, False, False, False]]
    assert not choice.below.any()


# By ratio


HIGH_RATIO, LOW_RATIO = (0.1, 0.9, 0.1), (0.5, 0.4, 1.2)
NO_INFORMATION, NO_CANDIDATE = (0.0, NONE, 0.0), (NONE, NONE, 0.0)


def plain(gain: float, ratio: float | None = None) -> Ratio:
    return gain, gain if ratio is None else ratio, 1.0


@pytest.mark.parametrize(
    ("columns", "options", "winner", "expected"),
    [
        ([LOW_RATIO, HIGH_RATIO], {}, 1, ["lower", "chosen"]),
        ([LOW_RATIO, HIGH_RATIO], {"guard": True}, 0, ["chosen", "below average gain"]),
        ([LOW_RATIO, LOW_RATIO], {"guard": True}, 0, ["chosen", "tied"]),  # as good as the average is good enough
        ([plain(0.1), plain(0.2), plain(0.3)], {"guard": True}, 2, ["below average gain", "lower", "chosen"]),
        ([plain(0.2, 0.9), plain(0.2 + 1e-10, 0.4)], {"guard": True}, 0, ["chosen", "lower"]),  # but for the band
        ([plain(0.5, 0.4), plain(0.3, 0.4 + 1e-11)], {}, 0, ["chosen", "tied"]),
        ([plain(0.5, 0.4), plain(0.3, 0.4 + 1e-9)], {}, 1, ["lower", "chosen"]),
        ([plain(0.0, 0.0), LOW_RATIO], {"zero_gain": True}, 1, ["no gain", "chosen"]),  # only columns with a gain
        ([plain(0.0, 0.0)], {"zero_gain": True}, -1, ["no gain"]),
        ([LOW_RATIO, HIGH_RATIO], {"min_gain": 0.2}, 0, ["chosen", "no gain"]),  # a limit of the gain, not the ratio
        ([NO_INFORMATION, HIGH_RATIO], {"guard": True}, 1, ["no gain", "chosen"]),  # and takes no part in the average
        ([NO_CANDIDATE, HIGH_RATIO, NO_CANDIDATE], {"guard": True}, 1, [None, "chosen", None]),
        ([NO_CANDIDATE, NO_CANDIDATE], {"guard": True}, -1, [None, None]),
    ],
)
def test_by_ratio(columns: list[Ratio], options: Any, winner: int, expected: list[Any]) -> None:
    choice = by_ratio([columns], **options)
    assert choice.winner.tolist() == [winner]
    assert verdicts(choice, 0, [gain > NONE for gain, *_ in columns]) == expected


def test_ratios_are_tied_within_a_band_of_their_own() -> None:
    columns = [[(0.5, 0.4, 1.2), (0.5, 0.4 + 1e-9, 1.2)]]
    gain, score, information = np.array(columns).transpose(2, 0, 1)
    wide = _choose(gain, score, information, np.array([0.1]), np.zeros(1), ratio=True)
    assert (wide.winner.tolist(), wide.tied.tolist()) == ([1], [[False, True]])


def test_columns_without_gain_count_in_the_average() -> None:
    columns = [plain(0.0, 0.0), plain(0.2, 0.9), plain(0.5, 0.5)]  # on average 0.233
    choice = by_ratio([columns], guard=True)
    assert verdicts(choice, 0, [True] * 3) == ["no gain", "below average gain", "chosen"]


def test_the_guard_leaves_nothing_that_the_limits_allow() -> None:
    choice = by_ratio([[plain(0.5, 0.4), plain(0.1, 0.9)]], guard=True, min_gain=0.6)
    assert choice.winner.tolist() == [-1]


# Several nodes at once


def test_each_node_has_its_own_winner_band_and_limit() -> None:
    gain = [[0.5, 0.5 + 1e-9, 0.1], [0.5, 0.5 + 1e-9, 0.1], [0.5, 0.5 + 1e-9, 0.1], [0.0, 0.0, NONE], [NONE] * 3]
    choice = by_gain(gain, band=[1e-10, 1e-8, 1e-10, 1e-10, 1e-10], min_gain=[0, 0, 0.6, 0, 0])
    assert choice.winner.tolist() == [1, 0, -1, -1, -1]
    assert choice.tied.tolist() == [[False, True, False], [True, True, False], *[[False] * 3] * 3]
    assert [choice.verdict(i, 2) for i in range(3)] == ["lower", "lower", "no gain"]
    assert by_gain(gain, zero_gain=True).winner.tolist() == [1, 1, 1, 0, -1]


def test_each_node_has_its_own_average() -> None:
    choice = by_ratio([[LOW_RATIO, HIGH_RATIO], [NO_CANDIDATE, HIGH_RATIO], [HIGH_RATIO, HIGH_RATIO]], guard=True)
    assert choice.below.tolist() == [[False, True], [False, False], [False, False]]
    assert choice.winner.tolist() == [0, 1, 0]


@pytest.mark.parametrize(("n_nodes", "n_columns"), [(0, 3), (2, 0), (0, 0)])
def test_no_node_or_no_column(n_nodes: int, n_columns: int) -> None:
    empty = np.zeros((n_nodes, n_columns))
    for ratio in (False, True):
        choice = _choose(empty, empty, empty, np.zeros(n_nodes), np.zeros(n_nodes), ratio=ratio, guard=True)
        assert choice.winner.tolist() == [-1] * n_nodes
        assert choice.tied.shape == (n_nodes, n_columns)


CELLS = st.sampled_from(
    [(NONE, 0.0), (0.0, 0.0), *((g, i) for g in (0.0, 1e-11, 0.2, 0.2 + 1e-11, 0.5) for i in (1, 2))]
)


@given(
    cells=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=4),
    min_gain=st.sampled_from([0.0, 0.1]),
    ratio=st.booleans(),
    guard=st.booleans(),
    zero_gain=st.booleans(),
)
def test_a_batch_is_its_nodes_one_by_one(cells: Any, min_gain: float, **options: bool) -> None:
    gain, information = np.array(cells, dtype=float).transpose(2, 0, 1)
    score = gain / np.where(information > 0, information, 1.0) if options["ratio"] else gain
    score = np.where((information > 0) | (not options["ratio"]), score, NONE)
    band, least = np.full(len(gain), 1e-10), np.full(len(gain), min_gain)
    batch = _choose(gain, score, information, band, least, **options)
    for i in range(len(gain)):
        one = slice(i, i + 1)
        alone = _choose(gain[one], score[one], information[one], band[one], least[one], **options)
        assert alone.winner[0] == batch.winner[i]
        known = np.isfinite(gain[i])
        assert verdicts(alone, 0, known) == verdicts(batch, i, known)
        assert (batch.winner[i] >= 0) == ("chosen" in verdicts(batch, i, known))
