"""A tenth of the cells missing: floats, and half floats, half nominal."""

from common.script import run
from common.workload import Workload

WORKLOADS = [
    Workload(f"200,000 x 10 {what}, 10 % missing, 2 classes, {where}", maker, 200_000, 10, 2, depth)
    for what, maker in (("floats", "floats_missing"), ("mixed (5 floats, 5 nominal)", "mixed_missing"))
    for where, depth in (("full depth", None), ("depth 10", 10))
]

if __name__ == "__main__":
    run(__file__, "Fit: missing cells", WORKLOADS)
