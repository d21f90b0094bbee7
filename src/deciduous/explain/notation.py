"""The quantities of derivations: their names, and their definitions, written once at the top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from deciduous.explain.altered import counted_as
from deciduous.explain.blocks import Block, Formula, Heading, Text
from deciduous.explain.expression import Name
from deciduous.explain.improvement import IMPROVEMENTS
from deciduous.explain.rates import events_before
from deciduous.language import translate as _
from deciduous.search.contingency import KNOWN_ROWS_ONLY

if TYPE_CHECKING:
    from deciduous.explain.derivation import Derivation
    from deciduous.model.tree import Tree

#: The quantities of steps by key, in words.
QUANTITIES = {
    "entropy": "information entropy",
    "joint_entropy": "joint entropy",
    "conditional_entropy": "conditional entropy",
    "gain": "information gain",
    "split_information": "split information",
    "correction": "correction for the choice among thresholds",
    "corrected_gain": "gain less the correction",
    "gain_ratio": "gain ratio",
    "average_gain": "average gain",
    "gini": "Gini value",
    "gini_index": "Gini index",
    "gini_gain": "drop in Gini",
    "misclassification": "misclassification",
    "error_after": "misclassification after the split",
    "error_drop": "drop in misclassification",
    "known_share": "share of the known rows",
    "mean": "mean",
    "median": "median",
    "squared_sum": "sum of squares",
    "absolute_sum": "sum of absolute deviations",
    "drop": "drop in impurity",
    "absolute_drop": "drop in absolute error",
    "poisson_drop": "drop in half Poisson deviance",
    "mean_drop": "mean over the targets of the drop",
    "shrunk_rate": "shrunk rate",
    "improvement": "improvement",
    "improvement_entropy": "improvement",
    "improvement_squares": "improvement",
    "improvement_poisson": "improvement",
}

#: What columns of trees with surrogates compete by.
IMPROVED = Name("Improvement(D, a)", r"\mathrm{Improvement}(D, a)")

#: The definition of each quantity: its name's key, the left side and the right side, as text and LaTeX.
DEFINITIONS: dict[str, tuple[Name, Name]] = {
    "entropy": (
        Name("Ent(D)", r"\mathrm{Ent}(D)"),
        Name("-sum_k p_k log2 p_k", r"-\sum_{k=1}^{|\mathcal{Y}|} p_k \log_{2} p_k"),
    ),
    "known_share": (Name("rho", r"\rho"), Name("|D~| / |D|", r"\frac{|\tilde{D}|}{|D|}")),
    "joint_entropy": (
        Name("H(a, y)", "H(a, y)"),
        Name("-sum_v sum_k p(v, k) log2 p(v, k)", r"-\sum_{v} \sum_{k} p(v, k) \log_{2} p(v, k)"),
    ),
    "conditional_entropy": (
        Name("H(D|a)", r"H(D \mid a)"),
        Name("sum_v |D^v|/|D| Ent(D^v)", r"\sum_{v=1}^{V} \frac{|D^v|}{|D|} \mathrm{Ent}(D^v)"),
    ),
    "gain": (
        Name("Gain(D, a)", r"\mathrm{Gain}(D, a)"),
        Name("Ent(D) - H(D|a)", r"\mathrm{Ent}(D) - H(D \mid a)"),
    ),
    "split_information": (
        Name("IV(a)", r"\mathrm{IV}(a)"),
        Name("-sum_v |D^v|/|D| log2 |D^v|/|D|", r"-\sum_{v=1}^{V} \frac{|D^v|}{|D|} \log_{2} \frac{|D^v|}{|D|}"),
    ),
    "gain_ratio": (
        Name("Gain_ratio(D, a)", r"\mathrm{Gain\_ratio}(D, a)"),
        Name("Gain(D, a) / IV(a)", r"\frac{\mathrm{Gain}(D, a)}{\mathrm{IV}(a)}"),
    ),
    "correction": (
        Name("Correction(a)", r"\mathrm{Correction}(a)"),
        Name("log2 N / |D|", r"\frac{\log_{2} N}{|D|}"),
    ),
    "corrected_gain": (
        Name("Gain_corrected(D, a)", r"\mathrm{Gain\_corrected}(D, a)"),
        Name("Gain(D, a) - Correction(a)", r"\mathrm{Gain}(D, a) - \mathrm{Correction}(a)"),
    ),
    "gini": (
        Name("Gini(D)", r"\mathrm{Gini}(D)"),
        Name("1 - sum_k p_k^2", r"1 - \sum_{k=1}^{|\mathcal{Y}|} p_k^{2}"),
    ),
    "gini_index": (
        Name("Gini_index(D, a)", r"\mathrm{Gini\_index}(D, a)"),
        Name("sum_v |D^v|/|D| Gini(D^v)", r"\sum_{v=1}^{V} \frac{|D^v|}{|D|} \mathrm{Gini}(D^v)"),
    ),
    "gini_gain": (
        Name("Gini_gain(D, a)", r"\mathrm{Gini\_gain}(D, a)"),
        Name("Gini(D) - Gini_index(D, a)", r"\mathrm{Gini}(D) - \mathrm{Gini\_index}(D, a)"),
    ),
    "misclassification": (Name("Err(D)", r"\mathrm{Err}(D)"), Name("1 - max_k p_k", r"1 - \max_k p_k")),
    "mean": (
        Name("c(D)", "c(D)"),
        Name("sum_i y_i / |D|", r"\frac{1}{|D|} \sum_{x_i \in D} y_i"),
    ),
    "median": (Name("c(D)", "c(D)"), Name("median_i y_i", r"\mathrm{median}_{x_i \in D}\, y_i")),
    "squared_sum": (Name("S(D)", "S(D)"), Name("sum_i (y_i - c(D))^2", r"\sum_{x_i \in D} (y_i - c(D))^{2}")),
    "absolute_sum": (Name("A(D)", "A(D)"), Name("sum_i |y_i - c(D)|", r"\sum_{x_i \in D} |y_i - c(D)|")),
    "drop": (
        Name("drop(D, a)", r"\mathrm{drop}(D, a)"),
        Name("(S(D) - sum_v S(D^v)) / |D|", r"\frac{S(D) - \sum_{v} S(D^v)}{|D|}"),
    ),
    "absolute_drop": (
        Name("drop(D, a)", r"\mathrm{drop}(D, a)"),
        Name("(A(D) - sum_v A(D^v)) / |D|", r"\frac{A(D) - \sum_{v} A(D^v)}{|D|}"),
    ),
    "poisson_drop": (
        Name("drop(D, a)", r"\mathrm{drop}(D, a)"),
        Name(
            "sum_v |D^v|/|D| c(D^v) ln (c(D^v) / c(D))",
            r"\sum_{v} \frac{|D^v|}{|D|} c(D^v) \ln \frac{c(D^v)}{c(D)}",
        ),
    ),
    "shrunk_rate": (
        Name("c_shrunk(D)", r"c_{\mathrm{shrunk}}(D)"),
        Name(
            "(sum_i y_i + a) / (|D| + a / c), a = 1 / shrink^2, c the rate of all rows",
            r"\frac{\sum_{x_i \in D} y_i + a}{|D| + a / c},\quad a = \frac{1}{\mathrm{shrink}^{2}}",
        ),
    ),
    "improvement": (IMPROVED, Name("|D| × Gini_gain(D, a)", r"|D| \times \mathrm{Gini\_gain}(D, a)")),
    "improvement_entropy": (IMPROVED, Name("|D| × Gain(D, a) × ln 2", r"|D| \times \mathrm{Gain}(D, a) \times \ln 2")),
    "improvement_squares": (
        IMPROVED,
        Name("|D| × drop(D, a) / S(D)", r"\frac{|D| \times \mathrm{drop}(D, a)}{S(D)}"),
    ),
    "improvement_poisson": (IMPROVED, Name("2 × |D| × drop(D, a)", r"2 \times |D| \times \mathrm{drop}(D, a)")),
}

#: What is defined for each family of measures, and for numbers by criterion.
OF_FAMILY = {
    "entropy": ("entropy", "conditional_entropy", "gain"),
    "ratio": ("split_information", "gain_ratio"),
    "gini": ("gini", "gini_index", "gini_gain"),
    "error": ("misclassification",),
}
OF_NUMBERS = {"absolute_error": ("median", "absolute_sum", "absolute_drop"), "poisson": ("mean", "poisson_drop")}
#: The same where rows with a missing cell take no part in the branches (Zhou 2016, section 4.4.2).
KNOWN: dict[str, tuple[Name, Name]] = {
    "conditional_entropy": (
        Name("H(D~|a)", r"H(\tilde{D} \mid a)"),
        Name("sum_v r~_v Ent(D~^v)", r"\sum_{v=1}^{V} \tilde{r}_v \mathrm{Ent}(\tilde{D}^v)"),
    ),
    "gain": (
        Name("Gain(D, a)", r"\mathrm{Gain}(D, a)"),
        Name(
            "rho × (Ent(D~) - H(D~|a))",
            r"\rho \times \left(\mathrm{Ent}(\tilde{D}) - H(\tilde{D} \mid a)\right)",
        ),
    ),
    "split_information": (
        Name("IV(a)", r"\mathrm{IV}(a)"),
        Name(
            "-sum_v |D~^v|/|D| log2 |D~^v|/|D| - |D^?|/|D| log2 |D^?|/|D|",
            r"-\sum_{v=1}^{V} \frac{|\tilde{D}^v|}{|D|} \log_{2} \frac{|\tilde{D}^v|}{|D|}"
            r" - \frac{|D^?|}{|D|} \log_{2} \frac{|D^?|}{|D|}",
        ),
    ),
    "gini_index": (
        Name("Gini_index(D~, a)", r"\mathrm{Gini\_index}(\tilde{D}, a)"),
        Name("sum_v r~_v Gini(D~^v)", r"\sum_{v=1}^{V} \tilde{r}_v \mathrm{Gini}(\tilde{D}^v)"),
    ),
    "gini_gain": (
        Name("Gini_gain(D, a)", r"\mathrm{Gini\_gain}(D, a)"),
        Name(
            "rho × (Gini(D~) - Gini_index(D~, a))",
            r"\rho \times \left(\mathrm{Gini}(\tilde{D}) - \mathrm{Gini\_index}(\tilde{D}, a)\right)",
        ),
    ),
    "drop": (
        Name("drop(D, a)", r"\mathrm{drop}(D, a)"),
        Name("(S(D~) - sum_v S(D~^v)) / |D|", r"\frac{S(\tilde{D}) - \sum_{v} S(\tilde{D}^v)}{|D|}"),
    ),
}


def name_of(quantity: str) -> str:
    """Return the name of a quantity in the language spoken."""
    return _(QUANTITIES[quantity])


def definitions(derivation: Derivation) -> Iterator[Block]:
    """Return the definitions of what a derivation writes out, once, and the conventions that go with them."""
    tree = derivation.tree
    if tree.task == "number":
        keys: tuple[str, ...] = OF_NUMBERS.get(str(tree.options["criterion"]), ("mean", "squared_sum", "drop"))
    else:
        keys = tuple(key for family in derivation.families for key in OF_FAMILY[family])
    yield Heading(_("Definitions"), 3)
    if keys:
        apart = tree.options["missing"] in KNOWN_ROWS_ONLY and any(f.missing for f in tree.schema.features)
        yield from definitions_of(keys, classes=tree.task == "class", missing=apart)
    if "ratio" in derivation.families:
        yield from _rules_of_c45(tree)
    if tree.surrogates is not None:
        yield from _rules_of_rpart(tree)


def _rules_of_c45(tree: Tree) -> Iterator[Block]:
    """Return what C4.5 asks of the gain: less the correction of thresholds, and at least the average."""
    if tree.options.get("mdl_correction") and any(f.kind in ("numeric", "ordinal") for f in tree.schema.features):
        for key in ("correction", "corrected_gain"):
            yield Formula(DEFINITIONS[key], label=name_of(key))
        yield Text(_("N: how many thresholds of the column are tried."))
    if tree.options.get("guard"):
        yield Text(
            _(
                "Gain_average(D): the mean over the columns of what they gain; a column that gains less is not "
                "eligible, however large its ratio."
            )
        )


def _rules_of_rpart(tree: Tree) -> Iterator[Block]:
    """Return what columns compete by in trees with surrogates, and how their rates are shrunk."""
    if events_before(tree.node(0)):
        yield Formula(DEFINITIONS["shrunk_rate"], label=name_of("shrunk_rate"))
    yield from counted_as(tree)
    if key := IMPROVEMENTS.get(str(tree.options["criterion"])):
        yield Formula(DEFINITIONS[key], label=name_of(key))


def definitions_of(keys: Iterable[str], *, classes: bool, missing: bool) -> Iterator[Block]:
    """Return what the letters stand for, and the definitions of quantities; where `missing` cells are set apart, those
    for the rows whose cell is known, too.
    """
    keys = [key for key in keys if key in DEFINITIONS]
    yield Text(conventions(classes, missing))
    for key in keys:
        yield Formula(DEFINITIONS[key], label=name_of(key))
    if missing:
        yield Formula(DEFINITIONS["known_share"], label=name_of("known_share"))
        for key in keys:
            if key in KNOWN:
                yield Formula(KNOWN[key], label=name_of(key))
    if any("log2" in DEFINITIONS[key][1].text for key in keys):
        yield Text(_("0 log2 0 = 0; base 2 counts in bits, and another base scales all gains alike."))


def conventions(classes: bool, missing: bool) -> str:
    """Return what the letters stand for."""
    text = _("D: the rows of the node; D^v: those of branch v")
    if classes:
        text += _("; p_k: the share of class k")
    if missing:
        text += _("; D~: the rows whose cell is known")
        text += _("; p~_k, r~_v: the shares of class k and of branch v among these") if classes else ""
        text += _("; |D|: their number, or the sum of their weights")
    return text + _(".")
