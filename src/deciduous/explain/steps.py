"""The records of a derivation: steps, each a quantity with its formula, the numbers in place, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deciduous.data.schema import Feature
from deciduous.explain.expression import Count, Expression, Figure, Name, Ratio, Style, latex_text, value_of
from deciduous.explain.precision import with_enough_digits
from deciduous.explain.working import FeatureWorking, NodeWorking
from deciduous.kernels import SplitKind
from deciduous.language import translate as _
from deciduous.model.split import Split


@dataclass(frozen=True)
class Step:
    """One calculation: `symbol = formula = numbers = value`.

    `quantity`: a key of `notation.QUANTITIES`, such as `entropy`; `of`: the branch or column that it is about, nothing
    for the node itself. `formula` has the symbols, `numbers` the numbers in place; either may be None. `value` is
    rounded where the style rounds each step; `exact` is that of the functions that growing uses.
    """

    quantity: str
    of: str
    symbol: Name
    formula: Expression | None
    numbers: Expression | None
    value: float
    exact: float

    @property
    def figure(self) -> Figure:
        """The result, for the formula of a later step."""
        return Figure(self.value)


class Named(str):
    """Text behind a symbol, such as `D^v: a = v`; where mathematics is set, the symbol is."""

    symbol: Name
    words: str

    def __new__(cls, symbol: Name, words: str) -> Named:
        """Put both together; without a symbol, the words alone."""
        made = super().__new__(cls, f"{symbol.text}: {words}" if symbol.text else words)
        made.symbol, made.words = symbol, words
        return made


@dataclass(frozen=True)
class Line:
    """One line of a contingency table: the condition of a branch, its symbol, its weight and what is counted in it.

    `cells`: the weight of each class of the node; for numbers the mean (or median) and the mean error. `rows`: the
    labels of the training rows, and `values` their numbers, where they are known.
    """

    condition: str
    symbol: Name
    weight: float
    cells: tuple[float, ...]
    rows: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def branch(self) -> str:
        """How the branch is called in symbols."""
        return self.symbol.text.partition("^")[2]

    @property
    def named(self) -> Named:
        """The symbol and the condition; the condition alone where there is no symbol."""
        return Named(self.symbol, self.condition)


@dataclass(frozen=True)
class Tried:
    """One candidate of a column that was tried: where it divides, its figures, and what became of it.

    `what`: the rows of the first branch, in words, or both sets of a partition; `cells`: the statistics of each branch,
    `branches` how they are called in symbols. `gain` is taken without limits, with the known share multiplied in;
    `after` is the mean impurity of the branches. `allowed` is false where a limit removed the candidate; `best` marks
    the one kept. `low` and `high`: the neighbouring values of a threshold.
    """

    what: str
    branches: tuple[str, ...]
    weights: tuple[float, ...]
    cells: tuple[tuple[float, ...], ...]
    gain: float
    ratio: float
    after: float
    allowed: bool
    best: bool
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class FeatureDerivation:
    """How a column's figures come about: its contingency table, the steps, and what else was tried.

    `tried` lists the candidates that are shown, of `n_tried`; without data only the best is known. `others`: the steps
    of the other partitions, where these are few. `missing`: the rows whose cell is missing, where these take no part in
    the branches.
    """

    working: FeatureWorking
    lines: tuple[Line, ...] = ()
    steps: tuple[Step, ...] = ()
    tried: tuple[Tried, ...] = ()
    n_tried: int = 0
    others: tuple[Step, ...] = ()
    missing: Line | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeDerivation:
    """How a node's figures come about: those of its own rows, then column by column, then the decision.

    `classes`: the classes that are counted, in the order of the cells, and `n_classes` how many the tree knows; `rows`:
    the labels of its training rows; `answer`: what a leaf answers, in words; `comparison`: what columns are held
    against, the average gain of C4.5's guard.
    """

    working: NodeWorking
    symbol: Name
    classes: tuple[str, ...]
    steps: tuple[Step, ...]
    features: tuple[FeatureDerivation, ...]
    rows: tuple[str, ...] = ()
    answer: str = ""
    n_classes: int = 0
    comparison: tuple[Step, ...] = ()

    def feature(self, name: str) -> FeatureDerivation:
        """Return the derivation of a column."""
        return next(f for f in self.features if f.working.feature == name)

    def all_steps(self) -> list[Step]:
        """Return all steps, those of the node first, those about all columns last."""
        return [step for _name, steps in self.parts() for step in steps]

    def parts(self) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """Yield the steps with the name of their column; those of the node have none."""
        yield "", self.steps
        for feature in self.features:
            yield feature.working.feature, (*feature.steps, *feature.others)
        yield "", self.comparison


class Calculation:
    """Steps one after another, each rounded before it is used again where the style says so."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self.steps: list[Step] = []

    def step(
        self,
        quantity: str,
        of: str,
        symbol: Name,
        formula: Expression | None,
        numbers: Expression | None,
        exact: float,
    ) -> Step:
        """Add a step; its value is the exact one, or what its rounded numbers come to."""
        rounds = self._style.each_step and numbers is not None
        value = self._style.kept(value_of(numbers) if rounds and numbers is not None else exact)
        numbers = None if numbers is None else with_enough_digits(numbers, value, self._style)
        step = Step(quantity, of, symbol, formula, numbers, value, exact)
        self.steps.append(step)
        return step


def share(part: float, whole: float) -> Ratio:
    """Return a fraction of two counts."""
    return Ratio(Count(part), Count(whole))


# --- symbols


def subset(name: Name, branch: str) -> Name:
    """Return the symbol of the rows of a branch, such as `D^sunny`."""
    latex = branch if branch in ("-", "+") else rf"\text{{{latex_text(branch)}}}"
    return Name(f"{name.text}^{branch}", rf"{name.latex}^{{{latex}}}")


def node_symbol(node: int) -> Name:
    """Return the symbol of the rows of a node: D, or D with the node's number."""
    return WHOLE if node == 0 else Name(f"D_{node}", f"D_{{{node}}}")


#: The symbol of all rows.
WHOLE = Name("D", "D")


def known(name: Name) -> Name:
    """Return the symbol of the rows whose cell is known: D with a tilde."""
    return Name(name.text.replace("D", "D~", 1), name.latex.replace("D", r"\tilde{D}", 1))


#: Sets of categories up to this long are written in symbols.
MOST_SIGNS = 24


def branch_names(split: Split, feature: Feature) -> list[str]:
    """Return what the branches of a split are called in symbols: by their categories; - and + below and above a
    threshold, ? for missing cells.
    """
    if split.kind == SplitKind.MISSING:
        return ["!", "?"]
    if split.kind == SplitKind.THRESHOLD:
        return ["-", "+", "?"][: split.n_branches]
    labels = [[str(feature.categories[c]) for c in split.categories_of(b)] for b in range(split.n_branches)]
    if split.kind == SplitKind.ONE_VS_REST:
        return [labels[0][0], _("not {value}").format(value=labels[0][0]), "?"][: split.n_branches]
    named = [set_name(names, number) for number, names in enumerate(labels, 1)]
    if split.missing_branch >= 0:
        named[split.missing_branch] = "?"
    return named


def set_name(labels: Sequence[str], number: int) -> str:
    """Return the name of a set of categories: the category, the set in braces, or its number where that is long."""
    if len(labels) == 1:
        return labels[0]
    text = f"{{{', '.join(labels)}}}"
    return text if labels and len(text) <= MOST_SIGNS else str(number)


def applied(function: str, *arguments: Name | str, given: str | None = None) -> Name:
    """Return the symbol of a measure, such as `Gain(D, outlook)` or `H(D|outlook)`."""
    names = [a if isinstance(a, Name) else Name(a, rf"\text{{{latex_text(a)}}}") for a in arguments]
    text = f"{function}({', '.join(name.text for name in names)}" + (f"|{given}" if given is not None else "") + ")"
    head = rf"\mathrm{{{latex_text(function)}}}" if len(function) > 1 else function
    condition = rf" \mid \text{{{latex_text(given)}}}" if given is not None else ""
    return Name(text, rf"{head}({', '.join(name.latex for name in names)}{condition})")


def labels_text(labels: Sequence[str], most: int = 30) -> str:
    """Return row labels as text, at most so many."""
    rest = len(labels) - most
    return ", ".join(labels[:most]) + (f", ... (+{rest})" if rest > 0 else "")
