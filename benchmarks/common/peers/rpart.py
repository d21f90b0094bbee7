"""R's rpart, in a process of R: `rpart.R` does there what `common.worker` does for Python."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from common.peers.peer import Contestant, Refused
from common.workload import read


class Rpart(Contestant):
    """`rpart` with no limit but depth, of which it knows 30; its own defaults where a workload has `cp`."""

    @classmethod
    def command(cls, folder: Path, name: str) -> list[str]:
        """Write the data as R reads them, column by column, and return the command."""
        rscript = shutil.which("Rscript")
        if rscript is None:
            raise Refused("R is not installed (no Rscript)")
        work, data = read(folder)
        if work.criterion == "absolute_error":
            raise Refused("no absolute error")
        if work.folds and work.cp is None:
            raise Refused("its trees stop at depth 30, and full ones are asked for")
        for part, array in (("X", data.X), ("y", data.y), ("queries", data.queries)):
            if array is not None:
                np.asarray(array, dtype=np.float64).ravel(order="F").tofile(folder / f"{part}.f64")
        nominal = ",".join(str(j + 1) for j in data.nominal)
        numbers = (work.rows, work.columns, work.classes, min(work.depth or 30, 30), work.queries, work.repeat)
        script = Path(__file__).with_suffix(".R")
        complexity = ("none" if work.cp is None else repr(work.cp), str(work.folds))
        return [rscript, "--vanilla", str(script), str(folder), work.task, *map(str, numbers), *complexity, nominal]
