"""A likelihood of reports with two maxima: the search finds the higher one and says so."""

import numpy as np
import pytest

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from survey.analysis.regression.regression import regress
from tests.support.regressed import COIN, YES_NO, column, logistic, numbers

pytestmark = pytest.mark.fast


def people(far, yes=28):
    """Three groups of respondents as predictor and reports (0 is Yes).

    At -1 there are forty, of whom 12 say Yes by a symmetric coin. At 1 there are forty, of whom 28
    do. A few are far away at 20 and all say No.
    """
    x = np.repeat([-1.0, 1.0, 20.0], [40, 40, far])
    return x, np.concatenate([np.arange(40) >= 12, np.arange(40) >= yes, np.ones(far)]).astype(int)


def heights(x, codes, slopes):
    """The log likelihood at each slope, with the best of many constants."""
    constants = np.linspace(-3, 3, 301)
    found = []
    for slope in slopes:
        said = 0.25 + 0.5 * logistic(constants[:, np.newaxis] + slope * x)
        found.append(np.log(np.where(codes == 0, said, 1 - said)).sum(axis=1).max())
    return np.array(found)


def maxima(values):
    inner = values[1:-1]
    return sorted(inner[(inner > values[:-2]) & (inner > values[2:])], reverse=True)


@pytest.mark.parametrize("copies", [1, 61])  # with 61, the search uses every second respondent
def test_the_higher_of_two_maxima_is_found(copies):
    x, codes = (np.tile(one, copies) for one in people(far=4))
    found = regress(column("y", YES_NO, codes, COIN), [numbers("x", x)])
    # The fit ignores the four and fits the others: 0.1 and 0.9 of the answers are Yes.
    assert [row.value for row in found.coefficients] == pytest.approx([0, np.log(9)], abs=1e-6)
    near = fit(
        KnownPredictorLikelihood(Multinomial(2, 1), ReportedVariable(COIN, codes), x[:, np.newaxis])
    )
    high, low = maxima(heights(*people(far=4), np.linspace(-0.5, 4, 451)))
    assert found.log_likelihood / copies == pytest.approx(high, abs=1e-2)
    assert near.found.height / copies == pytest.approx(low, abs=1e-2)
    # The effect has the other sign.
    assert near.theta[1] < 0
    (remark,) = found.remarks
    assert "several maxima. This is the highest" in remark
    # Without the predictor there is one maximum, at the share of all.
    share = np.mean(codes == 0)
    alone = len(x) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    assert found.tests[0].statistic == pytest.approx(2 * (found.log_likelihood - alone), abs=1e-6)


def test_a_maximum_nearly_as_high_is_told():
    x, codes = people(far=8)
    found = regress(column("y", YES_NO, codes, COIN), [numbers("x", x)])
    high, low = maxima(heights(x, codes, np.linspace(-0.5, 4, 451)))
    assert found.log_likelihood == pytest.approx(high, abs=1e-2)
    (remark,) = found.remarks
    told = float(remark.split("logarithm is only ")[1].split(" lower")[0])
    assert told == pytest.approx(high - low, abs=0.02)


def test_of_direct_answers_and_of_categories_there_is_one():
    x, codes = people(far=4)
    found = regress(column("y", YES_NO, codes), [numbers("x", x)])
    assert found.remarks == ()
    levels = np.searchsorted([-1, 1, 20], x)
    # The four are like the second group of forty.
    levels[-4:] = 1
    found = regress(column("y", YES_NO, codes, COIN), [column("x", "ab", levels)])
    assert found.remarks == ()


def test_coefficients_without_end_that_fit_better_are_told():
    """Among respondents at 1, as many say Yes as a symmetric coin produces.

    The larger the coefficient, the higher the likelihood.
    """
    x, codes = people(far=4, yes=31)
    found = regress(column("y", YES_NO, codes, COIN), [numbers("x", x)])
    steep = heights(x, codes, [3.0])
    assert steep > found.log_likelihood
    (remark,) = found.remarks
    assert "Infinite coefficients" in remark
