"""The bootstrap: models fitted on samples drawn with replacement, judged by the rows that were not drawn; and the .632
and .632+ estimates, which weigh that against the fit to the model's own rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deciduous.criteria import Task
from deciduous.errors import OptionError
from deciduous.evaluate.cases import Cases
from deciduous.evaluate.evaluation import Evaluation
from deciduous.evaluate.intervals import Interval
from deciduous.evaluate.runs import Answers, Predictions
from deciduous.evaluate.splits import Split
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.measures import Floats
from deciduous.textgrid import grid

if TYPE_CHECKING:
    import polars as pl

#: 1 - 1/e, about the share of different rows in a large sample, and the rest.
DRAWN, LEFT = 0.632, 0.368


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A bootstrap evaluation. Errors are shares of wrong answers, or for numbers mean squared errors.

    `out_of_bag`: the evaluation of the predictions of rows that were not drawn; `n_rows`; `distinct`: the share of
    different rows in each sample, shape (samples,); `error_by_sample`: the error of each sample's model on the rows it
    has not seen, shape (samples,); `apparent_error`: that of the model of all rows on its own rows;
    `no_information_error`: what its answers would have if they had nothing to do with the rows (gamma of Efron and
    Tibshirani 1997).
    """

    out_of_bag: Evaluation
    n_rows: int
    distinct: Floats
    error_by_sample: Floats
    apparent_error: float
    no_information_error: float

    @property
    def task(self) -> Task:
        """What the model predicts."""
        return self.out_of_bag.task

    @property
    def expected_distinct(self) -> float:
        """The expected share of different rows in a sample of N: 1 - (1 - 1/N)^N, which tends to 1 - 1/e = 0.632."""
        return 1 - (1 - 1 / self.n_rows) ** self.n_rows

    @property
    def out_of_bag_error(self) -> float:
        """The mean of the samples' errors on the rows they have not seen; rather too high, as a sample has only 0.632
        of the rows.
        """
        return float(self.error_by_sample.mean())

    @property
    def leave_one_out_error(self) -> float:
        """Err(1): the mean over rows of the error of the models that have not seen it (Efron and Tibshirani 1997)."""
        predictions = self.out_of_bag.predictions
        errors, weight = _errors(predictions, self.task), predictions.weight
        n = int(predictions.row.max()) + 1
        judged = np.bincount(predictions.row, minlength=n)
        sums = np.bincount(predictions.row, errors, n)
        by_row = np.bincount(predictions.row, weight, n)
        seen = judged > 0
        return float(np.average(sums[seen] / judged[seen], weights=by_row[seen] / judged[seen]))

    @property
    def error_632(self) -> float:
        """The .632 estimate (Efron 1983), as the textbooks give it for accuracies: the mean over the samples of
        0.632 error_i + 0.368 error of all rows. Too optimistic for models that fit their own rows perfectly.
        """
        return DRAWN * self.out_of_bag_error + LEFT * self.apparent_error

    @property
    def overfitting_rate(self) -> float:
        """R = (Err(1) - err) / (gamma - err), between 0 and 1 (Efron and Tibshirani 1997, equation 28)."""
        worst, own = self.no_information_error, self.apparent_error
        outside = min(self.leave_one_out_error, worst)
        return (outside - own) / (worst - own) if outside > own and worst > own else 0.0

    @property
    def weight_632_plus(self) -> float:
        """What Err(1) weighs in the .632+ estimate: 0.632 / (1 - 0.368 R), from 0.632 without overfitting to 1."""
        return DRAWN / (1 - LEFT * self.overfitting_rate)

    @property
    def error_632_plus(self) -> float:
        """The .632+ estimate (Efron and Tibshirani 1997, equation 29): (1 - w) err + w Err(1), where Err(1) is at most
        gamma; for models that overfit.
        """
        outside = min(self.leave_one_out_error, self.no_information_error)
        w = self.weight_632_plus
        return (1 - w) * self.apparent_error + w * (outside if self.overfitting_rate > 0 else self.leave_one_out_error)

    @property
    def accuracy_632(self) -> float:
        """1 - `error_632`; the source's acc_boot = 1/b sum_i (0.632 eps_i + 0.368 acc_s). OptionError for numbers."""
        self._only_classes()
        return 1 - self.error_632

    @property
    def accuracy_632_plus(self) -> float:
        """1 - `error_632_plus`. OptionError for numbers."""
        self._only_classes()
        return 1 - self.error_632_plus

    def spread(self, level: float = 0.95) -> Interval:
        """Return the middle part of the samples' errors on rows they have not seen, and their mean."""
        if not 0 < level < 1:
            raise OptionError(f"level={level!r} must be a share between 0 and 1, for example 0.95.")
        low, high = np.quantile(self.error_by_sample, [(1 - level) / 2, (1 + level) / 2])
        return Interval(self.out_of_bag_error, float(low), float(high), level, "percentiles of the samples")

    def _only_classes(self) -> None:
        if self.task != "class":
            raise OptionError("an accuracy is for classes; this model predicts numbers.")

    def to_frame(self) -> pl.DataFrame:
        """Return a line a sample: rows to judge by, share of different rows, error on the rows left out, and that
        weighed with the error of all rows.
        """
        import polars as pl

        samples = len(self.distinct)
        return pl.DataFrame(
            {
                "sample": np.arange(1, samples + 1),
                "left_out": self.out_of_bag.predictions.sizes[:, 1],
                "distinct": self.distinct,
                "error": self.error_by_sample,
                "error_632": DRAWN * self.error_by_sample + LEFT * self.apparent_error,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        names = (
            "n_rows",
            "expected_distinct",
            "apparent_error",
            "no_information_error",
            "out_of_bag_error",
            "leave_one_out_error",
            "error_632",
            "overfitting_rate",
            "weight_632_plus",
            "error_632_plus",
        )
        figures = {name: getattr(self, name) for name in names}
        samples = {"distinct": self.distinct.tolist(), "error_by_sample": self.error_by_sample.tolist()}
        return {**figures, **samples, "out_of_bag": self.out_of_bag.to_dict()}

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        """Return a text for a terminal."""
        model = self.out_of_bag
        head = _("{model}, target {target}").format(model=model.model, target=model.target)
        head += "\n" + translate_filled(model.method)
        return f"{head}\n\n{self._sample_text()}\n\n{self._estimate_text()}"

    def _repr_html_(self) -> str:
        """Return the text for a notebook."""
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def _sample_text(self) -> str:
        text = _(
            "Different rows in a sample: {mean} on average, {least} to {most};\n"
            "expected 1 - (1 - 1/{n})^{n} = {expected}"
        )
        shares = {"mean": self.distinct.mean(), "least": self.distinct.min(), "most": self.distinct.max()}
        shown = {name: f"{share:.4f}" for name, share in (shares | {"expected": self.expected_distinct}).items()}
        return text.format(n=self.n_rows, **shown)

    def _estimate_text(self) -> str:
        own, outside, w = self.apparent_error, self.out_of_bag_error, self.weight_632_plus
        weight = _("weight {w}, R = {r}")
        lines = [
            (_("own rows (resubstitution)"), own, _("the model of all rows, on those rows")),
            (_("out of bag"), outside, _("mean over the samples, on rows not drawn")),
            (".632", self.error_632, f"0.632 x {outside:.4f} + 0.368 x {own:.4f}"),
            (".632+", self.error_632_plus, weight.format(w=f"{w:.4f}", r=f"{self.overfitting_rate:.4f}")),
            (_("no information"), self.no_information_error, _("answers that have nothing to do with the rows")),
        ]
        if self.task == "number":
            header = [_("estimate"), _("mean squared error"), _("how")]
            return grid(header, [(a, f"{b:.6g}", c) for a, b, c in lines], [1])
        header = [_("estimate"), _("error"), _("accuracy"), _("how")]
        return grid(header, [(a, f"{b:.4f}", f"{1 - b:.4f}", c) for a, b, c in lines], numbers=[1, 2])


def bootstrap_of(evaluation: Evaluation, cases: Cases, splits: list[Split], own: Answers) -> Bootstrap:
    """Return the figures of a bootstrap; `own`: what the model of all rows says of its own rows."""
    predictions, task = evaluation.predictions, evaluation.task
    errors = _errors(predictions, task)
    total = np.bincount(predictions.run, predictions.weight)
    weight = np.ones(len(cases)) if cases.weight is None else cases.weight
    return Bootstrap(
        evaluation,
        len(cases),
        np.array([1 - len(split.test) / len(cases) for split in splits]),
        np.bincount(predictions.run, predictions.weight * errors) / total,
        float(np.average(_off(cases.y, own[0], task), weights=weight)),
        _no_information(cases.y, own[0], weight, task),
    )


def _errors(predictions: Predictions, task: Task) -> Floats:
    return _off(predictions.truth, predictions.predicted, task)


def _off(truth: Any, predicted: Any, task: Task) -> Floats:
    off: Floats = (truth != predicted).astype(np.float64) if task == "class" else (truth - predicted) ** 2
    return off


def _no_information(truth: Any, predicted: Any, weight: Floats, task: Task) -> float:
    """Return gamma, the mean error of every answer against every truth: 1 - sum_k p_k q_k for classes of shares p and
    answers of shares q; for numbers the mean of all (y_i - f_j)^2, which is Var(y) + Var(f) + (mean y - mean f)^2.
    """
    total = weight.sum()
    if task == "class":
        n = int(max(truth.max(), predicted.max())) + 1
        p, q = (np.bincount(codes, weight, n) / total for codes in (truth, predicted))
        return float(1 - p @ q)
    means = [np.average(values, weights=weight) for values in (truth, predicted)]
    spreads = [np.average((v - m) ** 2, weights=weight) for v, m in zip((truth, predicted), means, strict=True)]
    return float(sum(spreads) + (means[0] - means[1]) ** 2)
