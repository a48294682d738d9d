"""Stored answers of a choice are places, after which special answers follow."""

import pytest

from survey.central_dp.types import ANSWER_STATISTICS
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast
CHOICE = question_of("select_one", "none", choices=MANY[:3], prefer_not_to_say=True)


def test_a_special_answer_can_be_counted_and_is_no_answer():
    statistics = ANSWER_STATISTICS[CHOICE]
    assert [name for name, _ in statistics.countable()] == [
        "",
        "c0",
        "c1",
        "c2",
        "prefer_not_to_say",
    ]
    assert [statistics.gives(place) for place in range(4)] == [True, True, True, False]
    assert statistics.has("prefer_not_to_say", 3)
    assert not statistics.has("c2", 3)
    assert statistics.bars(1, 4) == [0, 1, 0, 0]
    assert statistics.times_given({0: 5, 2: 7}, (0, 1, 2)) == [5, 0, 7]
    assert statistics.place(1) is None
