"""Worked figures of pruning in papers, books and the source documents."""

import numpy as np
import pytest

from deciduous import ID3Classifier, datasets
from deciduous.prune import (
    DescriptionLength,
    ErrorBased,
    MinimumError,
    Pessimistic,
    ReducedError,
    Validation,
    estimated_errors,
    nested_path,
    smallest_optimal,
)
from deciduous.prune.description_length import class_bits
from deciduous.prune.minimum_error import MinimumError as Estimates
from deciduous.prune.pessimistic import standard_error
from tests.trees import leaf, node, tree_of

# --- Quinlan (1993), C4.5, section 4.2 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "rows", "limit"), [(0, 6, "0.206"), (0, 9, "0.143"), (0, 1, "0.750"), (1, 16, "0.157")]
)
def test_quinlans_upper_limits(errors: float, rows: float, limit: str) -> None:
    """U25%(E, N)."""
    assert f"{float(estimated_errors(np.array(rows), np.array(errors), 0.25)) / rows:.3f}" == limit


def test_quinlans_pruning_example() -> None:
    """Leaves of 6, 9 and 1 rows: 6 * .206 + 9 * .143 + 1 * .750 = 3.273 errors; one leaf of 16 with 1 error: 2.51."""
    tree = tree_of(node(leaf(6, 0), leaf(9, 0), leaf(0, 1)))
    working = ErrorBased().working(tree)
    third, second, first, root = working.steps  # from below
    assert [f"{step.rate:.3f}" for step in (first, second, third)] == ["0.206", "0.143", "0.750"]
    assert [(step.n, step.errors) for step in working.steps] == [(1, 0), (9, 0), (6, 0), (16, 1)]
    assert (f"{root.subtree:.3f}", f"{root.as_leaf:.2f}", root.decision) == ("3.273", "2.51", "becomes a leaf")
    assert "16  1  0.157  2.507     3.273" in str(working)
    assert working.pruned.n_leaves == 1


# --- Niblett and Bratko (1986); the example of Bratko, Prolog Programming for Artificial Intelligence, section 18.6 ---


def bratko() -> tuple:
    d = node(leaf(1, 1), leaf(0, 1))
    return node(node(leaf(3, 2), leaf(1, 0)), node(leaf(1, 0), d))


def test_bratkos_static_errors() -> None:
    """(N - n_c + k - 1) / (N + k) in each node, level by level."""
    rates = Estimates("laplace").error_rates(tree_of(bratko()))
    shown = [f"{rate:.3f}" for rate in rates.tolist()]
    assert shown == ["0.417", "0.375", "0.500", "0.429", "0.333", "0.333", "0.400", "0.500", "0.333"]


def test_bratkos_pruned_tree() -> None:
    """b (.375 < .413) and d (.400 < .444) are pruned, c (.500 > .383) and a (.417 > .378) stay."""
    pruned = MinimumError("laplace")(tree_of(bratko()))
    assert [sorted(n.class_weights.values()) for n in pruned] == [[4, 6], [2, 4], [2, 2], [1], [1, 2]]
    assert pruned.n_leaves == 3


def test_the_m_estimate() -> None:
    """Cestnik and Bratko (1991): (n_c + m p_c) / (N + m); m = 0 is the training share, a large m the prior."""
    tree = tree_of(bratko())
    assert Estimates(0).error_rates(tree)[1] == pytest.approx(2 / 6)
    assert Estimates(2).error_rates(tree)[1] == pytest.approx(1 - (4 + 2 * 0.6) / (6 + 2))
    assert Estimates(1e12).error_rates(tree)[1] == pytest.approx(0.4)
    assert MinimumError(0)(tree).n_leaves == 3  # only what lowers no training error goes: below b and d
    assert MinimumError(1e12)(tree).n_leaves == 1


# --- Quinlan (1987), the example of Mingers (1989), section 2.5: node 26 ----------------------------------------------


def test_mingers_node_26() -> None:
    """15 errors of 35 rows; 10 in its 4 leaves: n'(t) = 15.5, n'(T) = 12, SE = 2.8, and 12 + 2.8 < 15.5: it stays."""
    tree = tree_of(node(leaf(6, 2), leaf(5, 0), leaf(7, 6), leaf(2, 7)))
    assert (tree.weight[0], tree.node(0).class_weights) == (35, {"p": 20, "q": 15})
    assert f"{standard_error(np.array([12.0]), np.array([35.0]))[0]:.1f}" == "2.8"
    assert Pessimistic()(tree).n_leaves == 4
    assert Pessimistic(standard_errors=1.2)(tree).n_leaves == 4  # 12 + 3.37 = 15.37
    assert Pessimistic(standard_errors=1.25)(tree).n_leaves == 1  # 12 + 3.51 = 15.51


# --- Krichevsky and Trofimov (1981), the table of Willems, Shtarkov and Tjalkens (1995) -------------------------------


@pytest.mark.parametrize(
    ("zeros", "ones", "probability"),
    [(1, 0, 1 / 2), (2, 0, 3 / 8), (1, 1, 1 / 8), (3, 0, 5 / 16), (2, 1, 1 / 16), (2, 2, 3 / 128)],
)
def test_the_code_of_krichevsky_and_trofimov(zeros: float, ones: float, probability: float) -> None:
    tree = tree_of(node(leaf(zeros, ones), leaf(0, 1)))
    assert 2.0 ** -class_bits(tree)[1] == pytest.approx(probability, rel=1e-12)


def test_the_code_for_many_rows() -> None:
    """n H + (k-1)/2 log(n / 2 pi) + log(Gamma(1/2)^k / Gamma(k/2)) (Xie and Barron 2000); Gamma(3/2) = sqrt(pi) / 2."""
    counts = np.array([40_000.0, 25_000.0, 10_000.0])
    n = counts.sum()
    many = (counts * np.log2(n / counts)).sum() + np.log2(n / (2 * np.pi)) + np.log2(2 * np.pi)
    tree = tree_of(node(leaf(*counts), leaf(0, 0, 1)))
    assert class_bits(tree)[1] == pytest.approx(many, abs=1e-3)
    assert DescriptionLength()(tree).n_leaves == 1


# --- the source documents ---------------------------------------------------------------------------------------------


def test_the_penalised_loss_of_the_loan_table() -> None:
    """Source 002 and Li Hang (2012), section 5.4: C_alpha(T) = sum N_t H_t + alpha |T| on the tree of two questions.

    C(T) = 0 with 3 leaves; with 'employed' pruned 9 * 0.918 = 8.264 and 2 leaves; the root alone 15 * 0.971 = 14.564.
    The root falls first, at 14.564 / 2 = 7.282, and takes 'employed' (8.264) with it.
    """
    loan = datasets.load("loan")
    tree = ID3Classifier().fit(loan.X, loan.y).tree_
    path = nested_path(tree, "entropy")
    assert path.n_leaves.tolist() == [3, 1]
    assert [f"{15 * value:.3f}" for value in (*path.alpha, *path.cost)] == ["0.000", "7.282", "0.000", "14.564"]
    assert smallest_optimal(tree, 7.28, "entropy").n_leaves == 3
    assert smallest_optimal(tree, 7.283, "entropy").n_leaves == 1


def test_source_001_prunes_where_both_losses_are_equal() -> None:
    """`C_alpha(T) >= C_alpha(T')`: also where the loss stays the same, so that the smallest optimal tree comes out."""
    tree = tree_of(node(node(leaf(3, 1), leaf(3, 1)), leaf(0, 4)))  # the first question below the root lowers nothing
    assert smallest_optimal(tree, 0.0, "entropy").n_leaves == 2


@pytest.mark.parametrize(("pruner", "share"), [(ReducedError("keep"), "71.4"), (Validation(), "71.4"), (None, "42.9")])
def test_zhous_validation_shares(pruner: object, share: str) -> None:
    """Zhou (2016), figures 4.6 and 4.7: 42.9 % of the validation rows right before, 71.4 % after pre- or post-pruning.

    The book takes 脐部 at the tied root, and 是 in tied leaves.
    """
    train, valid = datasets.load("watermelon2_train"), datasets.load("watermelon2_valid")
    first = ["脐部", *(name for name in train.X.columns if name != "脐部")]
    order = {"是": "1是", "否": "2否"}
    model = ID3Classifier().fit(train.X.select(first), [order[label] for label in train.y])
    y = [order[label] for label in valid.y]
    if pruner is not None:
        model = model.prune(pruner, valid.X, y)
    assert f"{100 * model.score(valid.X, y):.1f}" == share
