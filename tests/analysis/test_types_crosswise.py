"""A crosswise answer is about two statements."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_a_crosswise_answer_has_no_points():
    question = question_of("crosswise", "none", hint="Born in May", known_share="1/12")
    assert not ANALYSIS[question].can_be_summed()
    assert len(ANALYSIS[question].measures()) == 2
