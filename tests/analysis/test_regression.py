"""Regressions: each model, compared with an independent likelihood and other optimisers.

The likelihood has the penalty of Firth (1993), for the answers as if nothing were randomised.
"""

import numpy as np
import pytest

from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from survey.analysis.regression.standard_errors import errors_of
from survey.core.errors import UnanswerableQuestion
from tests.analysis.likelihoods import covariance_of_two, of_two, penalised, shares_of_two
from tests.support.analysed import mixed
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    errors,
    information_blocks,
    logistic,
    maximum,
    pseudo_data,
    regress_penalised,
    reports,
    values,
)

pytestmark = pytest.mark.fast


# --- logistic
def test_of_non_private_answers_it_is_firths_regression(data):
    found = regress_penalised(column("y", YES_NO, data.y), data.plain)
    x = data.design()
    height = of_two(x, (1, 0, data.y == 0))
    best = maximum(penalised(height, x), 5)
    assert values(found) == pytest.approx(best, abs=1e-6)
    error = np.sqrt(np.diag(covariance_of_two(height, x, best)))
    assert errors(found) == pytest.approx(error, rel=1e-6)
    assert found.model == "logistic"
    assert [row.name for row in found.coefficients] == [
        "constant", "x", "age", "region: E", "region: S"
    ]  # fmt: skip


def test_respondents_may_be_asked_by_different_designs(data):
    """A third directly, a third by a symmetric coin, a third by forced response."""
    forced = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
    designs = [np.eye(2), COIN, forced]
    asked = np.arange(data.n) % 3
    codes = np.array([reports(data.r, designs[d], [y])[0]
                      for d, y in zip(asked, data.y, strict=True)])  # fmt: skip
    outcome = mixed(designs, asked, codes)
    likelihood = KnownPredictorLikelihood(
        model=Multinomial(2, 1), outcome=outcome, non_private=data.design()[:, 1:]
    )
    found = fit(likelihood)
    x = (data.design() - np.r_[0, likelihood.predictors.means]) / np.r_[
        1, likelihood.predictors.scales
    ]

    def height(b):
        yes = logistic(x @ b)
        told = np.array([designs[d][:, c] for d, c in zip(asked, codes, strict=True)])
        return np.log(yes * told[:, 0] + (1 - yes) * told[:, 1]).sum()

    assert found.theta == pytest.approx(maximum(penalised(height, x), 5), abs=1e-6)
    by_hand = pseudo_data(x, information_blocks(shares_of_two(x, found.theta)))
    yes = logistic(x @ found.theta)
    for row, pi, d in zip(x, yes, asked, strict=True):
        p, q = designs[d][:, 0]
        said = q + (p - q) * pi
        by_hand += np.outer(row, row) * ((p - q) * pi * (1 - pi)) ** 2 / (said * (1 - said))
    expected = errors_of(likelihood, found, "expected")
    assert expected.covariance == pytest.approx(np.linalg.inv(by_hand), rel=1e-8)


# --- refusals


def test_what_is_refused_is_a_survey_error(data):
    with pytest.raises(UnanswerableQuestion, match="at least one predictor"):
        regress_penalised(column("y", YES_NO, data.y), [])
