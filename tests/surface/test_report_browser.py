"""The report in a real browser, from disk: nothing is said on the console, nothing is asked of a network, and all that
can be done works, on a desk and on a phone, with keys alone, in light and dark.

Skipped where there is no Chromium (Debian: `apt-get install chromium`), no Playwright (`pip install playwright`), or,
for what keeps people out, no axe-core in `build/npm/node_modules`.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deciduous
from deciduous.draw.metrics import clean
from deciduous.report import nodes, workings
from tests.reports import AXE, gappy_table, hostile_table, opened

pytest.importorskip("jinja2", reason="Jinja2 is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:categories that training never saw")
CART, C45, ID3 = deciduous.CARTClassifier, deciduous.C45Classifier, deciduous.ID3Classifier


@pytest.fixture(scope="module")
def grown() -> Any:
    X, y, _ = gappy_table(1, 220)
    model = deciduous.CARTClassifier().fit(X, y)
    return model, X, y


@pytest.fixture(scope="module")
def by_language(grown: Any) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workings, "MOST_CHARACTERS", 60_000)
        return {lang: deciduous.report(*grown, folds=2, lang=lang).html for lang in ("en", "zh")}


@pytest.fixture(scope="module")
def html(by_language: dict[str, str]) -> str:
    return by_language["en"]


# --- what can be done ----------------------------------------------------------------------------------------------


def test_a_row_is_picked_and_followed(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    model, X, y = grown
    path = model.decision_path(X.iloc[[1]]).indices.tolist()
    with opened(browser, html, tmp_path) as shown:
        shown.page.select_option("#pick", "1")
        lit = shown.page.eval_on_selector_all(".node.lit", "found => found.map(e => Number(e.id.slice(5)))")
        assert sorted(lit) == sorted(path)
        assert shown.page.locator("#edges path.lit").count() == len(path) - 1
        assert shown.page.locator("#row-says .path li").count() == len(path)
        said = shown.text("#row-says")
        assert f"Answer: {model.predict(X.iloc[[1]])[0]}" in said
        assert f"The row is {y[1]}: {'right' if y[1] == model.predict(X.iloc[[1]])[0] else 'wrong'}." in said
        shown.page.click("#pick-next")
        assert shown.page.input_value("#pick") == "2"
        shown.page.click("#row-clear")
        assert shown.page.locator(".node.lit").count() == 0


def test_a_row_is_typed(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    """Numbers as they are typed, categories chosen, missing, and never seen; each answer is the library's."""
    model, X, _ = grown
    cases = [
        (
            {"size": "0.85", "kind": "c", "rank": "top", "flag": "True"},
            {"size": 0.85, "kind": "c", "rank": "top", "flag": True},
        ),
        (
            {"size": " −1.5 ", "kind": "a", "rank": "low", "flag": "False"},
            {"size": -1.5, "kind": "a", "rank": "low", "flag": False},
        ),
        ({"size": "", "kind": "(missing)", "rank": "(missing)", "flag": "(missing)"}, dict.fromkeys(X)),
        (
            {"size": "1e1", "kind": "(a category never seen)", "rank": "mid", "flag": "True"},
            {"size": 10.0, "kind": "?", "rank": "mid", "flag": True},
        ),
    ]
    with opened(browser, html, tmp_path) as shown:
        for typed, row in cases:
            for name, cell in typed.items():
                place = shown.page.locator("#cells").get_by_label(name, exact=True)
                if name == "size":
                    place.fill(cell)
                else:
                    place.select_option(label=cell)
            given = pd.DataFrame([row], columns=X.columns, dtype=object)
            answer = model.predict(given)[0]
            share = model.predict_proba(given)[0].max()
            assert f"Answer: {answer} ({float(f'{100 * share:.3g}'):g} %)" in shown.text("#row-says")
        for text in ("about 3", "1,5", "0x10", "1e999", "Infinity"):
            shown.page.locator("#cells").get_by_label("size", exact=True).fill(text)
            assert f"size: {text} is not a number" in shown.text("#row-says")
        assert shown.page.locator(".node.lit").count() == 0


def test_what_the_tree_refuses_is_refused(browser: Any, tmp_path: Path) -> None:
    X, y, _ = gappy_table(4, 80)
    X = X[["size", "kind"]].assign(size=X["size"].fillna(0), kind=X["kind"].fillna("a"))
    y = y.mask(X["kind"] == "c", "maybe")
    model = CART(missing="error", unseen="error").fit(X, y)
    with opened(browser, deciduous.report(model, X, y, folds=2).html, tmp_path) as shown:
        shown.page.locator("#cells").get_by_label("kind", exact=True).select_option(label="(a category never seen)")
        shown.page.locator("#cells").get_by_label("size", exact=True).fill("1")
        assert "refuse unseen categories" in shown.text("#row-says")
        shown.page.locator("#cells").get_by_label("size", exact=True).fill("")
        assert "refuse missing cells" in shown.text("#row-says")


def test_nodes_are_folded_searched_and_read(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    tree = grown[0].tree_
    with opened(browser, html, tmp_path) as shown:
        page = shown.page
        page.click("#open-all")
        assert shown.numbers_seen() == list(range(len(tree)))
        page.click("#close-all")
        assert shown.numbers_seen() == [0, 1, 2]
        page.click("#node-1 .note")
        assert shown.numbers_seen() == [0, 1, 2, *(child.index for child in tree.node(1).children)]
        page.dblclick("#node-1 .title")
        assert shown.numbers_seen() == [0, 1, 2]
        page.fill("#search", "maybe")
        page.keyboard.press("Enter")
        wanted = [node.index for node in tree if node.is_leaf and node.prediction == "maybe"]
        assert shown.text("#found") == f"2 of {len(wanted)}"
        selected = page.get_attribute("[aria-selected=true]", "id")
        assert selected == f"node-{wanted[1]}"
        assert "maybe" in shown.text("#node h3")
        conditions = page.locator("#node .rule li").count() - 1
        assert conditions == tree.depth[wanted[1]]
        page.fill("#search", "no such thing")
        assert shown.text("#found") == "nothing found"


def test_a_node_shows_its_rows_and_its_working(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    tree = grown[0].tree_
    with opened(browser, html, tmp_path) as shown:
        page = shown.page
        page.click("#node-0 .title")
        assert shown.text("#node h3") == f"Node 0 asks for {tree.node(0).feature}"
        lines = page.eval_on_selector_all("#node table.figures tbody tr", "l => l.map(t => t.innerText.split('\\t'))")
        assert {name.strip(): float(weight) for name, weight, _ in lines} == tree.node(0).class_weights
        assert page.locator("#node .chart rect, #node .bars li").count() > 2
        page.click("#node .working summary")
        assert page.locator("#node .working math").count() > 3
        assert page.evaluate("document.querySelector('#node .working math').getBoundingClientRect().width") > 20
        page.click("#node .branches button >> nth=1")
        assert "Node 2" in shown.text("#node h3")


def test_the_slider_prunes_the_tree(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    """Every stage shows the nodes of the subtree of the path, and its errors; a row is followed in the pruned tree."""
    model, X, _ = grown
    path = model.pruning_path()
    with opened(browser, html, tmp_path) as shown:
        page = shown.page
        page.click("#open-all")
        page.select_option("#pick", "3")
        last = int(page.get_attribute("#stage", "max") or 0)
        kept = last + 1 - len(path)  # 1 if the first step is the tree as it is already
        assert kept in (0, 1)
        for step in range(len(path)):
            page.evaluate("at => { slider.value = at; slider.dispatchEvent(new Event('input')); }", step + kept)
            leaves = page.evaluate("() => seenNodes().filter(isLeafNow).map(node => tree.number[node])")
            assert leaves == sorted(path.leaves(step).tolist())
            subtree = path.subtree(step)
            pruned = model.prune_to(subtree.n_leaves)
            if pruned.tree_.to_text() == subtree.to_text():
                assert f"Answer: {pruned.predict(X.iloc[[3]])[0]}" in shown.text("#row-says")
            said = shown.text("#stage-says")
            assert f"training rows: {float(f'{100 * path.training_error[step]:.3g}'):g} %" in said
        assert len(shown.numbers_seen()) == 1
        page.click("#stage-whole")
        assert shown.numbers_seen() == list(range(len(model.tree_)))
        page.click("#stage-least")
        errors = page.evaluate("() => stages.error")
        assert errors[int(page.input_value("#stage"))] == pytest.approx(min(errors))


def test_it_is_zoomed_and_moved(browser: Any, tmp_path: Path, html: str) -> None:
    with opened(browser, html, tmp_path) as shown:
        page = shown.page
        page.click("#open-all")
        page.click("#zoom-fit")
        fitted = page.evaluate("() => [viewport.scrollWidth - viewport.clientWidth, view.zoom]")
        assert fitted[0] <= 1
        for _ in range(6):
            page.click("#zoom-in")
        assert page.evaluate("() => view.zoom") == pytest.approx(fitted[1] * 1.25**6)
        page.evaluate("() => viewport.scrollTo(50, 10)")
        box = page.locator("#viewport").bounding_box()
        x, y = box["x"] + 200, box["y"] + 100
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 90, y - 30, steps=4)
        page.mouse.up()
        assert page.evaluate("() => [viewport.scrollLeft, viewport.scrollTop]") == pytest.approx([140, 40], abs=2)
        page.keyboard.down("Control")
        page.mouse.wheel(0, 300)
        page.keyboard.up("Control")
        page.wait_for_function(f"() => view.zoom < {fitted[1] * 1.25**5}")


#: Which of the nodes that are seen lie within the frame of the tree as it is.
IN_SIGHT = """() => {
  const frame = viewport.getBoundingClientRect();
  return seenNodes().filter(node => { const b = made.get(node).getBoundingClientRect();
    return b.left >= frame.left && b.right <= frame.right && b.top >= frame.top && b.bottom <= frame.bottom; });
}"""


@pytest.fixture(scope="module")
def shapes() -> dict[str, str]:
    """Reports of trees of six leaves, of a question with 40 answers, and of many levels."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"wide": np.resize(np.arange(40), 240).astype(str), "a": rng.normal(size=240)})
    X["b"] = rng.normal(size=240)
    y = (X["wide"].astype(int) % 3 + (X["a"] * X["b"] > 0)).astype(str)
    numbers = X[["a", "b"]]
    models = {
        "six leaves": (CART(max_leaf_nodes=6), numbers),
        "forty branches": (ID3(max_depth=2), X),
        "deep": (CART(), numbers),
    }
    return {name: deciduous.report(model.fit(X, y), X, y, folds=2).html for name, (model, X) in models.items()}


@pytest.mark.parametrize("width", [390, 1440])
def test_it_opens_with_what_can_be_read_as_a_whole(
    browser: Any, tmp_path: Path, shapes: dict[str, str], width: int
) -> None:
    for name in ("six leaves", "deep"):
        with opened(browser, shapes[name], tmp_path, width, 844) as shown:
            in_sight = shown.page.evaluate(IN_SIGHT)
            assert sorted(in_sight) == shown.numbers_seen()
            assert len(in_sight) == 11 if name == "six leaves" else len(in_sight) >= 7
            assert shown.page.evaluate("() => view.mode === 'outline' || view.zoom >= 0.75")
            assert not shown.page.is_visible("#beyond")
            marked = shown.page.locator(".node .note", has_text="+").count()
            assert (marked > 0) == (name == "deep")


def test_what_is_too_wide_opens_at_the_root_and_says_so(browser: Any, tmp_path: Path, shapes: dict[str, str]) -> None:
    with opened(browser, shapes["forty branches"], tmp_path) as shown:
        assert len(shown.numbers_seen()) == 41
        in_sight = shown.page.evaluate(IN_SIGHT)
        assert 0 in in_sight
        assert 5 < len(in_sight) < 41
        shown.page.click("#beyond")
        assert len(shown.page.evaluate(IN_SIGHT)) == 41
        assert not shown.page.is_visible("#beyond")


def test_fingers_move_and_zoom(browser: Any, tmp_path: Path, html: str) -> None:
    """One finger scrolls the tree, two make it larger about the point between them; the page itself keeps its size."""
    with opened(browser, html, tmp_path, 390, 844, has_touch=True, is_mobile=True) as shown:
        page = shown.page
        page.tap("input[value=down] + span")
        page.tap("#open-all")
        page.evaluate("() => { document.documentElement.style.scrollBehavior = 'auto'; viewport.scrollIntoView(); }")
        page.evaluate("() => { scrollBy(0, -80); zoomTo(1); viewport.scrollTo(400, 0); }")
        box = page.locator("#viewport").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        fingers = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            places = [{"x": a, "y": b, "id": i} for i, (a, b) in enumerate(points)]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

        page.evaluate("() => { viewport.rested = new Promise(done => viewport.addEventListener('scrollend', done)); }")
        touch("touchStart", (x, y))
        for along in range(0, 130, 10):
            touch("touchMove", (x - along, y))
        touch("touchEnd")
        before = page.evaluate("() => viewport.rested.then(() => viewport.scrollLeft)")
        assert before > 480
        touch("touchStart", (x - 30, y), (x + 30, y))
        for apart in range(32, 62, 2):
            touch("touchMove", (x - apart, y), (x + apart, y))
        touch("touchEnd")
        zoom, left, page_scale = page.evaluate("() => [view.zoom, viewport.scrollLeft, visualViewport.scale]")
        assert zoom == pytest.approx(60 / 32, rel=0.05)
        assert left == pytest.approx((before + box["width"] / 2) * zoom - box["width"] / 2, abs=10)
        assert page_scale == 1
        page.tap("#node-0 .title")
        assert shown.text("#node h3").startswith("Node 0")


@pytest.mark.filterwarnings("ignore:20 of the 20 validation rows")
def test_cards_do_not_overlap(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a tree with many branches, open as a whole and with nodes folded at random."""
    monkeypatch.setattr(workings, "MOST_CHARACTERS", 0)
    rng = np.random.default_rng(4)
    X = pd.DataFrame({f"c{j}": rng.integers(0, 9, 400).astype(str) for j in range(4)}).assign(x=rng.normal(size=400))
    y = rng.integers(0, 3, 400)
    model = ID3().fit(X, y)
    script = """() => {
      const boxes = seenNodes().map(node => { const b = made.get(node).getBoundingClientRect();
                                              return [b.left, b.top, b.right, b.bottom]; });
      return {boxes, frame: canvas.getBoundingClientRect().toJSON(), n: boxes.length};
    }"""
    html = deciduous.report(model, X, y, validation=(X[:20], y[:20])).html
    with opened(browser, html, tmp_path) as shown:
        for mode, seed in itertools.product(("down", "right", "outline"), (None, 1, 2, 3)):
            shown.page.check(f"input[value={mode}]", force=True)
            fold = "" if seed is None else f"if ((node * 7919 + {seed} * 104729) % 5 === 0) view.folded.add(node);"
            shown.page.evaluate(
                f"() => {{ view.folded.clear(); tree.first.forEach((_, node) => {{ {fold} }}); drawTree(); }}"
            )
            found = shown.page.evaluate(script)
            boxes = np.array(found["boxes"])
            assert len(boxes) > (300 if seed is None else 1)
            first, second = boxes[:, None], boxes[None]
            across = np.minimum(first[..., 2], second[..., 2]) - np.maximum(first[..., 0], second[..., 0])
            along = np.minimum(first[..., 3], second[..., 3]) - np.maximum(first[..., 1], second[..., 1])
            overlap = (across > 0.01) & (along > 0.01)
            assert overlap.sum() == len(boxes)  # each with itself
            frame = found["frame"]
            assert boxes[:, 0].min() >= frame["left"] - 0.5
            assert boxes[:, 2].max() <= frame["right"] + 0.5
            assert boxes[:, 3].max() <= frame["bottom"] + 0.5


def test_many_answers_have_room_for_their_lines(browser: Any, tmp_path: Path, shapes: dict[str, str]) -> None:
    """The gap below a question of many answers is deeper than that below one of two."""
    script = "() => { drawTree(); const at = size.at; const c = tree.first[0]; return [at.get(c).x, at.get(c).y]; }"
    found = {}
    for name in ("forty branches", "six leaves"):
        with opened(browser, shapes[name], tmp_path) as shown:
            for mode in ("down", "right"):
                shown.page.check(f"input[value={mode}]", force=True)
                found[name, mode] = shown.page.evaluate(script)[["down", "right"].index(mode) ^ 1]
    assert found["forty branches", "down"] > found["six leaves", "down"] + 30
    assert found["forty branches", "right"] > found["six leaves", "right"] + 40


def test_names_can_be_read_in_a_list_on_a_phone(browser: Any, tmp_path: Path, html: str) -> None:
    """The answer stands above the card: neither is cut, and cards do not reach into the answers below them."""
    script = """() => [...document.querySelectorAll('.node')].map(node => {
      const [reply, card, title] = ['.reply', '.card', '.title'].map(part => node.querySelector(part));
      const [a, b, n] = [reply, card, node].map(part => part.getBoundingClientRect());
      return [reply.scrollWidth <= reply.clientWidth, title.scrollWidth <= title.clientWidth,
              reply.textContent === '' || a.bottom <= b.top + 0.5, b.bottom <= n.bottom + 0.5];
    })"""
    with opened(browser, html, tmp_path, 390, 844) as shown:
        assert shown.page.is_checked("input[value=outline]")
        found = shown.page.evaluate(script)
        assert len(found) > 4
        assert [line for line in found if not all(line)] == []
        # beside long names a figure is there as a whole, or not at all
        whole = """() => [...document.querySelectorAll('.node')].flatMap(node => {
          node.querySelector('.title').textContent = 'W'.repeat(200);
          const figures = node.querySelector('.figures');
          const room = figures.getBoundingClientRect();
          const parts = [...figures.children].map(part => part.getBoundingClientRect());
          return parts.map(part => part.right <= room.right + 0.5 || part.top >= room.bottom - 0.5);
        })"""
        parts = shown.page.evaluate(whole)
        assert len(parts) > 4
        assert all(parts)


def test_notes_cover_no_figures(browser: Any, tmp_path: Path) -> None:
    """Of weighted rows, where the count of rows and their weight fill the card."""
    X, y, _ = gappy_table(5, 300)
    weight = np.arange(len(y)) % 3 + 0.123
    model = CART().fit(X, y, sample_weight=weight)
    script = """() => [...document.querySelectorAll('.node')].flatMap(node => {
      const [figures, note] = ['.figures', '.note'].map(part => node.querySelector(part));
      if (note.hidden || !note.textContent.startsWith('+')) return [];
      const range = document.createRange(); range.selectNodeContents(figures);
      return [note.getBoundingClientRect().left - range.getBoundingClientRect().right];
    })"""
    html = deciduous.report(model, X, y, weight, folds=2).html
    with opened(browser, html, tmp_path) as shown:
        gaps = shown.page.evaluate(script)
    assert gaps
    assert min(gaps) > 0


# --- for everyone --------------------------------------------------------------------------------------------------


def test_with_keys_alone(browser: Any, tmp_path: Path, grown: Any, html: str) -> None:
    tree = grown[0].tree_
    with opened(browser, html, tmp_path) as shown:
        page, press = shown.page, shown.page.keyboard.press
        selected = "() => tree.number[view.selected]"

        def tab_to(wanted: str) -> None:
            for _ in range(60):
                press("Tab")
                if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                    return
            raise AssertionError(f"{wanted} is not reached with Tab")

        press("Tab")
        assert page.evaluate("() => document.activeElement.className") == "skip"
        press("Enter")
        tab_to("#search")
        page.keyboard.type("maybe")
        press("Enter")
        assert " of " in shown.text("#found")
        tab_to("input[name=mode]")
        assert page.evaluate("() => view.mode") == "right"
        press("ArrowLeft")
        assert page.evaluate("() => view.mode") == "down"
        tab_to("#close-all")
        press("Enter")
        tab_to("[role=treeitem]")
        assert page.evaluate(selected) == 0
        press("ArrowDown")
        assert page.evaluate(selected) == 1
        assert f"Node 1 asks for {tree.node(1).feature}" == shown.text("#node h3")
        assert page.get_attribute("#node-1", "aria-expanded") == "false"
        press("ArrowRight")
        assert page.get_attribute("#node-1", "aria-expanded") == "true"
        press("ArrowRight")
        assert page.evaluate(selected) == tree.node(1).children[0].index
        press("ArrowLeft")
        press("ArrowLeft") if page.evaluate(selected) != 1 else None
        assert page.evaluate(selected) == 1
        press("Enter")
        assert page.get_attribute("#node-1", "aria-expanded") == "false"
        press("End")
        assert page.evaluate(selected) == 2
        press("Home")
        assert page.evaluate(selected) == 0
        tab_to("#pick")
        press("ArrowDown")
        assert shown.text("#row-says").startswith("Answer: ")
        tab_to("#cells input")
        page.keyboard.type("5")
        assert page.input_value("#pick") == ""
        tab_to("#stage")
        press("End")
        assert page.evaluate("() => view.stage") == page.evaluate("() => stages.n_leaves.length - 1")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not in build/npm")
@pytest.mark.parametrize(
    ("width", "scheme", "lang"),
    [(1440, "light", "en"), (1440, "dark", "zh"), (390, "dark", "en"), (390, "light", "zh")],
)
def test_nobody_is_kept_out(
    browser: Any, tmp_path: Path, by_language: dict[str, str], width: int, scheme: str, lang: str
) -> None:
    """axe-core finds no fault that is more than minor, with a row followed and a working open."""
    with opened(browser, by_language[lang], tmp_path, width, 844, color_scheme=scheme) as shown:
        shown.page.click("#pick-next")
        shown.page.evaluate("() => select(0, false)")
        shown.page.click("#node .working summary")
        shown.page.evaluate(AXE.read_text("utf-8"))
        found = shown.page.evaluate(
            "() => axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes[0].html]))"
        )
    assert [fault for fault in found if fault[0] != "minor"] == []


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_wider_than_the_window(
    browser: Any, tmp_path: Path, by_language: dict[str, str], width: int, lang: str
) -> None:
    with opened(browser, by_language[lang], tmp_path, width, 844) as shown:
        shown.page.click("#pick-next")
        assert shown.page.evaluate("() => document.documentElement.scrollWidth") == width
        shown.page.click("#node .working summary") if shown.page.locator("#node .working").count() else None
        assert shown.page.evaluate("() => document.documentElement.scrollWidth") == width


def test_hostile_names_stay_text(browser: Any, tmp_path: Path) -> None:
    frame, target = hostile_table()
    model = C45(pruning=None).fit(frame, target)
    html = deciduous.report(model, frame, target, folds=2, title=target).html
    with opened(browser, html, tmp_path, 390, 844) as shown:
        page = shown.page
        page.click("#open-all")
        page.click("#pick-next")
        for node in range(0, len(model.tree_), 7):
            page.evaluate("node => select(node, false)", node)
        assert page.title() == target
        assert shown.text("h1") == target
        assert page.evaluate("() => [window.broken, document.images.length, document.scripts.length]") == [None, 0, 2]
        names = page.eval_on_selector_all("#columns h4", "all => all.map(e => e.title)")
        assert names == [clean(str(name)) for name in frame.columns[:-1]]
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390


def test_a_tree_of_one_leaf(browser: Any, tmp_path: Path) -> None:
    X, y, _ = gappy_table(16, 40)
    model = CART(max_depth=0).fit(X, y)
    with opened(browser, deciduous.report(model, X, y, folds=2).html, tmp_path) as shown:
        assert shown.numbers_seen() == [0]
        assert not shown.page.is_visible("#pruning")
        shown.page.click("#pick-next")
        assert f"Answer: {model.predict(X[:1])[0]}" in shown.text("#row-says")


def test_a_row_is_followed_as_far_as_the_report_goes(
    browser: Any, tmp_path: Path, grown: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "MOST_NODES", 7)
    monkeypatch.setattr(workings, "MOST_CHARACTERS", 0)
    model, X, y = grown
    with opened(browser, deciduous.report(model, X, y, folds=2).html, tmp_path) as shown:
        held = shown.numbers_seen()
        assert len(held) <= 7
        path = next(p for p in (model.decision_path(X[i : i + 1]).indices.tolist() for i in range(50)) if len(p) > 5)
        row = next(i for i in range(50) if model.decision_path(X[i : i + 1]).indices.tolist() == path)
        shown.page.select_option("#pick", str(row))
        assert "The walk goes on below this node" in shown.text("#row-says")
        assert shown.page.locator(".node.lit").count() == len(set(path) & set(held))
        assert shown.page.locator(".node .note", has_text=" nodes").count() >= 1


def test_no_script_but_its_own_runs(browser: Any, tmp_path: Path, html: str) -> None:
    file = tmp_path / "report.html"
    file.write_text(html.replace("</main>", "</main><script>window.broken = 1</script>"), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("() => window.broken") is None
    assert page.locator(".node").count() > 3
    page.close()


def test_light_and_dark_and_paper(browser: Any, tmp_path: Path, html: str) -> None:
    background = "() => getComputedStyle(document.body).backgroundColor"
    with opened(browser, html, tmp_path, color_scheme="dark") as shown:
        page = shown.page
        dark = page.evaluate(background)
        page.click("#theme")
        light = page.evaluate(background)
        assert light != dark
        page.click("#theme")
        assert page.evaluate(background) == dark
        page.emulate_media(media="print")
        assert page.evaluate(background) == "rgb(255, 255, 255)"
        assert not page.is_visible("nav")
        assert not page.is_visible("#follow")
        assert page.is_visible("#node-0")
        assert len(page.pdf(format="A4")) > 20_000


def test_a_large_tree_stays_usable(browser: Any, tmp_path: Path) -> None:
    """2,000 nodes and 6,000 rows: the file stays small, it opens folded, and opening all takes a moment."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(6000, 8)), columns=[f"column {j}" for j in range(8)])
    y = ((X["column 0"] * X["column 1"] > 0) ^ (rng.random(6000) < 0.2)).astype(int)
    model = CART(max_leaf_nodes=1000).fit(X, y)
    assert len(model.tree_) == 1999
    made = deciduous.report(model, X, y)
    assert len(made.html.encode()) < 1_000_000
    assert any("The working of" in sentence for sentence in made.left_out)
    with opened(browser, made.html, tmp_path) as shown:
        page = shown.page
        assert page.locator(".node").count() < 40
        assert "The working of" in shown.text("main > .note")
        page.select_option("#pick", "77")
        passed = page.evaluate("() => [...view.passed.keys()].map(node => tree.number[node])")
        row = int(page.evaluate("() => report.rows.number[77]")) - 1
        assert sorted(passed) == model.decision_path(X.iloc[[row]]).indices.tolist()
        took = page.evaluate(
            "() => { const from = performance.now(); byId('open-all').click(); items.getBoundingClientRect();"
            " return performance.now() - from; }"
        )
        assert page.locator(".node").count() == 1999
        assert took < 15_000  # some tenths of a second where nothing else runs
        page.click("#zoom-fit")
        page.fill("#search", "column 7")
        assert " of " in shown.text("#found")
