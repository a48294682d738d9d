"""Independent likelihoods, with maxima by scipy and standard errors from numerical derivatives.

Each likelihood is written for one respondent, without any of the tested code. The penalty is that
of the answers, as if nothing were randomised. Coefficients agree to 1e-6, standard errors to a
relative 1e-6.
"""

import numpy as np
import pytest
from scipy.linalg import block_diag

from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression.estimators import MAXIMUM_LIKELIHOOD, PENALISED
from survey.analysis.regression.regression import regress
from tests.support.regressed import (
    YES_NO,
    column,
    half_log_determinant,
    hessian,
    information_blocks,
    jeffreys_of,
    logistic,
    maximum,
    numbers,
    pseudo_data_of,
    regress_penalised,
    reports,
    spread,
)

# The true answer with 2/3, Yes and No with 1/6 each.
FORCED = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
KINDS = ["observed", "expected", "sandwich", "clustered", "weighted", "weighted clusters in strata"]


class People:
    """`n` people with covariates, weights, and clusters in strata."""

    def __init__(self, n, seed):
        self.r = r = np.random.default_rng(seed)
        self.n = n
        self.x = np.round(r.normal(size=n), 2)
        self.weights = r.uniform(0.5, 2, n)
        self.clusters = r.integers(0, 60, n)
        self.strata = self.clusters % 2

    def choose(self, *shares):
        """An answer for each, from rows of shares."""
        cumulated = np.cumsum(np.column_stack(shares), axis=1)
        return (self.r.random((self.n, 1)) > cumulated[:, :-1]).sum(axis=1)

    def design(self, kind):
        return {
            "clustered": SurveyDesign(clusters=self.clusters),
            "weighted": SurveyDesign(weights=self.weights),
            "weighted clusters in strata": SurveyDesign(
                weights=self.weights, strata=self.strata, clusters=self.clusters
            ),
        }.get(kind)


class ByHand:
    """A likelihood from `chances(theta)`, (n, reports), and its maximum, searched from `start`.

    `complete(theta)` has the information of the answers, as blocks of parameters, each with parts
    as in `jeffreys_of`. Without any, there is no penalty.
    """

    def __init__(self, people, chances, complete, codes, start, weights):
        self.people, self.chances, self.every = people, chances, np.arange(people.n)
        self.weights, self.size = weights / weights.mean(), len(start)
        self.each = lambda theta: np.log(chances(theta)[self.every, codes])

        def weighted(theta):
            return [[(self.weights * w, *rest) for w, *rest in parts] for parts in complete(theta)]

        def height(theta):
            return (self.weights * self.each(theta)).sum()

        def penalised(theta):
            return height(theta) + sum(jeffreys_of(parts) for parts in weighted(theta))

        self.best = maximum(penalised, self.size, np.array(start, dtype=float))
        blocks = [pseudo_data_of(parts) for parts in weighted(self.best)]
        self.pseudo = block_diag(*blocks) if blocks else np.zeros((self.size, self.size))
        self.outer = np.linalg.inv(-hessian(height, self.best) + self.pseudo)
        self.steps = 1e-30j * np.eye(self.size)

    def errors(self, kind):
        if kind == "observed":
            return np.sqrt(np.diag(self.outer))
        if kind == "expected":
            slopes = [self.chances(self.best + step).imag / 1e-30 for step in self.steps]
            information = np.einsum("iny,jny,ny->ij", slopes, slopes, 1 / self.chances(self.best))
            return np.sqrt(np.diag(np.linalg.inv(information + self.pseudo)))
        scores = np.array([self.each(self.best + step).imag / 1e-30 for step in self.steps])
        scores = scores.T * self.weights[:, np.newaxis]
        strata = self.people.strata if "strata" in kind else np.zeros(self.people.n)
        clusters = self.people.clusters if "cluster" in kind else self.every
        middle = np.zeros((self.size, self.size))
        for stratum in set(strata):
            inside = strata == stratum
            units = np.unique(clusters[inside], return_inverse=True)[1]
            totals = np.zeros((units.max() + 1, self.size))
            np.add.at(totals, units, scores[inside])
            middle += np.cov(totals.T) * len(totals)
        return np.sqrt(np.diag(self.outer @ middle @ self.outer))


def compare(
    people, outcome, predictors, model, chances, complete, start, kinds=KINDS, estimator=PENALISED
):
    """All kinds of errors, for a fit without weights and one with them."""
    alike = ByHand(people, chances, complete, outcome.reports, start, np.ones(people.n))
    weighted = ByHand(people, chances, complete, outcome.reports, alike.best, people.weights)
    for kind in kinds:
        asked = kind if kind in ("observed", "expected", "sandwich") else None
        rows = regress(
            outcome, predictors, model, asked, people.design(kind), estimator=estimator
        ).coefficients
        ours = weighted if "weighted" in kind else alike
        size = len(rows)
        assert [row.value for row in rows] == pytest.approx(ours.best[:size], abs=1e-6), kind
        assert [row.error for row in rows] == pytest.approx(ours.errors(kind)[:size], rel=1e-6), (
            kind
        )


def of_two(design, table):
    def chances(b):
        # Without BLAS, because starting its threads takes longer than the calculation.
        yes = logistic(np.einsum("ij,j->i", design, b))[:, np.newaxis]
        return yes * table[0] + (1 - yes) * table[1]

    def complete(b):
        yes = logistic(np.einsum("ij,j->i", design, b))[:, np.newaxis]
        return [[(1.0, design, information_blocks(yes))]]

    return chances, complete


@pytest.mark.slow
def test_logistic_by_forced_response_with_six_covariates():
    """2,457 people, as in the survey of Nigeria of Blair, Imai & Zhou (2015).

    The six covariates are of the same kinds: age, assets, marriage, education, sex, membership.
    """
    people = People(2_457, 5)
    r, n = people.r, people.n
    age, assets, taught = (
        r.normal(size=n).round(1),
        r.uniform(-1, 1, n).round(2),
        r.integers(0, 5, n),
    )
    married, woman, member = (r.random((3, n)) < [[0.6], [0.5], [0.3]]).astype(int)
    covariates = [age, assets, married, taught - 2, woman, member]
    design = np.column_stack([np.ones(n), *covariates]).astype(float)
    truth = [-1, 0.4, -0.5, 0.3, 0.1, -0.4, 0.6]
    yes = logistic(design @ np.array(truth))
    outcome = column("y", YES_NO, reports(r, FORCED, people.choose(yes, 1 - yes)), FORCED)
    predictors = [numbers(f"x{place}", one) for place, one in enumerate(covariates)]
    compare(people, outcome, predictors, "logistic", *of_two(design, FORCED), truth)


def test_a_private_predictor_of_non_private_answers():
    """One likelihood for the information on z in the outcome and in the report.

    The share of z depends on x. Codes are of the outcome and the report together.
    """
    people = People(1_200, 6)
    x = np.column_stack([np.ones(people.n), people.x])
    has = logistic(x @ np.array([-0.3, 0.5]))
    z = people.choose(has, 1 - has)
    yes = logistic(x @ np.array([-0.5, 0.4]) + 0.9 * (z == 0))
    outcome = column("y", YES_NO, people.choose(yes, 1 - yes))
    private = column("z", YES_NO, reports(people.r, FORCED, z), FORCED)

    def chances(theta):
        share = logistic(x @ theta[3:])
        total = 0
        for answer, mass in ((0, share), (1, 1 - share)):
            said = logistic(x @ theta[:2] + theta[2] * (answer == 0))
            given = mass * FORCED[answer, private.reports]
            total = total + np.column_stack([said * given, (1 - said) * given])
        return total

    predictors = [numbers("x", people.x), private]
    kinds = [kind for kind in KINDS if kind != "expected"]
    compare(
        people, outcome, predictors, "logistic", chances, lambda theta: [], np.zeros(5), kinds,
        MAXIMUM_LIKELIHOOD,
    )  # fmt: skip


def test_multinomial_by_randomised_response_of_four():
    people = People(1_500, 7)
    x, table = np.column_stack([np.ones(people.n), people.x]), spread(4, 0.6)
    eta = x @ np.array([[0, 0], [0.2, 0.5], [-0.2, -0.5], [0.3, 0.2]]).T
    shares = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    outcome = column("q", "abcd", reports(people.r, table, people.choose(shares)), table)

    def answers(b):
        weights = np.exp(np.column_stack([np.zeros(people.n), x @ b.reshape(3, 2).T]))
        return weights / weights.sum(axis=1, keepdims=True)

    def complete(b):
        return [[(1.0, x, information_blocks(answers(b)[:, 1:]))]]

    compare(
        people, outcome, [numbers("x", people.x)], "multinomial",
        lambda b: answers(b) @ table, complete, np.zeros(6),
    )  # fmt: skip


def test_ordered_with_a_private_scale():
    """The penalty is that of the first threshold and the logarithms of the distances.

    The reference has no pseudo-data, which change standard errors by order 1 / n.
    """
    people = People(1_500, 8)
    table = spread(4, 0.6)
    push = 0.7 * people.x + people.r.logistic(size=people.n)
    codes = reports(people.r, table, np.digitize(push, [-1, 0.2, 1.4]))
    outcome = column("s", "abcd", codes, table, values=np.arange(4.0))

    def answers(b):
        below = logistic(b[:3] - (b[3] * people.x)[:, np.newaxis])
        ends = np.zeros((people.n, 1))
        return np.diff(np.hstack([ends, below, ends + 1]), axis=1)

    def reported(b):
        return np.log((answers(b) * table[:, codes].T).sum(axis=1)).sum()

    def penalised(b):
        below = logistic(b[:3] - (b[3] * people.x)[:, np.newaxis])
        dense, nothing = below * (1 - below), np.zeros((people.n, 1))
        slopes = [np.zeros((people.n, 3), dtype=dense.dtype) for _ in range(3)]
        for j in range(3):
            slopes[j][:, j] = dense[:, j]
        slopes.append(-dense * people.x[:, np.newaxis])
        changes = [np.diff(np.hstack([nothing, each, nothing]), axis=1) for each in slopes]
        whole = np.array(
            [[(one * other / answers(b)).sum() for one in changes] for other in changes]
        )
        return reported(b) + half_log_determinant(whole) + np.log(np.diff(b[:3])).sum()

    best = maximum(penalised, 4, np.array([-1, 0, 1, 0.0]))
    rows = regress_penalised(outcome, [numbers("x", people.x)], "ordered").coefficients
    assert [row.value for row in rows] == pytest.approx(best, abs=1e-6)
    error = np.sqrt(np.diag(np.linalg.inv(-hessian(reported, best))))
    assert [row.error for row in rows] == pytest.approx(error, rel=0.01)
