"""The language of what is printed. English is in the source; every other language is a file `LANG.po` in `locale`.

The context of a message (`msgctxt`) says what it belongs to: none for the library, `command` for the help of the
command, `error` for errors and notes. Exceptions stay English in Python, where code reads them; the command translates
them as they come out (`translate_filled`): what is written in the source as f"there is no node {index}" is there as the
pattern "there is no node {node}". The catalogues are read as they are, with Python's own gettext, and need no
compiling.
"""

from __future__ import annotations

import ast
import gettext
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources

from deciduous.errors import OptionError, listing, nearest

_CATALOGUES = resources.files("deciduous") / "locale"
#: English, and the languages that have a catalogue.
LANGUAGES = (
    "en",
    *sorted(file.name.removesuffix(".po") for file in _CATALOGUES.iterdir() if file.name.endswith(".po")),
)
#: What the environment says about the language, the first that is set (the order of GNU gettext).
_ENVIRONMENT = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")

_spoken: ContextVar[str] = ContextVar("language", default="en")


def translate(message: str) -> str:
    """Return a message in the language spoken (see `speaking`), or as it is where there is no translation.

    What is filled in, such as `{node}`, is filled in afterwards: `translate("node {node}").format(node=3)`.
    """
    return _catalogue(_spoken.get()).gettext(message)


def translate_plural(one: str, many: str, n: float) -> str:
    """Return the one of two messages that fits a number, in the language spoken."""
    return _catalogue(_spoken.get()).ngettext(one, many, 1 if n == 1 else 2)


def spoken() -> str:
    """Return the language spoken, `en` by default."""
    return _spoken.get()


@contextmanager
def speaking(lang: str | None) -> Iterator[None]:
    """Print in a language within a block; None leaves the one that is spoken. OptionError for an unknown one."""
    token = _spoken.set(_spoken.get() if lang is None else checked(lang))
    try:
        yield
    finally:
        _spoken.reset(token)


def speak(lang: str) -> None:
    """Print in a language from here on (for a program of its own, such as the command)."""
    _spoken.set(checked(lang))


def checked(lang: str) -> str:
    """Return the code of a language; OptionError if there is no catalogue for it."""
    if lang not in LANGUAGES:
        raise OptionError(f"lang={lang!r} is not one of {listing(LANGUAGES)}.{nearest(lang, LANGUAGES)}")
    return lang


def of_environment() -> str:
    """Return the language that the locale asks for; English if there is no catalogue for it."""
    for variable in _ENVIRONMENT:
        for wanted in filter(None, os.environ.get(variable, "").split(":")):
            code = wanted.split(".")[0].split("_")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"


@cache
def _catalogue(lang: str) -> gettext.NullTranslations:
    if lang == "en":
        return gettext.NullTranslations()
    return Catalogue(_messages(lang) | _messages(lang, "command"))


def _messages(lang: str, context: str = "") -> dict[str, tuple[str, ...]]:
    return messages_of((_CATALOGUES / f"{lang}.po").read_text(encoding="utf-8"), context)


#: The places of patterns whose content is a message too.
_NESTED = ("error", "why", "what", "bound", "hint", "more", "where", "who", "whose", "message")
#: What may end a message: the nearest name, or what others call it.
_HINT = re.compile(r"(.+?[.?)]|[^.]+) (Did you mean [^?]+\?|[^.:;()]+ calls it so; here: .+)", re.DOTALL)
#: How `errors.listing` ends a long list.
_REST = ", ... and {n} more"


def translate_filled(text: str) -> str:
    """Return an error or a note whose places are filled in already, in the language spoken.

    A message such as `there is no node 9; ...` is found by its pattern, `there is no node {node}; ...`; what is filled
    in stays as it is, but for messages within messages. The text itself where no pattern fits all of it.
    """
    if _spoken.get() == "en":
        return text
    if hint := _HINT.fullmatch(text):
        return translate_filled(hint[1]) + translate_filled(hint[2])
    for pattern, translation in _patterns(_spoken.get()):
        if found := pattern.fullmatch(text):
            return translation.format(**{name: _filled(name, value) for name, value in found.groupdict().items()})
    return text


def _filled(name: str, value: str) -> str:
    """Return what stands in a place, translated where it is a message, or the end of a long list."""
    if name in _NESTED:
        return translate_filled(value.strip())
    rest = _pattern(_REST)
    listed, comma, end = value.rpartition(_REST.partition("{")[0])
    found = rest.fullmatch(comma + end)
    return listed + translate_filled(comma + end) if found else value


@cache
def _patterns(lang: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the errors and notes as patterns, those of the most letters first."""
    messages = sorted(_messages(lang, "error").items(), key=lambda pair: -len(PLACE.sub("", pair[0])))
    return [(_pattern(message), forms[0]) for message, forms in messages]


#: A place to be filled in.
PLACE = re.compile(r"\{(\w+)\}")


def _pattern(message: str) -> re.Pattern[str]:
    parts = PLACE.split(message)
    escaped = (re.escape(part) if i % 2 == 0 else f"(?P<{part}>.*?)" for i, part in enumerate(parts))
    return re.compile("".join(escaped), re.DOTALL)


class Catalogue(gettext.NullTranslations):
    """The messages of one language: text, or one text a plural form, by English message."""

    def __init__(self, messages: dict[str, tuple[str, ...]]) -> None:
        super().__init__()
        self._messages = messages

    def gettext(self, message: str) -> str:
        """Return the translation of a message."""
        return self._messages.get(message, (message,))[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the translation for a number; the last form where a language has only one."""
        forms = self._messages.get(msgid1, (msgid1, msgid2))
        return forms[0 if n == 1 else -1]


def messages_of(text: str, context: str = "") -> dict[str, tuple[str, ...]]:
    """Return the messages of a .po file that have a context; entries without a translation are left out."""
    messages: dict[str, tuple[str, ...]] = {}
    for block in text.split("\n\n"):
        parts: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith('"'):
                key, _, line = line.partition(" ")
                parts[key] = ""
            parts[key] += ast.literal_eval(line.strip())
        forms = tuple(value for name, value in parts.items() if name.startswith("msgstr") and value)
        if parts.get("msgid") and forms and parts.get("msgctxt", "") == context:
            messages[parts["msgid"]] = forms
    return messages
