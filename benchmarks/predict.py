"""Prediction of many rows."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(
        f"predict 1,000,000 x 20 floats, tree of 200,000 rows, {classes or 'no'} classes, {where}",
        "floats",
        rows=200_000,
        columns=20,
        classes=classes,
        depth=depth,
        task="predict",
        queries=1_000_000,
    )
    for classes in (2, 0)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Predict", WORKLOADS)
