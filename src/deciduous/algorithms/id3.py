"""ID3 (Quinlan 1986): the feature of largest information gain, a branch for each of its values."""

from deciduous.grow.algorithm import Algorithm

ID3 = Algorithm(
    name="id3",
    task="class",
    criteria=("gain", "gini"),
    criterion="gain",
    nominal="multiway",
    missing="majority",
    threshold="midpoint",
    zero_gain="stop",
)
