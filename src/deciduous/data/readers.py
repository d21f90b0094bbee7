"""Read a CSV or TSV file into a polars frame, and report every guess that was made on the way.

The parsing is done on text without quotes: `_mask_quoted` first replaces what is special inside quoted fields
(separators, line ends, quotes) by noncharacters of Unicode. After that a line is a row and a separator ends a
field, polars splits the lines, and the marks are turned back once the cells stand in columns.

A file is never repaired in silence: what cannot be read without doubt is a `DataError` that names the line;
what was read by a rule (decimal commas, trimmed blanks, leading zeros, words such as NA) is a note.
"""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from deciduous.errors import DataError, OptionError, listing, nearest

MISSING_WORDS = ("na", "n/a", "nan", "null", "none", "-", "?")
"""Missing, in any case and even quoted, where all other cells of the column are numbers; else categories."""

SEPARATORS = "\t;,|"
"""What is looked for in the header line; the earlier one wins a tie."""

# Marks for text inside quotes; `_EXACT` stands around fields whose blanks or lone question mark must survive.
_EXACT, _SEPARATOR, _QUOTE, _CRLF, _LF, _CR = _MARKS = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5"

_NUMBER = {
    ".": r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$",
    ",": r"^[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?$",
}
_GROUPED = {".": r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$", ",": r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"}

_OTHER_FORMATS = {
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file or an Excel workbook",
    b"PAR1": "a Parquet file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


@dataclass(frozen=True)
class ReadReport:
    """How a file was read: separator, decimal mark, number of rows, and a sentence for every guess."""

    separator: str
    decimal: str
    n_rows: int
    notes: tuple[str, ...]


def read_table(
    path: str | os.PathLike[str],
    *,
    missing: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
) -> pl.DataFrame:
    """Read a CSV or TSV file in UTF-8; the options and errors are those of `read_table_with_report`."""
    return read_table_with_report(path, missing=missing, separator=separator, decimal=decimal)[0]


def read_table_with_report(
    path: str | os.PathLike[str],
    *,
    missing: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
) -> tuple[pl.DataFrame, ReadReport]:
    """Read a CSV or TSV file in UTF-8 and say how it was read.

    A column is Int64 or Float64 if all its known cells are numbers, else String. Numbers with leading zeros
    (zip codes, ids) make their column text. Unquoted cells are trimmed, quoted ones are kept as they are.

    Args:
        path: the file; its first line that is not blank is the header.
        missing: what is missing besides empty cells, in every column and whether quoted or not. By
            default an unquoted `?`, and `MISSING_WORDS` in columns that otherwise hold numbers only.
        separator: one character; by default the most frequent of `SEPARATORS` in the header line.
        decimal: `"."` or `","`; by default decided from the cells, and a point where commas separate.

    Returns:
        The frame, one row for each line of data in the order of the file, and the report.

    Raises:
        DataError: the file cannot be read, is not text in UTF-8, has no rows, names two columns alike, or
            has a row with more or fewer fields than the header.
        OptionError: an option has a value that is not allowed.
    """
    _check_options(missing, separator, decimal)
    notes: list[str] = []
    try:
        text = _decode(_read_bytes(Path(path)))
        separator, text = _find_separator(text, separator, notes)
        names, cells = _split(_mask_quoted(text, separator), separator, notes)
        cells = _trim(cells, notes)
        _note_repeated_header(names, cells, notes)
        cells = _blank_out(cells, missing, separator if '"' in text else "")
        cells.columns = names
        words = MISSING_WORDS if missing is None else ()
        frame, decimal = _read_types(cells, separator, decimal, words, notes)
    except DataError as error:
        raise DataError(f"{os.fspath(path)}: {error}") from None
    return frame, ReadReport(separator, decimal, frame.height, tuple(notes))


def _check_options(missing: Sequence[str] | None, separator: str | None, decimal: str | None) -> None:
    if isinstance(missing, str) or not all(isinstance(cell, str) for cell in missing or ()):
        raise OptionError(f"missing={missing!r} must be a list of texts, such as ['NA', '999']")
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise OptionError(f"separator={separator!r} must be one character, and no quote or line end")
    if decimal not in (None, ".", ","):
        raise OptionError(f"decimal={decimal!r} must be '.' or ','")


# Bytes and text ---------------------------------------------------------------


def _read_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise DataError("this is a folder, not a file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise DataError("no such file, and no such folder either") from None
        names = [other.name for other in path.parent.iterdir()]
        raise DataError(f"no such file.{nearest(path.name, names)}") from None
    except PermissionError:
        raise DataError("no permission to read this file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _decode(raw: bytes) -> str:
    """The text of a UTF-8 file without its byte order mark."""
    for start, kind in _OTHER_FORMATS.items():
        if raw.startswith(start):
            raise DataError(f"this looks like {kind}; the file must be CSV or TSV text in UTF-8")
    if (nul := raw.find(0)) >= 0:
        raise DataError(f"a binary file (the byte at position {nul} is NUL); it must be text in UTF-8")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", raw[: error.start])) + 1
        raise DataError(
            f"the byte 0x{raw[error.start]:02x} at position {error.start} (line {line}) is not UTF-8; "
            "the file must be UTF-8: save it as such, or convert it from its own encoding first"
        ) from None
    for mark in _MARKS:
        if mark in text:
            raise DataError(f"holds U+{ord(mark):04X}, a noncharacter of Unicode that text must not hold")
    return text.removeprefix("\ufeff")


def _find_separator(text: str, given: str | None, notes: list[str]) -> tuple[str, str]:
    """The separator, and the text with Excel's line `sep=;` made blank, so that line numbers stay right."""
    if excel := re.match(r'"?sep=([^"\r\n])"?[ \t]*(?=[\r\n])', text, re.IGNORECASE):
        notes.append(f"line 1 is not the header: it is Excel's way to say that the separator is {excel[1]!r}")
        return given or excel[1], text[excel.end() :]
    if given:
        return given, text
    header = re.match(r'(?: *[\r\n])*((?:"(?:[^"]|"")*+"|[^\r\n])*+)', text)
    unquoted = re.sub(r'"(?:[^"]|"")*+"', "", header[1]) if header else ""
    best = max(SEPARATORS, key=unquoted.count)
    return (best if best in unquoted else ","), text


def _mask_quoted(text: str, separator: str) -> str:
    """The text without quotes, marks for what is special inside them (see the head of this module)."""
    if '"' not in text:
        return text
    marks = {separator: _SEPARATOR, '"': _QUOTE, "\r\n": _CRLF, "\n": _LF, "\r": _CR}
    end, blanks = f"[{re.escape(separator)}\r\n]", rf"[^\S\r\n{re.escape(separator)}]*+"

    def masked(match: re.Match[str]) -> str:
        field = match[2].replace('""', '"')
        if field == "?" or field != field.strip():
            field = f"{_EXACT}{field}{_EXACT}"
        for plain, mark in marks.items():
            field = field.replace(plain, mark)
        return match[1] + field

    # With a line end in front, every field is found by the character before it, which `re` scans for fast.
    text = re.sub(rf'({end}){blanks}"([^"]*+(?:""[^"]*+)*+)"{blanks}(?={end}|\Z)', masked, "\n" + text)
    if bad := re.search(f'{end}{blanks}"', text):
        line = _line_ends(text[1 : bad.end()]) + 1
        raise DataError(
            f'line {line}: a field begins with a quote (") but does not end with one; '
            "a quoted field must be closed, and quotes inside it doubled"
        )
    return text[1:]


def _unmask(cell: pl.Expr, separator: str) -> pl.Expr:
    """The inverse of `_mask_quoted`, on a column of cells; the separator is "" where nothing was masked."""
    if not separator:
        return cell
    return cell.str.replace_many(list(_MARKS), ["", separator, '"', "\r\n", "\n", "\r"])


def _line_ends(masked: str) -> int:
    return len(re.findall(f"\r\n|[\r\n{_CRLF}{_LF}{_CR}]", masked))


# Rows and fields --------------------------------------------------------------


def _split(masked: str, separator: str, notes: list[str]) -> tuple[list[str], pl.DataFrame]:
    """The names of the columns, and the cells as text (n_rows, n_columns), from text without quotes."""
    lines = masked.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    filled = [k for k, line in enumerate(lines) if line.strip() or separator in line]
    if not filled:
        raise DataError("the file is empty")
    names = lines[filled[0]].split(separator)
    rows = pl.Series("rows", [lines[k] for k in filled[1:]], dtype=pl.String)
    if rows.is_empty():
        raise DataError(f"the file has a header line ({_count(len(names), 'column')}) but no rows")
    if len(names) == 1 and (blank := filled[-1] - filled[0] + 1 - len(filled)):
        notes.append(f"{_count(blank, 'blank line')} skipped, which may be missing cells of the one column")

    widths = rows.str.count_matches(separator, literal=True).cast(pl.Int64) + 1
    head, body = _trailing(names, rows, widths, separator)
    if head or body:
        where = "every line" if head and body else "the header" if head else "every row"
        notes.append(f"the separator at the end of {where} is ignored: it makes no column")
    wrong = (widths != len(names) - head + body).arg_true()
    if len(wrong):
        line = _line_ends("\n".join([*lines[: filled[wrong[0] + 1]], ""])) + 1
        more = f"; {_count(len(wrong) - 1, 'more row')} of a wrong length" if len(wrong) > 1 else ""
        raise DataError(
            f"line {line}: found {_count(widths[wrong[0]], 'field')}, expected {len(names)} as in the header "
            f"(separated by {separator!r}; a field that holds it must be quoted){more}"
        )
    cells = rows.str.split_exact(separator, widths[0] - 1).struct.unnest()
    return _clean_names(names[: len(names) - head], separator), cells[:, : len(names) - head]


def _trailing(names: list[str], rows: pl.Series, widths: pl.Series, separator: str) -> tuple[int, int]:
    """Whether (0 or 1) the header, and every row, ends with a separator that makes no column."""
    head = len(names) > 1 and not names[-1].strip()
    body = rows.str.strip_chars_end(" \t\u00a0\u3000".replace(separator, "")).str.ends_with(separator).all()
    extra = set(widths - len(names))
    if head and body and extra == {0}:
        return 1, 1
    if head and extra == {-1}:
        return 1, 0
    return 0, int(body and extra == {1})


def _clean_names(raw: list[str], separator: str) -> list[str]:
    """The names in plain text, trimmed; one of them may be empty, but no two alike."""
    plain = pl.DataFrame({"name": raw}).select(_unmask(pl.col("name"), separator).str.strip_chars())
    places: dict[str, list[str]] = {}
    for k, name in enumerate(plain["name"], start=1):
        places.setdefault(name, []).append(str(k))
    repeated = [
        f"{repr(name) if name else 'the empty name'} (columns {', '.join(columns)})"
        for name, columns in places.items()
        if len(columns) > 1
    ]
    if repeated:
        raise DataError(f"column names must differ, but the header repeats {'; '.join(repeated)}")
    return plain["name"].to_list()


def _trim(cells: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    trimmed = cells.with_columns(pl.all().str.strip_chars())
    n_trimmed = sum(int((cells[name] != trimmed[name]).sum()) for name in cells.columns)
    if n_trimmed:
        notes.append(f"blanks trimmed around {_count(n_trimmed, 'unquoted cell')}")
    return trimmed


def _note_repeated_header(names: list[str], cells: pl.DataFrame, notes: list[str]) -> None:
    same = cells.select(pl.all_horizontal([pl.nth(k) == name for k, name in enumerate(names)])).to_series()
    if same.any():
        rows = listing(k + 1 for k in same.arg_true())
        notes.append(f"suspicious: the header stands again as row {rows} of the data and is kept")


def _blank_out(cells: pl.DataFrame, missing: Sequence[str] | None, separator: str) -> pl.DataFrame:
    """Nulls for the cells that are missing in any column; marks turned back into what they stand for."""
    blank = ["", "?"] if missing is None else ["", *missing]

    def known(cell: pl.Expr) -> pl.Expr:
        return pl.when(~cell.is_in(blank)).then(cell)

    columns = [pl.col(name) for name in cells.columns]
    if missing is None:  # Before the marks go: they tell a quoted question mark, a value, from a bare one.
        return cells.with_columns(_unmask(known(column), separator) for column in columns)
    return cells.with_columns(known(_unmask(column, separator)) for column in columns)


# Types ------------------------------------------------------------------------


def _read_types(
    cells: pl.DataFrame, separator: str, decimal: str | None, words: Sequence[str], notes: list[str]
) -> tuple[pl.DataFrame, str]:
    """Numbers where all known cells of a column are numbers; and the decimal mark of the file."""
    columns = cells.get_columns()
    marks = [_mark_of(column, decimal or ".,", words) for column in columns]
    if decimal is None:
        decimal = _settle_decimal(columns, marks, separator, notes)
    typed = (_typed(column, mark, words, notes) for column, mark in zip(columns, marks, strict=True))
    return pl.DataFrame({column.name: column for column in typed}), decimal


def _mark_of(column: pl.Series, allowed: str, words: Sequence[str]) -> str:
    """The first of the allowed decimal marks with which all known cells are numbers; "" if there is none."""
    known = column.drop_nulls()
    for mark in allowed:
        is_number = known.str.contains(_NUMBER[mark])
        if is_number.any() and set(known.filter(~is_number).str.to_lowercase().unique()) <= set(words):
            return mark
    return ""


def _settle_decimal(columns: list[pl.Series], marks: list[str], separator: str, notes: list[str]) -> str:
    """The decimal mark of the file; a column whose mark may as well group thousands loses it (becomes text).

    `1,234` in a file without semicolons, or `1.234` beside decimal commas, is 1234 as likely as it is 1.234.
    """
    commas = [column for column, mark in zip(columns, marks, strict=True) if mark == ","]
    clear = [column for column in commas if separator == ";" or not _may_be_grouped(column, ",")]
    decimal = "," if clear and separator != "," else "."
    if decimal == ",":
        notes.append(f"decimal commas in {listing(column.name for column in commas)}")
    for k, (column, mark) in enumerate(zip(columns, marks, strict=True)):
        if mark not in ("", decimal) and (mark == "," or _may_be_grouped(column, ".")):
            marks[k] = ""
            notes.append(
                f"column {column.name!r}: read as text, because {mark!r} in {_holding(column, mark)[0]!r} "
                f"may be a decimal mark or group thousands; decimal={mark!r} makes it a decimal mark"
            )
    return decimal


def _may_be_grouped(column: pl.Series, mark: str) -> bool:
    marked = _holding(column, mark)
    return not marked.is_empty() and marked.str.contains(_GROUPED[mark]).all()


def _holding(column: pl.Series, mark: str) -> pl.Series:
    return column.filter(column.str.contains(mark, literal=True))


def _typed(column: pl.Series, mark: str, words: Sequence[str], notes: list[str]) -> pl.Series:
    """The column as Int64 or Float64 if it has a mark and these types keep what is written, else as text."""
    name = f"column {column.name!r}"
    if mark:
        numbers = column.set(~column.str.contains(_NUMBER[mark]), None)
        floats = (numbers if mark == "." else numbers.str.replace(",", ".", literal=True)).cast(pl.Float64)
        lossy = numbers.filter(numbers.str.contains("^[+-]?0[0-9]") | floats.is_infinite())
        if lossy.is_empty():
            if found := _spellings(column, words):
                notes.append(f"{name}: {_cited(found)} missing, because all other cells are numbers")
            integers = numbers.cast(pl.Int64, strict=False)
            return integers if integers.null_count() == numbers.null_count() else floats
        why = "leading zeros" if lossy[0].lstrip("+-").startswith("0") else "a number beyond float64"
        notes.append(f"{name}: read as text, because of {why} ({lossy[0]!r})")

    known = column.drop_nulls()
    odd = known.filter(~known.str.contains(_NUMBER["."]) & ~known.str.contains(_NUMBER[","]))
    if known.is_empty():
        notes.append(f"{name}: all cells are missing")
    elif 0 < len(odd) < len(known) / 2:
        share = f"{len(odd)} of {len(known)} known cells"
        notes.append(f"{name}: read as text, because {share} are not numbers (such as {odd[0]!r})")
    if found := _spellings(column, words):
        notes.append(f"{name}: {_cited(found)} kept as a category; missing={list(found)} makes them missing")
    return column


def _spellings(column: pl.Series, words: Sequence[str]) -> dict[str, int]:
    """The spellings in which any of the words stands in the column, and the number of cells of each."""
    return Counter(column.filter(column.str.to_lowercase().is_in(list(words))))


def _cited(spellings: dict[str, int]) -> str:
    return ", ".join(f"{word!r} ({_count(n, 'cell')})" for word, n in spellings.items())


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
