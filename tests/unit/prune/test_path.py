"""The path of pruning: its figures, the choice, the tables and the print."""

import numpy as np
import pytest

from deciduous import CARTClassifier, CARTRegressor, DataError, OptionError
from deciduous.estimators.pruning import labelled_rows
from deciduous.prune import PruningPath, nested_path, node_costs, optimal_path
from deciduous.prune.path import with_cross_validation
from tests.trees import leaf, node, tree_of

#: Errors 7, 2, 2, 1 at the root and its branches; of the second question only 1 of 2 errors is saved.
TREE = tree_of(node(leaf(6, 1), node(leaf(1, 4), leaf(1, 0)), leaf(0, 2)))


def sample(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, X[:, 0] + random.normal(size=n), random.uniform(0.2, 3.0, n)


def test_a_path_by_hand() -> None:
    """alpha = (2 - 1) / 1 for the second question, then (7 - 3) / 2 for the root; 15 rows in all."""
    path = nested_path(TREE, "errors")
    assert (path.alpha * 15).tolist() == pytest.approx([0, 1, 2])
    assert path.n_leaves.tolist() == [4, 3, 1]
    assert path.n_splits.tolist() == [2, 1, 0]
    assert (path.cost * 15).tolist() == pytest.approx([2, 3, 7])
    assert (path.training_error * 15).tolist() == pytest.approx([2, 3, 7])
    assert np.isnan(path.validation_error).all()
    assert path.leaves(1).tolist() == [1, 2, 3]
    assert path.link_table().rows() == [
        pytest.approx((1, 2, 1 / 15, 2 / 15, 1 / 15, 2)),
        pytest.approx((2, 0, 2 / 15, 7 / 15, 3 / 15, 3)),
    ]
    table = path.cp_table()
    assert table.drop("xerror", "xstd").rows() == [
        pytest.approx((2 / 7, 0, 1.0, 2 / 15)),
        pytest.approx((1 / 7, 1, 3 / 7, 1 / 15)),
        pytest.approx((0.0, 2, 2 / 7, 0.0)),
    ]
    assert table["xerror"].null_count() == table["xstd"].null_count() == 3


@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse", "absolute_error", "poisson"])
def test_the_table_of_cp_has_the_cross_validated_errors(criterion: str) -> None:
    """Relative to the root's training error, as rpart has them; of medians and rates relative to the root's own."""
    X, y, w = sample(3)
    path = CARTRegressor(criterion=criterion, max_depth=4).cross_validated_path(X, abs(y), w, cv=5)
    table = path.cp_table()
    unit = path.training_error[-1] if criterion in ("squared_error", "friedman_mse") else path.cv_error[-1]
    assert table["xerror"].to_list() == pytest.approx(path.cv_error[::-1] / unit)
    assert table["xstd"].to_list() == pytest.approx(path.cv_se[::-1] / unit)
    assert table["xerror"][0] == pytest.approx(1, abs=0.05)
    judged_by_rows = CARTRegressor(max_depth=3).fit(X, y).pruning_path(*sample(4)[:2]).cp_table()
    assert judged_by_rows["xerror"].null_count() == 0


def test_the_cross_validated_errors_of_classes_are_those_of_rpart() -> None:
    """Where nothing is missing or tied, both grow and prune the same trees by the same folds."""
    X, y, _ = sample(5)
    classes = (y > 0).astype(int)
    folds = np.arange(len(y)) % 5
    limits = {"min_samples_split": 60, "min_samples_leaf": 20}
    ours = CARTClassifier(**limits).cross_validated_path(X, classes, cv=folds, cost="errors").cp_table()
    rpart = CARTClassifier.rpart(minsplit=60, minbucket=20, cp=0, xval=folds).fit(X, classes).cp_table()
    both = ours.join(rpart, on="nsplit", suffix="_rpart")
    assert len(both) > 1
    assert both["rel_error"].to_list() == pytest.approx(both["rel_error_rpart"].to_list())
    assert both["xerror"][0] == pytest.approx(both["xerror_rpart"][0])


def test_every_size() -> None:
    path = optimal_path(TREE, "errors")
    assert path.n_leaves.tolist() == [4, 3, 1]  # a tree with three branches at the root has no two leaves
    assert (path.cost * 15).tolist() == pytest.approx([2, 3, 7])
    assert path.n_splits.tolist() == [2, 1, 0]
    assert np.isnan(path.alpha).all()
    assert optimal_path(TREE, "errors", most_leaves=3).n_leaves.tolist() == [3, 1]
    with pytest.raises(OptionError, match="only the nested path"):
        path.link_table()


def judged(
    path: PruningPath, model: CARTClassifier | CARTRegressor, X: np.ndarray, y: np.ndarray, w: np.ndarray
) -> None:
    """Compare the errors of every step with the answers of its tree."""
    for step in range(len(path)):
        tree = path.subtree(step)
        tree.check()
        assert (tree.n_leaves, int((~tree.is_leaf).sum())) == (path.n_leaves[step], path.n_splits[step])
        costs = node_costs(tree)[tree.is_leaf].sum() / tree.weight[0]
        assert path.cost[step] == pytest.approx(costs, abs=1e-12)
        answers = model._with(tree).predict(X)
        error = (answers != y).astype(float) if tree.task == "class" else (answers - y) ** 2
        mean = np.average(error, weights=w)
        assert path.validation_error[step] == pytest.approx(mean)
        spread = np.sqrt((w**2 * (error - mean) ** 2).sum()) / w.sum()
        assert path.validation_se[step] == pytest.approx(spread, abs=1e-9)


@pytest.mark.parametrize("make", [nested_path, optimal_path])
@pytest.mark.parametrize("weighted", [False, True])
def test_validation_errors_of_classes(make, weighted: bool) -> None:
    (X, y, w), (V, v, u) = sample(1), sample(2)
    labels, truth = np.digitize(y, [-1, 0, 1]), np.digitize(v, [-1, 0, 1])
    u = u if weighted else np.ones(len(u))
    model = CARTClassifier(min_samples_leaf=8).fit(X, labels, w if weighted else None)
    path = make(model.tree_, "impurity", labelled_rows(model.tree_, V, truth, u))
    assert len(path) > 8
    judged(path, model, V, truth, u)


@pytest.mark.parametrize("make", [nested_path, optimal_path])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_validation_errors_of_numbers(make, offset: float) -> None:
    """Squared errors keep their digits far from 0."""
    (X, y, _), (V, v, u) = sample(3), sample(4)
    model = CARTRegressor(min_samples_leaf=8).fit(X, y + offset)
    path = make(model.tree_, "impurity", labelled_rows(model.tree_, V, v + offset, u))
    assert len(path) > 8
    judged(path, model, V, v + offset, u)


def with_errors(error: list[float], se: list[float]) -> PruningPath:
    tree = tree_of(node(node(node(leaf(9, 1), leaf(1, 3)), leaf(2, 6)), leaf(0, 5)))
    path = nested_path(tree, np.array([6.0, 3, 0, 1, 0, 0, 0]))  # alphas 1, 2 and 3
    return with_cross_validation(path, np.array(error), np.array(se))


def test_the_choice() -> None:
    path = with_errors([0.30, 0.20, 0.24, 0.40], [0.05, 0.05, 0.05, 0.05])
    assert (path.choose("min"), path.choose("1se")) == (1, 2)
    assert with_errors([0.2, 0.2, 0.2, 0.3], [0.0] * 4).choose() == 2  # of equal errors the smallest tree
    assert with_errors([0.2, 0.2, 0.2, 0.2], [0.0] * 4).choose("1se") == 3
    assert with_errors([0.0, 0.0, 0.1, 0.2], [0.0] * 4).choose() == 1


def test_what_cannot_be_chosen() -> None:
    path = nested_path(TREE)
    with pytest.raises(OptionError, match="no error to choose by: give validation rows"):
        path.choose()
    with pytest.raises(OptionError, match=r"rule='1SE' is not one of 'min', '1se'. Did you mean '1se'\?"):
        path.choose("1SE")
    with pytest.raises(DataError, match="there is no step 3; the path has steps 0 to 2"):
        path.subtree(3)


def test_the_frame_and_the_text() -> None:
    path = with_errors([0.30, 0.20, 0.24, 0.40], [0.05, 0.05, 0.05, 0.05])
    frame = path.to_frame()
    assert frame["step"].to_list() == [0, 1, 2, 3]
    assert frame["cv_error"].to_list() == [0.30, 0.20, 0.24, 0.40]
    assert frame["validation_error"].null_count() == 4
    lines = str(path).splitlines()
    assert lines[0].split() == ["step", "leaves", "alpha", "cost", "training", "cross-validated", "+-"]
    assert lines[3].endswith("<- min")
    assert lines[4].endswith("<- 1se")
    assert repr(path) == "<PruningPath of 4 subtrees, 4 to 1 leaves>"


def test_a_long_path_is_printed_in_part() -> None:
    X, y, _ = sample(5, 600)
    path = nested_path(CARTRegressor().fit(X, y).tree_)
    assert len(path) > 200
    lines = str(path).splitlines()
    assert len(lines) == 43
    assert lines[2].split()[0] == "0"
    assert lines[-1].split()[:2] == [str(len(path) - 1), "1"]
    assert set(lines[22].split()) == {"..."}
