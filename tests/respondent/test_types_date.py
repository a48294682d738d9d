"""Dates on the paper-and-coin page."""

import pytest

from survey.core.languages import ENGLISH
from survey.respondent.types import GIVEN
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_the_message_names_the_ends():
    date = question_of("date", "none", earliest="2026-01-02", latest="2026-12-31")
    assert GIVEN[date].report({date.name: ["2026-05-01"]}, ENGLISH) == "2026-05-01"
    assert GIVEN[date].advice(ENGLISH) == (
        "Give a date from 2 January 2026 to 31 December 2026, or leave this empty."
    )
