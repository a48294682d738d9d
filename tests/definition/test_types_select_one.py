"""Single choice: its answers are the list, and reports have the same names."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import PARTY, changed

pytestmark = pytest.mark.fast


def test_its_reports_are_its_answers():
    (party,) = parse_survey(definition(PARTY)).questions
    assert [report.name for report in party.reports] == ["a", "b", "c"]
    assert party.form.names == ["a", "b", "c"]
    assert party.mechanism == "k_randomized_response"


def test_reports_that_are_no_answers_have_numbers():
    kuk = {"mechanism": "kuk", "p_yes": "3/4", "p_no": "1/4", "draws": 2}
    (question,) = parse_survey(definition(yes_no(privacy=kuk))).questions
    assert [report.name for report in question.reports] == ["r1", "r2", "r3"]


def test_conditions_and_the_answer_of_those_not_asked_are_of_the_list():
    kind, choices = (
        QUESTION_TYPES["select_one"],
        parse_survey(definition(PARTY)).questions[0].choices,
    )
    assert kind.parse_condition("b", choices, "x") == ["b"]
    assert kind.parse_condition(["c", "a"], choices, "x") == ["a", "c"]
    with pytest.raises(DefinitionError, match="must be one or a list of: a, b, c"):
        kind.parse_condition(["d"], choices, "x")
    with pytest.raises(DefinitionError, match="must be one of: a, b, c"):
        parse_survey(
            definition(yes_no(), changed(PARTY, relevant={"smokes": "yes"}, otherwise="d"))
        )
