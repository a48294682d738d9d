"""Models of more than two answers, against likelihoods that are written here."""

import numpy as np
import pytest

from tests.analysis.likelihoods import multinomial_shares
from tests.support.blocks import remarked
from tests.support.regressed import (
    YES_NO,
    errors,
    half_log_determinant,
    hessian,
    information_blocks,
    jeffreys,
    logistic,
    maximum,
    pseudo_data,
    regress_penalised,
    spread,
    values,
)

pytestmark = pytest.mark.fast


LETTERS = "abcdefgh"


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
