"""The native searches of categories choose what their NumPy twins choose, on many random contingency tables."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from deciduous import kernels
from deciduous.criteria import CRITERIA, Criterion
from deciduous.grow.sorted_rows import MEASURES, POLICIES
from deciduous.kernels import SplitKind
from deciduous.search.contingency import TIE, Contingency, Found, Rule
from deciduous.search.features import best_split
from deciduous.search.pick import score_of

NOMINAL = ("multiway", "subset", "one_vs_rest")
NAMES = [("class", "gini"), ("class", "gain_ratio"), ("class", "misclassification"), ("number", "squared_error")]


@dataclass
class Batch:
    """Contingency tables under one rule, each with its own tie band."""

    tables: list[Contingency]
    rule: Rule
    unit: bool

    def bands(self) -> np.ndarray:
        impurity = self.rule.criterion.impurity
        impurities = [float(impurity(t.table.sum(axis=0) + t.missing)) for t in self.tables]
        return TIE * np.maximum(impurities, 1e-3)  # of pure nodes, which no grower searches, all is tied


def native_splits(batch: Batch) -> list[dict[str, Any] | None]:
    """What the native search finds for each table; None where there is no candidate."""
    rule, tables = batch.rule, batch.tables
    width = tables[0].table.shape[1]
    lines = np.concatenate([np.concatenate([t.missing[None], t.table]) for t in tables])
    counts = np.concatenate([np.append(t.missing_count, t.counts) for t in tables])
    starts = np.cumsum([0, *(len(t.counts) + 1 for t in tables)])
    native = kernels.native()
    assert native is not None
    kind, gain, information, missing, tried, exact, weight_start, weights, branch_start, branches = (
        native.best_categories(
            np.ascontiguousarray(lines.ravel(), dtype=np.float64),
            counts.astype(np.int64),
            starts.astype(np.int64),
            width,
            batch.bands(),
            NOMINAL.index(rule.nominal),
            MEASURES[rule.criterion.name],
            POLICIES[rule.missing],
            rule.min_samples_leaf,
            rule.min_weight_leaf,
            rule.min_cases,
            TIE,
            int(max(t.counts.sum() + t.missing_count for t in tables)) if batch.unit else 0,
        )
    )
    return [
        None
        if kind[i] == SplitKind.LEAF
        else {
            "kind": SplitKind(int(kind[i])),
            "gain": gain[i],
            "score": score_of(float(gain[i]), float(information[i]), rule),
            "information": information[i],
            "missing_branch": missing[i],
            "tried": tried[i],
            "exact": bool(exact[i]),
            "weights": weights[weight_start[i] : weight_start[i + 1]],
            "branches": branches[branch_start[i] : branch_start[i + 1]].tolist(),
        }
        for i in range(len(tables))
    ]


def check(batch: Batch) -> list[Found | None]:
    """Compare with the twin, and return what it found."""
    expected = []
    for i, (ours, contingency, band) in enumerate(zip(native_splits(batch), batch.tables, batch.bands(), strict=True)):
        rule = Rule(**{**vars(batch.rule), "band": float(band)})
        twin = best_split(contingency, rule)
        if not isinstance(twin, Found):
            assert ours is None, (i, contingency, rule, ours)
            expected.append(None)
            continue
        assert ours is not None, (i, contingency, rule, twin)
        branches = [] if twin.category_branch is None else twin.category_branch.tolist()
        mine = (ours["kind"], ours["branches"], ours["missing_branch"], ours["tried"], ours["exact"])
        assert mine == (twin.kind, branches, twin.missing_branch, twin.tried, twin.exact), (i, contingency, rule, twin)
        assert ours["gain"] == pytest.approx(twin.gain, rel=1e-10, abs=1e-12)
        assert ours["information"] == pytest.approx(twin.split_information, rel=1e-10, abs=1e-12)
        assert ours["score"] == pytest.approx(twin.score, rel=1e-9, abs=1e-12)
        assert ours["weights"] == pytest.approx(twin.weights, rel=1e-12, abs=1e-12)
        expected.append(twin)
    return expected


def random_table(
    rng: np.random.Generator, criterion: Criterion, n: int, n_classes: int, most: int, unit: bool
) -> Contingency:
    """Rows of n categories and of missing cells, some absent; small whole numbers and quarters, so that many tie."""
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 20.0])), size=n + 1)
    counts = rng.integers(0, most + 1, size=n + 1)
    if rng.random() < 0.4:
        counts[-1] = 0
    lines = np.zeros((n + 1, n_classes if criterion.task == "class" else 3))
    y = [rng.choice(n_classes, size=count, p=share) for count, share in zip(counts, shares, strict=True)]
    centre = np.concatenate(y).mean() if counts.sum() else 0.0
    quarters = rng.random() < 0.5
    for i, labels in enumerate(y):
        whole = np.ones(len(labels))
        weight = whole if unit else rng.integers(1, 5, len(labels)) / 4 if quarters else rng.random(len(labels)) + 0.1
        if criterion.task == "class":
            lines[i] = np.bincount(labels, weights=weight, minlength=n_classes)
        else:
            lines[i] = [(weight * (labels - centre) ** power).sum() for power in (0, 1, 2)]
    return Contingency(lines[:-1], counts[:-1].astype(np.int64), lines[-1], int(counts[-1]))


def random_batch(
    rng: np.random.Generator, name: tuple[Any, str], nominal: str, size: int, n: tuple[int, int], most: int
) -> Batch:
    criterion, n_classes, unit = CRITERIA[name], int(rng.integers(2, 6)), bool(rng.integers(2))
    tables = [random_table(rng, criterion, int(rng.integers(*n)), n_classes, most, unit) for _ in range(size)]
    limits: dict[str, Any] = {}
    if rng.random() < 0.5:
        limits["min_samples_leaf"] = int(rng.integers(2, 6))
    if rng.random() < 0.3:
        limits["min_weight_leaf"] = float(rng.integers(1, 12)) / 4
    if rng.random() < 0.3:
        limits["min_cases"] = float(rng.integers(1, 12)) / 4
    missing = str(rng.choice(["error", "majority", "branch", "direction"]))
    return Batch(tables, Rule(criterion, missing, nominal, band=0.0, **limits), unit)


@pytest.mark.parametrize("nominal", NOMINAL)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[1])
def test_small_tables(name: tuple[Any, str], nominal: str) -> None:
    rng = np.random.default_rng([NAMES.index(name), NOMINAL.index(nominal)])
    found = [split for _ in range(40) for split in check(random_batch(rng, name, nominal, 12, (0, 8), 5))]
    assert any(split is None for split in found)
    kinds = {split.kind for split in found if split is not None}
    assert kinds == {SplitKind[nominal.upper()], SplitKind.MISSING}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[1])
def test_subsets_about_the_number_up_to_which_all_are_tried(name: tuple[Any, str]) -> None:
    rng = np.random.default_rng(NAMES.index(name))
    found = []
    for round_ in range(20):
        batch = random_batch(rng, name, "subset", 4, (10, 18), (2, 12)[round_ % 2])
        if round_ % 4 == 3:
            batch.rule = replace(batch.rule, min_samples_leaf=25)
        found += check(batch)
    assert {split.exact for split in found if split is not None} == {True, False}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[1])
def test_subsets_of_many_categories(name: tuple[Any, str]) -> None:
    rng = np.random.default_rng(NAMES.index(name))
    for most in (3, 10, 40, 40):
        check(random_batch(rng, name, "subset", 4, (14, 60), most))


def test_many_classes() -> None:
    rng = np.random.default_rng(0)
    for criterion in (CRITERIA["class", "gini"], CRITERIA["class", "entropy"]):
        tables = [random_table(rng, criterion, n, 40, 30, True) for n in (3, 8, 20, 50)]
        check(Batch(tables, Rule(criterion, "direction", "subset", band=0.0), True))


@pytest.mark.parametrize("nominal", NOMINAL)
def test_thousands_of_categories(nominal: str) -> None:
    rng = np.random.default_rng(1)
    criterion = CRITERIA["class", "entropy"]
    for n_classes in (2, 5):
        tables = [random_table(rng, criterion, 2000, n_classes, 200, True)]
        check(Batch(tables, Rule(criterion, "branch", nominal, band=0.0), True))


def test_equal_categories() -> None:
    """All divisions gain nothing, or all categories are of one class: the canonical order decides."""
    for line in ([2.0, 2.0, 1.0], [3.0, 0.0, 0.0]):
        for n in (2, 5, 13, 30):
            table = np.array([line] * n)
            contingency = Contingency(table, table.sum(axis=1).astype(np.int64), np.array(line), int(sum(line)))
            for missing in ("error", "branch", "direction"):
                for limits in ({}, {"min_samples_leaf": 6}):
                    for nominal in NOMINAL:
                        rule = Rule(CRITERIA["class", "gini"], missing, nominal, band=0.0, **limits)
                        check(Batch([contingency], rule, True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nominal": 3}, "no such"),
        ({"measure": 3}, "no such"),
        ({"line_start": np.array([0, 9], dtype=np.int64)}, "line_start"),
        ({"tables": np.zeros(5)}, "tables has 5 elements"),
        ({"unit_rows": 2}, "unit_rows"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    native: Any = kernels.native()
    arguments: dict[str, Any] = {
        "tables": np.array([0, 0, 3, 0, 0, 2.0]),
        "counts": np.array([0, 3, 2], dtype=np.int64),
        "line_start": np.array([0, 3], dtype=np.int64),
        "width": 2,
        "bands": np.array([1e-10]),
        "nominal": 1,
        "measure": 0,
        "missing": 0,
        "min_rows": 1,
        "min_weight": 0.0,
        "min_cases": 0.0,
        "slack": 1e-10,
        "unit_rows": 5,
    }
    assert native.best_categories(**arguments)[0].tolist() == [SplitKind.SUBSET]
    with pytest.raises(ValueError, match=message):
        native.best_categories(**arguments | change)
