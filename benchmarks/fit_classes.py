"""Classification of floats: full depth and depth 10, 2 and 5 classes."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"{rows:,} x {columns} floats, {classes} classes, {where}", "floats", rows, columns, classes, depth)
    for rows, columns in ((200_000, 20), (1_000_000, 10))
    for classes in (2, 5)
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: classes from floats", WORKLOADS)
