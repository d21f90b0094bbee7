"""What an evaluation found: predictions of rows that the model was not fitted on, and every figure made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from deciduous.criteria import Task
from deciduous.errors import OptionError
from deciduous.evaluate import scores
from deciduous.evaluate.intervals import METHODS, Interval, accuracy_interval, check_method, resampled_interval
from deciduous.evaluate.runs import Predictions
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.measures import Floats
from deciduous.textgrid import WIDTH, grid

if TYPE_CHECKING:
    import polars as pl

#: BCa leaves out rows one by one; by default only of so many.
MOST_LEFT_OUT = 2000
#: Confusion matrices of more classes are not printed; `confusion_matrix` has them.
MOST_CLASSES = 12


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good a model is on rows it was not fitted on.

    `model`, `method`: what was evaluated and how, in words; `task`, `target`; `labels`: the classes, in the order of
    the codes in `predictions` and of the confusion matrix, None for numbers; `weighted`: whether rows have weights.
    """

    model: str
    method: str
    task: Task
    target: str
    labels: NDArray[Any] | None
    weighted: bool
    predictions: Predictions

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 for numbers."""
        return 0 if self.labels is None else len(self.labels)

    @cached_property
    def scores(self) -> dict[str, float]:
        """Every score by name. Worked out over all predictions; the ROC-AUC run by run, and averaged (Forman and Scholz
        2010).
        """
        known = scores.scores_of(self.task)
        return {name: scores.pooled(name, score, self.predictions, self.n_classes) for name, score in known.items()}

    def score_by_run(self, name: str) -> Floats:
        """Return a score in each run, shape (runs,); NaN where a run cannot tell."""
        score = scores.score_named(name, self.task)
        p = self.predictions
        return np.array([score(p.of_run(run), self.n_classes) for run in range(p.n_runs)])

    @cached_property
    def confusion_matrix(self) -> Floats:
        """The weights of rows by (true class, predicted class), shape (classes, classes)."""
        self._only_classes("a confusion matrix")
        return scores.confusion(self.predictions, self.n_classes)

    def confusion_frame(self) -> pl.DataFrame:
        """Return the confusion matrix as a data frame, a line a true class."""
        import polars as pl

        names = self._names()
        return pl.DataFrame({"true class": names, **dict(zip(names, self.confusion_matrix.T, strict=True))})

    def by_class(self) -> pl.DataFrame:
        """Return precision, recall, F1 and weight of each class as a data frame; null for 0 / 0."""
        import polars as pl

        figures = scores.by_class(self.confusion_matrix)
        return pl.DataFrame({"class": self._names(), **figures}).fill_nan(None)

    def cost(self, loss: Any) -> float:
        """Return the mean cost of a prediction under a loss: a matrix (true class, predicted class), or a mapping of
        pairs (true, predicted) to costs.
        """
        self._only_classes("a loss matrix")
        assert self.labels is not None
        return scores.mean_cost(self.confusion_matrix, loss, self.labels)

    def calibration(self, label: Any = None, bins: int = 10) -> pl.DataFrame:
        """Return how often a class came where its probability was said to be about so much; by default the last class.

        Columns: probability (mean of those said), share (of rows of that class), weight; a line a bin of equal width.
        """
        import polars as pl

        self._only_classes("a calibration curve")
        assert self.labels is not None
        labels = self.labels.tolist()
        if label is not None and label not in labels:
            raise OptionError(f"{label!r} is not one of the classes, {labels!r:.200}.")
        of = len(labels) - 1 if label is None else labels.index(label)
        return pl.DataFrame(scores.calibration(self.predictions, of, bins))

    def interval(
        self,
        score: str | None = None,
        level: float = 0.95,
        method: str | None = None,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> Interval:
        """Return an interval for a score; by default for the accuracy, by Wilson's formula.

        `method`: for the accuracy `wilson`, `clopper_pearson`, `agresti_coull` or `wald`; for any score `percentile` or
        `bca`, which draw the judged rows with replacement (all but the accuracy: `bca`, which leaves out rows one by
        one, by default up to 2,000 rows). A row that is judged more than once counts as one. With weights the number of
        rows is Kish's effective one, (sum w)^2 / sum w^2. The interval is about these rows; how much the model itself
        changes with other training rows it does not know.
        """
        name = score or ("accuracy" if self.task == "class" else "root_mean_squared_error")
        by_drawing = "bca" if len(self._places) <= MOST_LEFT_OUT else "percentile"
        chosen = check_method(method or ("wilson" if name == "accuracy" else by_drawing))
        if chosen in METHODS:
            if name != "accuracy":
                raise OptionError(f"method={chosen!r} is for the accuracy; use 'percentile' or 'bca' for {name}.")
            n = self._effective_rows()
            return accuracy_interval(self.scores["accuracy"] * n, n, level, chosen)
        return resampled_interval(self._resampling(name), len(self._places), level, chosen, resamples, seed)

    def _effective_rows(self) -> float:
        first = np.unique(self.predictions.row, return_index=True)[1]
        weight = self.predictions.weight[first]
        return float(weight.sum() ** 2 / (weight**2).sum())

    @cached_property
    def _places(self) -> list[NDArray[np.int64]]:
        """Where the predictions of each judged row are."""
        order = np.argsort(self.predictions.row, kind="stable")
        starts = np.unique(self.predictions.row[order], return_index=True)[1]
        return np.split(order, starts[1:])

    def _resampling(self, name: str) -> Callable[[np.ndarray], float]:
        score = scores.score_named(name, self.task)
        places, once = self._places, self.predictions.n_runs == 1 or len(self._places) == len(self.predictions)
        flat = np.concatenate(places)

        def of_rows(rows: np.ndarray) -> float:
            at = flat[rows] if once else np.concatenate([places[row] for row in rows])
            return scores.pooled(name, score, self.predictions.at(at), self.n_classes)

        return of_rows

    def _only_classes(self, what: str) -> None:
        if self.task != "class":
            raise OptionError(f"{what} is for classes; this model predicts numbers.")

    def _names(self) -> list[str]:
        assert self.labels is not None
        return [str(label) for label in self.labels.tolist()]

    def to_frame(self) -> pl.DataFrame:
        """Return the predictions as a data frame, a line each: run, row, truth, predicted, weight, and the probability
        of each class.
        """
        import polars as pl

        p = self.predictions
        columns: dict[str, Any] = {"run": p.run, "row": p.row}
        for name, values in (("truth", p.truth), ("predicted", p.predicted)):
            columns[name] = values if self.labels is None else self.labels[values].tolist()
        columns["weight"] = p.weight
        if p.probability is not None:
            columns |= {f"p({name})": p.probability[:, i] for i, name in enumerate(self._names())}
        return pl.DataFrame(columns)

    def score_frame(self) -> pl.DataFrame:
        """Return every score: over all, and the mean, standard deviation, least and largest over the runs,
        where there is more than one and they judge more than one row.
        """
        import polars as pl

        lines = []
        one_row_a_run = len(self.predictions) == self.predictions.n_runs
        for name, value in self.scores.items():
            each = np.zeros(0) if one_row_a_run else self.score_by_run(name)
            each = each[~np.isnan(each)]
            spread = (each.mean(), each.std(ddof=1), each.min(), each.max()) if len(each) > 1 else (None,) * 4
            lines.append((name, value, *spread))
        names = ["score", "value", "mean of runs", "sd of runs", "least", "largest"]
        return pl.DataFrame(lines, schema=names, orient="row").fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        figures: dict[str, Any] = {
            "model": self.model,
            "method": self.method,
            "target": self.target,
            "runs": self.predictions.n_runs,
            "predictions": len(self.predictions),
            "scores": {name: _plain(value) for name, value in self.scores.items()},
        }
        if self.labels is not None:
            figures["classes"] = self.labels.tolist()
            figures["interval"] = self.interval().to_dict()
            figures["confusion_matrix"] = self.confusion_matrix.tolist()
            figures["by_class"] = self.by_class().to_dicts()
        return figures

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        """Return a text for a terminal."""
        head = _("{model}, target {target}").format(model=self.model, target=self.target)
        head += "\n" + translate_filled(self.method)
        if self.weighted:
            head += _("; rows are weighted")
        parts = [head, self._score_text()]
        if self.labels is not None:
            parts.insert(1, _("accuracy {interval}").format(interval=self.interval()))
            parts.append(self._confusion_text())
            parts.append(self._class_text())
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the text for a notebook."""
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def _score_text(self) -> str:
        several = 1 < self.predictions.n_runs < len(self.predictions)
        lines = []
        for line in self.score_frame().rows():
            spread = [_short(line[2]), _short(line[3])] if several else []
            lines.append([_(line[0].replace("_", " ")), _short(line[1]), *spread])
        header = [_("score"), _("value"), *([_("mean of runs"), _("sd")] if several else [])]
        return grid(header, lines, numbers=range(1, len(header)))

    def _confusion_text(self) -> str:
        if self.n_classes > MOST_CLASSES:
            return _("({n} classes: see confusion_frame())").format(n=self.n_classes)
        lines = [
            [name, *(f"{cell:.6g}" for cell in line)]
            for name, line in zip(self._names(), self.confusion_matrix, strict=True)
        ]
        heads = self._names()
        if sum(map(cell_len, heads)) > WIDTH // 2:  # the columns by number, and the rows by number and name
            heads = [str(number) for number in range(1, self.n_classes + 1)]
            lines = [[f"{head}: {line[0]}", *line[1:]] for head, line in zip(heads, lines, strict=True)]
        return grid([_("true \\ predicted"), *heads], lines, numbers=range(1, self.n_classes + 1))

    def _class_text(self) -> str:
        lines = [[line[0], *map(_short, line[1:4]), f"{line[4]:.6g}"] for line in self.by_class().rows()]
        weight = _("weight") if self.weighted else _("rows")
        return grid([_("class"), _("precision"), _("recall"), "f1", weight], lines, range(1, 5))


def _short(value: float | None) -> str:
    return "-" if value is None or np.isnan(value) else f"{value:.4f}" if abs(value) < 1000 else f"{value:.6g}"


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
