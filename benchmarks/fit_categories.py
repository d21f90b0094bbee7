"""One split of a column of very many categories: the best of 2^999 subsets."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"one split, 1,000 categories, {rows:,} rows, 2 classes", "categories", rows, 1, 2, 1, repeat=repeat)
    for rows, repeat in ((10_000, 20), (100_000, 5))
]

if __name__ == "__main__":
    run(__file__, "Fit: a column of 1,000 categories", WORKLOADS)
