"""`deciduous prune`, and the options of pruning in `deciduous fit`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import deciduous
from deciduous.cli import main
from deciduous.prune import PRUNERS


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Penguins in two halves, and a full tree of the first."""
    monkeypatch.chdir(tmp_path)
    frame = deciduous.datasets.load("penguins").frame
    frame.gather_every(2).write_csv("seen.csv")
    frame.gather_every(2, 1).write_csv("unseen.csv")
    deciduous.save(deciduous.CARTClassifier().fit(deciduous.read_table("seen.csv"), "species"), "full.json")
    return tmp_path


@pytest.fixture
def run(files: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run_line(line: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(shlex.split(line)) == code
        out, err = capsys.readouterr()
        return err if code else out

    return run_line


def test_to_a_number_of_leaves(run: Any) -> None:
    out = run("prune full.json --to 3 --out small.json")
    small = deciduous.load("small.json")
    assert small.get_n_leaves() == 3
    assert small.tree_.to_json() == deciduous.load("full.json").prune_to(3).tree_.to_json()
    full = deciduous.load("full.json").get_n_leaves()
    assert f"Pruned by optimal from {full} leaves to 3.\nSaved to small.json.\n" in out
    assert "cart tree for species: 172 rows, 3 leaves, depth 2" in out
    assert "species" in run("predict small.json unseen.csv")
    assert "3 leaves" in run("show small.json")


@pytest.mark.parametrize("method", PRUNERS)
def test_every_method_with_a_file(run: Any, method: str) -> None:
    """The file decides or judges; what is printed is true."""
    out = run(f"prune full.json unseen.csv --method {method} --out small.json")
    full, small = deciduous.load("full.json"), deciduous.load("small.json")
    frame = deciduous.read_table("unseen.csv")
    before, after = (100 * (1 - model.score(frame, frame["species"].to_list())) for model in (full, small))
    assert f"On the 172 rows of unseen.csv: {before:.1f} % wrong before, {after:.1f} % wrong after." in out
    assert f"Pruned by {method} from {full.get_n_leaves()} leaves to {small.get_n_leaves()}." in out
    assert small.tree_.to_json() == full.prune(method, frame, "species").tree_.to_json()
    assert ("<- min" in out) == (method in ("cost_complexity", "optimal"))


def test_methods_that_need_no_file(run: Any) -> None:
    alphas = [
        int(re.search(r"leaves to (\d+)", run(f"prune full.json --method cost_complexity --alpha {a}"))[1])
        for a in (0.0, 0.02, 1.0)
    ]
    assert alphas == sorted(alphas, reverse=True)
    assert alphas[-1] == 1
    sizes = [
        int(re.search(r"leaves to (\d+)", run(f"prune full.json --method error --confidence {c}"))[1])
        for c in (0.01, 0.9)
    ]
    assert sizes[0] <= sizes[1]
    assert "Pruned by optimal" in run("prune full.json unseen.csv --rule 1se --cost errors")


def test_numbers(run: Any) -> None:
    run("fit seen.csv --target body_mass_g --algorithm cart --save mass.json")
    out = run("prune mass.json unseen.csv --method reduced_error --out small.json")
    told = " ".join(out.split())
    assert re.search(r"unseen.csv: mean squared error [\d.e+]+ before, mean squared error [\d.e+]+ after", told)
    assert "defined for trees that predict classes" in run("prune mass.json --method pessimistic", 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "",
            "--method optimal decides by rows that the tree was not grown on: give a FILE with the target, or --to N.",
        ),
        ("--method reduced_error", "give a FILE with the target."),
        ("--method cost_complexity", "or --alpha A."),
        ("--method reduced", "--method 'reduced' is not one of 'error', .* Did you mean 'reduced_error'"),
        ("--method error --to 3", "--to belongs to --method optimal, not to error"),
        ("--alpha 1", "--alpha belongs to --method cost_complexity, not to optimal"),
        ("--to 0", "--to 0 must be at least 1"),
        ("--to 3 --cost gnii", "--cost gnii is not one of .* Did you mean 'gini'"),
        ("--to 3 --rule most", "--rule most is not one of 'min', '1se'"),
        ("--method error --confidence 2", "--confidence 2.0 must lie between 0 and 1"),
        ("--to 3 --out full.json", "full.json"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_mistakes(run: Any, line: str, message: str) -> None:
    before = Path("full.json").read_text()
    assert re.search(message, run(f"prune full.json {line}", 2))
    assert Path("full.json").read_text() == before


def test_a_file_without_the_target(run: Any) -> None:
    deciduous.read_table("unseen.csv").drop("species").write_csv("bare.csv")
    assert "bare.csv has no column 'species', the target of the model" in run("prune full.json bare.csv", 2)


def test_the_options_of_fit(run: Any) -> None:
    """The same words, the same tree, and the Python call that is printed grows it."""
    line = "--pruning cost_complexity --rule 1se --validation-fraction 0.4 --random-state 7"
    out = run(f"fit seen.csv --target species --algorithm cart {line} --save one.json")
    call = out.partition("The same in Python:\n")[2].partition("\nSaved")[0]
    scope: dict[str, Any] = {}
    exec("\n".join(part.strip() for part in call.strip().splitlines()), scope)
    assert scope["model"].tree_.to_json() == deciduous.load("one.json").tree_.to_json()
    assert run("fit seen.csv --target species --algorithm cart --ccp-alpha 0.05").count("├─") <= 2
    run("fit seen.csv --target species --algorithm c45 --pruning error --confidence 0.1 --save c45.json")
    assert deciduous.load("c45.json").confidence == 0.1
    assert "is not an option of cart" in run("fit seen.csv --target species --algorithm cart --confidence 0.1", 2)


def test_the_working_of_subtree_raising(run: Any) -> None:
    """Training rows as FILE; what is decided in every node is printed."""
    run("fit seen.csv --target species --algorithm c45 --pruning critical_value --save c45.json")
    out = run("prune c45.json seen.csv --method error --subtree-raising --conventions j48 --working --out small.json")
    full, small = deciduous.load("c45.json"), deciduous.load("small.json")
    assert f"from {full.get_n_leaves()} leaves to {small.get_n_leaves()}" in out
    assert "The working of error-based pruning" in out
    assert "its largest branch with all rows: raised = " in out


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("--to 2", "C(0, 2) = C(1, 1) + C(2, 1) = "),
        ("--method cost_complexity --alpha 0.01 --cost errors", "g(t) = (R(t) - R(T_t)) / (|T_t| - 1)"),
        ("--method pessimistic", "a standard error: SE = "),
        ("unseen.csv --method reduced_error", "From below: a node becomes a leaf where the validation errors"),
        ("unseen.csv", "error on the validation rows"),
    ],
)
def test_the_working_of_every_method(run: Any, line: str, shown: str) -> None:
    assert shown in run(f"prune full.json {line} --working")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("prune full.json --method error --subtree-raising", "give them as FILE"),
        ("prune full.json unseen.csv --method error --subtree-raising", "these are not the rows that the tree was"),
        ("prune full.json --method pessimistic --subtree-raising", "--subtree-raising belongs to --method error"),
        ("prune full.json --method error --conventions weka", "--conventions weka is not one of"),
    ],
)
def test_options_of_error_based_pruning(run: Any, line: str, message: str) -> None:
    assert message in run(line, 2)


def test_rows_that_the_tree_was_grown_on_do_not_decide_unnoticed(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split("prune full.json seen.csv --method reduced_error")) == 0
    assert "seen.csv fills every leaf just as the rows did that the tree was grown on" in capsys.readouterr().err
    assert main(shlex.split("prune full.json unseen.csv --method reduced_error")) == 0
    assert "fills every leaf" not in capsys.readouterr().err
    assert main(shlex.split("prune full.json seen.csv --method pessimistic")) == 0  # they only judge
    assert "fills every leaf" not in capsys.readouterr().err


def test_by_the_complexity_of_a_tree_with_surrogates(run: Any) -> None:
    run("fit seen.csv --target species --algorithm cart --missing surrogates --cp 0 --save grown.json --no-estimate")
    out = run("prune grown.json --cp 0.4 --out small.json")
    small = deciduous.load("grown.json").prune_by_cp(0.4)
    assert deciduous.load("small.json").tree_.to_text() == small.tree_.to_text()
    assert f"Pruned by cp from {deciduous.load('grown.json').get_n_leaves()} leaves to {small.get_n_leaves()}." in out
    assert "is for trees grown with --missing surrogates" in run("prune full.json --cp 0.1", 2)
    assert "--cp does not go with --to" in run("prune grown.json --cp 0.1 --to 3", 2)
    assert "--cp does not go with --method error" in run("prune grown.json --cp 0.1 --method error", 2)


def test_cp_says_how_large_the_tree_is(run: Any) -> None:
    fit = "fit seen.csv --target species --algorithm cart --missing surrogates --no-estimate"
    assert "Size: as asked." in run(f"{fit} --cp 0.05")
    assert "Size: pruned: the smallest tree within one standard error" in run(fit)


def test_rows_that_the_tree_was_grown_on_are_told(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen, unseen = (deciduous.read_table(f"{name}.csv") for name in ("seen", "unseen"))
    unseen.vstack(seen.head(9)).write_csv("mixed.csv")
    told = "9 of the 181 validation rows have the cells and the target of a training row"
    for line in (
        "prune full.json mixed.csv --data seen.csv",
        "report full.json seen.csv --validation mixed.csv --out r.html",
    ):
        assert main(shlex.split(line)) == 0
        assert told in capsys.readouterr().err
    for line in ("prune full.json unseen.csv --data seen.csv", "prune full.json mixed.csv"):
        assert main(shlex.split(line)) == 0
        assert "validation rows have" not in capsys.readouterr().err
    assert "--data goes with FILE" in run("prune full.json --to 3 --data seen.csv", code=2)
