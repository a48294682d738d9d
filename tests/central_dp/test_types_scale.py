"""The place of a stored answer on a scale is its level."""

import pytest

from survey.central_dp.types import ANSWER_STATISTICS
from tests.support.question_results import LEVELS, question_of

pytestmark = pytest.mark.fast


def test_a_special_answer_has_no_level():
    statistics = ANSWER_STATISTICS[
        question_of("scale", "none", choices=LEVELS, prefer_not_to_say=True)
    ]
    assert [statistics.place(stored) for stored in (0, 4, 5)] == [0, 4, None]
    assert "median" in statistics.offered_statistics()
    assert "sum" not in statistics.offered_statistics()
