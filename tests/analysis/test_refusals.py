"""Regressions refuse with a sentence what they cannot estimate, and handle unusual cases."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.variables import MISSING, SurveyDesign
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.outcomes import outcome_of_rows, usual_model
from survey.analysis.regression.predictors import predictors_of
from survey.analysis.regression.private.private_predictors import PrivatePredictorLikelihood
from survey.analysis.regression.regression import likelihood_of, regress
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from tests.support.blocks import remarked
from tests.support.every_type import EVERY_TYPE, TRUTH
from tests.support.regressed import COIN, YES_NO, column, numbers, refused, reports, spread, values

pytestmark = pytest.mark.fast


# --- where the reports alone have no maximum
def hardly_limited(found, name):
    """All numbers are finite, and a remark names the coefficient."""
    for row in found.coefficients:
        assert np.isfinite([row.value, row.error, row.low, row.high, row.p]).all()
        assert row.low < row.value < row.high
    assert any("weakly identified" in remark and name in remark for remark in remarked(found))


def test_a_predictor_that_separates_has_a_finite_coefficient(data):
    y = (data.x < 0).astype(int)
    hardly_limited(regress(column("y", YES_NO, y), data.plain[:2]), "“x”")


def test_reports_that_nobody_would_give_have_finite_coefficients(data):
    codes = (np.arange(data.n) % 10 > 0).astype(int)
    hardly_limited(regress(column("y", YES_NO, codes, COIN), data.plain[:1]), "“constant”")


def test_a_middle_answer_that_nobody_seems_to_have_given_has_thresholds(data):
    answers = np.where(data.x > 0, 2, 0)
    answers[data.r.random(data.n) < 0.3] = 2
    codes = reports(data.r, spread(3, 0.6), answers)
    # Fewer than the coin alone produces.
    codes[codes == 1] = 0
    outcome = column("q", "123", codes, spread(3, 0.6), values=[1, 2, 3])
    found = regress(outcome, data.plain[:1])
    low, high = (row.value for row in found.coefficients[:2])
    assert 0 < high - low < 0.5


def test_a_private_predictor_that_nobody_seems_to_have_is_named(data):
    codes = np.ones(data.n, dtype=int)
    z = replace(column("z", YES_NO, codes, COIN), label="Do you smoke?")
    found = regress(data.private("y", data.y, YES_NO, COIN), [data.plain[0], z])
    hardly_limited(found, "“Do you smoke? ‘Yes’”")


def test_predictors_that_are_never_reported_together_are_named(data):
    z, w = data.private("z", data.z, YES_NO, COIN), data.private("w", data.z, YES_NO, COIN)
    first = np.arange(data.n) % 2 == 0
    z.reports[first], w.reports[~first] = MISSING, MISSING
    hardly_limited(regress(data.private("y", data.y, YES_NO, COIN), [z, w]), "“")


# --- standard errors


def test_errors_that_cannot_be_had(data):
    y, x = data.private("y", data.y, YES_NO, COIN), data.plain[:1]
    design = SurveyDesign(clusters=np.arange(data.n) // 4)
    refused("choose sandwich standard errors. The observed", y, x, errors="observed", design=design)
    refused("no expected ones", numbers("age", data.age), x, errors="expected")
    refused("too many", y, [data.private("z", data.z, YES_NO, COIN)], errors="expected")
    # As with bits, where other reports do not occur.
    seen = replace(y, chances=y.chances / 2)
    refused("too many", seen, x, errors="expected")
    alone = SurveyDesign(strata=np.r_[1, np.zeros(data.n - 1)])
    refused("1 of the strata has a single", y, x, design=alone)
    refused(
        "All respondents are in one cluster", y, x, design=SurveyDesign(clusters=np.ones(data.n))
    )
    refused("one value for each response", y, x, design=SurveyDesign(weights=np.ones(3)))


# --- few responses, and many
def test_no_response_at_all():
    none = np.zeros(0, dtype=int)
    refused("There is no response yet", column("y", YES_NO, none), [numbers("x", none)])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_responses_than_coefficients(n):
    y = column("y", YES_NO, np.arange(n) % 2, COIN)
    x = column("x", "ab", np.arange(n) // 2 % 2, COIN)
    refused("too few", y, [x])


def test_five_responses_give_a_table_or_a_sentence():
    """Every way in which five people can report, with private and non-private predictors.

    Three people have one value of the predictor. Which of the three gives a report makes no
    difference, and likewise for the other two.
    """
    told = 0
    for three, two in product(range(4), range(3)):
        codes = [
            *(int(place < three) for place in range(3)),
            *(int(place < two) for place in (0, 1)),
        ]
        ways = math.comb(3, three) * math.comb(2, two)
        for private in (None, COIN):
            predictor = column("x", YES_NO, [0, 0, 0, 1, 1], private)
            for chances, model in product((None, COIN), ("logistic", "linear")):
                outcome = column("y", YES_NO, codes, chances, values=[1, 0])
                try:
                    found = regress(outcome, [predictor], model)
                except UnanswerableQuestion as error:
                    assert str(error).endswith(".")
                    continue
                told += ways
                for row in found.coefficients:
                    assert np.isfinite([row.value, row.error, row.low, row.high, row.p]).all()
                    assert row.error > 0
                for test in found.tests:
                    assert np.isfinite(test.statistic)
                    assert 0 <= test.p <= 1
    assert told > 50


def test_who_lacks_something_is_left_out_and_counted(data):
    y = data.private("y", data.y, YES_NO, COIN)
    y.reports[:10] = MISSING
    years = column("years", (*map(str, range(80)), "Prefer not to say"), data.age,
                   values=[*range(80), np.nan], special_answers=1)  # fmt: skip
    years.reports[20:25] = 80
    weights = np.ones(data.n)
    weights[30:37] = 0
    found = regress(y, [years], design=SurveyDesign(weights=weights))
    assert (found.n, found.left_out) == (data.n - 22, 22)
    kept = np.setdiff1d(np.arange(data.n), [*range(10), *range(20, 25), *range(30, 37)])
    again = regress(replace(y, reports=y.reports[kept]), [numbers("years", data.age[kept])])
    assert values(found) == pytest.approx(values(again), abs=1e-9)


def test_who_declines_to_answer_the_outcome_plainly_is_left_out(data):
    answers = np.where(np.arange(data.n) % 10 == 0, 2, data.y)
    y = column("y", (*YES_NO, "Prefer not to say"), answers, special_answers=1)
    found = regress(y, data.plain)
    kept = np.flatnonzero(np.arange(data.n) % 10)
    assert found.left_out == 40
    assert found.answers == YES_NO
    rows = [numbers("x", data.x[kept]), numbers("age", data.age[kept]),
            column("region", "NES", data.region[kept])]  # fmt: skip
    again = regress(column("y", YES_NO, data.y[kept]), rows)
    assert values(found) == pytest.approx(values(again), abs=1e-9)


def test_predictors_far_from_zero_and_of_any_size_are_no_trouble(data):
    y = data.private("y", data.y, YES_NO, COIN)
    found = regress(y, [numbers("x", data.x)])
    far = regress(y, [numbers("x", 1e6 + 1e-3 * data.x)])
    assert far.coefficients[1].value == pytest.approx(1e3 * found.coefficients[1].value, rel=1e-5)
    assert far.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-6)


def test_one_far_out_respondent_is_no_trouble(data):
    x = data.x.copy()
    x[0] = 1_000
    found = regress(data.private("y", data.y, YES_NO, COIN), [numbers("x", x)])
    assert np.isfinite(values(found)).all()


@pytest.mark.parametrize(
    "names", [("smokes", "party"), pytest.param(("party", "colour"), marks=pytest.mark.slow)]
)
def test_everyone_alike_is_fitted_before_long(names, monkeypatch):
    """The curvature of the likelihood of the reports has the wrong sign here.

    Steps along its slope alone took 5,000 evaluations, a minute.
    """
    survey = parse_survey(EVERY_TYPE)
    [[one]] = simulate_responses(survey, read_truth(TRUTH, survey), 1, seed=9)
    columns, _ = columns_and_design(survey, [one.reports] * 40, names)
    evaluate, evaluated = PrivatePredictorLikelihood.evaluate, []
    monkeypatch.setattr(
        PrivatePredictorLikelihood,
        "evaluate",
        lambda self, theta: evaluated.append(1) or evaluate(self, theta),
    )
    rows = np.ones(40, dtype=bool)
    outcome = outcome_of_rows(columns[0], usual_model(columns[0]), rows)
    found = fit(likelihood_of(outcome, predictors_of(columns[1:], rows), None))
    assert not found.stuck
    assert len(evaluated) < 1_000
