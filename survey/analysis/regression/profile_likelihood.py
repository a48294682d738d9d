"""Intervals and tests from the profile of a likelihood, with or without a penalty.

The profile of a quantity is the highest likelihood for each of its values. A 95 % interval has the
values whose profile is lower than the maximum by at most 1.92, half the 0.95 quantile of chi
squared (Venzon & Moolgavkar, Appl. Stat. 37 (1988) 87; Heinze & Schemper, Stat. Med. 21 (2002)
2409). The p-value of the same profile is below 0.05 if and only if the interval excludes 0, apart
from profiles with several maxima.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.regression.likelihood import Likelihood, LikelihoodEvaluation
from survey.analysis.regression.maximum_likelihood import (
    HEIGHT_CONVERGED_GAIN,
    MIN_RELATIVE_CURVATURE,
    Fit,
    fit,
    secant_update,
)
from survey.analysis.regression.models import Array

# A quantity at theta: its value, and its derivatives, shape (size,).
Quantity = Callable[[Array], tuple[float, Array]]
# For the lower and the upper end of an interval, the signed root of twice the fall of the log
# likelihood. The lower one is negative.
Reaches = tuple[float, float]
MAX_STEPS = 40
# Of the log likelihood, at the end of an interval.
CLOSE = 1e-8
# Of a slope. Without a penalty, a likelihood can become flat, and Newton steps then mean nothing.
FLAT = 1e-12
# The longest step, in standard deviations of predictors, towards an end of an interval.
MAX_END_STEP = 2.0
MAX_HALVINGS = 30
MAX_DOUBLINGS = 30
# A larger root of a fall counts as this.
MAX_FALL = 1e3
# Of a parameter, for second derivatives of a quantity.
NUDGE = 1e-5


@dataclass(frozen=True)
class ProfileEnd:
    """An end of an interval. `log_likelihood` is that at theta, without the penalty."""

    value: float
    theta: Array
    log_likelihood: float


def usual_reaches(level: float) -> Reaches:
    """Those of the chi-squared distribution with one degree of freedom."""
    reach = float(scipy.special.ndtri((1 + level) / 2))
    return -reach, reach


def linear_ends(
    likelihood: Likelihood, found: Fit, direction: Array, covariance: Array, reaches: Reaches
) -> tuple[ProfileEnd, ProfileEnd]:
    """The ends of the interval of direction' theta."""

    def quantity(theta: Array) -> tuple[float, Array]:
        return float(direction @ theta), direction

    lower, upper = (
        newton_end(likelihood, found, quantity, covariance, reach)
        or bracketed_end(likelihood, found, direction, covariance, reach)
        for reach in reaches
    )
    return lower, upper


def curved_ends(
    likelihood: Likelihood, found: Fit, quantity: Quantity, covariance: Array, reaches: Reaches
) -> tuple[ProfileEnd | None, ProfileEnd | None]:
    """The ends of the interval of any quantity, each None if its search fails."""
    lower, upper = (
        newton_end(likelihood, found, quantity, covariance, reach)
        or newton_end(likelihood, found, quantity, covariance, reach, curved=True)
        for reach in reaches
    )
    return lower, upper


def newton_end(
    likelihood: Likelihood,
    found: Fit,
    quantity: Quantity,
    covariance: Array,
    reach: float,
    curved: bool = False,
) -> ProfileEnd | None:
    """One end, by Newton steps on both conditions: the height, and that it is a profile.

    With the slope g and the curvature J of the log likelihood l, and the derivatives c of the
    quantity, the next step is J^-1 (g - m c). The multiplier m makes the parabola reach the height
    of the end, l + g' J^-1 g / 2 - m^2 c' J^-1 c / 2.

    J starts as the inverse covariance, and changes with the slopes (`secant_update`). The curvature
    of private reports can be negative far from the maximum, and Newton steps then fail.

    Parameters
    ----------
    covariance : of theta, positive definite, for the start of the search
    reach : the signed root of twice the fall of the log likelihood
    curved : whether to add m times the second derivatives of the quantity to J
    """
    target = found.found.height - reach**2 / 2
    _, change = quantity(found.theta)
    spread = float(np.sqrt(max(float(change @ covariance @ change), 1e-300)))
    theta, slope, step = found.theta, found.found.slope, reach * (covariance @ change) / spread
    multiplier = -reach / spread
    curvature: Array = np.linalg.inv(covariance).astype(np.float64)
    for _ in range(MAX_STEPS):
        moved = possible_step(likelihood, theta, shorten_step(step))
        if moved is None:
            return None
        there, evaluation = moved
        curvature = secant_update(curvature, there - theta, slope - evaluation.slope)
        theta, slope = there, evaluation.slope
        if np.abs(slope).max() < FLAT:
            return None
        value, change = quantity(theta)
        bent = curvature + multiplier * bend_of(quantity, theta, change) if curved else curvature
        inverse = positive_inverse(bent)
        of_slope, of_change = inverse @ slope, inverse @ change
        above = evaluation.height + float(slope @ of_slope) / 2 - target
        squared = 2 * above / max(float(change @ of_change), 1e-300)
        multiplier = -np.sign(reach) * float(np.sqrt(max(0.0, squared)))
        rest = slope - multiplier * change
        step = inverse @ rest
        if abs(evaluation.height - target) < CLOSE and float(rest @ step) < CLOSE:
            return ProfileEnd(value, theta, evaluation.log_likelihood)
    return None


def shorten_step(step: Array) -> Array:
    """The step, with no part longer than MAX_END_STEP."""
    return step * min(1.0, MAX_END_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))


def possible_step(
    likelihood: Likelihood, theta: Array, step: Array
) -> tuple[Array, LikelihoodEvaluation] | None:
    """The step, halved until the parameters are possible; None if they never are."""
    for _ in range(MAX_HALVINGS):
        evaluation = likelihood.evaluate(theta + step)
        if np.isfinite(evaluation.height):
            return theta + step, evaluation
        step = step / 2
    return None


def bend_of(quantity: Quantity, theta: Array, change: Array) -> Array:
    """The second derivatives of a quantity, by differences of the first ones."""
    rows = [(quantity(theta + nudge)[1] - change) / NUDGE for nudge in NUDGE * np.eye(len(theta))]
    return np.asarray(np.add(rows, np.transpose(rows)) / 2)


def positive_inverse(curvature: Array) -> Array:
    """The inverse, with the absolute values of its eigenvalues."""
    values, vectors = np.linalg.eigh(curvature)
    sizes = np.abs(values)
    sizes = np.maximum(sizes, MIN_RELATIVE_CURVATURE * sizes.max())
    return np.asarray((vectors / sizes) @ vectors.T)


def bracketed_end(
    likelihood: Likelihood, found: Fit, direction: Array, covariance: Array, reach: float
) -> ProfileEnd:
    """The end of direction' theta where Newton steps fail, by a bracket; it can be infinite.

    The signed root of the fall, sqrt(2 (l - profile)), is nearly a straight line in the value.
    """
    within = scipy.linalg.null_space(direction[np.newaxis])
    centre = float(direction @ found.theta)
    along = covariance @ direction / float(direction @ covariance @ direction)
    spread = float(np.sqrt(direction @ covariance @ direction))
    bend: Array = np.linalg.inv(covariance).astype(np.float64)
    profile: dict[float, Fit] = {centre: found}

    def starts(value: float) -> Iterator[Array]:
        nearest, *others = sorted(profile, key=lambda other: abs(other - value))
        theta, move = profile[nearest].theta, value - nearest
        yield theta + along * move
        # Far away, another parameter can have to move as much.
        if others:
            yield theta + (theta - profile[others[0]].theta) * move / (nearest - others[0])

    def fall(value: float) -> float:
        if value not in profile:
            start = max(starts(value), key=lambda theta: likelihood.evaluate(theta).height)
            profile[value] = fit(likelihood, start, within, HEIGHT_CONVERGED_GAIN, bend)
        drop = found.found.height - profile[value].found.height
        return min(float(np.sqrt(max(0.0, 2 * drop))), MAX_FALL) - abs(reach)

    inner, outer = centre, centre + reach * spread
    for _ in range(MAX_DOUBLINGS):
        if fall(outer) >= 0:
            break
        inner, outer = outer, centre + 2 * (outer - centre)
    else:
        # Without a penalty, a likelihood can stay near its maximum for ever.
        return ProfileEnd(float(np.copysign(np.inf, reach)), found.theta, found.found.height)
    value = float(scipy.optimize.brentq(fall, inner, outer, xtol=1e-8 * spread, rtol=1e-12))
    fall(value)
    return ProfileEnd(value, profile[value].theta, profile[value].found.log_likelihood)


def nested_fit(likelihood: Likelihood, found: Fit, directions: Array, covariance: Array) -> Fit:
    """The fit in which the quantities directions' theta are zero.

    Parameters
    ----------
    directions : float array (size, k)
    covariance : of theta

    The search starts at the maximum that a parabola would have there, or at the likelihood's own
    start, if that is higher.
    """
    within = scipy.linalg.null_space(directions.T)
    across = covariance @ directions
    parabola = found.theta - across @ np.linalg.solve(
        directions.T @ across, directions.T @ found.theta
    )
    own = within @ (within.T @ likelihood.start())
    start = max(parabola, own, key=lambda theta: likelihood.evaluate(theta).height)
    near: Array = np.linalg.inv(covariance).astype(np.float64)
    return fit(likelihood, start, within, HEIGHT_CONVERGED_GAIN, near)
