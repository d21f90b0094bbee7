"""How much memory a fit takes above its input, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deciduous import kernels

MEASURE = """
import json, sys
from pathlib import Path
import numpy as np
from deciduous import CARTClassifier

def resident(key):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024

rows, columns = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X = rng.normal(size=(rows, columns))
y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=rows) > 0).astype(int)
CARTClassifier().fit(X[:2_000], y[:2_000])  # what is loaded by a first fit is not what a fit takes
Path("/proc/self/clear_refs").write_text("5")
before = resident("VmRSS")
tree = CARTClassifier().fit(X, y).tree_
print(json.dumps({"share": (resident("VmHWM") - before) / X.nbytes, "leaves": tree.n_leaves}))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak of a part of a run")
@pytest.mark.skipif(kernels.native() is None, reason="the native kernels are not built here")
@pytest.mark.parametrize(("rows", "columns", "most"), [(200_000, 20, 1.5), (1_000_000, 10, 2.0)])
def test_an_exact_fit_takes_little_above_its_input(rows: int, columns: int, most: float) -> None:
    """In parts of the input. The goal is 1.5 for both; of the longer table's 1.7 the 175,000 nodes are 0.6."""
    command = [sys.executable, "-c", MEASURE, str(rows), str(columns)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    found = json.loads(done.stdout)
    assert found["leaves"] > 10_000  # grown to the end
    assert found["share"] <= most
