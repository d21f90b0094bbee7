"""Weka's J48 in a Java machine inside the process (python-weka-wrapper3)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from common.peers.peer import Peer, Refused
from common.workload import Data, Workload


class J48(Peer):
    """J48 with its defaults, pruned; its table is read before the clock runs."""

    module, package = "weka", "python-weka-wrapper3"
    other_criterion: ClassVar = {"gini": "gain_ratio"}

    def __init__(self, work: Workload, data: Data) -> None:
        """Refuse numbers and limits of depth; start the machine."""
        super().__init__(work, data)
        self.demand(work.classes > 0, "no target of numbers")
        self.demand(work.pruned and work.depth is None, "only whole trees, pruned")
        from weka.core import jvm

        try:
            jvm.start(max_heap_size="4g", logging_level=50)
        except Exception as error:  # whatever the bridge raises where Java is absent
            raise Refused(f"Java does not start ({error})") from None
        from weka.core.converters import Loader

        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            file = Path(folder) / "table.arff"
            file.write_text(_arff(data, work.classes), encoding="utf-8")
            self.table: Any = Loader(classname="weka.core.converters.ArffLoader").load_file(str(file))
        self.table.class_is_last()

    def fit(self) -> None:
        """Grow and prune."""
        from weka.classifiers import Classifier

        self.model = Classifier(classname="weka.classifiers.trees.J48")
        self.model.build_classifier(self.table)

    def predict(self) -> None:
        """Refuse: rows would be handed over one by one."""
        raise Refused("only fits are timed")

    def leaf_ids(self) -> NDArray[Any]:
        """Refuse: it does not say where rows end."""
        raise Refused("it does not say in which leaf a row ends")


def _arff(data: Data, classes: int) -> str:
    """Return a table as Weka reads it."""
    lines = ["@relation table"]
    for j, column in enumerate(data.X.T):
        codes = np.unique(column[~np.isnan(column)]).astype(int) if j in data.nominal else []
        lines.append(f"@attribute x{j} " + ("{" + ",".join(f"c{c}" for c in codes) + "}" if len(codes) else "numeric"))
    lines += ["@attribute y {" + ",".join(map(str, range(classes))) + "}", "@data"]
    columns = [_cells(column, j in data.nominal) for j, column in enumerate(data.X.T)]
    lines += [",".join(row) for row in zip(*columns, map(str, data.y.tolist()), strict=True)]
    return "\n".join(lines) + "\n"


def _cells(column: NDArray[np.float64], nominal: bool) -> list[str]:
    return ["?" if x != x else f"c{int(x)}" if nominal else repr(x) for x in column.tolist()]
