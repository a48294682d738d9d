"""The maximum of a likelihood, by Newton's method from a fixed start.

With a penalty, the likelihood has a finite maximum, also where the reports alone support infinite
coefficients (Kosmidis & Firth, Biometrika 108 (2021) 71). Second derivatives of the penalty treat
the leverage of each respondent as fixed, so steps near the maximum converge linearly, usually by a
factor of about 0.1. If the reports contain nearly no information, differences of slopes replace
these second derivatives.

For randomised reports, the likelihood need not be concave. If the curvature is not positive
definite, the absolute values of its eigenvalues are used (Greenstadt, Math. Comp. 21 (1967) 360).
A step without gain is halved. `other_maxima` looks for other maxima.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.regression.likelihood import Likelihood, LikelihoodEvaluation
from survey.analysis.regression.models import Array, Multinomial, Ordered

MAX_NEWTON_STEPS = 200
# After this many steps, the curvature of a penalised likelihood is exact, which takes two
# evaluations for each parameter.
MAX_QUICK_STEPS = 30
# A logit for a standard deviation. Without a penalty, a search that comes so far ends, because the
# likelihood grows without limit.
FAR = 15.0
# Of a parameter, in standard deviations of predictors, for differences of slopes.
NUDGE = 1e-5
# A step with a smaller gain for each respondent is the last. If only the height is needed, the
# limit may be larger.
CONVERGED_GAIN = 1e-16
HEIGHT_CONVERGED_GAIN = 1e-11
# The limit of a step in standard deviations of predictors, in addition to the distance so far.
MAX_STEP_DEVIATIONS = 4.0
# Relative to the largest curvature. A step is not divided by less.
MIN_RELATIVE_CURVATURE = 1e-7
# Relative to the largest curvature. A direction with less is flat.
FLAT_RELATIVE_CURVATURE = 1e-9
# A secant changes the curvature only if the cosine of its two vectors exceeds this.
MIN_SECANT_COSINE = 1e-8


@dataclass(frozen=True)
class Fit:
    """A maximum of a likelihood.

    Attributes
    ----------
    theta : float array (size,), for standardised predictors
    found : the likelihood at theta
    steps : the number of Newton steps
    stuck : whether no step had a gain in spite of a slope, so this is no maximum
    """

    theta: Array
    found: LikelihoodEvaluation
    steps: int
    stuck: bool = False


def fit(
    likelihood: Likelihood,
    start: Array | None = None,
    within: Array | None = None,
    reached: float = CONVERGED_GAIN,
    near: Array | None = None,
) -> Fit:
    """Find the maximum near the start.

    Parameters
    ----------
    start : by default that of the likelihood
    within : float array (size, k); theta moves from the start only along these directions. By
        default, all parameters are free.
    reached : the search ends when a step gains less than this for each respondent
    near : float array (size, size), a curvature near the start, which then changes with the slopes
        (`secant_update`). By default, the curvature is that of the likelihood.
    """
    theta = likelihood.start() if start is None else start
    free = np.eye(len(theta)) if within is None else within
    evaluation = likelihood.evaluate(theta)
    # A profile goes as far as it has to.
    is_logit = type(likelihood.model) in (Multinomial, Ordered)
    has_limit = within is None and is_logit and not likelihood.is_penalised
    for steps in range(MAX_NEWTON_STEPS):
        if has_limit and np.abs(theta).max() > FAR:
            return Fit(theta, evaluation, steps, stuck=True)
        if steps >= MAX_QUICK_STEPS and likelihood.is_penalised:
            curvature = exact_curvature(likelihood, theta)
        elif near is None:
            curvature = evaluation.curvature
        else:
            curvature = near
        step = free @ newton_step(free.T @ curvature @ free, free.T @ evaluation.slope)
        gain = float(evaluation.slope @ step)
        if gain < reached * likelihood.n and np.isfinite(evaluation.height):
            # The step is so short that the derivatives are the same except for rounding errors.
            last = replace(evaluation, height=evaluation.height + gain / 2)
            return Fit(theta + step, last, steps)
        moved = better(likelihood, theta, evaluation, limit_step(step, theta), gain)
        if moved is None:
            # Only rounding errors remain.
            return Fit(theta, evaluation, steps, stuck=gain >= 1e-9)
        if near is not None:
            near = secant_update(near, moved[0] - theta, evaluation.slope - moved[1].slope)
        theta, evaluation = moved
    return Fit(theta, evaluation, MAX_NEWTON_STEPS, stuck=True)


def limit_step(step: Array, theta: Array) -> Array:
    """The step, shortened if it is very long."""
    reach = float(np.abs(step).max(initial=0.0))
    return step * min(1.0, (MAX_STEP_DEVIATIONS + float(np.abs(theta).max())) / max(reach, 1e-300))


def newton_step(curvature: Array, slope: Array) -> Array:
    step, failed = scipy.linalg.lapack.dposv(curvature, slope)[1:]
    if not failed:
        return np.asarray(step)
    values, vectors = np.linalg.eigh(curvature)
    sizes = np.maximum(
        np.abs(values), MIN_RELATIVE_CURVATURE * np.abs(values).max(initial=MIN_RELATIVE_CURVATURE)
    )
    return np.asarray(vectors @ ((vectors.T @ slope) / sizes))


def secant_update(curvature: Array, move: Array, fall: Array) -> Array:
    """The curvature after a move of the parameters, during which the slope fell by `fall`.

    It is the symmetric matrix of rank one away that explains this fall (SR1; Conn, Gould & Toint,
    Math. Program. 50 (1991) 177). It can become indefinite, as the true curvature can.
    """
    rest = fall - curvature @ move
    size = float(rest @ move)
    if abs(size) <= MIN_SECANT_COSINE * float(np.linalg.norm(rest) * np.linalg.norm(move)):
        return curvature
    return np.asarray(curvature + np.outer(rest, rest) / size)


def exact_curvature(likelihood: Likelihood, theta: Array) -> Array:
    """The curvature of the penalised likelihood, by differences of its slopes.

    If the reports contain nearly no information, theirs can be negative. That of the penalised
    likelihood is positive at its maximum, because the leverage is not treated as fixed.
    """
    rows = []
    for nudge in NUDGE * np.eye(len(theta)):
        low, high = (likelihood.evaluate(theta + side * nudge).slope for side in (-1, 1))
        rows.append((low - high) / (2 * NUDGE))
    return np.asarray(np.add(rows, np.transpose(rows)) / 2)


def definite(curvature: Array) -> bool:
    """Whether the matrix is positive definite by more than rounding."""
    values = np.linalg.eigvalsh(curvature)
    return bool(values.size == 0 or values[0] > FLAT_RELATIVE_CURVATURE * max(values[-1], 1e-300))


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
