"""What the script of the page says, in the language spoken."""

from __future__ import annotations

from deciduous.draw.cards import IMPURITIES
from deciduous.language import translate as _
from deciduous.model.labels import NUMBERS
from deciduous.model.tree import Tree


def words_of_script(tree: Tree) -> dict[str, str]:
    """Return the messages of the script by name; `{name}` is filled in there."""
    return {**_of_criterion(tree), **_of_tree(), **_of_node(), **_of_row(), **_of_pruning()}


def _of_criterion(tree: Tree) -> dict[str, str]:
    criterion = str(tree.options["criterion"])
    answer, impurity = NUMBERS.get(criterion, ("mean", "variance"))
    return {"answer": _(answer), "impurity": _(IMPURITIES.get(criterion, impurity))}


def _of_tree() -> dict[str, str]:
    return {
        "rows": _("{n} rows"),
        "row": _("1 row"),
        "weight": _("weight {weight}"),
        "noRows": _("no rows: answers as above"),
        "hidden": _("+{n} nodes"),
        "open": _("open"),
        "close": _("close"),
        "prunedHere": _("pruned here"),
        "matches": _("{i} of {n}"),
        "noMatch": _("nothing found"),
        "light": _("Light"),
        "dark": _("Dark"),
        "auto": _("As the system"),
    }


def _of_node() -> dict[str, str]:
    return {
        "asks": _("Node {n} asks for {feature}"),
        "answers": _("Node {n} answers {answer}"),
        "allRows": _("all rows"),
        "if": _("If"),
        "and": _("and"),
        "then": _("then {answer}"),
        "leafBecause": _("A leaf because {reason}."),
        "class": _("class"),
        "share": _("share"),
        "trainingRows": _("training rows"),
        "restOfClasses": _("other classes"),
        "columnHere": _("{feature} of the {n} rows here"),
        "targetHere": _("{target} of the {n} rows here"),
        "missing": _("missing"),
        "missingCells": _("{n} missing"),
        "otherCategories": _("others"),
        "noWorking": _("The working of this node is not in this report."),
        "threshold": _("threshold {value}"),
        "between": _("{low} to {high}: {n}"),
        "noData": _("None of the rows in this report comes here."),
    }


def _of_row() -> dict[str, str]:
    return {
        "neverSeen": _("(a category never seen)"),
        "missingCell": _("(missing)"),
        "notNumber": _("{feature}: {cell} is not a number"),
        "missingRefused": _("This tree was grown to refuse missing cells (missing='error'): {feature} is missing."),
        "unseenRefused": _("This tree was grown to refuse unseen categories (unseen='error'): {feature}."),
        "answerIs": _("Answer: {answer}"),
        "answerAt": _("as pruned to {n} leaves"),
        "stopsUnseen": _("The walk stops here: {feature} is a category that this question does not know."),
        "stopsMissing": _("The walk stops here: {feature} is missing and nothing says where such rows go."),
        "isMissing": _("{feature} is missing: the row goes to the branch that training chose"),
        "inParts": _("{feature} is missing: the row goes down every branch, by its share of the training rows"),
        "bySurrogate": _("{feature} is missing: {surrogate} answers instead"),
        "part": _("{share} of the row"),
        "truthRight": _("The row is {truth}: right."),
        "truthWrong": _("The row is {truth}: wrong."),
        "truthNumber": _("The row has {truth}, {difference} away."),
        "truthUnknown": _("The row is of a class that the tree does not know: wrong."),
        "rowOf": _("row {n}"),
        "beyond": _("The walk goes on below this node, beyond what this report holds."),
    }


def _of_pruning() -> dict[str, str]:
    return {
        "leaves": _("{n} leaves"),
        "oneLeaf": _("1 leaf"),
        "asGrown": _("as it is"),
        "fromAlpha": _("best from alpha {alpha} on"),
        "training": _("training rows"),
        "others": _("other rows"),
        "errorShare": _("share of wrong answers"),
        "errorSquared": _("mean squared error"),
        "errorIs": _("{name}: {error}"),
        "plusMinus": _("± {se}"),
        "least": _("least error"),
    }
