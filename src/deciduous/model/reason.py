"""Why a node is a leaf."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """Why a node is a leaf."""

    SPLIT = 0
    PURE = 1
    MAX_DEPTH = 2
    MIN_SAMPLES_SPLIT = 3
    MIN_IMPURITY = 4
    NO_CANDIDATE = 5
    NO_GAIN = 6
    MIN_IMPURITY_DECREASE = 7
    MAX_LEAF_NODES = 8
    EMPTY = 9
    PRUNED = 10
    RAISED = 11
    COMPLEXITY = 12


#: The reasons in words, to be read after "a leaf because".
REASON_TEXT: dict[Reason, str] = {
    Reason.SPLIT: "it is split",
    Reason.PURE: "all its rows have the same target",
    Reason.MAX_DEPTH: "the depth limit is reached (max_depth)",
    Reason.MIN_SAMPLES_SPLIT: "it has too few rows to be split (min_samples_split)",
    Reason.MIN_IMPURITY: "it is pure enough (min_impurity)",
    Reason.NO_CANDIDATE: "no column can divide its rows within the limits",
    Reason.NO_GAIN: "no split gains enough",
    Reason.MIN_IMPURITY_DECREASE: "no split lowers the impurity enough (min_impurity_decrease)",
    Reason.MAX_LEAF_NODES: "the limit of leaves is reached (max_leaf_nodes)",
    Reason.EMPTY: "no training row has this answer: it answers as its parent does",
    Reason.PRUNED: "what was below it is pruned",
    Reason.RAISED: "it was raised with the branch that it is in, and stayed one with the rows that came to it",
    Reason.COMPLEXITY: "no split below it could lower the risk enough (cp)",
}
