"""A yes/no question has one share to state."""

import pytest

from survey.estimation.headlines import SHARE
from survey.estimation.types import ESTIMATION
from tests.support.question_results import MANY, results

pytestmark = pytest.mark.fast


def test_the_headline_states_the_share_of_yes_by_its_own_interval():
    found = results([412, 588])
    assert found.headline.kind == SHARE
    assert [answer.choice.name for answer in found.headline.answers] == ["yes"]
    yes = found.answers[0]
    assert (yes.simultaneous.low, yes.simultaneous.high) == (yes.low, yes.high)


def test_a_choice_of_three_compares_all_its_shares():
    found = results([30, 20, 25], type="select_one", choices=MANY[:3])
    assert ESTIMATION[found.question].compared_shares() == 3
    assert ESTIMATION[results([412, 588]).question].compared_shares() == 1
    assert all(each.simultaneous.low < each.low for each in found.answers)
