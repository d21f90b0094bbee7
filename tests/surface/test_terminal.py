"""What the command prints on a terminal: within 80 columns, with nothing cut off; in Chinese without English words."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

from deciduous import CARTClassifier, CARTRegressor, datasets
from deciduous.cli import main
from deciduous.cli.app import COMMANDS
from deciduous.prune.pruners import PRUNERS
from deciduous.textgrid import grid, wrapped

#: The call in Python, whose names cannot be broken.
CALL = re.compile(r"(?m)^  import deciduous\n(  .*\n)+")
#: What a bar of progress writes over itself.
BAR = re.compile(r"\x1b.*")
#: Columns, categories and classes with long names, in two languages; {i}: a number.
WORDS = {
    "en": (
        "the length of the customer relationship in months before the contract was signed",
        "occupation, as told by the applicant on the first form",
        ("self-employed in agriculture or forestry", "civil servant of the upper grades", "student / apprentice"),
        "outcome number {i} of the long-term study",
        "the final outcome",
        "the amount paid in the end",
    ),
    "zh": (
        "签约之前客户关系所持续的总月份数目以及其他与之有关的说明",
        "申请人在首张表格中自行填写的职业类别（可多选）",
        ("农业、林业或渔业自营职业者（含家庭成员）", "享有养老金的高级公务员以及事业单位人员", "学生、学徒或实习生"),
        "长期研究的第{i}号结果类别",
        "最终的研究结果",
        "最终支付的总金额",
    ),
}
LINES = """
show c.json --schema
show c.json --max-depth 2 --numbers
show n.json --schema
show d.json
show t.json
show s.json --summary
explain c.json
explain d.json --node 1 --data c.csv
explain n.json --all --data n.csv
explain c.json --row 3 --data c.csv
explain s.json --row 3 --data c.csv
rules c.json --stops
rules n.json
rules d.json --simplify --data c.csv --working
rules d.json --simplify --data c.csv
measure c.csv --target {y} --feature {j}
measure c.csv --target {y} --measure two_step
measure c.csv --target {y} --measure entropy
worksheet c.json --data c.csv --counts
worksheet n.json --all
worksheet c.json --pruning error
worksheet d.json --rules --data c.csv
worksheet c.csv --target {y} --feature {j}
explain c.json --pruning validation --data v.csv
explain c.json --pruning cost_complexity --data v.csv
explain n.json --pruning reduced_error --data n.csv
prune c.json --to 5
prune c.json --method error --working
prune c.json --method pessimistic --working
prune c.json --method cost_complexity --alpha 0.01 --working
prune c.json --method optimal --to 4 --working
prune c.json --method critical_value --working
prune c.json --method minimum_error --working
prune c.json --method description_length --working
prune c.json v.csv --method reduced_error --working
prune c.json v.csv
prune n.json --to 2
importance c.json
importance c.json v.csv --repeats 2
evaluate c.csv --target {y} --algorithm cart --max-depth 2 --folds 2
evaluate c.csv --target {y} --algorithm c45 --method bootstrap632 --samples 3
evaluate n.csv --target {m} --algorithm cart --max-depth 2 --method holdout
evaluate c.csv --target {y} --algorithm cart --max-depth 1 --method leave_one_out
compare c.csv --target {y} --algorithms id3,c45,cart --folds 2
predict c.json v.csv --out answers.csv
draw c.json --out drawn.svg
fit c.csv --target {y} --algorithm cart --max-depth 3
fit n.csv --target {m} --algorithm cart --max-depth 2 --no-estimate
datasets
"""


def table(lang: str, seed: int) -> pl.DataFrame:
    """A table of 60 rows, 9 classes and a number to predict, which follow the columns."""
    months, job, jobs, outcome, target, amount = WORDS[lang]
    rng = random.Random(seed)
    x, j = [rng.randrange(1, 200) for _ in range(60)], [rng.choice(jobs) for _ in range(60)]
    y = [outcome.format(i=(a // 40) + 5 * jobs.index(b) // 2) for a, b in zip(x, j, strict=True)]
    z = [round(3.7 * a + 100 * jobs.index(b) + rng.random(), 2) for a, b in zip(x, j, strict=True)]
    return pl.DataFrame({months: x, job: j, target: y, amount: z})


def printed(line: str) -> str:
    """What a command line that must work prints, notes included."""
    out, err = io.StringIO(), Terminal()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(line))
    assert code == 0, err.getvalue()
    return out.getvalue() + BAR.sub("", err.getvalue())


class Terminal(io.StringIO):
    """A stream that says it is a terminal, where notes and errors are broken into lines."""

    def isatty(self) -> bool:
        return True


def models_of(lang: str) -> None:
    """Write the tables and models that the lines name."""
    *_, target, amount = WORDS[lang]
    for name, seed in (("c", 1), ("v", 2)):
        table(lang, seed).drop(amount).write_csv(f"{name}.csv")
    table(lang, 1).drop(target).write_csv("n.csv")
    fit = f"fit c.csv --target '{target}' --no-estimate --lang {lang} --algorithm"
    for line in (
        f"{fit} cart --pruning none --save c.json",
        f"{fit} c45 --pruning none --save d.json",
        f"{fit} cart --missing surrogates --save s.json",
        f"fit n.csv --target '{amount}' --no-estimate --algorithm cart --max-depth 3 --save n.json --lang {lang}",
    ):
        printed(line)
    table(lang, 1).write_csv("t.csv")
    numbers = f"fit t.csv --target '{amount},months' --algorithm cart --max-depth 2 --save t.json --lang {lang}"
    months = pl.read_csv("t.csv").with_columns(pl.Series("months", range(60)))
    months.write_csv("t.csv")
    printed(numbers)


@pytest.fixture(scope="module", params=["en", "zh"])
def lang(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder with tables and models of long names, and the language that they are printed in."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp(request.param))
    models_of(request.param)
    yield request.param
    os.chdir(before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", LINES.strip().split("\n"))
def test_every_line_fits(line: str, lang: str) -> None:
    _, job, _, _, target, amount = WORDS[lang]
    text = printed(f"{line.format(y=repr(target), j=repr(job), m=repr(amount))} --lang {lang}")
    assert max(cell_len(one) for one in CALL.sub("", text).split("\n")) <= 80, text
    if lang == "zh":
        assert english(text) == set()


#: What is the same in Chinese: names of programs and estimators, words of options, columns of frames, symbols.
SAME = """
ID3 C4 CART id3 c45 cart rpart Python deciduous AUC Brier MCC McNemar Holm wilson bca REP PEP MEP CVP numeric nominal
ID3Classifier C45Classifier CARTClassifier CARTRegressor cp nsplit rel error xerror xstd Ent Gain Gini Correction
drop log2 max min sqrt sum bits leaf subtree raised root alpha rho Err stopped Gamma median
"""
#: Names that the tables and the list of tables have.
NAMES = {"Class", "Type", "class", "species", "Quinlan", "Weka", "months", *datasets.names()}


def english(text: str) -> set[str]:
    """The words of Latin letters that are no names, options, symbols, nor the call in Python."""
    text = CALL.sub("", text)
    text = re.sub(
        r"--[a-z0-9-]+( [a-z0-9_]+)*|\w+=[^ ，。,]+|'[^']*'|\b\w+\.(csv|json|html|svg)\b|\w*[_^]\w*", " ", text
    )
    words = re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", text)
    return set(words) - set(SAME.split()) - NAMES - set(PRUNERS)


# --- the pieces -------------------------------------------------------------------------------------------------------


def test_a_tree_in_lines_says_what_it_says_in_one() -> None:
    """Nothing is lost where lines go on: joined again, words and figures are those of one line a node."""
    for name in ("penguins", "watermelon3"):
        data = datasets.load(name)
        tree = CARTClassifier(max_depth=4, kinds=data.kinds).fit(data.frame, data.target).tree_
        for width in (64, 80):
            text = tree.to_text(width=width)
            assert max(map(cell_len, text.split("\n"))) <= width
            rails = str.maketrans("├└│─", "    ")
            joined, whole = ("".join(t.translate(rails).split()) for t in (text, tree.to_text()))
            assert joined == whole


def test_a_deep_tree_in_lines_leaves_room_for_questions() -> None:
    tree = CARTRegressor().fit({"x": range(90)}, [2.0**i for i in range(90)]).tree_
    assert tree.max_depth > 40
    lines = tree.to_text(width=80).split("\n")
    assert max(map(cell_len, lines)) <= 80
    assert any(line.startswith("[13] ") for line in lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("一二三四五，六七", ["一二三四", "五，六七"]),
        ("一二三四，五六七", ["一二三", "四，五六", "七"]),
        ("一二（三四五）六", ["一二（三", "四五）六"]),
        ("of 12 (5 %)", ["of", "12 (5 %)"]),
    ],
)
def test_chinese_is_broken_between_characters_and_not_before_punctuation(text: str, lines: list[str]) -> None:
    assert wrapped(text, 8) == lines


def test_headings_of_numbers_are_broken_and_numbers_are_not() -> None:
    shown = grid(["a", "a heading of many words"], [["x", "12345678"]], numbers=[1], width=14)
    assert shown.split("\n")[-1] == "x     12345678"
    assert max(map(len, shown.split("\n"))) <= 14


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_errors_are_one_line_where_no_terminal_reads_them(stream: type[io.StringIO]) -> None:
    err = stream()
    with contextlib.redirect_stderr(err):
        assert main(["datasets", "a name that is none of the tables", "--lang", "en"]) == 2
    lines = err.getvalue().rstrip("\n").split("\n")
    assert (len(lines) > 1) == (stream is Terminal)
    assert stream is not Terminal or max(map(len, lines)) <= 80


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("command", ["", *COMMANDS, "compare"])
def test_help_fits(command: str, lang: str) -> None:
    text = printed(f"{command} --help --lang {lang}")
    examples = re.sub(r"(?m)^.*deciduous \w+ .*\n(  .*\n)*", "", text)
    assert max(map(cell_len, examples.split("\n"))) <= 80
