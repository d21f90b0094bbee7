"""How good our default trees are, and how large, beside those of other packages: real tables, the same folds.

`python benchmarks/real_tables.py [--quick]` prints the tables and writes results/real_tables.json.
"""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from common import recorded
from common.contest import Limits
from common.learners import LEARNERS, version_of
from common.machine import machine
from common.peers.peer import Refused
from common.recorded import Recorded
from common.script import RESULTS, write
from common.tables import grid

CLASSES = (
    *("birthwt", "breast_cancer_recur", "breast_w", "diabetes", "glass", "infert", "ionosphere", "iris", "kyphosis"),
    *("penguins", "pima_tr2", "sk_breast_cancer", "sk_wine", "stagec", "survey_smoke", "titanic_counts"),
    *("titanic_survival", "vote", "zoo"),
)
NUMBERS = (
    *("airquality", "boston", "car90_price", "caschool", "cpu", "cu_summary", "mtcars", "servo", "sk_diabetes"),
    "solder_balance",
)
QUICK = ("sk_wine", "sk_diabetes")
#: Recorded results, beside what is fitted here.
RECORDED = {"J48, recorded": recorded.j48, "rpart, recorded": recorded.rpart}

NOTE = """Accuracy in percent (for numbers: root mean squared error) of rows that a tree has not seen, and in brackets
its leaves, the mean over 10 folds. Where Weka's results of J48 are recorded, the folds are Weka's; else a
row's fold is its number modulo 10. All learners run with their defaults, and know nothing of each other.
`deciduous ID3`, `C4.5` and `CART` are what `deciduous fit` grows: CART pruned by 10-fold cross-validation
with the 1-SE rule where there are 100 rows, C4.5 by its estimated errors, ID3 not at all. `scikit-learn,
pruned` chooses `ccp_alpha` by 5-fold GridSearchCV; its trees get categories one-hot. `J48, recorded`: the
same folds, the leaves of the tree of all rows. `rpart, recorded`: its own cross-validated estimate, on
folds by row number modulo 10."""


def main() -> None:
    """Judge all learners on all tables."""
    parser = argparse.ArgumentParser(description="Benchmark: default trees on real tables.")
    parser.add_argument("--quick", action="store_true", help="two tables only")
    parser.add_argument("--only", action="append", metavar="TABLE", help="only tables of this name")
    parser.add_argument("--peers", action="append", metavar="TEXT", help="only learners whose name has this text")
    parser.add_argument("--out", type=Path, help="where the JSON goes (default benchmarks/results, or a folder in it)")
    options = parser.parse_args()
    out = options.out or RESULTS / ("quick" if options.quick else "selected" if options.only or options.peers else "")
    learners = [name for name in LEARNERS if any(text in name for text in options.peers or [""])]
    claim = "Default trees on real tables"
    print(f"\n## {claim}\n\n{NOTE}", flush=True)
    limits = dataclasses.asdict(Limits(rounds=1, seconds=0))
    document: dict[str, Any] = {"claim": claim, "note": NOTE, "machine": machine(), "limits": limits, "results": []}
    for heading, names in (("accuracy, classes", CLASSES), ("root mean squared error, numbers", NUMBERS)):
        chosen = [n for n in names if n in (options.only or (QUICK if options.quick else names))]
        found: dict[str, dict[str, Any]] = {}
        absent = []
        done = document["results"]
        for name in chosen:
            table = recorded.load(name)
            if table is None:
                absent.append(name)
                continue
            found[f"{name} ({len(table.y)})"] = figures(table, learners)
            print(f"({name})", flush=True)
            document["results"] = [*done, section(heading, found, absent, learners)]
            write(out / f"{Path(__file__).stem}.json", document)  # what was judged stays if the rest is cut off
        if found:
            print(f"\n### {heading}\n\n{document['results'][-1]['table']}", flush=True)


def section(heading: str, found: dict[str, dict[str, Any]], absent: list[str], learners: list[str]) -> dict[str, Any]:
    """Return the part of the document about some tables."""
    columns = [*learners, *RECORDED]
    columns = [c for c in columns if any("error" in line[c] for line in found.values())]
    is_class = heading.startswith("accuracy")
    lines = [(name, *(_cell(line[c], is_class) for c in columns)) for name, line in found.items()]
    text = grid([("table (rows)", *columns), *lines, _mean(found, columns, is_class)])
    reasons = sorted({f"{c}: {line[c]['reason']}" for line in found.values() for c in line if "reason" in line[c]})
    if absent:
        reasons.append(f"not at hand: {', '.join(absent)}")
    text += "".join(f"\n\n{reason}." for reason in reasons)
    entries = [{"name": package, "version": version_of(package)} for package in ("deciduous", "scikit-learn", "ydf")]
    return {"workload": {"name": heading}, "table": text, "figures": found, "entries": entries}


def figures(table: Recorded, learners: list[str]) -> dict[str, Any]:
    """Return the error and the leaves of every learner, or why there are none."""
    line: dict[str, Any] = {}
    for name in learners:
        try:
            said, leaves = LEARNERS[name][1](table)
            line[name] = {"error": table.error(said), "leaves": leaves}
        except Refused as refused:
            line[name] = {"reason": str(refused)}
        except ImportError as error:
            line[name] = {"reason": f"cannot be imported ({error})"}
    for name, look_up in RECORDED.items():
        known = look_up(table)
        line[name] = {} if known is None else {"error": known[0], "leaves": known[1]}
    return line


def _cell(one: dict[str, Any], is_class: bool) -> str:
    if "error" not in one:
        return "—"
    score = f"{100 * (1 - one['error']):.1f}" if is_class else f"{one['error']:.4g}"
    return f"{score} ({one['leaves']:.1f})"


def _mean(found: dict[str, Any], columns: list[str], is_class: bool) -> tuple[str, ...]:
    """Return the last line: means over the tables; of errors of numbers, that of the ratios to our default."""
    cells = []
    for column in columns:
        ones = [line[column] for line in found.values()]
        if not all("error" in one for one in ones):
            cells.append("—")
            continue
        leaves = np.mean([one["leaves"] for one in ones])
        ours = [1.0 if is_class else line.get("deciduous CART", line[column])["error"] for line in found.values()]
        mean = np.mean([one["error"] / own for one, own in zip(ones, ours, strict=True)])
        cells.append(f"{100 * (1 - mean):.1f} ({leaves:.1f})" if is_class else f"{mean:.3f} of ours ({leaves:.1f})")
    return ("mean", *cells)


if __name__ == "__main__":
    main()
