"""How the cost grows with rows."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"{rows:,} x 10 floats, 2 classes, full depth", "floats", rows, 10, 2)
    for rows in (10_000, 100_000, 1_000_000, 5_000_000)
]

if __name__ == "__main__":
    run(__file__, "Growth of the cost with rows", WORKLOADS)
