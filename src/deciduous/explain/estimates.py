"""The estimates that pruners compare, written out: upper limits of errors, expected errors, corrected errors."""

from __future__ import annotations

import numpy as np

from deciduous.explain.expression import (
    Count,
    Expression,
    Figure,
    Largest,
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
from deciduous.language import translate as _
from deciduous.model.tree import Tree
from deciduous.prune.costs import node_costs
from deciduous.prune.description_length import DescriptionLength
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.pessimistic import Pessimistic
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import Pruner
from deciduous.prune.upper_limits import CONFIDENCES, DEVIATES
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
    return _("From below: a node becomes a leaf where the validation errors are no more than with its branches.")


def upper_limit(work: Calculation, symbol: Name, n: float, errors: float, pruner: ErrorBased) -> Step:
    """Add U_CF(E, N) of a node as a leaf, and the errors N U to be expected."""
    found = float(pruner.estimate(np.array([n]), np.array([errors]))[0])
    if n <= 0:
        return work.step("expected_errors", "", applied("NU", symbol), None, None, 0.0)
    name = f"U({plain(errors)}, {plain(n)})"
    numbers = _limit(n, errors, pruner.confidence) if pruner.conventions != "j48" else None
    limit = work.step("upper_limit", "", Name(name, name), None, numbers, found / n)
    product = Times((Count(n), limit.figure))
    return work.step("expected_errors", "", applied("NU", symbol), None, product, found)


def _limit(n: float, errors: float, confidence: float) -> Expression | None:
    """Return the formula of the upper limit; None where nearly all rows are wrong, or a part of a row is."""
    if errors == 0:
        return less(Count(1), Power(Count(confidence), Ratio(Count(1), Count(n))))
    if errors < 1 or errors + 0.5 >= n:
        return None
    z = float(np.interp(confidence, CONFIDENCES, DEVIATES))
    e, q = Count(errors + 0.5), Count(z * z)
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
