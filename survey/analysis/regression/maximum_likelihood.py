"""The maximum of a likelihood, by Newton's method from a fixed start.

The observed information is the curvature. Far from the maximum it may not be positive definite, and
the absolute values of its eigenvalues are used (Greenstadt, Math. Comp. 21 (1967) 360). A step
without gain is halved.

For randomised reports the likelihood need not be concave, and often it has no maximum at finite
parameters. If fewer reports support an answer than the randomizer alone would produce, the
maximum-likelihood share is zero and its logit is infinite. The fit returns such a direction, so
that the caller can name its predictors. If it belongs to parameters that are not of interest, such
as the shares of a private predictor's answers, the fit follows it and treats them as known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.regression.likelihood import Likelihood, LikelihoodEvaluation
from survey.analysis.regression.models import Array

MAX_NEWTON_STEPS = 200
# A step with a smaller gain for each respondent is the last. The curvature then changes by a
# relative amount of about the root of this gain, so seven of its digits hold. The remaining gain is
# the square of this one. If only the height is needed, the limit may be larger.
CONVERGED_GAIN, HEIGHT_CONVERGED_GAIN = 1e-16, 1e-11
# A step with so little gain and so large a length, in standard deviations of predictors, may belong
# to an infinite direction.
MAX_ENDLESS_GAIN, MIN_ENDLESS_STEP = 1e-2, 0.1
# In an infinite direction, the log likelihood may fall by at most this much over these distances in
# standard deviations.
MAX_ENDLESS_FALL, ENDLESS_DISTANCES = 1e-3, (1.0, 5.0, 25.0)
# Slope and curvature of a direction that does not affect the likelihood.
NEGLIGIBLE_DERIVATIVE = 1e-6
# At this distance the share is zero: e^-30 is negligible compared with any share.
ZERO_SHARE_LOGIT = 30.0
# The limit of a step in standard deviations, in addition to the distance so far.
MAX_STEP_DEVIATIONS = 4.0
# Relative to the largest curvature. A step is not divided by less.
MIN_RELATIVE_CURVATURE = 1e-7
# Relative to the largest curvature. A direction with less is flat.
FLAT_RELATIVE_CURVATURE = 1e-9
# A direction with a smaller part in the parameters of interest belongs to the others.
MAX_REQUESTED_PART = 0.05


@dataclass(frozen=True)
class Fit:
    """A maximum, or the reason why there is none.

    Attributes
    ----------
    theta : float array (size,), for standardised predictors
    found : the likelihood at theta
    free : float array (size, free), directions in which theta is determined. The others are held,
        or belong to answers that are not of interest and whose maximum-likelihood shares are zero.
    at_zero : the number of directions of the latter kind
    endless : a direction in which the likelihood never falls, or None; with one there is no maximum
    stuck : whether no step had a gain in spite of a slope, at the edge of the possible parameters
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
    """Find the maximum-likelihood parameters near the start, with those in `held` at zero.

    It begins at the likelihood's own start by default. It ends when a step gains less than
    `reached` for each respondent. The likelihood of reports need not be concave; `other_maxima`
    looks for other maxima.
    """
    theta = likelihood.start() if start is None else start
    free = np.delete(np.eye(len(theta)), list(held), axis=1)
    theta = free @ (free.T @ theta)
    evaluation, at_zero = likelihood.evaluate(theta), 0
    # At this start, no report would be possible.
    if not np.isfinite(evaluation.height):
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
            # There is no gain left, and the maximum is flat.
            if gain < NEGLIGIBLE_DERIVATIVE and not sure:
                return Fit(theta, evaluation, free, steps, at_zero, flat=flattest(evaluation, free))
        if reach > MAX_STEP_DEVIATIONS:
            step *= min(1.0, (MAX_STEP_DEVIATIONS + float(np.abs(theta).max())) / reach)
        moved = better(likelihood, theta, evaluation, step, gain)
        if moved is None:
            # Only rounding errors remain.
            if gain < 1e-9:
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
    """Whether the matrix is positive definite by more than rounding."""
    values = np.linalg.eigvalsh(curvature)
    return bool(values.size == 0 or values[0] > FLAT_RELATIVE_CURVATURE * max(values[-1], 1e-300))


def flattest(found: LikelihoodEvaluation, free: Array) -> Array:
    """The direction of least curvature."""
    vectors = np.linalg.eigh(free.T @ found.curvature @ free)[1]
    return np.asarray(free @ vectors[:, 0])


@dataclass(frozen=True)
class UndeterminedDirection:
    """A direction, with its largest part 1, in which the likelihood never falls.

    With `endless` this holds only in this sense, with `flat` also in the opposite one. `rest` is
    such a direction in which only parameters that are not of interest change.
    """

    endless: Array | None = None
    flat: Array | None = None
    rest: Array | None = None


def undetermined_direction(
    likelihood: Likelihood, theta: Array, found: LikelihoodEvaluation, free: Array, step: Array
) -> UndeterminedDirection | None:
    """Find out whether the step, or the direction of least curvature, is infinite."""
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
        # A step has length zero if the slope is zero to the last digit.
        if length == 0:
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
    """Whether the likelihood never falls over a distance much longer than the coefficients."""
    size = max(1.0, float(np.abs(theta[~likelihood.aside]).max(initial=0.0)))
    return all(
        likelihood.height(theta + far * size * unit) >= height - MAX_ENDLESS_FALL
        for far in ENDLESS_DISTANCES
    )


def better(
    likelihood: Likelihood, theta: Array, found: LikelihoodEvaluation, step: Array, gain: float
) -> tuple[Array, LikelihoodEvaluation] | None:
    """The parameters after the step, halved until it has a gain; None if it never has."""
    stride = 1.0
    while stride > 1e-8:
        there = theta + stride * step
        new = likelihood.evaluate(there)
        if new.height >= found.height + 1e-4 * stride * gain - tolerance(found.height):
            return there, new
        stride /= 2
    return None


def tolerance(height: float) -> float:
    """Smaller differences of heights may be rounding errors."""
    return 1e-12 * (1 + abs(height))
