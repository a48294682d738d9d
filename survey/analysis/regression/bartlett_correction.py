"""Bartlett's correction of likelihood ratio statistics, from simulated surveys.

With many responses, the likelihood ratio statistic of k coefficients has the chi-squared
distribution with k degrees of freedom, whose mean is k. With few randomised reports, the mean of
the statistic can be 0.7 k, because the penalty limits it. Its intervals then contain the true
coefficient too often. Bartlett's correction divides the statistic by its mean under the hypothesis,
and multiplies it by k (Bartlett, Proc. R. Soc. A 160 (1937) 268).

This module estimates the mean from surveys with the same predictors and with reports that are
simulated under the hypothesis (a parametric bootstrap). The other coefficients have their estimates
under the hypothesis. The seed is fixed, so the same data always give the same results.

In the simulated surveys, the score statistic has the mean k exactly, and a high correlation with
the likelihood ratio statistic. It therefore serves as a control variate (Glasserman, Monte Carlo
Methods in Financial Engineering (2003), section 4.1), which divides the variance by 5 to 200.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.columns.variables import Codes
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, Likelihood
from survey.analysis.regression.maximum_likelihood import (
    MAX_STEP_DEVIATIONS,
    MIN_RELATIVE_CURVATURE,
    Fit,
)
from survey.analysis.regression.models import Array, Flags, Multinomial
from survey.analysis.regression.profile_likelihood import ProfileEnd, Reaches
from survey.core.processor_time import require_time

# Indices of surveys, or a flag for each.
Rows = Codes | Flags
SEED = 20261127
SURVEYS = 100
# The largest number of multiplications for all corrections of a regression: about five seconds.
MAX_WORK = 2e9
# About how many evaluations of each simulated survey a correction takes, and how many
# multiplications an evaluation takes for each respondent, apart from those of the predictors.
EVALUATIONS = 20
FIXED_WORK = 40
MAX_STEPS = 100
MAX_HALVINGS = 30
# Of the log likelihood: a smaller gain of a step is the last, and a smaller loss is none.
CLOSE = 1e-4
NO_LOSS = 1e-9
# Limits of the mean, relative to k. It can be far above 1 for extreme hypotheses, because their
# penalty is large. Intervals could then be several times as long, so the correction only makes
# them shorter.
LEAST_MEAN = 0.5
LARGEST_MEAN = 1.0


def can_be_corrected(likelihood: Likelihood, hypotheses: int) -> bool:
    """Whether the correction is possible for this many hypotheses, in a short time.

    It is for a penalised fit, a private outcome with two answers, the logistic model, known
    predictors, and no weights. The intervals of a non-private outcome stay those of the R package
    logistf. Every possible report must have a code.
    """
    return (
        isinstance(likelihood, KnownPredictorLikelihood)
        and likelihood.is_penalised
        and type(likelihood.model) is Multinomial
        and likelihood.model.answers == 2
        and likelihood.outcome.mixes
        and likelihood.outcome.complete
        and likelihood.weights is None
        and work(likelihood) * hypotheses <= MAX_WORK
    )


def work(likelihood: Likelihood) -> float:
    """About how many multiplications one correction takes."""
    return SURVEYS * EVALUATIONS * likelihood.n * (FIXED_WORK + likelihood.size**2)


def mean_ratio(
    likelihood: KnownPredictorLikelihood,
    theta: Array,
    directions: Array,
) -> float:
    """The mean of the likelihood ratio statistic under a hypothesis, divided by k.

    Parameters
    ----------
    theta : the estimates under the hypothesis, shape (size,)
    directions : float array (size, k); the hypothesis gives the values of directions' theta
    """
    within = scipy.linalg.null_space(directions.T)
    surveys = SimulatedSurveys.under(likelihood, theta)
    held = surveys.fit(np.tile(theta, (SURVEYS, 1)), within)
    free = surveys.fit(held.thetas, np.eye(len(theta)))
    ratios = 2 * (free.heights - held.heights)
    scores, k = surveys.score_statistics(theta, within), directions.shape[1]
    covariance = np.cov(ratios, scores)
    slope = covariance[0, 1] / max(covariance[1, 1], 1e-300)
    mean = (ratios.mean() - slope * (scores.mean() - k)) / k
    return float(np.clip(mean, LEAST_MEAN, LARGEST_MEAN))


def corrected_test(
    likelihood: KnownPredictorLikelihood,
    found: Fit,
    direction: Array,
    nested: Fit,
    ends: tuple[ProfileEnd, ProfileEnd],
    reaches: Reaches,
) -> tuple[Reaches, float]:
    """The reaches of the corrected interval of direction' theta, and the mean at zero.

    The mean is simulated at both ends of the interval without correction, and at zero. In between,
    it is taken to be linear in the signed root of the statistic. So the interval excludes zero if
    and only if the corrected statistic at zero exceeds the limit.

    Parameters
    ----------
    nested : the fit in which direction' theta is zero
    ends, reaches : of the interval without correction
    """
    fall = max(0.0, 2 * (found.found.height - nested.found.height))
    zero = -np.sign(direction @ found.theta) * np.sqrt(fall)
    thetas = [ends[0].theta, nested.theta, ends[1].theta]
    means = [mean_ratio(likelihood, theta, direction[:, np.newaxis]) for theta in thetas]
    order = np.argsort([reaches[0], zero, reaches[1]], kind="stable")
    roots, known = np.array([reaches[0], zero, reaches[1]])[order], np.array(means)[order]
    limit = reaches[1] ** 2

    def excess(root: float) -> float:
        return float(root**2 - limit * np.interp(root, roots, known))

    def reach(side: int) -> float:
        # The excess is negative at 0, and positive at the outer root.
        inner, outer = 0.0, side * 1.01 * float(np.sqrt(limit * known.max()))
        if side * zero > 0 and excess(zero) > 0:
            outer = zero
        elif side * zero > 0:
            inner = zero
        return float(scipy.optimize.brentq(excess, inner, outer))

    return (reach(-1), reach(1)), means[1]


@dataclass(frozen=True)
class Evaluations:
    """The penalised log likelihoods of the surveys, each at its own parameters.

    Attributes
    ----------
    thetas : float array (surveys, size)
    heights : float array (surveys,)
    slopes : float array (surveys, size)
    curvatures : float array (surveys, size, size), as in `LikelihoodEvaluation`
    """

    thetas: Array
    heights: Array
    slopes: Array
    curvatures: Array

    def some(self, rows: Rows) -> "Evaluations":
        """Those of some of the surveys."""
        return Evaluations(*(each[rows] for each in vars(self).values()))

    def put(self, rows: Rows, others: "Evaluations") -> None:
        """Replace those of some of the surveys."""
        for name, each in vars(self).items():
            each[rows] = getattr(others, name)


@dataclass(frozen=True, kw_only=True)
class SimulatedSurveys:
    """Surveys with the predictors of a logistic model of two answers, and simulated reports.

    If predictors have few different values, respondents with equal predictors and reports are
    counted, so that an evaluation is short.

    Parameters
    ----------
    block : float array (m, size), the predictors with the constant, of respondents or of kinds of
        respondents
    products : float array (m, size^2), x_i x_i' of each
    codes : int array (surveys, m), the reports; (1, m) if kinds are counted
    counts : float array (surveys, m), the number of respondents of each kind, or None
    """

    likelihood: KnownPredictorLikelihood
    block: Array
    products: Array
    codes: Codes
    counts: Array | None

    @classmethod
    def under(cls, likelihood: KnownPredictorLikelihood, theta: Array) -> "SimulatedSurveys":
        """SURVEYS surveys that are simulated with these parameters.

        If groups of respondents were asked by different designs, each keeps its design.
        """
        outcome, block = likelihood.outcome, likelihood.predictors.block(slice(None))
        shares, _ = likelihood.model.shares(likelihood.coefficients(theta) @ block.T)
        part_of_code = outcome.part_of_code
        possible = part_of_code[outcome.codes] == part_of_code[:, np.newaxis]
        borders = np.where(possible, outcome.chances.T @ shares, 0.0).cumsum(axis=0)
        drawn = np.random.default_rng(SEED).random((SURVEYS, likelihood.n))
        codes = np.zeros(drawn.shape, dtype=np.int64)
        for border in borders[:-1] / borders[-1]:
            codes += drawn > border
        different, places = np.unique(block, axis=0, return_inverse=True)
        reports, counts = len(part_of_code), None
        kinds = len(different) * reports
        if kinds < len(block):
            cells = places * reports + codes + kinds * np.arange(SURVEYS)[:, np.newaxis]
            counts = np.bincount(cells.ravel(), minlength=SURVEYS * kinds).astype(np.float64)
            counts = counts.reshape(SURVEYS, kinds)
            block = different.repeat(reports, axis=0)
            codes = np.tile(np.arange(reports), (1, len(different)))
        products = (block[:, :, np.newaxis] * block[:, np.newaxis]).reshape(len(block), -1)
        return cls(
            likelihood=likelihood, block=block, products=products, codes=codes, counts=counts
        )

    def some(self, rows: Rows) -> "SimulatedSurveys":
        """Some of the surveys."""
        if self.counts is None:
            return replace(self, codes=self.codes[rows])
        return replace(self, counts=self.counts[rows])

    def times_counts(self, values: Array) -> Array:
        """Values of each kind of respondents, times their number; values of each respondent."""
        return values if self.counts is None else values * self.counts

    def squares(self, second: Array) -> Array:
        """sum_i second[s, i] x_i x_i' of each survey s, shape (surveys, size, size)."""
        size = self.block.shape[1]
        return np.asarray((self.times_counts(second) @ self.products).reshape(-1, size, size))

    def evaluate(self, thetas: Array) -> Evaluations:
        """The same as `KnownPredictorLikelihood.evaluate`, for all surveys."""
        require_time()
        model = self.likelihood.model
        eta = (thetas @ self.block.T)[np.newaxis]
        given = self.likelihood.outcome.chances.take(self.codes, axis=1)
        chance, (first,), ((second,),) = model.respond(eta, given)
        ((dense,),) = model.information(eta)
        penalties, inverses = self.penalties(self.squares(dense))
        leverage = inverses.reshape(len(thetas), -1) @ self.products.T
        (slope_of_penalty,) = model.information_slope(eta, leverage[np.newaxis, np.newaxis]) / 2
        return Evaluations(
            thetas,
            self.times_counts(np.log(chance)).sum(axis=1) + penalties,
            self.times_counts(first + slope_of_penalty) @ self.block,
            self.squares(second + dense * (dense * leverage)),
        )

    def penalties(self, information: Array) -> tuple[Array, Array]:
        """The penalties, shape (surveys,), and the matrices V of the leverage x_i' V x_i."""
        heights, inverses = np.zeros(len(information)), np.zeros_like(information)
        for factor, part in self.likelihood.penalty_parts:
            of_part = part.T @ information @ part
            signs, logs = np.linalg.slogdet(of_part)
            singular = (signs <= 0) | ~np.isfinite(logs)
            of_part[singular] = np.eye(of_part.shape[1])
            heights += np.where(singular, -np.inf, factor * logs / 2)
            inverses += factor * part @ np.linalg.inv(of_part) @ part.T
        return heights, inverses

    def fit(self, starts: Array, within: Array) -> Evaluations:
        """The maxima near these starts, along the directions `within`, shape (size, k)."""
        found = self.evaluate(starts.copy())
        left = np.arange(len(starts))
        for _ in range(MAX_STEPS):
            slopes = found.slopes[left] @ within
            inverses = positive_inverses(within.T @ found.curvatures[left] @ within)
            steps = (inverses @ slopes[:, :, np.newaxis])[:, :, 0]
            moving = (steps * slopes).sum(axis=1) > CLOSE
            left, steps = left[moving], steps[moving] @ within.T
            if not len(left):
                break
            part, best = self.some(left), found.some(left)
            steps = limit_steps(steps, best.thetas)
            for _ in range(MAX_HALVINGS):
                there = part.evaluate(best.thetas + steps)
                worse = ~(there.heights >= best.heights - NO_LOSS)
                if not worse.any():
                    break
                steps[worse] /= 2
            # Where no step has a gain, only rounding errors remain.
            left = left[~worse]
            found.put(left, there.some(~worse))
        return found

    def score_statistics(self, theta: Array, within: Array) -> Array:
        """Rao's score statistics of the hypothesis at the true parameters, shape (surveys,).

        U' I^-1 U without the penalty, less the same for the directions `within`. The expected value
        is the number of the other directions.
        """
        outcome, eta = self.likelihood.outcome, theta[np.newaxis] @ self.block.T
        part_of_code = outcome.part_of_code
        # Shape (codes, n): the probability of each report, and its slope in eta.
        reports = [
            self.likelihood.model.respond(eta, column[:, np.newaxis])[:2]
            for column in outcome.chances.T
        ]
        chance = np.array([each for each, _ in reports])
        first = np.array([each[0] for _, each in reports])
        # A simulated report is from the respondent's own design.
        possible = part_of_code[self.codes[0]] == part_of_code[:, np.newaxis]
        density = np.where(possible, chance * first**2, 0.0).sum(axis=0)
        information = self.squares(density[np.newaxis])[0]
        scores = self.times_counts(first[self.codes, np.arange(len(self.block))]) @ self.block
        return squared_lengths(scores, information) - squared_lengths(
            scores @ within, within.T @ information @ within
        )


def limit_steps(steps: Array, thetas: Array) -> Array:
    """The steps, shortened if they are very long (`maximum_likelihood.limit_step`)."""
    reaches = np.abs(steps).max(axis=1, initial=1e-300)
    limits = MAX_STEP_DEVIATIONS + np.abs(thetas).max(axis=1, initial=0.0)
    return np.asarray(steps * np.minimum(1, limits / reaches)[:, np.newaxis])


def squared_lengths(scores: Array, information: Array) -> Array:
    """u' I^-1 u of each row u."""
    return np.asarray(((scores @ np.linalg.pinv(information)) * scores).sum(axis=1))


def positive_inverses(curvatures: Array) -> Array:
    """The inverse of each matrix, with the absolute values of its eigenvalues."""
    values, vectors = np.linalg.eigh(curvatures)
    sizes = np.abs(values)
    sizes = np.maximum(sizes, MIN_RELATIVE_CURVATURE * sizes.max(axis=1, keepdims=True, initial=0))
    return np.asarray((vectors / sizes[:, np.newaxis]) @ np.swapaxes(vectors, 1, 2))
