"""Guesses of attacks: the chances of reports, and the best guess about them."""

import math

import numpy as np
import pytest

from survey.learn.attacks.attempt import report_answers

pytestmark = pytest.mark.fast


def test_reports_have_the_probabilities_of_the_ratio_bounds():
    # 40,000 reports: 4.5 standard errors fail by chance once in 150,000 times.
    reports = report_answers(np.full(40_000, 2), 3.0, 5, np.random.default_rng(4))
    shares = np.bincount(reports, minlength=5) / 40_000
    for answer, share in enumerate(shares):
        chance = 3 / 7 if answer == 2 else 1 / 7
        assert abs(share - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 40_000)
