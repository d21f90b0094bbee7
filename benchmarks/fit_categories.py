"""One split of a column of very many categories: the best of 2^999, and a good one of 2^9,999 subsets."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    *(
        Workload(f"one split, 1,000 categories, {rows:,} rows, 2 classes", "categories", rows, 1, 2, 1, repeat=repeat)
        for rows, repeat in ((10_000, 20), (100_000, 5))
    ),
    *(
        Workload(f"one split, 10,000 categories, 1,000,000 rows, 5 classes, {kind}", maker, 1_000_000, 1, 5, 1)
        for kind, maker in (
            ("two kinds of them", "categories_of_two_kinds"),
            ("of all kinds", "categories_of_all_kinds"),
            ("noise", "categories_of_noise"),
        )
    ),
]

if __name__ == "__main__":
    run(__file__, "Fit: a column of very many categories", WORKLOADS)
