"""How a model changes with what it is given: more rows, another size of tree, another sample of the rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from deciduous.errors import OptionError, nearest
from deciduous.evaluate import scores
from deciduous.evaluate.cases import Cases
from deciduous.evaluate.runs import Predictions, answers, fitted, gathered, in_turn
from deciduous.evaluate.splits import Split
from deciduous.language import translate as _
from deciduous.measures import Floats
from deciduous.textgrid import WIDTH, grid, wrapped

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Curve:
    """A score along some values of something: `values`, shape (values,); `train` and `test`: the score on rows that the
    model was fitted on and on others, shape (values, runs); `leaves`: the leaves of the trees, NaN for models that are
    none.
    """

    along: str
    score: str
    values: tuple[Any, ...]
    train: Floats
    test: Floats
    leaves: Floats

    @property
    def best(self) -> Any:
        """The value of best mean score on rows that the model was not fitted on; the first of equals."""
        mean = self.test.mean(axis=1)
        return self.values[int(np.argmin(mean) if self.score in scores.ERRORS else np.argmax(mean))]

    def to_frame(self) -> pl.DataFrame:
        """Return a line a value: means and standard deviations over the runs."""
        import polars as pl

        several = self.test.shape[1] > 1
        columns: dict[str, Any] = {self.along: list(self.values)}
        for name, values in (("train", self.train), ("test", self.test)):
            columns[name] = values.mean(axis=1)
            columns[f"{name}_sd"] = values.std(axis=1, ddof=1) if several else [None] * len(values)
        return pl.DataFrame({**columns, "leaves": self.leaves.mean(axis=1)}, strict=False).fill_nan(None)

    def __str__(self) -> str:
        """Return a text for a terminal."""
        lines = [
            [str(line[0]), *("-" if cell is None else f"{cell:.4f}" for cell in line[1:5]), _leaves(line[5])]
            for line in self.to_frame().rows()
        ]
        score = _(self.score.replace("_", " "))
        own, others = _("{score} on own rows").format(score=score), _("on others")
        along = _("rows") if self.along == "rows" else self.along.replace("_", " ")
        return grid([along, own, _("sd"), others, _("sd"), _("leaves")], lines, numbers=range(6))


def _leaves(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


@dataclass(frozen=True, eq=False)
class Stability:
    """How much trees differ between bootstrap samples of the same rows.

    `root`: how often each column is asked first, `used`: in how many trees it is asked at all, as shares by column
    name; `agreement`: the mean share of rows that two of the trees answer alike (for numbers: the mean correlation of
    their answers); `leaves`, `depth`: of each tree, shape (samples,); `classes`: whether they predict classes.
    """

    samples: int
    root: dict[str, float]
    used: dict[str, float]
    agreement: float
    leaves: Floats
    depth: Floats
    classes: bool

    def to_frame(self) -> pl.DataFrame:
        """Return a line a column that any tree asks for."""
        import polars as pl

        names = sorted(self.used, key=lambda name: (-self.root.get(name, 0.0), -self.used[name]))
        columns = {"root": [self.root.get(name, 0.0) for name in names], "used": [self.used[name] for name in names]}
        return pl.DataFrame({"column": names, **columns})

    def __str__(self) -> str:
        """Return a text for a terminal."""
        lines = [
            [_(name) if name == NO_QUESTION else name, f"{100 * root:.1f} %", f"{100 * used:.1f} %"]
            for name, root, used in self.to_frame().rows()
        ]
        text = _("{n} trees of bootstrap samples: leaves {leaves}, depth {depth}; agreement of two: {alike}.").format(
            n=self.samples, leaves=_spread(self.leaves), depth=_spread(self.depth), alike=self._alike()
        )
        columns = grid([_("column"), _("at the root"), _("used at all")], lines, numbers=[1, 2])
        return "\n".join(wrapped(text, WIDTH, "  ")) + f"\n\n{columns}"

    def _alike(self) -> str:
        """Return in words how far two of the trees agree."""
        if np.isnan(self.agreement):
            return _("unknown, all answers are equal")
        if self.classes:
            return _("{share} of the rows").format(share=f"{100 * self.agreement:.1f} %")
        return _("correlation {r}").format(r=f"{self.agreement:.4f}")


def _spread(values: Floats) -> str:
    """Return the mean of some values, and the least and the largest one."""
    figures = {"mean": f"{values.mean():.1f}", "low": f"{values.min():.0f}", "high": f"{values.max():.0f}"}
    return _("{mean} ({low} to {high})").format(**figures)


def learning(
    estimator: Any,
    cases: Cases,
    splits: list[Split],
    sizes: tuple[float, ...],
    score: str,
    n_jobs: int | None,
    verbose: int,
    seed: int | None,
) -> Curve:
    """Return the score by the number of rows to learn from; smaller parts are parts of larger ones."""
    for size in sizes:
        if not 0 < size <= 1:
            raise OptionError(f"sizes must be shares of the rows above 0 and up to 1, not {size!r}.")
    orders = [
        np.random.default_rng([seed or 0, number]).permutation(split.train) for number, split in enumerate(splits)
    ]
    parts = [
        [
            Split(order[: max(1, round(size * len(order)))], split.test)
            for order, split in zip(orders, splits, strict=True)
        ]
        for size in sizes
    ]
    values = tuple(round(float(np.mean([len(split.train) for split in part]))) for part in parts)
    return _curve("rows", values, [estimator] * len(parts), cases, parts, score, n_jobs, verbose)


def complexity(
    estimator: Any,
    cases: Cases,
    splits: list[Split],
    option: str,
    values: tuple[Any, ...],
    score: str,
    n_jobs: int | None,
    verbose: int,
) -> Curve:
    """Return the score by the values of an option."""
    known = list(estimator.get_params())
    if option not in known:
        raise OptionError(f"{option!r} is not an option of {type(estimator).__name__}.{nearest(option, known)}")
    models = [clone(estimator).set_params(**{option: value}) for value in values]
    return _curve(option, values, models, cases, [splits] * len(values), score, n_jobs, verbose)


def _curve(
    along: str,
    values: tuple[Any, ...],
    models: list[Any],
    cases: Cases,
    parts: list[list[Split]],
    score: str,
    n_jobs: int | None,
    verbose: int,
) -> Curve:
    function, n_classes = scores.score_named(score, cases.task), 0 if cases.labels is None else len(cases.labels)
    jobs = [(model, cases, split) for model, part in zip(models, parts, strict=True) for split in part]
    results = in_turn(_both_sides, jobs, n_jobs, verbose)
    shape = (len(values), len(parts[0]))
    own, others = (np.array([function(result[side], n_classes) for result in results]) for side in (0, 1))
    leaves = np.array([result[2] for result in results])
    return Curve(along, score, values, own.reshape(shape), others.reshape(shape), leaves.reshape(shape))


def _both_sides(estimator: Any, cases: Cases, split: Split) -> tuple[Predictions, Predictions, float]:
    """Return the predictions of the rows of a model and of the rows left out, and the leaves of its tree."""
    own, others = cases.take(split.train), cases.take(split.test)
    model = fitted(estimator, own)
    sides = [
        gathered(part, [Split(np.zeros(0, dtype=np.int64), np.arange(len(part)))], [answers(model, part)])
        for part in (own, others)
    ]
    return sides[0], sides[1], float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else float("nan")


def stable(estimator: Any, cases: Cases, splits: list[Split], n_jobs: int | None, verbose: int) -> Stability:
    """Return how much the trees of bootstrap samples differ."""
    results = in_turn(_tree_of, [(estimator, cases, split) for split in splits], n_jobs, verbose)
    names = results[0][0]
    root: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for _names_of, features, *_rest in results:
        asked = [names[place] for place in np.unique(features[features >= 0]).tolist()] or [NO_QUESTION]
        used.update(asked)
        root[names[features[0]] if features[0] >= 0 else NO_QUESTION] += 1
    n, classes = len(results), cases.task == "class"
    agreement = _agreement(np.array([result[2] for result in results]), classes)
    leaves, depth = (np.array([result[k] for result in results], dtype=np.float64) for k in (3, 4))
    shares = [{name: count / n for name, count in counts.items()} for counts in (root, used)]
    return Stability(n, shares[0], shares[1], agreement, leaves, depth, classes)


#: What stands for the first column of a tree that asks nothing.
NO_QUESTION = "(a single leaf)"


def _tree_of(estimator: Any, cases: Cases, split: Split) -> tuple[list[str], Any, Any, int, int]:
    model = fitted(estimator, cases.take(split.train))
    tree = getattr(model, "tree_", None)
    if tree is None:
        raise OptionError(f"stability is about trees; {type(model).__name__} has no tree_.")
    schema = getattr(model, "schema_", None)
    names = list(schema.names) if schema is not None else _names(model, cases)
    return names, np.asarray(tree.feature), answers(model, cases)[0], model.get_n_leaves(), model.get_depth()


def _names(model: Any, cases: Cases) -> list[str]:
    given = getattr(model, "feature_names_in_", None)
    return [str(name) for name in given] if given is not None else [f"x{i}" for i in range(model.n_features_in_)]


def _agreement(said: Any, classes: bool) -> float:
    """Return the mean over pairs of models of the share of rows answered alike, or of the correlation of numbers."""
    n = len(said)
    if n < 2:
        raise OptionError("stability needs at least 2 samples.")
    if not classes:
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.corrcoef(said)[np.triu_indices(n, 1)]
        known = each[~np.isnan(each)]  # a tree that says the same of all rows goes along with none
        return float(known.mean()) if len(known) else float("nan")
    alike = np.zeros(said.shape[1])
    for code in np.unique(said):
        count = (said == code).sum(axis=0)
        alike += count * (count - 1)
    return float(np.mean(alike / (n * (n - 1))))
