"""The maximum of a likelihood: Newton's steps from a start that is always the same.

The observed information is the curvature; where it is not positive definite, far from the maximum,
its eigenvalues are taken without their signs (Greenstadt, Math. Comp. 21 (1967) 360). A step that
does not gain is halved. With reports that are made by chance the likelihood need not be concave,
and often has no maximum at finite parameters: where fewer speak for an answer than chance alone
makes, the most likely share is zero, and its logit has no end. Such a direction is found and handed
back, so that it can be said which predictors it belongs to. Where it is of parameters that nobody
asks for, such as the shares of a private predictor's answers, it is followed, and taken as known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.regression.likelihood import Likelihood, LikelihoodEvaluation
from survey.analysis.regression.models import Array

MAX_NEWTON_STEPS = 200
# The gain of a step for each respondent, below which it is the last. The curvature changes by about
# the root of that, of itself: seven digits of it hold. What the step leaves to go is its square.
# Where the height alone is asked for, it may be longer.
CONVERGED_GAIN, HEIGHT_CONVERGED_GAIN = 1e-16, 1e-11
# a step that gains so little and goes so far, in predictors' standard deviations, may have no end
MAX_ENDLESS_GAIN, MIN_ENDLESS_STEP = 1e-2, 0.1
# what the log likelihood may fall over so many standard deviations where a direction has no end
MAX_ENDLESS_FALL, ENDLESS_DISTANCES = 1e-3, (1.0, 5.0, 25.0)
NEGLIGIBLE_DERIVATIVE = 1e-6  # slope and curvature of a direction without a part in the likelihood
ZERO_SHARE_LOGIT = 30.0  # how far: e^-30 is nothing beside any share
MAX_STEP_DEVIATIONS = 4.0  # a step, in the same unit, beside the way that is behind
# Curvature of a direction, of the largest, by which a step is still divided.
MIN_RELATIVE_CURVATURE = 1e-7
# Curvature of a direction, of the largest, below which it is taken for flat.
FLAT_RELATIVE_CURVATURE = 1e-9
MAX_REQUESTED_PART = 0.05  # of a direction, what is asked for below which it belongs to the rest


@dataclass(frozen=True)
class Fit:
    """A maximum, or the way to none.

    Attributes
    ----------
    theta : float array (size,), for standardised predictors
    found : what the likelihood is there
    free : float array (size, free), directions in which theta is determined; those left out were
        held, or belong to answers aside whose shares are most likely zero
    at_zero : how many directions of the latter kind there are
    endless : a direction in which the likelihood never falls, or None: then there is no maximum
    stuck : whether no step gained although there is a slope, at the edge of what is possible
    flat : a direction in which the likelihood does not change, or None
    """

    theta: Array
    found: LikelihoodEvaluation
    free: Array
    steps: int
    at_zero: int = 0
    endless: Array | None = None
    stuck: bool = False
    flat: Array | None = None

    @property
    def lost(self) -> Array:
        """The directions in which theta is not determined, shape (size, lost)."""
        return np.asarray(scipy.linalg.null_space(self.free.T))

    @property
    def sound(self) -> bool:
        return self.endless is None and self.flat is None and not self.stuck


def fit(
    likelihood: Likelihood,
    held: Sequence[int] = (),
    start: Array | None = None,
    reached: float = CONVERGED_GAIN,
) -> Fit:
    """The most likely parameters; those in `held` are zero. From the likelihood's own start, or
    from one that is near; until a step gains less than `reached` for each respondent.

    Notes
    -----
    It is a maximum near the start. The likelihood of reports need not be concave; `other_maxima`
    looks for another one elsewhere.
    """
    theta = likelihood.start() if start is None else start
    free = np.delete(np.eye(len(theta)), list(held), axis=1)
    theta = free @ (free.T @ theta)
    evaluation, at_zero = likelihood.evaluate(theta), 0
    if not np.isfinite(evaluation.height):  # a start at which no report could come
        if start is None:
            return Fit(theta, evaluation, free, 0, stuck=True)
        return fit(likelihood, held, reached=reached)
    for steps in range(MAX_NEWTON_STEPS):
        slope = free.T @ evaluation.slope
        step, sure = newton_step(evaluation, free, slope)
        gain = float(slope @ (free.T @ step))
        reach = float(np.abs(step).max(initial=0.0))
        last = gain < reached * likelihood.n
        sure = sure and not (last and not definite(free.T @ evaluation.curvature @ free))
        if last and sure:
            theta, evaluation = (
                theta + step,
                replace(evaluation, height=evaluation.height + gain / 2),
            )
            break
        if gain < MAX_ENDLESS_GAIN and (reach >= MIN_ENDLESS_STEP or not sure):
            lost = undetermined_direction(likelihood, theta, evaluation, free, step)
            if lost is not None and lost.rest is not None:
                if lost.flat is None:
                    theta = theta + ZERO_SHARE_LOGIT * lost.rest
                free = free @ scipy.linalg.null_space((free.T @ lost.rest)[np.newaxis])
                evaluation, at_zero = likelihood.evaluate(theta), at_zero + 1
                continue
            if lost is not None:
                return Fit(theta, evaluation, free, steps, at_zero, lost.endless, flat=lost.flat)
            if gain < NEGLIGIBLE_DERIVATIVE and not sure:  # as high as it gets, and level
                return Fit(theta, evaluation, free, steps, at_zero, flat=flattest(evaluation, free))
        if reach > MAX_STEP_DEVIATIONS:
            step *= min(1.0, (MAX_STEP_DEVIATIONS + float(np.abs(theta).max())) / reach)
        moved = better(likelihood, theta, evaluation, step, gain)
        if moved is None:
            if gain < 1e-9:  # rounding alone is left
                break
            return Fit(theta, evaluation, free, steps, at_zero, stuck=True)
        theta, evaluation = moved
    else:
        return Fit(theta, evaluation, free, MAX_NEWTON_STEPS, at_zero, stuck=True)
    return Fit(theta, evaluation, free, steps, at_zero)


def newton_step(found: LikelihoodEvaluation, free: Array, slope: Array) -> tuple[Array, bool]:
    """The step, and whether the curvature there is that of a maximum."""
    curvature = free.T @ found.curvature @ free
    step, failed = scipy.linalg.lapack.dposv(curvature, slope)[1:]
    if not failed:
        return free @ step, True
    values, vectors = np.linalg.eigh(curvature)
    sizes = np.maximum(
        np.abs(values), MIN_RELATIVE_CURVATURE * np.abs(values).max(initial=MIN_RELATIVE_CURVATURE)
    )
    return free @ (vectors @ ((vectors.T @ slope) / sizes)), False


def definite(curvature: Array) -> bool:
    """Whether it is positive definite by more than rounding."""
    values = np.linalg.eigvalsh(curvature)
    return bool(values.size == 0 or values[0] > FLAT_RELATIVE_CURVATURE * max(values[-1], 1e-300))


def flattest(found: LikelihoodEvaluation, free: Array) -> Array:
    """The direction of least curvature."""
    vectors = np.linalg.eigh(free.T @ found.curvature @ free)[1]
    return np.asarray(free @ vectors[:, 0])


@dataclass(frozen=True)
class UndeterminedDirection:
    """A direction, its largest part 1, in which the likelihood never falls: only in this sense
    (`endless`) or in the opposite one as well (`flat`). `rest` is such a direction of parameters
    that nobody asks for, alone."""

    endless: Array | None = None
    flat: Array | None = None
    rest: Array | None = None


def undetermined_direction(
    likelihood: Likelihood, theta: Array, found: LikelihoodEvaluation, free: Array, step: Array
) -> UndeterminedDirection | None:
    """Whether the step, or the direction of least curvature, has no end."""
    least = flattest(found, free)
    rest = np.where(likelihood.aside, least, 0.0)
    alone = np.abs(least - rest).max() < MAX_REQUESTED_PART
    if (
        alone
        and max(abs(rest @ found.slope), abs(rest @ found.curvature @ rest)) < NEGLIGIBLE_DERIVATIVE
    ):
        return UndeterminedDirection(rest=rest, flat=least)
    for direction in (least, step):
        length = float(np.abs(direction).max(initial=0.0))
        if length == 0:  # of a step where the slope is level to the last digit
            continue
        unit: Array = direction / length
        senses = [sign * unit for sign in (1.0, -1.0)
                  if never_falls(likelihood, theta, found.height, sign * unit)]  # fmt: skip
        if not senses:
            continue
        rest = np.where(likelihood.aside, senses[0], 0.0)
        alone = np.abs(senses[0] - rest).max() < MAX_REQUESTED_PART
        if alone and never_falls(likelihood, theta, found.height, rest):
            return UndeterminedDirection(rest=rest, flat=unit if len(senses) > 1 else None)
        return (
            UndeterminedDirection(flat=unit)
            if len(senses) > 1
            else UndeterminedDirection(endless=senses[0])
        )
    return None


def never_falls(likelihood: Likelihood, theta: Array, height: float, unit: Array) -> bool:
    """Over a stretch that is long beside the coefficients that there are."""
    size = max(1.0, float(np.abs(theta[~likelihood.aside]).max(initial=0.0)))
    return all(
        likelihood.height(theta + far * size * unit) >= height - MAX_ENDLESS_FALL
        for far in ENDLESS_DISTANCES
    )


def better(
    likelihood: Likelihood, theta: Array, found: LikelihoodEvaluation, step: Array, gain: float
) -> tuple[Array, LikelihoodEvaluation] | None:
    """Where the step leads, halved until it gains; None where it never does."""
    stride = 1.0
    while stride > 1e-8:
        there = theta + stride * step
        new = likelihood.evaluate(there)
        if new.height >= found.height + 1e-4 * stride * gain - tolerance(found.height):
            return there, new
        stride /= 2
    return None


def tolerance(height: float) -> float:
    """Heights that differ by less may differ by rounding alone."""
    return 1e-12 * (1 + abs(height))
