"""Spellings of other tools and older releases: refused, and told what they are called here."""

import inspect
import re
from typing import Any

import pytest

import deciduous
from deciduous import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, OptionError
from deciduous.cli.app import main
from deciduous.elsewhere import PARAMETERS, VALUES

ESTIMATORS = (ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor)
OWN = {name for cls in ESTIMATORS for name in cls().get_params()}
FIT = set(inspect.signature(CARTClassifier.fit).parameters)
X, Y = [[1.0], [2.0], [3.0]], [0, 1, 1]


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_parameter_of_another_tool_is_refused_with_its_name_here(cls: Any, name: str) -> None:
    if name in cls().get_params():
        return
    advice = re.escape(PARAMETERS[name][1])
    with pytest.raises(TypeError, match=f"{cls.__name__} has no parameter '{name}'.*{advice}"):
        cls(**{name: 1})
    with pytest.raises(OptionError, match=f"Invalid parameter '{name}'.*{advice}"):
        cls().set_params(**{name: 1})


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_advised_exists(name: str) -> None:
    advice = PARAMETERS[name][1]
    words = set(re.findall(r"\b([a-z]+(?:_[a-z]+)+)\b|\b(\w+)=", advice))
    named = {word for pair in words for word in pair if word}
    values = set(re.findall(r"'(\w+)'", advice))
    assert named - values <= OWN | FIT
    assert named or re.search(r"leave it out|estimator|local|rpart\(", advice) or advice.split()[0].rstrip(",:") in OWN


@pytest.mark.parametrize(("option", "word"), VALUES)
def test_a_value_of_another_tool_is_refused_with_its_name_here(option: str, word: str) -> None:
    refused = 0
    for cls in ESTIMATORS:
        if option not in cls().get_params() or word in cls._base.criteria:
            continue
        advice = re.escape(VALUES[option, word][1])
        with pytest.raises(OptionError, match=f"{option}='{word}'.*{advice}"):
            cls(**{option: word}).fit(X, Y)
        refused += 1
    assert refused


@pytest.mark.parametrize(
    ("cls", "options", "told"),
    [
        (CARTRegressor, {"criterion": "mse"}, "'squared_error'"),
        (CARTRegressor, {"criterion": "MAE"}, "'absolute_error'"),
        (CARTClassifier, {"max_features": "auto"}, "'sqrt' for a classification tree"),
    ],
)
def test_spellings_that_scikit_learn_once_took(cls: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=re.escape(told)):
        cls(**options).fit(X, Y)


def test_a_slip_of_the_pen_is_met_with_the_nearest_parameter() -> None:
    with pytest.raises(TypeError, match=r"CARTClassifier has no parameter 'max_deph'\. Did you mean 'max_depth'"):
        CARTClassifier(max_deph=3)


def test_the_signature_is_that_of_the_constructor() -> None:
    assert "criterion" in inspect.signature(CARTClassifier).parameters
    assert not any(p.kind == p.VAR_KEYWORD for p in inspect.signature(CARTClassifier.__init__).parameters.values())


def test_a_subclass_with_a_constructor_of_its_own_has_its_own_parameters() -> None:
    class Stump(CARTClassifier):
        def __init__(self, *, cp: float = 0.5) -> None:
            super().__init__(max_depth=1)
            self.cp = cp

    assert Stump(cp=0.1).cp == 0.1
    with pytest.raises(TypeError, match="Stump has no parameter 'minsplit'"):
        Stump(minsplit=3)


@pytest.mark.parametrize(("flag", "told"), [("-C", "confidence"), ("--minsplit", "min_samples_split")])
def test_the_command_says_it_too(flag: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "t.csv", flag, "3"]) == 2
    assert f"calls it so; here: {told}" in capsys.readouterr().err


def test_limits_may_be_shares_of_the_rows() -> None:
    golf = deciduous.datasets.load("golf")
    for share, rows in ((0.2, 3), (3 / 14, 3), (0.5, 7), (0.01, 1)):  # of 14 rows, rounded up
        shares, whole = (CARTClassifier(min_samples_leaf=limit).fit(golf.X, golf.y) for limit in (share, rows))
        assert str(shares.tree_) == str(whole.tree_)
    shares, whole = (CARTClassifier(min_samples_split=limit).fit(golf.X, golf.y) for limit in (0.4, 6))
    assert str(shares.tree_) == str(whole.tree_)
    assert shares.tree_.options["min_samples_split"] == 6
    with pytest.raises(OptionError, match=r"min_samples_leaf=1\.5 must be a whole number .* or a share of the rows"):
        CARTClassifier(min_samples_leaf=1.5).fit(golf.X, golf.y)
