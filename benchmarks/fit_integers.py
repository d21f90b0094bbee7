"""Few distinct values: whole numbers 0 to 255."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"200,000 x 20 integers (0 to 255), 2 classes, {where}", "integers", 200_000, 20, 2, depth)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: few distinct values", WORKLOADS)
