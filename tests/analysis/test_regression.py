"""Regressions: each model, compared with an independent likelihood and other optimisers.

The likelihood has the penalty of Firth (1993), for the answers as if nothing were randomised.
"""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi2

from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression import regression
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Multinomial
from survey.analysis.regression.standard_errors import errors_of
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import mixed
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    Data,
    column,
    errors,
    gradient,
    half_log_determinant,
    hessian,
    information_blocks,
    jeffreys,
    logistic,
    maximum,
    pseudo_data,
    regress_penalised,
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


def shares_of_two(design, b):
    return logistic(design @ b)[:, np.newaxis]


def penalised(height, design, weights=1.0, penalty_of=None):
    """The log likelihood with the penalty. Columns that are held at zero stay in the penalty."""
    whole, kept = (design, range(design.shape[1])) if penalty_of is None else penalty_of

    def with_penalty(b):
        every = np.zeros(whole.shape[1], dtype=b.dtype)
        every[list(kept)] = b
        return height(b) + jeffreys(whole, shares_of_two(whole, every), weights)

    return with_penalty


def covariance_of_two(height, design, b):
    """The inverse of the observed information, with that of the pseudo-data."""
    blocks = information_blocks(shares_of_two(design, b))
    return np.linalg.inv(-hessian(height, b) + pseudo_data(design, blocks))


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


@pytest.mark.parametrize("kept", [0.5, 0.8, -0.4])  # the last reports the opposite more often
def test_of_reports_it_is_the_maximum_of_their_likelihood(data, kept):
    table = spread(2, kept)
    outcome = data.private("y", data.y, YES_NO, table)
    found = regress_penalised(outcome, data.plain)
    height = of_two(data.design(), (table[0, 0], table[1, 0], outcome.reports == 0))
    height = penalised(height, data.design())
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
    found = regress_penalised(outcome, data.plain[:1])
    x = data.design()[:, :2]

    def height(b):
        yes = logistic(x @ b)
        return np.log(yes * table[0, codes] + (1 - yes) * table[1, codes]).sum()

    assert values(found) == pytest.approx(maximum(penalised(height, x), 2), abs=1e-6)


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

    assert found.theta == pytest.approx(maximum(penalised(height, x), 5), abs=1e-6)
    by_hand = pseudo_data(x, information_blocks(shares_of_two(x, found.theta)))
    yes = logistic(x @ found.theta)
    for row, pi, d in zip(x, yes, asked, strict=True):
        p, q = designs[d][:, 0]
        said = q + (p - q) * pi
        by_hand += np.outer(row, row) * ((p - q) * pi * (1 - pi)) ** 2 / (said * (1 - said))
    expected = errors_of(likelihood, found, "expected")
    assert expected.covariance == pytest.approx(np.linalg.inv(by_hand), rel=1e-8)


# --- more than two answers


def multinomial_shares(design, b, k, reference):
    eta = np.insert(design @ b.reshape(k - 1, -1).T, reference, 0, axis=1)
    return np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)


def multinomial(design, table, codes, reference, penalty=True):
    k = len(table)

    def height(b):
        pi = multinomial_shares(design, b, k, reference)
        reported = np.log((pi * table[:, codes].T).sum(axis=1)).sum()
        return reported + penalty * jeffreys(design, np.delete(pi, reference, axis=1))

    return height


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_multinomial(data, kept):
    table = spread(4, kept)
    outcome = data.private("q", data.scale, LETTERS[:4], table)
    x = data.design()[:, :2]
    found = regress_penalised(outcome, data.plain[:1], "multinomial")
    height = multinomial(x, table, outcome.reports, 0)
    best = maximum(height, 6)
    assert values(found) == pytest.approx(best, abs=1e-6)
    observed = -hessian(multinomial(x, table, outcome.reports, 0, penalty=False), best)
    blocks = information_blocks(multinomial_shares(x, best, 4, 0)[:, 1:])
    covariance = np.linalg.inv(observed + pseudo_data(x, blocks))
    assert errors(found) == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-5)
    assert [row.equation for row in found.coefficients] == ["b", "b", "c", "c", "d", "d"]
    assert found.compared_with == "a"


def ordered(design, table, codes, penalty=True):
    """The penalty is Jeffreys' prior of the first threshold and the log distances."""

    def height(b):
        thresholds, slopes = b[: len(table) - 1], b[len(table) - 1 :]
        below = logistic(thresholds - (design[:, 1:] @ slopes)[:, np.newaxis])
        ends = np.column_stack([np.zeros(len(design)), below, np.ones(len(design))])
        pi = np.diff(ends, axis=1)
        reported = np.log((pi * table[:, codes].T).sum(axis=1)).sum()
        if not penalty:
            return reported
        # d Pr(answer <= j) / d b, then by differences that of each answer.
        eta = np.concatenate(
            [np.tile(np.eye(len(thresholds)), (len(design), 1, 1)),
             -np.tile(design[:, np.newaxis, 1:], (1, len(thresholds), 1))], axis=2,
        )  # fmt: skip
        change = (below * (1 - below))[:, :, np.newaxis] * eta
        nothing = np.zeros((len(design), 1, len(b)))
        change = np.diff(np.concatenate([nothing, change, nothing], axis=1), axis=1)
        whole = np.einsum("nka,nkb,nk->ab", change, change, 1 / pi)
        return reported + half_log_determinant(whole) + np.log(np.diff(thresholds)).sum()

    return height


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_ordered(data, kept):
    table = spread(4, kept)
    outcome = data.private("q", data.scale, "1234", table, values=[1, 2, 3, 4])
    x = data.design()[:, :2]
    found = regress_penalised(outcome, data.plain[:1])
    height = ordered(x, table, outcome.reports)
    best = maximum(height, 4, start=np.array([-1.0, 0.0, 1.0, 0.0]))
    assert found.model == "ordered"
    assert values(found) == pytest.approx(best, abs=1e-6)
    # The pseudo-data change the errors by order 1 / n.
    observed = -hessian(ordered(x, table, outcome.reports, penalty=False), best)
    assert errors(found) == pytest.approx(np.sqrt(np.diag(np.linalg.inv(observed))), rel=0.05)
    assert [row.name for row in found.coefficients] == ["1 | 2", "2 | 3", "3 | 4", "x"]


def test_the_answer_of_those_who_decline_is_one_of_the_model(data):
    table = spread(3, 0.7)
    answers = np.where(data.r.random(data.n) < 0.2, 2, data.y)
    outcome = data.private("y", answers, (*YES_NO, "Prefer not to say"), table, special_answers=1)
    found = regress_penalised(outcome, data.plain[:1])
    best = maximum(multinomial(data.design()[:, :2], table, outcome.reports, 1), 4)
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert [row.equation for row in found.coefficients][::2] == ["Yes", "Prefer not to say"]
    assert any("The reports do not show who answered" in remark for remark in remarked(found))


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
        found = regress_penalised(outcome, data.plain[:1], errors="sandwich", design=design)
        w = w / w.mean()

        def height(b, w=w):
            said = 0.25 + 0.5 * logistic(x @ b)
            return (w * np.log(np.where(outcome.reports == 0, said, 1 - said))).sum()

        best = maximum(penalised(height, x, w), 2)
        assert values(found) == pytest.approx(best, abs=1e-6), name
        scores = by_respondent(data, COIN, outcome.reports, best, x) * w[:, np.newaxis]
        middle = np.zeros((2, 2))
        for stratum in np.unique(h):
            units = np.unique(c[h == stratum])
            totals = np.array([scores[(h == stratum) & (c == unit)].sum(axis=0) for unit in units])
            middle += np.cov(totals.T) * len(units)
        pseudo = pseudo_data(x, information_blocks(shares_of_two(x, best)), w)
        outer = np.linalg.inv(-hessian(height, best) + pseudo)
        assert errors(found) == pytest.approx(np.sqrt(np.diag(outer @ middle @ outer)), rel=1e-6), (
            name
        )
        assert found.errors == ("clustered" if name in ("clusters", "all") else "sandwich")
        assert found.intervals == "Wald"


def test_expected_errors_are_the_observed_ones_averaged_over_reports(data):
    """With direct answers both are equal.

    With reports, they are the mean over all possible ones.
    """
    plain = column("y", YES_NO, data.y)
    one, other = (errors(regress_penalised(plain, data.plain, errors=kind))
                  for kind in ("observed", "expected"))  # fmt: skip
    assert one == pytest.approx(other, rel=1e-8)
    table, x = spread(3, 0.6), data.design()[:, :2]
    outcome = data.private("q", np.minimum(data.scale, 2), "abc", table)
    found = regress_penalised(outcome, data.plain[:1], errors="expected")
    b = values(found).reshape(2, 2)
    shares = multinomial_shares(x, b.ravel(), 3, 0)[:, 1:]
    information = pseudo_data(x, information_blocks(shares))
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


def test_with_a_sandwich_intervals_and_p_are_of_wald(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress_penalised(outcome, data.plain, errors="sandwich", level=0.9)
    for row in found.coefficients:
        assert (row.low + row.high) / 2 == pytest.approx(row.value)
        assert row.high - row.low == pytest.approx(2 * 1.6448536269514722 * row.error)
        assert row.p == pytest.approx(2 * ndtr(-abs(row.value) / row.error))


def test_of_few_clusters_it_is_said_that_intervals_are_short(data):
    design = SurveyDesign(clusters=np.arange(data.n) % 10)
    found = regress_penalised(
        data.private("y", data.y, YES_NO, COIN), data.plain[:1], design=design
    )
    assert found.freedom == 9
    assert "9 degrees of freedom" in remarked(found)[-1]
    assert found.tests[0].kind == "Wald"
    assert found.tests[0].p == pytest.approx(found.coefficients[1].p)


# --- tests and effects


def test_likelihood_ratios_are_those_of_nested_fits(data, monkeypatch):
    """Without Bartlett's correction, which test_bartlett_correction.py has."""
    monkeypatch.setattr(regression, "can_be_corrected", lambda *_: False)
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress_penalised(outcome, data.plain)
    x, seen = data.design(), (0.75, 0.25, outcome.reports == 0)
    whole = penalised(of_two(x, seen), x)
    full = whole(maximum(whole, 5))
    left = {"x": [0, 2, 3, 4], "age": [0, 1, 3, 4], "region": [0, 1, 2], "all predictors": [0]}
    for test in found.tests:
        columns = left[test.name]
        nested = penalised(of_two(x[:, columns], seen), x, penalty_of=(x, columns))
        ratio = 2 * (full - nested(maximum(nested, len(columns))))
        assert test.kind == "likelihood ratio"
        assert test.degrees == 5 - len(columns)
        assert test.statistic == pytest.approx(ratio, abs=1e-6)
        assert test.p == pytest.approx(chi2.sf(ratio, test.degrees), abs=1e-6)


def test_effects_are_averages_with_errors_by_the_delta_method(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress_penalised(outcome, data.plain)
    x, b = data.design(), values(found)
    height = of_two(x, (0.75, 0.25, outcome.reports == 0))
    covariance = covariance_of_two(height, x, b)
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
        found = regress_penalised(outcome, data.plain, model)
        for name in ("x", "region: E"):
            moved = [effect.value for effect in found.effects if effect.name == name]
            assert len(moved) == 4
            assert sum(moved) == pytest.approx(0, abs=1e-9)


def test_what_is_refused_is_a_survey_error(data):
    with pytest.raises(UnanswerableQuestion, match="at least one predictor"):
        regress_penalised(column("y", YES_NO, data.y), [])
