"""Correlations of two questions of one draw: exact expectations, and NumPy without noise."""

from itertools import product

import numpy as np
import pytest

from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstabs import crosstab
from tests.support.joint_reports import (
    columns_of,
    combinations_of,
    report_on,
    survey_of_items,
    transitions,
)
from tests.support.regressed import YES_NO, column

SHARES = np.array([0.3, 0.1, 0.05, 0.55])


@pytest.mark.parametrize("declines", [False, True])
def test_the_moments_of_one_draw_are_unbiased(declines):
    """With the exact probabilities of all reports as weights, it is the true correlation."""
    survey, question = survey_of_items({"drinks?" if declines else "drinks": 2, "smokes": 2})
    table, combinations = transitions(question), combinations_of(question)
    shares = np.append(SHARES * 0.9, [0.02, 0.08]) if declines else SHARES
    cells = list(product(range(len(shares)), range(len(shares))))
    weights = np.array([shares[answer] * table[answer, report] for answer, report in cells])
    reported = np.array([report for _, report in cells])
    pair = columns_of(survey, question, reported, ["drinks", "smokes"])
    found = pearson_correlation(*pair, design=SurveyDesign(weights=weights))
    both = combinations[:, 0] < 2
    x, y, p = *(combinations[both].T == 0), shares[both] / shares[both].sum()
    covariance = p @ (x & y) - (p @ x) * (p @ y)
    spread = np.sqrt((p @ x) * (1 - p @ x) * (p @ y) * (1 - p @ y))
    assert found.figure.value == pytest.approx(covariance / spread, abs=1e-9)


def test_without_noise_it_is_the_correlation_of_the_answers():
    r = np.random.default_rng(1)
    survey, question = survey_of_items({"drinks": 2, "smokes": 3}, odds=10**9)
    answers = r.choice(6, 500, p=np.array([3, 1, 1, 1, 2, 2]) / 10)
    pair = columns_of(survey, question, answers, ["drinks", "smokes"])
    drinks, smokes = combinations_of(question)[answers].T
    found = pearson_correlation(*pair, answers=(0, 2))
    expected = np.corrcoef(drinks == 0, smokes == 2)[0, 1]
    assert found.figure.value == pytest.approx(expected, abs=1e-6)
    direct = pearson_correlation(
        column("x", YES_NO, drinks), column("y", "ABC", smokes), answers=(0, 2)
    )
    assert found.figure.standard_error == pytest.approx(direct.figure.standard_error, rel=1e-6)


def test_phi_is_the_correlation_also_for_one_draw():
    r = np.random.default_rng(2)
    survey, question = survey_of_items({"drinks": 2, "smokes": 2})
    reported = report_on(r, question, r.choice(4, 600, p=SHARES))
    pair = columns_of(survey, question, reported, ["drinks", "smokes"])
    found, (phi,) = pearson_correlation(*pair), crosstab(pair).phis
    assert phi == found.figure
    assert found.p < 0.05
    assert found.figure.low > 0
    matrix = correlations([*pair, column("x", YES_NO, r.integers(0, 2, 600))])
    assert matrix.of(0, 1).found.figure == found.figure
    assert [pair.refusal for pair in matrix.pairs] == ["", "", ""]


@pytest.mark.slow
def test_no_correlation_of_one_draw_is_rejected_in_about_one_of_twenty_surveys():
    """500 surveys: a level of 0.05 is outside 0.015 to 0.085 once in 3,000."""
    r = np.random.default_rng(3)
    survey, question = survey_of_items({"drinks": 2, "smokes": 2})
    rejected = 0
    for _ in range(500):
        reported = report_on(r, question, r.choice(4, 200, p=[0.12, 0.18, 0.28, 0.42]))
        pair = columns_of(survey, question, reported, ["drinks", "smokes"])
        p = pearson_correlation(*pair).p
        rejected += p is not None and p < 0.05
    assert 0.015 <= rejected / 500 <= 0.085
