"""Texts: stored as given, never protected."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.report_formats import FreeText
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from survey.definition.types.text import MAX_TYPED_CHARACTERS
from tests.support.definitions import definition
from tests.support.question_entries import WHY, changed

pytestmark = pytest.mark.fast


def test_it_is_stored_as_written():
    (why,) = parse_survey(definition(WHY)).questions
    assert why.form == FreeText(MAX_TYPED_CHARACTERS)
    assert why.kind.free_text
    assert why.kind.optional


def test_it_cannot_be_protected():
    assert QUESTION_TYPES["text"].mechanisms is None
    with pytest.raises(DefinitionError, match="A text is always non-private"):
        parse_survey(definition(changed(WHY, privacy={"epsilon": 1})))
    with pytest.raises(DefinitionError, match="there is no such field here"):
        parse_survey(definition(changed(WHY, prefer_not_to_say=True)))
