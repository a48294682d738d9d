"""The share of respondents who understood, from counts: the correct choice in each survey."""

import pytest

from survey.definition.frozen import freeze
from survey.definition.sub_surveys import comprehension_part
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.comprehension_results import EARLIER, RIGHT, right_of, understood
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

COUNTS = {"learnt": {1: 7, 3: 1}, "meaning": {0: 2, 3: 5, 4: 1}, "who": {0: 6, 3: 2}}


def survey_of(privacy=None):
    return parse_survey(definition(yes_no(privacy=privacy), comprehension=True))


def results_of(survey, counts=COUNTS, earlier=False):
    """The results of today's test, or of one that opened with the earlier wording."""
    content = comprehension_part(survey).as_definition()
    if earlier:
        learnt = content["questions"][0]
        [right] = [each for each in learnt["choices"] if each["name"] == RIGHT["learnt"]]
        right["name"] = EARLIER
    part = parse_survey(content | {"slug": "test"})
    return survey_results(freeze(part, to_open=False), counts, "browser")


def test_each_question_has_one_right_choice_and_its_share():
    survey = survey_of()
    found = understood(results_of(survey), survey)
    assert [(each.question.question.name, each.is_right) for each in found] == [
        ("learnt", "differs"), ("meaning", "either"), ("who", "screen"),
    ]  # fmt: skip
    assert [each.right.value for each in found] == [7 / 8, 5 / 8, 6 / 8]
    assert all(each.right.choice.name == each.is_right for each in found)


def test_without_responses_the_right_choice_is_known_and_no_share():
    survey = survey_of()
    found = understood(results_of(survey, {}), survey)
    assert [each.is_right for each in found] == ["differs", "either", "screen"]
    assert [each.right for each in found] == [None] * 3


@pytest.mark.parametrize(
    ("privacy", "right"),
    [
        (None, ["mixed", "either", "screen"]),
        # A likelihood ratio of 54: someone could be nearly sure.
        ({"epsilon": 4}, [None, "either", None]),
    ],
)
def test_an_earlier_test_is_scored_only_where_nobody_can_tell(privacy, right):
    survey = survey_of(privacy)
    results = results_of(survey, earlier=True)
    assert [right_of(name, results, survey) for name in RIGHT] == right
    assert [each.right is None for each in understood(results, survey)] == [
        each is None for each in right
    ]
