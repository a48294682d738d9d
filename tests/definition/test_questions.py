"""Questions: the points of a number, "prefer not to say", and respondents who are not asked."""

import pytest

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import WIDE, definition, yes_no
from tests.support.question_entries import DRUGS, WEIGHT, changed

pytestmark = pytest.mark.fast


def test_a_number_is_rounded_to_a_few_points_that_divide_its_range():
    (weight,) = parse_survey(definition(WEIGHT)).questions
    assert weight.grid.size == 241
    assert weight.levels.size == 11
    assert weight.grid.width(11) == 24
    assert weight.reports[0].label.endswith(" kg")
    mean = parse_survey(definition({**WEIGHT, "privacy": {"epsilon": 1, "goal": "mean"}}))
    assert mean.questions[0].levels.size == 21
    own = parse_survey(definition({**WEIGHT, "privacy": {"epsilon": 1, "points": 5}}))
    assert own.questions[0].levels.size == 5


def test_prefer_not_to_say_is_a_row_in_the_surveys_language():
    (question,) = parse_survey(
        definition(changed(yes_no(), prefer_not_to_say=True), language="th")
    ).questions
    assert question.table.rows == ((3, 1, 1), (1, 3, 1), (1, 1, 3))
    assert [choice.label for choice in question.offered][-1] == "ไม่ประสงค์จะตอบ"


def test_who_is_not_asked_has_an_answer_too():
    survey = parse_survey(
        definition(
            yes_no(),
            changed(yes_no("daily"), relevant={"smokes": "yes"}),
            changed(yes_no("alone"), relevant={"smokes": ["yes"]}, otherwise="no"),
            changed(WEIGHT, relevant={"smokes": "no"}, otherwise=60.5),
            changed(DRUGS, relevant={"weight": {"max": 80, "min": 50.5}}, otherwise=[]),
        )
    )
    _, daily, alone, weight, drugs = survey.questions
    assert [answer.name for answer in daily.answers] == ["yes", "no", "not_asked"]
    assert [answer.name for answer in alone.answers] == ["yes", "no"]
    assert [choice.name for choice in daily.offered] == ["yes", "no"]
    assert weight.special_answers == ()
    assert drugs.otherwise == []
    assert (
        parse_survey(
            definition(yes_no(), changed(WEIGHT, relevant={"smokes": "no"}, otherwise="121/2"))
        )
        .questions[1]
        .otherwise
        == 60.5
        # In the form that the page reads.
    )
    assert drugs.relevant == {"weight": {"max": 80, "min": 50.5}}
    # The first answer decides who is asked the others, so all reports together nearly reveal it.
    frozen = freeze(survey, WIDE, confirmed=True)
    assert FrozenSurvey.from_json(frozen.to_json()).survey == survey
