"""Assumed shares of a simulation: what cannot be is named."""

import pytest

from survey.definition.survey import parse_survey
from survey.planning.pilot_form import read_typed
from tests.support.definitions import definition

pytestmark = pytest.mark.both_stores


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"smokes:yes": "80", "smokes:no": "50"}, "The shares add up to 130 %"),
        ({"smokes:yes": "-1", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "some", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "nan", "smokes:no": "100"}, "a number from 0 to 100 for “Yes”"),
        ({"smokes:yes": "0.3", "smokes:no": "0.7"}, "The shares add up to 1 %"),
    ],
)  # fmt: skip
def test_shares_that_cannot_be_are_named(typed, words):
    _, form = read_typed(parse_survey(definition()), typed)
    assert words in form.questions[0].fault


@pytest.mark.parametrize(
    ("mean", "spread", "words"),
    [
        ("", "1", "a number for the mean"), ("200", "5", "from 0 to 100"),
        ("50", "0", "above 0"), ("50", "101", "at most 100"), ("50.5", "0.001", "too small"),
        ("nan", "5", "a number for the mean"), ("50", "inf", "a number for the mean"),
    ],
)  # fmt: skip
def test_a_mean_and_spread_that_cannot_be_are_named(mean, spread, words):
    number = {
        "name": "age", "type": "number", "label": "?", "min": 0, "max": 100,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    survey = parse_survey(definition(number))
    _, form = read_typed(survey, {"age:mean": mean, "age:sd": spread})
    assert words in form.questions[0].fault


def test_shares_that_were_rounded_are_taken_for_a_whole():
    truth, _ = read_typed(parse_survey(definition()), {"smokes:yes": "33,3", "smokes:no": "66.6"})
    assert sum(truth["smokes"].values()) == pytest.approx(1, abs=1e-12)
