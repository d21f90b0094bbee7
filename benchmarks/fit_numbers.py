"""Regression on floats."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"200,000 x 20 floats, numbers, {where}", "floats", 200_000, 20, 0, depth)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: numbers from floats (squared error)", WORKLOADS)
