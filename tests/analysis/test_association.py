"""Measures and tests of association: phi, the score test of Pearson, and degrees of freedom."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import chi2_contingency

from survey.analysis import SurveyDesign
from survey.analysis.tables.association import conditional_contrasts, phi
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import joint_shares
from survey.core.randomizer import Randomizer
from tests.analysis.tables import TABLE, listed, plain_pair
from tests.support.analysed import COIN, FOUR, THREE, column, reported


def test_the_score_test_of_non_private_questions_is_pearsons():
    table = np.array([[20, 30, 12], [30, 25, 28]])
    expected = chi2_contingency(table, correction=False)
    found = crosstab(plain_pair(table)).tests[0]
    assert found.name == "score"
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    # The p-value is that of 9,999 permutations, with a standard error of 0.002.
    assert (found.degrees, found.p) == (expected.dof, pytest.approx(expected.pvalue, abs=0.007))


def test_an_answer_that_nobody_gave_takes_no_degree_of_freedom():
    with_nobody = np.insert(TABLE, 1, 0, axis=0)
    ours, theirs = (crosstab(plain_pair(counts)) for counts in (with_nobody, TABLE))
    for one, other in zip(ours.tests, theirs.tests, strict=True):
        assert (one.statistic, one.degrees) == (pytest.approx(other.statistic), other.degrees)
    assert ours.of_row[3] is None
    assert ours.of_column[3].value == 0


def test_odds_ratio_and_phi_of_non_private_questions():
    counts = np.array([[20, 30], [40, 15]])
    found, n = crosstab(plain_pair(counts)), counts.sum()
    assert found.odds_ratios[0].value == pytest.approx(20 * 15 / (30 * 40))
    woolf = math.sqrt((1 / counts).sum() * n / (n - 1))
    assert found.odds_ratios[0].standard_error == pytest.approx(20 * 15 / (30 * 40) * woolf)
    statistic = chi2_contingency(counts, correction=False).statistic
    assert found.phis[0].value == pytest.approx(-math.sqrt(statistic / n))
    assert found.phis[0] == pearson_correlation(*plain_pair(counts)).figure
    # With weights, the intervals are symmetric on Fisher's scale and on the log scale.
    weighted = crosstab(plain_pair(counts), SurveyDesign(weights=np.ones(n)))
    (by_weight,), (ratio,) = weighted.phis, weighted.odds_ratios
    middle = math.atanh(by_weight.low) + math.atanh(by_weight.high)
    assert middle / 2 == pytest.approx(math.atanh(by_weight.value))
    assert ratio.low * ratio.high == pytest.approx(ratio.value**2)
    assert ratio.high / ratio.value == pytest.approx(math.exp(woolf * stdtrit(n - 1, 0.975)))


def test_the_gradients_are_those_of_finite_differences():
    shares = np.array([0.21, 0.14, 0.08, 0.2, 0.12, 0.25])
    for shape in ((2, 3, 1), (3, 1, 2), (3, 2, 1)):
        _, gradient = conditional_contrasts(shares, shape)
        for place in range(6):
            step = np.eye(6)[place] * 1e-6
            up, down = (conditional_contrasts(shares + d, shape)[0] for d in (step, -step))
            assert gradient[:, place] == pytest.approx((up - down) / 2e-6, abs=1e-9)
    four = np.array([0.3, 0.2, 0.1, 0.4])
    for place in range(4):
        step = np.eye(4)[place] * 1e-6
        slope = (phi(four + step, np.eye(4), 9, 0.95).value
                 - phi(four - step, np.eye(4), 9, 0.95).value) / 2e-6  # fmt: skip
        only = phi(four, np.diag(np.eye(4)[place]), 9, 0.95).standard_error
        assert only == pytest.approx(abs(slope), abs=1e-8)


def test_with_as_many_reports_as_answers_the_score_test_is_pearsons_of_the_reports():
    counts = np.array([[40, 22], [31, 27]])
    a, b = listed(counts)
    found = crosstab([column(a, COIN, "a"), column(b, COIN, "b")]).tests[0]
    expected = chi2_contingency(counts, correction=False)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-8)


FORCED = Randomizer.from_rows([[11, 1], [1, 11]])
SUBSET = Randomizer.from_rows(
    [[5 if answer in chosen else 2 for chosen in combinations(range(4), 2)] for answer in range(4)]
)
RARE = {2: [0.2, 0.8], 3: [0.05, 0.35, 0.6], 4: [0.05, 0.15, 0.3, 0.5]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "first, second, special_answers",
    [(COIN, COIN, 0), (FOUR, FOUR, 0), (SUBSET, SUBSET, 0), (FORCED, FORCED, 0), (THREE, FOUR, 0),
     (THREE, THREE, 1)],
)  # fmt: skip
@pytest.mark.parametrize("n", [60, 200])
def test_the_score_test_of_independence_rejects_as_often_as_it_says(
    first, second, special_answers, n
):
    """300 surveys of independent answers, some of them rare.

    The rate of false alarms is between 1 % and 10 %, except once in 3,000.
    """
    r, rejected = np.random.default_rng(8), 0
    for _ in range(300):
        one, other = (
            column(reported(r, table, r.choice(table.answers, n, p=RARE[table.answers])), table,
                   name, special_answers=special_answers)
            for table, name in ((first, "a"), (second, "b"))
        )  # fmt: skip
        rejected += score_test(joint_shares([one, other])).p < 0.05
    assert 0.01 <= rejected / 300 < 0.1
