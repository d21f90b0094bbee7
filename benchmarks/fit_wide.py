"""Many columns."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"50,000 x 200 floats, 2 classes, {where}", "floats", 50_000, 200, 2, depth)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: wide tables", WORKLOADS)
