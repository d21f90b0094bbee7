# ruff: noqa: E501  (lists to be read in columns: one entry a line)
"""Hostile command lines: what each is, and how it must end. (hostile_inputs.py and hostile_options.py have what
estimators are given.)

An entry either works (`says` is None) or ends in one message that holds `says`. An entry with `wrong` is a known fault
of the library: what happens instead of what must.
"""

from __future__ import annotations

import collections
import datetime
from dataclasses import dataclass, field
from typing import Any

import pytest

nan, inf = float("nan"), float("inf")
day = datetime.date(2024, 1, 31)


def parameters(entries: list[Any]) -> list[Any]:
    """The entries as test parameters: named, and a known fault marked as one."""
    twice = [name for name, count in collections.Counter(entry.name for entry in entries).items() if count > 1]
    assert not twice, f"every entry has a name of its own: {twice}"
    marks = [[pytest.mark.xfail(strict=True, reason=entry.wrong)] if entry.wrong else [] for entry in entries]
    return [pytest.param(entry, id=entry.name, marks=mark) for entry, mark in zip(entries, marks, strict=True)]


# --- command lines -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A command line (split at blanks, unless it is a list), the files it finds, and how it must end.

    Beside `files` there are loan.csv, golf.csv, penguins.csv, loan.json (ID3), golf.json (C4.5, with numbers),
    prices.json (a regression tree) and the folder `folder`. `writes`: what may be there afterwards that was not before.
    """

    name: str
    line: str | list[str]
    says: str | None
    files: dict[str, str | bytes] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    wrong: str = ""

    @property
    def arguments(self) -> list[str]:
        return self.line.split() if isinstance(self.line, str) else self.line


def table(name: str, content: str | bytes, says: str | None, more: str = "", wrong: str = "") -> Command:
    """A file whose last column is `y`, given to `fit`."""
    return Command(
        f"file:{name}", f"fit t.csv --target y --algorithm cart {more}", says, {"t.csv": content}, wrong=wrong
    )


def option(text: str, says: str | None, algorithm: str = "cart", wrong: str = "") -> Command:
    """An option given to `fit`."""
    line = ["fit", "loan.csv", "--target", "Class", "--algorithm", algorithm, *text.split(" ")]
    return Command(f"fit:{algorithm}:{text}", line, says, wrong=wrong)


def named(name: str, cell: str, label: str = "yes", says: str | None = None, wrong: str = "") -> list[Command]:
    """The same hostile text as the name of a column, as a category and as a class."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    q = quoted(cell)
    places = {
        "column": f"{q},y\n1,a\n2,b\n3,a\n4,b\n",
        "category": f"c,y\n{q},a\nother,b\n{q},a\nother,b\n",
        "class": f"c,y\n1,{q}\n2,b\n3,{q}\n4,b\n",
    }
    return [
        Command(
            f"text:{name}:{place}",
            "fit t.csv --target y --algorithm cart --save t.json",
            says,
            {"t.csv": text},
            ("t.json",),
            wrong,
        )
        for place, text in places.items()
    ]


NUL = "the message does not show the name: embedded null byte"
INFINITE = "an infinite option is let through and cannot be saved: Out of range float values are not JSON compliant"
OVERWRITES = "an input of the command is overwritten"
FIT = "fit loan.csv --target Class --algorithm id3"
ROWS = "a,b,y\n1,u,yes\n2,v,no\n3,u,yes\n4,v,no\n"
HUGE = "9" * 400

COMMANDS: list[Command] = [
    # names of commands and arguments
    Command("unknown command", "grow loan.csv", "No such command 'grow'"),
    Command("unknown option of the whole", "--colour fit", "--colour"),
    Command("unknown option of fit", f"{FIT} --deptth 3", "--deptth"),
    Command("unknown option of predict", "predict loan.json loan.csv --class", "--class"),
    Command("unknown option of show", "show loan.json --depth 3", "--depth"),
    Command("unknown option of explain", "explain loan.json --leaf 3", "--leaf"),
    Command("unknown option of datasets", "datasets --all", "--all"),
    Command("empty command", [""], "No such command ''"),
    Command("fit without a file", "fit --target y --algorithm id3", "FILE"),
    Command("fit without a target", "fit loan.csv --algorithm id3", "--target"),
    Command("fit without an algorithm", "fit loan.csv --target Class", "--algorithm"),
    Command("fit with two files", "fit loan.csv golf.csv --target Class --algorithm id3", "golf.csv"),
    Command("predict without a file", "predict loan.json", "FILE"),
    Command("predict without anything", "predict", "MODEL"),
    Command("show without a model", "show", "MODEL"),
    Command("explain without a model", "explain", "MODEL"),
    Command("option without its value", f"{FIT} --max-depth", "--max-depth"),
    Command(
        "value of an option is the next option", "fit loan.csv --target --algorithm id3", "Missing option '--algorithm'"
    ),
    Command("flag with a value", "predict loan.json loan.csv --proba=yes", "--proba"),
    Command("two datasets", "datasets loan golf", "golf"),
    Command("unknown dataset", "datasets lone", "Did you mean 'loan'?"),
    Command("dataset with a path", ["datasets", "../data/loan"], "no data set"),
    Command("datasets --out into a missing folder", "datasets loan --out no/where.csv", "no/where.csv"),
    Command("datasets --out is a folder", "datasets loan --out folder", "it is a folder"),
    Command("datasets --out is empty", ["datasets", "loan", "--out", ""], "cannot write"),
    Command("datasets --out with NUL", ["datasets", "loan", "--out", "a\0b"], "a\\x00b"),
    Command("datasets --out too long a name", ["datasets", "loan", "--out", "n" * 300], "File name too long"),
    Command("datasets --out without a table", "datasets --out list.csv", "--out"),
    # algorithm, task, target
    option("--task class", None, "id3"),
    option("--task number", "--task number needs --algorithm cart", "id3"),
    option("--task number", "holds text", "cart"),
    option("--task klass", "Did you mean 'class'?"),
    option("--task ", "--task '' is not one of"),
    Command("algorithm c4.5", "fit loan.csv --target Class --algorithm c4.5", "Did you mean 'c45'?"),
    Command("algorithm ID3 in capitals", "fit loan.csv --target Class --algorithm ID3", "Did you mean 'id3'?"),
    Command("algorithm empty", ["fit", "loan.csv", "--target", "Class", "--algorithm", ""], "is not one of"),
    Command(
        "algorithm unknown", "fit loan.csv --target Class --algorithm forest", "is not one of 'id3', 'c45', 'cart'"
    ),
    Command("target is no column", "fit loan.csv --target class --algorithm id3", "Did you mean 'Class'?"),
    Command("target empty", ["fit", "loan.csv", "--target", "", "--algorithm", "id3"], "has no column ''"),
    Command(
        "target with a line break",
        ["fit", "loan.csv", "--target", "a\nb", "--algorithm", "id3"],
        "has no column 'a\\nb'",
    ),
    Command(
        "target named like an id", "fit t.csv --target id --algorithm id3", None, {"t.csv": "c,id\na,1\nb,2\na,3\n"}
    ),
    Command("target named No.", "fit t.csv --target No. --algorithm cart", None, {"t.csv": "c,No.\na,x\nb,y\na,x\n"}),
    Command("target is declared an id", f"{FIT} --kind Class=id", "--kind names the column 'Class'"),
    # every option of fit with wrong types and ranges
    option("--criterion giny", "Did you mean 'gini'?"),
    option("--criterion gain_ratio", "is not one of"),
    option("--criterion squared_error", "is not one of"),
    option("--criterion ", "--criterion '' is not one of"),
    option("--criterion gini", None, "id3"),
    option("--criterion entropy", "is not one of 'gain', 'gini'", "id3"),
    option("--nominal multi", "Did you mean 'multiway'?"),
    option("--nominal groups", "--nominal groups belongs to C4.5"),
    option("--nominal one_vs_rest", None, "c45"),
    option("--numeric none", "--numeric none is not one of"),
    option("--numeric error", None, "id3"),
    option("--threshold middle", "--threshold middle is not one of"),
    option("--missing drop", "--missing drop is not one of"),
    option("--missing surrogate", "Did you mean 'surrogates'"),
    option("--missing error", None),
    option("--unseen nodes", "Did you mean 'node'?"),
    option("--guard maybe", "unexpected extra argument"),
    option("--guard", "--guard is not an option of cart"),
    option("--no-guard", "--guard is not an option of id3", "id3"),
    option("--no-guard", None, "c45"),
    option("--zero-gain never", "--zero-gain never is not one of"),
    option("--min-gain -1", "--min-gain -1.0 must be at least 0"),
    option("--min-gain nan", "--min-gain nan must be at least 0"),
    option("--min-gain inf", "--min-gain inf"),
    option("--min-gain 1e400", "--min-gain inf"),
    option("--min-gain 0,1", "--min-gain"),
    option("--min-gain one", "--min-gain"),
    option("--min-cases 2", "--min-cases is not an option of id3", "id3"),
    option("--min-cases -2", "--min-cases -2.0 must be at least 0", "c45"),
    option("--min-cases x", "--min-cases", "c45"),
    option("--max-depth -1", "--max-depth -1 must be a whole number of at least 0"),
    option("--max-depth 0", None),
    option("--max-depth 1.5", "--max-depth"),
    option("--max-depth none", "--max-depth"),
    option("--max-depth 99999999999999999999", None),
    option(f"--max-depth {HUGE}", None),
    option("--max-depth " + "9" * 5000, "--max-depth"),
    option("--min-samples-split 1", "--min-samples-split 1 must be a whole number of at least 2"),
    option("--min-samples-split 2.5", "--min-samples-split 2.5 must be a whole number of at least 2, or a share"),
    option("--min-samples-leaf 0", "--min-samples-leaf 0 must be a whole number of at least 1"),
    option("--min-samples-leaf 1000", None),
    option("--min-weight-fraction-leaf 0.6", "--min-weight-fraction-leaf 0.6 must be between 0 and 0.5"),
    option("--min-weight-fraction-leaf 50%", "--min-weight-fraction-leaf"),
    option("--min-impurity -0.5", "--min-impurity -0.5 must be at least 0"),
    option("--min-impurity-decrease -0.5", "--min-impurity-decrease -0.5 must be at least 0"),
    option("--min-impurity-decrease 0.1", "--min-impurity-decrease is not an option of id3", "id3"),
    option("--max-leaf-nodes 1", "--max-leaf-nodes 1 must be a whole number of at least 2"),
    option("--max-leaf-nodes 2", None),
    option("--class-weight yes", "must read CLASS=NUMBER"),
    option("--class-weight ", "must read CLASS=NUMBER"),
    option("--class-weight =", "must read CLASS=NUMBER"),
    option("--class-weight Yes=", "must read CLASS=NUMBER"),
    option("--class-weight =2", "--class-weight names ''"),
    option("--class-weight Yes=two", "must read CLASS=NUMBER"),
    option("--class-weight Yes=2,", "must read CLASS=NUMBER"),
    option("--class-weight Yes=2;No=1", "--class-weight names 'Yes=2;No'"),
    option("--class-weight yes=2", "--class-weight names 'yes', but the classes are 'No', 'Yes'"),
    option("--class-weight Yes=-2", "--class-weight Yes=-2.0 must be at least 0"),
    option("--class-weight Yes=nan", "--class-weight Yes=nan must be at least 0"),
    option("--class-weight Yes=inf", "--class-weight Yes=inf must be between 0 and"),
    option("--class-weight Yes=0", "leave out the rows of that class instead"),
    option("--class-weight Yes=2,Yes=3", "'Yes'"),
    option("--class-weight balanced", None),
    option("--class-weight Balanced", "must read CLASS=NUMBER"),
    Command(
        "class weight for numbers",
        "fit penguins.csv --target body_mass_g --algorithm cart --class-weight balanced",
        "--class-weight is not an option of cart with numbers to predict",
    ),
    option("--kind Age", "--kind 'Age' must read NAME=KIND"),
    option("--kind ", "--kind '' must read NAME=KIND"),
    option("--kind =nominal", "--kind names the column ''"),
    option("--kind Age=", "kinds['Age']='' is not a kind"),
    option("--kind Age=number", "--kind Age=number is not a kind"),
    option("--kind Age=Nominal", "Did you mean 'nominal'?"),
    option("--kind age=nominal", "Did you mean 'Age'?"),
    option("--kind Age=numeric", "column 'Age' is numeric"),
    option("--kind Age=weight", "column 'Age' is weight"),
    option("--kind Age=ordinal", "holds text whose order is not known"),
    option("--kind Age=nominal --kind Age=id", "'Age'"),
    option("--na", "--na"),
    option("--na Yes --na No", "is missing in all"),
    option("--separator", "--separator"),
    option("--separator ;;", "--separator ';;' must be one character"),
    option('--separator "', "must be one character, and no quote"),
    option("--separator ;", "has no column 'Class'"),
    option("--separator ", "--separator '' must be one character"),
    option("--decimal .,", "--decimal ., must be '.' or ','"),
    option("--decimal ", "--decimal '' must be '.' or ','"),
    # where the model is saved
    Command("save into a missing folder", f"{FIT} --save no/where.json", "no/where.json"),
    Command("save on a folder", f"{FIT} --save folder", "'folder': it is a folder"),
    Command("save on the present folder", f"{FIT} --save .", "it is a folder"),
    Command("save under a file", f"{FIT} --save loan.csv/model.json", "loan.csv/model.json"),
    Command("save with an empty name", [*FIT.split(), "--save", ""], "cannot write"),
    Command("save with NUL in the name", [*FIT.split(), "--save", "a\0b"], "a\\x00b"),
    Command("save with too long a name", [*FIT.split(), "--save", "n" * 300], "File name too long"),
    Command(
        "save on a full device",
        f"{FIT} --save /dev/full",
        "/dev/full",
    ),
    Command(
        "save with a surrogate in the name", [*FIT.split(), "--save", "a\udce4.json"], None, writes=("a\udce4.json",)
    ),
    Command("save over the table", f"{FIT} --save loan.csv", "loan.csv"),
    # files
    Command("no such file", "fit lone.csv --target y --algorithm id3", "Did you mean 'loan.csv'?"),
    Command("no such folder", "fit no/loan.csv --target y --algorithm id3", "no such folder either"),
    Command("folder for a file", "fit folder --target y --algorithm id3", "this is a folder"),
    Command("file with an empty name", ["fit", "", "--target", "y", "--algorithm", "id3"], "folder"),
    Command("file with NUL in the name", ["fit", "a\0b", "--target", "y", "--algorithm", "id3"], "a\\x00b"),
    Command(
        "file with too long a name", ["fit", "n" * 300, "--target", "y", "--algorithm", "id3"], "File name too long"
    ),
    Command("file under a file", "fit loan.csv/t.csv --target y --algorithm id3", "loan.csv/t.csv"),
    Command("URL for a file", "fit https://example.org/t.csv --target y --algorithm id3", "no such"),
    Command("model for a table", "fit loan.json --target y --algorithm id3", "loan.json"),
    table("empty", "", "the file is empty"),
    table("blank lines only", "\n \n\n", "the file is empty"),
    table("byte order mark only", b"\xef\xbb\xbf", "the file is empty"),
    table("header only", "a,y\n", "no rows"),
    table("one row", "a,y\n1,x\n", None),
    table("one column", "y\nx\nz\n", "no column beside the target 'y'"),
    table("one class", "a,y\n1,x\n2,x\n", None),
    table("one category", "a,y\nk,x\nk,z\n", None),
    table("all rows identical", "a,y\n1,x\n1,x\n1,x\n", None),
    table("all cells missing", "a,b,y\n,?,x\n?,,z\n", None),
    table("target all missing", "a,y\n1,\n2,?\n", "is missing in all 2 rows"),
    table("target known once", "a,y\n1,x\n2,?\n3,\n", None),
    table("NUL bytes", b"a,y\n1,\0\n", "is NUL"),
    table("binary", bytes(range(256)) * 4, "NUL"),
    table("UTF-16", ROWS.encode("utf-16"), "UTF-16"),
    table("UTF-32", ROWS.encode("utf-32"), "UTF"),
    table("Latin-1", "a,y\né,x\n".encode("latin-1"), "is not UTF-8"),
    table("GBK", "甲,y\n是,x\n".encode("gbk"), "is not UTF-8"),
    table("gzip", b"\x1f\x8b\x08\0", "gzip"),
    table("Excel", b"PK\x03\x04xl", "Excel"),
    table("Parquet", b"PAR1\0\0PAR1", "Parquet"),
    table("unclosed quote", 'a,y\n"1,x\n2,z\n', "begins with a quote"),
    table("quote in mid-cell", 'a,y\n5" pipe,x\n6" pipe,z\n', None),
    table("text after a quote", 'a,y\n"u"v,x\nw,z\n', "begins with a quote"),
    table("ragged, short", "a,b,y\n1,2,x\n1,2\n", "line 3: found 2 fields, expected 3"),
    table("ragged, long", "a,y\n1,x\n1,x,7\n", "line 3: found 3 fields, expected 2"),
    table("duplicate columns", "a,a,y\n1,2,x\n", "repeats 'a' (columns 1, 2)"),
    table("two columns without a name", ",,y\n1,2,x\n", "repeats the empty name"),
    table("infinity", "a,y\ninf,x\n1,z\n", None),
    table("overflow", "a,y\n1e999,x\n1,z\n", None),
    table("numbers of 400 digits", f"a,y\n{HUGE},x\n1,z\n", None),
    table("integers beyond 2^53", "a,y\n9007199254740993,x\n9007199254740992,z\n", None),
    table("target of 400 digits", f"a,y\n1,{HUGE}\n2,1\n", None),
    table("target of 30 digits", "a,y\n1,123456789012345678901234567890\n2,1\n", None),
    table("target of integers beyond 2^53", "a,y\n1,9007199254740993\n2,9007199254740992\n", None, "--task class"),
    table(
        "tiny and huge targets",
        "a,y\n1,1e308\n2,-1e308\n3,5e-324\n",
        "beyond 1e+150",
    ),
    table("cell of 100,000 characters", f"a,y\n{'x' * 100_000},x\nv,z\n", None),
    table("1,000 columns", ",".join([*(f"c{i}" for i in range(999)), "y"]) + "\n" + ("1," * 999 + "x\n") * 3, None),
    table("300 classes", "a,y\n" + "".join(f"{i},c{i}\n" for i in range(300)), None),
    table("1,000 categories", "a,y\n" + "".join(f"k{i % 1000},c{i % 2}\n" for i in range(2000)), None),
    table("fractions as classes", "a,y\n1,0.5\n2,0.75\n", "use CARTRegressor", "--task class"),
    table("noncharacter", "a,y\n\ufdd0,x\n", "noncharacter"),
    table("escape sequences", "a,y\n\x1b[31mred\x1b[0m,x\nb,z\n", None),
    table("carriage returns only", "a,y\r1,x\r2,z\r", None),
    table("dates", "a,y\n2024-01-01,x\n2024-01-02,z\n", None),
    table("an id column alone", "id,y\n1,x\n2,z\n3,x\n", "no column is left to ask for"),
    table("a column named like the options", "task,y\n1,x\n2,z\n", None),
    table("fuzzy header: only y", "y,a\nx,1\n", None),
    # texts that are something to a printer, a shell, a browser or a terminal
    *named("quotes", """it's "so\""""),
    *named("line break", "one\ntwo"),
    *named("carriage return", "one\rtwo"),
    *named("tab", "one\ttwo"),
    *named("equals", "a=b=c"),
    *named("comma", "a,b"),
    *named("HTML", "<script>alert(1)</script>"),
    *named("braces", "{}{0}{name}"),
    *named("percent", "%s%d%n%(x)s"),
    *named("rich markup", "[bold red]x[/] [link=x]"),
    *named("ANSI escape", "\x1b[31;1mred\x1b[0m\x1b]0;title\x07"),
    *named("emoji", "👩‍👩‍👧‍👦🏳️‍🌈"),
    *named("right to left", "\u202eabc\u2066 שלום"),
    *named("Chinese", "色泽，乌黑"),
    *named("combining", "e\u0301" * 50),
    *named("10,000 characters", "n" * 10_000),
    *named("backslash", "C:\\new\\table"),
    *named("dollar", "$(rm -rf) `ls` $HOME"),
    *named("prediction", "prediction"),
    *named("missing", "is missing"),
    *named("arrow", "-> x: 3 rows"),
    *named("dashes", "--save"),
    *named("formula", "=1+1"),
    *named("nan", "x nan"),
    # predict
    Command("predict with no model", "predict none.json loan.csv", "cannot read 'none.json'"),
    Command("predict with a folder", "predict folder loan.csv", "folder"),
    Command("predict with a table for a model", "predict loan.csv loan.csv", "not a model file"),
    Command("predict with model and table exchanged", "predict loan.csv loan.json", "not a model file"),
    Command(
        "predict lacks a column", "predict loan.json t.csv", "lacks the column", {"t.csv": "Age,Employed\nYoung,No\n"}
    ),
    Command("predict lacks all columns", "predict loan.json golf.csv", "lacks the columns"),
    Command(
        "predict, other case",
        "predict loan.json t.csv",
        "Did you mean",
        {"t.csv": "age,employed,owns house,credit status\nYoung,No,No,Fair\n"},
    ),
    Command(
        "predict with more columns",
        "predict loan.json t.csv",
        None,
        {"t.csv": "z,Owns House,Age,Employed,Credit Status\n9,No,Young,No,Fair\n"},
    ),
    Command(
        "predict with text for a number",
        "predict golf.json t.csv",
        "column 'humidity' is numeric",
        {"t.csv": "outlook,temperature,humidity,windy\nsunny,70,wet,false\n"},
    ),
    Command(
        "predict with unseen categories",
        "predict golf.json t.csv",
        None,
        {"t.csv": "outlook,temperature,humidity,windy\nfog,70,70,false\n"},
    ),
    Command(
        "predict with missing cells",
        "predict golf.json t.csv",
        None,
        {"t.csv": "outlook,temperature,humidity,windy\n?,,?,\n"},
    ),
    Command(
        "predict with infinity",
        "predict golf.json t.csv",
        "infinity",
        {"t.csv": "outlook,temperature,humidity,windy\nsunny,1,1e999,false\n"},
    ),
    Command(
        "predict, header only", "predict golf.json t.csv", "no rows", {"t.csv": "outlook,temperature,humidity,windy\n"}
    ),
    Command("predict, empty file", "predict golf.json t.csv", "the file is empty", {"t.csv": ""}),
    Command("predict, column taken", "predict loan.json loan.csv --column Class", "already has a column 'Class'"),
    Command(
        "predict, column 'prediction' taken",
        "predict loan.json t.csv",
        "name the answers with --column",
        {"t.csv": "prediction,Owns House,Age,Employed,Credit Status\n9,No,Young,No,Fair\n"},
    ),
    Command("predict, column of shares taken", "predict loan.json loan.csv --proba --column", "--column"),
    Command(
        "predict, answers named like a share",
        ["predict", "loan.json", "loan.csv", "--proba", "--column", "share of Yes"],
        "share of Yes",
    ),
    Command(
        "predict, share column taken",
        "predict loan.json t.csv --proba",
        "'share of Yes'",
        {"t.csv": "share of Yes,Owns House,Age,Employed,Credit Status\n9,No,Young,No,Fair\n"},
    ),
    Command(
        "predict, column of answers without a name",
        ["predict", "loan.json", "loan.csv", "--column", ""],
        "--column",
    ),
    Command(
        "predict shares of numbers",
        "predict prices.json penguins.csv --proba",
        "--proba needs a tree that predicts classes",
    ),
    Command("predict --out on a folder", "predict loan.json loan.csv --out folder", "it is a folder"),
    Command("predict --out into a missing folder", "predict loan.json loan.csv --out no/answers.csv", "no/answers.csv"),
    Command("predict --out on the model", "predict loan.json loan.csv --out loan.json", "loan.json"),
    Command("predict --out on the table", "predict loan.json loan.csv --out loan.csv", "loan.csv"),
    Command(
        "predict, target of another type",
        "predict loan.json t.csv",
        None,
        {"t.csv": "Class,Owns House,Age,Employed,Credit Status\n1,No,Young,No,Fair\n"},
    ),
    Command(
        "predict, text for the numbers of the target",
        "predict prices.json t.csv",
        None,
        {
            "t.csv": "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,sex,body_mass_g\nAdelie,Dream,39,18,190,male,heavy\n"
        },
    ),
    # show and explain
    Command("show a missing model", "show none.json", "cannot read 'none.json'"),
    Command("show a folder", "show folder", "folder"),
    Command("show a table", "show loan.csv", "not a model file"),
    Command("show with negative depth", "show loan.json --max-depth -1", "--max-depth -1 must be at least 0"),
    Command("show with a fraction of depth", "show loan.json --max-depth 1.5", "--max-depth"),
    Command("show with no digits", "show loan.json --digits 0", "between 1 and 17"),
    Command("show with 18 digits", "show loan.json --digits 18", "between 1 and 17"),
    Command("show with digits as words", "show loan.json --digits four", "--digits"),
    Command("explain beyond the end", "explain loan.json --node 99", "there is no node 99; the tree has nodes 0 to"),
    Command("explain a negative node", "explain loan.json --node -1", "there is no node -1"),
    Command("explain a word", "explain loan.json --node root", "--node"),
    Command("explain half a node", "explain loan.json --node 0.5", "--node"),
    Command("explain a huge node", f"explain loan.json --node {HUGE}", "there is no node 999"),
    Command("explain all and one", "explain loan.json --all --node 1", "exclude each other"),
    Command("explain all and the root", "explain loan.json --all --node 0", "exclude each other"),
    Command("explain a leaf", "explain loan.json --node 1", None),
    # model files that are none
    *(
        Command(f"model:{name}", f"show {name}.json", says, {f"{name}.json": content})
        for name, content, says in [
            ("empty", "", "not valid JSON"),
            ("blank", " \n", "not valid JSON"),
            ("nul", b"\0", "not valid JSON"),
            ("latin-1", b'{"format": "\xe9"}', "not UTF-8"),
            ("utf-16", '{"format": "deciduous tree"}'.encode("utf-16"), "not UTF-8"),
            ("bom", b"\xef\xbb\xbf{}", "not valid JSON"),
            ("list", "[1, 2]", "must be a JSON object; it is list"),
            ("number", "3", "must be a JSON object; it is int"),
            ("null", "null", "must be a JSON object"),
            ("text", '"deciduous tree"', "must be a JSON object; it is str"),
            ("other", "{}", "'format' is None"),
            ("nan", '{"format": NaN}', "NaN is not a number"),
            ("infinity", '{"format": "deciduous tree", "version": -Infinity}', "-Infinity is not a number"),
            ("version-0", '{"format": "deciduous tree", "version": 0}', "has version 0"),
            ("version-2", '{"format": "deciduous tree", "version": 2}', "has version 2"),
            ("version-text", '{"format": "deciduous tree", "version": "1"}', "has version '1'"),
            ("deep", "[" * 100_000, "not a model file"),
            ("deep-closed", '{"a":' * 100_000 + "1" + "}" * 100_000, "not a model file"),
            ("surrogate", '{"format": "\\ud800"}', "'format' is"),
            ("pickle", b"\x80\x04\x95cos\nsystem\n(S'id'\ntR.", "not UTF-8"),
            ("yaml", "!!python/object/apply:os.system ['id']", "not valid JSON"),
        ]
    ),
    Command(
        "model:version-true",
        "show m.json",
        "has version True",
        {"m.json": '{"format": "deciduous tree", "version": true}'},
    ),
    Command(
        "model:digits",
        "show m.json",
        "m.json",
        {"m.json": '{"format": ' + "9" * 5_000 + "}"},
    ),
]
