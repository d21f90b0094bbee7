"""C4.5 (Quinlan 1993): the largest gain ratio among features of at least average gain; numbers, and missing cells in
parts.
"""

from deciduous.grow.algorithm import Algorithm

C45 = Algorithm(
    name="c45",
    task="class",
    criteria=("gain_ratio", "gain"),
    criterion="gain_ratio",
    nominal="multiway",
    missing="fractional",
    threshold="data",
    guard=True,
    zero_gain="stop",
    min_cases=2.0,
    mdl_correction=True,
    collapse=True,
    pruning="error",
    subtree_raising=True,
)
