"""Effects in shares: averages over the respondents, and tests of whole predictors.

An average marginal effect is the mean change of an answer's share over the respondents. For a
category, it is the change if all gave this answer instead of the reference. For a number, it is the
slope at each respondent's own value. Standard errors by the delta method treat the predictors of
these respondents as fixed (Bartus, Stata Journal 5 (2005) 309).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.regression.likelihood import Likelihood, PredictorSetting
from survey.analysis.regression.maximum_likelihood import HEIGHT_CONVERGED_GAIN, Fit, fit
from survey.analysis.regression.models import Array
from survey.analysis.regression.predictors import Predictors, Term
from survey.analysis.regression.standard_errors import EXPECTED, OBSERVED, Errors
from survey.core.translate import later, translate

# In standard deviations. The differences are exact to 1e-10 standard deviations.
NUDGE = 1e-5
# A larger part in an undetermined direction is more than rounding.
TRACE = 1e-6
LIKELIHOOD_RATIO, WALD = later("likelihood ratio"), later("Wald")
# The name of the test of all predictors together.
ALL_PREDICTORS = later("all predictors")


@dataclass(frozen=True)
class Effect:
    """The change in the share of an answer, and its standard error, both from 0 to 1.

    For a number, it is the change for one unit.
    """

    name: str
    answer: str
    value: float
    error: float


@dataclass(frozen=True)
class PredictedShare:
    """The share of an answer if everyone had this level of a predictor."""

    predictor: str
    level: str
    answer: str
    value: float
    error: float


@dataclass(frozen=True)
class TermTest:
    """A test of whether a predictor matters.

    If it does not, `statistic` has a chi-squared distribution with `degrees` degrees of freedom.
    With `freedom`, the test uses an F distribution with `freedom` as its second parameter.
    """

    name: str
    kind: str
    statistic: float
    degrees: int
    p: float
    freedom: int | None = None


def average_effects(
    likelihood: Likelihood, found: Fit, errors: Errors, predictors: Predictors, answers: list[str]
) -> tuple[list[Effect], list[PredictedShare]]:
    """Average marginal effects of all predictors, and the shares behind the differences."""
    effects, shares = [], []
    means, scales = likelihood.scaling
    for term in predictors.terms:
        if term.reference is None:
            column = term.columns[0]
            ends = [
                likelihood.average(
                    found.theta, PredictorSetting((column,), np.array([side * NUDGE]), moved=True)
                )
                for side in (1, -1)
            ]
            width = 2 * NUDGE * scales[column - 1]
            value, change = ((up - down) / width for up, down in zip(*ends, strict=True))
            effects += [
                Effect(term.names[0], *row)
                for row in rows_with_errors(value, change, errors, answers)
            ]
            continue
        base = likelihood.average(found.theta, level_setting(term, term.reference, means, scales))
        at_base = rows_with_errors(*base, errors, answers)
        shares += [PredictedShare(term.name, term.reference, *row) for row in at_base]
        for name, level, column in zip(term.names, levels_of(term), term.columns, strict=True):
            if is_undetermined_column(likelihood, found, column):
                continue
            there = likelihood.average(found.theta, level_setting(term, level, means, scales))
            at_level = rows_with_errors(*there, errors, answers)
            shares += [PredictedShare(term.name, level, *row) for row in at_level]
            gap = rows_with_errors(there[0] - base[0], there[1] - base[1], errors, answers)
            effects += [Effect(name, *row) for row in gap]
    return effects, shares


def levels_of(term: Term) -> list[str]:
    """The answers that have a column, in the order of the columns."""
    return [term.answers[int(np.argmax(column))] for column in term.levels.T]


def is_undetermined_column(likelihood: Likelihood, found: Fit, column: int) -> bool:
    """Whether the reports determine no coefficient of a column."""
    parts = np.abs(found.lost[parameters_of(likelihood, (column,))])
    return bool((parts.max(axis=1, initial=0.0) > TRACE).all())


def level_setting(term: Term, level: str, means: Array, scales: Array) -> PredictorSetting:
    places = np.array(term.columns) - 1
    values = term.levels[term.answers.index(level)]
    return PredictorSetting(term.columns, (values - means[places]) / scales[places])


def rows_with_errors(
    value: Array, change: Array, errors: Errors, answers: list[str]
) -> list[tuple[str, float, float]]:
    """Rows of answer, value and standard error."""
    spread = np.einsum("kp,pq,kq->k", change, errors.covariance, change)
    standard_errors = np.sqrt(np.maximum(spread, 0.0))
    return [
        (a, float(v), float(e)) for a, v, e in zip(answers, value, standard_errors, strict=True)
    ]


def parameters_of(likelihood: Likelihood, columns: tuple[int, ...]) -> list[int]:
    """The parameters of some of the design's columns."""
    width = len(likelihood.spread) // (likelihood.model.answers - 1)
    chosen = likelihood.model.parameters((), columns, width)
    return [int(place) for place in np.flatnonzero(chosen)]


def tests_of(
    likelihood: Likelihood,
    found: Fit,
    errors: Errors,
    predictors: Predictors,
    several: bool = False,
) -> tuple[list[TermTest], list[str]]:
    """Tests of each predictor and of all together, and remarks on tests that are impossible.

    If standard errors come from the likelihood, these are likelihood-ratio tests. The statistic is
    twice the fall of the log likelihood when the coefficients are zero. For a private predictor,
    the part of its own reports stays unchanged. With a sandwich, the likelihood is no longer that
    of the sample, and Wald tests take their place.

    If the likelihood has `several` maxima, the search without a predictor also begins at the
    default start.
    """
    wanted = [(term.name, term.columns) for term in predictors.terms]
    if len(wanted) > 1:
        every = tuple(column for _, columns in wanted for column in columns)
        wanted.append((ALL_PREDICTORS, every))
    tests, remarks = [], []
    for name, columns in wanted:
        held = parameters_of(likelihood, columns)
        if errors.kind not in (OBSERVED, EXPECTED):
            tests.append(wald(name, found.theta, errors, held))
            continue
        # Near the full fit, a few steps are enough. If shares are zero there, they must be found
        # again.
        start = None if found.at_zero else without(found, errors, held)
        nested = fit(likelihood, held, start, HEIGHT_CONVERGED_GAIN)
        if several:
            other = fit(likelihood, held, None, HEIGHT_CONVERGED_GAIN)
            nested = max(nested, other, key=lambda one: (one.sound, one.found.height))
        degrees = found.free.shape[1] - nested.free.shape[1]
        if nested.sound and degrees > 0 and nested.found.height <= found.found.height + 1e-6:
            tests.append(likelihood_ratio(name, found, nested, degrees))
        else:
            remarks.append(predictor_remark(name))
    return tests, remarks


def predictor_remark(name: str) -> str:
    """A remark on a predictor, or on all predictors, without a test."""
    if name == ALL_PREDICTORS:
        return translate(
            "Without any predictor, the likelihood has no maximum, so there is no test of all "
            "predictors together."
        )
    return translate(
        "Without %(predictor)s, the likelihood has no maximum, so there is no test.",
        predictor=name,
    )


def without(found: Fit, errors: Errors, held: list[int]) -> Array:
    """The maximum with zeros at `held`, if the likelihood were a parabola."""
    across = errors.covariance[:, held]
    return np.asarray(found.theta - across @ np.linalg.solve(across[held], found.theta[held]))


def likelihood_ratio(name: str, found: Fit, nested: Fit, degrees: int) -> TermTest:
    """2 (l - l0) ~ chi squared (Wilks, Ann. Math. Stat. 9 (1938) 60), for nested fits.

    Both fits are to the same responses. A value below zero, from rounding, becomes zero.
    """
    statistic = max(0.0, 2 * (found.found.height - nested.found.height))
    return TermTest(
        name, LIKELIHOOD_RATIO, statistic, degrees, float(scipy.special.chdtrc(degrees, statistic))
    )


def wald(name: str, theta: Array, errors: Errors, places: list[int]) -> TermTest:
    """Wald's test: b' V^-1 b against chi squared.

    If V has d degrees of freedom, as with clusters, (d - k + 1) / (d k) of it is compared with F(k,
    d - k + 1) (Korn & Graubard, Am. Stat. 44 (1990) 270).
    """
    chosen = theta[places]
    covariance = errors.covariance[np.ix_(places, places)]
    degrees = int(np.linalg.matrix_rank(covariance, hermitian=True))
    statistic = float(chosen @ np.linalg.lstsq(covariance, chosen, rcond=None)[0])
    if errors.freedom is None:
        return TermTest(
            name, WALD, statistic, degrees, float(scipy.special.chdtrc(degrees, statistic))
        )
    rest = max(1, errors.freedom - degrees + 1)
    ratio = statistic * rest / (errors.freedom * degrees)
    return TermTest(
        name, WALD, statistic, degrees, float(scipy.special.fdtrc(degrees, rest, ratio)), rest
    )
