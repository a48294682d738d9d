"""The share of respondents who understood, from counts: the correct choice in each survey."""

import pytest

from survey.definition.frozen import freeze
from survey.definition.sub_surveys import comprehension_sub_survey
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.types.comprehension_results import comprehension_results
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

COUNTS = {"learnt": {1: 7, 3: 1}, "meaning": {0: 2, 3: 5, 4: 1}, "who": {0: 6, 3: 2}}


def survey_of(privacy=None):
    return parse_survey(definition(yes_no(privacy=privacy), comprehension=True))


def results_of(survey, counts=COUNTS):
    part = parse_survey(comprehension_sub_survey(survey).as_definition() | {"slug": "test"})
    return survey_results(freeze(part, to_open=False), counts, "browser")


def test_each_question_has_one_right_choice_and_its_share():
    survey = survey_of()
    found = comprehension_results(results_of(survey), survey)
    assert [(each.question.question.name, each.is_right) for each in found] == [
        ("learnt", "guess"), ("meaning", "either"), ("who", "screen"),
    ]  # fmt: skip
    assert [each.right.value for each in found] == [7 / 8, 5 / 8, 6 / 8]
    assert all(each.right.choice.name == each.is_right for each in found)


def test_without_responses_the_right_choice_is_known_and_no_share():
    survey = survey_of()
    found = comprehension_results(results_of(survey, {}), survey)
    assert [each.is_right for each in found] == ["guess", "either", "screen"]
    assert [each.right for each in found] == [None] * 3


WEAK, ALMOST_TOLD = {"epsilon": 2}, {"mechanism": "table", "rows": [[20, 1], [1, 20]]}


@pytest.mark.parametrize(
    ("privacy", "right"),
    [
        (None, "guess"),
        (WEAK, "guess"),
        # A likelihood ratio of 19 is 95 %, the last at which people only guess.
        ({"mechanism": "table", "rows": [[19, 1], [1, 19]]}, "guess"),
        (ALMOST_TOLD, "sure"),
    ],
)
def test_what_can_be_learnt_follows_the_tables(privacy, right):
    survey = survey_of(privacy)
    found = comprehension_results(results_of(survey), survey)
    assert [each.is_right for each in found] == [right, "either", "screen"]
