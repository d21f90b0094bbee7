"""How trees and estimators show themselves in a notebook: as SVG; large trees are collapsed."""

from __future__ import annotations

from typing import Any

from deciduous.draw.svg import to_svg
from deciduous.model.tree import Tree

#: A notebook shows at most so many nodes; the others are counted where they are hidden.
MOST_NODES = 63
#: Wide trees scroll inside their cell.
FRAME = '<div class="deciduous-tree" style="overflow:auto;max-height:60em;margin-top:0.5em">{}</div>'


def html_of(model: Any) -> str:
    """Return the picture of a fitted estimator or a tree as a piece of HTML."""
    return FRAME.format(to_svg(model, max_nodes=MOST_NODES))


def inside_box(box: str, picture: str) -> str:
    """Return scikit-learn's box of an estimator with a picture at its end, still inside.

    The box is the outermost `div`; what follows it (a script) is left alone. Where the box has another form, the
    picture follows it.
    """
    start = box.find('<div id="sk-container')
    script = box.find("<script", max(start, 0))
    body, after = (box, "") if start < 0 or script < 0 else (box[:script], box[script:])
    before, end, rest = body.rpartition("</div>")
    if start < 0 or not end or rest.strip() not in ("", "</body>"):
        return box + picture
    return before + picture + end + rest + after


def register() -> None:
    """Give trees the method by which notebooks ask for HTML. (Estimators have their own.)"""
    Tree._repr_html_ = html_of  # type: ignore[attr-defined]
