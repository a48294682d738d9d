"""Numbers are planned for a mean or a median, and rounded at random to levels."""

from fractions import Fraction

import numpy as np
import pytest

from survey.planning.precision import MEAN, MEDIAN, precisions
from survey.planning.types import PLANNING
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
RANGE = {"min": 0, "max": 100}


def test_no_share_of_a_part_is_planned():
    number = question_of("number", {"epsilon": 1, "goal": "quantiles"}, **RANGE)
    assert [each.kind for each in precisions(number)] == [MEDIAN, MEAN]
    assert PLANNING[number].precision_of_share(None, 1.0) == []
    assert PLANNING[number].denied_precision(0.1, 1.0) is None


def test_proposed_numbers_are_centred():
    number = question_of("number", {"epsilon": 1}, **RANGE)
    assert PLANNING[number].usual_truth() == {"mean": 50, "sd": 17}
    assert PLANNING[number].number_of_answers() == 101


def test_random_rounding_keeps_the_mean_and_special_answers_follow_the_levels():
    """2,000 people answer 37. The mean of their levels has a standard error of at most 0.012."""
    number = question_of(
        "number",
        {"mechanism": "window", "epsilon": 1, "points": 11},
        prefer_not_to_say=True,
        **RANGE,
    )
    answers = np.append(np.full(2_000, 37), 101)
    rows = PLANNING[number].rows(number.table, answers, np.random.default_rng(1))
    levels = number.table.answers - 1
    assert rows[-1] == levels
    step = Fraction(100, levels - 1)
    assert {*rows[:-1]} == {37 // step, 37 // step + 1}
    assert float(step) * rows[:-1].mean() == pytest.approx(37, abs=0.07 * float(step))
