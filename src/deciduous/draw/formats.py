"""The formats of a picture, by name and by the ending of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deciduous.draw.dot import to_dot
from deciduous.draw.matplotlib import to_pdf, to_png
from deciduous.draw.mermaid import to_mermaid
from deciduous.draw.picture import picture_of
from deciduous.draw.svg import to_svg
from deciduous.draw.theme import Theme, theme_of
from deciduous.draw.tikz import to_tikz
from deciduous.draw.view import View, tree_of
from deciduous.errors import OptionError, listing, nearest
from deciduous.files import write_whole
from deciduous.model.text import text_of


def to_text(model: Any, *, theme: Theme | str = "light", rails: str = "unicode", **options: Any) -> str:
    """Return a tree as text (see `Tree.to_text`); of the options of `View`, `max_depth`, `digits` and `numbers`."""
    theme_of(theme)
    view = View.of(options)
    _only(options, ("max_depth", "digits", "numbers"), "text")
    return text_of(tree_of(model), view.max_depth, view.digits, view.numbers, rails) + "\n"


def _to_png(model: Any, *, theme: Theme | str = "light", **options: Any) -> bytes:
    return to_png(picture_of(tree_of(model), View.of(options), theme_of(theme)))


def _to_pdf(model: Any, *, theme: Theme | str = "light", **options: Any) -> bytes:
    return to_pdf(picture_of(tree_of(model), View.of(options), theme_of(theme)))


def _to_tikz(model: Any, *, theme: Theme | str = "light", **options: Any) -> str:
    return to_tikz(model, theme=theme, document=True, **options)


#: From a tree to the content of a file.
FORMATS: Mapping[str, Callable[..., str | bytes]] = {
    "svg": to_svg,
    "png": _to_png,
    "pdf": _to_pdf,
    "dot": to_dot,
    "mermaid": to_mermaid,
    "tikz": _to_tikz,
    "text": to_text,
}
#: Endings of files that are no names of formats.
ENDINGS = {"gv": "dot", "mmd": "mermaid", "md": "mermaid", "tex": "tikz", "txt": "text"}


def content_of(model: Any, kind: str, *, theme: Theme | str = "light", **options: Any) -> str | bytes:
    """Return what a file of a format holds; OptionError for an unknown format."""
    if kind not in FORMATS:
        raise OptionError(f"format={kind!r} is not one of {listing(FORMATS)}.{nearest(kind, FORMATS)}")
    return FORMATS[kind](model, theme=theme, **options)


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return the format that the ending of a file's name stands for; OptionError if it stands for none."""
    ending = Path(path).suffix.lower().removeprefix(".")
    kind = ENDINGS.get(ending, ending)
    if kind not in FORMATS:
        endings = [*(k for k in FORMATS if len(k) == 3), *ENDINGS]
        raise OptionError(f"{str(path)!r} ends in none of {listing(endings, len(endings))}; give the format.")
    return kind


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    theme: Theme | str = "light",
    **options: Any,
) -> None:
    """Write the picture of a fitted estimator or a tree to a file, whole or not at all.

    `format`: svg, png, pdf, dot, mermaid, tikz (a LaTeX document) or text; by default what the file's name ends in.
    """
    write_whole(path, content_of(model, format or kind_of(path), theme=theme, **options))


def _only(options: Mapping[str, Any], allowed: tuple[str, ...], kind: str) -> None:
    default = View()
    for name, value in options.items():
        if name not in allowed and value != getattr(default, name):
            raise OptionError(f"{name} does not apply to {kind}, which takes {listing(allowed)}.")
