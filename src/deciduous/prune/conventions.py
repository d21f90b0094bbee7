"""When one tree is better than another in C4.5's pruning: where Quinlan's book, Release 8 and Weka's J48 differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciduous.errors import OptionError, listing, nearest
from deciduous.measures import Floats
from deciduous.search.contingency import TIE


@dataclass(frozen=True)
class PruningConventions:
    """How costs of pruned trees are compared. The estimates themselves are in `upper_limits`.

    Attributes:
        name: the word of the option `conventions`.
        slack: a smaller tree may have so many more estimated errors and is taken still.
        collapse_slack: a leaf may have so many more training errors than its branches and takes their place still.
        from_above: collapsing tries a node before those below it, with all leaves that were grown.
        band: numbers closer than this are equal; None for 1e-10 of the largest.
        last_branch: of equally heavy branches the last is the largest, not the first.
        keeps_class: where rows are counted anew, a node answers with another class only if that is strictly heavier.
        drops_impossible: value groups name no category that cannot come to them (`without_impossible`).
    """

    name: str
    slack: float = 0.0
    collapse_slack: float = 0.0
    from_above: bool = False
    band: float | None = None
    last_branch: bool = False
    keeps_class: bool = False
    drops_impossible: bool = False

    def equal_up_to(self, numbers: Floats) -> float:
        """Return the difference, above 0, up to which such numbers, or sums of them, are taken as equal."""
        if self.band is not None:
            return self.band
        return max(TIE * float(np.abs(numbers).max(initial=0.0)), float(np.finfo(np.float64).tiny))


#: The conventions by their word in the option `conventions`.
CONVENTIONS = {
    rules.name: rules
    for rules in (
        PruningConventions("c45"),
        PruningConventions("j48", slack=0.1, collapse_slack=1e-3, from_above=True, band=1e-6, last_branch=True),
        PruningConventions(
            "r8", slack=0.1, collapse_slack=1e-3, last_branch=True, keeps_class=True, drops_impossible=True
        ),
    )
}


def conventions_of(word: str) -> PruningConventions:
    """Return the conventions that a word names; OptionError if there are none of this name."""
    if word not in CONVENTIONS:
        raise OptionError(
            f"conventions={word!r} is not one of {listing(CONVENTIONS)}.{nearest(word, list(CONVENTIONS))}"
        )
    return CONVENTIONS[word]
