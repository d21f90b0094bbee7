"""Draws docs/gallery.md and the pictures in docs/gallery/, from tables that come with deciduous or scikit-learn.

Run it after a change to the pictures: `python docs/gallery.py`. The report is shown by Chromium, with Playwright.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, datasets, draw, evaluate

HERE = Path(__file__).parent
PICTURES = HERE / "gallery"
TEXT = """# Gallery

Everything here is drawn by `python docs/gallery.py`. SVG, DOT, Mermaid, TikZ and text need nothing installed; PNG, PDF,
`plot_tree`, `plot_regions` and the charts need matplotlib (`pip install 'deciduous[plot]'`). Any picture of a tree
comes in every format: `draw.save(model, "tree.svg")`, or `.png`, `.pdf`, `.dot`, `.mmd`, `.tex`, `.txt`; on the command
line `deciduous draw model.json --out tree.svg`. What a picture may show is said once, in `help(deciduous.draw.View)`.
"""


class Page:
    """The page as it grows: headings, code, and the picture that the code draws."""

    def __init__(self) -> None:
        self.parts = [TEXT]
        PICTURES.mkdir(exist_ok=True)

    def section(self, title: str, words: str) -> None:
        self.parts.append(f"\n## {title}\n\n{words}\n")

    def show(self, name: str, code: str, **names: Any) -> None:
        """Run an expression and keep what it draws: a text as SVG, axes as PNG."""
        drawn = eval(code, {"draw": draw, **names})
        self.parts.append(f"\n```python\n{code}\n```\n")
        if isinstance(drawn, str):
            (PICTURES / f"{name}.svg").write_text(drawn, encoding="utf-8")
            self.parts.append(f"\n![{name}](gallery/{name}.svg)\n")
        else:
            drawn.figure.savefig(PICTURES / f"{name}.png", dpi=80, metadata={"Software": None})
            pyplot.close(drawn.figure)
            self.parts.append(f"\n![{name}](gallery/{name}.png)\n")

    def quote(self, code: str, language: str, **names: Any) -> None:
        """Run an expression and quote the text that it returns."""
        text = eval(code, {"draw": draw, **names})
        self.parts.append(f"\n```python\n{code}\n```\n\n```{language}\n{text.rstrip()}\n```\n")

    def write(self) -> None:
        (HERE / "gallery.md").write_text("".join(self.parts), encoding="utf-8")


def main() -> None:
    """Draw everything."""
    page = Page()
    trees(page)
    teaching(page)
    inside(page)
    regions(page)
    charts(page)
    report(page)
    page.write()


def trees(page: Page) -> None:
    """Trees as they are drawn by default, and in other ways."""
    table, iris, data = datasets.load("watermelon3"), load_iris(as_frame=True), load_diabetes(as_frame=True)
    melon = C45Classifier(kinds=table.kinds, min_cases=1).fit(table.frame, "好瓜")
    page.section(
        "Trees", "Names as they are, in any script. A row is followed through the tree; what is closed is counted."
    )
    ripe = {"密度": 0.6, "纹理": "清晰", "触感": "硬滑"}
    page.show("melon", "draw.to_svg(melon, row=ripe)", melon=melon, ripe=ripe)
    flowers = CARTClassifier().fit(iris.data, iris.target_names[iris.target])
    options = 'direction="right", max_depth=3, impurity=True, numbers=True, theme="dark"'
    page.show("flowers", f"draw.to_svg(flowers, {options})", flowers=flowers)
    sugar = CARTRegressor(max_depth=2).fit(data.data, data.target)
    page.show("numbers", "draw.to_svg(sugar)", sugar=sugar)
    page.show("matplotlib", "draw.plot_tree(flowers, max_depth=2)", flowers=flowers)


def teaching(page: Page) -> None:
    """The pictures of books: half-grown trees, one question alone, Mermaid and text."""
    loan, pets = datasets.load("loan"), datasets.load("catdog")
    model = ID3Classifier(kinds=loan.kinds).fit(loan.frame, "Class")
    page.section(
        "For teaching",
        "The half-grown tree with its sets, one question alone (chosen or not), Mermaid as GitHub draws it.",
    )
    page.show("half_grown", 'draw.to_svg(model, splits=1, shape="round")', model=model)
    pet = ID3Classifier(kinds=pets.kinds).fit(pets.frame, pets.frame.columns[-1])
    page.show("one_level", 'draw.to_svg(draw.one_level(pet, "Color"), impurity=True)', pet=pet)
    page.quote("draw.to_mermaid(model, counts=False)", "mermaid", model=model)
    page.quote("draw.to_text(model)", "text", model=model)


def inside(page: Page) -> None:
    """The rows inside the nodes."""
    penguins, data = datasets.load("penguins"), load_diabetes(as_frame=True)
    X, y = penguins.X, penguins.y
    model = CARTClassifier(max_leaf_nodes=5).fit(X, y)
    page.section(
        "Inside the nodes",
        "With `data=` each question shows its column by class and where it cuts it; numbers show both means.",
    )
    page.show("inside_classes", "draw.to_svg(model, data=(X, y))", model=model, X=X, y=y)
    X, y = data.data, data.target
    model = CARTRegressor(max_depth=2).fit(X, y)
    page.show("inside_numbers", "draw.to_svg(model, data=(X, y))", model=model, X=X, y=y)
    page.show("leaves", "draw.plot_leaves(model)", model=model)


def regions(page: Page) -> None:
    """Decision regions."""
    iris, penguins, data = load_iris(as_frame=True), datasets.load("penguins"), load_diabetes(as_frame=True)
    page.section(
        "Decision regions",
        "Exact rectangles; the shade is the probability; categories lie on an axis; other columns are cut, "
        "and rows that the tree sends elsewhere are rings.",
    )
    X, y = iris.data[["sepal length (cm)", "petal length (cm)"]], iris.target_names[iris.target]
    model = CARTClassifier(max_depth=4).fit(X, y)
    page.show("regions", "draw.plot_regions(model, X, y)", model=model, X=X, y=y)
    X, y = penguins.X, penguins.y
    model = CARTClassifier(max_leaf_nodes=8).fit(X, y)
    code = 'draw.plot_regions(model, X, y, features=["flipper_length_mm", "island"])'
    page.show("regions_categories", code, model=model, X=X, y=y)
    X, y = data.data[["bmi"]], data.target
    model = CARTRegressor(max_depth=3).fit(X, y)
    page.show("steps", "draw.plot_regions(model, X, y)", model=model, X=X, y=y)


def charts(page: Page) -> None:
    """Charts of figures that estimators have."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    model = CARTClassifier().fit(X, y)
    page.section("Charts", "Importance, the path of pruning with what its rules choose, confusion and learning.")
    page.show("importance", "draw.plot_importance(model, most=8)", model=model)
    path = model.cross_validated_path(X, y, cv=5)
    page.show("pruning_path", "draw.plot_pruning_path(path)", path=path)
    judged = evaluate.cross_validate(CARTClassifier(max_leaf_nodes=6), X, y, cv=5)
    page.show("confusion", "draw.plot_confusion(judged)", judged=judged)
    page.show("calibration", 'draw.plot_calibration(judged, "benign")', judged=judged)
    curve = evaluate.learning_curve(CARTClassifier(max_leaf_nodes=6), X, y)
    page.show("learning_curve", "draw.plot_curve(curve)", curve=curve)


def report(page: Page) -> None:
    """The report as Chromium shows it, on a desk and on a phone."""
    penguins = datasets.load("penguins")
    X, y = penguins.X, penguins.y
    made = deciduous.report(CARTClassifier(max_leaf_nodes=9).fit(X, y), X, y, title="Which penguin is it?")
    page.section(
        "The report", "One file that needs no network (docs/report.md), on a desk and, in the dark, on a phone."
    )
    page.parts.append('\n```python\ndeciduous.report(model, X, y).save("report.html")\n```\n')
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        made.save(f"{folder}/report.html")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, width, height, scheme in (("report", 1280, 1400, "light"), ("report_phone", 390, 844, "dark")):
            shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            shown.goto(f"file://{folder}/report.html")
            shown.select_option("#pick", "200")
            shown.evaluate("() => scrollTo(0, matchMedia('(max-width: 700px)').matches ? 560 : 0)")
            shown.wait_for_timeout(800)
            shown.screenshot(path=PICTURES / f"{name}.png")
            page.parts.append(f"\n![{name}](gallery/{name}.png)\n")
        browser.close()


if __name__ == "__main__":
    main()
