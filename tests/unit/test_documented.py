"""`help` of an estimator says what each of its parameters means, in the words of `Algorithm`."""

import inspect
import re

import pytest

from deciduous import Algorithm, C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from deciduous.estimators.documented import meanings_of
from deciduous.grow.algorithm import OPTIONS

ESTIMATORS = (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_parameter_is_said(cls: type) -> None:
    listed = re.findall(r"^    (\w+): \S", inspect.getdoc(cls).partition("Parameters:\n")[2], flags=re.MULTILINE)
    assert listed == list(inspect.signature(cls).parameters)


def test_every_option_has_a_meaning() -> None:
    assert set(meanings_of(Algorithm)) >= OPTIONS


@pytest.mark.parametrize(
    "option",
    [
        *("min_cases", "confidence", "collapse", "pruning", "subtree_raising", "nominal", "criterion", "guard"),
        *("mdl_correction", "threshold", "laplace", "conventions", "missing"),
    ],
)
def test_c45s_options_name_their_source(option: str) -> None:
    """What Quinlan 1993 says and where, or that he does not."""
    meaning = re.sub(r"\s+", " ", meanings_of(Algorithm)[option])
    assert re.search(r"Quinlan 1993,? (section|chapter)|not (yet )?in Quinlan 1993|program of the book", meaning)
    assert re.sub(r"\s+", " ", meaning) in re.sub(r"\s+", " ", inspect.getdoc(C45Classifier))
