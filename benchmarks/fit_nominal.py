"""Nominal columns: subsets of categories."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"200,000 x 10 nominal (5 to 50 categories), 2 classes, {where}", "nominal", 200_000, 10, 2, depth)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: nominal columns", WORKLOADS)
