"""Formulas with numbers in place: small frozen terms that can be worked out, and written as text or LaTeX."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import dataclass

from deciduous.textgrid import one_line


@dataclass(frozen=True)
class Name:
    """A symbol without a number of its own, such as `Ent(D)`."""

    text: str
    latex: str


@dataclass(frozen=True)
class Count:
    """A number of rows, a weight, or another number that is given and not worked out; `more` digits than usual."""

    value: float
    more: int = 0


@dataclass(frozen=True)
class Figure:
    """The result of an earlier step: written with a few digits more than results, or `more` so that they come out."""

    value: float
    more: int = 0


@dataclass(frozen=True)
class Ratio:
    """A fraction."""

    top: Expression
    bottom: Expression


@dataclass(frozen=True)
class Sum:
    """A sum; terms that are `Minus` are subtracted."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class Times:
    """A product. By convention 0 log 0 = 0: nothing times anything is nothing."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True)
class Minus:
    """The negative of a term."""

    of: Expression


@dataclass(frozen=True)
class Log:
    """A logarithm to base 2, or the natural one (base 0)."""

    of: Expression
    base: int = 2


@dataclass(frozen=True)
class Choose:
    """In how many ways `k` of `n` things can be chosen; the logarithm of it for parts of things too."""

    n: float
    k: float


@dataclass(frozen=True)
class Factorial:
    """In how many orders `n` things can stand: n!."""

    n: int


@dataclass(frozen=True)
class Gamma:
    """The gamma function of a number: (x - 1)! where that is whole."""

    of: float


@dataclass(frozen=True)
class Power:
    """A term raised to a power, or its square root (exponent 0.5)."""

    of: Expression
    exponent: float | Ratio = 2


@dataclass(frozen=True)
class Largest:
    """The largest of some terms."""

    of: tuple[Expression, ...]


@dataclass(frozen=True)
class Absolute:
    """The size of a term, without its sign."""

    of: Expression


@dataclass(frozen=True)
class Median:
    """The median of some numbers: of an even number of them the midpoint of the two in the middle."""

    of: tuple[Expression, ...]


#: Any of these.
Expression = (
    Name
    | Count
    | Figure
    | Ratio
    | Sum
    | Times
    | Minus
    | Log
    | Choose
    | Factorial
    | Gamma
    | Power
    | Largest
    | Absolute
    | Median
)


def minus(*terms: Expression) -> Sum:
    """Return the first term less the others."""
    return Sum((terms[0], *(Minus(term) for term in terms[1:])))


def value_of(expression: Expression) -> float:
    """Return what an expression comes to; NaN where it holds a symbol, or divides by 0."""
    match expression:
        case Name():
            return math.nan
        case Count(value, _) | Figure(value, _):
            return value
        case Ratio(top, bottom):
            below = value_of(bottom)
            return value_of(top) / below if below else math.nan
        case Sum(terms):
            return math.fsum(value_of(term) for term in terms)
        case Times(factors):
            return _product(factors)
        case Minus(of):
            return -value_of(of)
        case Choose() | Factorial() | Gamma():
            return math.exp(_natural_log(expression))
        case Log(of, base):
            if isinstance(of, Choose | Factorial | Gamma):  # which may be larger than a float
                return _natural_log(of) / (1.0 if base == 0 else math.log(2))
            inner = value_of(of)
            return (math.log(inner) if base == 0 else math.log2(inner)) if inner > 0 else math.nan
        case Power(of, exponent):
            power = value_of(exponent) if isinstance(exponent, Ratio) else exponent
            return float(value_of(of) ** power)
        case Largest(terms):
            return max(value_of(term) for term in terms)
        case Absolute(of):
            return abs(value_of(of))
        case Median(terms):
            return statistics.median(value_of(term) for term in terms)


def _natural_log(of: Choose | Factorial | Gamma) -> float:
    if isinstance(of, Gamma):
        return math.lgamma(of.of)
    if isinstance(of, Factorial):
        return math.lgamma(of.n + 1)
    return math.lgamma(of.n + 1) - math.lgamma(of.k + 1) - math.lgamma(of.n - of.k + 1)


def _product(factors: tuple[Expression, ...]) -> float:
    product = 1.0
    for factor in factors:
        if product == 0:
            return 0.0
        product *= value_of(factor)
    return product


# --- written


@dataclass(frozen=True)
class Style:
    """How numbers are written.

    `digits`: decimals of results, or with `significant` their significant digits. `each_step`: results are rounded
    before they are used again, as books do that calculate by hand; else they are used in full, and written with `guard`
    digits more where they are used.
    """

    digits: int = 3
    significant: bool = False
    each_step: bool = False
    guard: int = 2

    def result(self, value: float) -> str:
        """Return a result as it is printed."""
        return self._number(value, self.digits)

    def used(self, value: float, more: int = 0) -> str:
        """Return a result where a later step uses it; whole ones without decimals."""
        if float(value).is_integer() and abs(value) < 1e15:
            return str(int(value))
        return self._number(value, self.digits if self.each_step else self.digits + self.guard + more)

    def kept(self, value: float) -> float:
        """Return a result as later steps use it."""
        return float(self.result(value)) if self.each_step and math.isfinite(value) else value

    def _number(self, value: float, digits: int) -> str:
        if not math.isfinite(value):
            return "-" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        if self.significant:
            return plain(value, digits)
        text = f"{value:.{digits}f}"
        return text if float(text) else text.removeprefix("-")


def plain(value: float, digits: int = 6, more: int = 0) -> str:
    """Return a given number: whole ones in full, others with significant digits, `more` than usual."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    if not math.isfinite(value):
        return str(value)
    whole = len(str(int(abs(value))))
    return f"{value:.{max(digits, whole + 2) + more}g}"


def text_of(expression: Expression, style: Style) -> str:
    """Return an expression as plain text, such as `-(9/15 log2 9/15 + 6/15 log2 6/15)`."""

    def inside(part: Expression) -> str:
        text = text_of(part, style)
        return f"({text})" if isinstance(part, Sum | Minus | Ratio | Times) or text.startswith("-") else text

    match expression:
        case Name(text, _):
            return text
        case Count(value, more):
            return plain(value, more=more)
        case Figure(value, more):
            return style.used(value, more)
        case Ratio(Count(), Count()):
            return f"{text_of(expression.top, style)}/{text_of(expression.bottom, style)}"
        case Ratio(top, bottom):
            return f"{inside(top)} / {inside(bottom)}"
        case Sum(terms):
            return _summed([(isinstance(t, Minus), text_of(_bare(t), style), _bare(t)) for t in terms])
        case Times(factors):
            return _multiplied([(f, _factor(f, style)) for f in factors], " × ", " ")
        case Minus(of):
            return f"-{text_of(of, style)}" if isinstance(of, Ratio) else f"-{inside(of)}"
        case Log(of, base):
            name = "ln" if base == 0 else f"log{base}"
            simple = isinstance(of, Ratio) and isinstance(of.top, Count) and isinstance(of.bottom, Count)
            return f"{name} {text_of(of, style) if simple else inside(of)}"
        case Choose(n, k):
            return f"C({plain(n)}, {plain(k)})"
        case Factorial(n):
            return f"{n}!"
        case Gamma(x):
            return f"Gamma({plain(x)})"
        case Power(of, exponent):
            if isinstance(exponent, Ratio):
                return f"{inside(of)}^({text_of(exponent, style)})"
            return f"sqrt({text_of(of, style)})" if exponent == 0.5 else f"{inside(of)}^{exponent:g}"
        case Largest(of):
            return f"max({', '.join(text_of(part, style) for part in of)})"
        case Absolute(of):
            return f"|{text_of(of, style)}|"
        case Median(of):
            return f"median({', '.join(text_of(part, style) for part in of)})"


def latex_of(expression: Expression, style: Style) -> str:
    """Return an expression as LaTeX, for math mode."""

    def inside(part: Expression) -> str:
        latex = latex_of(part, style)
        bracketed = isinstance(part, Sum | Minus | Ratio | Times) or latex.startswith("-")
        return rf"\left({latex}\right)" if bracketed else latex

    match expression:
        case Name(_, latex):
            return latex
        case Count(value, more):
            return _latex_number(plain(value, more=more))
        case Figure(value, more):
            return _latex_number(style.used(value, more))
        case Ratio(top, bottom):
            return rf"\frac{{{latex_of(top, style)}}}{{{latex_of(bottom, style)}}}"
        case Sum(terms):
            signed = [(isinstance(t, Minus), latex_of(_bare(t), style), _bare(t)) for t in terms]
            return _summed(signed, r"\left({}\right)")
        case Times(factors):
            parts = [(f, inside(f) if isinstance(f, Sum | Minus) else latex_of(f, style)) for f in factors]
            return _multiplied(parts, r" \times ", " ")
        case Minus(of):
            return f"-{latex_of(of, style)}" if isinstance(of, Ratio | Times) else f"-{inside(of)}"
        case Log(of, base):
            name = r"\ln" if base == 0 else rf"\log_{{{base}}}"
            return f"{name} {latex_of(of, style) if isinstance(of, Ratio) else inside(of)}"
        case Choose(n, k):
            return rf"\binom{{{plain(n)}}}{{{plain(k)}}}"
        case Factorial(n):
            return f"{n}!"
        case Gamma(x):
            return rf"\Gamma({plain(x)})"
        case Power(of, exponent):
            if isinstance(exponent, Ratio):
                return f"{inside(of)}^{{{_slashed(exponent)}}}"
            return rf"\sqrt{{{latex_of(of, style)}}}" if exponent == 0.5 else f"{inside(of)}^{{{exponent:g}}}"
        case Largest(of):
            return rf"\max\left({', '.join(latex_of(part, style) for part in of)}\right)"
        case Absolute(of):
            return rf"\left|{latex_of(of, style)}\right|"
        case Median(of):
            return rf"\mathrm{{median}}\left({', '.join(latex_of(part, style) for part in of)}\right)"


def _slashed(exponent: Ratio) -> str:
    """Return a fraction in one line, as small as an exponent should be."""
    return "/".join(latex_of(part, Style()) for part in (exponent.top, exponent.bottom))


def _bare(term: Expression) -> Expression:
    return term.of if isinstance(term, Minus) else term


def _factor(factor: Expression, style: Style) -> str:
    text = text_of(factor, style)
    simple = isinstance(factor, Ratio) and isinstance(factor.top, Count) and isinstance(factor.bottom, Count)
    return f"({text})" if isinstance(factor, Sum | Minus) or (isinstance(factor, Ratio) and not simple) else text


def _summed(terms: list[tuple[bool, str, Expression]], bracket: str = "({})") -> str:
    """Join terms by their signs; a sum that is subtracted, or a negative term behind another, goes into brackets."""
    text = ""
    for subtracted, term, what in terms:
        negative = isinstance(what, Minus) or (term.startswith("-") and (text != "" or subtracted))
        shown = bracket.format(term) if negative or (subtracted and isinstance(what, Sum)) else term
        text += (" - " if subtracted else " + ") + shown if text else ("-" if subtracted else "") + shown
    return text


def _multiplied(factors: list[tuple[Expression, str]], sign: str, before_log: str) -> str:
    text = ""
    for factor, shown in factors:
        text += (before_log if isinstance(factor, Log) else sign) + shown if text else shown
    return text


def _latex_number(text: str) -> str:
    mantissa, exponent, power = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}" if exponent else text


#: What must not stand as it is in LaTeX text.
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def latex_text(text: str) -> str:
    """Return text as LaTeX text, in one line; control characters are written out."""
    return re.sub(r"[\\{}$&#%_^~<>]", lambda found: _LATEX[found.group()], one_line(text))
