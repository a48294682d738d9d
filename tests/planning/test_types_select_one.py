"""The defaults of planning: one answer out of a few."""

import numpy as np
import pytest

from survey.planning.precision import MEAN, SHARE
from survey.planning.types import PLANNING
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast
THREE = question_of("select_one", {"epsilon": 1}, choices=MANY[:3], prefer_not_to_say=True)


def test_people_draw_answers_with_the_stated_shares():
    """10,000 people: a share of 1/2 has a standard deviation of 0.005, so 0.03 is six of them."""
    drawn = PLANNING[THREE].draw([0.5, 0.3, 0.2, 0.0], 10_000, np.random.default_rng(1))
    assert np.bincount(drawn, minlength=4) / 10_000 == pytest.approx([0.5, 0.3, 0.2, 0], abs=0.03)
    assert PLANNING[THREE].store_unrandomised(drawn[:3]) == drawn[:3].tolist()
    assert PLANNING[THREE].number_of_answers() == 4


def test_the_proposed_shares_are_equal_and_add_up_to_one():
    shares = PLANNING[THREE].usual_truth()
    assert list(shares) == ["c0", "c1", "c2"]
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares.values()) - min(shares.values()) < 0.01


def test_a_share_is_planned_and_no_mean():
    [share] = PLANNING[THREE].precision_of_share(None, 1.0)
    assert share.kind == SHARE
    assert PLANNING[THREE].precision_of_distribution(1.0, None, None) == []
    assert not PLANNING[THREE].is_for_mean_alone()
    assert MEAN not in {each.kind for each in [share]}
