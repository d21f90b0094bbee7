# ruff: noqa: E501  (lists to be read in columns: one entry a line)
"""Hostile command lines and tables: what each is, and how it must end.

`COMMANDS` are run by test_hostile_commands.py; `TABLES`, `TARGETS`, `WEIGHTS`, `OPTIONS` and `NEW_TABLES` by
test_hostile_inputs.py. An entry either works (`says` is None) or ends in one message that holds `says`.
An entry with `wrong` is a known fault of the library: what happens instead of what must.
"""

from __future__ import annotations

import collections
import datetime
import enum
import fractions
import pathlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

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
    Command("target is declared an id", f"{FIT} --kind Class=id", "kinds names the column 'Class'"),
    # every option of fit with wrong types and ranges
    option("--criterion giny", "Did you mean 'gini'?"),
    option("--criterion gain_ratio", "is not one of"),
    option("--criterion squared_error", "is not one of"),
    option("--criterion ", "criterion='' is not one of"),
    option("--criterion gini", None, "id3"),
    option("--criterion entropy", "is not one of 'gain', 'gini'", "id3"),
    option("--nominal multi", "Did you mean 'multiway'?"),
    option("--nominal groups", "nominal='groups' belongs to C4.5"),
    option("--nominal one_vs_rest", None, "c45"),
    option("--numeric none", "numeric='none' is not one of"),
    option("--numeric error", None, "id3"),
    option("--threshold middle", "threshold='middle' is not one of"),
    option("--missing drop", "missing='drop' is not one of"),
    option("--missing surrogate", "Did you mean 'surrogates'"),
    option("--missing error", None),
    option("--unseen nodes", "Did you mean 'node'?"),
    option("--guard maybe", "unexpected extra argument"),
    option("--guard", "--guard is not an option of cart"),
    option("--no-guard", "--guard is not an option of id3", "id3"),
    option("--no-guard", None, "c45"),
    option("--zero-gain never", "zero_gain='never' is not one of"),
    option("--min-gain -1", "min_gain=-1.0 must be at least 0"),
    option("--min-gain nan", "min_gain=nan must be at least 0"),
    option("--min-gain inf", "min_gain=inf"),
    option("--min-gain 1e400", "min_gain=inf"),
    option("--min-gain 0,1", "--min-gain"),
    option("--min-gain one", "--min-gain"),
    option("--min-cases 2", "--min-cases is not an option of id3", "id3"),
    option("--min-cases -2", "min_cases=-2.0 must be at least 0", "c45"),
    option("--min-cases x", "--min-cases", "c45"),
    option("--max-depth -1", "max_depth=-1 must be a whole number of at least 0"),
    option("--max-depth 0", None),
    option("--max-depth 1.5", "--max-depth"),
    option("--max-depth none", "--max-depth"),
    option("--max-depth 99999999999999999999", None),
    option(f"--max-depth {HUGE}", None),
    option("--max-depth " + "9" * 5000, "--max-depth"),
    option("--min-samples-split 1", "min_samples_split=1 must be a whole number of at least 2"),
    option("--min-samples-split 2.5", "min_samples_split=2.5 must be a whole number of at least 2, or a share"),
    option("--min-samples-leaf 0", "min_samples_leaf=0 must be a whole number of at least 1"),
    option("--min-samples-leaf 1000", None),
    option("--min-weight-fraction-leaf 0.6", "min_weight_fraction_leaf=0.6 must be between 0 and 0.5"),
    option("--min-weight-fraction-leaf 50%", "--min-weight-fraction-leaf"),
    option("--min-impurity -0.5", "min_impurity=-0.5 must be at least 0"),
    option("--min-impurity-decrease -0.5", "min_impurity_decrease=-0.5 must be at least 0"),
    option("--min-impurity-decrease 0.1", "--min-impurity-decrease is not an option of id3", "id3"),
    option("--max-leaf-nodes 1", "max_leaf_nodes=1 must be a whole number of at least 2"),
    option("--max-leaf-nodes 2", None),
    option("--class-weight yes", "must read CLASS=NUMBER"),
    option("--class-weight ", "must read CLASS=NUMBER"),
    option("--class-weight =", "must read CLASS=NUMBER"),
    option("--class-weight Yes=", "must read CLASS=NUMBER"),
    option("--class-weight =2", "class_weight names ''"),
    option("--class-weight Yes=two", "must read CLASS=NUMBER"),
    option("--class-weight Yes=2,", "must read CLASS=NUMBER"),
    option("--class-weight Yes=2;No=1", "class_weight names 'Yes=2;No'"),
    option("--class-weight yes=2", "class_weight names 'yes', but the classes are 'No', 'Yes'"),
    option("--class-weight Yes=-2", "class_weight['Yes']=-2.0 must be at least 0"),
    option("--class-weight Yes=nan", "class_weight['Yes']=nan"),
    option(
        "--class-weight Yes=inf",
        "class_weight['Yes']=inf",
    ),
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
    option("--kind =nominal", "kinds names the column ''"),
    option("--kind Age=", "kinds['Age']='' is not a kind"),
    option("--kind Age=number", "kinds['Age']='number' is not a kind"),
    option("--kind Age=Nominal", "Did you mean 'nominal'?"),
    option("--kind age=nominal", "Did you mean 'Age'?"),
    option("--kind Age=numeric", "column 'Age' is numeric"),
    option("--kind Age=weight", "column 'Age' is weight"),
    option("--kind Age=ordinal", "holds text whose order is not known"),
    option("--kind Age=nominal --kind Age=id", "'Age'"),
    option("--na", "--na"),
    option("--na Yes --na No", "is missing in all"),
    option("--separator", "--separator"),
    option("--separator ;;", "separator=';;' must be one character"),
    option('--separator "', "must be one character, and no quote"),
    option("--separator ;", "has no column 'Class'"),
    option("--separator ", "separator='' must be one character"),
    option("--decimal .,", "decimal='.,' must be '.' or ','"),
    option("--decimal ", "decimal='' must be '.' or ','"),
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
    table("one column", "y\nx\nz\n", "minimum of 1"),
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


# --- tables, targets, weights and options --------------------------------------------------------------------------

#: Our own estimators by task; an entry says what classifiers and what the regressor must answer.
WORKS = None


@dataclass(frozen=True)
class Input:
    """Something given to an estimator, made afresh for every use, and how it must end.

    `says`: what the message of a classifier must hold, `numbers` that of the regressor; None where it must work.
    """

    name: str
    make: Callable[[], Any]
    says: str | None = None
    numbers: str | None = None
    wrong: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def expected(self, task: str) -> str | None:
        return self.numbers if task == "number" else self.says


def both(name: str, make: Callable[[], Any], says: str | None = None, wrong: str = "", **options: Any) -> Input:
    """An input that all estimators must answer alike."""
    return Input(name, make, says, says, wrong, options)


def one(cells: Any, **more: Any) -> Callable[[], Any]:
    """A pandas frame with the one column `a`."""
    return lambda: pd.DataFrame({"a": cells}, **more)


def polars(cells: Any, dtype: Any = None) -> Callable[[], Any]:
    return lambda: pl.DataFrame({"a": pl.Series(cells, dtype=dtype)})


def arrow(cells: Any, dtype: Any = None) -> Callable[[], Any]:
    return lambda: pa.table({"a": pa.array(cells, dtype)})


class ArrayLike:
    """Something that turns into an array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


DATES, CELL, FLAT, ZERO = (
    "holds dates or times",
    "must be a string or a number",
    "got 1D array",
    "a minimum of 1 is required",
)
INFINITY = "row 1: infinity"

TABLES: list[Input] = [
    # no table at all
    both("None", lambda: None, "None"),
    both("a number", lambda: 3, "0D array"),
    both("text", lambda: "loan.csv", "To read a file use deciduous.read_table(path)"),
    both("bytes", lambda: b"abc", "To read a file use deciduous.read_table(path)"),
    both("a path", lambda: pathlib.Path("loan.csv"), "read_table"),
    both("a generator of rows", lambda: ([i] for i in range(4)), "Expected 2D array"),
    both("an iterator of rows", lambda: iter([[1], [2]]), "Expected 2D array"),
    both("a range", lambda: range(4), FLAT),
    both("a set", lambda: {1, 2, 3}, "Expected 2D array"),
    both("sets for rows", lambda: [{1}, {2}], FLAT),
    both("a function", lambda: len, "Expected 2D array"),
    both("no rows, no columns", lambda: np.zeros((0, 0)), ZERO),
    both("no rows", lambda: np.zeros((0, 3)), ZERO),
    both("no columns", lambda: np.zeros((3, 0)), ZERO),
    both("an empty list", list, "shape (0,)"),
    both("empty rows", lambda: [[], []], ZERO),
    both("an empty dict", dict, ZERO),
    both("0-D", lambda: np.array(3.0), "0D array"),
    both("1-D", lambda: np.arange(4.0), FLAT),
    both("1-D list", lambda: [1, 2, 3, 4], FLAT),
    both("1-D text", lambda: ["a", "b"], FLAT),
    both("3-D", lambda: np.zeros((4, 2, 2)), "got 3D array"),
    both("ragged", lambda: [[1, 2], [3]], "equally many cells in every row"),
    both("ragged text", lambda: [["a", "b"], ["c"]], "equally many cells in every row"),
    both("None for a row", lambda: [None, [1]], "equally many cells in every row"),
    both("a number for a row", lambda: [[1, 2], 3], "equally many cells in every row"),
    both("dicts and lists for rows", lambda: [{"a": 1}, [2]], "equally many cells in every row"),
    both("nested lists", lambda: [[[[[[1]]]]]], "got 6D array"),
    both("columns of different length", lambda: {"a": [1, 2], "b": [1]}, "the columns must have equally many rows"),
    both("one row as a dict", lambda: {"a": 1, "b": "x"}, "column 'a'"),
    both("a dict with None for a column", lambda: {"a": None}, "column 'a'"),
    both("a dict with text for a column", lambda: {"a": "xyz"}, "column 'a'"),
    both("a dict of dicts", lambda: {"a": {"b": 1, "c": 2}}, "column 'a'"),
    both("a dict with a 2-D column", lambda: {"a": np.zeros((3, 2))}, "column 'a', row 0"),
    both("a dict whose keys are the same text", lambda: {1: [1, 2], "1": [3, 4]}, "found more than once: '1'"),
    both("lazy", lambda: pl.LazyFrame({"a": [1, 2]}), "pass X.collect()"),
    both("polars expression", lambda: pl.col("a"), "Expected 2D array"),
    both("groups", lambda: pl.DataFrame({"a": [1]}).group_by("a"), "Expected 2D array"),
    both("sparse matrix", lambda: sp.csr_matrix(np.eye(4)), "Sparse matrices are not supported"),
    both("sparse array", lambda: sp.coo_array(np.eye(4)), "Sparse matrices are not supported"),
    both("pandas series", lambda: pd.Series([1, 2, 3]), FLAT),
    both("polars series", lambda: pl.Series([1, 2, 3]), FLAT),
    both("arrow array", lambda: pa.array([1, 2]), FLAT),
    both("arrow chunks", lambda: pa.chunked_array([[1, 2]]), FLAT),
    both("pandas index", lambda: pd.Index([1, 2]), FLAT),
    both("a memory view of rows", lambda: memoryview(np.eye(3))),
    # odd tables that are tables
    both("one cell", lambda: [[1]]),
    both("one row", lambda: [[1, 2, 3]]),
    both("tuples", lambda: ((1, 2), (3, 4), (5, 6))),
    both("a deque", lambda: collections.deque([[1], [2]])),
    both("dicts for rows, some cells missing", lambda: [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3}, {}]),
    both("a dict of columns", lambda: {"a": [1, 2, 3], "b": ["x", "y", "x"]}),
    both("a dict of series", lambda: {"a": pd.Series([1, 2, 3]), "b": pl.Series([1, 2, 3])}),
    both("an array-like", lambda: ArrayLike(np.eye(3))),
    both("arrays for rows", lambda: [np.arange(3), np.arange(3)]),
    both("structured array", lambda: np.array([(1, "a"), (2, "b")], [("n", "i4"), ("t", "U1")])),
    both("record array", lambda: np.rec.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("t", "U1")])),
    both("structured array, 2-D", lambda: np.zeros((2, 2), [("n", "i4")]), "column 'n', row 0"),
    both("structured array, nested", lambda: np.zeros(2, [("t", [("p", "i4"), ("q", "i4")])]), "column 't', row 0"),
    both("void", lambda: np.zeros((2, 1), "V3"), CELL),
    # numbers
    both("infinity", lambda: [[1.0], [inf], [2.0]], INFINITY),
    both("minus infinity", one([1.0, -inf]), "column 'a', row 1: infinity (-inf)"),
    both("infinity beside NaN", lambda: [[nan], [inf]], INFINITY),
    both("the largest numbers", lambda: [[1e308], [-1e308], [1e308]]),
    both("the smallest numbers", lambda: [[5e-324], [0.0], [-5e-324]]),
    both("minus zero", lambda: [[0.0], [-0.0], [1.0]]),
    both("integers beyond 2^53", lambda: np.array([[2**53], [2**53 + 1], [2**53 + 2]])),
    both("integers of 30 digits", lambda: [[10**30], [10**30 + 1], [3]]),
    both("integers of 400 digits", lambda: [[10**400], [1]], "row 0"),
    both("long doubles", lambda: np.eye(3, dtype=np.longdouble)),
    both("long doubles out of range", lambda: np.array([["1e400"], ["1"]]).astype(np.longdouble), "row 0"),
    *(both(f"dtype {d}", lambda d=d: np.eye(4).astype(d)) for d in ("f2", "f4", "i1", "u8", ">f8", ">i4", "?", "O")),
    both("complex", lambda: np.ones((3, 2), complex), "Complex data not supported"),
    both("complex cells", one([1j, 2j]), "column 'a', row 0"),
    both("Decimal", lambda: [[Decimal("1.5")], [Decimal("NaN")], [Decimal("2")]]),
    both("Decimal infinity", lambda: [[Decimal("2")], [Decimal("Infinity")]], INFINITY),
    both("Decimal sNaN", lambda: [[Decimal("2")], [Decimal("sNaN")]], "row 1"),
    both("fractions", lambda: [[fractions.Fraction(1, 2)], [fractions.Fraction(1, 3)]], CELL),
    both("NumPy scalars", lambda: [[np.float32(1)], [np.int8(2)]]),
    both("NumPy scalars of several kinds", lambda: [[np.float32(1)], [np.int8(2)], [np.bool_(True)]]),
    both("half floats as objects", lambda: np.array([[np.float16("nan")], [np.float32(2)]], object)),
    both("IntEnum", lambda: [[Level.LOW], [Level.HIGH]]),
    both("read-only", lambda: np.frombuffer(np.eye(4).tobytes()).reshape(4, 4)),
    both("Fortran order", lambda: np.asfortranarray(np.eye(4))),
    both("strided backwards", lambda: np.arange(40.0).reshape(8, 5)[::-2, ::2]),
    both("broadcast", lambda: np.broadcast_to(np.arange(3.0), (4, 3))),
    both("10,000 columns", lambda: np.arange(50_000.0).reshape(5, 10_000), max_depth=0),
    both("60 columns", lambda: np.arange(300.0).reshape(5, 60)),
    both("all rows identical", lambda: np.ones((6, 3))),
    both("all cells missing", lambda: np.full((4, 2), nan)),
    both("all cells None", lambda: [[None], [None]]),
    both("one column all missing", lambda: pd.DataFrame({"a": [nan] * 4, "b": [1, 2, 3, 4]})),
    # text
    both("words for missing", lambda: [["None"], ["nan"], ["NA"]]),
    both("empty text", lambda: [[""], [""], [""]]),
    both("blank text", lambda: [["a"], [""], [" "]]),
    both("numbers as text", lambda: [["1", "2"], ["3", "4"]]),
    both("fixed-width text", lambda: np.array([["a", "1"], ["b", "2"]])),
    both("NumPy's text", lambda: np.array([["a"], ["b"], ["a"]], np.dtypes.StringDType())),
    both("NumPy's text with None", lambda: np.array([["a"], [None]], np.dtypes.StringDType(na_object=None))),
    both("fixed-width bytes", lambda: np.array([[b"a"], [b"b"], [b"\xff"]])),
    both("bytes for cells", lambda: np.array([[b"a"], [b"b"]], object), CELL),
    both("NUL in text", lambda: [["a\0b"], ["x"]]),
    both("surrogates", lambda: [["\ud800"], ["x"]], "row 0"),
    both("100,000 characters", lambda: [["a" * 100_000], ["b"]]),
    both("control characters in names and cells", lambda: pd.DataFrame({"a\n\x1b[31m\0": ["x\r\n", "y\t"]})),
    both("right to left", lambda: pd.DataFrame({"\u202eabc": ["\u2066x", "y"]})),
    both("our own words", lambda: pd.DataFrame({"prediction": ["is missing", "-> x: 3 rows"], "node": ["{", "}"]})),
    # mixed cells
    both("numbers and text", one([1, "x", 2.5, None])),
    both("bools and numbers", one([True, 2, None], dtype=object)),
    both("bools and text", lambda: [[True], ["x"], ["True"]]),
    both("numbers and blanks", lambda: [[1], [""], ["  "], [2.5]]),
    both("pandas NA among objects", one(pd.Series([1, pd.NA, "x"], dtype=object))),
    both("NaT among objects", one(pd.Series([pd.NaT, 1, 2], dtype=object))),
    *(
        both(f"cells: {name}", lambda cell=cell: pd.DataFrame({"a": pd.Series([cell, cell], dtype=object)}), CELL)
        for name, cell in [
            ("lists", [1]),
            ("dicts", {1: 2}),
            ("sets", {1}),
            ("tuples", (1,)),
            ("types", int),
            ("enums", Colour.RED),
            ("UUIDs", uuid.UUID(int=1)),
            ("ellipses", ...),
            ("objects", object()),
            ("intervals", pd.Interval(0, 1)),
            ("periods", pd.Period("2024")),
        ]
    ),
    # dates
    both("datetime64", lambda: np.array([["2024-01-01"], ["2024-01-02"]], "M8[D]"), DATES),
    both("timedelta64", lambda: np.array([[1], [2]], "m8[s]"), DATES),
    both("dates as objects", lambda: [[day], [day]], DATES),
    both("times as objects", lambda: [[datetime.time(1)], [datetime.time(2)]], DATES),
    both("timestamps as objects", lambda: [[pd.Timestamp("2024")], [1]], DATES),
    both("pandas dates", lambda: pd.DataFrame({"when": pd.to_datetime(["2024-01-01", None])}), "column 'when' holds dates"),
    both("pandas dates of a zone", one(pd.to_datetime(["2024-01-01"] * 2).tz_localize("UTC")), DATES),
    both("pandas periods", one(pd.period_range("2024", periods=3)), "column 'a'"),
    # pandas' own types
    both("nullable integers", one(pd.array([1, None, 3], "Int64"))),
    both("nullable floats", one(pd.array([1.5, None, 3], "Float32"))),
    both("nullable bools", one(pd.array([True, None, False], "boolean"))),
    both("nullable text", one(pd.array(["x", None, "y"], "string"))),
    both("nullable integers, all missing", one(pd.array([None, None], "Int64"))),
    both("nullable text, all missing", one(pd.array([None, None], "string"))),
    *(
        both(
            f"pandas over arrow: {dtype}",
            lambda c=cells, t=dtype: pd.DataFrame({"a": pd.array(c, pd.ArrowDtype(t))}),
            says,
        )
        for cells, dtype, says in [
            (["x", None, "y"], pa.string(), WORKS),
            ([1, None, 3], pa.int64(), WORKS),
            ([True, None, False], pa.bool_(), WORKS),
            ([Decimal("1.5"), None], pa.decimal128(5, 2), WORKS),
            ([None, None], pa.null(), WORKS),
            (["x", "y", None], pa.dictionary(pa.int32(), pa.string()), WORKS),
            ([day], pa.date32(), DATES),
            ([[1], [2]], pa.list_(pa.int64()), "column 'a' holds List"),
            ([b"x", b"y"], pa.binary(), "column 'a', row 0"),
        ]
    ),
    both("sparse columns", lambda: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(4)))),
    both("shuffled index", one([1, 2, 3], index=[5, 5, 1])),
    both("index alone", lambda: pd.DataFrame(index=[1, 2, 3]), ZERO),
    both("columns alone", lambda: pd.DataFrame(columns=["a", "b"]), ZERO),
    both("MultiIndex columns", lambda: pd.DataFrame(np.eye(3), columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")]))),
    both("duplicate names", lambda: pd.DataFrame(np.eye(2), columns=["a", "a"]), "'a' (columns 0, 1)"),
    both("duplicate names in arrow", lambda: pa.table([[1, 2], [3, 4]], ["a", "a"]), "'a' (columns 0, 1)"),
    both("names that become the same text", lambda: pd.DataFrame(np.eye(2), columns=[1, "1"]), "'1' (columns 0, 1)"),
    both("integer names", lambda: pd.DataFrame(np.eye(3))),
    both("names of several types", lambda: pd.DataFrame(np.eye(3), columns=[1, "b", None])),
    both("names that are dates", lambda: pd.DataFrame(np.eye(2), columns=pd.to_datetime(["2024-01-01", "2024-01-02"]))),
    both("names that are bytes", lambda: pd.DataFrame(np.eye(2), columns=[b"a", b"b"])),
    # categories
    both("category", one(pd.Categorical(["x", None, "y"]))),
    both("empty text as a category", one(pd.Categorical(["", "x", ""]))),
    both("unused categories", one(pd.Categorical(["x", "x"], categories=["x", "y", "z"]))),
    both("1,000 categories", one(pd.Categorical([f"c{i % 7}" for i in range(20)], categories=[f"c{i}" for i in range(1000)]))),
    both("integers as categories", one(pd.Categorical([3, 1, 3]))),
    both("bools as categories", one(pd.Categorical([True, False, None]))),
    both("fractions as categories", one(pd.Categorical([1.5, 2.5, 1.5]))),
    both("infinity as a category", one(pd.Categorical([inf, 2.5, 1.5])), "column 'a'"),
    both("dates as categories", one(pd.Categorical([day, day])), DATES),
    both("timestamps as categories", one(pd.Categorical(pd.to_datetime(["2024-01-01", "2024-01-02"]))), DATES),
    both("intervals as categories", one(pd.cut([1, 2, 3, 4], 2)), "column 'a'"),
    both("numbers and text as categories", one(pd.Categorical([1, "x", 1]))),
    both("1 and '1' as categories", one(pd.Categorical([1, "1", 1])), "column 'a'"),
    both("category of no level", one(pd.Categorical([None, None, None]))),
    both("category without a known cell", one(pd.Categorical([None, None], categories=["x", "y"]))),
    both("ranked categories", one(pd.Categorical(["lo", "hi", "mid", None], categories=["lo", "mid", "hi"], ordered=True))),
    both("ranked numbers", one(pd.Categorical([10, 2, 30], categories=[10, 2, 30], ordered=True))),
    both("one ranked category", one(pd.Categorical(["lo", "lo"], categories=["lo"], ordered=True))),
    # polars
    both("polars Categorical", polars(["x", "y", None], pl.Categorical)),
    both("polars Enum", polars(["x", "y", None], pl.Enum(["z", "y", "x"]))),
    both("polars Enum of no level", polars([None, None], pl.Enum([]))),
    both("polars Categorical, all missing", polars([None, None], pl.Categorical)),
    both("polars Null", polars([None, None, None])),
    both("polars Boolean", polars([True, False, None])),
    both("polars Int128", polars([1, 2], pl.Int128)),
    both("polars UInt64", polars([2**64 - 1, 2**64 - 2, 0], pl.UInt64)),
    both("polars Float32", polars([1.1, nan, None], pl.Float32)),
    both("polars Decimal", polars([Decimal("1.5"), None])),
    both("polars Date", polars([day, None]), DATES),
    both("polars Datetime", polars([datetime.datetime(2024, 1, 1)]), DATES),
    both("polars Duration", polars([datetime.timedelta(1)]), DATES),
    both("polars Time", polars([datetime.time(1)]), DATES),
    both("polars List", polars([[1], [2]]), "column 'a' holds List"),
    both("polars Array", polars([[1], [2]], pl.Array(pl.Int8, 1)), "column 'a' holds Array"),
    both("polars Struct", polars([{"b": 1}, {"b": 2}]), "column 'a' holds Struct"),
    both("polars Binary", polars([b"a", b"b"]), "column 'a', row 0"),
    both("polars Object", polars([object(), object()], pl.Object), "column 'a', row 0"),
    both("polars without columns", lambda: pl.DataFrame(), ZERO),
    both("polars without rows", polars([]), ZERO),
    # arrow
    both("arrow", lambda: pa.table({"a": [1, 2, None], "b": ["x", None, "y"]})),
    both("arrow batch", lambda: pa.RecordBatch.from_pydict({"a": [1, 2]})),
    both("arrow dictionary", lambda: pa.table({"a": pa.array(["x", "y", None]).dictionary_encode()})),
    both("arrow dictionary of integers", lambda: pa.table({"a": pa.array([5, 6, None]).dictionary_encode()})),
    both("arrow dictionary, ranked", lambda: pa.table({"a": pa.DictionaryArray.from_arrays([0, 1, None], ["x", "y"], ordered=True)})),
    both("arrow dictionary that holds null", lambda: pa.table({"a": pa.DictionaryArray.from_arrays([0, 1, 2], pa.array(["x", None, "y"]))})),
    both("arrow nulls", lambda: pa.table({"a": pa.nulls(3)})),
    both("arrow large text", arrow(["x", "y"], pa.large_string())),
    both("arrow text views", arrow(["x", "y"], pa.string_view())),
    both("arrow decimals", arrow([Decimal("1.5")], pa.decimal256(40, 2))),
    both("arrow maps", arrow([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "column 'a' holds Map"),
    both("arrow times", arrow([1, 2], pa.time32("s")), DATES),
    both("arrow durations", arrow([1, 2], pa.duration("s")), DATES),
    both("arrow binary", arrow([b"a", b"b"]), "column 'a', row 0"),
]  # fmt: skip

TEXT, LABEL, NUMBER, ROWS_OF_Y = "holds text", "is no class label", "is not a number", "one target a row"


def text(name: str, make: Callable[[], Any], wrong: str = "") -> Input:
    """A target of words: for classifiers only."""
    return Input(name, make, WORKS, TEXT, wrong)


#: Targets for a table of six rows with the columns `n` (numbers) and `t` (text).
TARGETS: list[Input] = [
    both("None", lambda: None, "the target y is None"),
    both("a number", lambda: 3, ROWS_OF_Y),
    both("no column", lambda: "tt", "Did you mean 't'?"),
    Input("a column of text", lambda: "t", WORKS, TEXT),
    both("a column of numbers", lambda: "n"),
    both("bytes", lambda: b"ababab", ROWS_OF_Y),
    both("a dict", lambda: {"a": 1}, ROWS_OF_Y),
    both("a set", lambda: {1, 2, 3, 4, 5, 6}, ROWS_OF_Y),
    both("a generator", lambda: (i for i in range(6)), ROWS_OF_Y),
    both("a lazy frame", lambda: pl.LazyFrame({"y": [1] * 6}), ROWS_OF_Y),
    both("a sparse column", lambda: sp.csr_matrix([[0], [1]] * 3), "parse"),
    both("empty", list, "[6, 0]"),
    both("too short", lambda: [0, 1, 0], "[6, 3]"),
    both("too long", lambda: [0, 1] * 6, "[6, 12]"),
    both("2-D of two columns", lambda: np.zeros((6, 2)), "shape (6, 2)"),
    both("3-D", lambda: np.zeros((6, 1, 1)), "shape (6, 1, 1)"),
    both("0-D", lambda: np.array(1), "shape ()"),
    both("a row", lambda: np.array([[0, 1, 0, 1, 0, 1]]), "shape (1, 6)"),
    both("lists", lambda: [[0], [1]] * 3, "row 0 holds [0]"),
    both("ragged lists", lambda: [[0], [1, 2]] * 3, "row 0 holds [0]"),
    both("tuples", lambda: [(0,), (1,)] * 3, "row 0 holds (0,)"),
    both("a frame of two columns", lambda: pd.DataFrame({"y": [0, 1] * 3, "z": [0, 1] * 3}), "shape (6, 2)"),
    both("structured", lambda: np.zeros(6, [("a", "i4")]), "row 0 holds"),
    both("a column vector", lambda: np.array([[0], [1]] * 3)),
    both("a frame of one column", lambda: pd.DataFrame({"y": [0, 1] * 3})),
    both("a polars frame of one column", lambda: pl.DataFrame({"y": [0, 1] * 3})),
    both("a range", lambda: range(6)),
    both("a deque", lambda: collections.deque([0, 1] * 3)),
    both("an array-like", lambda: ArrayLike(np.array([0, 1] * 3))),
    both("int8", lambda: np.array([0, 1] * 3, "i1")),
    both("uint64", lambda: np.array([2**64 - 1, 0] * 3, "u8")),
    both("float16 of whole numbers", lambda: np.array([0, 1] * 3, "f2")),
    both("whole floats", lambda: [0.0, 1.0] * 3),
    both("integers and floats", lambda: [1, 1.0, 2, 2.0, 1, 2]),
    both("negative", lambda: [-1, -2] * 3),
    both("minus zero", lambda: [0.0, -0.0, 1] * 2),
    both("IntEnum", lambda: [Level.LOW, 1, 2, 1, 2, 1]),
    both("one number", lambda: [3] * 6),
    both("integers beyond 2^53", lambda: [2**53, 2**53 + 1] * 3),
    both("integers of 400 digits", lambda: [10**400, 1] * 3, "row 0"),
    Input("fractions", lambda: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "use CARTRegressor", WORKS),
    Input("float32 fractions", lambda: np.array([0.5, 1] * 3, "f4"), "use CARTRegressor", WORKS),
    both("infinity", lambda: [1, 2, 3, 4, 5, inf], "row 5, is inf"),
    both("minus infinity", lambda: [-inf, 2, 3, 4, 5, 6], "row 0, is -inf"),
    Input("the largest numbers", lambda: [1e308, -1e308] * 3, WORKS, "beyond 1e+150"),
    Input("the smallest numbers", lambda: [5e-324, 0] * 3, "use CARTRegressor", WORKS),
    both("some NaN", lambda: [1, 2, nan, 1, 2, 1]),
    both("some None", lambda: [0, 1, None, 1, 0, 1]),
    both("some NA", lambda: pd.array([0, 1, None, 1, 0, 1], "Int64")),
    both("arrow integers with nulls", lambda: pa.chunked_array([[1, None] * 3])),
    both("all NaN", lambda: [nan] * 6, "is missing in all 6 rows"),
    both("all None", lambda: [None] * 6, "is missing in all 6 rows"),
    both("all NaT", lambda: [pd.NaT] * 6, "is missing in all 6 rows"),
    both("polars Null", lambda: pl.Series("y", [None] * 6), "the target 'y' is missing in all 6 rows"),
    text("text", lambda: list("ababab")),
    text("text with NA", lambda: [pd.NA, "a", "b", "a", "b", "a"]),
    text("text with NaN", lambda: ["a", "b", nan, "a", "b", "a"]),
    text("numbers as text", lambda: ["1", "2"] * 3),
    text("fractions as text", lambda: ["1.5", "2"] * 3),
    text("empty text", lambda: ["", "a"] * 3),
    text("blank text", lambda: [" ", "a"] * 3),
    text("control characters", lambda: ["a\nb", "\x1b[31m"] * 3),
    Input("surrogates", lambda: ["\ud800", "a"] * 3, "row 0", TEXT),
    text("10,000 characters", lambda: ["x" * 10_000, "y"] * 3),
    text("fixed-width text", lambda: np.array(list("ababab"))),
    text("NumPy's text", lambda: np.array(list("ababab"), np.dtypes.StringDType())),
    text("NumPy's text with None", lambda: np.array(["a", None] * 3, np.dtypes.StringDType(na_object=None))),
    text("category", lambda: pd.Series(pd.Categorical(list("ababab"), categories=["b", "a", "z"]))),
    text("category with missing", lambda: pd.Series(pd.Categorical(["a", None] * 3))),
    text("categorical array", lambda: pd.Categorical(list("ababab"))),
    text("nullable text", lambda: pd.array(["a", None, "b"] * 2, "string")),
    text("arrow text", lambda: pa.chunked_array([["a", "b"] * 3])),
    text("arrow dictionary", lambda: pa.array(["a", "b"] * 3).dictionary_encode()),
    text("polars text", lambda: pl.Series("y", list("ababab"))),
    text("polars Enum", lambda: pl.Series("y", list("ababab"), dtype=pl.Enum(["b", "a"]))),
    text("polars Categorical", lambda: pl.Series("y", list("ababab"), dtype=pl.Categorical)),
    text("one class", lambda: ["a"] * 6),
    text("one known", lambda: ["a", None, None, None, None, None]),
    text("a class a row", lambda: list("abcdef")),
    both("categories of integers", lambda: pd.Series(pd.Categorical([3, 1] * 3))),
    Input("bools", lambda: [True, False] * 3, WORKS, "holds bools"),
    Input("NumPy bools", lambda: np.array([True, False] * 3), WORKS, "holds bools"),
    Input("nullable bools", lambda: pd.array([True, None, False] * 2, "boolean"), WORKS, "holds bools"),
    Input("bools and numbers", lambda: [True, 2] * 3, WORKS, "holds bools"),
    Input("text and numbers", lambda: ["a", 1] * 3, "mixes text and numbers", TEXT),
    Input("bytes a row", lambda: [b"a", b"b"] * 3, LABEL, NUMBER),
    Input("fixed-width bytes", lambda: np.array(list("ababab"), "S1"), LABEL, NUMBER),
    Input("complex", lambda: [1j, 2] * 3, LABEL, NUMBER),
    both("complex array", lambda: np.array([1j, 2] * 3), "Complex data not supported"),
    Input("dates", lambda: [day] * 6, LABEL, NUMBER),
    Input("datetime64", lambda: np.array(["2024-01-01", "2024-01-02"] * 3, "M8[D]"), LABEL, NUMBER),
    Input("nanoseconds", lambda: np.array(["2024-01-01", "2024-01-02"] * 3, "M8[ns]"), "is no class label", "is not a number"),
    Input("timedelta64", lambda: np.array([1, 2] * 3, "m8[s]"), LABEL, NUMBER),
    Input("timestamps", lambda: pd.Series(pd.to_datetime(["2024-01-01"] * 6)), LABEL, NUMBER),
    Input("Decimal", lambda: [Decimal("1"), Decimal("2")] * 3, LABEL, WORKS),
    Input("Decimal NaN", lambda: [Decimal("NaN"), Decimal("2"), Decimal("3")] * 2, LABEL, WORKS),
    Input("sets", lambda: [{1}, {2}] * 3, LABEL, NUMBER),
    Input("dicts", lambda: [{}, {}] * 3, LABEL, NUMBER),
    Input("objects", lambda: [object()] * 6, LABEL, NUMBER),
    Input("enums", lambda: [Colour.RED] * 6, LABEL, NUMBER),
    Input("polars Struct", lambda: pl.Series("y", [{"a": 1}] * 6), LABEL, NUMBER),
    both("polars List", lambda: pl.Series("y", [[1]] * 6), "row 0 holds [1]"),
    both("a series of another index", lambda: pd.Series([0, 1] * 3, index=[9, 8, 7, 6, 5, 4])),
    both("a series named 0", lambda: pd.Series([0, 1] * 3, name=0)),
    both("a series named by a tuple", lambda: pd.Series([0, 1] * 3, name=("a", "b"))),
    both("a series with a line break in its name", lambda: pd.Series([0, 1] * 3, name="<b>\n{}%s")),
]  # fmt: skip

AGAINST_ROWS = "must have one number a row"

#: Weights for six rows.
WEIGHTS: list[Input] = [
    both("negative", lambda: [-1] + [1] * 5, "row 0 has -1.0"),
    both("NaN", lambda: [1, nan] + [1] * 4, "row 1 has nan"),
    both("None", lambda: [1, None] + [1] * 4, "row 1 has nan"),
    both("NA", lambda: pd.array([1, None, 1, 1, 1, 1], "Int64"), "row 1 has nan"),
    both("infinity", lambda: [inf] + [1] * 5, "row 0 has inf"),
    both("all zero", lambda: [0] * 6, "no row is left to learn from"),
    both("too short", lambda: [1] * 5, AGAINST_ROWS),
    both("too long", lambda: [1] * 7, AGAINST_ROWS),
    both("empty", list, AGAINST_ROWS),
    both("2-D", lambda: np.ones((6, 1)), AGAINST_ROWS),
    both("a number", lambda: 2.0, AGAINST_ROWS),
    both("text a row", lambda: list("abcdef"), "weight"),
    both("a word", lambda: "balanced", "weight"),
    both("a dict", lambda: {"a": 1}, "weight"),
    both("complex", lambda: [1j] * 6, "weight"),
    both("a generator", lambda: (1 for _ in range(6)), "weight"),
    both("objects", lambda: [object()] * 6, "weight"),
    both("ragged", lambda: [[1], [1, 2]] * 3, "weight"),
    both("400 digits", lambda: [10**400] + [1] * 5, "weight"),
    both("dates", lambda: np.array(["2024-01-01"] * 6, "M8[D]"), "weight"),
    both("the largest numbers", lambda: [1e308] * 6, "weight"),
    both("the smallest numbers", lambda: [5e-324] * 6, "1e-50"),
    both("of very different size", lambda: [1e-300, 1e300] * 3, "1e-50"),
    both("all zero but one", lambda: [1, 0, 0, 0, 0, 0]),
    both("zero for a class", lambda: [1, 0, 1, 0, 1, 0]),
    both("bools", lambda: [True] * 6),
    both("Decimal", lambda: [Decimal(1)] * 6),
    both("float16", lambda: np.ones(6, "f2")),
    both("a series of another index", lambda: pd.Series([1.0] * 6, index=[6, 5, 4, 3, 2, 1])),
    both("polars", lambda: pl.Series([1.0] * 6)),
    both("arrow", lambda: pa.array([1.0] * 6)),
]  # fmt: skip

#: Values that no option takes, beside those of the wrong range: as (name, value, what is known to go wrong).
SENSELESS = [
    ("a word", "x", ""),
    ("empty text", "", ""),
    ("NaN", nan, ""),
    ("a list", [], ""),
    ("a dict", {}, ""),
    ("bytes", b"gini", ""),
    ("a type", object, ""),
    ("complex", 1j, ""),
    ("an array", np.array([1, 2]), "NumPy's ValueError or TypeError about arrays"),
    ("NA", pd.NA, "pandas' TypeError: boolean value of NA is ambiguous"),
]
WORDS = ("criterion", "nominal", "numeric", "threshold", "missing", "unseen", "zero_gain")
NUMBERS = ("min_gain", "min_cases", "min_impurity", "min_impurity_decrease", "min_weight_fraction_leaf")
WHOLE = ("max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes", "keep_candidates")


def setting(option: str, name: str, value: Any, works: bool = False, wrong: str = "") -> Input:
    return both(f"{option}: {name}", lambda: None, None if works else option, wrong, **{option: value})


def settings() -> list[Input]:
    entries = []
    for name, value, wrong in SENSELESS:
        for option in (*WORDS, *NUMBERS, *WHOLE, "guard"):
            fine = (option == "guard" or (option not in WORDS and name == "NA")) and bool(wrong)
            entries.append(setting(option, name, value if fine else wrong))
    entries = [e for e in entries if e.name != "criterion: a type"]
    for option in WORDS:
        entries += [setting(option, "None", None), setting(option, "a number", 1), setting(option, "True", True)]
    for option in NUMBERS:
        entries += [
            setting(option, "None", None),
            setting(option, "True", True),
            setting(option, "digits", "1"),
            setting(option, "negative", -0.1),
            setting(option, "minus infinity", -inf),
            setting(option, "400 digits", 10**400),
            setting(option, "zero", 0, works=True),
            setting(option, "float64", np.float64(0.25), works=True),
            setting(
                option,
                "float32",
                np.float32(0.25),
                works=True,
            ),
            setting(option, "int64", np.int64(0), works=True),
        ]
        if option != "min_weight_fraction_leaf":
            entries.append(setting(option, "infinity", inf))
            entries.append(setting(option, "Decimal", Decimal(0), works=True))
    for option in WHOLE:
        entries += [
            setting(option, "True", True),
            setting(option, "a fraction", 1.5),
            setting(option, "a whole float", 3.0),
            setting(option, "negative", -1),
            setting(option, "infinity", inf),
            setting(option, "digits", "3"),
            setting(option, "400 digits", 10**400, works=True),
            setting(option, "int64", np.int64(3), works=True),
            setting(option, "uint8", np.uint8(3), works=True),
        ]
        optional = option in ("max_depth", "max_leaf_nodes")
        entries.append(setting(option, "None", None, works=optional))
    return entries


def kinds(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"kinds: {name}", lambda: None, says, wrong, kinds=value)


def weights(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"class_weight: {name}", lambda: None, says, wrong, class_weight=value)


def criterion(name: str, value: Any, says: str | None, wrong: str = "") -> Input:
    return both(f"own criterion: {name}", lambda: None, says, wrong, criterion=value)


def spoil(tables: Any) -> Any:
    """A criterion that writes into what it is given."""
    tables *= 0
    return np.zeros(len(tables))


NOT_A_KIND, NOT_THERE, NO_MAPPING = (
    "is not a kind; allowed are",
    "which is not in the table",
    "AttributeError: no attribute 'items'",
)
SCORES = "must return one score a candidate"

#: Options for a table of six rows with the columns `n` (numbers), `t` (text), `k` (category x, y) and `b` (bools), and
#: the classes p, q, r.
OPTIONS: list[Input] = [
    *settings(),
    kinds("empty", {}, WORKS),
    kinds("nothing new", {"n": "numeric", "t": "nominal"}, WORKS),
    kinds("numbers as categories", {"n": "nominal"}, WORKS),
    kinds("numbers as ranks", {"n": "ordinal"}, WORKS),
    kinds("numbers as weights", {"n": "weight"}, WORKS),
    kinds("bools as numbers", {"b": "numeric"}, WORKS),
    kinds("by position", {0: "id"}, WORKS),
    kinds("text as numbers", {"t": "numeric"}, "column 't' is numeric"),
    kinds("text as ranks", {"t": "ordinal"}, "holds text whose order is not known"),
    kinds("text as weights", {"t": "weight"}, "column 't' is weight"),
    kinds("category as numbers", {"k": "numeric"}, "column 'k' is numeric"),
    kinds("nothing left", {"t": "id", "n": "id", "k": "id", "b": "id"}, "no column is left to ask for"),
    kinds("unknown column", {"nn": "id"}, "Did you mean 'n'?"),
    kinds("negative position", {-1: "id"}, NOT_THERE),
    kinds("position too large", {9: "id"}, NOT_THERE),
    kinds("True for a position", {True: "id"}, NOT_THERE),
    kinds("a float for a position", {1.0: "id"}, NOT_THERE),
    kinds("None for a name", {None: "id"}, NOT_THERE),
    kinds("a tuple for a name", {("n",): "id"}, NOT_THERE),
    kinds("capital", {"n": "Numeric"}, "Did you mean 'numeric'?"),
    kinds("None for a kind", {"n": None}, NOT_A_KIND),
    kinds("a number for a kind", {"n": 3}, NOT_A_KIND),
    kinds("a list for a kind", {"n": ["id"]}, NOT_A_KIND),
    kinds("target for a kind", {"n": "target"}, NOT_A_KIND),
    kinds("one column twice", {"n": "id", 0: "nominal"}, "'n'"),
    kinds("a word", "nominal", "kinds"),
    kinds("pairs", [("n", "id")], "kinds"),
    kinds("a number", 3, "kinds"),
    kinds("True", True, "kinds"),
    kinds("an array", np.array(["id"]), "kinds"),
    weights("balanced", "balanced", WORKS),
    weights("of one class", {"p": 2}, WORKS),
    weights("empty", {}, WORKS),
    weights("float32", {"p": np.float32(2)}, WORKS),
    weights("Decimal", {"p": Decimal(2)}, WORKS),
    weights("capital", "Balanced", "must be None, 'balanced', or a mapping"),
    weights("zero", {"p": 0}, "leave out the rows of that class instead"),
    weights("unknown class", {"zz": 1}, "class_weight names 'zz'"),
    weights("a number for a class", {1: 2}, "class_weight names 1"),
    weights("None for a class", {None: 1}, "class_weight names None"),
    weights("negative", {"p": -1}, "class_weight['p']=-1"),
    weights("NaN", {"p": nan}, "class_weight['p']=nan"),
    weights("infinity", {"p": inf}, "class_weight['p']=inf"),
    weights("the largest numbers", dict.fromkeys("pqr", 1e308), "class_weight"),
    weights("the smallest numbers", dict.fromkeys("pqr", 1e-320), "class_weight"),
    weights("digits", {"p": "2"}, "class_weight['p']='2'"),
    weights("None", {"p": None}, "class_weight['p']=None"),
    weights("True", {"p": True}, "class_weight['p']=True"),
    weights("400 digits", {"p": 10**400}, "class_weight"),
    weights("complex", {"p": 1j}, "class_weight['p']=1j"),
    weights("pairs", [("p", 1)], "must be None, 'balanced', or a mapping"),
    weights("a number", 1.0, "must be None, 'balanced', or a mapping"),
    weights("an array", np.array([1, 2, 3]), "class_weight"),
    criterion("zeros", lambda tables: np.zeros(len(tables)), WORKS),
    criterion("ones as integers", lambda tables: np.ones(len(tables), int), WORKS),
    criterion("negative", lambda tables: -np.ones(len(tables)), WORKS),
    criterion("a list", lambda tables: [0.0] * len(tables), WORKS),
    criterion("one that spoils its tables", spoil, WORKS),
    criterion("NaN", lambda tables: np.full(len(tables), nan), SCORES),
    criterion("infinity", lambda tables: np.full(len(tables), inf), SCORES),
    criterion("None", lambda tables: None, SCORES),
    criterion("one number", lambda tables: 1.0, SCORES),
    criterion("too few", lambda tables: np.zeros(len(tables) - 1), SCORES),
    criterion("2-D", lambda tables: np.zeros((len(tables), 1)), SCORES),
    criterion("text", lambda tables: "x", SCORES),
    criterion("objects", lambda tables: [object()] * len(tables), SCORES),
    criterion("complex", lambda tables: np.ones(len(tables), complex), SCORES),
]  # fmt: skip


@dataclass(frozen=True)
class New:
    """A table given to predict after fitting another one of six rows, and how it must end."""

    name: str
    train: Callable[[], Any]
    make: Callable[[], Any]
    says: str | None = None
    unseen: int = 0
    wrong: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def wide() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "n": [1.0, 2, 3, 4, 5, 6],
            "t": ["a", "b", "a", "b", "c", "c"],
            "k": pd.Categorical(["x", "y", "x", "y", "x", "y"]),
            "b": [True, False] * 3,
        }
    )


def changed(name: str, says: str | None = None, unseen: int = 0, wrong: str = "", **columns: Any) -> New:
    """The table with other cells in one column, which alone was trained on."""
    column = next(iter(columns))
    return New(name, lambda: wide()[[column]], lambda: wide().assign(**columns), says, unseen, wrong)


def label(name: str, cells: Any, new: Any, unseen: int = 0, wrong: str = "") -> New:
    """A nominal column trained on labels of one type and asked with those of another."""
    return New(f"labels: {name}", one(cells), one(new), None, unseen, wrong, {"kinds": {"a": "nominal"}})


NEW_TABLES: list[New] = [
    New("the same", wide, wide),
    New("reordered columns", wide, lambda: wide()[["b", "k", "t", "n"]]),
    New("more columns", wide, lambda: wide().assign(z=1)),
    New("more columns, infinite", wide, lambda: wide().assign(z=inf)),
    New("more columns, of dates", wide, lambda: wide().assign(z=pd.Timestamp("2024"))),
    New("more columns, of lists", wide, lambda: wide().assign(z=[[1]] * 6)),
    New("one column less", wide, lambda: wide()[["n", "t", "k"]], "X lacks the column 'b'"),
    New("other columns", wide, lambda: pd.DataFrame({"q": [1]}), "X lacks the columns 'n', 't', 'k', 'b'"),
    New("other case", wide, lambda: wide().rename(columns=str.upper), "Did you mean 'N'?"),
    New("no rows", wide, lambda: wide().iloc[:0]),
    New("no columns", wide, lambda: wide()[[]], "0 feature(s)"),
    New("no rows of an array", lambda: np.eye(6), lambda: np.zeros((0, 6)), "0 sample(s)"),
    New("polars", wide, lambda: pl.from_pandas(wide())),
    New("arrow", wide, lambda: pa.Table.from_pandas(wide())),
    New("dicts", wide, lambda: wide().to_dict("records")),
    New("a dict of columns", wide, lambda: wide().to_dict("list")),
    New("dicts that lack cells", wide, lambda: [*wide().to_dict("records"), {}]),
    New("dicts that lack columns", wide, lambda: [{"n": 1}], "X lacks the columns 't', 'k', 'b'"),
    New("an array", wide, lambda: wide().to_numpy()),
    New("an array of other width", wide, lambda: wide().to_numpy()[:, :3], "X has 3 features"),
    New("a frame for an array", lambda: np.eye(6), lambda: pd.DataFrame(np.eye(6))),
    New("a row as a series", wide, lambda: wide().iloc[0], FLAT),
    New("a row as a list", wide, lambda: [1, "a", "x", True], FLAT),
    New("a row as a dict", wide, lambda: wide().to_dict("records")[0], "column 'n'"),
    New("None", wide, lambda: None, "None"),
    New("sparse", wide, lambda: sp.csr_matrix(np.eye(4)), "Sparse matrices are not supported"),
    New("lazy", wide, lambda: pl.from_pandas(wide()).lazy(), "pass X.collect()"),
    New("duplicate names", wide, lambda: pd.concat([wide(), wide()], axis=1), "'n' (columns 0, 4)"),
    changed("numbers: a word", "column 'n' is numeric (numbers), but row 0 holds 'hello'", n="hello"),
    changed("numbers: one word", "row 1 holds 'x' (1 such cells)", n=[1, "x", 2, 3, 4, 5]),
    changed("numbers: digits", n=["1", "2", "3", "4", "5", " 6 "]),
    changed("numbers: bools", n=True),
    changed("numbers: category", n=pd.Categorical([1.0, 2, 3, 4, 5, 6])),
    changed("numbers: None", n=None),
    changed("numbers: int8", n=np.arange(6, dtype="int8")),
    changed("numbers: Decimal", n=[Decimal(1)] * 6),
    changed("numbers: infinity", "column 'n', row 0: infinity", n=inf),
    changed("numbers: dates", "column 'n' holds dates", n=pd.Timestamp("2024")),
    changed("numbers: objects", "column 'n', row 0", n=[object()] * 6),
    changed("numbers: sNaN", "row 0", n=[Decimal("sNaN")] * 6),
    changed("text: never seen", unseen=6, t="zzz"),
    changed("text: another case", unseen=6, t="A"),
    changed("text: blanks around", unseen=6, t=" a "),
    changed("text: empty", unseen=6, t=""),
    changed("text: NUL", unseen=6, t="a\0"),
    changed("text: numbers", unseen=6, t=1),
    changed("text: bools", unseen=6, t=True),
    changed("text: None", t=None),
    changed("text: category of another order", t=pd.Categorical(list("abccba"), categories=["c", "b", "a"])),
    changed("text: category with new levels", unseen=3, t=pd.Categorical(["new", "a"] * 3)),
    changed("text: bytes", "column 't', row 0", t=b"a"),
    changed("text: dates", "column 't' holds dates", t=day),
    changed("text: lists", "column 't', row 0", t=[["a"]] * 6),
    changed("text: surrogates", "row 0", t=pd.Series(["\ud800"] * 6, dtype=object)),
    changed("category: text", k=list("xyxyxy")),
    changed("category: codes", unseen=6, k=[0, 1] * 3),
    changed("category: no level", k=pd.Categorical([None] * 6)),
    changed("category: ranked", k=pd.Categorical(["x", "y"] * 3, categories=["y", "x"], ordered=True)),
    changed("bools: words", b=["true", "FALSE"] * 3),
    changed("bools: 0 and 1", b=[1, 0] * 3),
    changed("bools: 2", unseen=6, b=2),
    changed("bools: yes", unseen=6, b="yes"),
    changed("bools: nullable", b=pd.array([True, None] * 3, "boolean")),
    label("int as float", [1, 2, 1, 2, 3, 3], [1.0, 2.0, 3.0]),
    label("int as text", [1, 2, 1, 2, 3, 3], ["1", "2", "3"]),
    label("text as int", list("121233"), [1, 2, 3]),
    label("text as float", list("121233"), [1.0, 2.0, 3.0]),
    label("text '1.0' as int", ["1.0", "2.0", "1.0", "2.0", "3.0", "3.0"], [1, 2, 3], unseen=3),
    label("bool as text", [True, False] * 3, ["True", "false", "x"], unseen=1),
    label("int as bool", [0, 1] * 3, [True, False]),
    label("fractions as text", [0.5, 1.5, 0.5, 1.5, 2.5, 2.5], ["0.5", "1.50", "x"], unseen=1),
    label("int as nullable", [1, 2, 1, 2, 3, 3], pd.array([1, None, 3], "Int64")),
    label("int as category", [1, 2, 1, 2, 3, 3], pd.Categorical([1, 3, 9]), unseen=1),
    label("int as infinity", [1, 2, 1, 2, 3, 3], [inf, 1, 2], unseen=1),
    label("int as 30 digits", [1, 2, 1, 2, 3, 3], [10**30, 1, 2], unseen=1),
    label("int as fractions", [1, 2, 1, 2, 3, 3], [1.5, 1, 2], unseen=1),
]  # fmt: skip
