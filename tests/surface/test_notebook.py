"""What notebooks show: the tree as SVG, inside scikit-learn's box of the estimator."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
import sklearn
from sklearn.datasets import load_digits

import deciduous
from deciduous import datasets


class Nesting(HTMLParser):
    """The classes of the `div`s around every picture; and how many are never closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.around: list[list[str]] = []

    def handle_starttag(self, tag, attrs) -> None:
        if tag == "svg" and dict(attrs).get("role") == "img":
            self.around.append([*self.open])
        if tag == "div":
            self.open.append(dict(attrs).get("class") or "")

    def handle_endtag(self, tag) -> None:
        if tag == "div":
            self.open.pop()


@pytest.fixture(scope="module")
def model():
    loan = datasets.load("loan")
    return deciduous.ID3Classifier(kinds=loan.kinds).fit(loan.frame, "Class")


def test_an_estimator_shows_its_tree_inside_its_box(model) -> None:
    page = model._repr_mimebundle_()["text/html"]
    nesting = Nesting()
    nesting.feed(page)
    assert len(nesting.around) == 1
    assert nesting.around[0][0].startswith("sk-top-container")
    assert nesting.around[0][-1] == "deciduous-tree"
    assert ">Owns House</text>" in page
    assert model._repr_html_().count("<svg") >= 1


def test_an_estimator_that_is_not_fitted_shows_scikit_learns_box_alone() -> None:
    page = deciduous.ID3Classifier()._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in page
    assert "deciduous-tree" not in page


def test_a_tree_shows_itself(model) -> None:
    page = model.tree_._repr_html_()
    nesting = Nesting()
    nesting.feed(page)
    assert nesting.around == [["deciduous-tree"]]
    assert not nesting.open


def test_display_as_text_is_respected(model) -> None:
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_large_trees_collapse() -> None:
    digits = load_digits()
    model = deciduous.CARTClassifier().fit(digits.data, digits.target)
    page = model.tree_._repr_html_()
    assert len(model.tree_) > 200
    assert page.count('class="question"') + page.count('class="leaf"') + page.count('class="closed"') <= 63
    assert " nodes</text>" in page


def test_a_box_of_another_form_is_followed_by_the_picture() -> None:
    from deciduous.draw.notebook import inside_box

    assert inside_box("<p>box</p>", "PICTURE") == "<p>box</p>PICTURE"
    assert inside_box('<div id="sk-container-id-1"><p></p></div>', "PICTURE") == (
        '<div id="sk-container-id-1"><p></p>PICTURE</div>'
    )
