"""How the cost grows with columns."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"50,000 x {columns} floats, 2 classes, full depth", "floats", 50_000, columns, 2)
    for columns in (5, 20, 80, 320)
]

if __name__ == "__main__":
    run(__file__, "Growth of the cost with columns", WORKLOADS)
