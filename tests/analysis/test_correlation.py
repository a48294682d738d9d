"""Correlations of two questions of one draw: exact expectations, and NumPy without noise."""

from itertools import product

import numpy as np
import pytest
import scipy

from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.tables.correlation import LACKING_REPORTS_REMARK, pearson_correlation
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstabs import crosstab
from survey.core.errors import UnanswerableQuestion
from survey.estimation.findings.remarks import SMALL_SAMPLE
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


def test_short_intervals_of_phi_have_a_remark():
    """All tables of 20 reports with ε = 3 ln 3, for two answers of 10 and 30 % that are unrelated.

    The 95 % interval covers fewer than 93 % of all surveys, and enough of those without a remark.
    """
    n, shares = 20, np.array([0.03, 0.07, 0.27, 0.63])
    survey, question = survey_of_items({"drinks": 2, "smokes": 2}, epsilon=3 * np.log(3))
    chances = shares @ transitions(question)
    weight, held = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    firsts = np.array([each for each in product(range(n + 1), repeat=3) if sum(each) <= n])
    tables = np.column_stack([firsts, n - firsts.sum(axis=1)])
    likely = scipy.stats.multinomial.pmf(tables, n, chances)
    for table, chance in zip(tables[likely > 1e-4], likely[likely > 1e-4], strict=True):
        pair = columns_of(survey, question, np.repeat(np.arange(4), table), ["drinks", "smokes"])
        try:
            found = pearson_correlation(*pair)
        except UnanswerableQuestion:
            continue
        assert found.lacks_reports == (min(table) == 0)
        weight[found.lacks_reports] += chance
        held[found.lacks_reports] += chance * (found.figure.low <= 0 <= found.figure.high)
    assert sum(weight.values()) > 0.8
    assert sum(held.values()) < 0.93 * sum(weight.values())
    assert held[False] >= 0.94 * weight[False]


def test_the_remark_on_phi_is_in_both_analyses():
    survey, question = survey_of_items({"drinks": 2, "smokes": 2}, epsilon=3 * np.log(3))
    for counts, lacks in (([0, 10, 10, 20], True), ([10, 10, 10, 20], False)):
        pair = columns_of(survey, question, np.repeat(np.arange(4), counts), ["drinks", "smokes"])
        for found in (crosstab(pair), correlations(pair)):
            said = [each.sentence for each in found.remarks if each.code == SMALL_SAMPLE]
            assert ([LACKING_REPORTS_REMARK] if lacks else []) == said
    separate = [column(name, YES_NO, np.repeat([0, 1], 20)) for name in "xy"]
    assert not any(each.code == SMALL_SAMPLE for each in correlations(separate).remarks)


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
