"""Numbers: values of a grid, and bounds as conditions."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import WEIGHT, changed

pytestmark = pytest.mark.fast


def test_spread_reports_go_beyond_the_range():
    (weight,) = parse_survey(definition(WEIGHT)).questions
    beyond = (len(weight.reports) - weight.levels.size) // 2
    assert beyond > 0
    assert weight.reports[beyond].name == "30"
    assert weight.mechanism == "window"


def test_a_non_private_one_is_its_place_on_the_grid():
    (weight,) = parse_survey(definition(changed(WEIGHT, privacy="none"))).questions
    assert weight.form.names[3] == "31.5"
    declining = changed(WEIGHT, privacy="none", prefer_not_to_say=True)
    (weight,) = parse_survey(definition(declining)).questions
    assert weight.form.names[241] == "prefer_not_to_say"


def test_conditions_are_bounds():
    kind = QUESTION_TYPES["number"]
    assert kind.parse_condition({"max": "80", "min": 50.5}, (), "x") == {"max": 80, "min": 50.5}
    for wrong in ("80", {}, {"most": 1}, {"min": "many"}):
        with pytest.raises(DefinitionError) as caught:
            kind.parse_condition(wrong, (), "x")
        assert caught.value.reason == "bounds"


def test_those_who_are_not_asked_have_a_value():
    with pytest.raises(DefinitionError, match="a possible answer"):
        parse_survey(
            definition(yes_no(), changed(WEIGHT, relevant={"smokes": "no"}, otherwise=60.2))
        )
    with pytest.raises(DefinitionError, match="min, max and step"):
        parse_survey(definition(changed(WEIGHT, min=200)))
