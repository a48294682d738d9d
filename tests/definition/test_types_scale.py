"""Scales: a single choice with ranks."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition
from tests.support.question_entries import MOOD

pytestmark = pytest.mark.fast


def test_it_is_a_single_choice_with_a_mean():
    (mood,) = parse_survey(definition(MOOD)).questions
    assert mood.kind.single_choice
    assert mood.kind.has_mean
    assert mood.mechanism == "optimal_mean"
    assert QUESTION_TYPES["scale"].appearances[0] == "likert"
    assert not QUESTION_TYPES["scale"].numeric


def test_it_needs_choices():
    with pytest.raises(DefinitionError, match="a list of 2 to"):
        parse_survey(definition({**MOOD, "choices": []}))
