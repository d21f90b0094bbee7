"""Small data: what a call costs."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload("fit iris", "iris", 150, 4, 3, repeat=50),
    Workload("predict 30 rows of iris", "iris", 120, 4, 3, task="predict", queries=30, repeat=200),
]

if __name__ == "__main__":
    run(__file__, "Small data", WORKLOADS)
