"""A tree as text: the questions with real names, rows, counts and shares."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from deciduous.errors import OptionError, listing, nearest
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.labels import NUMBERS, Conditions, rows_text, significant
from deciduous.model.node import Node
from deciduous.model.tree import Tree
from deciduous.textgrid import one_line, wrapped

#: Indentation starts again after this many levels, with the depth in brackets, so that deep trees stay readable and
#: small.
INDENTED_LEVELS = 24
#: What stands before a node: a branch, the last branch, and what runs down beside the nodes below either.
RAILS = {"unicode": ("├─ ", "└─ ", "│  ", "   "), "ascii": ("+- ", "`- ", "|  ", "   ")}
#: More classes than this are cut short in a line, the largest first kept in class order.
MOST_CLASSES = 6


#: At least so many cells of a line are left for the question, however deep its node is.
LEAST_WIDTH = 40


def text_of(
    tree: Tree,
    max_depth: int | None = None,
    digits: int = 4,
    numbers: bool = False,
    rails: str = "unicode",
    width: int | None = None,
) -> str:
    """Return the tree as text, one line a node, at most `max_depth` levels of questions.

    Counts are training rows; where rows are weighted, or count in parts, the weight is shown and named. A branch that
    is cut off shows what it would answer and how much is hidden. Indentation starts again every 24 levels, so that a
    line is as long as its question and not as its node is deep. With `width`, lines that are longer go on below,
    further in. OptionError for `rails` that are not in `RAILS`.
    """
    return "\n".join(lines_of(tree, max_depth, digits, numbers, rails, width))


def lines_of(
    tree: Tree,
    max_depth: int | None = None,
    digits: int = 4,
    numbers: bool = False,
    rails: str = "unicode",
    width: int | None = None,
) -> Iterator[str]:
    """Return the lines of `text_of`, made one by one: a large tree can be printed without holding its text."""
    if rails not in RAILS:
        raise OptionError(f"rails={rails!r} is not one of {listing(RAILS)}.{nearest(rails, RAILS)}")
    if width is not None and width <= LEAST_WIDTH:
        raise OptionError(f"width={width!r} must be more than {LEAST_WIDTH}, or None.")
    levels = INDENTED_LEVELS if width is None else max(min(INDENTED_LEVELS, (width - LEAST_WIDTH) // 3), 1)
    conditions = Conditions(tree, digits)
    targets = tree.by_target()
    yield from _fitted("", "    ", headline(tree), width)
    stack: list[tuple[Node, str, str]] = [
        (tree.node(0), "", "")
    ]  # the node, what its line begins with, and its children's
    while stack:
        node, begin, below = stack.pop()
        cut = max_depth is not None and node.depth >= max_depth and not node.is_leaf
        number = f"{node.index}: " if numbers else ""
        line = _line(node, [Node(one, node.index) for one in targets], conditions, digits, cut)
        fresh = _fresh(node, levels)
        goes_on = not cut and not node.is_leaf and not fresh
        yield from _fitted(begin, below + RAILS[rails][2 if goes_on else 3] + "  ", number + line, width)
        if cut:
            yield from _fitted(f"{below}   ", f"{below}     ", _hidden(node), width)
        elif not node.is_leaf:
            stack.extend(reversed(list(_children(node, below, RAILS[rails], fresh))))


def _fresh(node: Node, levels: int) -> bool:
    """Whether indentation starts again below a node."""
    return node.depth > 0 and node.depth % levels == 0


def _fitted(begin: str, after: str, text: str, width: int | None) -> Iterator[str]:
    """Return a line in lines of at most so many cells, those after the first with another beginning."""
    if width is None:
        yield begin + text
        return
    first, *others = wrapped(" " * cell_len(begin) + text, width, " " * cell_len(after))
    yield begin + first[cell_len(begin) :]
    yield from (after + line[cell_len(after) :] for line in others)


def headline(tree: Tree) -> str:
    """Return the kind of a tree, its targets, and how large it is."""
    rows = _n("{n} row", "{n} rows", int(tree.n_samples[0])).format(n=tree.n_samples[0])
    if tree.weighted:
        rows += _(", weight {weight}").format(weight=significant(float(tree.weight[0])))
    leaves = _n("{n} leaf", "{n} leaves", tree.n_leaves).format(n=tree.n_leaves)
    targets = ", ".join(one_line(target) for target in tree.targets)
    return _("{name} tree for {targets}: {rows}, {leaves}, depth {depth}").format(
        name=tree.options["name"], targets=targets, rows=rows, leaves=leaves, depth=tree.max_depth
    )


def _children(node: Node, below: str, rails: tuple[str, str, str, str], fresh: bool) -> Iterator[tuple[Node, str, str]]:
    branch, last, beside, nothing = rails
    children = node.children
    prefix = f"[{node.depth}] " if fresh else below
    after = " " * len(prefix) if fresh else prefix
    for child in children[:-1]:
        yield child, prefix + branch, after + beside
    yield children[-1], prefix + last, after + nothing


def _line(node: Node, nodes: list[Node], conditions: Conditions, digits: int, cut: bool) -> str:
    """Return the line of a node; `nodes`: the same node in the tree of each target."""
    condition = one_line(conditions(node.index)) or _("all rows")
    predictions = ", ".join(one_line(_prediction(one, digits)) for one in nodes)
    shown = f" -> {predictions}" if node.is_leaf or cut else ""
    return _("{what}: {rows}").format(what=f"{condition}{shown}", rows=_counts(node, nodes, digits))


def _prediction(node: Node, digits: int) -> str:
    return str(node.prediction) if node.tree.task == "class" else significant(float(node.prediction), digits)


def _counts(node: Node, nodes: list[Node], digits: int) -> str:
    if node.n_samples == 0:
        return _("no rows, answers as its parent")
    rows = rows_text(node.n_samples, node.weight, digits)
    if len(nodes) > 1:
        if node.tree.task == "number":
            means = ", ".join(f"{one_line(n.tree.target)} {significant(float(n.prediction), digits)}" for n in nodes)
            variance = significant(node.impurity, digits)
            return _("{rows}, means {means}, variance {variance}").format(rows=rows, means=means, variance=variance)
        several = (
            _("{target}: {what}").format(target=one_line(one.tree.target), what=class_counts(one, digits))
            for one in nodes
        )
        return _("{rows}: {counts}").format(rows=rows, counts=_("; ").join(several))
    if node.tree.task == "number":
        answer, impurity = NUMBERS.get(str(node.tree.options["criterion"]), (_("mean"), _("variance")))
        return _("{rows}, {answer} {number}, {impurity} {error}").format(
            rows=rows,
            answer=_(answer),
            number=significant(float(node.prediction), digits),
            impurity=_(impurity),
            error=significant(node.impurity, digits),
        )
    return _("{rows}: {counts}").format(rows=rows, counts=class_counts(node, digits))


def class_counts(node: Node, digits: int = 4) -> str:
    """Return the classes of a node with weight and share, such as `No 6 (40 %), Yes 9 (60 %)`."""
    weights, total = node.class_weights, node.weight
    largest = set(sorted(weights, key=lambda c: -weights[c])[:MOST_CLASSES]) if len(weights) > MOST_CLASSES else weights
    shown = [
        f"{one_line(str(label))} {significant(w, digits)} ({100 * w / total:.3g} %)"
        for label, w in weights.items()
        if label in largest
    ]
    rest = len(weights) - len(shown)
    more = _n(", and {n} more class", ", and {n} more classes", rest).format(n=rest) if rest else ""
    return ", ".join(shown) + more


def _hidden(node: Node) -> str:
    """Return how much lies below a node whose branches are cut off."""
    tree = node.tree
    below = [child.index for child in node.children]
    nodes = leaves = 0
    deepest = node.depth
    while below:
        index = below.pop()
        nodes += 1
        deepest = max(deepest, int(tree.depth[index]))
        first = int(tree.first_child[index])
        if first < 0:
            leaves += 1
        else:
            below.extend(range(first, first + int(tree.n_branches[index])))
    levels = deepest - node.depth
    text = _n(
        "... {nodes} more nodes hidden ({leaves} leaves, {n} level)",
        "... {nodes} more nodes hidden ({leaves} leaves, {n} levels)",
        levels,
    )
    return text.format(nodes=nodes, leaves=leaves, n=levels)
