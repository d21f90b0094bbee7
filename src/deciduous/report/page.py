"""The file that readers open: templates, style and script in one page (the only file that imports Jinja2).

Nothing in the page is executed but its own script, which the Content-Security-Policy names by its hash; names and cells
are text everywhere, and the data of the script is JSON in which no tag can end. Control characters and changes of
direction are written out, so that no name turns what stands beside it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from deciduous.draw.metrics import clean
from deciduous.draw.theme import DARK, LIGHT
from deciduous.errors import OptionError
from deciduous.language import translate

#: The parts of the script, in this order.
SCRIPTS = (
    *("common.js", "walk.js", "layout.js", "charts.js", "tree.js", "node.js", "row.js", "pruning.js", "page.js"),
)


def page_of(page: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the page as HTML. `page`: what the template shows; `data`: what the script reads.

    OptionError says how to install Jinja2 where it is absent.
    """
    try:
        import jinja2
        from markupsafe import Markup, escape
    except ImportError as error:
        raise OptionError(
            f"the report needs Jinja2, which is not installed ({error}): pip install 'deciduous[report]'."
        ) from None
    script = "\n".join(_text(name) for name in SCRIPTS)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = translate
    style = environment.get_template("page.css").render(light=LIGHT, dark=DARK)
    return environment.get_template("page.html").render(
        page,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        data=Markup(script_json(data)),
        working={number: Markup(_lines_cleaned(html)) for number, html in page["workings"].items()},
        calls={name: escape(_lines_cleaned(page["made"][name])) for name in ("python", "commands")},
    )


def _lines_cleaned(text: str) -> str:
    return "\n".join(clean(line) for line in text.split("\n"))


def script_json(data: Mapping[str, Any]) -> str:
    """Return JSON that may stand within a script element: no tag or comment can begin or end in it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _text(name: str) -> str:
    return (resources.files("deciduous.report") / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
