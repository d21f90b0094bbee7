"""Reading CSV and TSV: every rule of deciduous.data.readers, and the words of every error."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from deciduous.data.readers import ReadReport, read_table, read_table_with_report
from deciduous.errors import DataError, OptionError

Read = Callable[..., tuple[pl.DataFrame, ReadReport]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write text or bytes to a file and read it back with its report."""

    def write_and_read(content: str | bytes, **options: Any) -> tuple[pl.DataFrame, ReadReport]:
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table_with_report(path, **options)

    return write_and_read


def cells(frame: pl.DataFrame) -> dict[str, list[Any]]:
    return frame.to_dict(as_series=False)


# Bytes, line ends, separators


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "unended"])
def test_byte_order_marks_and_line_ends_are_no_part_of_a_value(read: Read, start: bytes, end: str, last: bool) -> None:
    text = end.join(["size;shop;ok", '1,75;"Köln, Süd";ja', "1,60;Bonn;nein"]) + end * last
    frame, report = read(start + text.encode())
    assert cells(frame) == {"size": [1.75, 1.6], "shop": ["Köln, Süd", "Bonn"], "ok": ["ja", "nein"]}
    assert report == ReadReport(";", ",", 2, ("decimal commas in 'size'",))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_in_the_header(read: Read, separator: str) -> None:
    frame, report = read(f"a{separator}b\nx{separator}y\n")
    assert cells(frame) == {"a": ["x"], "b": ["y"]}
    assert report.separator == separator


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"a,b,c";d\n1;2\n', ["a,b,c", "d"]),
        ('"a ""b"", c";d\n1;2\n', ['a "b", c', "d"]),
        ('"a\nb,c,d";e\n1;2\n', ["a\nb,c,d", "e"]),
        ("weight (kg, dry);height\n1;2\n", ["weight (kg, dry)", "height"]),
        ("\n  \na;b\n1;2\n", ["a", "b"]),
        ("\ta\n1\t2\n", ["", "a"]),
        ("only\n1\n2\n", ["only"]),
        ("编号，色泽\n青绿\n", ["编号，色泽"]),
    ],
)
def test_quoted_separators_do_not_count(read: Read, text: str, names: list[str]) -> None:
    assert read(text)[0].columns == names


def test_a_given_separator_wins(read: Read) -> None:
    frame, report = read("a;b,c\n1;2,x\n", separator=",")
    assert cells(frame) == {"a;b": ["1;2"], "c": ["x"]}
    assert report.separator == ","
    assert read("a b\n1 2\n", separator=" ")[0].columns == ["a", "b"]


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "\ufeffsep=;"])
def test_excels_separator_line(read: Read, line: str) -> None:
    frame, report = read(f"{line}\r\na,b;c\r\n1,5;2\r\n")
    assert cells(frame) == {"a,b": [1.5], "c": [2]}
    assert "line 1 is not the header" in report.notes[0]
    with pytest.raises(DataError, match="line 4: found 1 field, expected 2"):
        read(f"{line}\na;b\n1;2\n3\n")


# Decimal marks


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas(read: Read, separator: str) -> None:
    rows = [["x", "n", "t"], ["1,75", "80", "1,5 kg"], ["-,5", "NA", "x"], ["?", "2", "3"], ["1e3", "3", ""]]
    frame, report = read("\n".join(separator.join(row) for row in rows))
    assert cells(frame) == {
        "x": [1.75, -0.5, None, 1000.0],
        "n": [80, None, 2, 3],
        "t": ["1,5 kg", "x", "3", None],
    }
    assert report.decimal == ","
    assert "decimal commas in 'x'" in report.notes


def test_no_decimal_comma_between_commas_unless_asked_for(read: Read) -> None:
    frame, report = read('a,b\n"1,5",x\n')
    assert cells(frame) == {"a": ["1,5"], "b": ["x"]}
    assert report.decimal == "."
    assert any("decimal=','" in note for note in report.notes)
    frame, report = read('a,b\n"1,5",x\n', decimal=",")
    assert cells(frame) == {"a": [1.5], "b": ["x"]}
    assert report.decimal == ","


@pytest.mark.parametrize(
    ("text", "column", "mark"),
    [
        ("a\tb\n1,234\tx\n987\ty\n", ["1,234", "987"], ","),
        ("a;b\n1.234;1,5\n987;2,5\n", ["1.234", "987"], "."),
    ],
)
def test_a_mark_that_may_group_thousands_is_no_decimal_mark(
    read: Read, text: str, column: list[str], mark: str
) -> None:
    frame, report = read(text)
    assert frame["a"].to_list() == column
    assert any("'a'" in note and "thousands" in note and f"decimal={mark!r}" in note for note in report.notes)
    assert read(text, decimal=mark)[0]["a"].to_list() == [1.234, 987]


def test_three_digits_after_the_comma_are_decimals_where_other_cells_are_clear(read: Read) -> None:
    assert read("a\tb\n1,234\t0,697\n2,5\t0,774\n")[0].dtypes == [pl.Float64, pl.Float64]
    assert read("a;b\n1,234;1\n2,345;2\n")[0].dtypes == [pl.Float64, pl.Int64]


def test_a_given_decimal_mark_is_the_only_one(read: Read) -> None:
    assert cells(read("a;b\n1,5;1.5\n", decimal=".")[0]) == {"a": ["1,5"], "b": [1.5]}
    assert cells(read("a;b\n1,5;1.5\n", decimal=",")[0]) == {"a": [1.5], "b": ["1.5"]}


# Header


def test_names_are_trimmed_and_one_may_be_empty(read: Read) -> None:
    frame, _ = read(',  work , "n ",年\u3000龄\u3000\n1,a,2,3\n2,b,3,4\n')
    assert frame.columns == ["", "work", "n", "年\u3000龄"]
    assert frame[""].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("a,b,a,c,b", r"'a' \(columns 1, 3\); 'b' \(columns 2, 5\)"),
        ("a, a ,b,c,d", r"'a' \(columns 1, 2\)"),
        (",a,,b,c", r"the empty name \(columns 1, 3\)"),
    ],
)
def test_repeated_names(read: Read, header: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(header + "\n1,2,3,4,5\n")


def test_a_repeated_header_is_kept_and_noted(read: Read) -> None:
    frame, report = read("a,b\n1,2\na , b\n3,4\n")
    assert frame["a"].to_list() == ["1", "a", "3"]
    assert any("suspicious" in note and "row 2" in note for note in report.notes)


# Fields


def test_unquoted_fields_are_trimmed_and_quoted_ones_kept(read: Read) -> None:
    frame, report = read('a,b\n  x,y \n\u3000x\u00a0,"  y "\nx\t, "y"\n')
    assert cells(frame) == {"a": ["x", "x", "x"], "b": ["y", "  y ", "y"]}
    assert report.notes == ("blanks trimmed around 4 unquoted cells",)


def test_blanks_around_numbers_and_question_marks(read: Read) -> None:
    assert cells(read("a,b\n 1 , ?\n2, z\n")[0]) == {"a": [1, 2], "b": [None, "z"]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ('"b, c"', "b, c"),
        (' "b, c" ', "b, c"),
        ('"b\nc"', "b\nc"),
        ('"b\r\nc"', "b\r\nc"),
        ('"say ""no"""', 'say "no"'),
        ('""""', '"'),
        ('" "', " "),
        ('5" disk', '5" disk'),
        ("Don't", "Don't"),
        ('"a,""b"",c"', 'a,"b",c'),
    ],
)
def test_quotes(read: Read, field: str, value: str) -> None:
    frame, report = read(f"n,t,last\n1,{field},x\n2,y,z\n")
    assert cells(frame) == {"n": [1, 2], "t": [value, "y"], "last": ["x", "z"]}
    assert report.notes == ()


def test_quoted_numbers_are_numbers(read: Read) -> None:
    frame, _ = read('"a","b"\n"1","1.5"\n"2","NA"\n')
    assert cells(frame) == {"a": [1, 2], "b": [1.5, None]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,"x\n2,y\n', 2),
        ('a,b\n1,"x"y\n', 2),
        ('a,b\n"1\n\n2",y\n3,"x" y"\n', 5),
        ('"a,b\n1,2\n', 1),
    ],
    ids=["not closed", "text behind", "after a long field", "header"],
)
def test_quotes_that_do_not_close(read: Read, text: str, line: int) -> None:
    with pytest.raises(DataError, match=rf"line {line}: a field begins with a quote .* doubled"):
        read(text)


# Rows


def test_blank_lines_are_skipped(read: Read) -> None:
    assert cells(read("a,b\n\n1,2\n \u3000 \n3,4\n\n\n")[0]) == {"a": [1, 3], "b": [2, 4]}
    assert cells(read("a\tb\n1\t2\n\t\n")[0]) == {"a": [1, None], "b": [2, None]}
    frame, report = read("a\n1\n\n2\n\n")
    assert cells(frame) == {"a": [1, 2]}
    assert report.notes == ("1 blank line skipped, which may be missing cells of the one column",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,3\n\n4,5\n", r"line 4: found 2 fields, expected 3 .*separated by ','"),
        ("a,b\n1,2\n3,4,5\n6\n", r"line 3: found 3 fields, expected 2 .*; 1 more row of a wrong length"),
        ('a,b\n"x\n\ny",2\r\n3\r\n', "line 5: found 1 field, expected 2"),
        ("a,b\n1,2,\n3,4\n", "line 2: found 3 fields, expected 2"),
        ("a,b,\n1,2,\n3,4\n", "line 3: found 2 fields, expected 3"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2: found 3 fields, expected 2"),
    ],
)
def test_rows_of_a_wrong_length(read: Read, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a,b,\n1,2,\n3,4,\n", "every line"),
        ("a,b\n1,2,\n3,4, \n", "every row"),
        ("a,b, \n1,2\n3,4\n", "the header"),
        ("a\tb\t\n1\t2\t\n3\t4\t\n", "every line"),
    ],
)
def test_a_separator_at_the_end_makes_no_column(read: Read, text: str, where: str) -> None:
    frame, report = read(text)
    assert cells(frame) == {"a": [1, 3], "b": [2, 4]}
    assert any(f"the separator at the end of {where} is ignored" in note for note in report.notes)


def test_a_last_column_with_a_name_or_with_cells_is_a_column(read: Read) -> None:
    assert read("a,b\n1,\n2,\n")[0].columns == ["a", "b"]
    assert cells(read("a,\n1,\n2,x\n")[0]) == {"a": [1, 2], "": [None, "x"]}


# Missing cells


@pytest.mark.parametrize("word", ["NA", "na", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "-"])
def test_words_are_missing_among_numbers_and_categories_among_text(read: Read, word: str) -> None:
    frame, report = read(f"n,t\n1,x\n{word},{word}\n2.5,{word}\n")
    assert cells(frame) == {"n": [1.0, None, 2.5], "t": ["x", word, word]}
    assert report.notes == (
        f"column 'n': '{word}' (1 cell) missing, because all other cells are numbers",
        f"column 't': '{word}' (2 cells) kept as a category; missing=['{word}'] makes them missing",
    )


def test_words_alone_are_categories(read: Read) -> None:
    assert read("a,b\nNA,1\nNA,2\n")[0]["a"].to_list() == ["NA", "NA"]


def test_empty_cells_and_question_marks_are_missing(read: Read) -> None:
    frame, _ = read('n,t\n1,x\n,\n?,?\n  , ? \n"",""\n')
    assert cells(frame) == {"n": [1, None, None, None, None], "t": ["x", None, None, None, None]}


def test_a_quoted_question_mark_is_a_value_among_text(read: Read) -> None:
    frame, report = read('t,n\n"?",1\n?,"?"\nx,3\n')
    assert cells(frame) == {"t": ["?", None, "x"], "n": [1, None, 3]}
    assert report.notes == (
        "column 't': '?' (1 cell) kept as a category; missing=['?'] makes them missing",
        "column 'n': '?' (1 cell) missing, because all other cells are numbers",
    )


def test_given_missing_values_replace_the_rules(read: Read) -> None:
    text = 'n,t,u\n1,NA,-\n999,?,-\n2,"NA",\n'
    frame, report = read(text, missing=["999", "NA"])
    assert cells(frame) == {"n": [1, None, 2], "t": [None, "?", None], "u": ["-", "-", None]}
    assert report.notes == ()
    assert cells(read(text, missing=[])[0])["t"] == ["NA", "?", "NA"]
    assert read('a\n"?"\nx\n', missing=["?"])[0]["a"].to_list() == [None, "x"]
    assert read("a\n1\nNA\n", missing=["?"])[0]["a"].to_list() == ["1", "NA"]


def test_a_column_without_known_cells(read: Read) -> None:
    frame, report = read("a,b\n1,?\n2,\n")
    assert frame["b"].dtype == pl.String
    assert frame["b"].null_count() == 2
    assert report.notes == ("column 'b': all cells are missing",)


# Types


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (["1", "+5", "-3", "0", "-0"], [1, 5, -3, 0, 0]),
        (["9223372036854775807", "-9223372036854775808"], [2**63 - 1, -(2**63)]),
        (["9223372036854775808", "1"], [2.0**63, 1.0]),
        (["1e-3", "+.5", "5.", "0.25", "1E5", "-.5e+2"], [0.001, 0.5, 5.0, 0.25, 1e5, -50.0]),
        (["1", "2.0"], [1.0, 2.0]),
        (["0.1", "123456789.123456789"], [0.1, 123456789.123456789]),
    ],
)
def test_numbers(read: Read, column: list[str], values: list[float]) -> None:
    frame, report = read("\n".join(["a", *column]))
    assert frame["a"].to_list() == values
    assert [type(value) for value in frame["a"]] == [type(value) for value in values]
    assert report.notes == ()


@pytest.mark.parametrize(
    "cell",
    ["0x1F", "1_000", "inf", "-Infinity", "1e", "e5", ".", "1.2.3", "--1", "1 000", "１２", "12kg", "<=50K"],
)
def test_what_is_no_number(read: Read, cell: str) -> None:
    frame, report = read(f"a\n1\n{cell}\n2\n")
    assert frame["a"].to_list() == ["1", cell, "2"]
    assert report.notes == (f"column 'a': read as text, because 1 of 3 known cells are not numbers (such as {cell!r})",)


@pytest.mark.parametrize("cell", ["007", "01234", "-01", "00", "01.5"])
def test_leading_zeros_make_text(read: Read, cell: str) -> None:
    frame, report = read(f"zip,n\n12,0.5\n{cell},0\n")
    assert frame["zip"].to_list() == ["12", cell]
    assert frame["n"].to_list() == [0.5, 0.0]
    assert report.notes == (f"column 'zip': read as text, because of leading zeros ({cell!r})",)


def test_leading_zeros_before_a_decimal_comma(read: Read) -> None:
    assert read("a;b\n0,5;00,5\n1,5;1,5\n")[0].dtypes == [pl.Float64, pl.String]


def test_numbers_beyond_float64_make_text(read: Read) -> None:
    frame, report = read("a\n1e999\n1\n")
    assert frame["a"].to_list() == ["1e999", "1"]
    assert report.notes == ("column 'a': read as text, because of a number beyond float64 ('1e999')",)


@pytest.mark.parametrize("words", [("true", "false"), ("TRUE", "FALSE"), ("True", "False")])
def test_true_and_false_stay_as_they_are_written(read: Read, words: tuple[str, str]) -> None:
    assert read(f"a\n{words[0]}\n{words[1]}\n")[0]["a"].to_list() == list(words)


def test_rows_keep_their_order_and_read_table_is_the_frame_alone(tmp_path: Path) -> None:
    path = tmp_path / "表 1.csv"
    path.write_text("a,b\n" + "".join(f"{k},{k / 8}\n" for k in range(5000)), encoding="utf-8")
    frame = read_table(path)
    assert frame["a"].to_list() == list(range(5000))
    assert frame["b"].to_list() == [k / 8 for k in range(5000)]
    assert read_table_with_report(str(path))[1] == ReadReport(",", ".", 5000, ())


# Files that are no table


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b" \r\n\n", "the file is empty"),
        (b"a,b\n", r"a header line \(2 columns\) but no rows"),
        (b"a\n\n", r"a header line \(1 column\) but no rows"),
        (b"a,b\n1,\x00\n", r"binary file \(the byte at position 6 is NUL\)"),
        (
            "a,b\nx,é\n".encode("latin-1"),
            r"0xe9 at position 6 \(line 2\) is not UTF-8; the file must be UTF-8",
        ),
        ("色泽\n青绿\n".encode("gbk"), r"0xd4 at position 2 \(line 1\) .* must be UTF-8"),
        ("a\n1\n".encode("utf-16"), "UTF-16 text; the file must be .* UTF-8"),
        (b"\x1f\x8b\x08 rest", "a gzip file"),
        (b"PK\x03\x04 rest", "an Excel workbook"),
        (b"PAR1 rest", "a Parquet file"),
        ("a\n\ufdd0\n".encode(), r"holds U\+FDD0"),
    ],
)
def test_files_that_are_no_table(read: Read, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=rf"table\.csv: .*{message}"):
        read(content)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "penguins.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"penguin\.csv: no such file\. Did you mean 'penguins\.csv'\?"):
        read_table(tmp_path / "penguin.csv")
    with pytest.raises(DataError, match=r"zzz: no such file\.$"):
        read_table(tmp_path / "zzz")
    with pytest.raises(DataError, match="no such folder"):
        read_table(tmp_path / "nowhere" / "penguins.csv")
    with pytest.raises(DataError, match="a folder, not a file"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(), "no permission"),
        (OSError(5, "Input/output error"), "cannot be read: Input/output error"),
    ],
)
def test_files_that_cannot_be_read(read: Read, monkeypatch: pytest.MonkeyPatch, error: OSError, message: str) -> None:
    def refuse(path: Path) -> bytes:
        raise error

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=message):
        read("a\n1\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "NA"}, "missing='NA' must be a list"),
        ({"missing": [999]}, r"missing=\[999\] must be a list of texts"),
        ({"separator": ";;"}, "separator=';;' must be one character"),
        ({"separator": '"'}, "no quote"),
        ({"separator": ""}, "separator='' must be one character"),
        ({"decimal": ";"}, "decimal=';' must be"),
    ],
)
def test_options_that_make_no_sense(read: Read, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read("a\n1\n", **options)
