"""Standard errors: numerical derivatives, averages over reports, and few clusters."""

import numpy as np
import pytest
from scipy.special import ndtr

from survey.analysis.columns.variables import SurveyDesign
from tests.analysis.likelihoods import multinomial_shares, penalised, shares_of_two
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    errors,
    hessian,
    information_blocks,
    logistic,
    maximum,
    pseudo_data,
    regress_penalised,
    spread,
    values,
)

pytestmark = pytest.mark.fast


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
        "weights": (SurveyDesign(weights=weights), weights, np.zeros(data.n), np.arange(data.n)),
        "strata": (
            SurveyDesign(weights=weights, strata=strata),
            weights,
            strata,
            np.arange(data.n),
        ),
        "clusters": (
            SurveyDesign(weights=None, strata=None, clusters=clusters),
            np.ones(data.n),
            np.zeros(data.n),
            clusters,
        ),
        "all": (
            SurveyDesign(weights=weights, strata=strata, clusters=clusters),
            weights,
            strata,
            clusters,
        ),
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
