"""Pictures in a real browser: text measured with its fonts, and Mermaid read by Mermaid.

Skipped where there is no Chromium (Debian: `apt-get install chromium fonts-noto-cjk`), or no Mermaid in
`build/npm/node_modules` (`npm install --prefix build/npm mermaid`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deciduous import draw
from deciduous.draw.mermaid import quoted
from deciduous.draw.metrics import clean
from tests.drawings import CHROMIUM, HOSTILE, LONG, in_browser, random_tree

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
FOLDER = Path(os.environ.get("DECIDUOUS_NPM", Path(__file__).resolve().parents[2] / "build" / "npm"))
MERMAID = FOLDER / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
N_TREES = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 16

#: Of every text of a picture: how far it reaches beyond the box of its node, or beyond the page.
OVERHANG = """
const found = [];
for (const svg of document.querySelectorAll('svg')) {
  const page = svg.viewBox.baseVal;
  for (const group of svg.querySelectorAll('g')) {
    const frame = group.querySelector('rect');
    const edge = group.getAttribute('class').startsWith('edge');
    const box = edge ? {x: 0, y: 0, width: page.width, height: page.height} : frame.getBBox();
    for (const text of group.querySelectorAll('text')) {
      const t = text.getBBox();
      const over = Math.max(box.x - t.x, t.x + t.width - box.x - box.width,
                            box.y - t.y, t.y + t.height - box.y - box.height);
      found.push([over, text.textContent, group.getAttribute('data-node')]);
    }
  }
}
return found;
"""


@pytest.mark.parametrize("first", range(0, N_TREES, 8))
def test_text_stays_inside_its_box(tmp_path: Path, first: int) -> None:
    looks = [{}, {"direction": "right"}, {"shape": "round"}, {"impurity": True, "numbers": True}]
    pictures = [draw.to_svg(random_tree(seed, 40), **looks[seed % 4]) for seed in range(first, first + 8)]
    found = in_browser(tmp_path, "".join(pictures), OVERHANG)
    assert len(found) > 8
    over = [entry for entry in found if entry[0] > 0.5]
    assert not over


def test_our_widths_are_those_of_the_browser(tmp_path: Path) -> None:
    """Text is as wide as we say, or narrower; Latin text not much narrower, so that boxes are no wider than needed."""
    from deciduous.draw.metrics import is_measured, width

    texts = [clean(text) for text in (*HOSTILE, *LONG) if text.strip() and is_measured(clean(text))]
    body = '<svg xmlns="http://www.w3.org/2000/svg" font-family="DejaVu Sans, Noto Sans CJK SC, sans-serif"></svg>'
    script = f"""
      const svg = document.querySelector('svg');
      return {json.dumps(texts)}.map(text => {{
        const t = document.createElementNS('http://www.w3.org/2000/svg', 'text');
        t.setAttribute('font-size', 20); t.setAttribute('style', 'white-space:pre');
        t.textContent = text; svg.append(t);
        return t.getComputedTextLength();
      }});"""
    for text, measured in zip(texts, in_browser(tmp_path, body, script), strict=True):
        assert measured <= width(text, 20.0) + 0.5, text
        if text.isascii():
            assert measured >= 0.93 * width(text, 20.0) - 2, text


@pytest.mark.skipif(not MERMAID.exists(), reason="Mermaid is not in build/npm")
def test_mermaid_shows_every_name_as_it_is(tmp_path: Path) -> None:
    names = [name for name in HOSTILE if name.strip()]
    chart = "graph TD\n" + "\n".join(f"    N{i}[{quoted(clean(name))}]" for i, name in enumerate(names))
    chart += "\n" + "\n".join(f"    N0 -- {quoted(clean(name))} --> N{i}" for i, name in enumerate(names) if i)
    nodes, edges = _drawn(tmp_path, chart)
    blanks = [" ".join(clean(name).split()) for name in names]
    assert [" ".join(nodes[i].split()) for i in range(len(names))] == blanks
    assert [" ".join(edge.split()) for edge in edges] == blanks[1:]


@pytest.mark.skipif(not MERMAID.exists(), reason="Mermaid is not in build/npm")
@pytest.mark.parametrize("options", [{}, {"shape": "round", "theme": "dark", "splits": 3}, {"max_nodes": 60}])
def test_mermaid_reads_whole_trees(tmp_path: Path, options: dict[str, object]) -> None:
    tree = random_tree(11, 60)
    text = draw.to_mermaid(tree, **options)
    nodes, edges = _drawn(tmp_path, text)
    assert len(nodes) == text.count("-->") + 1
    assert len(edges) == text.count("-->")


def _drawn(folder: Path, chart: str) -> tuple[dict[int, str], list[str]]:
    """The texts of the nodes, by number, and of the edges of a chart that Mermaid draws."""
    script = f"""
      mermaid.initialize({{startOnLoad: false}});
      return mermaid.render('chart', {json.dumps(chart)}).then(drawn => {{
        document.getElementById('place').innerHTML = drawn.svg;
        const of = selector => [...document.querySelectorAll(selector)];
        return [of('.node').map(n => [n.id, n.textContent]), of('g.edgeLabel').map(n => n.textContent)];
      }});"""
    body = f'<div id="place"></div><script src="{MERMAID.as_uri()}"></script>'
    found = in_browser(folder, body, script)
    assert isinstance(found, list), found
    nodes = {int(name.split("-N")[-1].split("-")[0]): text for name, text in found[0]}
    return nodes, found[1]
