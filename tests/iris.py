"""The iris table as a frame with the species as text; scikit-learn has it."""

from types import SimpleNamespace

import polars as pl
from sklearn.datasets import load_iris


def iris() -> SimpleNamespace:
    """Return the whole `frame`, the name of the `target`, the features `X` and the species `y`."""
    data = load_iris()
    X = pl.DataFrame(data.data, schema=[name.removesuffix(" (cm)") for name in data.feature_names])
    y = pl.Series("species", data.target_names[data.target].tolist())
    return SimpleNamespace(frame=X.with_columns(y), target="species", X=X, y=y)
