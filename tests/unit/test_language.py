"""The language of what is printed: catalogues, their completeness, and how a language is chosen."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

import deciduous
from deciduous import datasets
from deciduous.draw.cards import IMPURITIES
from deciduous.evaluate.curves import NO_QUESTION
from deciduous.evaluate.scores import CLASS_SCORES, NUMBER_SCORES
from deciduous.explain import notation, optimal, pruning, summary, working, worksheet
from deciduous.language import (
    LANGUAGES,
    checked,
    messages_of,
    of_environment,
    speaking,
    spoken,
    translate,
    translate_filled,
)
from deciduous.language import translate_plural as plural
from deciduous.model.labels import NUMBERS
from deciduous.model.reason import REASON_TEXT
from deciduous.prune.steps import Decision
from deciduous.report.judged import SCORES
from deciduous.report.profile import KINDS
from deciduous.ruleset.working import OUTCOMES

SOURCE = Path(deciduous.__file__).parent
CATALOGUES = [lang for lang in LANGUAGES if lang != "en"]


def messages() -> set[str]:
    """All messages of the source and of its templates, where they stand, and the tables of words."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("_", "_n"):
                first = call.args[0]
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    for template in SOURCE.rglob("*.html"):
        found |= {text for _, text in re.findall(r"_\((['\"])(.+?)\1\)", template.read_text("utf-8"))}
    tables = (notation.QUANTITIES, working.VERDICT_TEXT, working.QUANTITY, REASON_TEXT, pruning.NAMES, optimal.CHOICES)
    others = (IMPURITIES, SCORES, KINDS, OUTCOMES, summary.TITLES, worksheet.ASKED)
    words = {text for table in (*tables, *others) for text in table.values()}
    words |= {word for pair in NUMBERS.values() for word in pair}
    scores = {name.replace("_", " ") for name in (*CLASS_SCORES, *NUMBER_SCORES, "cost", "model", "sd_of_runs")}
    columns = {"leaves", "alpha", "cost", "training", "validation", "cross-validated"}
    tables_told = {datasets.load(name).description for name in datasets.names()}
    return found | words | scores | columns | tables_told | {NO_QUESTION} | set(get_args(Decision))


@pytest.mark.parametrize("lang", CATALOGUES)
def test_every_message_is_translated_and_none_is_left_over(lang: str) -> None:
    catalogue = messages_of((SOURCE / "locale" / f"{lang}.po").read_text("utf-8"))
    assert messages() - catalogue.keys() == set()
    assert catalogue.keys() - messages() == set()


@pytest.mark.parametrize("lang", CATALOGUES)
def test_translations_have_the_same_places_to_fill(lang: str) -> None:
    text = (SOURCE / "locale" / f"{lang}.po").read_text("utf-8")
    for context, all_of_them in (("", True), ("command", False)):
        for message, forms in messages_of(text, context).items():
            places = set(re.findall(r"\{(\w*)\}", message))
            for form in forms:
                used = set(re.findall(r"\{(\w*)\}", form))
                assert used == places if all_of_them else used <= places, message


def test_a_language_is_spoken_within_a_block() -> None:
    assert spoken() == "en"
    with speaking("zh"):
        assert translate("information gain") == "信息增益"
        assert plural("{n} row", "{n} rows", 1).format(n=1) == "1 个样本"
        with speaking(None):
            assert spoken() == "zh"
    assert translate("information gain") == "information gain"
    assert plural("{n} row", "{n} rows", 2).format(n=2) == "2 rows"


def test_what_is_filled_in_already_is_translated_by_its_pattern() -> None:
    text = "there is no node 9; the tree has nodes 0 to 4."
    assert translate_filled(text) == text
    with speaking("zh"):
        assert translate_filled(text) == "没有结点 9；该树的结点为 0 到 4。"
        assert translate_filled("never heard of") == "never heard of"
        assert translate_filled("rounding='up' is not one of 'end'. Did you mean 'end'?").endswith("是否想用 'end'？")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(deciduous.OptionError, match=r"lang='zhh' is not one of 'en', 'zh'\. Did you mean 'zh'\?"):
        checked("zhh")


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANGUAGE": "zh:en", "LANG": "de_DE"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_locale_says_the_language(environment: dict[str, str], lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert of_environment() == lang


def test_a_catalogue_is_read_as_it_is() -> None:
    text = 'msgid ""\nmsgstr "head"\n\n# a note\nmsgid "a\\n"\n"b"\nmsgstr "甲"\n\nmsgid "c"\nmsgstr ""\n'
    text += '\nmsgid "{n} x"\nmsgid_plural "{n} xs"\nmsgstr[0] "{n} 个"\n'
    assert messages_of(text) == {"a\nb": ("甲",), "{n} x": ("{n} 个",)}


@pytest.mark.parametrize("lang", CATALOGUES)
def test_a_catalogue_is_one_file_without_a_message_twice(lang: str) -> None:
    text = (SOURCE / "locale" / f"{lang}.po").read_text("utf-8")
    sizes = {context: len(messages_of(text, context)) for context in ("", "command", "error")}
    assert sum(sizes.values()) == text.count("\nmsgid ") - 1  # but for the header
    assert min(sizes.values()) > 100
