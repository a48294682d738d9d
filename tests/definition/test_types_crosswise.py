"""Crosswise questions: two statements, a known share, and never a randomizer."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from survey.estimation.build_results import question_results
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.indirect import ANCHOR, crosswise
from tests.support.question_entries import changed

pytestmark = pytest.mark.fast


def test_it_has_words_of_its_own_in_every_language() -> None:
    survey = parse_survey(definition(crosswise(), language="th"))
    words = [choice.label for choice in survey.questions[0].choices]
    assert words == [*QUESTION_TYPES["crosswise"].own_words("th")]


def test_it_is_stored_as_given_and_survives_a_file() -> None:
    survey = parse_survey(definition(crosswise(known="0.15"), ANCHOR))
    question, anchor = survey.questions
    assert question.non_private
    assert str(question.known_share) == "3/20"
    assert (question.anchor_question, anchor.anchor_question) == (False, True)
    assert parse_survey(survey.as_definition()) == survey
    frozen = freeze(survey)
    assert FrozenSurvey.from_json(frozen.to_json()).survey == survey


def test_xlsform_keeps_it() -> None:
    survey = parse_survey(definition(crosswise(), ANCHOR))
    assert from_xlsform(to_xlsform(survey)).survey.questions == survey.questions


@check_each(
    ("change", "message"),
    [
        ({"known_share": "1/2"}, "other than 1/2"),
        ({"known_share": 0}, "above 0"),
        ({"known_share": "often"}, "must be a number"),
        ({"known_share": 1.5}, "from 0 to 1"),
        ({"anchor_question": "yes"}, "true or false"),
        ({"hint": ""}, "hint"),
        ({"privacy": {"epsilon": 1}}, "non-private"),
        ({"choices": [{"name": "yes", "label": "Y"}, {"name": "no", "label": "N"}]},
         "must be named same and different"),
    ],
)  # fmt: skip
def test_faults_are_explained(change, message) -> None:
    with pytest.raises(DefinitionError, match=message):
        parse_survey(definition(changed(crosswise(), **change)))


def test_results_say_the_share_of_the_first_statement() -> None:
    """The documented example of cWise: 1,427 of 2,000 say "same", and 1,541 to the anchor."""
    question, anchor = parse_survey(definition(crosswise(), ANCHOR)).questions
    remark = question_results(question, {0: 1427, 1: 573}).explanations[0].sentence
    assert (
        "true for an estimated 19.5 % (16.7 % to 22.4 %) of people like these respondents" in remark
    )
    remark = question_results(anchor, {0: 1541, 1: 459}).explanations[0].sentence
    assert "an estimated 77.3 % (71.9 % to 82.5 %) of people like these respondents would" in remark
    assert question_results(question, {0: 2, 1: 1}).remark_codes == ["too_few_responses"]
