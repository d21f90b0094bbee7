"""Errors and notes in the spelling of the command: they name options as Python has them, `kinds={...}`, and the command
has `--kind NAME=KIND`.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping, Sequence

#: A value as Python writes it: text in quotes, a list or dict, a number or word (the full stop of a sentence is none).
_VALUE = r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|-?\w+(?:\.\w+)*(?:(?<=e)-\d+)?"
#: The options that map names to something; in the command all in one, or one by one.
TOGETHER, ONE_BY_ONE = ("class_weight", "priors"), ("costs", "monotonic_cst")


def as_typed(text: str, flags: Mapping[str, str]) -> str:
    """Return a message with the options of Python as they are typed; `flags`: the flag of each, by name in Python.

    An option is a name with an equals sign behind it that is no argument of a call. A mapping, or one entry of it, is
    written NAME=VALUE; what a message is about stands at its beginning without a value.
    """
    text = re.sub(r"\bkinds\[(.+?)\]='(\w+)'", lambda found: _kind(found[1], found[2]), text)
    text = re.sub(r"\bkinds=\{(.+?): '(\w+)'\}", lambda found: _kind(found[1], found[2]), text)
    text = re.sub(r"\bkinds=(\{\.\.\.\}|\.\.\.)", "--kind NAME=KIND", text)
    mappings = "|".join(name for name in (*TOGETHER, *ONE_BY_ONE) if name in flags)
    if mappings:
        entry = re.compile(rf"\b({mappings})\[('[^']*'|\"[^\"]*\"|[\w.-]+)\](=({_VALUE}))?")
        text = entry.sub(lambda found: _entries(found[1], flags[found[1]], [(found[2], found[4])]), text)
        whole = re.compile(rf"\b({mappings})=(\{{[^{{}}]*\}})")
        text = whole.sub(lambda found: _mapping(found[1], flags[found[1]], found[2]), text)
        text = re.sub(rf"^({mappings}|loss)(?= )", lambda found: flags.get(found[1], found[1]), text)
    text = re.sub(r"^kinds(?= )", "--kind", text)
    if "cv" in flags:
        text = re.sub(r"(?<!--method )(?<![\w'-])cv(?![\w'=])", flags["cv"], text)
    names = "|".join(sorted(flags, key=len, reverse=True))
    option = re.compile(rf"(?<![\w.'\"-])(?<!\w\()({names})=({_VALUE})?")
    return option.sub(lambda found: _typed(flags[found[1]], found[2]), text)


def _kind(name: str, kind: str) -> str:
    return f"--kind {shlex.quote(f'{_unquoted(name)}={kind}')}"


def _mapping(name: str, flag: str, text: str) -> str:
    """Return a mapping as its entries are typed; as it is where it cannot be read."""
    try:
        entries = [(str(key), str(value)) for key, value in ast.literal_eval(text).items()]
    except (ValueError, SyntaxError, AttributeError):
        return f"{flag} {shlex.quote(text)}"
    return _entries(name, flag, entries)


def _entries(name: str, flag: str, entries: Sequence[tuple[str, str | None]]) -> str:
    typed = [_unquoted(key) + ("" if value is None else f"={_unquoted(value)}") for key, value in entries]
    if name in TOGETHER:
        return f"{flag} {shlex.quote(','.join(typed))}"
    return " ".join(f"{flag} {shlex.quote(one)}" for one in typed)


def _typed(flag: str, value: str | None) -> str:
    """Return an option with its value as a shell takes it."""
    if value is None:
        return flag
    if value in ("True", "False"):
        return flag if value == "True" else flag.replace("--", "--no-", 1)
    return f"{flag} {'none' if value == 'None' else shlex.quote(_unquoted(value))}"


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in "'\"" and value[-1:] == value[:1] and len(value) > 1 else value
