"""Trees with surrogates: the native kernels grow and walk the same as their NumPy twins."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import CARTClassifier, CARTRegressor, Tree, kernels
from deciduous.grow import grower
from deciduous.model.surrogates import TYPES

pytestmark = pytest.mark.skipif(kernels.native() is None, reason="needs the native kernels")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"usesurrogate": 1, "surrogatestyle": 1},
    {"usesurrogate": 0, "maxsurrogate": 2},
    {"cp": 0.0, "minbucket": 1, "maxdepth": 4},
    {"cost": {"x": 3.0}},
]


def table(seed: int, n: int = 150) -> tuple[pd.DataFrame, np.random.Generator]:
    """Return mixed columns that agree in part, with ties among their cells and a tenth of them missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    columns = {
        "x": x,
        "near": np.round(x + rng.normal(scale=0.5, size=n), 1),
        "steps": rng.integers(0, 4, n).astype(float),
        "colour": pd.Categorical(np.where(x + rng.normal(size=n) > 0, "red", rng.choice(["blue", "green"], n))),
        "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
    }
    frame = pd.DataFrame(columns)
    for j, name in enumerate(frame):
        frame.loc[rng.random(n) < 0.05 * (j + 1), name] = None
    return frame, rng


def grown(model: Any, frame: pd.DataFrame, *y: Any, **more: Any) -> tuple[Tree, Tree]:
    trees = []
    for name in ("native", "numpy"):
        with kernels.use(name):
            trees.append(model.fit(frame, *y, **more).tree_)
            trees[-1].check()
    return trees[0], trees[1]


def assert_same(native: Tree, numpy: Tree, frame: pd.DataFrame) -> None:
    assert native.feature.tolist() == numpy.feature.tolist()
    assert native.category_branch.tolist() == numpy.category_branch.tolist()
    assert native.share.tolist() == numpy.share.tolist()
    assert native.n_samples.tolist() == numpy.n_samples.tolist()
    assert native.reason.tolist() == numpy.reason.tolist()
    for name in ("threshold", "risk", "complexity", "improvement", "gain", "value"):
        assert getattr(native, name) == pytest.approx(getattr(numpy, name), rel=1e-9, abs=1e-12, nan_ok=True), name
    assert native.surrogates is not None
    assert numpy.surrogates is not None
    for name in TYPES:
        ours, twins = getattr(native.surrogates, name), getattr(numpy.surrogates, name)
        assert ours == pytest.approx(twins, rel=1e-12, nan_ok=True), name
    assert native.cp_table == pytest.approx(numpy.cp_table, rel=1e-9, abs=1e-12, nan_ok=True)
    for of_node, twins in zip(native.candidates, numpy.candidates, strict=True):  # type: ignore[arg-type]
        for one, twin in zip(of_node, twins, strict=True):
            assert (one.verdict, one.known_rows, one.tried) == (twin.verdict, twin.known_rows, twin.tried)
            if one.table is not None:
                assert one.table == pytest.approx(twin.table, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes(seed: int, options: dict[str, Any]) -> None:
    frame, rng = table(seed)
    n_classes = 2 + seed % 3
    score = np.nan_to_num(frame["x"].to_numpy(dtype=float)) + rng.normal(size=len(frame))
    y = np.clip(np.digitize(score, np.linspace(-1, 1, n_classes - 1)), 0, n_classes - 1)
    priors = rng.dirichlet(np.full(n_classes, 5.0)) if seed == 1 else None
    model = CARTClassifier.rpart(xval=3, parms={"prior": priors}, **{"minsplit": 8, **options})
    weight = rng.integers(1, 4, len(frame)) / 2 if seed >= 2 else None
    assert_same(*grown(model, frame, y, weight), frame)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["anova", "poisson"])
@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
def test_numbers(seed: int, method: str, options: dict[str, Any]) -> None:
    frame, rng = table(seed)
    x = np.nan_to_num(frame["x"].to_numpy(dtype=float))
    exposure = rng.uniform(0.5, 3, len(frame)) if method == "poisson" else None
    y = rng.poisson(np.exp(x / 2 + 1)).astype(float) if method == "poisson" else x + rng.normal(size=len(frame))
    model = CARTRegressor.rpart(method=method, xval=3, **{"minsplit": 8, **options})
    assert_same(*grown(model, frame, y, exposure=exposure), frame)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_classes", "split"), [(2, "gini"), (2, "information"), (3, "gini"), (4, "information")])
def test_many_rows(n_classes: int, split: str, weighted: bool) -> None:
    """Columns are rated in blocks of a few hundred rows, and one has more categories than a byte holds."""
    frame, rng = table(n_classes, 1300)
    frame["many"] = pd.Categorical.from_codes(rng.integers(-1, 300, 1300), [f"c{i}" for i in range(300)])
    score = np.nan_to_num(frame["x"].to_numpy(dtype=float)) + rng.normal(size=1300)
    y = np.clip(np.digitize(score, np.linspace(-1, 1, n_classes - 1)), 0, n_classes - 1)
    weight = rng.uniform(0.5, 2, 1300) if weighted else None
    model = CARTClassifier.rpart(xval=2, cp=0.002, parms={"split": split})
    assert_same(*grown(model, frame, y, weight), frame)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", ["anova", "poisson"])
def test_many_rows_of_numbers(method: str, weighted: bool) -> None:
    frame, rng = table(3, 1300)
    x = np.nan_to_num(frame["x"].to_numpy(dtype=float))
    y = rng.poisson(np.exp(x / 2 + 1)).astype(float) if method == "poisson" else x + rng.normal(size=1300)
    weight = rng.uniform(0.5, 2, 1300) if weighted else None
    model = CARTRegressor.rpart(method=method, xval=2, cp=0.002)
    assert_same(*grown(model, frame, y, weight), frame)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("cp", [0.0, 0.01, 0.03])
def test_depth_first_and_level_by_level(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], cp: float) -> None:
    """The native loop tries fewer nodes than that in Python, whose limits are looser, and leaves the same tree."""
    frame, rng = table(11, 600)
    y = (np.nan_to_num(frame["x"].to_numpy(dtype=float)) + rng.normal(size=600) > 0).astype(int)
    model = CARTClassifier.rpart(xval=0, **{"cp": cp, "minsplit": 6, **options})
    with kernels.use("native"):
        whole = model.fit(frame, y).tree_
        monkeypatch.setattr(grower, "grows_depth_first", lambda algorithm: False)
        by_level = model.fit(frame, y).tree_
    assert_same(whole, by_level, frame)
    assert whole.reason.tolist() == by_level.reason.tolist()


@pytest.mark.parametrize("unseen", ["missing", "node"])
def test_walks(unseen: str) -> None:
    frame, rng = table(7, 400)
    y = (np.nan_to_num(frame["x"].to_numpy(dtype=float)) > 0).astype(int)
    model = CARTClassifier.rpart(unseen=unseen, xval=0, cp=0.0, minsplit=4).fit(frame, y)
    other, _ = table(8, 400)
    other["colour"] = other["colour"].astype(object).where(rng.random(400) > 0.2, "never seen")
    ends = []
    for name in ("native", "numpy"):
        with kernels.use(name), pytest.warns(UserWarning, match="never saw"):
            ends.append(model.apply(other).tolist())
    assert ends[0] == ends[1]
