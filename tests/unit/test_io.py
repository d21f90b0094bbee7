"""The model file: what is in it, that it reads back as it was, and that nothing wrong is read."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, Tree, load, save
from deciduous.errors import ModelFileError
from deciduous.model.io import FORMAT, VERSION
from deciduous.model.tree import ARRAYS

X = pd.DataFrame(
    {
        "n": [1.0, 2, np.nan, 4, 5, 6],
        "色": pd.Categorical(["红", "b", None, "红", "b", "b"], categories=["红", "b", "unused"]),
        "o": pd.Categorical([3, 1, 3, 1, 2, 2], categories=[3, 2, 1], ordered=True),
        "ok": [True, False, True, True, False, False],
    }
)
Y = ["x", "y", "x", "y", "z", "z"]
MODELS = [
    ID3Classifier(missing="branch").fit(X, Y),
    C45Classifier(class_weight={"x": 2.0, "y": 1}, kinds={"n": "nominal"}).fit(X, Y),
    CARTClassifier(max_leaf_nodes=3, class_weight="balanced").fit(X, Y, [1, 2, 1, 1, 0.5, 1]),
    CARTRegressor().fit(X, [1.0, 2, 1, 5, 1e-9, 1e9]),
    CARTRegressor(keep_candidates=0, max_depth=0).fit(X.to_numpy(dtype=object)[:, :1], [1, 2, 3, 4, 5, 6]),
]
DOCUMENT = json.loads(MODELS[0].tree_.to_json())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_what_was_written_is_read(model: Any, tmp_path: Path) -> None:
    save(model, tmp_path / "model.json")
    read = load(tmp_path / "model.json")
    assert type(read) is type(model)
    assert read.tree_.to_json() == model.tree_.to_json()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(read.tree_, name), getattr(model.tree_, name), strict=True)
    assert read.schema_ == model.schema_
    assert read.get_params() == model.get_params()
    data = X if model.tree_.schema.named else X[["n"]].to_numpy()
    np.testing.assert_array_equal(read.predict(data), model.predict(data), strict=True)
    save(model.tree_, tmp_path / "tree.json")
    assert (tmp_path / "tree.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_the_document(model: Any) -> None:
    def refuse(token: str) -> None:
        pytest.fail(f"{token} is no JSON")

    text = model.tree_.to_json()
    document = json.loads(text, parse_constant=refuse)
    assert list(document) == [
        *("format", "version", "task", "target", "classes", "options", "weighted", "schema", "nodes", "surrogates"),
        "candidates",
    ]
    assert (document["format"], document["version"]) == (FORMAT, VERSION) == ("deciduous tree", 1)
    assert list(document["nodes"]) == list(ARRAYS)
    assert list(document["schema"]) == ["named", "rows", "columns"]
    assert list(document["schema"]["columns"][0]) == ["name", "kind", "categories", "missing", "reason"]
    assert document["options"]["name"] in ("id3", "c45", "cart")
    assert text.endswith("}\n")


def test_nan_is_null_and_labels_keep_their_type_and_letters() -> None:
    assert None in DOCUMENT["nodes"]["gain"]
    assert DOCUMENT["nodes"]["exact"][0] is True
    categories = [column["categories"] for column in DOCUMENT["schema"]["columns"]]
    assert categories == [[], ["红", "b", "unused"], [3, 2, 1], [False, True]]
    assert "红" in MODELS[0].tree_.to_json()


@pytest.mark.parametrize("labels", [["a", "b"], [1, 2], [1.0, 2.0], [True, False]], ids=repr)
def test_class_labels_keep_their_type(labels: list[Any], tmp_path: Path) -> None:
    model = CARTClassifier().fit([[1], [2]], labels)
    model.save(tmp_path / "m")
    read = load(tmp_path / "m")
    np.testing.assert_array_equal(read.classes_, model.classes_, strict=True)
    assert read.predict([[1], [2]]).tolist() == labels


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": np.int64(3)},
        {"min_gain": np.float32(0.125)},
        {"min_gain": np.float64(0.125)},
        {"kinds": {"n": "nominal"}},
    ],
    ids=repr,
)
def test_a_model_that_fit_made_can_be_written(options: dict[str, Any]) -> None:
    tree = CARTClassifier(**options).fit(X, Y).tree_
    assert Tree.from_json(tree.to_json()).to_json() == tree.to_json()


@pytest.mark.parametrize("weights", [{}, {"x": 2.0}, [{"x": 2.0, "y": 1.0}], [{}], "balanced"])
def test_class_weights_are_read_as_they_were(weights: Any, tmp_path: Path) -> None:
    model = CARTClassifier(class_weight=weights).fit(X, Y)
    model.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.class_weight == (weights[0] if isinstance(weights, list) else weights)
    assert loaded.fit(X, Y).tree_.to_text() == model.tree_.to_text()


def test_class_weights_with_labels_of_numpy() -> None:
    model = CARTClassifier(class_weight=dict.fromkeys(np.unique([1, 2]), 2.0)).fit([[1], [2]], [1, 2])
    assert Tree.from_json(model.tree_.to_json()).options["class_weight"] == [[1, 2.0], [2, 2.0]]


# Files and documents that are wrong


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"cannot read .*absent': No such file"):
        load(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="cannot read"):
        load(tmp_path)
    (tmp_path / "latin").write_bytes(b'{"format": "\xe9"}')
    with pytest.raises(ModelFileError, match=r"latin' is not a model file: it is not UTF-8"):
        load(tmp_path / "latin")
    (tmp_path / "other").write_text('{"format": "other"}')
    with pytest.raises(ModelFileError, match=r"other': it is not a model file: its 'format' is 'other'"):
        load(tmp_path / "other")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "the document must be a JSON object; it is list"),
        ("null", "must be a JSON object"),
        ("{}", "its 'format' is None"),
        ('{"format": NaN}', "not strict JSON: NaN"),
        ('{"format": "deciduous tree", "version": 2}', "version 2, and this release reads version 1"),
        ('{"format": "deciduous tree", "version": 1}', "the document lacks 'task'"),
        ("1" * 5000, "not valid JSON"),
    ],
    ids=lambda text: text[:30],
)
def test_documents_that_are_no_model(text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        Tree.from_json(text)


def document(path: str, value: Any, base: Any = DOCUMENT) -> str:
    """Return the document with another value at a place; without the key if the value is `...`."""
    changed = copy.deepcopy(base)
    *above, key = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = changed
    for part in above:
        place = place[part]
    if value is ...:
        del place[key]
    else:
        place[key] = value
    return json.dumps(changed)


def short(value: Any) -> str:
    """Return a parameter as part of a test's name."""
    return str(value)[:40]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("task", "rank", "'task' in the document must be one of class, number; it is 'rank'"),
        ("target", None, "'target' in the document must be str; it is None"),
        ("classes", "xyz", "'classes' in the document must be list"),
        ("classes", ["x", "y", None], "'classes' in the document must hold text"),
        ("classes", ["x", "y", "x"], "'classes' in the document lists a label twice"),
        ("classes", ["x", "\ud800", "z"], "'classes' in the document holds half a character"),
        ("classes", [1, True, 2], "lists a label twice"),
        ("options", [], "'options' in the document must be a JSON object"),
        ("options.unseen", "ask", "'unseen' in 'options' in the document must be one of node, missing, error"),
        ("options.missing", ..., "'options' in the document lacks 'missing'"),
        ("options.max_depth", {}, "the option 'max_depth' must be a plain value"),
        ("options.min_cases", -1, "the option 'min_cases' must be a number of at least 0; it is -1"),
        ("options.confidence", 1.5, "the option 'confidence' must lie between 0 and 1; it is 1.5"),
        ("weighted", 1, "'weighted' in the document must be bool; it is 1"),
        ("schema.columns.1", "色", "column 1 must be a JSON object"),
        ("schema.columns.1.name", "n", "occurs more than once"),
        ("schema.columns.1.kind", "date", "'kind' in column 1 must be one of numeric"),
        ("schema.columns.1.missing", True, "'missing' in column 1 must be int"),
        ("schema.named", "yes", "'named' in 'schema' in the document must be bool"),
        ("nodes.parent", ..., "'nodes' in the document lacks 'parent'"),
        ("nodes.parent", 5, "'parent' in 'nodes' in the document must be list"),
        ("nodes.parent.0", -1.0, "'parent' in 'nodes' in the document must be a list of int32"),
        ("nodes.parent.0", 2**40, "'parent' .* numbers or a length that do not fit"),
        ("nodes.kind.0", -1, "'kind' .* do not fit"),
        ("nodes.exact.0", 1, "'exact' .* must be a list of bool"),
        ("nodes.weight.0", True, "'weight' .* must be a list of numbers"),
        ("nodes.weight.0", "1", "'weight' .* must be a list of numbers"),
        ("nodes.weight.0", 10**400, "'weight' .* do not fit"),
        ("nodes.weight.0", 100, "the tree contradicts itself"),
        ("candidates", {}, "'candidates' must be null, or a list"),
        ("candidates", [], "a list of candidates for every node"),
        ("candidates.0.0", 5, "a candidate of node 0 must be a JSON object"),
        ("candidates.0.0.feature", 9, "a candidate of node 0 names column 9"),
        ("candidates.0.0.verdict", "best", "'verdict' in a candidate of node 0 must be one of chosen"),
        ("candidates.0.0.kind", 9, "a candidate of node 0 has no valid kind"),
        ("candidates.0.0.branches", 1, "no valid kind"),
        ("candidates.0.0.table", [[1, 2]], "'table' in a candidate of node 0 .* do not fit"),
        ("candidates.0.0.table", 3, "'table' in a candidate of node 0 must be list"),
        ("candidates.0.0.table", [3], "'table' in a candidate of node 0 must be a list of numbers"),
        ("candidates.0.0.shares", [1], "'shares' in a candidate of node 0"),
        ("candidates.0.0.gain", None, "'gain' in a candidate of node 0 must be float or int"),
        ("candidates.0.0.category_branch", [0, 1, 0, 1, 0], "lists other categories"),
    ],
    ids=short,
)
def test_the_message_says_what_is_wrong_and_where(path: str, value: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        Tree.from_json(document(path, value))


def test_an_unknown_algorithm(tmp_path: Path) -> None:
    (tmp_path / "m").write_text(document("options.name", "chaid"))
    with pytest.raises(ModelFileError, match="unknown algorithm 'chaid' for the task 'class'"):
        load(tmp_path / "m")


CART = json.loads(CARTClassifier(nominal="one_vs_rest", class_weight={"x": 2.0}).fit(X, Y).tree_.to_json())
NUMERIC = next(i for i, c in enumerate(CART["candidates"][0]) if c.get("kind") == 1)
ORDINAL = next(i for i, c in enumerate(CART["candidates"][0]) if c["feature"] == 2)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"candidates.0.{NUMERIC}.table.0.0", None),  # then it cannot be written again
        (f"candidates.0.{NUMERIC}.table.0.0", -1),
        (f"candidates.0.{NUMERIC}.threshold", 10**400),
        (f"candidates.0.{NUMERIC}.threshold", None),
        (f"candidates.0.{NUMERIC}.gain", 10**400),
        (f"candidates.0.{NUMERIC}.score", 10**400),
        (f"candidates.0.{ORDINAL}.threshold", 3),  # beyond the categories
        (f"candidates.0.{ORDINAL}.threshold", None),
        ("candidates.0.1.category_branch", [1, 1, 1]),  # one against the rest, without the one
        ("options.class_weight", [[1, 2, 3]]),
        ("options.class_weight", [[[], 2]]),
        ("schema.columns.1.categories.1", 10**400),
        ("schema.columns.2.categories.1", "text beside numbers"),
        ("schema.rows", -1),
        ("schema.columns.0.missing", -1),
    ],
    ids=short,
)
def test_documents_that_could_be_read_and_would_fail_later(path: str, value: Any, tmp_path: Path) -> None:
    (tmp_path / "m").write_text(document(path, value, CART))
    with pytest.raises(ModelFileError):
        load(tmp_path / "m")
