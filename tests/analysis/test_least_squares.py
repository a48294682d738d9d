"""Linear regressions: least squares, enumeration of all reports, clusters and weights."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from tests.analysis.many_respondents import THREE, Many
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    errors,
    numbers,
    regress_penalised,
    reports,
    spread,
    values,
)


@pytest.fixture
def data():
    return Many(3)


def test_of_non_private_numbers_it_is_least_squares_with_sandwich_errors(data):
    y = np.round(2 + 0.5 * data.x + 0.1 * data.age + data.r.normal(size=data.n), 1)
    found = regress_penalised(numbers("y", y), data.plain)
    x = data.design()
    best = np.linalg.lstsq(x, y, rcond=None)[0]
    rest = x * (y - x @ best)[:, np.newaxis]
    inverse = np.linalg.inv(x.T @ x)
    covariance = inverse @ (rest.T @ rest) @ inverse * data.n / (data.n - 1)
    assert found.model == "linear"
    assert found.errors == "sandwich"
    assert values(found) == pytest.approx(best, abs=1e-8)
    assert errors(found) == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-8)


def test_linear_regression_is_exactly_unbiased_over_all_reports_that_might_come(data):
    """All combinations of reports, weighted by probability, give the true coefficients.

    The outcome and the predictors are private, and some respondents declined.
    """
    n, points = 60, np.array([0.0, 5, 10])
    # Three points, and "prefer not to say".
    table = spread(4, 0.6)
    y, z, w = data.r.integers(0, 4, n), data.r.integers(0, 2, n), data.r.integers(0, 3, n)
    x = np.round(data.r.normal(size=n), 2)
    rows = [
        (i, a, b, c, table[y[i], a] * COIN[z[i], b] * THREE[w[i], c])
        for i in range(n)
        for a, b, c in product(range(4), range(2), range(3))
    ]
    person, a, b, c, chance = (np.array(part) for part in zip(*rows, strict=True))
    outcome = column("y", "lmhn", a, table, values=[*points, np.nan], special_answers=1)
    predictors = [
        numbers("x", x[person]),
        column("z", YES_NO, b, COIN),
        column("w", "abc", c, THREE, values=[1, 2, 4]),
    ]
    found = regress_penalised(outcome, predictors, "linear", design=SurveyDesign(weights=chance))
    told = y < 3
    true = np.column_stack([np.ones(n), x, z == 0, np.array([1, 2, 4])[w]])[told]
    best = np.linalg.lstsq(true, points[y[told]], rcond=None)[0]
    assert values(found) == pytest.approx(best, abs=1e-8)
    assert "gave no special answer" in remarked(found)[0]


def test_the_linear_model_takes_reports_that_tell_the_mean_alone(data):
    """One bit: the scores are those of the value, and there are no shares."""
    low, high = 20.0, 80.0
    points = np.linspace(low, high, 7)
    up = 0.25 + 0.5 * (points - low) / (high - low)
    table = np.column_stack([1 - up, up])
    worth = np.array([low - 30, high + 30])
    assert table @ worth == pytest.approx(points)
    answers = data.r.integers(0, 7, data.n)
    codes = reports(data.r, table, answers)
    labels = tuple(f"{point:g}" for point in points)
    outcome = AnalysisColumn(
        name="age",
        label="age",
        answers=labels,
        values=points,
        chances=table,
        scores=None,
        value_scores=worth,
        reports=codes,
        private=True,
        ordered=True,
    )
    found = regress_penalised(outcome, data.plain[:1])
    x = data.design()[:, :2]
    assert values(found) == pytest.approx(np.linalg.lstsq(x, worth[codes], rcond=None)[0])
    with pytest.raises(UnanswerableQuestion, match="Choose the linear model"):
        regress_penalised(outcome, data.plain[:1], "multinomial")
    with pytest.raises(
        UnanswerableQuestion, match=r"cannot be a predictor\. It can be the outcome"
    ):
        regress_penalised(column("y", YES_NO, data.y), [outcome])


def test_reports_that_tell_the_mean_of_those_who_gave_a_number_are_unbiased(data):
    """One bit for a number, and a third report for "prefer not to say".

    As above, all reports weighted by probability give the true coefficients.
    """
    points = np.array([0.0, 20, 50, 80, 100])
    up = 0.1 + 0.6 * points / 100
    declined = np.array([[0.2, 0.2, 0.6]])
    table = np.vstack([np.column_stack([0.8 - up, up, np.full(5, 0.2)]), declined])
    # There are six answers and three reports, so the shares cannot be known.
    worth = np.linalg.lstsq(table, np.append(points, 0), rcond=None)[0]
    assert table @ worth == pytest.approx(np.append(points, 0))
    y = data.r.integers(0, 6, data.n)
    person, codes = np.repeat(np.arange(data.n), 3), np.tile(np.arange(3), data.n)
    outcome = AnalysisColumn(
        name="age",
        label="age",
        answers=tuple("abcdef"),
        values=np.append(points, np.nan),
        chances=table,
        scores=None,
        value_scores=worth,
        reports=codes,
        private=True,
        ordered=True,
        special_answers=1,
    )
    plain = numbers("x", data.x[person])
    found = regress_penalised(outcome, [plain], design=SurveyDesign(weights=table[y].ravel()))
    told = y < 5
    best = np.linalg.lstsq(data.design()[told][:, :2], points[y[told]], rcond=None)[0]
    assert found.model == "linear"
    assert values(found) == pytest.approx(best, abs=1e-7)
    # If "prefer not to say" looks like an answer, the mean of the others is unknown.
    like_an_answer = replace(outcome, chances=np.vstack([table[:5], table[:1]]))
    with pytest.raises(UnanswerableQuestion, match="do not show how many preferred not to say"):
        regress_penalised(like_an_answer, [plain])


def test_linear_errors_with_clusters_weights_and_private_predictors(data):
    """The same sums, one respondent at a time."""
    outcome = data.private("q", data.scale, "1234", spread(4, 0.7), values=[1, 2, 3, 4])
    z = data.private("z", data.z, YES_NO, COIN)
    weights, strata = data.r.uniform(1, 2, data.n), np.arange(data.n) % 3
    clusters = data.r.integers(0, 30, data.n)
    found = regress_penalised(
        outcome,
        [data.plain[0], z],
        "linear",
        design=SurveyDesign(weights=weights, strata=strata, clusters=clusters),
    )
    score = np.linalg.inv(COIN)[:, 0][z.reports]
    worth = outcome.value_scores[outcome.reports]
    squares, moments = np.zeros((data.n, 3, 3)), np.zeros((data.n, 3))
    for i, (x, s, t) in enumerate(zip(data.x, score, worth, strict=True)):
        row = np.array([1, x, s])
        squares[i] = np.outer(row, row)
        # The square of a box is the box itself.
        squares[i, 2, 2] = s
        moments[i] = row * t
    gram = (squares * weights[:, None, None]).sum(axis=0)
    best = np.linalg.solve(gram, (moments * weights[:, None]).sum(axis=0))
    rest = (moments - squares @ best) * weights[:, np.newaxis]
    middle = np.zeros((3, 3))
    for stratum in range(3):
        inside = strata == stratum
        units = np.unique(clusters[inside])
        totals = np.array([rest[inside & (clusters == unit)].sum(axis=0) for unit in units])
        middle += np.cov(totals.T) * len(units)
    covariance = np.linalg.inv(gram) @ middle @ np.linalg.inv(gram)
    assert values(found) == pytest.approx(best, abs=1e-8)
    assert errors(found) == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-8)
    pairs = len({*zip(strata.tolist(), clusters.tolist(), strict=True)})
    assert found.freedom == pairs - 3
