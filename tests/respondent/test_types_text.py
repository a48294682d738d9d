"""Texts on the paper-and-coin page."""

import pytest

from survey.core.languages import ENGLISH
from survey.respondent.types import GIVEN
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_line_ends_are_those_of_the_database_and_zero_characters_are_marked():
    text = question_of("text", "none")
    given = {text.name: ["  one\r\ntwo\0 "]}
    assert GIVEN[text].report(given, ENGLISH) == "one\ntwo\ufffd"
    assert GIVEN[text].report({}, ENGLISH) == ""
    assert GIVEN[text].advice(ENGLISH) == "Write at most 1,000 characters."
