"""Averages of repeated answers: the majority is right as often as the binomial says."""

import math

import numpy as np
import pytest

from survey.learn.attacks.averages import TIMES
from survey.learn.attacks.count_differences import yes_chances
from tests.learn.attempts import tried

pytestmark = pytest.mark.fast


def test_the_majority_is_right_as_often_as_the_binomial_says():
    attempts = tried("averages", 1.1)
    for place, times in enumerate(TIMES):
        share = float(np.mean([each.steps[place].raw for each in attempts]))
        chance = float(yes_chances(times, 0.75)[times // 2 + 1 :].sum())
        # Seven shares, 4.5 standard errors each: a false alarm once in 20,000 times.
        assert abs(share - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 960)
