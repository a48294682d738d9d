"""Only the number of texts is released."""

import pytest

from survey.central_dp.types import ANSWER_STATISTICS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_a_blank_text_is_no_answer():
    statistics = ANSWER_STATISTICS[question_of("text", "none")]
    assert [statistics.gives(stored) for stored in ("", " \n", "yes")] == [False, False, True]
    assert statistics.offered_statistics() == ("count",)
    assert [name for name, _ in statistics.countable()] == [""]
