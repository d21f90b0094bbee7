"""The pruners by the words that choose them (`pruning=...`)."""

from __future__ import annotations

from deciduous.prune.critical_value import CriticalValue
from deciduous.prune.description_length import DescriptionLength
from deciduous.prune.error_based import ErrorBased
from deciduous.prune.minimum_error import MinimumError
from deciduous.prune.pessimistic import Pessimistic
from deciduous.prune.reduced_error import ReducedError
from deciduous.prune.rows import Pruner
from deciduous.prune.selection import CostComplexity, Optimal
from deciduous.prune.validation import Validation

PRUNERS: dict[str, type[Pruner]] = {
    cls.name: cls
    for cls in (
        ErrorBased,
        ReducedError,
        Pessimistic,
        MinimumError,
        CriticalValue,
        DescriptionLength,
        CostComplexity,
        Optimal,
        Validation,
    )
}
