"""A likelihood of reports with two maxima: the search finds the higher one and says so."""

import numpy as np
import pytest

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, to_natural
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    gradient,
    hessian,
    jeffreys,
    logistic,
    maximum,
    numbers,
    regress_penalised,
    values,
)

pytestmark = pytest.mark.fast


def people(far, yes=28):
    """Three groups of respondents as predictor and reports (0 is Yes).

    At -1 there are forty, of whom 12 say Yes by a symmetric coin. At 1 there are forty, of whom 28
    do. A few are far away at 20 and all say No.
    """
    x = np.repeat([-1.0, 1.0, 20.0], [40, 40, far])
    return x, np.concatenate([np.arange(40) >= 12, np.arange(40) >= yes, np.ones(far)]).astype(int)


def penalised(x, codes):
    """The penalised log likelihood of a constant and a slope."""
    design = np.column_stack([np.ones(len(x)), x])

    def height(b):
        yes = logistic(design @ b)
        said = 0.25 + 0.5 * yes
        reported = np.log(np.where(codes == 0, said, 1 - said)).sum()
        return reported + jeffreys(design, yes[:, np.newaxis])

    return height


def two_maxima(x, codes):
    """The maximum that ignores the few, and the one that fits them."""
    height = penalised(x, codes)
    found = []
    for at in (np.array([0.0, 1.7]), np.array([0.0, -0.05])):
        for _ in range(20):
            at = at - np.linalg.solve(hessian(height, at), gradient(height, at))
        found.append(at)
    return found


@pytest.mark.parametrize("copies", [1, 61])  # with 61, the search uses every second respondent
def test_the_higher_of_two_maxima_is_found(copies):
    x, codes = (np.tile(one, copies) for one in people(far=4))
    found = regress_penalised(column("y", YES_NO, codes, COIN), [numbers("x", x)])
    height, (best, other) = penalised(x, codes), two_maxima(x, codes)
    assert height(best) > height(other) + 0.1
    assert values(found) == pytest.approx(best, abs=1e-5)
    # The effect of the lower one has the other sign. Newton's method from the usual start finds it.
    likelihood = KnownPredictorLikelihood(
        model=Multinomial(2, 1), outcome=ReportedVariable(COIN, codes), non_private=x[:, np.newaxis]
    )
    near = to_natural(likelihood) @ fit(likelihood).theta
    assert near == pytest.approx(other, abs=1e-5)
    assert near[1] < 0 < best[1]
    expected = "has another maximum" if copies == 1 else "several maxima. This is the highest"
    assert any(expected in remark for remark in remarked(found))
    # Without the predictor there is one maximum.
    alone = maximum(lambda b: height(np.array([1, 0]) * b), 1)
    statistic = 2 * (height(best) - height(np.array([alone[0], 0])))
    assert found.tests[0].statistic == pytest.approx(statistic, abs=1e-5)


def test_a_maximum_nearly_as_high_is_told():
    x, codes = people(far=6)
    found = regress_penalised(column("y", YES_NO, codes, COIN), [numbers("x", x)])
    height, (one, other) = penalised(x, codes), two_maxima(x, codes)
    (remark,) = (each for each in remarked(found) if "another maximum" in each)
    lower = float(remark.split("logarithm is only ")[1].split(" lower")[0])
    assert lower == pytest.approx(abs(height(one) - height(other)), abs=0.006)


def test_of_direct_answers_and_of_categories_there_is_one():
    x, codes = people(far=4)
    found = regress_penalised(column("y", YES_NO, codes), [numbers("x", x)])
    assert remarked(found) == ()
    levels = np.searchsorted([-1, 1, 20], x)
    # The four are like the second group of forty.
    levels[-4:] = 1
    found = regress_penalised(column("y", YES_NO, codes, COIN), [column("x", "ab", levels)])
    assert not any("maxim" in remark for remark in remarked(found))
