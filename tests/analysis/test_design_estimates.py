"""Estimates of each question under a sampling design: closed forms."""

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.analysis.design_estimates import design_estimates
from tests.support.analysed import COIN, column, plain

pytestmark = pytest.mark.fast


def test_weighted_shares_and_means_are_those_of_their_formulas():
    answers, weights = np.array([0, 1, 1, 2, 0, 2, 1]), np.array([1.0, 2, 3, 1, 1, 2, 4])
    found = list(
        design_estimates([plain(answers, 3, values=[1, 2, 3])], SurveyDesign(weights=weights))
    )
    assert [each.measure.answer for each in found] == [None, "x0", "x1", "x2"]
    mean = weights @ (answers + 1) / weights.sum()
    shares = [weights[answers == place].sum() / weights.sum() for place in range(3)]
    assert [each.figure.value for each in found] == pytest.approx([mean, *shares])
    assert {each.n for each in found} == {7}


def test_a_private_share_is_that_of_the_weighted_reports():
    reports, weights = np.array([0] * 40 + [1] * 60), np.repeat([2.0, 1.0], 50)
    first, _ = design_estimates([column(reports, COIN)], SurveyDesign(weights=weights))
    assert first.figure.value == pytest.approx(2 * (80 / 150) - 0.5)
