"""Reports to look at: tables with hostile names and gaps, and Chromium to open the file with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.drawings import HOSTILE

#: axe-core, which looks for what keeps people out (`npm install --prefix build/npm axe-core`).
FOLDER = Path(os.environ.get("DECIDUOUS_NPM", Path(__file__).resolve().parents[1] / "build" / "npm"))
AXE = FOLDER / "node_modules" / "axe-core" / "axe.min.js"


def gappy_table(seed: int, n_rows: int = 120) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """A table of numbers, categories and ranked categories with gaps; three classes, and numbers, to predict."""
    rng = np.random.default_rng(seed)
    size, kind = rng.normal(size=n_rows).round(2), rng.integers(0, 5, n_rows)
    rank, flag = rng.integers(0, 4, n_rows), rng.integers(0, 2, n_rows)
    score = size + (kind == 2) * 1.5 + rank * 0.6 - flag + rng.normal(0, 0.4, n_rows)
    frame = pd.DataFrame(
        {
            "size": size,
            "kind": pd.Series(np.array(["a", "b", "c", "d", "e"])[kind]),
            "rank": pd.Categorical(np.array(["low", "mid", "high", "top"])[rank], ["low", "mid", "high", "top"], True),
            "flag": pd.Series(flag.astype(bool)).astype(object),
        }
    )
    for column in frame:
        frame.loc[rng.random(n_rows) < 0.12, column] = None
    classes = pd.Series(np.array(["no", "maybe", "yes"])[np.digitize(score, [0, 1.5])], name="answer")
    return frame, classes, pd.Series(score.round(3), name="score")


def other_rows(frame: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    """Rows of the same columns in other combinations, with more gaps and with categories that are new."""
    rng = np.random.default_rng(seed)
    other = pd.DataFrame({name: rng.permutation(frame[name].astype(object).to_numpy()) for name in frame})
    for column in other:
        other.loc[rng.random(len(other)) < 0.15, column] = None
    other.loc[rng.random(len(other)) < 0.15, "kind"] = "never seen"
    other.loc[rng.random(len(other)) < 0.1, "rank"] = "beyond"
    return other


def hostile_table() -> tuple[pd.DataFrame, str]:
    """A table whose names of columns, categories, classes and target break markup, scripts and layouts."""
    rng = np.random.default_rng(3)
    names = [*HOSTILE, "</script><script>window.broken=1</script>", "<!--<script>", '"><img src=x onerror=broken=1>']
    names = [name for name in names if name.strip()]
    target = "</title><script>window.broken=1</script>\"'"
    columns: dict[str, Any] = {f"{names[j]}{j}": rng.choice(names[j::6], 150) for j in range(6)}
    columns["w" * 200] = rng.normal(size=150)
    classes = np.array([names[-1], names[-2], names[7], "\u202eabc", "👍🏽"])
    strange = np.char.str_len(columns[f"{names[0]}0"].astype(str)) % 5
    return pd.DataFrame({**columns, target: classes[(strange + rng.integers(0, 2, 150)) % 5]}), target


class Opened:
    """A page that is open, with everything that it said and asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def text(self, selector: str) -> str:
        """What an element shows."""
        return str(self.page.inner_text(selector)).strip()

    def numbers_seen(self) -> list[int]:
        """The numbers of the nodes that are seen, in order."""
        script = "() => seenNodes().map(node => tree.number[node])"
        return sorted(self.page.evaluate(script))


@contextmanager
def opened(
    browser: Any, html: str, folder: Path, width: int = 1440, height: int = 900, **look: Any
) -> Iterator[Opened]:
    """Open a report from disk in a window of its own; it may say nothing, and ask for nothing but itself."""
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": height}, **look)
    try:
        page = context.new_page()
        page.set_default_timeout(60_000)
        shown = Opened(page)
        page.goto(file.as_uri())
        yield shown
        assert shown.said == []
        assert shown.asked == [file.as_uri()]
    finally:
        context.close()
