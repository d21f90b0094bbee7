"""Source 001's two listings, run as they are but for imports and the class's name.

They are read from `shared/sources` beside the repository; where that is absent the tests are skipped.
"""

from __future__ import annotations

import re
import shutil
import sys
import types
import warnings
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import deciduous

SOURCES = sorted((Path(__file__).resolve().parents[3] / "shared" / "sources").glob("001_*.txt"))
pytestmark = pytest.mark.skipif(not SOURCES, reason="the source documents are not beside the repository")


def listing(first: str, last: str) -> str:
    """The lines of the document from one that begins with `first` to one that begins with `last`."""
    text = SOURCES[0].read_text(encoding="utf-8")
    found = re.search(rf"^\s*(?:\d+\.\s*)?({re.escape(first)}.*?^{re.escape(last)}[^\n]*)", text, re.S | re.M)
    assert found
    return found[1]


def test_the_first_listing_draws_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    code = listing("from itertools import product", "plt.show()")
    changed = code.replace("sklearn.tree import DecisionTreeClassifier", "deciduous import CARTClassifier")
    changed = changed.replace("DecisionTreeClassifier(", "CARTClassifier(")
    assert len([1 for a, b in zip(code.splitlines(), changed.splitlines(), strict=True) if a != b]) == 2
    monkeypatch.setattr(pyplot, "show", lambda: None)
    names: dict[str, object] = {}
    exec(changed, names)
    ax = pyplot.gca()
    regions = names["Z"]
    assert set(regions.ravel().tolist()) == {0, 1, 2}  # type: ignore[attr-defined]
    assert len(ax.collections[-1].get_offsets()) == 150
    pyplot.close("all")


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_the_second_listing_draws_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names all four columns, so its `clf` is one that was fitted on all of them."""
    code = listing("from IPython.display import Image", "Image(graph.create_png())")
    changed = code.replace("from sklearn import tree", "import deciduous as tree")
    display = types.ModuleType("IPython.display")
    shown: list[bytes] = []
    display.Image = shown.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    iris = load_iris()
    clf = deciduous.CARTClassifier(max_depth=4).fit(iris.data, iris.target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydotplus uses what pyparsing has renamed
        exec(changed, {"clf": clf, "iris": iris})
    assert len(shown) == 1
    assert shown[0].startswith(b"\x89PNG")
