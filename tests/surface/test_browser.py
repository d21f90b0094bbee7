"""Pictures in a real browser: text measured with its fonts, and Mermaid read by Mermaid.

Skipped where there is no Chromium (Debian: `apt-get install chromium fonts-noto-cjk`), no Playwright (`pip install
playwright`), or no Mermaid in `build/npm/node_modules` (`npm install --prefix build/npm mermaid`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deciduous import draw
from deciduous.draw.mermaid import quoted
from deciduous.draw.metrics import clean
from tests.drawings import HOSTILE, LONG, random_tree

FOLDER = Path(os.environ.get("DECIDUOUS_NPM", Path(__file__).resolve().parents[2] / "build" / "npm"))
MERMAID = FOLDER / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
N_TREES = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 20
AT_ONCE = 10

#: What is wrong with the pictures of a page: texts that reach beyond the box of their node or the page, boxes and
#: answers that overlap, boxes beyond the page; and how many texts were measured.
FAULTS = """() => {
const wrong = [];
let texts = 0;
for (const svg of document.querySelectorAll('svg')) {
  const {width, height} = svg.viewBox.baseVal;
  const page = {x: 0, y: 0, width, height};
  const over = (t, box) => Math.max(box.x - t.x, t.x + t.width - box.x - box.width,
                                    box.y - t.y, t.y + t.height - box.y - box.height);
  const taken = [];
  for (const group of svg.querySelectorAll('g')) {
    const name = `${group.getAttribute('class')} ${group.dataset.node}`;
    const isEdge = name.startsWith('edge');
    const box = isEdge ? page : group.querySelector('rect').getBBox();
    if (!isEdge) taken.push([box, name]);
    if (over(box, page) > 0.5) wrong.push(['beyond the page', name]);
    for (const text of group.querySelectorAll('text')) {
      if (!text.textContent.trim()) continue; // blanks have no place
      const t = text.getBBox();
      texts += 1;
      if (isEdge) taken.push([t, `${name} ${text.textContent}`]);
      if (over(t, box) > 0.5) wrong.push(['beyond its box', name, text.textContent, over(t, box)]);
    }
  }
  taken.sort((a, b) => a[0].x - b[0].x);
  taken.forEach(([a, name], i) => {
    for (let j = i + 1; j < taken.length && taken[j][0].x < a.x + a.width - 0.5; j += 1) {
      const [b, other] = taken[j];
      const meet = b.y < a.y + a.height - 0.5 && a.y < b.y + b.height - 0.5;
      if (meet && name !== other) wrong.push(['overlap', name, other]);
    }
  });
}
return [texts, wrong];
}"""


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    page.set_default_timeout(60_000)
    yield page
    page.close()


@pytest.fixture(scope="module")
def mermaid(browser: Any) -> Iterator[Any]:
    """A page with Mermaid, which takes seconds to be read."""
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.set_content('<div id="place"></div>')
    page.add_script_tag(path=MERMAID)
    page.evaluate("() => mermaid.initialize({startOnLoad: false})")
    yield page
    page.close()


@pytest.mark.parametrize("first", range(0, N_TREES, AT_ONCE))
def test_nothing_overlaps_and_all_text_is_inside(page: Any, first: int) -> None:
    """In the fonts of the browser: every 50th tree has 2,000 nodes, the others from one to 80."""
    looks = [{}, {"direction": "right"}, {"shape": "round"}, {"impurity": True, "numbers": True}]
    seeds = range(first, first + AT_ONCE)
    trees = {seed: random_tree(seed, 2000 if seed % 50 == 49 else None) for seed in seeds}
    page.set_content("".join(draw.to_svg(tree, **looks[seed % 4]) for seed, tree in trees.items()))
    texts, wrong = page.evaluate(FAULTS)
    assert texts >= 2 * sum(map(len, trees.values())) - AT_ONCE
    assert wrong == []


def test_our_widths_are_those_of_the_browser(page: Any) -> None:
    """Text is as wide as we say, or narrower; Latin text not much narrower, so that boxes are no wider than needed."""
    from deciduous.draw.metrics import is_measured, width

    texts = [clean(text) for text in (*HOSTILE, *LONG) if text.strip() and is_measured(clean(text))]
    body = '<svg xmlns="http://www.w3.org/2000/svg" font-family="DejaVu Sans, Noto Sans CJK SC, sans-serif"></svg>'
    script = """texts => {
      const svg = document.querySelector('svg');
      return texts.map(text => {
        const t = document.createElementNS('http://www.w3.org/2000/svg', 'text');
        t.setAttribute('font-size', 20); t.setAttribute('style', 'white-space:pre');
        t.textContent = text; svg.append(t);
        return t.getComputedTextLength();
      });
    }"""
    page.set_content(body)
    for text, measured in zip(texts, page.evaluate(script, texts), strict=True):
        assert measured <= width(text, 20.0) + 0.5, text
        if text.isascii():
            assert measured >= 0.93 * width(text, 20.0) - 2, text


@pytest.mark.skipif(not MERMAID.exists(), reason="Mermaid is not in build/npm")
def test_mermaid_shows_every_name_as_it_is(mermaid: Any) -> None:
    names = [name for name in HOSTILE if name.strip()]
    chart = "graph TD\n" + "\n".join(f"    N{i}[{quoted(clean(name))}]" for i, name in enumerate(names))
    chart += "\n" + "\n".join(f"    N0 -- {quoted(clean(name))} --> N{i}" for i, name in enumerate(names) if i)
    nodes, edges = _drawn(mermaid, chart)
    blanks = [" ".join(clean(name).split()) for name in names]
    assert [" ".join(nodes[i].split()) for i in range(len(names))] == blanks
    assert [" ".join(edge.split()) for edge in edges] == blanks[1:]


@pytest.mark.skipif(not MERMAID.exists(), reason="Mermaid is not in build/npm")
@pytest.mark.parametrize("options", [{}, {"shape": "round", "theme": "dark", "splits": 3}, {"max_nodes": 60}])
def test_mermaid_reads_whole_trees(mermaid: Any, options: dict[str, object]) -> None:
    tree = random_tree(11, 60)
    text = draw.to_mermaid(tree, **options)
    nodes, edges = _drawn(mermaid, text)
    assert len(nodes) == text.count("-->") + 1
    assert len(edges) == text.count("-->")


def _drawn(mermaid: Any, chart: str) -> tuple[dict[int, str], list[str]]:
    """The texts of the nodes, by number, and of the edges of a chart that Mermaid draws."""
    script = """chart => {
      return mermaid.render('chart', chart).then(drawn => {
        document.getElementById('place').innerHTML = drawn.svg;
        const of = selector => [...document.querySelectorAll(selector)];
        return [of('.node').map(n => [n.id, n.textContent]), of('g.edgeLabel').map(n => n.textContent)];
      });
    }"""
    found = mermaid.evaluate(script, chart)
    nodes = {int(name.split("-N")[-1].split("-")[0]): text for name, text in found[0]}
    return nodes, found[1]
