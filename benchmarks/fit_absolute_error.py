"""Regression by least absolute error."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"20,000 x 10 floats, numbers, {where}", "floats", 20_000, 10, 0, depth, "absolute_error")
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: numbers from floats (absolute error)", WORKLOADS)
