"""How a report was made: the options of the tree, the versions, and the calls that make both again."""

from __future__ import annotations

import hashlib
import platform
import shlex
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from deciduous.estimators.base import TreeEstimator
from deciduous.estimators.parameters import constructor_call

#: What the figures of a report depend on.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars")
#: Options that change no tree.
SILENT = ("verbose", "n_jobs")


@dataclass(frozen=True)
class Source:
    """Where model and table came from, for the calls that are shown: names of files, stand-ins where not known."""

    model: str = "model.json"
    data: str = "data.csv"
    validation: str | None = None
    folds: int = 10


def made_data(estimator: TreeEstimator, target: str, source: Source, has_validation: bool) -> dict[str, Any]:
    """Return what the page says about how it was made."""
    tree = estimator.tree_
    return {
        "parameters": _parameters(estimator),
        "versions": _versions(),
        "fingerprint": hashlib.sha256(tree.to_json().encode()).hexdigest(),
        "python": _python(estimator, target, source, has_validation),
        "commands": _commands(estimator, target, source, has_validation),
    }


def _versions() -> list[tuple[str, str]]:
    from deciduous import __version__

    libraries = [(name, version(name)) for name in LIBRARIES]
    return [("deciduous", __version__), *libraries, ("Python", platform.python_version())]


def _parameters(estimator: TreeEstimator) -> list[dict[str, Any]]:
    defaults = type(estimator)().get_params()
    found = [
        {"name": name, "value": repr(value), "changed": repr(value) != repr(defaults[name])}
        for name, value in sorted(estimator.get_params().items())
    ]
    return sorted(found, key=lambda one: not one["changed"])


def _python(estimator: TreeEstimator, target: str, source: Source, has_validation: bool) -> str:
    """Return the Python lines that grow the tree and make the report."""
    lines = [
        "import deciduous",
        "",
        f"frame = deciduous.read_table({source.data!r})",
        f"model = deciduous.{constructor_call(estimator, SILENT)}.fit(frame, {target!r})",
    ]
    options = ""
    if has_validation:
        lines.append(f"other = deciduous.read_table({source.validation or 'validation.csv'!r})")
        options = f", validation=(other, {target!r})"
    elif source.folds != Source.folds:
        options = f", folds={source.folds}"
    return "\n".join([*lines, f'deciduous.report(model, frame, {target!r}{options}).save("report.html")'])


def _commands(estimator: TreeEstimator, target: str, source: Source, has_validation: bool) -> str:
    """Return the commands that grow the tree, where flags can say all its options, and make the report."""
    report = ["deciduous", "report", source.model, source.data, "--out", "report.html"]
    if target != estimator.tree_.target:
        report += ["--target", target]
    if has_validation:
        report += ["--validation", source.validation or "validation.csv"]
    elif source.folds != Source.folds:
        report += ["--folds", str(source.folds)]
    flags = _flags(estimator)
    fit = ["deciduous", "fit", source.data, "--target", target, *(flags or []), "--save", source.model]
    return "\n".join(shlex.join(line) for line in ([] if flags is None else [fit]) + [report])


def _flags(estimator: TreeEstimator) -> list[str] | None:
    """Return the flags of `deciduous fit` for the options that differ from the defaults; None where one has none."""
    algorithm, defaults = estimator.tree_.options["name"], type(estimator)().get_params()
    flags = ["--algorithm", str(algorithm), *(["--task", estimator.tree_.task] if algorithm == "cart" else [])]
    if estimator.get_params().get("pruning") is None and algorithm != "id3":
        flags += ["--pruning", "none"]
    for name, value in estimator.get_params().items():
        if name in SILENT or repr(value) == repr(defaults[name]):
            continue
        flag = f"--{name.replace('_', '-')}"
        if name == "kinds":
            for column, kind in value.items():
                flags += ["--kind", f"{column}={kind}"]
        elif isinstance(value, bool):
            flags.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, str | int | float):
            flags += [flag, str(value)]
        elif value is not None:
            return None
    return flags
