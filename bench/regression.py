"""Regression on randomised answers: its processor time, and its memory in addition to the data.

The design is forced response (5/6 the answer) with six covariates. The tests compare the
coefficients and their standard errors with Fisher scoring in plain numpy.
"""

import tracemalloc
from functools import partial

import numpy as np

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.regression.likelihood import KnownPredictorLikelihood
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Array, Multinomial
from survey.analysis.regression.standard_errors import errors_of
from survey.analysis.regression.standardise import natural

from .speed import seconds
from .tables import Table

SIZES = (2_435, 100_000, 1_000_000)
P, Q = 5 / 6, 1 / 6  # probabilities of a report of Yes, if the answer is Yes, and if it is No
TRUTH = np.array([-1.0, 0.5, -0.3, 0.2, 0.1, 0.0, 0.4])
STEPS, CLOSE = 25, 1e-8


def respondents(n: int) -> tuple[Array, Array]:
    """Six covariates, and reports. Code 0 is Yes."""
    generator = np.random.default_rng(1)
    x = generator.normal(size=(n, 6))
    yes = generator.random(n) < 1 / (1 + np.exp(-TRUTH[0] - x @ TRUTH[1:]))
    return x, (generator.random(n) > np.where(yes, P, Q)).astype(np.int64)


def ours(x: Array, codes: Array) -> tuple[Array, Array]:
    """Coefficients and standard errors."""
    likelihood = KnownPredictorLikelihood(
        model=Multinomial(2, reference=1),
        outcome=ReportedVariable(np.array([[P, 1 - P], [Q, 1 - Q]]), codes),
        non_private=x,
    )
    found = fit(likelihood)
    back = natural(*likelihood.scaling).T
    covariance = back @ errors_of(likelihood, found, "observed").covariance @ back.T
    return back @ found.theta, np.sqrt(np.diag(covariance))


def plain(x: Array, codes: Array) -> tuple[Array, Array]:
    """The same by Fisher scoring with the penalty, written for this design only."""
    design, came = np.column_stack([np.ones(len(x)), x]), codes == 0
    b = np.zeros(design.shape[1])
    for _ in range(STEPS):
        yes = 1 / (1 + np.exp(-design @ b))
        dense = yes * (1 - yes)
        said, slope = Q + (P - Q) * yes, (P - Q) * dense
        weight = slope / (said * (1 - said))
        inverse = np.linalg.inv(design.T @ (design * dense[:, np.newaxis]))
        leverage = dense * ((design @ inverse) * design).sum(axis=1)
        information = design.T @ (design * (weight * slope + leverage * dense)[:, np.newaxis])
        score = weight * (came - said) + leverage * (1 / 2 - yes)
        step = np.linalg.solve(information, design.T @ score)
        b = b + step
        if np.abs(step).max() < CLOSE:
            break
    return b, np.sqrt(np.diag(np.linalg.inv(information)))


def memory(x: Array, codes: Array) -> float:
    """The maximum memory of ours in addition to its data, in MB."""
    tracemalloc.start()
    ours(x, codes)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def table(sizes: tuple[int, ...] = SIZES) -> Table:
    rows: list[list[str | float]] = []
    for n in sizes:
        x, codes = respondents(n)
        took, floor = (seconds(partial(fit_by, x, codes)) for fit_by in (ours, plain))
        rows.append([f"{n:,}", took, took / floor, memory(x, codes)])
    return Table(
        "Time of a logistic regression of reports on six covariates",
        ["responses", "seconds", "relative to plain numpy", "MB of memory"],
        rows,
    )
