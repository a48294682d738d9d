"""Notes have no answer and no report."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import NOTE, changed

pytestmark = pytest.mark.fast


def test_it_is_no_field():
    survey = parse_survey(definition(yes_no(), NOTE))
    assert [question.name for question in survey.fields] == ["smokes"]
    assert not survey.questions[1].kind.asks
    assert "privacy" not in survey.questions[1].as_definition()


def test_it_has_no_answers_to_say_anything_of():
    assert QUESTION_TYPES["note"].keys == {"name", "type", "label", "hint", "relevant"}
    with pytest.raises(DefinitionError, match="there is no such field here"):
        parse_survey(definition(yes_no(), changed(NOTE, prefer_not_to_say=True)))
