"""Which kernels run: the native ones, or their NumPy twins with one warning, or the ones asked for."""

import sys
import warnings

import numpy as np
import pytest

from deciduous import kernels


@pytest.fixture(autouse=True)
def _undecided(monkeypatch):
    monkeypatch.delenv("DECIDUOUS_KERNELS", raising=False)
    kernels._default.cache_clear()
    yield
    kernels._default.cache_clear()


@pytest.fixture
def no_native(monkeypatch):
    monkeypatch.setitem(sys.modules, "deciduous.kernels._native", None)


def route_one_row():
    ints, floats = np.full(1, -1, np.int32), np.zeros(1)
    starts, kinds = np.zeros(2, np.int64), np.zeros(1, np.uint8)
    return kernels.route(ints, ints, ints, kinds, floats, starts, ints[:0], floats, False, [], 1)


@pytest.mark.usefixtures("no_native")
def test_without_the_native_core_the_twins_run_with_one_warning():
    with pytest.warns(RuntimeWarning, match=r"native kernels are absent .* pip install") as caught:
        rows, nodes, weights = route_one_row()
    assert caught[0].filename == __file__
    assert (rows.tolist(), nodes.tolist(), weights.tolist()) == ([0], [0], [1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        route_one_row()


@pytest.mark.usefixtures("no_native")
def test_twins_that_were_asked_for_come_without_a_warning(monkeypatch):
    monkeypatch.setenv("DECIDUOUS_KERNELS", "numpy")
    route_one_row()


@pytest.mark.usefixtures("no_native")
def test_an_absent_native_core_that_was_asked_for_is_an_error(monkeypatch):
    monkeypatch.setenv("DECIDUOUS_KERNELS", "native")
    with pytest.raises(ImportError, match="native kernels are absent"):
        route_one_row()
    with pytest.raises(ImportError, match="native kernels are absent"), kernels.use("native"):
        pass


def test_unknown_kernels_are_refused(monkeypatch):
    monkeypatch.setenv("DECIDUOUS_KERNELS", "cuda")
    with pytest.raises(ValueError, match=r"'cuda'.*'native', 'numpy'"):
        route_one_row()


def test_use_holds_for_its_block(monkeypatch):
    monkeypatch.setattr(kernels.reference, "route", lambda *_: "twin")
    with kernels.use("numpy"):
        assert route_one_row() == "twin"
        with pytest.raises(KeyError), kernels.use("numpy"):
            raise KeyError
        assert route_one_row() == "twin"
    assert kernels._in_use is None
