"""Fill `tests/data/oracles` from the folder `shared/oracles`: `python -m tests.parity.copy_oracles`.

Copied are the cases that we run whose data may be passed on; the index lists the other cases too.
"""

import json
from pathlib import Path
from typing import Any

from tests.parity.oracles import COPIES, SHARED, family

#: Data under a permissive licence or none: textbook facts, made from a definition, CC0, CC BY 4.0, BSD-3.
PERMISSIVE = {
    *("balance_nom", "catdog", "contact_lenses", "golf_quinlan", "loan", "monk1_full", "monk3_full"),
    *("sk_breast_cancer", "sk_diabetes", "sk_iris", "sk_wine"),
    *("syn_c0", "syn_c1", "syn_c2", "syn_r4", "syn_r5", "syn_r6"),
    *("watermelon2", "watermelon2_train", "watermelon2_valid", "watermelon2a", "watermelon3", "weather_nominal"),
}


#: Where two tables come from, in words that say more than the recorded ones.
SOURCES = {
    "catdog": "a worked example of lecture notes on decision trees",
    "loan": "Li Hang, Statistical Learning Methods (2012), Table 5.1",
}


def copy() -> None:
    """Copy cases, data and schemas, and write the index."""
    ours = [entry for entry in _json("open/index.json")["list"] if family(entry["id"])]
    for entry in ours:
        if Path(entry["dataset"]).stem in PERMISSIVE:
            _write("open/" + entry["file"], _text("open/" + entry["file"]))
    for name in sorted(PERMISSIVE):
        _write(f"open/data/{name}.csv", _text(f"open/data/{name}.csv"))
        _write(f"open/data/{name}.schema.json", json.dumps(schema(name), ensure_ascii=False, indent=1) + "\n")
    _write("open/index.json", '{"list": [\n' + ",\n".join(json.dumps(line(entry)) for entry in ours) + "\n]}\n")


def line(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the line of our index about a case."""
    must_match = _json("open/" + entry["file"]).get("must_match", [])
    return {**{key: entry[key] for key in ("id", "file", "dataset")}, "must_match": must_match}


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a table as it is copied."""
    recorded: dict[str, Any] = _json(f"open/data/{name}.schema.json")
    return {**recorded, "source": SOURCES.get(name, recorded["source"])}


def comparable(text: str, path: str) -> Any:
    """Return what a copy has in common with its original: all but the wording of the source."""
    if not path.endswith(".schema.json"):
        return text
    return {key: value for key, value in json.loads(text).items() if key != "source"}


def _text(path: str) -> str:
    return (SHARED / path).read_text(encoding="utf-8")


def _json(path: str) -> Any:
    return json.loads(_text(path))


def _write(path: str, text: str) -> None:
    target = COPIES / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    copy()
