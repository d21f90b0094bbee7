"""Hostile command lines: exit code 2 with one line on stderr and nothing written, or exit code 0 with sane output."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import deciduous
from deciduous.cli import main
from deciduous.explain.derivation import derivation_of
from tests.surface.hostile import COMMANDS, Command, parameters

ERROR, NOTE = "deciduous: error: ", "deciduous: note: "


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Run the command in this process; the exit code, stdout and stderr."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline=""), io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    out.flush()
    err.flush()
    return code, *(stream.buffer.getvalue().decode("utf-8") for stream in (out, err))  # type: ignore[attr-defined]


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a folder, and what is in its files."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


def assert_one_error(code: int, out: str, err: str, says: str) -> None:
    lines = err.split("\n")
    assert code == 2, (code, out[-500:], err[-500:])
    assert err.endswith("\n")
    assert lines[-2].startswith(ERROR), err
    assert all(line.startswith(NOTE) for line in lines[:-2]), err
    assert len(lines[-2]) > len(ERROR) + 10
    assert says in lines[-2], lines[-2]
    assert "Traceback" not in out + err
    assert not any(ord(c) < 32 and c != "\n" for c in err), "an error message must not carry control characters"


def assert_works(code: int, out: str, err: str) -> None:
    assert code == 0, err[-500:]
    assert all(line.startswith(NOTE) for line in err.splitlines()), err
    assert "encountered in" not in err, "NumPy's own warnings are no notes"
    assert "Traceback" not in out + err


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three tables, three models and an empty folder."""
    folder = tmp_path_factory.mktemp("bench")
    for name in ("loan", "golf", "penguins"):
        shutil.copy(deciduous.datasets.path(name), folder / f"{name}.csv")
    loan, golf, penguins = (deciduous.read_table(folder / f"{name}.csv") for name in ("loan", "golf", "penguins"))
    deciduous.ID3Classifier(kinds={"ID": "id"}).fit(loan, "Class").save(folder / "loan.json")
    deciduous.C45Classifier().fit(golf, "class").save(folder / "golf.json")
    deciduous.CARTRegressor(max_depth=3).fit(penguins.drop_nulls("body_mass_g"), "body_mass_g").save(
        folder / "prices.json"
    )
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def here(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bench, and the present folder."""
    folder = tmp_path / "here"
    shutil.copytree(bench, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("command", parameters(COMMANDS))
def test_a_hostile_command_ends_in_one_line_or_works(command: Command, here: Path) -> None:
    for name, content in command.files.items():
        (here / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = contents(here)
    code, out, err = run(command.arguments)
    after = contents(here)
    if command.says is None:
        assert_works(code, out, err)
        assert {name for name in after if after[name] != before.get(name)} <= set(command.writes)
    else:
        assert_one_error(code, out, err, command.says)
        assert after == before


@pytest.mark.slow
def test_a_table_of_ten_thousand_columns_is_read_and_fitted(here: Path) -> None:
    names = [*(f"c{i}" for i in range(9_999)), "y"]
    (here / "t.csv").write_text(",".join(names) + "\n" + ("1," * 9_999 + "x\n") * 3)
    assert_works(*run(["fit", "t.csv", "--target", "y", "--algorithm", "cart", "--max-depth", "0"]))


# --- damaged model files -------------------------------------------------------------------------------------------

#: What stands in for every value of a model file in turn.
WRONG = [None, True, -1, 0, 7, 10**30, 1.5, 1e308, "x", "", "\ud800", [], [[]], [None], {}, {"x": 1}]


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value; of a list only its first and last."""
    if path:
        yield path
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in inside:
        if isinstance(content, dict) or key in (0, len(content) - 1):
            yield from places(value, (*path, key))


def damaged(content: Any, path: tuple[Any, ...], wrong: list[Any]) -> Iterator[Any]:
    """The document without the value at a place, with it twice (in a list), and with each wrong value instead."""

    def parent_of(document: Any) -> Any:
        for key in path[:-1]:
            document = document[key]
        return document

    changed = copy.deepcopy(content)
    del parent_of(changed)[path[-1]]
    yield changed
    if isinstance(path[-1], int):
        changed = copy.deepcopy(content)
        parent_of(changed).insert(path[-1], copy.deepcopy(parent_of(changed)[path[-1]]))
        yield changed
    for value in wrong:
        changed = copy.deepcopy(content)
        parent_of(changed)[path[-1]] = value
        yield changed


def assert_refused_or_works(model: str, table: str) -> None:
    """A model file either shows, explains and predicts, or is refused in one line that names it."""
    code, out, err = run(["show", model, "--schema"])
    if code:
        assert_one_error(code, out, err, model)
        return
    assert_works(code, out, err)
    for arguments in (["explain", model, "--all"], ["predict", model, table]):
        code, out, err = run(arguments)
        if code:
            assert_one_error(code, out, err, "")
        else:
            assert_works(code, out, err)


def assert_refused_or_answers(model: str, frame: pl.DataFrame) -> None:
    """The same through the library, which is quicker."""
    estimator, refusal = attempt(lambda: deciduous.load(model), deciduous.ModelFileError)
    if refusal:
        assert model in refusal
        assert "\n" not in refusal
        return
    tree = estimator.tree_
    tree.check()
    assert f"{estimator.schema_}{estimator!r}{tree.to_text()}"
    if tree.candidates is not None:
        for node in range(len(tree)):
            derivation_of(tree, node).to_text()
    assert deciduous.Tree.from_json(tree.to_json()).to_json() == tree.to_json()
    answers, refusal = attempt(lambda: estimator.predict(frame), deciduous.DataError)
    if refusal:
        assert len(refusal) > 20
        return
    assert len(answers) == len(frame)
    assert tree.task == "number" or set(answers.tolist()) <= set(tree.classes)


def attempt(act: Callable[[], Any], error: type[Exception]) -> tuple[Any, str]:
    """What comes of it, or what the error of this type says."""
    try:
        return act(), ""
    except error as caught:
        return None, str(caught)


def failures_of(content: Any, where: list[tuple[Any, ...]], table: str, step: int) -> list[str]:
    """Damage a document at each place in every `step`-th way; the commands see one a place, the library all."""
    failures = []
    frame = deciduous.read_table(table)
    for k, path in enumerate(where):
        for i, document in enumerate(damaged(content, path, WRONG[k % step :: step])):
            Path("bad.json").write_text(json.dumps(document), "utf-8")
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", category=deciduous.DataWarning)
                    assert_refused_or_answers("bad.json", frame)
                if i == k % (len(WRONG) // step):
                    assert_refused_or_works("bad.json", table)
            except Exception as error:
                failures.append(f"{path} #{i}: {type(error).__name__}: {str(error)[:300]}")
    return failures


PARTS = [(m, p) for m in ("loan", "golf", "prices") for p in ("top", "options", "schema", "nodes", "candidates")]


@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.slow)], ids="one in {}".format)
@pytest.mark.parametrize(("model", "part"), PARTS)
def test_a_damaged_model_file_is_refused_in_one_line_or_works(model: str, part: str, every: int, here: Path) -> None:
    content = json.loads((here / f"{model}.json").read_text("utf-8"))
    inside = [path for path in places(content) if (path[0] == part if part != "top" else len(path) == 1)]
    deepest = 5 if model == "loan" or part in ("options", "schema") else 3
    failures = failures_of(
        content,
        [path for path in inside if len(path) <= deepest][::every],
        "penguins.csv" if model == "prices" else f"{model}.csv",
        step={"top": 1, "schema": 2, "nodes": 2}.get(part, 4),
    )
    assert not failures, f"{len(failures)} of them:\n" + "\n".join(failures[:40])


@pytest.mark.parametrize("model", ["loan", "golf", "prices"])
def test_a_model_file_cut_short_is_refused_wherever_it_is_cut(model: str, here: Path) -> None:
    whole = (here / f"{model}.json").read_bytes()
    for size in [*range(40), *range(40, len(whole) - 2, max(len(whole) // 120, 1)), len(whole) - 2]:
        (here / "bad.json").write_bytes(whole[:size])
        with pytest.raises(deciduous.ModelFileError, match=r"bad\.json"):
            deciduous.load("bad.json")
    assert_one_error(*run(["show", "bad.json"]), "not valid JSON")
    (here / "bad.json").write_bytes(whole + b"{}")
    assert_one_error(*run(["show", "bad.json"]), "not valid JSON")


@pytest.mark.parametrize("model", ["loan", "golf", "prices"])
def test_a_model_file_with_flipped_bytes_is_refused_or_works(model: str, here: Path) -> None:
    whole = (here / f"{model}.json").read_bytes()
    frame = deciduous.read_table("penguins.csv" if model == "prices" else f"{model}.csv")
    for at in range(0, len(whole), max(len(whole) // 30, 1)):
        for byte in b'0"],\xff':
            (here / "bad.json").write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", category=deciduous.DataWarning)
                assert_refused_or_answers("bad.json", frame)


@pytest.mark.parametrize(
    ("array", "values", "says"),
    [
        ("first_child", [1, 0, -1], "fewer than two branches"),  # a circle
        ("first_child", [0, -1, -1], "children must come after their parent"),  # its own child
        ("first_child", [-7, -1, -1], "a leaf has branches"),
        ("first_child", [10**9, -1, -1], "within the tree"),
        ("parent", [0, 0, 0], "node 0 must be the root"),
        ("parent", [-1, 2, 0], "disagree"),
        ("n_branches", [2**31 - 1, 0, 0], "within the tree"),
        ("n_branches", [-2, 0, 0], "fewer than two branches"),
        ("feature", [-1, -1, -1], "feature is no column"),
        ("feature", [9, -1, -1], "feature is no column"),
        ("feature", [2**31, -1, -1], "do not fit"),
        ("kind", [256, 0, 0], "do not fit"),
        ("kind", [200, 0, 0], "kind is not a kind of split"),
        ("threshold", [None, None, None], "a finite number"),
        ("threshold", [1e309, None, None], "Infinity is not a number"),
        ("share", [1.0, -1.0, 2.0], "share must be finite and not negative"),
        ("share", [1.0, 0.2, 0.2], "must sum to 1"),
        ("n_samples", [-4, 2, 2], "must not be negative"),
        ("n_samples", [4, 3, 3], "more rows than their parent"),
        ("weight", [4.0, 0.0, 4.0], "weight and n_samples disagree"),
        ("weight", [4.0, 4.0, 4.0], "weigh more than their parent"),
        ("value", [0.0, 0.0, 7.0], "value is no class"),
        ("value", [0.0, 0.5, 1.0], "value is no class"),
        ("class_code", [0, 1, 0, 9], "class_code is no class"),
        ("class_code", [1, 0, 0, 1], "in order"),
        ("class_weight", [1e300, 2.0, 2.0, 2.0], "do not sum"),
        ("class_start", [0, 4, 3, 4], "must not decrease"),
        ("class_start", [0, 2, 3, 10**18], "must run from 0"),
        ("category_start", [0, 5, 0, 0], "category_start must"),
        ("answers_from", [2, 1, 2], "answers for itself"),
        ("reason", [77, 1, 1], "reason is not a reason"),
        ("reason", [1, 1, 1], "disagree about leaves"),
        ("exact", [1, 1, 1], "must be a list of bool"),
        ("gain", [None, None, None], "gain belongs to inner nodes"),
        ("impurity", [-0.1, 0.0, 0.0], "impurity must be finite and not negative"),
    ],
)
def test_arrays_that_contradict_each_other_are_told_apart(array: str, values: list[Any], says: str, here: Path) -> None:
    model = deciduous.CARTClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    content = json.loads(model.tree_.to_json())
    content["nodes"][array] = values
    (here / "bad.json").write_text(json.dumps(content), "utf-8")
    assert_one_error(*run(["predict", "bad.json", "golf.csv"]), says)


def test_a_model_file_with_huge_numbers_of_columns_or_nodes_is_refused_at_once(here: Path) -> None:
    content = json.loads((here / "loan.json").read_text("utf-8"))
    n = 200_000
    content["nodes"]["parent"] = [-1] * n
    (here / "bad.json").write_text(json.dumps(content), "utf-8")
    started = time.perf_counter()
    assert_one_error(*run(["show", "bad.json"]), "must have one element a node")
    assert time.perf_counter() - started < 20


# --- real processes ------------------------------------------------------------------------------------------------


def process(*arguments: str, environment: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deciduous", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, env={**os.environ, **(environment or {})}, **pipes)


def finished(*arguments: str, **options: Any) -> tuple[int, str, str]:
    with process(*arguments, **options) as running:
        out, err = running.communicate(timeout=60)
    return running.returncode, (out or b"").decode("utf-8"), (err or b"").decode("utf-8")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("fit none.csv --target y --algorithm id3", "no such file"),
        ("predict loan.json golf.csv", "lacks the columns"),
    ],
)
def test_a_process_ends_with_code_2_and_one_line(line: str, says: str, here: Path) -> None:
    assert_one_error(*finished(*line.split()), says)


@pytest.mark.parametrize("command", ["datasets golf", "predict loan.json loan.csv"])
def test_a_reader_that_goes_away_is_no_error(command: str, here: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with process(*command.split(), stdout=write) as running:
        os.close(write)
        _, err = running.communicate(timeout=60)
    assert b"Traceback" not in err
    assert b"Broken pipe" not in err
    assert b"Exception ignored" not in err
    assert running.returncode == 0


@pytest.mark.parametrize(
    "closed",
    [0, 1, 2],
)
def test_closed_streams_do_not_end_in_a_traceback(closed: int, here: Path) -> None:
    script = f"exec {closed}>&-; exec {sys.executable} -m deciduous show loan.json"
    done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr
    assert done.returncode == (0 if closed != 1 else done.returncode)


def test_an_interrupt_ends_in_one_line(here: Path) -> None:
    os.mkfifo("pipe.csv")
    with process("fit", "pipe.csv", "--target", "y", "--algorithm", "cart", "--save", "m.json") as running:
        with open("pipe.csv", "wb") as pipe:  # from here on the command waits for the rest of the table
            pipe.write(b"a,y\n")
            pipe.flush()
            running.send_signal(signal.SIGINT)
            time.sleep(0.2)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, b"")
    assert err.decode() == "deciduous: error: interrupted; nothing was written\n"
    assert not Path("m.json").exists()


KILLED = """
import os, signal, sys
import deciduous.files
def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
setattr(os, sys.argv[1], kill)
model = __import__("deciduous").load("loan.json")
model.save("model.json")
"""


@pytest.mark.parametrize(("at", "before"), [("replace", b"the old model"), ("chmod", None)])
def test_a_process_killed_while_it_saves_leaves_the_old_file(at: str, before: bytes | None, here: Path) -> None:
    if before is not None:
        Path("model.json").write_bytes(before)
    old = contents(here)
    done = subprocess.run([sys.executable, "-c", KILLED, at], capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    new = contents(here)
    assert {name: new[name] for name in old} == old
    left = set(new) - set(old)
    assert len(left) == 1
    assert all(name.startswith(".") and not name.endswith((".json", ".csv")) for name in left)


def test_a_failed_write_leaves_no_file_behind(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device", "loan.json")

    old = contents(here)
    monkeypatch.setattr(os, "replace", refuse)
    assert_one_error(
        *run(["fit", "golf.csv", "--target", "class", "--algorithm", "c45", "--save", "loan.json"]), "No space left"
    )
    assert contents(here) == old


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_without_permission_is_named(here: Path) -> None:
    Path("folder").chmod(0o500)
    try:
        code = run(["fit", "golf.csv", "--target", "class", "--algorithm", "c45", "--save", "folder/m.json"])
    finally:
        Path("folder").chmod(0o700)
    assert_one_error(*code, "folder/m.json")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_without_permission_is_named(here: Path) -> None:
    Path("golf.csv").chmod(0o000)
    assert_one_error(
        *run(["fit", "golf.csv", "--target", "class", "--algorithm", "c45"]), "no permission to read this file"
    )
