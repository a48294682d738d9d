"""Regressions: each model, compared with an independent likelihood and other optimisers."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi2

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from survey.analysis.regression.regression import regress
from survey.analysis.regression.standard_errors import errors_of
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import mixed
from tests.support.regressed import (
    COIN,
    YES_NO,
    Data,
    column,
    errors,
    gradient,
    hessian,
    logistic,
    maximum,
    reports,
    spread,
    values,
)

pytestmark = pytest.mark.fast

LETTERS = "abcdefgh"


@pytest.fixture
def data():
    return Data()


def of_two(design, chance_of_yes):
    """The log likelihood of reports of Yes, with probability p for those with Yes, else q."""
    p, q, came = chance_of_yes

    def height(b):
        said = q + (p - q) * logistic(design @ b)
        return np.log(np.where(came, said, 1 - said)).sum()

    return height


# --- logistic


def test_of_plain_answers_it_is_ordinary_logistic_regression(data):
    found = regress(column("y", YES_NO, data.y), data.plain)
    height = of_two(data.design(), (1, 0, data.y == 0))
    best = maximum(height, 5)
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert errors(found) == pytest.approx(
        np.sqrt(np.diag(np.linalg.inv(-hessian(height, best)))), rel=1e-6
    )
    assert found.log_likelihood == pytest.approx(height(best), abs=1e-8)
    assert found.model == "logistic"
    assert [row.name for row in found.coefficients] == [
        "constant", "x", "age", "region: E", "region: S"
    ]  # fmt: skip


@pytest.mark.parametrize("kept", [0.5, 0.8, -0.4])  # the last reports the opposite more often
def test_of_reports_it_is_the_maximum_of_their_likelihood(data, kept):
    table = spread(2, kept)
    outcome = data.private("y", data.y, YES_NO, table)
    found = regress(outcome, data.plain)
    height = of_two(data.design(), (table[0, 0], table[1, 0], outcome.reports == 0))
    best = maximum(height, 5)
    assert values(found) == pytest.approx(best, abs=1e-6)
    # For a change of one standard error.
    slopes = gradient(height, values(found)) * errors(found)
    assert slopes == pytest.approx(np.zeros(5), abs=1e-6)


def test_tables_need_neither_be_square_nor_symmetric(data):
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    codes = reports(data.r, table, data.y)
    base = column("y", YES_NO, data.y)
    outcome = type(base)(
        "y", "y", YES_NO, None, table, np.linalg.pinv(table), None, codes, True, False
    )
    found = regress(outcome, data.plain[:1])
    x = data.design()[:, :2]

    def height(b):
        yes = logistic(x @ b)
        return np.log(yes * table[0, codes] + (1 - yes) * table[1, codes]).sum()

    assert values(found) == pytest.approx(maximum(height, 2), abs=1e-6)


def test_respondents_may_be_asked_by_different_designs(data):
    """A third directly, a third by a symmetric coin, a third by forced response."""
    forced = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
    designs = [np.eye(2), COIN, forced]
    asked = np.arange(data.n) % 3
    codes = np.array([reports(data.r, designs[d], [y])[0]
                      for d, y in zip(asked, data.y, strict=True)])  # fmt: skip
    outcome = mixed(designs, asked, codes)
    likelihood = KnownPredictorLikelihood(Multinomial(2, 1), outcome, data.design()[:, 1:])
    found = fit(likelihood)
    x = (data.design() - np.r_[0, likelihood.predictors.means]) / np.r_[
        1, likelihood.predictors.scales
    ]

    def height(b):
        yes = logistic(x @ b)
        told = np.array([designs[d][:, c] for d, c in zip(asked, codes, strict=True)])
        return np.log(yes * told[:, 0] + (1 - yes) * told[:, 1]).sum()

    assert found.theta == pytest.approx(maximum(height, 5), abs=1e-6)
    by_hand = np.zeros((5, 5))
    yes = logistic(x @ found.theta)
    for row, pi, d in zip(x, yes, asked, strict=True):
        p, q = designs[d][:, 0]
        said = q + (p - q) * pi
        by_hand += np.outer(row, row) * ((p - q) * pi * (1 - pi)) ** 2 / (said * (1 - said))
    expected = errors_of(likelihood, found, "expected")
    assert expected.covariance == pytest.approx(np.linalg.inv(by_hand), rel=1e-8)


# --- more than two answers


def multinomial(design, table, codes, reference):
    k = len(table)

    def height(b):
        eta = np.insert(design @ b.reshape(k - 1, -1).T, reference, 0, axis=1)
        pi = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
        return np.log((pi * table[:, codes].T).sum(axis=1)).sum()

    return height


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_multinomial(data, kept):
    table = spread(4, kept)
    outcome = data.private("q", data.scale, LETTERS[:4], table)
    x = data.design()[:, :2]
    found = regress(outcome, data.plain[:1], "multinomial")
    height = multinomial(x, table, outcome.reports, 0)
    best = maximum(height, 6)
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert errors(found) == pytest.approx(
        np.sqrt(np.diag(np.linalg.inv(-hessian(height, best)))), rel=1e-5
    )
    assert [row.equation for row in found.coefficients] == ["b", "b", "c", "c", "d", "d"]
    assert found.compared_with == "a"


def ordered(design, table, codes):
    def height(b):
        thresholds, slopes = b[: len(table) - 1], b[len(table) - 1 :]
        below = logistic(thresholds - (design[:, 1:] @ slopes)[:, np.newaxis])
        ends = np.column_stack([np.zeros(len(design)), below, np.ones(len(design))])
        return np.log((np.diff(ends, axis=1) * table[:, codes].T).sum(axis=1)).sum()

    return height


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_ordered(data, kept):
    table = spread(4, kept)
    outcome = data.private("q", data.scale, "1234", table, values=[1, 2, 3, 4])
    x = data.design()[:, :2]
    found = regress(outcome, data.plain[:1])
    height = ordered(x, table, outcome.reports)
    best = maximum(height, 4, start=np.array([-1.0, 0.0, 1.0, 0.0]))
    assert found.model == "ordered"
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert errors(found) == pytest.approx(
        np.sqrt(np.diag(np.linalg.inv(-hessian(height, best)))), rel=1e-5
    )
    assert [row.name for row in found.coefficients] == ["1 | 2", "2 | 3", "3 | 4", "x"]


def test_the_answer_of_those_who_decline_is_one_of_the_model(data):
    table = spread(3, 0.7)
    answers = np.where(data.r.random(data.n) < 0.2, 2, data.y)
    outcome = data.private("y", answers, (*YES_NO, "Prefer not to say"), table, extras=1)
    found = regress(outcome, data.plain[:1])
    best = maximum(multinomial(data.design()[:, :2], table, outcome.reports, 1), 4)
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert [row.equation for row in found.coefficients][::2] == ["Yes", "Prefer not to say"]
    assert any("The reports do not show who answered" in remark for remark in found.remarks)


# --- standard errors


def by_respondent(data, table, codes, b, x):
    """Scores, by complex steps of each respondent's log likelihood."""
    p, q = table[:, 0]

    def each(b):
        said = q + (p - q) * logistic(x @ b)
        return np.log(np.where(codes == 0, said, 1 - said))

    return np.array([each(b + 1e-30j * e).imag / 1e-30 for e in np.eye(len(b))]).T


def test_sandwich_and_clustered_errors_are_those_of_numerical_derivatives(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    x = data.design()[:, :2]
    weights = data.r.uniform(0.5, 3, data.n)
    strata, clusters = np.arange(data.n) % 4, data.r.integers(0, 25, data.n)
    designs = {
        "sandwich": (None, np.ones(data.n), np.zeros(data.n), np.arange(data.n)),
        "weights": (SurveyDesign(weights), weights, np.zeros(data.n), np.arange(data.n)),
        "strata": (SurveyDesign(weights, strata), weights, strata, np.arange(data.n)),
        "clusters": (
            SurveyDesign(None, None, clusters),
            np.ones(data.n),
            np.zeros(data.n),
            clusters,
        ),
        "all": (SurveyDesign(weights, strata, clusters), weights, strata, clusters),
    }
    for name, (design, w, h, c) in designs.items():
        found = regress(outcome, data.plain[:1], errors="sandwich", design=design)

        def height(b, w=w):
            said = 0.25 + 0.5 * logistic(x @ b)
            return (w * np.log(np.where(outcome.reports == 0, said, 1 - said))).sum()

        best = maximum(height, 2)
        assert values(found) == pytest.approx(best, abs=1e-6), name
        scores = by_respondent(data, COIN, outcome.reports, best, x) * w[:, np.newaxis]
        middle = np.zeros((2, 2))
        for stratum in np.unique(h):
            units = np.unique(c[h == stratum])
            totals = np.array([scores[(h == stratum) & (c == unit)].sum(axis=0) for unit in units])
            middle += np.cov(totals.T) * len(units)
        outer = np.linalg.inv(-hessian(height, best))
        assert errors(found) == pytest.approx(np.sqrt(np.diag(outer @ middle @ outer)), rel=1e-6), (
            name
        )
        assert found.errors == ("clustered" if name in ("clusters", "all") else "sandwich")


def test_expected_errors_are_the_observed_ones_averaged_over_reports(data):
    """With direct answers both are equal.

    With reports, they are the mean over all possible ones.
    """
    plain = column("y", YES_NO, data.y)
    one, other = (errors(regress(plain, data.plain, errors=kind))
                  for kind in ("observed", "expected"))  # fmt: skip
    assert one == pytest.approx(other, rel=1e-8)
    table, x = spread(3, 0.6), data.design()[:, :2]
    outcome = data.private("q", np.minimum(data.scale, 2), "abc", table)
    found = regress(outcome, data.plain[:1], errors="expected")
    b = values(found).reshape(2, 2)
    information = np.zeros((4, 4))
    for row in x:
        eta = np.r_[0, b @ row]
        pi = np.exp(eta) / np.exp(eta).sum()
        # The change of pi in eta.
        change = (np.diag(pi) - np.outer(pi, pi))[:, 1:]
        for code in range(3):
            seen = table[:, code]
            slope = np.kron(seen @ change, row)
            information += np.outer(slope, slope) / (seen @ pi)
    assert errors(found) == pytest.approx(np.sqrt(np.diag(np.linalg.inv(information))), rel=1e-8)


def test_intervals_and_p_are_of_wald(data):
    found = regress(data.private("y", data.y, YES_NO, COIN), data.plain, level=0.9)
    for row in found.coefficients:
        assert (row.low + row.high) / 2 == pytest.approx(row.value)
        assert row.high - row.low == pytest.approx(2 * 1.6448536269514722 * row.error)
        assert row.p == pytest.approx(2 * ndtr(-abs(row.value) / row.error))


def test_of_few_clusters_it_is_said_that_intervals_are_short(data):
    design = SurveyDesign(clusters=np.arange(data.n) % 10)
    found = regress(data.private("y", data.y, YES_NO, COIN), data.plain[:1], design=design)
    assert found.freedom == 9
    assert "9 degrees of freedom" in found.remarks[-1]
    assert found.tests[0].kind == "Wald"
    assert found.tests[0].p == pytest.approx(found.coefficients[1].p)


# --- tests and effects


def test_likelihood_ratios_are_those_of_nested_fits(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress(outcome, data.plain)
    x, seen = data.design(), (0.75, 0.25, outcome.reports == 0)
    full = of_two(x, seen)(maximum(of_two(x, seen), 5))
    left = {"x": [0, 2, 3, 4], "age": [0, 1, 3, 4], "region": [0, 1, 2], "all predictors": [0]}
    for test in found.tests:
        columns = left[test.name]
        nested = of_two(x[:, columns], seen)
        ratio = 2 * (full - nested(maximum(nested, len(columns))))
        assert test.kind == "likelihood ratio"
        assert test.degrees == 5 - len(columns)
        assert test.statistic == pytest.approx(ratio, abs=1e-6)
        assert test.p == pytest.approx(chi2.sf(ratio, test.degrees), abs=1e-6)


def test_effects_are_averages_with_errors_by_the_delta_method(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress(outcome, data.plain)
    x, b = data.design(), values(found)
    height = of_two(x, (0.75, 0.25, outcome.reports == 0))
    covariance = np.linalg.inv(-hessian(height, b))
    south, north = x.copy(), x.copy()
    south[:, 3:], north[:, 3:] = [0, 1], [0, 0]

    def slope(b):
        yes = logistic(x @ b)
        return (yes * (1 - yes)).mean() * b[1]

    def step(b):
        return (logistic(south @ b) - logistic(north @ b)).mean()

    def share(b):
        return logistic(south @ b).mean()

    effects = {(effect.name, effect.answer): effect for effect in found.effects}
    shares = {(s.predictor, s.level, s.answer): s for s in found.shares}
    for ours, function in (
        (effects["x", "Yes"], slope),
        (effects["region: S", "Yes"], step),
        (shares["region", "S", "Yes"], share),
    ):
        change = gradient(function, b)
        assert ours.value == pytest.approx(function(b), abs=1e-8)
        assert ours.error == pytest.approx(np.sqrt(change @ covariance @ change), rel=1e-6)
    assert effects["x", "No"].value == pytest.approx(-effects["x", "Yes"].value, abs=1e-9)
    assert len(found.shares) == 3 * 2


def test_effects_of_ordered_and_multinomial_models_add_up_to_nothing(data):
    outcome = data.private("q", data.scale, "1234", spread(4, 0.7), values=[1, 2, 3, 4])
    for model in ("ordered", "multinomial"):
        found = regress(outcome, data.plain, model)
        for name in ("x", "region: E"):
            moved = [effect.value for effect in found.effects if effect.name == name]
            assert len(moved) == 4
            assert sum(moved) == pytest.approx(0, abs=1e-9)


# --- published numbers


@pytest.mark.parametrize(
    ("same", "estimate", "error"), [(198, 0.222581, 0.0547), (230, 0.016129, 0.0498)]
)
def test_published_crosswise_shares_without_predictors(same, estimate, error):
    """Jann, Jerke & Krumpal (2012): 310 respondents, p = 0.25, standard error with n - 1.

    This is that of the sandwich. Observed errors divide by n.
    """
    table = np.array([[0.25, 0.75], [0.75, 0.25]])
    codes = np.repeat([0, 1], [same, 310 - same])
    likelihood = KnownPredictorLikelihood(
        Multinomial(2, 1), ReportedVariable(table, codes), np.empty((310, 0))
    )
    found = fit(likelihood)
    share, change = likelihood.average(found.theta)
    assert share[0] == pytest.approx(estimate, abs=5e-7)
    assert share[0] == pytest.approx((same / 310 - 0.75) / -0.5, abs=1e-9)
    for kind, less in (("sandwich", 1), ("observed", 0), ("expected", 0)):
        spread_of = errors_of(likelihood, found, kind).covariance
        ours = float(np.sqrt(change[0] @ spread_of @ change[0]))
        closed = np.sqrt(same / 310 * (1 - same / 310) / (310 - less)) / 0.5
        assert ours == pytest.approx(closed, rel=1e-7)
        if less:
            assert ours == pytest.approx(error, abs=5e-5)


def test_the_published_five_categories_have_a_share_of_zero_and_so_no_logit():
    """Counts 412, 301, 155, 92, 40 by forced response: the last share is estimated at -0.0154."""
    table = 0.65 * np.eye(5) + np.array([0.1, 0.1, 0.05, 0.05, 0.05])
    codes = np.repeat(np.arange(5), [412, 301, 155, 92, 40])
    found = fit(
        KnownPredictorLikelihood(
            Multinomial(5), ReportedVariable(table, codes), np.empty((1000, 0))
        )
    )
    assert not found.sound
    assert found.endless is not None
    # The logit of the fifth answer.
    assert np.argmax(np.abs(found.endless)) == 3


def test_what_is_refused_is_a_survey_error(data):
    with pytest.raises(UnanswerableQuestion, match="at least one predictor"):
        regress(column("y", YES_NO, data.y), [])
