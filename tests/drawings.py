"""Trees to draw: of random shape, with the names that break drawings; and where Chromium is."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace

import numpy as np

from deciduous import Tree
from tests.trees import assembled

#: Names that break labels, markup, quoting, or the width that is expected of them.
HOSTILE = (
    *("a & b", 'x<=3 "q"', "c\\d", "{p|q}", "<script>alert(1)</script>", "line\nbreak", "</svg>", "$x^2$ $$", "%\\n#"),
    *("'", "''", "~_^", "[x](y)", "1. one", "- dash", "*b* _i_ `c`", "end", "a;b", "&lt;&amp;", "]]>", "-->", "\\N\\G"),
    *(
        "年龄",
        "信用情况（非常好）",
        "家　庭",
        "한국어",
        "ｶﾀｶﾅ",
        "קטגוריה",
        "الفئة الأولى",
        "\u202eabc",
        "e\u0301te\u0301",
    ),
    *(
        "👍🏽",
        "👨‍👩‍👧 fam",
        "🇩🇪",
        "हिन्दी",
        "ไทย",
        "tab\there",
        "\x00\x07",
        "  two  blanks  ",
        "",
        " ",
        "fa:fa-car",
        "√∑≤≠…",
    ),
)
LONG = ("W" * 200, "long name of a column " * 9, "很长的名字" * 40, "i" * 200)


def random_tree(seed: int, n_nodes: int | None = None, hostile: bool = True) -> Tree:
    """A tree of random shape: up to 40 branches a question, up to 30 classes, and names that make trouble."""
    rng = random.Random(seed)
    n_nodes = n_nodes or rng.choice([1, 3, 10, 30, 80])
    most = rng.choice([2, 2, 3, 5, 40])
    parent, first_child, n_branches = [-1], [-1], [0]
    frontier = [0]
    while frontier and len(parent) < n_nodes:
        node = frontier.pop(rng.randrange(len(frontier)) if rng.random() < 0.7 else -1)
        k = rng.randint(2, most)
        first_child[node], n_branches[node] = len(parent), k
        frontier.extend(range(len(parent), len(parent) + k))
        parent += [node] * k
        first_child += [-1] * k
        n_branches += [0] * k
    n_classes = rng.choice([1, 2, 3, 8, 30])
    counts = np.zeros((len(parent), n_classes))
    generator = np.random.default_rng(seed)
    leaves = np.array(first_child) < 0
    counts[leaves] = generator.integers(0, 4, (leaves.sum(), n_classes)) * generator.integers(0, 2, (leaves.sum(), 1))
    counts[np.flatnonzero(leaves)[:1], 0] += 1
    for i in range(len(parent) - 1, 0, -1):
        counts[parent[i]] += counts[i]
    counts[(counts.sum(axis=1) == 0) & ~leaves, 0] = 0
    # an inner node without rows has no place in a tree: it gets one in a leaf below
    for i in range(len(parent)):
        if first_child[i] >= 0 and counts[i].sum() == 0:
            node = i
            while first_child[node] >= 0:
                node = first_child[node]
            while node >= 0:
                counts[node, 0] += 1
                node = parent[node]
    tree = assembled(np.array(parent), np.array(first_child), np.array(n_branches), counts)
    names = HOSTILE + LONG if hostile else ("alpha", "beta", "gamma")
    return renamed(tree, [rng.choice(names) for _ in range(200)])


def renamed(tree: Tree, names: list[str]) -> Tree:
    """The tree with other names for columns, categories, classes and target; equal names are told apart."""
    features = []
    for j, feature in enumerate(tree.schema.features):
        categories = tuple(f"{names[(j + 3 * k) % len(names)]}{k}" for k in range(len(feature.categories)))
        features.append(replace(feature, name=f"{names[j % len(names)]}{j}", categories=categories))
    classes = tuple(f"{names[(7 * k + 1) % len(names)]}{k or ''}" for k in range(int(tree.class_code.max()) + 1))
    return replace(tree, schema=replace(tree.schema, features=tuple(features)), classes=classes, target=names[0])


#: Debian's, or another name of it.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
