"""The command in normal use, on the tables that come along: what is printed, what is written, and that it is true."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import deciduous
from deciduous.cli import main

COMMANDS = ["fit", "predict", "show", "draw", "explain", "rules", "measure", "worksheet", "prune", "evaluate"]
COMMANDS += ["compare", "datasets", "importance"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line that must work; what it prints, and its notes."""

    def run_line(line: str) -> tuple[str, str]:
        code = main(shlex.split(line))
        out, err = capsys.readouterr()
        assert code == 0, err
        return out, err

    return run_line


def process(line: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """A real process, with variables of its environment in capitals."""
    variables = {key: options.pop(key) for key in list(options) if key.isupper()}
    command = [sys.executable, "-m", "deciduous", *shlex.split(line)]
    return subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, **variables}, **options)


LOAN = """\
ID3Classifier predicts classes (id3 predicts classes).

column         kind     categories              missing  why
-------------  -------  ----------------------  -------  -----------------------
ID             id                                     0  all values distinct,
                                                         and its name says row
                                                         number
Age            nominal  Middle-aged, Senior,          0  text
                        Young
Employed       nominal  No, Yes                       0  text
Owns House     nominal  No, Yes                       0  text
Credit Status  nominal  Excellent, Fair, Good         0  text

id3 tree for Class: 15 rows, 3 leaves, depth 2
all rows: 15 rows: No 6 (40 %), Yes 9 (60 %)
├─ Owns House = No: 9 rows: No 6 (66.7 %), Yes 3 (33.3 %)
│  ├─ Employed = No -> No: 6 rows: No 6 (100 %)
│  └─ Employed = Yes -> Yes: 3 rows: Yes 3 (100 %)
└─ Owns House = Yes -> Yes: 6 rows: Yes 6 (100 %)

Size: not pruned (ID3 does not prune; --pruning does).
On its own rows: 15 of 15 right (100.0 %); mean number of questions a row: 1.60.
On other rows, by 10-fold cross-validation: 80.0 % right (54.8 to 93.0 % with
  95 % confidence).

The same in Python:
  import deciduous
  frame = deciduous.read_table('loan.csv')
  model = deciduous.ID3Classifier().fit(frame, 'Class')

Saved to loan.json.
"""


def test_fit_prints_columns_tree_fit_and_the_same_in_python(run: Any) -> None:
    run("datasets loan --out loan.csv")
    out, err = run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    assert out == LOAN
    assert err.startswith("deciduous: note: column 'ID' has a different value in every row")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("loan", "--target Class --algorithm id3"),
        ("loan", "--target Class --algorithm id3 --kind ID=id --criterion gini --max-depth 1"),
        ("loan", "--target Class --algorithm cart --kind ID=numeric --class-weight Yes=2,No=0.5"),
        ("loan", "--target Class --algorithm c45 --kind ID=id --no-guard --min-cases 1"),
        ("golf", "--target class --algorithm c45"),
        ("golf", '--target class --algorithm cart --class-weight "Don\'t Play=2.5,Play=1" --nominal one_vs_rest'),
        ("golf", "--target humidity --algorithm cart --min-samples-leaf 2 --missing majority"),
        ("watermelon2a", "--target 好瓜 --algorithm id3 --kind 编号=id --missing fractional"),
        ("watermelon3", "--target 好瓜 --algorithm c45 --threshold midpoint"),
        ("penguins", "--target species --algorithm cart --max-leaf-nodes 5 --min-impurity 0.01 --unseen missing"),
        ("penguins", "--target body_mass_g --algorithm cart --max-depth 3 --min-impurity-decrease 100"),
        (
            "penguins",
            "--target body_mass_g --algorithm cart --max-depth 3 --criterion absolute_error --max-features 0.6",
        ),
        (
            "penguins",
            "--target body_mass_g --algorithm cart --max-depth 4 --criterion poisson --splitter random "
            "--random-state 4 --max-features sqrt --monotonic-cst flipper_length_mm=1 --monotonic-cst bill_depth_mm=-1",
        ),
        ("penguins", "--target island --algorithm c45 --min-gain 0.05 --min-weight-fraction-leaf 0.02"),
        ("penguins", "--target species --algorithm cart"),
        ("penguins", "--target body_mass_g --algorithm cart --missing majority"),
        (
            "penguins",
            "--target species --algorithm cart --missing surrogates --priors Adelie=0.2,Chinstrap=0.3,Gentoo=0.5 --cp "
            "0.01 --costs bill_length_mm=2 --loss '0,1,1;2,0,1;1,1,0' --cv 5",
        ),
        (
            "penguins",
            "--target body_mass_g --algorithm cart --missing surrogates --criterion poisson --cv-loss sqrt --shrink 2 "
            "--exposure flipper_length_mm --max-depth 3 --max-surrogates 2 --use-surrogates 1",
        ),
        ("penguins", "--target sex --algorithm id3 --na NA --separator , --decimal . --zero-gain split --max-depth 4"),
    ],
)
def test_the_printed_python_call_grows_the_tree_that_was_saved(name: str, options: str, run: Any, here: Path) -> None:
    run(f"datasets {name} --out '{name} table.csv'")
    out, _ = run(f"fit '{name} table.csv' {options} --save model.json")
    call = re.search(r"The same in Python:\n((?:  .*\n)+)", out)
    assert call is not None
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", deciduous.DataWarning)
        exec(textwrap.dedent(call[1]), names)
    assert names["model"].tree_.to_json() == (here / "model.json").read_text("utf-8").removesuffix("\n") + "\n"
    assert deciduous.load("model.json").get_params() == names["model"].get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--monotonic-cst ID", r"--monotonic-cst 'ID' must read NAME=1, NAME=-1 or NAME=0, for example age=1"),
        ("--monotonic-cst ID=2", r"--monotonic-cst 'ID=2' must read NAME=1"),
        ("--monotonic-cst ID=1 --monotonic-cst ID=-1", r"gives the column 'ID' two constraints, 1 and -1"),
        ("--monotonic-cst Age=1", r"--monotonic-cst constrains 'Age', whose categories have no order"),
        ("--max-features 0", r"--max-features 0 must be a whole number of at least 1"),
        ("--max-features some", r"--max-features some must be"),
        ("--splitter worst", r"--splitter worst is not one of 'best', 'random'"),
    ],
)
def test_random_choices_and_constraints_that_are_refused(
    options: str, message: str, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("datasets loan --out loan.csv")
    assert main(shlex.split(f"fit loan.csv --target Class --algorithm cart {options}")) != 0
    assert re.search(message, " ".join(capsys.readouterr().err.split()))


def test_fit_says_which_task_it_takes_the_target_for(run: Any) -> None:
    run("datasets penguins --out penguins.csv")
    Path("coded.csv").write_text("a,y\n1,0\n2,1\n3,0\n")
    for line, says in [
        ("penguins.csv --target species", "CARTClassifier predicts classes (the target is text)."),
        ("penguins.csv --target body_mass_g --max-depth 1", "CARTRegressor predicts numbers (the target is numeric;"),
        (
            "coded.csv --target y",
            "CARTClassifier predicts classes (the target has 2 different whole numbers; --task number",
        ),
        ("coded.csv --target y --task number", "CARTRegressor predicts numbers (as asked)."),
    ]:
        assert " ".join(run(f"fit {line} --algorithm cart")[0].split()).startswith(says)


def test_fit_cuts_a_deep_tree_and_says_so(run: Any) -> None:
    Path("t.csv").write_text("a,y\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(40)))
    out, _ = run("fit t.csv --target y --algorithm cart --save deep.json")
    assert "more nodes hidden" in out
    whole, _ = run("show deep.json")
    assert "hidden" not in whole
    assert whole.count("rows") > out.count("rows")


def test_predict_to_the_terminal(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    out, err = run("predict loan.json loan.csv")
    lines = out.splitlines()
    assert lines[:2] == ["ID,Age,Employed,Owns House,Credit Status,Class,prediction", "1,Young,No,No,Fair,No,No"]
    assert len(lines) == 16
    assert all(line.split(",")[-1] == line.split(",")[-2] for line in lines[1:])
    assert err == (
        "deciduous: note: Compared with the target in the file: 15 of 15 right (100.0 %); "
        "mean number of questions a row: 1.60.\n"
    )


def test_predict_with_shares_to_files(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --max-depth 1 --save loan.json")
    for name, separator in (("answers.csv", ","), ("answers.tsv", "\t"), ("ANSWERS.TAB", "\t")):
        out, _ = run(f"predict loan.json loan.csv --proba --column answer --out {name}")
        assert out == f"Wrote 15 rows to {name}.\n"
        answers = pl.read_csv(name, separator=separator)
        assert answers.columns[-3:] == ["answer", "share of No", "share of Yes"]
        assert answers["share of No"].round(6).unique().sort().to_list() == [0.0, 0.666667]
        assert (answers["share of No"] + answers["share of Yes"]).round(12).eq(1).all()


def test_predict_without_the_target_compares_nothing(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    Path("new.csv").write_text("Employed;Owns House;Age;Credit Status\nYes;No;Young;Fair\n")
    out, err = run("predict loan.json new.csv")
    assert out == "Employed,Owns House,Age,Credit Status,prediction\nYes,No,Young,Fair,Yes\n"
    assert err == ""


def test_predict_numbers(run: Any) -> None:
    run("datasets penguins --out penguins.csv")
    run("fit penguins.csv --target body_mass_g --algorithm cart --max-depth 2 --save p.json")
    out, err = run("predict p.json penguins.csv")
    assert out.splitlines()[1] == "Torgersen,39.1,18.7,181,3750,male,Adelie,4010.2803738317757"
    assert "mean absolute error 250.6 (342 rows)" in err


def test_predict_says_what_it_never_saw(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    Path("new.csv").write_text("Employed,Owns House,Age,Credit Status\nYes,Rents,Young,Fair\n")
    out, err = run("predict loan.json new.csv")
    assert out.endswith(",Yes\n")
    assert "column 'Owns House': 1 cell (row 0: 'Rents')" in err


def test_show(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    out, _ = run("show loan.json")
    tree = LOAN[LOAN.index("id3 tree") : LOAN.index("\n\nSize: ")]
    assert out.startswith(tree + "\n\nOptions: criterion=gain, nominal=multiway, missing=majority")
    cut, _ = run("show loan.json --max-depth 1")
    assert "├─ Owns House = No -> No: 9 rows" in cut
    assert "... 2 more nodes hidden (2 leaves, 1 level)" in cut
    with_schema, _ = run("show loan.json --schema")
    assert with_schema.startswith("column         kind     categories")


def test_show_with_more_digits(run: Any) -> None:
    run("datasets penguins --out penguins.csv")
    run("fit penguins.csv --target body_mass_g --algorithm cart --max-depth 1 --save p.json")
    assert "mean 4201.8" in run("show p.json")[0]
    assert "mean 4201.754386" in run("show p.json --digits 10")[0]


def test_explain_has_the_figures_of_the_textbook(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    root, _ = run("explain loan.json")
    assert run("explain loan.json --node 0")[0] == root
    assert "  Ent(D) = -(6/15 log2 6/15 + 9/15 log2 9/15) = 0.971\n" in root
    figures = {"Age": "0.083", "Employed": "0.324", "Owns House": "0.420", "Credit Status": "0.363"}
    for column, gain in figures.items():
        assert re.search(rf"^  {column} +{gain} ", root, re.MULTILINE), column
    assert re.search(r"^  Owns House +0\.420 +0\.971 +0\.433 +0\.267 +chosen$", root, re.MULTILINE)
    assert "Owns House is chosen: the largest information gain, 0.420." in root
    assert "0.4200 +0.9710" not in root
    assert "0.41997" in run("explain loan.json --digits 5")[0]
    below, _ = run("explain loan.json --node 1")
    assert "\nNode 1: Owns House = No\n-----------------------\n  9 rows: No 6, Yes 3\n" in below
    every, _ = run("explain loan.json --all")
    assert re.findall(r"^Node (\d+):", every, re.MULTILINE) == ["0", "1", "2", "3", "4"]
    assert root.strip() in every
    path, _ = run("explain loan.json --node 3 --path")
    assert re.findall(r"^Node (\d+):", path, re.MULTILINE) == ["0", "1", "3"]


def test_explain_with_the_table_in_every_form(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    assert "D = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}" in run("explain loan.json --data loan.csv")[0]
    for form, begins in {"md": "# The working", "latex": "\\documentclass", "html": "<!DOCTYPE", "json": "{"}.items():
        assert run(f"explain loan.json --format {form}")[0].startswith(begins)
        assert run(f"explain loan.json --format {form} --lang zh --out out.{form}")[0] == f"已写入 out.{form}。\n"
        assert "信息增益" in Path(f"out.{form}").read_text("utf-8")


def test_help_and_errors_in_chinese(run: Any, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    assert "IF-THEN" not in run("rules --help --lang zh")[0]
    assert "在自己的数据表上生成决策树" in run("--lang zh --help")[0]
    assert "Grow a tree on FILE" in run("fit --help")[0]
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    assert "结点 1：Owns House = No" in run("explain loan.json --node 1")[0]
    assert main(["explain", "loan.json", "--node", "99"]) == 2
    assert capsys.readouterr().err == "deciduous: 错误: 没有结点 99；该树的结点为 0 到 4。\n"


def test_explain_a_row(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    told, _ = run("explain loan.json --row 'Owns House=No' --row Employed=Yes")
    assert "The answer is Yes, because Owns House = No and Employed = Yes." in told
    assert "Employed = Yes: change it to No (Employed = No)" in told
    assert run("explain loan.json --row 3 --data loan.csv")[0].startswith("Class = Yes\n")
    assert run("explain loan.json --row 'Owns House=No' --row Employed=Yes --lang zh")[0] != told
    run("datasets golf --out golf.csv")
    run("fit golf.csv --target class --algorithm c45 --no-estimate --save golf.json")
    missing, _ = run("explain golf.json --row outlook=? --row humidity=90 --row windy=false")
    assert "outlook = missing: 0.286 of it goes to this branch" in missing
    assert run("explain golf.json --row outlook= --row humidity=90 --row windy=false")[0] == missing
    assert run("explain golf.json --row outlook=none --na none --row humidity=90 --row windy=false")[0] == missing
    unseen, _ = run("explain golf.json --row outlook=none --row humidity=NA --row windy=false")
    assert "outlook = none: never seen in training" in unseen


def test_rules_measure_and_worksheet(run: Any) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    assert "3. IF Owns House = Yes THEN Yes\n" in run("rules loan.json")[0]
    assert run("rules loan.json --order coverage --answer Yes --format csv")[0].count("\n") == 3
    assert "若 Owns House = Yes 则 Yes" in run("rules loan.json --lang zh")[0]
    assert (
        "Gain(D, Age) = Ent(D) - H(D|Age) = 0.97095 - 0.88794 = 0.083"
        in run("measure loan.csv --target Class --feature Age")[0]
    )
    run("worksheet loan.json --out sheet.txt --key key.txt")
    assert "0.420" not in Path("sheet.txt").read_text("utf-8")
    assert "0.420" in Path("key.txt").read_text("utf-8")


def test_datasets_are_listed_and_written(run: Any) -> None:
    listed, _ = run("datasets")
    for name in deciduous.datasets.names():
        assert re.search(rf"^{name} +{len(deciduous.datasets.load(name).frame)} ", listed, re.MULTILINE)
        Path("written.csv").write_text(run(f"datasets {name}")[0], "utf-8")
        assert deciduous.read_table("written.csv").equals(deciduous.read_table(deciduous.datasets.path(name)))
    assert run("datasets watermelon2 --english")[0].isascii()
    assert run("datasets golf --out 'my golf.csv'")[0] == "Wrote 14 rows to my golf.csv.\n"
    assert deciduous.read_table("my golf.csv").shape == (14, 5)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_ends_in_an_example_that_works(command: str, run: Any) -> None:
    out, _ = run(f"{command} --help")
    assert "Usage:" in out
    examples = re.findall(r"Example: +deciduous (.+?)(?=\n\s*\n|\Z|Example:)", out, re.DOTALL)
    assert examples
    run("datasets loan --out loan.csv")
    run("datasets loan --out new.csv")
    run("datasets penguins --out penguins.csv")
    run("fit loan.csv --target Class --algorithm id3 --save loan.json")
    Path("prices.csv").write_text("zip,rooms,price\n1000,3,250000\n2000,4,310000\n1000,2,190000\n2000,5,380000\n" * 4)
    for example in examples:
        run(" ".join(example.split()))


def test_help_and_version_of_the_whole(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run("--help")
    assert all(re.search(rf"^  {command} ", out, re.MULTILINE) for command in COMMANDS)
    assert "Example:  deciduous fit loan.csv" in out
    assert run("--version")[0] == f"deciduous {deciduous.__version__}\n"
    main([])
    assert "Usage:" in "".join(capsys.readouterr())


def test_file_and_column_names_with_blanks_and_chinese(run: Any, here: Path) -> None:
    folder = here / "我的 数据"
    folder.mkdir()
    run("datasets watermelon3 --out '我的 数据/西瓜 3.csv'")
    out, _ = run("fit '我的 数据/西瓜 3.csv' --target 好瓜 --algorithm id3 --kind 编号=id --save '我的 数据/模型.json'")
    assert "├─ 纹理 = 模糊 -> 否: 3 rows: 否 3 (100 %)" in out
    assert "deciduous.read_table('我的 数据/西瓜 3.csv')" in out
    run("predict '我的 数据/模型.json' '我的 数据/西瓜 3.csv' --column 预测 --out '我的 数据/答案.csv'")
    answers = pl.read_csv(folder / "答案.csv")
    assert (answers["好瓜"] == answers["预测"]).all()


def test_a_model_that_was_there_is_replaced_and_keeps_its_permissions(run: Any, here: Path) -> None:
    run("datasets loan --out loan.csv")
    (here / "m.json").write_text("old")
    (here / "m.json").chmod(0o640)
    (here / "link.json").symlink_to("m.json")
    run("fit loan.csv --target Class --algorithm id3 --save link.json")
    assert (here / "link.json").is_symlink()
    assert (here / "m.json").stat().st_mode & 0o777 == 0o640
    assert deciduous.load(here / "m.json").get_n_leaves() == 3
    assert sorted(p.name for p in here.iterdir()) == ["link.json", "loan.csv", "m.json"]


def test_a_model_file_is_the_same_every_time(run: Any, here: Path) -> None:
    run("datasets penguins --out penguins.csv")
    documents = []
    for i in range(2):
        run(f"fit penguins.csv --target species --algorithm c45 --save m{i}.json")
        documents.append((here / f"m{i}.json").read_bytes())
    assert documents[0] == documents[1]


@pytest.mark.parametrize("width", ["20", "200"])
def test_the_width_of_the_terminal_does_not_change_what_is_printed(
    width: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setenv("FORCE_COLOR", "1")
    run("datasets loan --out loan.csv")
    assert run("fit loan.csv --target Class --algorithm id3 --save loan.json")[0] == LOAN


# --- real processes ------------------------------------------------------------------------------------------------


def test_a_table_from_a_pipe_and_a_model_into_one(here: Path) -> None:
    golf = deciduous.datasets.path("golf").read_bytes()
    done = process("fit /dev/stdin --target class --algorithm c45 --save /dev/stdout", input=golf)
    assert done.returncode == 0, done.stderr
    assert b'"format": "deciduous tree"' in done.stdout
    assert b"deciduous.read_table('/dev/stdin')" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_chinese_does_not_fail(encoding: str, here: Path) -> None:
    deciduous.datasets.load("watermelon3").frame.drop("编号").write_csv("西瓜.csv")
    done = process("fit 西瓜.csv --target 好瓜 --algorithm id3", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    texture = "纹理"
    assert texture.encode("ascii", "backslashreplace") in done.stdout or texture.encode() in done.stdout


def test_an_error_in_chinese_on_a_terminal_without_it(here: Path) -> None:
    deciduous.datasets.load("watermelon3").frame.write_csv("西瓜.csv")
    failed = process("fit 西瓜.csv --target 坏瓜 --algorithm id3", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert failed.returncode == 2
    assert failed.stderr.startswith(b"deciduous: error: ")
    assert failed.stderr.count(b"\n") == 1


def test_every_help_is_translated() -> None:
    """Of every command and option, in every language that there is."""
    from typer.main import get_command

    from deciduous.language import speaking, translate

    main_module = sys.modules["deciduous.cli.app"]
    main_module._register()
    waiting = [get_command(main_module.app)]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        helps = [" ".join(thing.help.split()) for thing in (command, *command.params) if getattr(thing, "help", None)]
        with speaking("zh"):
            assert [text for text in helps if translate(text) == text] == [], command.name


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_help_in_chinese_fits_a_terminal(run: Any, command: str) -> None:
    from rich.cells import cell_len

    text = run(f"{command} --help --lang zh".strip())[0]
    assert text.startswith("用法：")
    assert "选项：" in text
    assert max(map(cell_len, text.split("\n"))) <= 80


def test_what_is_printed_in_chinese(run: Any) -> None:
    run("datasets loan --out loan.csv")
    out = run("fit loan.csv --target Class --algorithm id3 --save loan.json --lang zh")[0]
    for words in ("预测类别", "大小：未剪枝", "在训练样本上：15 个中正确 15 个", "对应的 Python 代码：", "已保存到"):
        assert words in out
    assert "10 折交叉验证" in out
    assert "以 optimal 剪枝，叶结点由" in run("prune loan.json --to 2 --lang zh")[0]
    assert run("evaluate loan.csv --target Class --algorithm id3 --folds 3 --lang zh")[0].count("精度") >= 2
    assert main(["show", "loan.json", "--max-depth", "-1", "--lang", "zh"]) == 2
    assert main(["explain", "loan.json", "--node", "99", "--lang", "zh"]) == 2


def test_errors_in_chinese(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line, said in [
        ("show none.json", "错误: 无法读取 'none.json'：没有此文件或文件夹。"),
        ("fit none.csv --target a --algorithm id3", "错误: none.csv：没有此文件。"),
        ("fit", "错误: 缺少参数 'FILE'。（参见："),
        ("fit a.csv --target a --algorithm id3 --max-depth x", "--max-depth 'x' 必须是整数。"),
    ]:
        assert main([*shlex.split(line), "--lang", "zh"]) == 2
        assert said in capsys.readouterr().err


def test_what_is_said_within_an_error_or_a_note_is_in_chinese_too(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run("datasets watermelon3 --out melon.csv")
    _, notes = run("evaluate melon.csv --target 好瓜 --algorithm c45 --lang zh")
    assert "评估时：列 '编号' 的取值各不相同" in notes
    run("fit melon.csv --target 好瓜,触感 --algorithm cart --save two.json")
    assert main(["explain", "two.json", "--pruning", "error", "--lang", "zh"]) == 2
    said = capsys.readouterr()
    assert "错误: 剪枝的推导过程 只用于单目标的树" in said.err
    assert said.out == ""


def test_an_input_is_never_overwritten(run: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("datasets loan --out loan.csv")
    run("fit loan.csv --target Class --algorithm id3 --kind ID=id --save loan.json")
    before = [(here / name).read_bytes() for name in ("loan.csv", "loan.json")]
    for line in [
        "explain loan.json --data loan.csv --out loan.csv",
        "explain loan.json --out loan.json",
        "rules loan.json --out loan.json",
        "worksheet loan.json --out loan.json",
        "worksheet loan.json --data loan.csv --key loan.csv",
        "measure loan.csv --target Class --feature Age --out loan.csv",
        "draw loan.json --format svg --out loan.json",
        "prune loan.json --to 2 --out loan.json",
    ]:
        assert main(shlex.split(line)) == 2, line
        assert "is not overwritten" in capsys.readouterr().err
    assert [(here / name).read_bytes() for name in ("loan.csv", "loan.json")] == before


def test_an_option_of_the_language_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang"]) == 2
    assert "--lang" in capsys.readouterr().err


def test_a_table_of_one_row_has_one_row(run: Any, here: Path) -> None:
    (here / "one.csv").write_text("a,y\n1,yes\n")
    told, _ = run("fit one.csv --target y --algorithm cart")
    assert "cart tree for y: 1 row, 1 leaf, depth 0" in told
    assert "On other rows: 1 row is too few to tell." in told


def test_simplified_rules_are_a_model_of_their_own(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run("datasets golf --out golf.csv")
    run("fit golf.csv --target class --algorithm c45 --pruning none --save golf.json")
    told = run("rules golf.json --simplify --data golf.csv --save rules.json")[0]
    assert "3. IF outlook = overcast THEN Play\n     4 rows: Play 4; expected to be right in 70.7 %" in told
    assert told.endswith("Saved to rules.json.\n")
    assert run("rules rules.json")[0] in told
    assert "若 outlook = overcast 则 Play" in run("rules rules.json --lang zh")[0]
    assert run("rules rules.json --format csv")[0].startswith("rule,prediction,n_samples")
    answers, notes = run("predict rules.json golf.csv --proba")
    assert answers.split("\n")[0].endswith(",prediction,share of Don't Play,share of Play")
    assert "14 of 14 right" in notes
    for line, said in [
        ("rules golf.json --simplify", "--simplify needs --data FILE"),
        ("rules golf.json --working", "--working goes with --simplify"),
        ("rules golf.json --simplify --data golf.csv --digits 3", "--digits is for the rules of a tree"),
        ("rules golf.json --save x.json", "--save goes with --simplify"),
        ("rules golf.json --confidence 0.1", "--confidence goes with --simplify"),
        ("rules golf.json --theory-weight 1", "--theory-weight goes with --simplify"),
        ("rules rules.json --simplify --data golf.csv", "simplified already; leave out --simplify"),
        ("rules golf.json --simplify --data golf.csv --save golf.csv", "is not overwritten"),
        ("rules rules.json --order lift", "--order is for the rules of a tree"),
        ("show rules.json", "rules.json holds simplified rules and no tree"),
    ]:
        assert main(shlex.split(line)) == 2
        assert said in capsys.readouterr().err


def test_the_working_of_simplified_rules(run: Any, here: Path) -> None:
    run("datasets golf --out golf.csv")
    run("fit golf.csv --target class --algorithm c45 --pruning none --save golf.json")
    line = "rules golf.json --simplify --data golf.csv --working"
    told = run(line)[0]
    assert "  outlook = sunny  5  1  0.454  goes\n" in told
    assert run("rules golf.json --simplify --data golf.csv")[0].split("\n", 2)[2] in told
    assert "  outlook = sunny  5  1  0.454197  去掉\n" in run(f"{line} --digits 6 --lang zh")[0]
    assert run(f"{line} --format csv")[0].startswith("node,step,condition,n,errors,rate,n_before")
    for form, begin in (
        ("html", "<!DOCTYPE html>"),
        ("latex", r"\documentclass"),
        ("json", "{"),
        ("md", "# The working"),
    ):
        run(f"{line} --format {form} --out working.{form} --save rules.json")
        assert (here / f"working.{form}").read_text("utf-8").startswith(begin)
    assert "4 simplified rules for class" in run("rules rules.json")[0]
