from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deciduous.kernels.reference import Cells, Ends, Redistributed, Weighed

def route(
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: NDArray[np.float64],
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: NDArray[np.float64],
    unseen_as_missing: bool,
    columns: Sequence[Cells | None],
    n_rows: int,
    n_threads: int = 1,
) -> Ends: ...
def redistribute(
    start: int,
    by_known: bool,
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    question: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: NDArray[np.float64],
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: NDArray[np.float64],
    columns: Sequence[Cells | None],
    rows: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> Redistributed: ...
def weigh_leaves(
    start: int,
    by_known: bool,
    first_child: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    question: NDArray[np.int32],
    feature: NDArray[np.int32],
    kind: NDArray[np.uint8],
    threshold: NDArray[np.float64],
    category_start: NDArray[np.int64],
    category_branch: NDArray[np.int32],
    share: NDArray[np.float64],
    columns: Sequence[Cells | None],
    codes: NDArray[np.int32],
    n_classes: int,
    rows: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> Weighed: ...
