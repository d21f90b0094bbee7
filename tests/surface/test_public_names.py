"""The names that users meet, and that the same option has one name and one default everywhere."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import deciduous
from deciduous.cli.fit import fit
from deciduous.grow.algorithm import Algorithm

ESTIMATORS = [deciduous.ID3Classifier, deciduous.C45Classifier, deciduous.CARTClassifier, deciduous.CARTRegressor]
#: What identifies an algorithm, and is no option.
IDENTITY = {"name", "task", "criteria"}
FIELDS = {field.name for field in dataclasses.fields(Algorithm)}


def test_the_public_names_are_these() -> None:
    assert deciduous.__all__ == [
        "Algorithm",
        "C45Classifier",
        "CARTClassifier",
        "CARTRegressor",
        "DataError",
        "DataWarning",
        "ID3Classifier",
        "ModelFileError",
        "Node",
        "OptionError",
        "RulesClassifier",
        "Tree",
        "absolute_error",
        "conditional_entropy",
        "contingency_table",
        "datasets",
        "derivation",
        "draw",
        "entropy",
        "evaluate",
        "explain_measure",
        "explain_pruning",
        "explain_row",
        "explain_simplification",
        "export_graphviz",
        "friedman_improvement",
        "gain_ratio",
        "gini",
        "gini_gain",
        "gini_index",
        "half_poisson_deviance",
        "information_gain",
        "joint_entropy",
        "load",
        "misclassification",
        "plot_regions",
        "plot_tree",
        "prune",
        "read_table",
        "report",
        "rules",
        "save",
        "simplify_rules",
        "split_information",
        "squared_error",
        "summary",
        "worksheet",
    ]


@pytest.mark.parametrize("name", deciduous.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    thing = getattr(deciduous, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property | staticmethod)):
                assert inspect.getdoc(value), f"{name}.{member} has no docstring"


@pytest.mark.parametrize("cls", [deciduous.DataError, deciduous.OptionError, deciduous.ModelFileError])
def test_the_errors_are_value_errors(cls: type[Exception]) -> None:
    assert issubclass(cls, ValueError)
    assert issubclass(deciduous.DataWarning, UserWarning)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_the_defaults_of_an_estimator_are_those_of_its_algorithm(cls: Any) -> None:
    parameters = inspect.signature(cls).parameters
    assert set(parameters) - {"kinds"} <= FIELDS - IDENTITY
    for name, parameter in parameters.items():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY, name
        if name != "kinds":
            default, ours = parameter.default, getattr(cls._base, name)
            assert (type(default), default) == (type(ours), ours), name
    assert parameters["kinds"].default is None


def test_every_option_of_the_record_is_an_option_of_some_estimator() -> None:
    assert set().union(*(inspect.signature(cls).parameters for cls in ESTIMATORS)) - {"kinds"} == FIELDS - IDENTITY


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_an_option_that_an_estimator_lacks_has_no_effect_in_its_algorithm(cls: Any) -> None:
    neutral = {f.name: f.default for f in dataclasses.fields(Algorithm) if f.default is not dataclasses.MISSING}
    for name in FIELDS - IDENTITY - set(inspect.signature(cls).parameters):
        assert getattr(cls._base, name) == neutral[name]


def test_the_options_of_the_command_fit_are_the_same_words() -> None:
    own = {"file", "target", "algorithm", "save", "task", "kind", "estimate", "exposure", "na", "separator", "decimal"}
    assert set(inspect.signature(fit).parameters) - own == FIELDS - IDENTITY


def test_every_option_is_explained_once_where_it_is_declared() -> None:
    text = inspect.getdoc(Algorithm)
    assert text is not None
    for name in FIELDS:
        assert text.count(f"\n    {name}: ") == 1, name


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_an_estimator_shows_the_options_that_differ_from_the_defaults(cls: Any) -> None:
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(max_depth=3)) == f"{cls.__name__}(max_depth=3)"


def test_the_version_is_that_of_the_package() -> None:
    from importlib import metadata

    try:
        assert metadata.version("deciduous") == deciduous.__version__
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
