"""Fisher's information of reports on private predictors, and score tests with it."""

import numpy as np
import pytest
import scipy

from survey.analysis.regression.effects import parameters_of, rao_test
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.outcomes import outcome_of_rows
from survey.analysis.regression.predictors import predictors_of
from survey.analysis.regression.private import expected_information as module
from survey.analysis.regression.private.expected_information import (
    information_of_reports,
    listed_reports,
)
from survey.analysis.regression.profile_likelihood import nested_fit
from survey.analysis.regression.regression import likelihood_of, regress
from survey.analysis.regression.standard_errors import errors_of
from tests.support.regressed import COIN, YES_NO, Data, column, spread

THREE = spread(3, 0.7)


@pytest.fixture
def data():
    return Data(5)


def likelihood(outcome, predictors):
    rows = np.ones(len(outcome.reports), dtype=bool)
    return likelihood_of(
        outcome_of_rows(outcome, "logistic", rows),
        predictors_of(predictors, rows, outcome=outcome),
        None,
    )


def of_two(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    return outcome, [
        data.private("z", data.z, YES_NO, COIN),
        data.private("w", data.w, "abc", THREE),
    ]


def test_it_is_the_mean_of_the_observed_information(data):
    """The observed information of all possible reports, times their probabilities."""
    own = likelihood(*of_two(data))
    theta = own.start() + np.linspace(-0.3, 0.3, own.size)
    every = listed_reports(own)
    chances = every.of_rows(theta)[0][every.different.of_respondent]
    assert chances.sum() == pytest.approx(1)
    total = np.zeros((own.size, own.size))
    for place, chance in enumerate(chances):
        one = module.with_reports(
            every, np.array([place]), np.array([[every.outcome.codes[place], *(
                draw.reported.codes[place] for draw in every.private.draws)]])
        )  # fmt: skip
        total += chance * one.evaluate(theta).curvature
    assert information_of_reports(own, theta, every) == pytest.approx(total * own.n, abs=1e-8)


def test_simulated_reports_have_nearly_the_same(data, monkeypatch):
    own = likelihood(*of_two(data))
    theta = own.start()
    listed = information_of_reports(own, theta, listed_reports(own))
    monkeypatch.setattr(module, "SIMULATED_PER_PARAMETER", 4_000)
    found = information_of_reports(own, theta, None)
    assert found == pytest.approx(listed, abs=0.05 * np.abs(listed).max())
    assert (information_of_reports(own, theta, None) == found).all()


def test_with_non_private_predictors_it_is_positive_definite(data):
    outcome, private = of_two(data)
    private[0].reports[:40] = -1
    own = likelihood(outcome, [*data.plain[:2], *private])
    found = information_of_reports(own, own.start(), None)
    assert np.linalg.eigvalsh(found)[0] > 0


def test_of_direct_answers_the_score_test_is_pearsons():
    """With reports that are the answers, the statistic is Pearson's chi-squared of the table."""
    counts = np.array([[30, 25, 45], [20, 50, 30]])
    y, w = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    own = likelihood(column("y", YES_NO, y), [column("w", "abc", w, np.eye(3))])
    found = fit(own)
    held = parameters_of(own, (1, 2))
    nested = nested_fit(
        own, found, np.eye(own.size)[:, held], errors_of(own, found, None).covariance
    )
    test = rao_test("w", own, nested.theta, held, listed_reports(own))
    pearson = scipy.stats.chi2_contingency(counts, correction=False)
    assert test.statistic == pytest.approx(pearson.statistic, rel=1e-3)
    assert test.degrees == 2


def test_several_coefficients_of_a_private_predictor_have_a_score_test(data):
    outcome, private = of_two(data)
    found = regress(outcome, private)
    kinds = {test.name: test.kind for test in found.tests}
    assert kinds == {"z": "likelihood ratio", "w": "score", "all predictors": "score"}


@pytest.mark.slow
def test_false_positives_of_the_score_test():
    """300 surveys: at 5 %, more than 27 or fewer than 5 happen once in 700 tests.

    The likelihood ratio would find fewer than 5.
    """
    random, found = np.random.default_rng(2), 0
    table = spread(3, 0.6)
    for _ in range(300):
        y, w = random.integers(0, 2, 200), random.integers(0, 3, 200)
        codes = [
            (random.random((200, 1)) > t[a].cumsum(axis=1)).sum(axis=1)
            for t, a in ((COIN, y), (table, w))
        ]
        result = regress(column("y", YES_NO, codes[0], COIN), [column("w", "abc", codes[1], table)])
        found += result.tests[0].p < 0.05
    assert 5 <= found <= 27
