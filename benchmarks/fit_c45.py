"""C4.5 as a whole: a tenth of the cells missing, rows in parts, trees pruned by their estimated errors."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(
        f"{rows:,} x 10 mixed (5 floats, 5 nominal), 10 % missing, {classes} classes, pruned",
        "mixed_missing",
        rows,
        10,
        classes,
        criterion="gain_ratio",
        pruned=True,
    )
    for rows, classes in ((20_000, 2), (200_000, 2), (200_000, 5))
]
CONTESTANTS = ("deciduous, 1 thread", "deciduous, 2 threads", "c50py", "weka J48")

if __name__ == "__main__":
    run(__file__, "Fit: C4.5 with missing cells, pruned", WORKLOADS, CONTESTANTS)
