"""Every error and note that is raised in the source has a pattern in the catalogue of errors of every language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import deciduous
from deciduous.errors import DataWarning
from deciduous.language import LANGUAGES, PLACE, messages_of, speaking, translate_filled

SOURCE = Path(deciduous.__file__).parent
CATALOGUES = [lang for lang in LANGUAGES if lang != "en"]
#: Exceptions whose message users read.
KINDS = ("DataError", "OptionError", "ModelFileError", "TypeError", "ValueError", "date_error", "_refusal")
#: What ends a message, or stands within it, and is translated by itself.
HINTS = ("nearest", "value_hint", "parameter_hint")
#: Not reached by the command: functions of Python alone, and programming errors.
PYTHON_ONLY = ("measures.py", "deviations.py", "kernels/", "draw/charts.py", "draw/graphviz.py", "draw/plane.py")
PYTHON_ONLY += ("draw/regions.py", "draw/sample.py", "evaluate/curves.py", "export/", "__main__.py")


def written(node: ast.expr) -> list[str]:
    """How a message may read, {} standing for what is filled in; every alternative of a condition."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            texts = [""]
            for value in values:
                parts = filled(value.value) if isinstance(value, ast.FormattedValue) else written(value)
                texts = [text + part for text in texts for part in parts]
            return texts
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in written(left) for b in written(right)]
        case ast.IfExp(body=body, orelse=orelse):
            return written(body) + written(orelse)
        case _:
            return filled(node)


def filled(node: ast.expr) -> list[str]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in HINTS:
            return [""]
        case ast.Name(id="hint"):
            return [""]
        case ast.BinOp(left=ast.Constant(value="s"), op=ast.Mult()):
            return ["", "s"]
        case ast.IfExp(body=ast.Constant() | ast.JoinedStr(), orelse=ast.Constant() | ast.JoinedStr()):
            return written(node)
        case _:
            return ["{}"]


def raised() -> Iterator[tuple[str, int, str]]:
    """The messages of the source, each with its file and line."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(PYTHON_ONLY):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            message = None
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=kind), args=[first, *_])) if kind in KINDS[:5]:
                    message = first
                case ast.Call(func=ast.Attribute(value=ast.Name(id="warnings"), attr="warn"), args=[first, *_]):
                    message = first
                case ast.Call(func=ast.Attribute(value=ast.Name(id="notes"), attr="append"), args=[first, *_]):
                    message = first
            for text in [] if message is None else written(message):
                if text != "{}":
                    yield name, node.lineno, text


def left_english(text: str) -> bool:
    """Whether a message, filled in, is translated by no pattern, or only in part."""
    said = translate_filled(re.sub(r"\{\}", "'x'", text).strip())
    words = re.sub(r"'[^']*'|deciduous datasets loan", "", said)
    return said == text or re.search(r"[a-z]+ [a-z]+ [a-z]+", words) is not None


@pytest.mark.parametrize("lang", CATALOGUES)
def test_every_error_and_note_has_a_pattern(lang: str) -> None:
    with speaking(lang):
        lacking = [f"{name}:{line}: {text}" for name, line, text in raised() if left_english(text)]
    assert lacking == []


@pytest.mark.parametrize("lang", CATALOGUES)
def test_patterns_and_translations_name_the_same_places(lang: str) -> None:
    for message, forms in messages_of((SOURCE / "locale" / f"{lang}.po").read_text("utf-8"), "error").items():
        places = set(PLACE.findall(message))
        assert set(PLACE.findall(forms[0])) <= places
        assert len(places) == len(PLACE.findall(message)), message


@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("there is no node 9; the tree has nodes 0 to 4.", "没有结点 9；该树的结点为 0 到 4。"),
        ("--method 'x' is not one of 'cv', 'holdout'.", "--method 'x' 不在 'cv', 'holdout' 之中。"),
        ("rounding='up' is not one of 'end'. Did you mean 'end'?", "rounding='up' 不在 'end' 之中。是否想用 'end'？"),
        ("max_depth=-1 must be a whole number of at least 0.", "max_depth=-1 须为不小于 0 的整数。"),
        ("min_gain=-1 must be at least 0.", "min_gain=-1 须不小于 0。"),
        ("min_gain='a' must be a number, at least 0.", "min_gain='a' 须为数字，不小于 0。"),
        ("a.csv: no such file. Did you mean 'b.csv'?", "a.csv：没有此文件。是否想用 'b.csv'？"),
        ("a.csv: line 3: found 1 field, expected 2 as in the header (separated by ','; a field that holds it must be "
         "quoted); 4 more rows of a wrong length",
         "a.csv：第 3 行：有 1 个字段，而表头有 2 个（分隔符为 ','；含分隔符的字段须加引号）；另有 4 行长度不符"),
        ("x.csv has no column 'a'; it has 'b', 'c', ... and 9 more.",
         "x.csv 中没有列 'a'；它有 'b', 'c'，……另有 9 个。"),
        ("No such option: --minbucket. rpart calls it so; here: min_samples_leaf.",
         "没有选项 --minbucket。那是 rpart 的叫法；此处为：min_samples_leaf。"),
    ],
)  # fmt: skip
def test_errors_in_chinese(text: str, translated: str) -> None:
    with speaking("zh"):
        assert translate_filled(text) == translated
        assert translate_filled("never heard of") == "never heard of"
    assert translate_filled(text) == text


def test_data_is_not_translated() -> None:
    """Names that read like messages stay as they are."""
    with speaking("zh"):
        assert "'text'" in translate_filled("there is no column 'text'; the columns are 'error', 'note'.")
    assert issubclass(DataWarning, UserWarning)
