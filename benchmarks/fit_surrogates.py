"""rpart's trees: surrogates for a tenth of cells that are missing, down to a complexity."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(
        f"100,000 x 20 mixed (10 floats, 10 nominal), 10 % missing, {target}, cp {cp:g}",
        "mixed_missing",
        100_000,
        20,
        classes,
        cp=cp,
    )
    for target, classes in (("2 classes", 2), ("numbers", 0))
    for cp in (0.01, 0.0005)
]
WORKLOADS.append(
    Workload("100,000 x 1 nominal of 1,000 categories, 2 classes, cp 0.01", "categories", 100_000, 1, 2, cp=0.01)
)
CONTESTANTS = ("deciduous, 1 thread", "deciduous, 2 threads", "rpart")

if __name__ == "__main__":
    run(__file__, "Fit: surrogates, as rpart", WORKLOADS, CONTESTANTS)
