"""The oracle: decision trees by plain recursion, from the definitions, in exact numbers; slow on purpose.

An *entry* is (row index, weight). The *statistics* of entries are their class weights, or (sum w, sum w*y,
sum w*y*y) for squared error. A *table* holds those of each branch of a split. Rows are tuples; None: missing.
A column is "numeric", "ordinal" (codes, cut by thresholds) or the number K of nominal codes 0..K-1.
"""

from dataclasses import dataclass, replace
from decimal import Context
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

LN = cache(lambda n: Fraction(Context(prec=60).ln(n)))  # of an integer; all else is exact
TIE = Fraction(1, 10**10)  # tied: within this times the impurity of the node (ratios: within this)
ROUNDING = Fraction(1, 10**30)  # far above the error of our logarithms, far below any real difference


def proportions(weights) -> list[Fraction]:  # without the zeros, so none of nothing
    exact = [Fraction(w) for w in weights if w]
    return [w / sum(exact) for w in exact]


def entropy(counts) -> Fraction:
    return sum((p * (LN(p.denominator) - LN(p.numerator)) / LN(2) for p in proportions(counts)), Fraction(0))


def gini(counts) -> Fraction:
    return sum((p * (1 - p) for p in proportions(counts)), Fraction(0))  # = 1 - sum p^2


def variance(sums) -> Fraction:
    w, wy, wyy = map(Fraction, sums)
    return wyy / w - (wy / w) ** 2 if w else Fraction(0)


split_information = entropy  # of the weights of the branches
IMPURITY = {"gain": entropy, "gain_ratio": entropy, "entropy": entropy, "gini": gini}
IMPURITY |= {"squared_error": variance, "misclassification": lambda c: 1 - max(proportions(c), default=1)}


def weight(statistics, impurity=entropy) -> Fraction:
    return Fraction(statistics[0] if impurity is variance else sum(statistics))


def information_gain(table, missing=(0, 0, 0), impurity=entropy) -> Fraction:
    """rho * (impurity(known) - sum_b (w_b / W_known) impurity(b)), rho = W_known / W_node."""
    known = [sum(map(Fraction, column)) for column in zip(*table, strict=True)]
    w_known, w_missing = weight(known, impurity), weight(missing, impurity)
    inside = sum(weight(branch, impurity) * impurity(branch) for branch in table)
    return (w_known * impurity(known) - inside) / (w_known + w_missing or 1)


def gain_ratio(table, missing=(0, 0, 0), impurity=entropy) -> Fraction | None:
    """Gain / split information, missing rows being one more branch of the latter; None if that is 0."""
    information = split_information([weight(branch, impurity) for branch in [*table, missing]])
    return information_gain(table, missing, impurity) / information if information else None


@dataclass(frozen=True)
class Split:
    feature: int
    kind: str  # threshold, multiway, subset, one_vs_rest, missing (branch 0: known, 1: missing)
    n_branches: int = 2
    threshold: Fraction | None = None  # x <= threshold goes to branch 0
    categories: tuple = ()  # the branch of each declared category; None: absent, on neither side
    missing: int | None = None  # the branch of missing cells; None: there are none, or they are spread
    gain: Fraction | None = None
    ratio: Fraction | None = None
    paid: Fraction = Fraction(0)  # of the gain, for having been chosen among several thresholds

    @property
    def left(self) -> Fraction:
        return self.gain - self.paid

    @property
    def ratio_left(self) -> Fraction:
        return self.ratio * self.left / self.gain

    def branch(self, cell) -> int | None:
        if cell is None or self.kind == "missing":
            return self.missing if cell is None else 0
        return int(cell > self.threshold) if self.kind == "threshold" else self.categories[cell]


@dataclass
class Node:
    rows: list  # indexes
    weights: list  # of these rows
    counts: list  # their statistics
    impurity: Fraction
    value: list  # statistics / weight (class shares; or 1, mean, ...); an empty node has those of its parent
    reason: str | None = None  # why it is a leaf
    best: tuple = ()  # the best split of each feature, or None
    split: Split | None = None
    shares: tuple = ()  # what each branch gets of a row with a missing cell
    children: tuple = ()


def signature(node: Node) -> tuple:
    """(feature, kind, threshold or branch of each category, missing branch, *(rows, signature) a child)."""
    if not (s := node.split):
        return ()
    rule = s.categories if s.threshold is None else float(s.threshold)
    return (s.feature, s.kind, rule, s.missing, *((len(c.rows), signature(c)) for c in node.children))


class Textbook:
    criterion = "gain"  # or another key of IMPURITY
    nominal, threshold = "multiway", "midpoint"  # or subset, one_vs_rest; or data
    missing = "error"  # or majority, branch, direction, fractional
    guard, zero_gain, min_gain, min_cases, mdl_correction = True, "stop", 0, 0, False
    max_depth, min_samples_split, min_samples_leaf, min_impurity = None, 0, 1, 0

    def __init__(self, rows, columns, y, weights=None, n_classes=None, **options):
        assert all(hasattr(Textbook, name) for name in options), options
        self.__dict__ |= {"rows": rows, "columns": columns, "y": y} | options
        self.impurity, self.n_classes = IMPURITY[self.criterion], n_classes or int(max(y)) + 1
        self.training = [(i, Fraction(w)) for i, w in enumerate(weights or [1] * len(rows)) if w]
        assert self.missing != "error" or not any(None in rows[i] for i, _ in self.training)

    def statistics(self, entries) -> list[Fraction]:
        if self.impurity is variance:
            return [sum((w * Fraction(self.y[i]) ** k for i, w in entries), Fraction(0)) for k in (0, 1, 2)]
        return [sum((w for i, w in entries if self.y[i] == c), Fraction(0)) for c in range(self.n_classes)]

    def candidates(self, j, entries) -> list[Split]:
        """All splits on feature j, in the order that decides ties."""
        cells = {self.rows[i][j] for i, _ in entries}
        present, holes, size = sorted(cells - {None}), None in cells, self.columns[j]
        kind = self.nominal if isinstance(size, int) else "threshold"
        learn, apart = holes and self.missing == "direction", Split(j, "missing", missing=1)
        if kind == "threshold":
            cuts = [(Fraction(a) + Fraction(b)) / 2 for a, b in pairwise(present)]
            if self.threshold == "data":  # the largest value of all training rows not above
                column = [self.rows[i][j] for i, _ in self.training if self.rows[i][j] is not None]
                cuts = [Fraction(max(x for x in column if x <= cut)) for cut in cuts]
            splits = [Split(j, kind, threshold=cut) for cut in cuts]
        elif kind == "multiway":
            splits = [Split(j, kind, size, categories=tuple(range(size)))]
        elif kind == "one_vs_rest":
            values = present if len(present) > 1 else []
            splits = [Split(j, kind, categories=tuple(int(c != v) for c in range(size))) for v in values]
        else:  # subset: left is the smaller block, of two halves the one with the first category
            items = present + [size] * learn  # missing cells as one more category, the last
            blocks = [left for n in range(1, len(items) // 2 + 1) for left in combinations(items, n)]
            blocks = [left for left in blocks if 2 * len(left) < len(items) or items[0] in left]
            sides = [[int(c not in b) if c in items else None for c in range(size + 1)] for b in blocks]
            splits = [Split(j, kind, categories=tuple(s[:size]), missing=s[size]) for s in sides]
        if holes and self.missing == "branch":
            return [replace(s, n_branches=s.n_branches + 1, missing=s.n_branches) for s in splits] + [apart]
        if not learn or kind == "subset":
            return splits
        homes = present if kind == "multiway" else (0, 1)
        return [replace(s, missing=b) for s in splits for b in homes] + [apart]

    def divide(self, split, entries) -> list[list]:
        """The entries of each branch and, last, those with a missing cell that have none."""
        home = {i: split.branch(self.rows[i][split.feature]) for i, _ in entries}
        return [[e for e in entries if home[e[0]] == b] for b in [*range(split.n_branches), None]]

    def score(self, split, entries) -> Split | None:
        """The split with its gain and ratio; None if it divides nothing or a limit forbids it."""
        *branches, astray = self.divide(split, entries)
        rows = [len(branch) for branch in branches if branch]
        heavy = [branch for branch in branches if sum(w for _, w in branch) >= self.least(split, branches)]
        if len(rows) < 2 or min(rows) < self.min_samples_leaf or len(heavy) < 2:
            return None
        given = [self.statistics(branch) for branch in branches], self.statistics(astray), self.impurity
        return replace(split, gain=information_gain(*given), ratio=gain_ratio(*given))

    def least(self, split, branches) -> Fraction:
        """C4.5's M; for a threshold a tenth of the mean weight of a class, up to 25, if that is more."""
        share = sum(w for branch in branches for _, w in branch) / len({self.y[i] for i, _ in self.training}) / 10
        applies = split.threshold is not None and share > self.min_cases > 0
        return min(share, Fraction(25)) if applies else self.min_cases

    def choose(self, splits, slack) -> Split | None:
        """The first of the best, given the best of each feature; None if nothing gains enough."""
        splits = [s for s in splits if not self.pays(s) or s.left > slack]
        top = max((s.left for s in splits), default=Fraction(0))
        if top + ROUNDING < self.min_gain or (self.zero_gain == "stop" and top <= slack):
            return None
        if self.criterion != "gain_ratio":
            return next((s for s in splits if s.left >= top - slack), None)
        average = sum(s.left for s in splits) / (len(splits) or 1) if self.guard else 0
        rivals = [s for s in splits if s.left > slack and s.left >= max(average - slack, self.min_gain - ROUNDING)]
        return next((s for s in rivals if s.ratio_left >= max(r.ratio_left for r in rivals) - TIE), None)

    def pays(self, split) -> bool:
        """Whether the split pays log2(c) / n for being the best of c thresholds (Quinlan 1996)."""
        return self.mdl_correction and split.threshold is not None

    def grow(self, entries=None, depth=0, parent=None) -> Node:
        entries = self.training if entries is None else entries
        counts = self.statistics(entries)
        impurity, slack = self.impurity(counts), TIE * self.impurity(counts)
        value = [s / weight(counts, self.impurity) for s in counts] if entries else parent.value
        node = Node([i for i, _ in entries], [w for _, w in entries], counts, impurity, value)
        stops = {"empty": not entries, "pure": impurity == 0, "max_depth": depth == self.max_depth}
        stops["min_samples_split"] = len(entries) < self.min_samples_split
        stops["min_impurity"] = self.min_impurity > 0 and impurity - ROUNDING <= self.min_impurity
        if any(stops.values()):
            return replace(node, reason=next(reason for reason, holds in stops.items() if holds))
        for j in range(len(self.columns)):
            scored = [t for split in self.candidates(j, entries) if (t := self.score(split, entries))]
            top = max((s.gain for s in scored), default=None)
            best = next((s for s in scored if s.gain >= top - slack), None)
            if best and self.pays(best):
                best = replace(best, paid=LN(len(scored)) / LN(2) / sum(node.weights))
            node.best += (best,)
        node.split = split = self.choose([s for s in node.best if s], slack)
        if not split:
            return replace(node, reason="no_gain" if any(node.best) else "no_candidate")
        *branches, astray = self.divide(split, entries)
        weights = [sum(w for _, w in branch) for branch in branches]
        home = weights.index(max(weights)) if self.missing == "majority" else split.missing
        shares = weights if self.missing == "fractional" else [b == home for b in range(len(weights))]
        node.shares = tuple(Fraction(share) / (sum(shares) or 1) for share in shares)
        parts = [b + [(i, w * s) for i, w in astray if s] for b, s in zip(branches, node.shares, strict=True)]
        node.children = tuple(self.grow(sorted(part), depth + 1, node) for part in parts)
        return node
