"""Plain-text grids whose columns line up."""

from rich.cells import cell_len

from deciduous.textgrid import grid, wrapped


def test_columns_line_up_and_lines_end_without_blanks() -> None:
    text = grid(["name", "n", "why"], [["a", "1", ""], ["long one", "1000", "because"]], numbers=[1])
    assert text.split("\n") == [
        "name         n  why",
        "--------  ----  -------",
        "a            1",
        "long one  1000  because",
    ]


def test_chinese_characters_take_two_cells() -> None:
    lines = grid(["色泽", "x"], [["青绿绿", "1"], ["a", "2"]]).split("\n")
    assert [cell_len(line[: line.rindex(last)]) for line, last in zip(lines, "x-12", strict=True)] == [8, 8, 8, 8]


def test_no_rows() -> None:
    assert grid(["a", "bb"], []) == "a  bb\n-  --"


def test_rows_may_come_from_a_generator() -> None:
    assert grid(["a"], ([cell] for cell in "xy"), numbers=iter([0])) == "a\n-\nx\ny"


def test_a_word_of_a_hundred_thousand_letters_is_broken_in_linear_time() -> None:
    """Every letter is measured once; a cell that has its width is not broken at all."""
    long = "x" * 100_000
    assert wrapped(long, 100_000) == [long]
    assert wrapped(f"a {long}", 10) == ["a", *["x" * 10] * 10_000]
    assert wrapped("西" * 7, 6) == ["西西西", "西西西", "西"]
