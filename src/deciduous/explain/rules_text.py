"""Rules in words: for a terminal, and as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator

from deciduous.explain.rules import Rule, Rules
from deciduous.language import speaking
from deciduous.language import translate as _
from deciduous.language import translate_plural as _n
from deciduous.model.labels import NUMBERS, significant
from deciduous.model.text import MOST_CLASSES
from deciduous.textgrid import one_line, wrapped

#: How wide a line of text may be.
WIDTH = 80


def text_of(rules: Rules, digits: int = 6, lang: str | None = None) -> str:
    """Return rules as text: the rule, and below it what it covers and how sure it is."""
    return "\n".join(lines_of(rules, digits, lang))


def lines_of(rules: Rules, digits: int = 6, lang: str | None = None) -> Iterator[str]:
    """Return the lines of `text_of`, made rule by rule."""
    with speaking(lang):
        head = wrapped(one_line(headline(rules)), WIDTH)
    yield from head
    for number, rule in enumerate(rules, 1):
        with speaking(lang):
            begin = f"{number}. "
            text = wrapped(one_line(begin + sentence(rule, digits)), WIDTH, " " * len(begin))
            below = wrapped(one_line(" " * len(begin) + figures(rules, rule)), WIDTH, " " * len(begin))
        yield from text
        yield from below


def headline(rules: Rules) -> str:
    """Return what the rules are of, and whether they are all."""
    n = sum(not rule.stops for rule in rules)
    text = _n("{n} rule for {target}", "{n} rules for {target}", n).format(n=n, target=rules.tree.target)
    stops = len(rules) - n
    if stops:
        text += _n(
            ", and {n} for categories that training never saw there",
            ", and {n} for categories that training never saw there",
            stops,
        ).format(n=stops)
    if rules.tree.surrogates is not None and rules.tree.options["use_surrogates"]:
        text += _("; where a cell is missing, the surrogates of the question decide (see summary)")
    return text + (_("; every row fulfils exactly one") if rules.complete and not _in_parts(rules) else "")


def _in_parts(rules: Rules) -> bool:
    return any(0 < condition.missing < 1 for rule in rules for condition in rule.conditions)


def sentence(rule: Rule, digits: int = 6) -> str:
    """Return a rule as a sentence: IF ... AND ... THEN ..."""
    answer = rule.prediction if rule.class_weights else _number(rule, digits)
    conditions = _(" AND ").join(condition.text(digits) for condition in rule.conditions) or _("anything")
    return _("IF {conditions} THEN {answer}").format(conditions=conditions, answer=answer)


def _number(rule: Rule, digits: int) -> str:
    return significant(float(rule.prediction), digits)


def figures(rules: Rules, rule: Rule) -> str:
    """Return what a rule covers, and how often it is right there."""
    tree = rules.tree
    if rule.stops and rule.n_samples == 0:
        covers = _("no training rows; the answer of node {node}").format(node=rule.node)
    elif rule.n_samples == 0:
        covers = _("no training rows; the answer of the node above")
    else:
        covers = _n("{n} row", "{n} rows", rule.n_samples).format(n=rule.n_samples)
        if rule.weight != rule.n_samples:
            covers += _(", weight {weight}").format(weight=significant(rule.weight))
        covers += _(" ({share} of all)").format(share=_percent(rule.coverage))
        if rule.stops:
            covers += _("; the answer of node {node}").format(node=rule.node)
    if tree.task == "number":
        word = NUMBERS.get(str(tree.options["criterion"]), ("", "squared error"))[1]
        return _("{covers}; {error} {spread}").format(covers=covers, error=_(word), spread=significant(rule.spread))
    sure = _("confidence {confidence}, lift {lift}").format(
        confidence=_percent(rule.confidence), lift=significant(rule.lift, 3)
    )
    return _("{covers}: {counts}; {sure}").format(covers=covers, counts=_counts(rule), sure=sure)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _counts(rule: Rule) -> str:
    weights = sorted(rule.class_weights.items(), key=lambda pair: -pair[1])
    shown = ", ".join(f"{label} {significant(weight)}" for label, weight in weights[:MOST_CLASSES])
    rest = len(weights) - MOST_CLASSES
    return shown + (_n(", and {n} more class", ", and {n} more classes", rest).format(n=rest) if rest > 0 else "")


def table_of(rules: Rules, digits: int = 6) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of a table of rules, in the language spoken; from the third on columns are numbers.

    What is said of a rule counts training rows.
    """
    classes = rules.tree.task == "class"
    head = [_("rule"), _("answer"), _("rows"), _("coverage")]
    head += [_("confidence"), _("lift")] if classes else [_("squared error")]
    lines = []
    for rule in rules:
        conditions = _(" AND ").join(c.text(digits) for c in rule.conditions) or _("anything")
        answer = str(rule.prediction) if classes else _number(rule, digits)
        own = [_percent(rule.confidence), significant(rule.lift, 3)] if classes else [significant(rule.spread)]
        lines.append([conditions, answer, str(rule.n_samples), _percent(rule.coverage), *own])
    return head, lines


def markdown_of(rules: Rules, digits: int = 6, lang: str | None = None) -> str:
    """Return rules as a Markdown table."""
    with speaking(lang):
        head, lines = table_of(rules, digits)
        table = [head, ["---", "---", *["---:"] * (len(head) - 2)], *lines]
        return "\n".join(f"| {' | '.join(_cell(text) for text in line)} |" for line in table)


def _cell(text: str) -> str:
    """Return text as it must stand in a cell of a Markdown table."""
    for sign in "\\`*_|<>[]#":
        text = text.replace(sign, "\\" + sign) if sign != "<" else text.replace("<", "&lt;")
    return one_line(text)
