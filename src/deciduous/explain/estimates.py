"""The estimates that pruners compare, written out: upper limits of errors, expected errors, corrected errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciduous.explain.blocks import Block, Formula, Text
from deciduous.explain.expression import (
    Count,
    Expression,
    Figure,
    Gamma,
    Largest,
    Log,
    Minus,
    Name,
    Power,
    Ratio,
    Sum,
    Times,
    plain,
)
from deciduous.explain.expression import minus as less
from deciduous.explain.steps import Calculation, Step, applied, node_symbol, share
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.description_length import DescriptionLength, class_bits, question_bits
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.pessimistic import Pessimistic
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import Pruner
from deciduous.prune.upper_limits import Limit, adds, limit_of
from deciduous.prune.validation import Validation


def own_text(pruner: Pruner) -> str:
    """Return in words how a pruner decides."""
    if isinstance(pruner, ErrorBased):
        text = _(
            "N rows, E of them answered wrongly: the upper limit U_CF(E, N) of the error rate at the confidence {cf}; "
            "N U errors are to be expected. From below, a node becomes a leaf where the leaf is expected to err no "
            "more than its branches together."
        )
        return text.format(cf=plain(pruner.confidence))
    if isinstance(pruner, MinimumError):
        return _(
            "The expected error rate is 1 - max (n_c + m p_c) / (N + m). From below, a node becomes a leaf where it is "
            "expected to err no more than its branches together."
        )
    if isinstance(pruner, Pessimistic):
        return _(
            "Each leaf errs 1/2 more than in training. From above, a node becomes a leaf where that is no more than "
            "the errors of the leaves below it, and a standard error."
        )
    if isinstance(pruner, DescriptionLength):
        return _("A node becomes a leaf where its rows take no more bits as one leaf than with its question.")
    if isinstance(pruner, Validation):
        return _("From above: a question is asked only if the validation rows are answered better with it at once.")
    assert isinstance(pruner, ReducedError)
    if pruner.ties == "keep":
        return _("From below: a node becomes a leaf where the validation errors are fewer than with its branches.")
    return _("From below: a node becomes a leaf where the validation errors are no more than with its branches.")


def upper_limit(work: Calculation, symbol: Name, n: float, errors: float, pruner: ErrorBased) -> Step:
    """Add U_CF(E, N) of a node as a leaf, if it is not there yet, and the errors N U to be expected."""
    found = float(pruner.estimate(np.array([n]), np.array([errors]))[0])
    if n <= 0:
        return work.step("expected_errors", "", applied("NU", symbol), None, None, 0.0)
    name = f"U({plain(errors)}, {plain(n)})"
    limit = next((step for step in work.steps if step.symbol.text == name), None)
    if limit is None:
        numbers = limit_numbers(n, errors, pruner.confidence, pruner.conventions)
        limit = work.step("upper_limit", "", Name(name, name), None, numbers, found / n)
    product = Times((Count(n), limit.figure))
    return work.step("expected_errors", "", applied("NU", symbol), None, product, found)


def limit_definition(confidence: float, conventions: str = "c45") -> Iterator[Block]:
    """Return how the upper limit U(E, N) is worked out: for no error, and for one or more."""
    n, z2, cf = Name("N", "N"), Power(Name("z", "z")), Name("CF", r"\mathrm{CF}")
    e, limit = Name("e", "e"), limit_of(confidence, conventions)
    if not adds(limit, conventions):
        yield Formula((Name("U(E, N)", "U(E, N)"), Ratio(Name("E", "E"), n)))
        return
    none = less(Count(1), Power(cf, Ratio(Count(1), n)))
    yield Formula((Name("U(0, N)", "U(0, N)"), none))
    inside = Times((z2, Sum((Times((e, less(Count(1), Ratio(e, n)))), Ratio(z2, Count(4))))))
    several = Ratio(Sum((e, Ratio(z2, Count(2)), Power(inside, 0.5))), Sum((n, z2)))
    yield Formula((Name("U(E, N)", "U(E, N)"), several))
    text = (
        _(
            "e = E + 1/2; z = {z}: a normal deviate is larger with probability {cf}; z^2 = {square}. "
            "Between no error and one: a straight line."
        )
        if conventions == "j48"
        else _(
            "e = E + 1/2; z = {z}, from C4.5's table: a normal deviate is larger with probability {cf}; z^2 = "
            "{square}. Between no error and one: a straight line."
        )
    )
    yield Text(text.format(z=plain(limit.deviate), cf=plain(confidence), square=plain(limit.deviate**2)))


def limit_numbers(n: float, errors: float, confidence: float, conventions: str = "c45") -> Expression:
    """Return U_CF(E, N) with the numbers in place, as it is worked out (see `prune.upper_limits`)."""
    limit = limit_of(confidence, conventions)
    return _limit_numbers(n, errors, limit) if adds(limit, conventions) else share(errors, n)


def _limit_numbers(n: float, errors: float, limit: Limit) -> Expression:
    if errors == 0:
        return less(Count(1), Power(Count(limit.confidence), Ratio(Count(1), Count(n))))
    if errors < limit.almost_one:  # a straight line from no error to one
        none, one = _limit_numbers(n, 0.0, limit), _normal(n, 1.0, limit)
        return Sum((Times((less(Count(1), Count(errors)), none)), Times((Count(errors), one))))
    return _normal(n, errors, limit)


def _normal(n: float, errors: float, limit: Limit) -> Expression:
    """Return the normal approximation; where nearly all rows are wrong, a share of the others counts too."""
    e = Count(errors + 0.5)
    if errors + 0.5 >= n:
        extra = Times((Count(limit.nearly_all), less(Count(n), Count(errors)))) if n > errors else Count(0)
        return Ratio(Sum((Count(errors), extra)), Count(n))
    q = Count(limit.deviate**2)
    inside = Times((q, Sum((Times((e, less(Count(1), Ratio(e, Count(n))))), Ratio(q, Count(4))))))
    return Ratio(Sum((e, Ratio(q, Count(2)), Power(inside, 0.5))), Sum((Count(n), q)))


def expected_error(work: Calculation, tree: Tree, node: int, pruner: MinimumError) -> Step:
    """Add the expected error rate of a node as a leaf, and the errors of its rows."""
    n = float(tree.weight[node])
    k = len(tree.classes)
    laplace = isinstance(pruner.m, str)
    m = float(k) if isinstance(pruner.m, str) else float(pruner.m)
    whole, here = tree.node(0).class_weights, tree.node(node).class_weights
    total = sum(whole.values())
    terms: list[Expression] = []
    for label in tree.classes:
        prior = share(1, k) if laplace else share(whole.get(label, 0.0), total)
        top = Sum((Count(here.get(label, 0.0)), Times((Count(m), prior))))
        terms.append(Ratio(top, Count(n + m)))
    rate = float(pruner.error_rates(tree)[node])
    numbers = Sum((Count(1), Minus(Largest(tuple(terms))))) if n + m > 0 else None
    step = work.step("expected_rate", "", applied("E", node_symbol(node)), None, numbers, rate)
    product = Times((Count(n), Figure(step.value)))
    return work.step("expected_errors", "", applied("NE", node_symbol(node)), None, product, n * rate)


def corrected(work: Calculation, tree: Tree, node: int) -> Step:
    """Add the errors of a node as a leaf, with the correction for continuity."""
    errors = float(node_costs(tree, "errors")[node])
    half = 0.5 if tree.weight[node] > 0 else 0.0
    numbers = Sum((Count(errors), Count(half)))
    return work.step("corrected_errors", "", applied("n'", node_symbol(node)), None, numbers, errors + half)


def description_definition() -> Iterator[Block]:
    """Return how many bits a leaf takes, and a question."""
    yield Formula(
        (
            Name("L(D)", "L(D)"),
            Name(
                "1 - log2 (Gamma(k/2) prod_c Gamma(n_c + 1/2) / (Gamma(1/2)^k Gamma(n + k/2)))",
                r"1 - \log_{2} \frac{\Gamma(k/2) \prod_c \Gamma(n_c + 1/2)}{\Gamma(1/2)^k \, \Gamma(n + k/2)}",
            ),
        ),
        label=_("bits of a leaf with n rows of k classes"),
    )
    yield Formula(
        (Name("Q(D)", "Q(D)"), Name("1 + log2 A + log2 w", r"1 + \log_{2} A + \log_{2} w")),
        label=_("bits of a question that asks for one of A columns, in one of w ways"),
    )


def description(work: Calculation, tree: Tree, node: int) -> Step:
    """Add the bits of a node as a leaf: one that says it is a leaf, and those of the classes of its rows."""
    weights = list(tree.node(node).class_weights.values())
    k, n = len(tree.classes), sum(weights)
    half = Log(Gamma(0.5))
    terms: list[Expression] = [Count(1), Log(Gamma(n + k / 2)), Minus(Log(Gamma(k / 2)))]
    terms += [part for w in weights if w > 0 for part in (Minus(Log(Gamma(w + 0.5))), half)]
    exact = 1.0 + float(class_bits(tree)[node])
    return work.step("leaf_bits", "", applied("L", node_symbol(node)), None, Sum(tuple(terms)), exact)


def question(work: Calculation, tree: Tree, node: int) -> Step:
    """Add the bits of a question: one that says that there is one, those of its column, and of its answers."""
    columns = sum(feature.is_split_on for feature in tree.schema.features)
    ways = ways_to_ask(tree, node)
    terms: list[Expression] = [Count(1), Log(Count(columns))]
    if ways != 1:
        terms.append(Log(Count(ways)))
    exact = 1.0 + float(question_bits(tree)[node])
    return work.step("question_bits", "", applied("Q", node_symbol(node)), None, Sum(tuple(terms)), exact)


def ways_to_ask(tree: Tree, node: int) -> float:
    """Return how many questions about the column of a node there are, see `question_bits`."""
    feature = tree.schema.features[int(tree.feature[node])]
    levels, kind = len(feature.categories), SplitKind(int(tree.kind[node]))
    if kind == SplitKind.THRESHOLD:
        return max(float(levels or tree.n_samples[node]) - 1.0, 1.0)
    if kind == SplitKind.ONE_VS_REST:
        return float(levels)
    return 2.0 ** (levels - 1) - 1.0 if kind == SplitKind.SUBSET else 1.0


def validation_errors(work: Calculation, tree: Tree, node: int, here: Floats, cost: float) -> Step:
    """Add the errors of a node as a leaf on the validation rows that come to it; `here`: the weight of each class, or
    for numbers of all of them.
    """
    numbers: Expression | None = None
    if tree.task == "class":
        total = float(here.sum())
        numbers = less(Count(total), Count(total - cost))
    return work.step("validation_errors", "", applied("e", node_symbol(node)), None, numbers, cost)


def standard_error_numbers(errors: float, n: float) -> Expression:
    """Return sqrt(errors (N - errors) / N) with the numbers in place."""
    return Power(Ratio(Times((Count(errors), less(Count(n), Count(errors)))), Count(n)), 0.5)
