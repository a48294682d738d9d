"""Bartlett's correction: simulated surveys against separate fits, and exact expected values."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression import bartlett_correction
from survey.analysis.regression.bartlett_correction import (
    SURVEYS,
    SimulatedSurveys,
    can_be_corrected,
    corrected_test,
    mean_ratio,
)
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from survey.analysis.regression.profile_likelihood import linear_ends, nested_fit, usual_reaches
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    logistic,
    numbers,
    regress_penalised,
    reports,
    spread,
)

pytestmark = pytest.mark.fast

SLOPE = np.array([[0.0], [1.0]])


def likelihood_of(n, table=COIN, seed=1, constants_share=1.0, decimals=1):
    """Reports on a trait of about 30 %, and one number."""
    r = np.random.default_rng(seed)
    x = np.round(r.normal(size=n), decimals)
    codes = reports(r, table, (r.random(n) > logistic(-1 + 0.5 * x)).astype(int))
    return KnownPredictorLikelihood(
        model=Multinomial(2, 1),
        outcome=ReportedVariable(table, codes),
        non_private=x[:, np.newaxis],
        constants_share=constants_share,
    )


def all_surveys(likelihood, theta):
    """Every possible set of reports, and its probability at theta."""
    codes = np.indices((2,) * likelihood.n).reshape(likelihood.n, -1).T
    block = likelihood.predictors.block(slice(None))
    products = (block[:, :, np.newaxis] * block[:, np.newaxis]).reshape(len(block), -1)
    surveys = SimulatedSurveys(
        likelihood=likelihood, block=block, products=products, codes=codes, counts=None
    )
    shares = likelihood.model.shares(theta[np.newaxis] @ surveys.block.T)[0]
    reported = likelihood.outcome.chances.T @ shares
    return surveys, reported[codes, np.arange(likelihood.n)].prod(axis=1)


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_maxima_are_those_of_separate_fits(share):
    likelihood = likelihood_of(60, spread(2, 0.4), constants_share=share, decimals=3)
    theta = np.array([-1.0, 0.5])
    surveys = SimulatedSurveys.under(likelihood, theta)
    assert surveys.codes.shape == (SURVEYS, 60)
    starts = np.tile(theta, (SURVEYS, 1))
    for within in (np.eye(2), np.eye(2)[:, :1]):
        found = surveys.fit(starts, within)
        for survey in range(20):
            outcome = replace(likelihood.outcome, codes=surveys.codes[survey])
            alone = fit(replace(likelihood, outcome=outcome), theta, within)
            assert found.heights[survey] == pytest.approx(alone.found.height, abs=2e-4)


def test_the_score_statistic_has_the_mean_that_the_control_variate_assumes():
    """Over all sets of eight reports, weighted by their probabilities."""
    likelihood, theta = likelihood_of(8), np.array([-0.4, 0.8])
    surveys, chances = all_surveys(likelihood, theta)
    assert chances.sum() == pytest.approx(1)
    for within, k in ((np.eye(2)[:, :1], 1), (np.empty((2, 0)), 2)):
        assert chances @ surveys.score_statistics(theta, within) == pytest.approx(k, abs=1e-9)


@pytest.mark.parametrize("decimals", [1, 0])
def test_the_mean_is_near_the_exact_one(decimals):
    """Over all sets of twelve reports. The random error of SURVEYS surveys is about 0.02 here.

    Without decimals, there are few kinds of respondents, which are counted.
    """
    likelihood = likelihood_of(12, spread(2, 0.8), decimals=decimals)
    theta = np.array([-0.5, 0.0])
    counts = SimulatedSurveys.under(likelihood, theta).counts
    assert (counts is None) == (decimals == 1)
    surveys, chances = all_surveys(likelihood, theta)
    held = surveys.fit(np.tile(theta, (len(chances), 1)), np.eye(2)[:, :1])
    free = surveys.fit(held.thetas, np.eye(2))
    exact = float(chances @ (2 * (free.heights - held.heights)))
    assert 0.55 < exact < 0.95
    assert mean_ratio(likelihood, theta, SLOPE) == pytest.approx(exact, abs=0.06)


def of_two_designs(values):
    """Half of the respondents have two coins, and half report the truth: codes 2 and 3."""
    n, table = 40, np.hstack([COIN, np.eye(2)])
    codes = np.where(np.arange(n) < 20, 0, 2)
    outcome = ReportedVariable(table, codes, np.array([0, 0, 1, 1]))
    x = np.arange(n)[:, np.newaxis] % values
    return KnownPredictorLikelihood(model=Multinomial(2, 1), outcome=outcome, non_private=x)


def test_each_respondent_keeps_the_design_of_the_question():
    simulated = SimulatedSurveys.under(of_two_designs(11.0), np.array([0.3, 0.1])).codes
    assert set(np.unique(simulated[:, :20])) == {0, 1}
    assert set(np.unique(simulated[:, 20:])) == {2, 3}


def test_a_kind_counts_as_often_as_it_occurs():
    """Everything is the same for its respondents one by one."""
    theta, within = np.array([1.0, 0.1]), np.eye(2)[:, :1]
    surveys = SimulatedSurveys.under(of_two_designs(5.0), theta)
    counts = surveys.counts.astype(int)
    # Five values for each design, and four respondents with each value.
    by_value = counts.reshape(SURVEYS, 5, 2, 2)
    assert (by_value.sum(axis=3) == 4).all()
    # Of 20 who report the truth, 73 % say Yes. The standard error of the mean is 0.2.
    assert by_value[:, :, 1, 0].sum(axis=1).mean() == pytest.approx(20 * logistic(1), abs=1)
    codes = np.array([surveys.codes[0].repeat(each) for each in counts])
    block, products = (each.repeat(counts[0], axis=0) for each in (surveys.block, surveys.products))
    alone = replace(surveys, block=block, products=products, codes=codes, counts=None)
    thetas = np.random.default_rng(2).normal(size=(SURVEYS, 2))
    for one, other in zip(
        vars(surveys.evaluate(thetas)).values(), vars(alone.evaluate(thetas)).values(), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-9)
    scores = [each.score_statistics(theta, within) for each in (surveys, alone)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)
    for one, other in zip(
        *(vars(each.fit(thetas, np.eye(2))).values() for each in (surveys, alone)), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("means", [(0.8, 0.8, 0.8), (0.6, 0.9, 0.7), (0.7, 0.5, 1.0)])
def test_the_interval_and_the_test_use_the_same_means(monkeypatch, means):
    """Each end has the fall that its interpolated mean allows, and p gives the same verdict."""
    given = iter(means)
    monkeypatch.setattr(bartlett_correction, "mean_ratio", lambda *_: next(given))
    likelihood = likelihood_of(150)
    found, usual = fit(likelihood), usual_reaches(0.95)
    covariance = np.linalg.inv(found.found.curvature)
    nested = nested_fit(likelihood, found, SLOPE, covariance)
    ends = linear_ends(likelihood, found, SLOPE[:, 0], covariance, usual)
    reaches, mean = corrected_test(likelihood, found, SLOPE[:, 0], nested, ends, usual)
    assert mean == means[1]
    fall = 2 * (found.found.height - nested.found.height)
    zero = -np.sign(found.theta[1]) * np.sqrt(fall)
    known = sorted(zip((usual[0], zero, usual[1]), means, strict=True))
    limit = scipy.stats.chi2.ppf(0.95, 1)
    for reach in reaches:
        at = np.interp(reach, *zip(*known, strict=True))
        assert reach**2 == pytest.approx(limit * at, abs=1e-9)
    inside = reaches[0] <= zero <= reaches[1]
    assert inside == (fall / mean <= limit)


def test_it_is_for_private_outcomes_of_the_logistic_model_in_a_simple_sample():
    r = np.random.default_rng(3)
    x, y = np.round(r.normal(size=200), 1), r.integers(0, 2, 200)
    private = column("y", YES_NO, reports(r, COIN, y), COIN)
    predictors, corrected = [numbers("x", x)], "profile likelihood with Bartlett’s correction"
    found = regress_penalised(private, predictors)
    assert found.intervals == corrected
    assert regress_penalised(private, predictors) == found
    assert found.tests[0].p == pytest.approx(found.coefficients[1].p, abs=1e-9)
    assert regress_penalised(column("y", YES_NO, y), predictors).intervals == "profile likelihood"
    assert regress_penalised(private, predictors, "probit").intervals == "profile likelihood"
    three = column("y", "abc", np.arange(200) % 3, spread(3, 0.5))
    assert regress_penalised(three, predictors).intervals == "profile likelihood"
    weighted = SurveyDesign(weights=np.linspace(1, 2, 200))
    assert regress_penalised(private, predictors, design=weighted).intervals == "Wald"


def test_it_is_left_out_where_it_would_take_long():
    assert can_be_corrected(likelihood_of(1_000), 8)
    assert not can_be_corrected(likelihood_of(10_000), 8)
