"""Every search finds the first best of all candidates there are, which are enumerated here one by one, in fractions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciduous import CARTClassifier, CARTRegressor
from deciduous.criteria import CRITERIA, Criterion, drop_in_squared_error
from deciduous.estimators.training import training_set
from deciduous.grow.rows import Entries, MemoryRows
from deciduous.kernels import SplitKind
from deciduous.search.contingency import TIE, Contingency, Found, Rule, weight_of
from deciduous.search.divisions import all_partitions
from deciduous.search.multiway import multiway
from deciduous.search.subsets import best_subset, one_vs_rest
from deciduous.search.thresholds import best_threshold
from tests.oracle import textbook
from tests.strategies import QUARTERS, Small, fit, tables, task_of, tasks

KNOWN_ROWS_ONLY = ("error", "majority", "fractional")
TWO_CLASSES = tuple(CRITERIA["class", name] for name in ("gain", "gini", "misclassification"))
SQUARED_ERROR = CRITERIA["number", "squared_error"]


@dataclass(frozen=True)
class Items:
    """A contingency table in fractions: statistics and rows per value, and of the rows with a missing cell."""

    lines: tuple[tuple[Fraction, ...], ...]
    counts: tuple[int, ...]
    missing: tuple[Fraction, ...]
    missing_count: int
    criterion: Criterion

    @property
    def impurity(self) -> Any:
        return textbook.IMPURITY[self.criterion.name]

    def contingency(self, values: np.ndarray | None = None) -> Contingency:
        lines = np.array([[float(cell) for cell in line] for line in self.lines])
        lines = lines.reshape(len(self.lines), len(self.missing))  # also without a line
        missing = np.array([float(cell) for cell in self.missing])
        return Contingency(lines, np.array(self.counts), missing, self.missing_count, values)

    def rule(self, policy: str, **limits: Any) -> Rule:
        every = add([*self.lines, self.missing])
        return Rule(self.criterion, policy, "subset", TIE * float(self.impurity(every)), **limits)

    def present(self) -> list[int]:
        return [v for v, count in enumerate(self.counts) if count]


def add(lines: Any) -> tuple[Fraction, ...]:
    return tuple(map(sum, zip(*lines, strict=True)))


@dataclass(frozen=True)
class Candidate:
    """What a candidate would be stored as, and the exact tables of its branches."""

    what: Any  # the values of branch 0, or "missing or not"
    missing_branch: int
    tables: tuple[tuple[Fraction, ...], ...]
    counts: tuple[int, ...]


def binary(items: Items, policy: str, blocks: list[tuple[int, ...]]) -> Iterator[Candidate]:
    """Divisions of the values into a block (branch 0) and the rest, as the policy for missing cells has them."""
    nothing, values = tuple(Fraction(0) for _ in items.missing), items.present()

    def branch(block: Any) -> tuple[tuple[Fraction, ...], int]:
        return add([nothing, *(items.lines[v] for v in block)]), sum(items.counts[v] for v in block)

    has_missing = items.missing_count > 0
    apart = (items.missing, items.missing_count)
    for block in blocks:
        sides = [branch(block), branch([v for v in values if v not in block])]
        if policy in KNOWN_ROWS_ONLY or not has_missing:
            yield made(block, -1, sides)
        elif policy == "branch":
            yield made(block, 2, [*sides, apart])
        else:  # direction: with the one side, then with the other
            for b in (0, 1):
                both = [*sides]
                both[b] = (add([sides[b][0], items.missing]), sides[b][1] + items.missing_count)
                yield made(block, b, both)
    if has_missing and policy not in KNOWN_ROWS_ONLY:
        yield made("missing or not", 1, [branch(values), apart])


def made(what: Any, missing_branch: int, branches: list[Any]) -> Candidate:
    return Candidate(what, missing_branch, tuple(b[0] for b in branches), tuple(b[1] for b in branches))


Best = tuple[Candidate, Fraction]


def first_best(items: Items, policy: str, candidates: list[Candidate], **limits: Any) -> Best | None:
    """The first candidate that no other beats, and its gain; gains on known rows are multiplied by their share."""
    scored = []
    for candidate in candidates:
        rows = [count for count in candidate.counts if count]
        weights = [textbook.weight(t, items.impurity) for t in candidate.tables]
        heavy = [w for w in weights if w >= Fraction(limits.get("min_cases", 0))]
        if len(rows) < 2 or min(rows) < limits.get("min_samples_leaf", 1) or len(heavy) < 2:
            continue
        missing = items.missing if policy in KNOWN_ROWS_ONLY else (0,) * len(items.missing)
        scored.append((textbook.information_gain(candidate.tables, missing, items.impurity), candidate))
    if not scored:
        return None
    top = max(gain for gain, _ in scored)
    slack = textbook.TIE * items.impurity(add([*items.lines, items.missing]))
    return next((candidate, gain) for gain, candidate in scored if gain >= top - slack)


def same(found: Found | None, best: Best | None, items: Items) -> None:
    assert (found is None) == (best is None)
    if found is None or best is None:
        return
    candidate, gain = best
    scale = float(items.impurity(add([*items.lines, items.missing])))
    assert found.gain == pytest.approx(float(gain), rel=0, abs=1e-12 * max(scale, 1e-300))
    kept = [b for b, count in enumerate(candidate.counts) if count] if found.kind == SplitKind.MISSING else slice(None)
    exact = np.array([[float(cell) for cell in branch] for branch in candidate.tables])[kept]
    assert np.allclose(found.table, exact, rtol=1e-13, atol=0)
    assert found.exact


# --- what is searched ------------------------------------------------------------------------------------------------


@st.composite
def items(draw: st.DrawFn, criterion: Criterion, n_classes: int, most: int) -> Items:
    """Contingency tables of up to `most` values, some absent, with proportions that often coincide."""
    n = draw(st.integers(1, most))
    entry = st.tuples(st.integers(0, n_classes - 1), st.sampled_from(QUARTERS))
    rows = [draw(st.lists(entry, max_size=4)) for _ in range(n)]
    gap = draw(st.lists(entry, max_size=3))

    def line(entries: list[tuple[int, Fraction]]) -> tuple[Fraction, ...]:
        if criterion.task == "number":
            return tuple(sum((w * y**k for y, w in entries), Fraction(0)) for k in (0, 1, 2))
        return tuple(sum((w for y, w in entries if y == c), Fraction(0)) for c in range(n_classes))

    return Items(tuple(map(line, rows)), tuple(map(len, rows)), line(gap), len(gap), criterion)


POLICY = st.sampled_from(("error", "majority", "branch", "direction", "fractional"))
LIMITS = st.sampled_from([{}, {}, {"min_samples_leaf": 3}, {"min_cases": 1.6}])


def without_missing(table: Items, policy: str) -> Items:
    return replace(table, missing=tuple(0 * c for c in table.missing), missing_count=0) if policy == "error" else table


def blocks_of(n: int) -> Iterator[tuple[int, ...]]:
    """The divisions of n items in canonical order: smaller blocks first; of two halves, the one with the first item."""
    for size in range(1, n // 2 + 1):
        for block in combinations(range(n), size):
            if 2 * size < n or block[0] == 0:
                yield block


def all_subsets(table: Items, policy: str, **limits: Any) -> Best | None:
    values = table.present()
    if policy != "direction" or not table.missing_count:
        blocks = [tuple(values[i] for i in block) for block in blocks_of(len(values))]
        return first_best(table, policy, list(binary(table, policy, blocks)), **limits)
    # the missing rows are one more item, the last
    divided, n = [], len(values) + 1
    lines = [(table.lines[v], table.counts[v]) for v in values] + [(table.missing, table.missing_count)]
    for block in blocks_of(n):
        left, right = block, tuple(i for i in range(n) if i not in block)
        if left == (n - 1,):
            left, right = right, left  # the known rows are branch 0 of "missing or not"
        sides = [(add(lines[i][0] for i in side), sum(lines[i][1] for i in side)) for side in (left, right)]
        known = tuple(values[i] for i in left if i < n - 1)
        what = "missing or not" if right == (n - 1,) else known
        divided.append(made(what, int(n - 1 in right), sides))
    return first_best(table, policy, divided, **limits)


def same_subset(found: Found | None, best: Best | None, table: Items) -> None:
    same(found, best, table)
    if found is None or best is None:
        return
    candidate = best[0]
    if candidate.what == "missing or not":
        assert (found.kind, found.missing_branch) == (SplitKind.MISSING, 1)
        return
    assert found.kind == SplitKind.SUBSET
    assert found.missing_branch == candidate.missing_branch
    left = [-1 if not count else int(v not in candidate.what) for v, count in enumerate(table.counts)]
    assert found.category_branch.tolist() == left


# --- subsets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [*TWO_CLASSES, SQUARED_ERROR], ids=lambda c: c.name)
@given(data=st.data(), policy=POLICY, limit=LIMITS)
def test_best_subset_of_ordered_items(
    criterion: Criterion, data: st.DataObject, policy: str, limit: dict[str, Any]
) -> None:
    """For two classes and numbers one order of the items holds the best division, unless limits forbid it."""
    table = without_missing(data.draw(items(criterion, 2 if criterion.task == "class" else 4, 8)), policy)
    found = best_subset(table.contingency(), table.rule(policy, **limit))
    same_subset(found, all_subsets(table, policy, **limit), table)


@pytest.mark.parametrize("name", ["gain", "gini", "misclassification"])
@given(data=st.data(), policy=POLICY, limit=LIMITS)
def test_best_subset_of_several_classes(name: str, data: st.DataObject, policy: str, limit: dict[str, Any]) -> None:
    """All partitions are tried, whatever the limits."""
    table = without_missing(data.draw(items(CRITERIA["class", name], 4, 6)), policy)
    found = best_subset(table.contingency(), table.rule(policy, **limit))
    same_subset(found, all_subsets(table, policy, **limit), table)


@pytest.mark.parametrize("criterion", [*TWO_CLASSES, SQUARED_ERROR], ids=lambda c: c.name)
def test_best_subset_of_ordered_items_under_limits(criterion: Criterion) -> None:
    """With two rows a branch, the first category can only join the third, though the second lies between them."""
    classes, numbers = [(0, 1), (2, 0), (1, 0)], [(1, 0, 0), (2, 2, 2), (1, 1, 1)]
    table = lines_of(criterion, *(classes if criterion.task == "class" else numbers))
    found = best_subset(table.contingency(), table.rule("error", min_samples_leaf=2))
    same_subset(found, all_subsets(table, "error", min_samples_leaf=2), table)


def test_best_subset_by_misclassification_under_ties() -> None:
    """All divisions gain nothing; the first in canonical order is {first} | {second, third}."""
    table = lines_of(CRITERIA["class", "misclassification"], (1, 0), (1, 0), (1, 1))
    same_subset(best_subset(table.contingency(), table.rule("error")), all_subsets(table, "error"), table)


def test_best_subset_of_items_that_are_equal_up_to_rounding() -> None:
    table = lines_of(CRITERIA["class", "gini"], (6, 6), (6, 6), (6, 6))
    rounded = np.array([[0.6, 0.6], [0.6, 0.1 + 0.2 + 0.3], [0.1 + 0.2 + 0.3, 0.6]])  # all are 0.6 on paper
    found = best_subset(replace(table.contingency(), table=rounded), table.rule("error"))
    assert found is not None
    assert found.category_branch.tolist() == [0, 1, 1]


@pytest.mark.parametrize("n", range(2, 10))
def test_partitions_are_in_canonical_order(n: int) -> None:
    sides = all_partitions(n)
    assert [tuple(np.flatnonzero(line).tolist()) for line in sides] == list(blocks_of(n))
    assert len(sides) == 2 ** (n - 1) - 1


def lines_of(criterion: Criterion, *lines: tuple[int, ...]) -> Items:
    exact = tuple(tuple(map(Fraction, line)) for line in lines)
    rows = tuple(int(line[0] if criterion.task == "number" else sum(line)) for line in lines)
    return Items(exact, rows, tuple(Fraction(0) for _ in lines[0]), 0, criterion)


# --- other splits ----------------------------------------------------------------------------------------------------

EVERY = (*(CRITERIA["class", name] for name in ("gain", "gini", "misclassification")), SQUARED_ERROR)


@pytest.mark.parametrize("criterion", EVERY, ids=lambda c: c.name)
@given(data=st.data(), policy=POLICY, limit=LIMITS)
def test_best_threshold(criterion: Criterion, data: st.DataObject, policy: str, limit: dict[str, Any]) -> None:
    table = without_missing(data.draw(items(criterion, 3, 8)), policy)
    present = table.present()
    table = replace(table, lines=tuple(table.lines[v] for v in present), counts=tuple(table.counts[v] for v in present))
    values = np.cumsum([0.0, *data.draw(st.lists(st.sampled_from([0.25, 1.0, 3.5]), min_size=8, max_size=8))])
    values = values[: len(present)]
    cuts = [tuple(range(k)) for k in range(1, len(present))]
    best = first_best(table, policy, list(binary(table, policy, cuts)), **limit)
    found = best_threshold(table.contingency(values), table.rule(policy, **limit))
    same(found, best, table)
    if found is None or best is None:
        return
    if best[0].what == "missing or not":
        assert (found.kind, found.missing_branch) == (SplitKind.MISSING, 1)
        return
    cut = len(best[0].what)
    assert (found.kind, found.missing_branch) == (SplitKind.THRESHOLD, best[0].missing_branch)
    assert found.threshold == (values[cut - 1] + values[cut]) / 2


@pytest.mark.parametrize("criterion", EVERY, ids=lambda c: c.name)
@given(data=st.data(), policy=POLICY, limit=LIMITS)
def test_one_vs_rest(criterion: Criterion, data: st.DataObject, policy: str, limit: dict[str, Any]) -> None:
    table = without_missing(data.draw(items(criterion, 3, 6)), policy)
    present = table.present()
    blocks = [(v,) for v in present] if len(present) > 1 else []
    candidates = list(binary(table, policy, blocks)) if present else []
    best = first_best(table, policy, candidates, **limit)
    found = one_vs_rest(table.contingency(), table.rule(policy, **limit))
    same(found, best, table)
    if found is None or best is None:
        return
    if best[0].what == "missing or not":
        assert (found.kind, found.missing_branch) == (SplitKind.MISSING, 1)
        return
    assert (found.kind, found.missing_branch) == (SplitKind.ONE_VS_REST, best[0].missing_branch)
    assert found.category_branch.tolist() == [int((v,) != best[0].what) for v in range(len(table.counts))]


@pytest.mark.parametrize("criterion", EVERY, ids=lambda c: c.name)
@given(data=st.data(), policy=POLICY, limit=LIMITS)
def test_multiway(criterion: Criterion, data: st.DataObject, policy: str, limit: dict[str, Any]) -> None:
    table = without_missing(data.draw(items(criterion, 3, 5)), policy)
    branches, apart = list(zip(table.lines, table.counts, strict=True)), (table.missing, table.missing_count)
    candidates = [made("values", -1, branches)]
    if policy not in KNOWN_ROWS_ONLY and table.missing_count:
        candidates = [made("values", len(branches), [*branches, apart])]
        if policy == "direction":
            candidates = []
            for b in table.present():
                together = (add([branches[b][0], apart[0]]), branches[b][1] + apart[1])
                candidates.append(made("values", b, [*branches[:b], together, *branches[b + 1 :]]))
        known = (add([tuple(0 * c for c in table.missing), *table.lines]), sum(table.counts))
        candidates.append(made("missing or not", 1, [known, apart]))
    best = first_best(table, policy, candidates, **limit)
    found = multiway(table.contingency(), table.rule(policy, **limit))
    same(found, best, table)
    if found is not None and best is not None:
        kind = SplitKind.MULTIWAY if best[0].what == "values" else SplitKind.MISSING
        assert (found.kind, found.missing_branch) == (kind, best[0].missing_branch)


# --- what the searches are given -------------------------------------------------------------------------------------


@given(st.sampled_from([CARTClassifier, CARTRegressor]), tables(), st.data())
def test_contingency_tables_equal_naive_loops(estimator: type, table: Small, data: st.DataObject) -> None:
    """Sums per value of a column over the rows of a node; a fold of them gives what lies on either side of a cut."""
    task = task_of(estimator)
    algorithm = estimator._base
    training = training_set(table.X, table.target(task), table.sample_weight, algorithm, None)
    rows = MemoryRows(
        training.table, training.target.values, training.weight, algorithm.scoring, len(training.classes), training.rows
    )
    here = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(table))), min_size=1))))
    entries = Entries(here, rows.weight[here])
    centre, scale = float(rows.root().centre[0]), float(rows.root().scale[0])
    codes = {code: i for i, code in enumerate(sorted(set(table.y)))}
    for j in range(len(table.columns)):
        contingency = rows.contingency(entries, centre, scale, j)
        values = range(table.levels[j]) if isinstance(table.columns[j], int) else contingency.values.tolist()
        lines = [*contingency.table, contingency.missing]
        counts = [*contingency.counts, contingency.missing_count]
        for value, line, count in zip([*values, None], lines, counts, strict=True):
            chosen = [i for i in here.tolist() if table.cells[j][i] == value]
            assert count == len(chosen)
            exact = np.zeros(len(line))
            for i in chosen:
                w = table.weight[i]
                if task == "class":
                    exact[codes[table.y[i]]] += w
                else:
                    deviation = (table.y[i] + 40 - centre) / scale
                    exact += [w, w * deviation, w * deviation**2]
            assert line == pytest.approx(exact, rel=1e-13, abs=1e-14)
        if contingency.values is None:
            continue
        assert (np.diff(contingency.values) > 0).all()
        for k in range(1, len(contingency.values)):
            below = [i for i in here.tolist() if (c := table.cells[j][i]) is not None and c < contingency.values[k]]
            assert weight_of(contingency.table[:k].sum(axis=0), algorithm.scoring) == table.weight[below].sum()


@pytest.mark.parametrize(
    "criterion",
    [c for c in CRITERIA.values() if c.name not in ("absolute_error", "poisson")],  # no functions of such tables
    ids=lambda c: f"{c.task}-{c.name}",
)
@given(data=st.data())
def test_gains_equal_the_formula(criterion: Criterion, data: st.DataObject) -> None:
    """The impurity of the node less the mean of those of its branches; empty branches weigh nothing."""
    table = data.draw(items(criterion, 3, 6).filter(lambda t: sum(t.counts) > 0))
    tables = np.array([[[float(cell) for cell in line] for line in table.lines]] * 2)
    name = {"log_loss": "entropy", "friedman_mse": "squared_error"}.get(criterion.name, criterion.name)
    impurity = textbook.IMPURITY[name]
    exact = float(textbook.information_gain(table.lines, impurity=impurity))
    node = float(impurity(add(table.lines)))
    scores = criterion.gain(tables)
    assert scores.shape == (2,)
    assert scores == pytest.approx([exact, exact], rel=0, abs=1e-12 * max(node, 1))
    assert criterion.impurity(tables.sum(axis=1)) == pytest.approx([node, node], rel=1e-12, abs=1e-15)


# --- a user's own criterion ------------------------------------------------------------------------------------------


def own_information_gain(tables: np.ndarray) -> np.ndarray:
    """Information gain in bits as a user would write it, rounded so that what is tied on paper is tied here."""

    def entropy(weights: np.ndarray) -> np.ndarray:
        p = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
        return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)

    branches = tables.sum(axis=2)
    inside = (entropy(tables) * branches).sum(axis=1) / branches.sum(axis=1)
    return np.round(entropy(tables.sum(axis=1)) - inside, 11)


def own_variance_reduction(tables: np.ndarray) -> np.ndarray:
    return np.round(drop_in_squared_error(tables), 11)


@given(tasks())
def test_own_criterion(task: tuple[type, Small, dict[str, Any]]) -> None:
    """A function that returns the gain of a built-in criterion grows its tree."""
    estimator, table, chosen = task
    built_in = {CARTClassifier: "entropy", CARTRegressor: "squared_error"}.get(estimator, "gain")
    function = own_variance_reduction if built_in == "squared_error" else own_information_gain
    chosen.pop("min_impurity", None)  # a node's impurity is Gini's under a criterion of one's own
    ours = fit(estimator, table, **chosen | {"criterion": function}).tree_
    theirs = fit(estimator, table, **chosen | {"criterion": built_in}).tree_
    assert ours.to_text() == theirs.to_text()
