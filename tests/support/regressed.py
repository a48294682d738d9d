"""Columns and optima for the tests of regressions, calculated without the code that they test."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.estimators import PENALISED
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.private.private_predictors import PrivatePredictorLikelihood
from survey.analysis.regression.regression import regress
from survey.core.errors import UnanswerableQuestion

COIN = np.array([[0.75, 0.25], [0.25, 0.75]])
YES_NO = ("Yes", "No")
regress_penalised = partial(regress, estimator=PENALISED)


def spread(k, kept):
    """k-ary randomised response: the answer with this chance, and otherwise any of the k."""
    return kept * np.eye(k) + (1 - kept) / k


def reports(generator, chances, answers):
    """One report for each answer."""
    drawn = generator.random((len(answers), 1))
    return (drawn > np.cumsum(chances, axis=1)[answers, :-1]).sum(axis=1)


def column(name, answers, codes, chances=None, values=None, special_answers=0):
    """The column of one question, plain if there are no chances."""
    k = len(answers)
    table = np.eye(k) if chances is None else chances
    scores = np.linalg.inv(table)
    worth = None if values is None else scores @ np.nan_to_num(values)
    return AnalysisColumn(
        name=name,
        label=name,
        answers=tuple(answers),
        values=None if values is None else np.asarray(values, dtype=float),
        chances=table,
        scores=scores,
        value_scores=worth,
        reports=np.asarray(codes),
        private=chances is not None,
        ordered=values is not None,
        special_answers=special_answers,
        draw=name,
    )


class CountedLikelihood(KnownPredictorLikelihood):
    """Each row is a kind of respondents, and its weight is their number."""

    @property
    def weight(self):
        return self.weights


class CountedPrivateLikelihood(PrivatePredictorLikelihood):
    """Each row is a kind of respondents, and its weight is their number."""

    @property
    def weight(self):
        return self.weights


def numbers(name, values):
    """The column of a plain number."""
    came, codes = np.unique(values, return_inverse=True)
    k = len(came)
    small = k <= 1_000
    return AnalysisColumn(
        name=name,
        label=name,
        answers=tuple(str(value) for value in came),
        values=came.astype(float),
        chances=np.eye(k) if small else np.empty((k, 0)),
        scores=np.eye(k) if small else None,
        value_scores=came.astype(float),
        reports=codes,
        private=False,
        ordered=True,
        draw=name,
    )


def gradient(function, at):
    """The gradient by complex steps, exact except for rounding."""
    return np.array([function(at + 1e-30j * e).imag / 1e-30 for e in np.eye(len(at))])


def hessian(function, at, step=1e-5):
    sides = [
        gradient(function, at + step * e) - gradient(function, at - step * e)
        for e in np.eye(len(at))
    ]
    return np.array(sides) / (2 * step)


def maximum(function, size, start=None):
    """The maximum of a function that accepts complex numbers: BFGS, then Newton."""
    at = minimize(
        lambda x: -function(x).real,
        np.zeros(size) if start is None else start,
        jac=lambda x: -gradient(function, x),
        method="BFGS",
        options={"gtol": 1e-4},
    ).x
    for _ in range(6):
        step = np.linalg.solve(hessian(function, at), gradient(function, at))
        at = at - step
        if np.abs(step).max() < 1e-7:  # The next step would be its square.
            break
    return at


def logistic(x):
    return 1 / (1 + np.exp(-x))


def half_log_determinant(information):
    return np.log(np.linalg.det(information)) / 2


def information_blocks(shares):
    """The information of one answer about its logits, (n, K - 1, K - 1).

    `shares` has a row for each respondent, without the answer compared with.
    """
    each = np.eye(shares.shape[1]) * shares[:, np.newaxis]
    return each - shares[:, :, np.newaxis] * shares[:, np.newaxis]


def information(design, blocks, weights=1.0):
    """Of all answers. Parameters are in the order of the logits, then of the columns."""
    (n, logits, _), columns = blocks.shape, design.shape[1]
    weighted = blocks.reshape(n, -1) * np.asarray(weights * np.ones(n))[:, np.newaxis]
    products = design[:, :, np.newaxis] * design[:, np.newaxis]
    # Much faster than einsum for a test that maximises a likelihood.
    found = (weighted.T @ products.reshape(n, -1)).reshape(logits, logits, columns, columns)
    return found.transpose(0, 2, 1, 3).reshape(logits * columns, logits * columns)


def jeffreys(design, shares, weights=1.0):
    """The penalty of multinomial logits: half the log determinant of the answers' information."""
    return jeffreys_of([(weights, design, information_blocks(shares))])


def jeffreys_of(parts):
    """The same of a sum over parts: weights, design, and information of an answer."""
    whole = sum(information(design, blocks, weights) for weights, design, blocks in parts)
    return half_log_determinant(whole)


def pseudo_data(design, blocks, weights=1.0):
    """The information of the pseudo-data: that of each respondent times the mean leverage."""
    return pseudo_data_of([(weights, design, blocks)])


def pseudo_data_of(parts):
    inverse = np.linalg.inv(
        sum(information(design, blocks, weights) for weights, design, blocks in parts)
    )
    total = 0
    for weights, design, blocks in parts:
        size, columns = blocks.shape[1], design.shape[1]
        each = inverse.reshape(size, columns, size, columns)
        leverage = np.einsum("nab,nc,acbd,nd->n", blocks, design, each, design, optimize=True)
        total = total + information(design, blocks, weights * leverage / size)
    return total


class Data:
    """400 people with plain and private answers.

    They have two plain numbers, a plain choice of three, two private questions, and answers that
    depend on all of these.
    """

    n = 400

    def __init__(self, seed=1):
        r = np.random.default_rng(seed)
        self.r, n = r, self.n
        self.x = np.round(r.normal(size=n), 2)
        self.age = r.integers(18, 80, n)
        self.region = r.integers(0, 3, n)
        self.z = (r.random(n) < logistic(0.5 * self.x)).astype(int)  # 0 is Yes.
        self.w = r.integers(0, 3, n)
        push = -0.3 + 0.6 * self.x + 0.02 * (self.age - 50) + 0.8 * (self.z == 0)
        push = push - 0.7 * (self.w == 1) + 0.5 * (self.region == 2)
        self.y = (r.random(n) > logistic(push)).astype(int)
        self.scale = np.digitize(push + r.logistic(size=n), [-1, 0.2, 1.4])
        self.plain = [numbers("x", self.x), numbers("age", self.age), self.choice()]

    def choice(self):
        return column("region", "NES", self.region)

    def design(self):
        """The plain predictors as a matrix, the constant first."""
        return np.column_stack(
            [np.ones(self.n), self.x, self.age, self.region == 1, self.region == 2]
        ).astype(float)

    def private(self, name, answers, labels, chances, **rest):
        return column(name, labels, reports(self.r, chances, answers), chances, **rest)


def values(regression):
    return np.array([row.value for row in regression.coefficients])


def errors(regression):
    return np.array([row.error for row in regression.coefficients])


def refused(match, *arguments, **options):
    with pytest.raises(UnanswerableQuestion, match=match) as caught:
        regress(*arguments, **options)
    assert str(caught.value).endswith(".")
