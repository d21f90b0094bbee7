"""The widths of text, held to fonts that are there."""

from __future__ import annotations

import pytest

from deciduous.draw.metrics import clean, is_measured, width, wrap

SAMPLES = (
    "Owns House = No: 6 (40 %)",
    "sepal length (cm) <= 5.45",
    "WAVE To Ty fi ffl",
    "Größe, naïve, Œuvre",
    "Возраст",
)


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_are_those_of_dejavu_sans(text: str, weight: str) -> None:
    """Matplotlib brings the font; hinting off, kerning may only make text narrower than the table says."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    for size in (12.0, 100.0):
        outline = TextPath((0, 0), text, size=size, prop=FontProperties(family="DejaVu Sans", weight=weight))
        drawn = outline.get_extents().x1
        assert drawn <= width(text, size, weight) <= 1.08 * drawn + 0.12 * size


@pytest.mark.parametrize(
    ("text", "em"),
    [
        ("年龄", 2.0),
        ("한국어", 3.0),
        ("（）", 2.0),
        ("e\u0301", 0.616),
        ("👍", 1.3),
        ("👍🏽", 2.6),
        ("\u200d", 0.0),
        ("", 0.0),
    ],
)
def test_what_the_table_lacks_has_the_width_that_all_fonts_share(text: str, em: float) -> None:
    assert width(text, 10.0) == pytest.approx(10.1 * em)


def test_scripts_of_unknown_width_are_told_apart() -> None:
    assert is_measured("Größe 年龄 👍 ≤ √")
    assert not is_measured("हिन्दी")


@pytest.mark.parametrize(
    "text", ["a long name of a column that goes on", "W" * 50, "很长的名字" * 9, "👨‍👩‍👧" * 9, "e\u0301" * 40]
)
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_wrapped_lines_fit_and_lose_nothing_but_the_end(text: str, lines: int) -> None:
    wrapped = wrap(text, 60.0, 12.0, "normal", lines)
    assert len(wrapped) <= lines
    assert all(width(line, 12.0) <= 60.0 for line in wrapped)
    if wrapped[-1].endswith("…"):
        joined = "".join(wrapped)[:-1].replace(" ", "")
        assert text.replace(" ", "").startswith(joined)
    else:
        assert "".join(wrapped).replace(" ", "") == text.replace(" ", "")


def test_lines_break_at_blanks_and_marks_stay_with_their_letters() -> None:
    assert wrap("sepal length (cm)", 90.0, 12.0, "normal", 2) == ("sepal length", "(cm)")
    assert all(
        not line.startswith(("\u0301", "\u200d")) for line in wrap("e\u0301👨‍👩‍👧" * 20, 50.0, 12.0, "normal", 9)
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a\\nb"), ("\x00", "\\x00"), ("\u202eabc", "\\u202eabc"), ("\ud800", "\\ud800"), ("\ufffe", "\\ufffe")],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize("text", ["  two  blanks ", "家　庭", "no\u00a0break", "👨‍👩‍👧", "می\u200cخواهم", "a & <b>"])
def test_names_stay_as_they_are(text: str) -> None:
    assert clean(text) == text
