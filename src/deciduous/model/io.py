"""The model file: a versioned JSON document. Loading checks everything and executes nothing. See docs/model-file.md."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from deciduous.data.columns import is_broken
from deciduous.data.schema import KINDS, Feature, Label, Schema
from deciduous.errors import DataError, ModelFileError
from deciduous.files import write_whole
from deciduous.kernels import SplitKind
from deciduous.model.answers import ANSWERS, Answers
from deciduous.model.candidate import VERDICTS, Candidate
from deciduous.model.check import check_split
from deciduous.model.document import Part, is_nested
from deciduous.model.extras import extras_document, read_extras
from deciduous.model.split import Split
from deciduous.model.tree import ARRAYS, Tree

FORMAT = "deciduous tree"
VERSION = 1

M = TypeVar("M")


def save(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Write a tree to a file, whole or not at all."""
    write_whole(path, to_json(tree))


def load(path: str | os.PathLike[str]) -> Tree:
    """Read a tree from a file; ModelFileError names the file and says what is wrong with it."""
    return read_file(path, tree_of)


def read_file(path: str | os.PathLike[str], model_of: Callable[[dict[str, Any]], M]) -> M:
    """Return what `model_of` makes of the document in a file; ModelFileError names the file and what is wrong."""
    try:
        document = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{str(path)!r} is not a model file: it is not UTF-8 text ({error.reason}).") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise ModelFileError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}.") from None
    try:
        return model_of(parsed(document))
    except ModelFileError as error:
        raise ModelFileError(f"{str(path)!r}: {error}") from None


# --- writing
# -------------------------------------------------------------------------------------------------------------


def to_json(tree: Tree) -> str:
    """Return a tree as strict JSON: no NaN, numbers with all their digits, the labels with their types."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "task": tree.task,
        "target": tree.target,
        "classes": list(tree.classes),
        "options": dict(tree.options),
        "weighted": tree.weighted,
        "schema": schema_document(tree.schema),
        "nodes": {name: _plain(getattr(tree, name)) for name in ARRAYS},
        **extras_document(tree),
        "candidates": None
        if tree.candidates is None
        else [[_candidate_document(c) for c in node] for node in tree.candidates],
    }
    if tree.others:
        document["others"] = [_answers_document(other) for other in tree.others]
        document["impurities"] = None if tree.impurities is None else tree.impurities.tolist()
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character pair has no UTF-8; JSON can spell it
        text = json.dumps(document, ensure_ascii=True, allow_nan=False)
    return text + "\n"


def _answers_document(answers: Answers) -> dict[str, Any]:
    arrays = {name: _plain(array) for name, array in answers.arrays().items()}
    return {"target": answers.target, "classes": list(answers.classes), **arrays}


def _plain(array: Any) -> Any:
    """Return numbers as a list, NaN as null."""
    values = array.tolist()
    return [None if v != v else v for v in values] if array.dtype == np.float64 and array.ndim == 1 else values


def schema_document(schema: Schema) -> dict[str, Any]:
    columns = [
        {"name": f.name, "kind": f.kind, "categories": list(f.categories), "missing": f.missing, "reason": f.reason}
        for f in schema.features
    ]
    return {"named": schema.named, "rows": schema.n_rows, "columns": columns}


def _candidate_document(candidate: Candidate) -> dict[str, Any]:
    document: dict[str, Any] = {"feature": candidate.feature, "verdict": candidate.verdict}
    split = candidate.split
    if split is None or candidate.table is None:
        return document
    return document | {
        "kind": int(split.kind),
        "branches": split.n_branches,
        "threshold": None if np.isnan(split.threshold) else split.threshold,
        "category_branch": split.category_branch.tolist(),
        "shares": split.shares.tolist(),
        "table": candidate.table.tolist(),
        "missing": None if candidate.missing is None else candidate.missing.tolist(),
        "gain": candidate.gain,
        "score": candidate.score if np.isfinite(candidate.score) else None,
        "tried": candidate.tried,
        "exact": candidate.exact,
        "correction": candidate.correction,
        "counted": candidate.counted,
        **({} if candidate.known_rows < 0 else {"known_rows": candidate.known_rows}),
    }


# --- reading
# -------------------------------------------------------------------------------------------------------------


def from_json(document: str) -> Tree:
    """Read a tree from JSON text; ModelFileError says what is wrong and where."""
    return tree_of(parsed(document))


def parsed(document: str) -> dict[str, Any]:
    """Return the object that JSON text spells; ModelFileError if it is none."""
    try:
        content = json.loads(document, parse_constant=_refuse_constant)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it is not a model file: not valid JSON ({error}).") from None
    return Part(content, "the document").content


def tree_of(content: dict[str, Any]) -> Tree:
    """Return the tree that a document holds; ModelFileError says what is wrong and where."""
    top = Part(content, "the document")
    if top.content.get("format") != FORMAT:
        raise ModelFileError(
            f"it is not a model file: its 'format' is {top.content.get('format')!r:.60}, not {FORMAT!r}."
        )
    if top.content.get("version") is True or top.content.get("version") != VERSION:
        raise ModelFileError(
            f"it has version {top.content.get('version')!r:.60}, and this release reads version {VERSION}. Read "
            f"it with the release that "
            "wrote it, or a newer one."
        )
    task = top.one_of("task", ("class", "number"))
    schema = read_schema(top.part("schema"))
    nodes = top.part("nodes")
    arrays = {name: nodes.array(name, dtype) for name, dtype in ARRAYS.items()}
    tree = Tree(
        schema,
        task,  # type: ignore[arg-type]
        top.get("target", str),
        read_labels(top, "classes"),
        _read_options(top.part("options")),
        top.get("weighted", bool),
        **arrays,
        **read_extras(top.content),
        **_read_others(top),
    )
    tree.check()
    if task == "class" and not all(one.classes for one in tree.by_target()):
        raise ModelFileError("a classification tree must have classes.")
    object.__setattr__(tree, "candidates", _read_candidates(top, tree))
    return tree


def _read_others(top: Part) -> dict[str, Any]:
    """Read what the nodes answer about further targets, if there are any, and the impurity of each."""
    if "others" not in top.content:
        return {}
    others = tuple(
        Answers(
            other.get("target", str),
            read_labels(other, "classes"),
            *(other.array(name, ARRAYS[name]) for name in ANSWERS),
        )
        for other in (Part(content, f"target {i + 2}") for i, content in enumerate(top.get("others", list)))
    )
    found: dict[str, Any] = {"others": others}
    if top.content.get("impurities") is not None:
        found["impurities"] = top.table("impurities", (1 + len(others), len(top.part("nodes").get("parent", list))))
    return found


def _refuse_constant(token: str) -> None:
    raise ModelFileError(f"it is not strict JSON: {token} is not a number.")


def read_schema(part: Part) -> Schema:
    features = []
    for i, content in enumerate(part.get("columns", list)):
        column = Part(content, f"column {i}")
        kind = column.one_of("kind", KINDS)
        feature = Feature(
            column.get("name", str),
            kind,  # type: ignore[arg-type]
            read_labels(column, "categories"),
            column.get("reason", str),
            column.count("missing"),
        )
        features.append(feature)
    try:
        return Schema(tuple(features), named=part.get("named", bool), n_rows=part.count("rows"))
    except DataError as error:
        raise ModelFileError(str(error)) from None


def read_labels(part: Part, key: str) -> tuple[Label, ...]:
    labels = part.get(key, list)
    for label in labels:
        if not isinstance(label, str | int | float | bool) or (isinstance(label, int) and abs(label) >= 2**63):
            raise ModelFileError(
                f"{key!r} in {part.place} must hold text, numbers or truth values; it holds {label!r:.60}."
            )
        if isinstance(label, str) and is_broken(label):
            raise ModelFileError(f"{key!r} in {part.place} holds half a character (a lone surrogate): {label!r:.60}.")
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ModelFileError(f"{key!r} in {part.place} mixes text and numbers.")
    if len(set(labels)) < len(labels):  # 1, 1.0 and true are one label
        raise ModelFileError(f"{key!r} in {part.place} lists a label twice.")
    return tuple(labels)


def _read_options(part: Part) -> dict[str, Any]:
    for key in ("name", "criterion", "missing", "nominal"):
        part.get(key, str)
    part.one_of("unseen", ("node", "missing", "error"))
    if "conventions" in part.content:
        part.one_of("conventions", ("c45", "r8", "j48"))
    for key in ("min_cases", "min_samples_leaf", "min_weight_fraction_leaf"):
        if key in part.content and not part.get(key, (int, float)) >= 0:
            raise ModelFileError(f"the option {key!r} must be a number of at least 0; it is {part.content[key]!r:.60}.")
    if "confidence" in part.content and not 0 < part.number("confidence") < 1:
        raise ModelFileError(
            f"the option 'confidence' must lie between 0 and 1; it is {part.content['confidence']!r:.60}."
        )
    for key, value in part.content.items():
        if key in ("class_weight", "monotonic_cst") and isinstance(value, list):
            several = key == "class_weight" and bool(value) and all(map(_is_list_of_lists, value))
            for pairs in value if several else [value]:
                _check_pairs(key, pairs, part.place)
        elif key in ("priors", "loss", "costs") and isinstance(value, list):
            _check_numbers(key, value, part.place)
        elif not isinstance(value, str | int | float | bool | type(None)):
            raise ModelFileError(f"the option {key!r} must be a plain value; it is {value!r:.60}.")
    return dict(part.content)


def class_weights_of(pairs: Any) -> list[dict[Label, float]]:
    """Return the mappings that the option `class_weight` of a file holds: one, or one a target."""
    several = bool(pairs) and all(map(_is_list_of_lists, pairs))
    return [dict(one) for one in pairs] if several else [dict(pairs)]


def _is_list_of_lists(value: Any) -> bool:
    """Whether a value may be the pairs of one of several targets."""
    return isinstance(value, list) and all(isinstance(pair, list) for pair in value)


def _check_pairs(key: str, pairs: list[Any], place: str) -> None:
    for pair in pairs:
        whole = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | int | float | bool)
        if not whole or isinstance(pair[1], bool) or not isinstance(pair[1], int | float):
            raise ModelFileError(
                f"{key!r} in {place} must be pairs of a class and a weight, or of a column and -1, 0 or 1; it holds "
                f"{pair!r:.60}."
            )


def _check_numbers(key: str, values: list[Any], place: str) -> None:
    """Refuse what is no list of numbers, of lists of numbers, or of pairs of a label and a number."""
    for value in values:
        for cell in value if isinstance(value, list) else [value]:
            if not isinstance(cell, str | int | float | bool):
                raise ModelFileError(f"{key!r} in {place} must hold numbers; it holds {cell!r:.60}.")


def _read_candidates(top: Part, tree: Tree) -> tuple[tuple[Candidate, ...], ...] | None:
    kept = top.raw("candidates")
    if kept is None:
        return None
    if not is_nested(kept) or len(kept) != len(tree):
        raise ModelFileError("'candidates' must be null, or a list of candidates for every node.")
    return tuple(
        tuple(_read_candidate(Part(content, f"a candidate of node {node}"), tree) for content in candidates)
        for node, candidates in enumerate(kept)
    )


def _read_candidate(part: Part, tree: Tree) -> Candidate:
    feature = part.get("feature", int)
    if not 0 <= feature < len(tree.schema):
        raise ModelFileError(f"{part.place} names column {feature}, which is not there.")
    verdict = part.one_of("verdict", VERDICTS)
    if "kind" not in part.content:
        return Candidate(feature, verdict)  # type: ignore[arg-type]
    kind, branches = part.get("kind", int), part.get("branches", int)
    if kind not in [int(k) for k in SplitKind][1:] or branches < 2:
        raise ModelFileError(f"{part.place} has no valid kind of split.")
    split = Split(
        feature,
        SplitKind(kind),
        branches,
        part.number("threshold"),
        part.array("category_branch", np.int32),
        part.table("shares", (branches,)),
    )
    try:
        check_split(split, tree.schema.features[feature])
    except ModelFileError as error:
        raise ModelFileError(f"{part.place}: {error}") from None
    ones = tree.by_target()
    width = sum(len(one.classes) for one in ones) if tree.task == "class" else 1 + 2 * len(ones)
    missing = part.raw("missing")
    score = part.number("score")
    for figure in ("gain", "correction"):
        part.get(figure, (float, int))
    return Candidate(
        feature,
        verdict,  # type: ignore[arg-type]
        split,
        part.table("table", (branches, width), may_be_negative=tree.task == "number"),
        None if missing is None else part.table("missing", (width,), may_be_negative=tree.task == "number"),
        part.number("gain"),
        float("-inf") if np.isnan(score) else score,
        part.count("tried"),
        part.get("exact", bool),
        part.number("correction"),
        part.get("counted", bool),
        part.count("known_rows") if "known_rows" in part.content else -1,
    )
