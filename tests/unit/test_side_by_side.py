"""Fits beside each other, in threads and in processes, and fits that are broken off."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, Tree, kernels
from deciduous.grow.sources import threads
from deciduous.model.tree import ARRAYS

native = pytest.mark.skipif(kernels.native() is None, reason="the native kernels are not built here")


def table(seed: int, rows: int = 6_000, columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=rows) > 0).astype(int)


def grown(seed: int) -> Tree:
    X, y = table(seed)
    number = CARTRegressor(criterion="absolute_error", max_depth=6, n_jobs=2)
    estimator = number if seed % 3 == 0 else CARTClassifier(n_jobs=2)
    return estimator.fit(X, y + X[:, 2] if seed % 3 == 0 else y).tree_


def assert_equal(a: Tree, b: Tree) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def assert_all_as_alone(trees: list[Tree]) -> None:
    for seed, tree in enumerate(trees):
        assert_equal(tree, grown(seed))


def test_threads_that_fit_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(grown, range(6)))
    assert_all_as_alone(trees)


def test_threads_that_predict_at_once() -> None:
    X, y = table(1)
    model = CARTClassifier(n_jobs=2).fit(X, y)
    many = np.tile(X, (5, 1))
    expected = model.predict_proba(many)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: model.predict_proba(many), range(6)):
            np.testing.assert_array_equal(answer, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_after_a_fork() -> None:
    grown(0)  # threads have run in the parent
    with multiprocessing.get_context("fork").Pool(2) as pool:
        trees = pool.map_async(grown, range(3)).get(timeout=300)
    assert_all_as_alone(trees)


def test_workers_of_joblib_share_the_cores() -> None:
    workers = 2
    asked = joblib.Parallel(n_jobs=workers)(joblib.delayed(threads)(n) for n in [None] * 4 + [-1] * 4)
    assert set(asked) == {max(1, joblib.cpu_count() // workers)}
    trees = joblib.Parallel(n_jobs=workers)(joblib.delayed(grown)(seed) for seed in range(3))
    assert_all_as_alone(trees)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask's own
def test_workers_of_dask_share_the_cores() -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local as cluster, distributed.Client(cluster) as client:
        assert set(client.gather(client.map(threads, [None, -1, 3]))) == {1, 3}
        trees = client.gather(client.map(grown, range(3)))
    assert_all_as_alone(trees)


# --- Ctrl-C ---


def interrupted(work: Callable[[], Any], after: float = 0.2) -> float:
    """Return the seconds of this process's time that pass from Ctrl-C to the KeyboardInterrupt."""
    sent: list[float] = []
    done: list[bool] = []

    def press() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def work_to_the_end() -> None:
        work()
        done.append(True)
        timer.join()

    timer = threading.Timer(after, press)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores Ctrl-C
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work_to_the_end()
        assert not done, "it was done before Ctrl-C"
        return time.process_time() - sent[0]
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)


WIDE = 400_000


@pytest.fixture(scope="module")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    return table(0, WIDE, 10)


FITS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "classes": lambda X, y: CARTClassifier(n_jobs=1).fit(X, y),
    "classes, level by level": lambda X, y: CARTClassifier(n_jobs=1, verbose=1).fit(X, y),
    "numbers": lambda X, y: CARTRegressor(n_jobs=1).fit(X, y + X[:, 3]),
    "absolute error": lambda X, y: CARTRegressor(criterion="absolute_error", n_jobs=1).fit(X, y + X[:, 3]),
    "c45": lambda X, y: C45Classifier(n_jobs=1).fit(X, y),
    "surrogates": lambda X, y: CARTClassifier(missing="surrogates", n_jobs=1, cp=0.0).fit(X, y),
}


@native
@pytest.mark.parametrize("fit", FITS)
def test_a_fit_ends_within_a_second(numbers: tuple[np.ndarray, np.ndarray], fit: str) -> None:
    assert interrupted(lambda: FITS[fit](*numbers)) < 1.0


@native
def test_a_search_among_many_categories_ends_within_a_second() -> None:
    rng = np.random.default_rng(0)
    codes, n = rng.integers(0, 10_000, WIDE), 10_000
    X = pd.DataFrame({"a": pd.Categorical.from_codes(codes, [f"c{i}" for i in range(n)])})
    X = pd.concat([X.rename(columns={"a": f"a{j}"}) for j in range(20)], axis=1)
    y = rng.integers(0, 5, WIDE)
    assert interrupted(lambda: CARTClassifier(n_jobs=1).fit(X, y), after=1.0) < 1.0
