"""Texts are counted."""

import pytest

from tests.support.question_results import asked

pytestmark = pytest.mark.fast


def test_a_text_is_only_counted():
    shown = asked("text", {0: 3, 1: 7}, "none")
    assert shown.n == 10
    assert shown.sentence == "3 of 10 respondents wrote a text."
