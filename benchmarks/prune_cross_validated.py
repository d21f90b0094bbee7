"""Cost-complexity pruning with 10 folds: rpart's trees beside rpart, full trees beside a grid search."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(
        f"100,000 x 20 mixed (10 floats, 10 nominal), 10 % missing, {target}, cp {cp:g}, 10 folds",
        "mixed_missing",
        100_000,
        20,
        classes,
        cp=cp,
        folds=10,
    )
    for target, classes in (("2 classes", 2), ("numbers", 0))
    for cp in (0.01, 0.0005)
]
WORKLOADS.append(
    Workload("10,000 x 10 floats, 2 classes, full trees pruned, 10 folds", "floats", 10_000, 10, 2, folds=10)
)
CONTESTANTS = ("deciduous, 1 thread", "deciduous, 2 threads", "scikit-learn", "rpart")

if __name__ == "__main__":
    run(__file__, "Cross-validated pruning", WORKLOADS, CONTESTANTS)
