"""How good a model really is: on rows it was not fitted on, with intervals, and beside other models.

All functions take an estimator (ours, or any classifier or regressor of scikit-learn's kind), a table X and a target y,
which may be the name of a column of X. They fit copies; the estimator itself is not touched. All random choices are
made by `seed` before anything is fitted, so that the result is the same for any number of processes (`n_jobs`, as
joblib has it; one by default, since our estimators use all cores themselves).
"""

from deciduous.evaluate.bootstrap import Bootstrap
from deciduous.evaluate.comparison import Comparison, Pair, corrected_t_test, mcnemar
from deciduous.evaluate.curves import Curve, Stability
from deciduous.evaluate.evaluation import Evaluation
from deciduous.evaluate.intervals import Interval, accuracy_interval
from deciduous.evaluate.methods import (
    bootstrap,
    compare,
    complexity_curve,
    cross_validate,
    holdout,
    learning_curve,
    leave_one_out,
    on_rows,
    stability,
)
from deciduous.evaluate.runs import Predictions

__all__ = [
    "Bootstrap",
    "Comparison",
    "Curve",
    "Evaluation",
    "Interval",
    "Pair",
    "Predictions",
    "Stability",
    "accuracy_interval",
    "bootstrap",
    "compare",
    "complexity_curve",
    "corrected_t_test",
    "cross_validate",
    "holdout",
    "learning_curve",
    "leave_one_out",
    "mcnemar",
    "on_rows",
    "stability",
]
