"""Errors and notes in the spelling of the command: they name options as Python has them, `kinds={...}`, and the command
has `--kind NAME=KIND`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

#: A value as Python writes it: text in quotes, a list or dict, a number or word.
_VALUE = r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|-?[\w.]+"


def as_typed(text: str, flags: Mapping[str, str]) -> str:
    """Return a message with the options of Python as they are typed; `flags`: the flag of each, by name in Python.

    An option is a name with an equals sign behind it that is no argument of a call.
    """
    text = re.sub(r"\bkinds\[(.+?)\]='(\w+)'", lambda found: _kind(found[1], found[2]), text)
    text = re.sub(r"\bkinds=\{(.+?): '(\w+)'\}", lambda found: _kind(found[1], found[2]), text)
    text = re.sub(r"\bkinds=(\{\.\.\.\}|\.\.\.)", "--kind NAME=KIND", text)
    text = re.sub(r"^(kinds|costs|monotonic_cst|priors|loss|class_weight)(?= )", lambda found: _flag(found[1]), text)
    text = re.sub(rf"\b(costs|monotonic_cst)\[(.+?)\]=({_VALUE})", lambda found: _named(*found.groups()), text)
    names = "|".join(sorted(flags, key=len, reverse=True))
    option = re.compile(rf"(?<![\w.'\"-])(?<!\w\()({names})=({_VALUE})?")
    return option.sub(lambda found: _typed(flags[found[1]], found[2]), text)


def _flag(option: str) -> str:
    """Return the flag of an option that maps columns or classes."""
    return "--kind" if option == "kinds" else f"--{option.replace('_', '-')}"


def _named(option: str, name: str, value: str) -> str:
    return f"{_flag(option)} {shlex.quote(f'{_unquoted(name)}={_unquoted(value)}')}"


def _kind(name: str, kind: str) -> str:
    return f"--kind {shlex.quote(f'{_unquoted(name)}={kind}')}"


def _typed(flag: str, value: str | None) -> str:
    """Return an option with its value as a shell takes it."""
    if value is None:
        return flag
    if value in ("True", "False"):
        return flag if value == "True" else flag.replace("--", "--no-", 1)
    return f"{flag} {'none' if value == 'None' else shlex.quote(_unquoted(value))}"


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in "'\"" and value[-1:] == value[:1] and len(value) > 1 else value
