"""Texts in XLSForm."""

import pytest

from survey.formats.types import FORMATS
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast


def test_only_answers_that_may_always_stay_empty_have_no_cell_required():
    date = question_of("date", "none", earliest="2026-01-01", latest="2026-01-31")
    boxes = question_of("select_multiple", "none", choices=MANY)
    for question in (question_of("text", "none"), date, boxes):
        assert FORMATS[question].required_cell() is None
    assert FORMATS[question_of("yes_no", "none")].required_cell() == "yes"
    skipped = question_of("yes_no", "none", prefer_not_to_say=True, optional=True)
    assert FORMATS[skipped].required_cell() == "no"
