"""What can be shown in every form: text, Markdown, LaTeX, HTML, JSON, and in a notebook."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from deciduous.explain.blocks import Block
from deciduous.explain.expression import Style

#: The forms, by the word of the command's option `--format`.
FORMATS = ("text", "md", "latex", "html", "json")


class Shown(ABC):
    """Something with blocks to show: headings, text, formulas and tables (see `blocks.py`)."""

    style: Style

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Return the blocks one by one, their words in the language spoken."""

    @abstractmethod
    def to_dict(self, lang: str | None = None) -> dict[str, Any]:
        """Return it as plain values."""

    def parts(self, format: str = "text", lang: str | None = None, width: int = 80) -> Iterator[str]:
        """Return the parts of a rendering one by one, so that a long one need not be held; `width` is of the text."""
        from deciduous.explain.render import parts_of

        return parts_of(self, format, lang, width)

    def to_text(self, lang: str | None = None, width: int = 80) -> str:
        """Return it as text for a terminal."""
        return "".join(self.parts("text", lang, width)).rstrip("\n")

    def to_markdown(self, lang: str | None = None) -> str:
        """Return it as Markdown, formulas in LaTeX between dollar signs."""
        return "".join(self.parts("md", lang))

    def to_latex(self, lang: str | None = None) -> str:
        """Return it as a LaTeX document; Chinese needs XeLaTeX or LuaLaTeX with ctex."""
        return "".join(self.parts("latex", lang))

    def to_html(self, lang: str | None = None) -> str:
        """Return it as an HTML page, formulas in MathML."""
        return "".join(self.parts("html", lang))

    def to_json(self, lang: str | None = None) -> str:
        """Return it as a JSON document."""
        return json.dumps(self.to_dict(lang), ensure_ascii=False, indent=1, allow_nan=False)

    def __str__(self) -> str:
        """Return it as text."""
        return self.to_text()

    def _repr_markdown_(self) -> str:
        """Show it in a notebook."""
        return self.to_markdown()
