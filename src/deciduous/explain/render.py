"""Blocks written in some form, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from deciduous.errors import OptionError, listing, nearest
from deciduous.explain.blocks import Block
from deciduous.language import speaking, spoken

if TYPE_CHECKING:
    from deciduous.explain.shown import Shown


class Writer(Protocol):
    """Writes blocks in one form."""

    def before(self) -> str:
        """Return what stands before the first block."""

    def block(self, block: Block) -> str:
        """Return a block as it is written."""

    def after(self) -> str:
        """Return what stands after the last block."""


def parts_of(shown: Shown, format: str, lang: str | None, width: int) -> Iterator[str]:
    """Return a rendering part by part; the language is spoken only while a part is made."""
    from deciduous.explain.shown import FORMATS

    if format not in FORMATS:
        raise OptionError(f"format={format!r} is not one of {listing(FORMATS)}.{nearest(format, FORMATS)}")
    if format == "json":
        yield shown.to_json(lang) + "\n"
        return
    with speaking(lang):
        lang = spoken()
        writer = _writer(shown, format, width)
        blocks = shown.blocks()
        part: str | None = writer.before()
    while part is not None:
        yield part
        with speaking(lang):
            block = next(blocks, None)
            part = None if block is None else writer.block(block)
    yield writer.after()


def _writer(shown: Shown, format: str, width: int) -> Writer:
    """Return the writer of a form; those that need a library are imported when they are asked for."""
    if format == "text":
        from deciduous.explain.render_text import TextWriter

        return TextWriter(shown.style, width)
    if format == "md":
        from deciduous.explain.render_markdown import MarkdownWriter

        return MarkdownWriter(shown.style)
    if format == "latex":
        from deciduous.explain.render_latex import LatexWriter

        return LatexWriter(shown.style)
    from deciduous.explain.render_html import HtmlWriter

    return HtmlWriter(shown.style)
