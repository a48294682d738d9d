"""Who has the trait of a stochastic lie detector: a logistic regression, by maximum likelihood."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.regression.formula import CONSTANT
from survey.analysis.regression.maximum_likelihood import newton_step
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

HONESTY = "honesty of people with the trait"
# The likelihood can have several maxima. The search starts from the best coefficients for each of
# these probabilities of honesty, and goes on from the highest ones.
TRIED_HONESTY = np.linspace(0.05, 1, 20)
TRIED_AGAIN = 5
MAX_STEPS = 200
CONVERGED_GAIN = 1e-13
# Larger log odds, for a predictor of one standard deviation, mean that there is no maximum.
MAX_LOG_ODDS = 15.0
# In a probability and its complement. Logarithms of less are not needed.
LEAST = 1e-300
# Relative to the largest. A direction with less information is flat.
FLAT = 1e-9


@dataclass(frozen=True)
class LieDetectorRow:
    """A parameter with its interval, and the likelihood-ratio test of its null hypothesis.

    `statistic` and `p` are None for the constant, which has no such hypothesis.
    """

    name: str
    figure: IntervalEstimate
    statistic: float | None
    p: float | None


@dataclass(frozen=True)
class LieDetectorRegression:
    """The coefficients of a logistic regression of the trait, then the probability of honesty.

    `covariance`, shape (rows, rows), is that of the estimates. It has zeros for a probability of
    honesty of 0 or 1.
    """

    n: int
    rows: tuple[LieDetectorRow, ...]
    covariance: Array
    log_likelihood: float


@dataclass(frozen=True)
class LieDetectorFit:
    """A maximum: coefficients of the standardised predictors, and the probability of honesty."""

    beta: Array
    honesty: float
    height: float


@dataclass(frozen=True)
class LieDetectorLikelihood:
    """The likelihood of reports.

    Attributes
    ----------
    design : float array (n, d), with a column of ones
    yes : bool array (n,), whether the report is "yes"
    without : float array (n,), the probability of "yes" from people without the trait
    """

    design: Array
    yes: npt.NDArray[np.bool_]
    without: Array

    def evaluate(self, beta: Array, honesty: float) -> tuple[float, Array, Array]:
        """The log-likelihood, its slope (d + 1,) and observed information (d + 1, d + 1)."""
        trait = scipy.special.expit(self.design @ beta)
        rest = trait * (1 - trait)
        gap = honesty - self.without
        said_yes = np.maximum(self.without + gap * trait, LEAST)
        said_no = np.maximum(1 - self.without - gap * trait, LEAST)
        height = float(np.log(np.where(self.yes, said_yes, said_no)).sum())
        slope = np.where(self.yes, 1 / said_yes, -1 / said_no)
        columns = np.column_stack([(gap * rest)[:, np.newaxis] * self.design, trait])
        # The second derivative of the logarithm is minus the square of the first one.
        information = (columns.T * slope**2) @ columns
        bent = slope * gap * rest * (1 - 2 * trait)
        information[:-1, :-1] -= (self.design.T * bent) @ self.design
        crossed = self.design.T @ (slope * rest)
        information[-1, :-1] -= crossed
        information[:-1, -1] -= crossed
        return height, columns.T @ slope, information

    def fit(self, beta: Array, honesty: float, fixed: bool) -> LieDetectorFit:
        """The maximum near a start, with honesty from 0 to 1, or fixed."""
        height, slope, information = self.evaluate(beta, honesty)
        for _ in range(MAX_STEPS):
            free = np.ones(len(slope), dtype=bool)
            outwards = (honesty >= 1 and slope[-1] > 0) or (honesty <= 0 and slope[-1] < 0)
            free[-1] = not (fixed or outwards)
            step = np.zeros(len(slope))
            step[free] = newton_step(information[np.ix_(free, free)], slope[free])
            if float(slope @ step) < CONVERGED_GAIN * len(self.yes):
                return LieDetectorFit(
                    beta + step[:-1], min(1.0, max(0.0, honesty + step[-1])), height
                )
            stride = min(1.0, MAX_LOG_ODDS / max(1e-9, float(np.abs(step[:-1]).max())))
            while stride > 1e-9:
                there = beta + stride * step[:-1]
                then = min(1.0, max(0.0, honesty + stride * float(step[-1])))
                found = self.evaluate(there, then)
                if found[0] >= height - 1e-12 * abs(height):
                    break
                stride /= 2
            else:
                return LieDetectorFit(beta, honesty, height)
            beta, honesty = there, then
            height, slope, information = found
            if np.abs(beta).max() > 2 * MAX_LOG_ODDS:
                return LieDetectorFit(beta, honesty, height)
        return LieDetectorFit(beta, honesty, height)

    def best(self, honesty: float | None = None) -> LieDetectorFit:
        """The highest maximum, for one probability of honesty or for any."""
        start = np.zeros(self.design.shape[1])
        if honesty is not None:
            return self.fit(start, honesty, fixed=True)
        starts = [self.fit(start, float(each), fixed=True) for each in TRIED_HONESTY]
        starts.sort(key=height_of, reverse=True)
        return max(
            (self.fit(each.beta, each.honesty, fixed=False) for each in starts[:TRIED_AGAIN]),
            key=height_of,
        )


def height_of(fit: LieDetectorFit) -> float:
    return fit.height


def covariance_at(likelihood: LieDetectorLikelihood, found: LieDetectorFit) -> Array:
    """The inverse of the observed information at a maximum; 0 for t at the end of its range.

    Raises UnanswerableQuestion if it is no finite maximum.
    """
    size = len(found.beta) + (0 < found.honesty < 1)
    information = likelihood.evaluate(found.beta, found.honesty)[2][:size, :size]
    values = np.linalg.eigvalsh(information)
    if np.abs(found.beta).max() > MAX_LOG_ODDS or values[0] <= FLAT * values[-1]:
        raise UnanswerableQuestion(
            "The likelihood of this model has no finite maximum. Leave out a predictor, or "
            "collect more responses."
        )
    covariance = np.zeros((len(found.beta) + 1,) * 2)
    covariance[:size, :size] = np.linalg.inv(information)
    return covariance


def lie_detector_row(
    name: str, figure: tuple[float, float], statistic: float | None, honesty: float, level: float
) -> LieDetectorRow:
    """A row of the table; `figure` has the value and its standard error."""
    value, error = figure
    p = None if statistic is None else float(scipy.special.chdtrc(1, statistic))
    reach = float(scipy.special.ndtri((1 + level) / 2)) * error
    low, high = value - reach, value + reach
    if name is HONESTY:
        p = 1.0 if p is None or honesty >= 1 else p / 2
        low, high = (max(0.0, low), min(1.0, high)) if 0 < honesty < 1 else (0.0, 1.0)
    return LieDetectorRow(
        name,
        IntervalEstimate(value=value, standard_error=error, low=low, high=high, method=""),
        statistic,
        p,
    )


def lie_detector_regression(
    yes: npt.NDArray[np.bool_],
    truthful: Array,
    predictors: Array,
    names: tuple[str, ...],
    level: float,
) -> LieDetectorRegression:
    """Logistic regression of the trait on predictors, with an unknown probability of honesty.

    Parameters
    ----------
    yes : bool array (n,), whether each report is "yes"
    truthful : float array (n,), the probability that people without the trait answer truthfully,
        as the design of the respondent's group has it
    predictors : float array (n, d), without the constant
    names : of the d predictors

    Raises
    ------
    UnanswerableQuestion
        If the likelihood has no finite maximum, or the reports do not determine all parameters.

    Notes
    -----
    A respondent with predictors x has the trait with probability pi = 1 / (1 + exp(-x beta)), and
    then answers truthfully with probability t, the same for all. With p the probability that people
    without the trait answer truthfully, the report is "yes" with probability

        pi t + (1 - pi) (1 - p).

    Both beta and t maximise the likelihood of all reports, with t from 0 to 1. This is the model
    SLD of RRlog (Heck & Moshagen, J. Stat. Softw. 85(2) (2018)). The covariance is the inverse of
    the observed information. Intervals are normal. Each coefficient is tested by the likelihood
    ratio with that of a fit without it, for which t is estimated too. The hypothesis t = 1, that
    all are honest, is at the end of the range. Its p-value is half that of the chi-squared
    distribution (Self & Liang, JASA 82 (1987) 605).
    """
    means, scales = predictors.mean(axis=0), predictors.std(axis=0)
    design = np.column_stack([np.ones(len(yes)), (predictors - means) / scales])
    likelihood = LieDetectorLikelihood(design, yes, 1 - truthful)
    found = likelihood.best()
    covariance = covariance_at(likelihood, found)
    back = np.diag([1.0, *(1 / scales), 1.0])
    back[0, 1:-1] = -means / scales
    estimates = back @ np.append(found.beta, found.honesty)
    covariance = back @ covariance @ back.T
    nested = [
        LieDetectorLikelihood(np.delete(design, column, axis=1), yes, 1 - truthful).best()
        for column in range(1, design.shape[1])
    ]
    nested.append(likelihood.best(1.0))
    tests = [None, *(max(0.0, 2 * (found.height - each.height)) for each in nested)]
    rows = tuple(
        lie_detector_row(name, (float(value), float(error)), statistic, found.honesty, level)
        for name, value, error, statistic in zip(
            (CONSTANT, *names, HONESTY), estimates, np.sqrt(np.diag(covariance)), tests, strict=True
        )
    )
    return LieDetectorRegression(len(yes), rows, covariance, found.height)
