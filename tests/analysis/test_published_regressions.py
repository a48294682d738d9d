"""Published regressions on randomised answers, under maximum likelihood.

Each fit equals the maximum of a likelihood that is written out here, to 1e-8. It also equals what
R packages print for the same data: rr 1.4.2 and GLMMRR 0.6.0 (tests/analysis/published/README.md).
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf

from survey.analysis.columns.joined import join_columns
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression.estimators import AUTOMATIC, MAXIMUM_LIKELIHOOD
from survey.analysis.regression.regression import regress
from tests.support.regressed import (
    YES_NO,
    column,
    errors,
    gradient,
    hessian,
    logistic,
    maximum,
    numbers,
    values,
)

PUBLISHED = Path(__file__).parent / "published"
FORCED = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
CROSSWISE = np.array([[0.25, 0.75], [0.75, 0.25]])
SHARES = {
    "logistic": logistic,
    "probit": lambda eta: (1 + erf(eta / np.sqrt(2))) / 2,
    "cloglog": lambda eta: 1 - np.exp(-np.exp(eta)),
    "cauchit": lambda eta: 1 / 2 + np.arctan(eta) / np.pi,
}
COVARIATES = ("asset", "married", "age", "age2", "education", "female")


def rows_of(name, *columns):
    """The columns of a file, shape (columns, rows), without rows that lack a cell."""
    with (PUBLISHED / f"{name}.csv").open(newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if all(row[each] for each in columns)]
    counts = [int(list(row.values())[-1]) for row in rows]
    return np.repeat([[float(row[each]) for each in columns] for row in rows], counts, axis=0).T


class Nigeria:
    """The respondents of Table 3: a report, and six covariates. Age is in decades."""

    def __init__(self):
        report, asset, married, age, education, female, self.civic = rows_of(
            "nigeria", "rr.q1", "cov.asset.index", "cov.married", "cov.age", "cov.education",
            "cov.female", "civic",
        )  # fmt: skip
        covariates = (asset, married, age / 10, (age / 10) ** 2, education, female)
        self.came = report == 1
        self.design = np.column_stack([np.ones(len(report)), *covariates])
        self.outcome = column("rr.q1", YES_NO, (~self.came).astype(int), FORCED)
        self.predictors = [numbers(*each) for each in zip(COVARIATES, covariates, strict=True)]


@pytest.fixture(scope="module")
def nigeria():
    return Nigeria()


def reported(link, design, came, if_yes, if_no, weights=1.0):
    """The log likelihood of reports of Yes, each with its probabilities of one."""

    def height(b):
        said = if_no + (if_yes - if_no) * SHARES[link](design @ b)
        return (weights * np.log(np.where(came, said, 1 - said))).sum()

    return height


def equals(found, height, best):
    """The coefficients are the maximum, and so are its errors, height and AIC."""
    assert found.estimator == "maximum likelihood"
    size = len(best)
    assert values(found) == pytest.approx(best[: len(values(found))], rel=1e-8, abs=1e-8)
    spread = np.sqrt(np.diag(np.linalg.inv(-hessian(height, best))))
    assert errors(found) == pytest.approx(spread[: len(values(found))], rel=1e-6)
    assert found.log_likelihood == pytest.approx(height(best), abs=1e-8)
    assert found.aic == pytest.approx(2 * size - 2 * height(best), abs=1e-8)


# Forced response, 2,423 respondents. rr::rrreg prints, with set.seed(1) and five decimals, after an
# EM algorithm that stops 1e-5 before the maximum (Blair, Imai & Zhou 2015, Table 3):
RR_TABLE_3 = [-0.34017, 0.07896, -0.26743, -0.35283, 0.04099, -0.00691, -0.55439]
# The same with civic as the first covariate.
RR_WITH_CIVIC = [-0.31964, 0.37572, 0.07788, -0.28925, -0.43399, 0.05062, -0.02113, -0.55091]


@pytest.mark.parametrize("link", SHARES)
def test_social_contacts_in_nigeria(nigeria, link):
    found = regress(nigeria.outcome, nigeria.predictors, link, estimator=MAXIMUM_LIKELIHOOD)
    height = reported(link, nigeria.design, nigeria.came, 5 / 6, 1 / 6)
    assert found.n == 2_423
    start = np.zeros(7) if link == "logistic" else values(found) + 0.01
    equals(found, height, maximum(height, 7, start))
    if link == "logistic":
        assert values(found) == pytest.approx(RR_TABLE_3, abs=1.5e-5)
        automatic = regress(nigeria.outcome, nigeria.predictors, estimator=AUTOMATIC)
        assert values(automatic) == pytest.approx(values(found), abs=1e-12)
        assert automatic.estimator_reason == "nearly equal"


def test_social_contacts_by_civic_membership(nigeria):
    predictors = [numbers("civic", nigeria.civic), *nigeria.predictors]
    found = regress(nigeria.outcome, predictors, estimator=MAXIMUM_LIKELIHOOD)
    design = np.insert(nigeria.design, 1, nigeria.civic, axis=1)
    height = reported("logistic", design, nigeria.came, 5 / 6, 1 / 6)
    equals(found, height, maximum(height, 8))
    assert values(found) == pytest.approx(RR_WITH_CIVIC, abs=1.5e-5)


def test_civic_membership_by_social_contacts(nigeria):
    """Table 4: the report as a predictor. rr's own EM does not maximise this likelihood.

    The answer has a logistic model, too, with the same covariates.
    """
    y = column("civic", YES_NO, 1 - nigeria.civic.astype(int))
    found = regress(y, [*nigeria.predictors, nigeria.outcome], estimator=MAXIMUM_LIKELIHOOD)
    x = nigeria.design

    def height(theta):
        has, total = logistic(x @ theta[8:]), 0
        for share, kept, moved in ((has, 5 / 6, theta[7]), (1 - has, 1 / 6, 0)):
            yes = logistic(x @ theta[:7] + moved)
            told = np.where(nigeria.civic == 1, yes, 1 - yes)
            total = total + share * told * np.where(nigeria.came, kept, 1 - kept)
        return np.log(total).sum()

    best = maximum(height, 15, np.r_[values(found) + 0.01, np.zeros(7)])
    equals(found, height, best)
    assert values(found)[7] == pytest.approx(0.406560, abs=1e-6)


def test_weights_and_clusters(nigeria):
    """The sandwich of clusters, from the scores of respondents by complex steps."""
    n = len(nigeria.came)
    weights, clusters = 1 + np.arange(n) % 5 / 4, np.arange(n) % 89
    design = SurveyDesign(weights=weights, strata=None, clusters=clusters)
    found = regress(
        nigeria.outcome, nigeria.predictors, design=design, estimator=MAXIMUM_LIKELIHOOD
    )
    w = weights / weights.mean()
    height = reported("logistic", nigeria.design, nigeria.came, 5 / 6, 1 / 6, w)
    best = maximum(height, 7)
    assert values(found) == pytest.approx(best, abs=1e-8)

    def of_cluster(place):
        mine = clusters == place
        part = reported("logistic", nigeria.design[mine], nigeria.came[mine], 5 / 6, 1 / 6, w[mine])
        return gradient(part, best)

    middle = 89 * np.cov(np.transpose([of_cluster(place) for place in range(89)]))
    outer = np.linalg.inv(-hessian(height, best))
    assert errors(found) == pytest.approx(np.sqrt(np.diag(outer @ middle @ outer)), rel=1e-6)
    assert (found.errors, found.log_likelihood, found.aic) == ("clustered", None, None)


# The example of the manual of GLMMRR::RRglm, with epsilon = 1e-13 and each link. The predictors are
# Gender + RR + pp + age. It stops up to 4e-6 before the maximum.
RRGLM = {
    "logistic": ([0.83495, -0.04412, 1.33236, 2.38994, -0.26307], -400.4446),
    "probit": ([0.61644, -0.04020, 0.68422, 1.11369, -0.14379], -400.3974),
    "cloglog": ([0.35809, -0.04926, 1.23241, 2.27778, -0.23812], -400.4799),
    "cauchit": ([-19.44422, -0.29416, 3.19176, 23.68583, -0.39089], -401.3561),
}


@pytest.mark.parametrize("link", RRGLM)
def test_plagiarism_by_two_ways_of_asking(link):
    """Two thirds answered by the crosswise model, the others directly."""
    response, *covariates = rows_of("plagiarism", "response", "Gender", "RR", "pp", "age")
    crosswise = covariates[1] == 1
    codes = 1 - response.astype(int)
    outcome = join_columns(
        column("response", YES_NO, np.where(crosswise, codes, -1), CROSSWISE),
        column("direct", YES_NO, np.where(crosswise, -1, codes)),
    )
    names = ("Gender", "RR", "pp", "age")
    predictors = [numbers(*each) for each in zip(names, covariates, strict=True)]
    found = regress(outcome, predictors, link, estimator=MAXIMUM_LIKELIHOOD)
    design = np.column_stack([np.ones(802), *covariates])
    if_yes, if_no = np.where(crosswise, [[0.25], [0.75]], [[1.0], [0.0]])
    height = reported(link, design, response == 1, if_yes, if_no)
    coefficients, log_likelihood = RRGLM[link]
    equals(found, height, maximum(height, 5, np.array(coefficients)))
    assert values(found) == pytest.approx(coefficients, rel=1e-6, abs=1e-5)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-4)
