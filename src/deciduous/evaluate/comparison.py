"""Two or more models on the same folds: which differences hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from deciduous.evaluate import scores
from deciduous.evaluate.evaluation import Evaluation
from deciduous.language import translate as _
from deciduous.language import translate_filled
from deciduous.measures import Floats
from deciduous.textgrid import grid

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Pair:
    """Two models compared. `difference`: mean score of the first less that of the second, over the runs.

    `t`, `p_t`: the corrected resampled t-test (Nadeau and Bengio 2003), with `degrees` of freedom; NaN where there is
    only one run. `only_first`, `only_second`: rows that only one of them gets right; `p_mcnemar`: McNemar's exact test
    of these, NaN for numbers. `p_holm`: p_t, or p_mcnemar where there is one run only, corrected for the number of
    pairs (Holm 1979); `holds`: whether that is below the level.
    """

    first: str
    second: str
    difference: float
    t: float
    degrees: int
    p_t: float
    only_first: float
    only_second: float
    p_mcnemar: float
    p_holm: float
    holds: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models evaluated on the same rows: `evaluations` by name, the `score` they are compared by, and all `pairs`."""

    score: str
    level: float
    evaluations: Mapping[str, Evaluation]
    pairs: tuple[Pair, ...]

    def to_frame(self) -> pl.DataFrame:
        """Return the scores of the models, a line each."""
        import polars as pl

        return pl.DataFrame([{"model": name, **e.scores} for name, e in self.evaluations.items()]).fill_nan(None)

    def pair_frame(self) -> pl.DataFrame:
        """Return the pairs as a data frame, with the fields of `Pair`."""
        import polars as pl

        return pl.DataFrame([vars(pair) for pair in self.pairs]).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        return {
            "score": self.score,
            "level": self.level,
            "models": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
            "pairs": self.pair_frame().to_dicts(),
        }

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        """Return a text for a terminal."""
        method = next(iter(self.evaluations.values())).method
        head = _("{method}; the same rows for all models").format(method=translate_filled(method))
        return f"{head}\n\n{self._model_text()}\n\n{self._pair_text()}\n\n{self._words()}"

    def _repr_html_(self) -> str:
        """Return the text for a notebook."""
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def _model_text(self) -> str:
        shown = list(scores.scores_of(next(iter(self.evaluations.values())).task))
        shown = [self.score, *(name for name in shown if name != self.score)][:5]
        lines = []
        for model, evaluation in self.evaluations.items():
            each = evaluation.score_by_run(self.score)
            sd = f"{each.std(ddof=1):.4f}" if len(each) > 1 else "-"
            figures = ["-" if np.isnan(s := evaluation.scores[name]) else f"{s:.4f}" for name in shown]
            lines.append([model, figures[0], sd, *figures[1:]])
        header = ["model", shown[0], "sd of runs", *shown[1:]]
        return grid([_(h.replace("_", " ")) for h in header], lines, numbers=range(1, len(header)))

    def _pair_text(self) -> str:
        lines = [
            [
                f"{p.first} - {p.second}",
                f"{p.difference:+.4f}",
                _p(p.p_t),
                f"{p.only_first:g} : {p.only_second:g}" if not np.isnan(p.p_mcnemar) else "-",
                _p(p.p_mcnemar),
                _p(p.p_holm),
                _("yes") if p.holds else _("no"),
            ]
            for p in self.pairs
        ]
        header = [_("pair"), _("difference"), "p (t)", _("only one right"), "p (McNemar)", "p (Holm)", _("holds")]
        return grid(header, lines, numbers=range(1, 6))

    def _words(self) -> str:
        held = [pair for pair in self.pairs if pair.holds]
        if not held:
            text = _("No difference in {score} holds at the level {level}.")
            return text.format(score=_(self.score.replace("_", " ")), level=f"{self.level:g}")
        better_is_more = self.score not in scores.ERRORS
        said = []
        for pair in held:
            first_better = (pair.difference > 0) == better_is_more
            names = (pair.first, pair.second) if first_better else (pair.second, pair.first)
            said.append(_("{better} is better than {worse}").format(better=names[0], worse=names[1]))
        return _("At the level {level}: {said}.").format(level=f"{self.level:g}", said="; ".join(said))


def compared(evaluations: Mapping[str, Evaluation], score: str, level: float) -> Comparison:
    """Return the comparison of evaluations that were made on the same splits."""
    bare = [_pair(a, b, evaluations[a], evaluations[b], score) for a, b in combinations(evaluations, 2)]
    adjusted = _holm([p["p_mcnemar"] if np.isnan(p["p_t"]) else p["p_t"] for p in bare])
    pairs = tuple(Pair(**p, p_holm=q, holds=bool(q < level)) for p, q in zip(bare, adjusted, strict=True))
    return Comparison(score, level, evaluations, pairs)


def _pair(first: str, second: str, a: Evaluation, b: Evaluation, score: str) -> dict[str, Any]:
    differences = a.score_by_run(score) - b.score_by_run(score)
    known = ~np.isnan(differences)
    t, degrees, p = corrected_t_test(differences[known], a.predictions.sizes[known])
    only_first, only_second, p_mcnemar = float("nan"), float("nan"), float("nan")
    if a.task == "class":
        only_first, only_second = _only_one_right(a, b)
        p_mcnemar = mcnemar(only_first, only_second)
    return {
        "first": first,
        "second": second,
        "difference": float(differences[known].mean()) if known.any() else float("nan"),
        "t": t,
        "degrees": degrees,
        "p_t": p,
        "only_first": only_first,
        "only_second": only_second,
        "p_mcnemar": p_mcnemar,
    }


def corrected_t_test(differences: Floats, sizes: Any) -> tuple[float, int, float]:
    """Return t, degrees of freedom and two-sided p of the corrected resampled t-test (Nadeau and Bengio 2003):
    t = mean d / sqrt((1/J + n_test / n_train) var d), J - 1 degrees of freedom.

    `differences`: of the scores of two models, one a run; `sizes`: rows to fit on and to judge by, shape (runs, 2).
    Runs share training rows, which the plain t-test ignores: it finds differences where there are none. NaN for fewer
    than two runs, or differences that are all equal to 0.
    """
    runs = len(differences)
    if runs < 2:
        return float("nan"), 0, float("nan")
    variance, mean = differences.var(ddof=1), differences.mean()
    if variance == 0:  # no spread: no test if there is no difference, otherwise certain
        return (float("nan"), runs - 1, 1.0) if mean == 0 else (float(np.copysign(np.inf, mean)), runs - 1, 0.0)
    ratio = float(np.mean(sizes[:, 1] / sizes[:, 0]))
    t = mean / np.sqrt((1 / runs + ratio) * variance)
    return float(t), runs - 1, float(2 * stats.t.sf(abs(t), runs - 1))


def mcnemar(only_first: float, only_second: float) -> float:
    """Return the two-sided p of McNemar's exact test (McNemar 1947): of the rows that only one model gets right, how
    likely is so uneven a division if both are equally good. 1 if there is no such row.
    """
    n = round(only_first + only_second)
    return float(stats.binomtest(round(only_first), n, 0.5).pvalue) if n else 1.0


def _only_one_right(a: Evaluation, b: Evaluation) -> tuple[float, float]:
    """Return how many rows only the one and only the other model gets right; each row once, from its first run."""
    first = np.unique(a.predictions.row, return_index=True)[1]
    right = [(e.predictions.predicted == e.predictions.truth)[first] for e in (a, b)]
    return float((right[0] & ~right[1]).sum()), float((right[1] & ~right[0]).sum())


def _holm(p: list[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979): the i-th smallest times the number of those not smaller,
    never below one before it.
    """
    order = np.argsort(p)
    adjusted, so_far = np.full(len(p), np.nan), 0.0
    for rank, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = so_far
    return [float(value) for value in adjusted]


def _p(value: float) -> str:
    return "-" if np.isnan(value) else "< 0.0001" if value < 0.0001 else f"{value:.4f}"
