"""How wide text is, without asking a font: the advance widths of DejaVu Sans, and rules for what it lacks.

`advances.json` holds, for the weights `normal` and `bold`, runs of `[first character, width, width, ...]` in
thousandths of the font size. Verdana, which stands in where DejaVu is absent, has nearly the same widths, and the usual
sans-serif fonts are narrower. Chinese, Japanese and Korean characters are as wide as the font is high in all fonts.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache, lru_cache
from importlib import resources

#: The parts of the font size that lie above and below the baseline.
ASCENT, DESCENT = 0.93, 0.24
#: From one baseline to the next, in font sizes.
LINE = 1.32
#: Emoji fonts are wider than they are high.
EMOJI = 1.3
#: A single character that is a whole sentence (U+FDFD).
WIDEST = {"\ufdfd": 14.0}
#: Kerning and rounding may make a text this much wider than the sum of its characters.
SLACK = 1.01
ELLIPSIS = "…"
#: Characters without a sign of their own that belong to names: joiners of Persian, of Indian scripts and of emoji.
JOINERS = "\u200c\u200d"


class _Advances(dict[str, float]):
    """The widths of characters, in font sizes: those of a table, and what rules say of all others."""

    def __missing__(self, character: str) -> float:
        return _advance(character)


@cache
def _advances(weight: str) -> _Advances:
    text = resources.files("deciduous.draw").joinpath("advances.json").read_text("utf-8")
    runs = json.loads(text)[weight]
    return _Advances({chr(first + i): width / 1000 for first, *widths in runs for i, width in enumerate(widths)})


@lru_cache(maxsize=8192)
def _advance(character: str) -> float:
    """Return the width of a character that the table lacks."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if ord(character) >= 0x1F000 and not 0x20000 <= ord(character) < 0x40000:
        return EMOJI
    return WIDEST.get(character, 1.0)


def width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a line of text, in the units of `size`; `weight`: `normal` or `bold`."""
    return sum(map(_advances(weight).__getitem__, text)) * size * SLACK


def is_measured(text: str) -> bool:
    """Whether every character is in the table or of a width that all fonts share."""
    table = _advances("normal")
    return set(text) <= table.keys() or all(c in table or unicodedata.east_asian_width(c) in "WF" for c in text)


class _Spelling(dict[int, str]):
    """What characters are shown as, by code, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = _spelt(chr(code))
        return self[code]


def _spelt(character: str) -> str:
    if character.isprintable() or character in JOINERS or unicodedata.category(character) == "Zs":
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()


_SPELLING = _Spelling()


def clean(text: str) -> str:
    """Return text without line breaks, control characters and changes of direction: these are written out.

    Spaces and joiners stay as they are, so that names read back unchanged.
    """
    return text if text.isprintable() else text.translate(_SPELLING)


@lru_cache(maxsize=8192)
def wrap(text: str, most_width: float, size: float, weight: str = "normal", most_lines: int = 1) -> tuple[str, ...]:
    """Return text in lines that are at most so wide; the last one ends in `…` where text is left over.

    Lines are broken after blanks, else between any two characters that stand alone.
    """
    lines: list[str] = []
    rest = clean(text)
    while rest and len(lines) < most_lines:
        head = _fitting(rest, most_width, size, weight)
        if head < len(rest) and len(lines) == most_lines - 1:
            room = most_width - width(ELLIPSIS, size, weight)
            lines.append(rest[: _fitting(rest, room, size, weight)].rstrip() + ELLIPSIS)
            break
        if head < len(rest):
            blank = rest.rfind(" ", 1, head + 1)
            head = blank + 1 if blank > head // 2 else head
        lines.append(rest[:head].rstrip() if head < len(rest) else rest)
        rest = rest[head:]
    return tuple(lines) or ("",)


def _fitting(text: str, room: float, size: float, weight: str) -> int:
    """Return how many characters fit, at least one; marks and what is joined stay with what they follow."""
    advances = _advances(weight)
    used, last, before = 0.0, 0, ""
    for i, character in enumerate(text):
        advance = advances[character]
        if i > 0 and advance > 0 and before != "\u200d":
            last = i
        used += advance * size * SLACK
        if used > room and i > 0:
            return last or i
        before = character
    return len(text)
