"""The main job, end to end: grow, print, explain, save, reload and predict, with all algorithms, on bundled tables."""

import tempfile
from pathlib import Path

import numpy as np

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, datasets
from deciduous.estimators.base import TreeEstimator
from deciduous.explain.derivation import derivation_of


def show(title: str, estimator: TreeEstimator, table: datasets.Dataset, target: str) -> None:
    """Grow a tree on a table, print it with the working of its root, save it, read it back, and compare the answers."""
    print(f"\n{title}\n{'=' * len(title)}\n")
    estimator.set_params(kinds=table.kinds)
    frame = table.frame.drop_nulls(target)
    estimator.fit(frame, target)
    print(estimator.schema_, end="\n\n")
    print(estimator.tree_.to_text(max_depth=3), end="\n\n")
    print(derivation_of(estimator.tree_).to_text(), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        deciduous.save(estimator, file)
        again = deciduous.load(file)
        size = file.stat().st_size
    answers = estimator.predict(frame)
    if not np.array_equal(answers, again.predict(frame)):
        raise SystemExit("the reloaded tree answers otherwise")
    print(f"Saved ({size:,} bytes), reloaded, and equal on all {len(answers)} rows; the first answers:")
    print(answers[:3].tolist())


def main() -> None:
    """Run every algorithm on a table that suits it."""
    print("Measures on the loan table:")
    loan = datasets.load("loan")
    for feature in loan.X.columns:
        gain = deciduous.information_gain(loan.X[feature], loan.y)
        ratio = deciduous.gain_ratio(loan.X[feature], loan.y)
        index = deciduous.gini_index(loan.X[feature], loan.y)
        print(f"  {feature:15} gain {gain:.3f}   gain ratio {ratio:.3f}   Gini index {index:.3f}")

    show("ID3 on the loan table", ID3Classifier(), loan, "Class")
    show("ID3 on the watermelons 3.0", ID3Classifier(), datasets.load("watermelon3"), "好瓜")
    show(
        "C4.5 on the watermelons 2.0-alpha, with missing cells", C45Classifier(), datasets.load("watermelon2a"), "好瓜"
    )
    show("C4.5 on golf", C45Classifier(), datasets.load("golf"), "class")
    show("CART on the penguins", CARTClassifier(max_depth=4), datasets.load("penguins"), "species")
    show("CART on their body mass", CARTRegressor(max_depth=3), datasets.load("penguins"), "body_mass_g")


if __name__ == "__main__":
    main()
