"""Pruning through the estimators: options, validation rows, held-out rows, and pruning a fitted estimator."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, DataError, DataWarning, ID3Classifier, OptionError
from deciduous.grow.option_checks import PRUNING
from deciduous.model.reason import Reason
from deciduous.prune import CostComplexity, MinimumError, ReducedError, collapse

CLASSIFIERS = [ID3Classifier, C45Classifier, CARTClassifier]


def table(seed: int, n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories and missing cells, with noisy classes."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"x": random.normal(size=n), "z": random.normal(size=n), "c": random.choice(list("uvw"), n)})
    score = X["x"] + (X["c"] == "u") + random.normal(size=n)
    X.loc[random.random(n) < 0.1, "x"] = np.nan
    return X, np.where(score > 0.3, "yes", "no")


@pytest.fixture(scope="module")
def seen() -> tuple[pd.DataFrame, np.ndarray]:
    return table(1)


@pytest.fixture(scope="module")
def unseen() -> tuple[pd.DataFrame, np.ndarray]:
    return table(2)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("pruning", PRUNING)
def test_every_word_with_every_classifier(cls, pruning: str, seen, unseen) -> None:
    options = {"collapse": False, "mdl_correction": False} if cls is C45Classifier else {}  # much is left to prune
    full = cls(pruning=None, **options).fit(*seen)
    model = cls(pruning=pruning, **options).fit(*seen)
    model.tree_.check()
    assert 1 <= model.get_n_leaves() < full.get_n_leaves()
    assert (model.tree_.reason == Reason.PRUNED).any()
    assert model.tree_.options["pruning"] == pruning
    assert model.score(*unseen) > 0.6
    again = pickle.loads(pickle.dumps(clone(model).fit(*seen)))
    assert again.tree_.to_json() == model.tree_.to_json()


@pytest.mark.parametrize("pruning", [word for word, tasks in PRUNING.items() if "number" in tasks])
def test_every_word_for_numbers(pruning: str, seen) -> None:
    y = seen[0]["z"] * 2 + np.random.default_rng(0).normal(size=len(seen[1]))
    full = CARTRegressor().fit(seen[0], y)
    model = CARTRegressor(pruning=pruning).fit(seen[0], y)
    model.tree_.check()
    assert 1 < model.get_n_leaves() < full.get_n_leaves()


@pytest.mark.parametrize("pruning", [word for word, tasks in PRUNING.items() if "number" not in tasks])
def test_words_for_classes_alone(pruning: str, seen) -> None:
    with pytest.raises(OptionError, match=rf"pruning='{pruning}' is for trees that predict classes; .* take None"):
        CARTRegressor(pruning=pruning).fit(seen[0], np.arange(len(seen[1])))


def test_validation_rows_decide(seen, unseen) -> None:
    """Given rows are taken as they are, and nothing is held out."""
    full = CARTClassifier().fit(*seen)
    model = CARTClassifier(pruning="reduced_error").fit(*seen, validation=unseen)
    assert model.tree_.n_samples[0] == len(seen[1])
    assert model.tree_.to_json() != full.tree_.to_json()
    by_hand = full.prune("reduced_error", *unseen)
    assert np.array_equal(model.predict(seen[0]), by_hand.predict(seen[0]))
    assert model.score(*unseen) >= full.score(*unseen)
    named = unseen[0].assign(answer=unseen[1])
    frame = seen[0].assign(answer=seen[1])
    by_name = CARTClassifier(pruning="reduced_error").fit(frame, "answer", validation=(named, "answer"))
    assert np.array_equal(by_name.predict(seen[0]), model.predict(seen[0]))


def test_validation_rows_may_have_weights(seen, unseen) -> None:
    """Weight 0 takes rows out; whole weights are rows given several times."""
    model = CARTClassifier().fit(*seen)
    weight = np.random.default_rng(3).integers(0, 3, len(unseen[1]))
    repeated = np.repeat(np.arange(len(weight)), weight)
    for pruner in (ReducedError(), CostComplexity(), "optimal", "validation"):
        weighted = model.prune(pruner, *unseen, weight)
        assert (
            weighted.tree_.to_json()
            == model.prune(pruner, unseen[0].iloc[repeated], unseen[1][repeated]).tree_.to_json()
        )


@pytest.mark.parametrize(
    "options",
    [
        *({"pruning": p} for p in ("error", "pessimistic", "minimum_error", "critical_value")),
        {"ccp_alpha": 0.005},
    ],
    ids=str,
)
@pytest.mark.parametrize("cls", [ID3Classifier, CARTClassifier])
def test_whole_weights_are_repeated_rows(cls, options: dict, seen) -> None:
    weight = np.random.default_rng(4).integers(1, 4, len(seen[1]))
    repeated = np.repeat(np.arange(len(weight)), weight)
    weighted = cls(**options).fit(*seen, weight).tree_
    other = cls(**options).fit(seen[0].iloc[repeated].reset_index(drop=True), seen[1][repeated]).tree_
    assert weighted.parent.tolist() == other.parent.tolist()
    assert weighted.weight == pytest.approx(other.weight)
    assert weighted.n_leaves > 1


def test_rows_held_out(seen) -> None:
    """A seeded share of each class; the tree counts the others."""
    model = CARTClassifier(pruning="reduced_error", validation_fraction=0.3).fit(*seen)
    counts = dict(zip(*np.unique(seen[1], return_counts=True), strict=True))
    for label, weight in model.tree_.node(0).class_weights.items():
        assert weight == pytest.approx(0.7 * counts[label], abs=1)
    same = CARTClassifier(pruning="reduced_error", validation_fraction=0.3).fit(*seen)
    assert same.tree_.to_json() == model.tree_.to_json()
    others = [
        CARTClassifier(pruning="reduced_error", validation_fraction=0.3, random_state=seed).fit(*seen).tree_.to_json()
        for seed in (0, 1, np.random.default_rng(5), np.random.RandomState(5))
    ]
    assert others[0] != others[1]  # (the seed itself is in the options)
    assert CARTClassifier(random_state=3).fit(*seen).get_n_leaves() == CARTClassifier().fit(*seen).get_n_leaves()


def test_too_few_rows_to_hold_out() -> None:
    with pytest.raises(DataError, match=r"validation_fraction=0.25 of 1 row leaves none .* validation=\(X, y\)"):
        ID3Classifier(pruning="reduced_error").fit([["a"]], ["p"])
    ID3Classifier(pruning="reduced_error").fit([["a"], ["b"]], ["p", "q"]).tree_.check()


def test_the_price_of_a_leaf(seen) -> None:
    """ccp_alpha prunes by itself, and with the word; with 0 the word asks validation rows."""
    full = CARTClassifier().fit(*seen)
    alone, worded = (CARTClassifier(ccp_alpha=0.01, pruning=p).fit(*seen) for p in (None, "cost_complexity"))
    assert alone.get_n_leaves() == worded.get_n_leaves() < full.get_n_leaves()
    assert alone.tree_.n_samples[0] == worded.tree_.n_samples[0] == len(seen[1])
    assert CARTClassifier(pruning="cost_complexity").fit(*seen).tree_.n_samples[0] == 0.75 * len(seen[1])
    sizes = {
        rule: CARTClassifier(pruning="cost_complexity", rule=rule).fit(*seen).get_n_leaves() for rule in ("min", "1se")
    }
    assert sizes["1se"] <= sizes["min"]


def test_the_confidence_of_c45(seen) -> None:
    sizes = [C45Classifier(pruning="error", confidence=c).fit(*seen).get_n_leaves() for c in (0.01, 0.25, 0.9)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


def test_a_pruner_as_the_option(seen) -> None:
    model = CARTClassifier(pruning=MinimumError(50)).fit(*seen)
    assert model.get_n_leaves() < CARTClassifier(pruning=MinimumError(0.5)).fit(*seen).get_n_leaves()
    assert model.tree_.options["pruning"] == "minimum_error"
    assert clone(model).pruning == MinimumError(50)
    again = deciduous.Tree.from_json(model.tree_.to_json())
    assert again.options["pruning"] == "minimum_error"
    grid = GridSearchCV(CARTClassifier(), {"pruning": [None, MinimumError(2), "pessimistic"]}, cv=3)
    assert grid.fit(seen[0], seen[1]).best_score_ > 0.6


def test_a_pruner_that_looks_at_training_rows(seen) -> None:
    class Mine:
        name, needs = "mine", "training"

        def __call__(self, tree, rows):
            assert rows.errors(tree).mean == pytest.approx(np.mean(plain.predict(seen[0]) != seen[1]))
            return collapse(tree, np.array([0]))

    plain = CARTClassifier(max_depth=3).fit(*seen)
    assert CARTClassifier(max_depth=3, pruning=Mine()).fit(*seen).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pruning": "reduced"}, r"pruning='reduced' is not one of None, 'error'.* Did you mean 'reduced_error'\?"),
        ({"pruning": 3}, "pruning=3 must be None, one of 'error'"),
        ({"pruning": len}, "must say what it needs"),
        ({"ccp_alpha": -1.0}, "ccp_alpha=-1.0 must be at least 0"),
        (
            {"ccp_alpha": 0.1, "pruning": "optimal"},
            "ccp_alpha=0.1 belongs to pruning='cost_complexity', not to 'optimal'",
        ),
        ({"rule": "2se"}, "rule='2se' is not one of 'min', '1se'"),
        ({"validation_fraction": 1}, "validation_fraction=1 must lie between 0 and 1"),
        ({"validation_fraction": 1.5}, "validation_fraction=1.5 must be between 0 and 1"),
        ({"random_state": -1}, "random_state=-1 must be a whole number of at least 0"),
    ],
)
def test_options_that_are_not_allowed(options: dict, message: str, seen) -> None:
    with pytest.raises(OptionError, match=message):
        CARTClassifier(**options).fit(*seen)


def test_validation_rows_that_cannot_be_used(seen, unseen) -> None:
    model = CARTClassifier(pruning="reduced_error")
    with pytest.raises(OptionError, match=r"validation= is given, but pruning=None looks at no validation rows"):
        CARTClassifier().fit(*seen, validation=unseen)
    with pytest.raises(OptionError, match=r"validation must be \(X, y\) or \(X, y, sample_weight\)"):
        model.fit(*seen, validation=unseen[0])
    with pytest.raises(DataError, match="X has 400 rows and y has 399"):
        model.fit(*seen, validation=(unseen[0], unseen[1][1:]))
    with pytest.raises(DataError, match=r"has no class that the tree knows: it has 'a', 'b', the tree 'no', 'yes'"):
        model.fit(*seen, validation=(unseen[0], ["a", "b"] * 200))
    with pytest.raises(DataError, match="no row is left to look at"):
        model.fit(*seen, validation=(*unseen, np.zeros(400)))
    with pytest.raises(OptionError, match="pruning='reduced' is not one of"):
        CARTClassifier().fit(*seen).prune("reduced")
    with pytest.raises(OptionError, match="kind='all' is not one of 'nested', 'optimal'"):
        CARTClassifier().fit(*seen).pruning_path(kind="all")


def test_rows_without_a_target_and_unknown_classes(seen, unseen) -> None:
    """The first are left out with a warning; the second are always answered wrongly."""
    model = CARTClassifier().fit(*seen)
    y = unseen[1].astype(object)
    y[:50] = None
    with pytest.warns(DataWarning, match="50 of 400 rows left out: they have no target"):
        gaps = model.prune("reduced_error", unseen[0], y)
    rest = model.prune("reduced_error", unseen[0].iloc[50:], unseen[1][50:])
    assert gaps.tree_.to_json() == rest.tree_.to_json()
    y[:50] = "perhaps"
    path = model.pruning_path(unseen[0], y)
    known = model.pruning_path(unseen[0].iloc[50:], unseen[1][50:])
    assert path.validation_error == pytest.approx((50 + 350 * known.validation_error) / 400)


def test_unseen_categories_stop_and_count(seen, unseen) -> None:
    X = unseen[0].assign(c=np.where(np.arange(400) % 5 == 0, "new", unseen[0]["c"]))
    model = CARTClassifier(nominal="multiway").fit(*seen)
    path = model.pruning_path(X, unseen[1])
    for step in (0, len(path) // 2, len(path) - 1):
        with pytest.warns(DataWarning, match="never saw") if step < len(path) - 1 else _nothing():
            wrong = np.mean(model._with(path.subtree(step)).predict(X) != unseen[1])
        assert path.validation_error[step] == pytest.approx(wrong)


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def test_copies_are_new(seen) -> None:
    model = CARTClassifier(max_depth=5).fit(*seen)
    before = model.tree_.to_json()
    smaller = model.prune_to(4)
    assert (smaller.get_n_leaves(), type(smaller), smaller.max_depth) == (4, CARTClassifier, 5)
    assert smaller.classes_.tolist() == ["no", "yes"]
    assert smaller.n_features_in_ == 3
    assert model.tree_.to_json() == before
    assert model.prune_to(4, "errors").score(*seen) >= smaller.score(*seen)
    numbers = CARTRegressor().fit(seen[0], seen[0]["z"].to_numpy() ** 2).prune_to(3)
    assert (numbers.get_n_leaves(), hasattr(numbers, "classes_")) == (3, False)


def test_prune_to_is_at_least_as_good_as_any_alpha(seen) -> None:
    model = CARTClassifier(min_samples_leaf=5).fit(*seen)
    nested, optimal = model.pruning_path(), model.pruning_path(kind="optimal")
    best = dict(zip(optimal.n_leaves.tolist(), optimal.cost.tolist(), strict=True))
    for size, cost in zip(nested.n_leaves.tolist(), nested.cost.tolist(), strict=True):
        assert best[size] == pytest.approx(cost)  # on the hull both are the same
    assert len(optimal) >= len(nested)
