"""What a search must know of the options, for every column: when a tree grows, and when its working is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deciduous.grow.algorithm import Algorithm
from deciduous.grow.nodes import Rows
from deciduous.search.choose import Contest
from deciduous.search.contingency import Rule
from deciduous.search.conventions import CONVENTIONS, MANY_CATEGORIES
from deciduous.search.sample import looks_of


def contest_of(rows: Rows, options: Algorithm) -> Contest:
    """Return how columns compete."""
    conventions = CONVENTIONS[options.conventions]
    features = [rows.schema.features[j] for j in rows.features]
    least = conventions.least(MANY_CATEGORIES * rows.n_rows)
    many = np.array([f.kind == "nominal" and len(f.categories) >= least for f in features])
    return Contest(rows.criterion.ratio, options.guard, options.zero_gain == "split", conventions, many)


def search_rules(rows: Rows, options: Algorithm, signs: NDArray[np.int8], total_weight: float) -> list[Rule]:
    """Return a rule a column that may be asked for; the tie band is left open, since it is each node's own.

    `signs`: the monotonic constraint on every column of the schema; `total_weight`: that of the root.
    """
    rule = Rule(
        criterion=rows.criterion,
        missing=options.missing,
        nominal=options.nominal,
        band=0.0,
        min_samples_leaf=min(int(options.min_samples_leaf), 2**62),
        min_weight_leaf=options.min_weight_fraction_leaf * total_weight,
        min_cases=options.min_cases,
        mdl_correction=options.mdl_correction,
        conventions=CONVENTIONS[options.conventions],
        splitter=options.splitter,
        looks=looks_of(options.max_features, len(rows.features)),
    )
    signed = [replace(rule, monotone=int(signs[j])) if signs[j] else rule for j in rows.features]
    if options.threshold != "data":
        return signed
    kinds = [rows.schema.features[j].kind for j in rows.features]
    return [
        rule if kind == "nominal" else replace(rule, training_values=rows.training_values(j))
        for rule, j, kind in zip(signed, rows.features, kinds, strict=True)
    ]
