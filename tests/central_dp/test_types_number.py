"""Stored numbers are places on the grid, after which special answers follow."""

import pytest

from survey.central_dp.types import ANSWER_STATISTICS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_places_and_special_answers_of_a_number():
    number = question_of("number", "none", min=10, max=20, step=5, prefer_not_to_say=True)
    statistics = ANSWER_STATISTICS[number]
    assert [statistics.place(stored) for stored in range(4)] == [0, 1, 2, None]
    assert [name for name, _ in statistics.countable()] == ["", "prefer_not_to_say"]
    assert [statistics.has("prefer_not_to_say", stored) for stored in (2, 3)] == [False, True]


@pytest.mark.parametrize(("high", "offered"), [(999, True), (1_000, False)])
def test_only_few_values_have_a_mode(high, offered):
    statistics = ANSWER_STATISTICS[question_of("number", "none", min=0, max=high)]
    assert ("mode" in statistics.offered_statistics()) == offered
