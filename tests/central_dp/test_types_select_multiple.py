"""Stored boxes are texts of 0 and 1."""

import pytest

from survey.central_dp.types import ANSWER_STATISTICS
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast
BOXES = question_of("select_multiple", "none", choices=MANY[:3], prefer_not_to_say=True)


def test_boxes_overlap_and_the_last_one_declines():
    statistics = ANSWER_STATISTICS[BOXES]
    assert [statistics.gives(stored) for stored in ("0000", "1010", "0001")] == [True, True, False]
    assert statistics.has("c2", "1010")
    assert statistics.bars("1010", 4) == [1, 0, 1, 0]
    assert statistics.most_bars(4) == 4
    assert statistics.times_given({"1010": 3, "1000": 4}, (0, 1, 2)) == [7, 0, 3]
    assert "tree" not in statistics.offered_statistics()


def test_without_a_box_for_declining_everyone_answers():
    boxes = question_of("select_multiple", "none", choices=MANY[:3])
    assert ANSWER_STATISTICS[boxes].gives("000")
    assert ANSWER_STATISTICS[boxes].gives("111")
