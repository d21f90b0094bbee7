"""Absolute error and Poisson deviance for the oracle, from the weights of the values 0, 1, 2, ... of the target."""

from fractions import Fraction

from tests.oracle import textbook
from tests.oracle.textbook import LN, variance


def mean(weights) -> Fraction:
    return sum((w * y for y, w in enumerate(weights)), Fraction(0)) / sum(weights)


def median(weights) -> Fraction:
    """Where the cumulated weight passes half; if it is half exactly, the middle of this value and the next."""
    half, below = Fraction(sum(weights)) / 2, Fraction(0)
    present = [y for y, w in enumerate(weights) if w]
    for y in present:
        below += weights[y]
        if below == half:
            return Fraction(y + next(z for z in present if z > y), 2)
        if below > half:
            return Fraction(y)
    raise AssertionError("no weights")


def absolute_error(weights) -> Fraction:
    if not sum(weights):
        return Fraction(0)
    middle = median(weights)
    return sum((w * abs(y - middle) for y, w in enumerate(weights)), Fraction(0)) / sum(weights)


def half_poisson_deviance(weights) -> Fraction:
    if not sum(weights):
        return Fraction(0)
    terms = ((w * y, y / mean(weights)) for y, w in enumerate(weights) if w and y)
    return sum((wy * (LN(r.numerator) - LN(r.denominator)) for wy, r in terms), Fraction(0)) / sum(weights)


textbook.IMPURITY |= {"absolute_error": absolute_error, "poisson": half_poisson_deviance, "friedman_mse": variance}
