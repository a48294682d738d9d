"""Regressions of the trait of a stochastic lie detector."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from survey.analysis.regression.formula import ModelTerms, parse_terms
from survey.analysis.validity.lie_detector import (
    HONESTY,
    LieDetectorLikelihood,
    lie_detector_regression,
)
from survey.analysis.validity.two_design_blocks import (
    TwoGroupReports,
    regression_of_trait,
    regression_of_trait_blocks,
)
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import COIN, column, plain
from tests.support.blocks import cells_in, table_in

pytestmark = pytest.mark.fast

# 1,256 respondents of Radukic & Musch (2014), from the data set minarets of the R package RRreg
# 0.7.5 (GPL-3, Heck): all who did not answer the direct question. Equal ones are one row.
MINARETS = Path(__file__).parent / "published" / "minarets.csv"
# Heck & Moshagen, J. Stat. Softw. 85(2) (2018), section 4.3: estimate, standard error and G² of the
# likelihood-ratio test. There is none for the constant here. The package fits each restricted model
# only once. G² for leftRight, 15.9638, and for honesty, 1,189.5374, are therefore from restricted
# fits below the highest maximum.
PUBLISHED = {
    "constant": (1.89659, 0.38104, None),
    "age": (0.01364, 0.06071, 0.0634),
    "leftRight": (0.62442, 0.15681, None),
    "age × leftRight": (-0.02039, 0.01168, 1.9996),
    HONESTY: (0.65170, 0.01800, None),
}


def minarets():
    """Whether each report is yes, the probability of the truth, and both centered predictors."""
    rows = np.loadtxt(MINARETS, delimiter=",", skiprows=1, dtype=int)
    condition, orientation, age, yes = np.repeat(rows[:, :4], rows[:, 4], axis=0).T
    # The package centers both by their means over all respondents, also of the direct question.
    centered = age - 23.6699568167, orientation + 0.4929056138
    return yes == 1, np.where(condition == 1, 2 / 12, 10 / 12), np.column_stack(centered)


def test_the_published_regression_of_the_minarets_survey():
    yes, truthful, predictors = minarets()
    design = np.column_stack([predictors, predictors.prod(axis=1)])
    found = lie_detector_regression(yes, truthful, design, tuple(PUBLISHED)[1:4], 0.95)
    assert found.n == 1256
    assert found.log_likelihood == pytest.approx(-821.084, abs=5e-4)
    for row in found.rows:
        value, error, statistic = PUBLISHED[row.name]
        # The package's search ends early, and its second derivatives are differences. The last
        # digits of both therefore differ.
        assert row.figure.value == pytest.approx(value, abs=1e-3 * error)
        assert row.figure.standard_error == pytest.approx(error, rel=5e-3)
        if statistic is not None:
            assert row.statistic == pytest.approx(statistic, abs=1e-4)


def test_the_likelihood_ratio_test_has_the_highest_restricted_maximum():
    """Without leftRight, the published G² of 15.96 has a likelihood that is lower by 1.7."""
    yes, truthful, predictors = minarets()
    design = np.column_stack([predictors, predictors.prod(axis=1)])
    found = lie_detector_regression(yes, truthful, design, tuple(PUBLISHED)[1:4], 0.95)
    rest = design[:, [0, 2]] / design[:, [0, 2]].std(axis=0)
    highest, _ = newton(np.array([3.0, 3.2, -3.1, 0.63]), yes, truthful, rest)
    statistic = 2 * (found.log_likelihood + loss(highest, yes, truthful, rest))
    assert found.rows[2].statistic == pytest.approx(statistic, abs=1e-6)
    assert statistic < 15.9638


def drawn(seed, n=800, honesty=0.7):
    """Reports of n people, whose trait depends on two predictors."""
    r = np.random.default_rng(seed)
    x = np.column_stack([r.normal(3, 2, n), r.integers(0, 2, n)])
    trait = r.random(n) < 1 / (1 + np.exp(-(-1 + 0.5 * x[:, 0] - 0.8 * x[:, 1])))
    truthful = np.where(np.arange(n) % 2, 0.2, 0.9)
    yes = np.where(trait, r.random(n) < honesty, r.random(n) >= truthful)
    return yes, truthful, x


def loss(parameters, yes, truthful, x):
    """Minus the log-likelihood, written out."""
    trait = 1 / (1 + np.exp(-(parameters[0] + x @ parameters[1:-1])))
    said = trait * parameters[-1] + (1 - trait) * (1 - truthful)
    return -np.log(np.where(yes, said, 1 - said)).sum()


def newton(parameters, *data):
    """The minimum of `loss` by Newton's method with complex-step slopes, and its curvature."""
    size = len(parameters)

    def slope(at):
        steps = 1e-30j * np.eye(size)
        return np.array([loss(at + step, *data).imag / 1e-30 for step in steps])

    for _ in range(20):
        nudges = 1e-5 * np.eye(size)
        curvature = [(slope(parameters + e) - slope(parameters - e)) / 2e-5 for e in nudges]
        parameters = parameters - np.linalg.solve(curvature, slope(parameters))
    return parameters, np.array(curvature)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_independent_maximisation_agrees(seed):
    data = drawn(seed)
    found = lie_detector_regression(*data, ("x", "z"), 0.95)
    rough = min(
        (
            minimize(loss, [0.0, 0.0, 0.0, start], args=data, method="Nelder-Mead")
            for start in (0.3, 0.6, 0.9)
        ),
        key=lambda each: each.fun,
    )
    expected, curvature = newton(rough.x, *data)
    estimates = [row.figure.value for row in found.rows]
    assert estimates == pytest.approx(list(expected), abs=1e-8)
    assert found.log_likelihood == pytest.approx(-loss(expected, *data), abs=1e-8)
    covariance = np.linalg.inv(curvature)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-5, atol=1e-7)
    for row, error in zip(found.rows, np.sqrt(np.diag(covariance)), strict=True):
        assert row.figure.standard_error == pytest.approx(error, rel=1e-5)
        assert row.figure.low <= row.figure.value <= row.figure.high


def test_derivatives_are_those_of_the_likelihood():
    yes, truthful, x = drawn(4, 50)
    design = np.column_stack([np.ones(50), x])
    likelihood = LieDetectorLikelihood(design, yes, 1 - truthful)
    at, eye = np.array([0.2, -0.1, 0.4, 0.6]), 1e-6 * np.eye(4)
    height, slope, information = likelihood.evaluate(at[:-1], at[-1])
    assert height == pytest.approx(-loss(at, yes, truthful, x))
    moved = [
        [likelihood.evaluate((at + s * e)[:-1], (at + s * e)[-1]) for s in (-1, 1)] for e in eye
    ]
    heights = [(high[0] - low[0]) / 2e-6 for low, high in moved]
    np.testing.assert_allclose(slope, heights, rtol=1e-6, atol=1e-6)
    slopes = [(low[1] - high[1]) / 2e-6 for low, high in moved]
    np.testing.assert_allclose(information, slopes, rtol=1e-5, atol=1e-5)


def test_if_all_are_honest_the_probability_of_honesty_has_no_error():
    """In about half of such surveys, the maximum is at the end of the range."""
    ends, small = 0, 0
    for seed in range(40):
        yes, truthful, x = drawn(seed, 400, honesty=1.0)
        found = lie_detector_regression(yes, truthful, x[:, :1], ("x",), 0.95)
        honesty = found.rows[-1]
        small += honesty.p < 0.05
        if honesty.figure.value == 1:
            ends += 1
            assert (honesty.figure.standard_error, honesty.figure.high) == (0, 1)
            assert honesty.p == 1
    # With a probability of 0.5 and 0.05, these limits are exceeded once in 1,000.
    assert 9 <= ends <= 31
    assert small <= 7


def test_a_predictor_that_separates_has_no_maximum():
    n = 400
    x = np.repeat([0.0, 1.0], n // 2)
    # Everyone in the second half has the trait and admits it; nobody in the first half has it.
    truthful = np.tile([0.5, 0.9], n // 2)
    yes = np.where(x == 1, True, np.random.default_rng(5).random(n) > truthful)
    with pytest.raises(UnanswerableQuestion, match="no finite maximum"):
        lie_detector_regression(yes, truthful, x[:, np.newaxis], ("x",), 0.95)


def test_predictors_are_columns_of_the_survey():
    """Respondents without an answer are omitted, and a category has its reference."""
    yes, truthful, x = drawn(6)
    age = np.clip(np.round(x[:, 0]), 0, 6).astype(int)
    age[:5] = -1
    ages = plain(age, 7, "age", values=range(7))
    place = plain(x[:, 1].astype(int), 2, "place")
    reports = TwoGroupReports(np.ones(len(yes), dtype=bool), yes, (truthful == 0.2).astype(int))
    terms = parse_terms(["age", "place", "age:place"])
    found = regression_of_trait(reports, (0.9, 0.2), [ages, place], terms, 0.95)
    kept, first = slice(5, None), (x[:, 1] == 0).astype(float)
    design = np.column_stack([age, first, age * first])[kept]
    direct = lie_detector_regression(
        yes[kept], truthful[kept], design, ("age", "place: place0", "age × place: place0"), 0.95
    )
    assert found.n == 795
    assert [row.name for row in found.rows] == [row.name for row in direct.rows]
    values = [[row.figure.value for row in each.rows] for each in (found, direct)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)
    table = table_in(list(regression_of_trait_blocks(found, 0.95)), "regression")
    for row, cells in zip(found.rows, cells_in(table), strict=True):
        assert (cells[0].exact, cells[0].low) == (row.figure.value, row.figure.low)
        assert cells[2].exact == row.p


def test_a_private_predictor_is_refused():
    yes, truthful, _ = drawn(7, 50)
    reports = TwoGroupReports(np.ones(50, dtype=bool), yes, (truthful == 0.2).astype(int))
    private = column(np.arange(50) % 2, COIN, "secret")
    with pytest.raises(UnanswerableQuestion, match="“What of secret\\?” is private"):
        regression_of_trait(reports, (0.9, 0.2), [private], ModelTerms(("secret",)), 0.95)
