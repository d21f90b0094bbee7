"""What the columns of the table are, and how their cells are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciduous.data.schema import Feature
from deciduous.draw.sample import Sample
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.measures import Floats
from deciduous.model.labels import significant
from deciduous.model.tree import Tree

#: A report describes at most so many columns; of more than so many, those that the tree does not ask for are folded.
MOST_COLUMNS = 200
MOST_OPEN = 24
#: So many categories are named in words, the most frequent ones.
MOST_NAMED = 5


def described(tree: Tree) -> list[int]:
    """Return the columns that are described, in the order of the table: of more than there is room for, those that the
    tree asks for before the others.
    """
    asked = set(tree.used_features)
    order = sorted(range(len(tree.schema)), key=lambda j: (j not in asked, j))
    return sorted(order[:MOST_COLUMNS])


def columns_data(sample: Sample, tree: Tree) -> list[dict[str, Any]]:
    """Return what the page says about each column that is described; of many, only those that the tree asks for are
    open from the beginning.
    """
    asked, features, columns = tree.used_features, tree.schema.features, described(tree)
    return [
        {
            "name": features[j].name,
            "place": j,
            "open": len(columns) <= MOST_OPEN or j in asked,
            "kind": _(KINDS[features[j].kind]),
            "why": "" if features[j].reason == "numbers" else translate_filled(features[j].reason),
            **(_cells(sample, j) if features[j].is_split_on else {}),
        }
        for j in columns
    ]


#: The kinds of columns, as they are called.
KINDS = {
    "numeric": "number",
    "ordinal": "ranked category",
    "nominal": "category",
    "id": "row label",
    "weight": "weight",
}


def _cells(sample: Sample, j: int) -> dict[str, Any]:
    cells = sample.cells(j)
    missing = int(np.isnan(cells).sum())
    feature = sample.table.schema.features[j]
    return {
        "missing": missing,
        "missing_share": f"{100 * missing / len(cells):.1f} %" if missing else "",
        "words": _words(feature, cells[~np.isnan(cells)]),
    }


def _words(feature: Feature, known: Floats) -> str:
    """Return the range of numbers with its middle, or the most frequent categories."""
    if not len(known):
        return _("no known cell")
    if feature.kind == "numeric":
        low, middle, high = (significant(float(x)) for x in (known.min(), np.median(known), known.max()))
        return _("{low} to {high}, median {median}").format(low=low, high=high, median=middle)
    codes, counts = np.unique(known.astype(np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    named = [f"{feature.categories[codes[i]]} ({counts[i]})" for i in order[:MOST_NAMED].tolist()]
    rest = len(codes) - len(named)
    return ", ".join(named) + (_(" + {n} more").format(n=rest) if rest else "")
