"""Sums with the noise that their privacy loss requires."""

from dataclasses import dataclass
from fractions import Fraction

from survey.central_dp.bounded_sums import BoundedSum, requested_sums
from survey.central_dp.dp_request import GAUSSIAN, Request
from survey.central_dp.noise_scales import (
    BETA,
    as_float,
    each_of,
    gaussian_accuracy,
    gaussian_scale,
    gaussian_total_accuracy,
    laplace_accuracy,
    laplace_scale,
    laplace_total_accuracy,
    rho_of,
)
from survey.core.errors import ReleaseError
from survey.core.number_grid import Grid
from survey.definition.survey import Survey

MAX_SUM = 2**62  # OpenDP adds noise to signed 64-bit integers.


@dataclass(frozen=True, kw_only=True)
class Noise:
    """A part of a release with its noise.

    Attributes
    ----------
    loss : its epsilon, or its rho if the noise is Gaussian
    within : the error bound of each figure; all of the release hold with a probability of 95 %
    """

    part: BoundedSum
    gaussian: bool
    loss: float
    scale: float
    within: int


def unit_of_sum(grid: Grid) -> Fraction:
    """The value of 1 in a sum: a step, or a fraction of a step if the values are offset from 0."""
    return grid.step / (grid.low / grid.step).denominator


def noises_of(survey: Survey, request: Request, n: int) -> list[Noise]:
    """Each part with its noise. The parts share the loss evenly.

    Raises ReleaseError if n responses could exceed the largest sum.
    """
    parts = requested_sums(survey, request)
    epsilon, delta = (as_float(each) for each in request.loss)
    beta = each_of(BETA, sum(part.size for part in parts))
    noises = []
    for part in parts:
        if request.mechanism == GAUSSIAN:
            loss = rho_of(epsilon, delta) / len(parts)
            scale = gaussian_scale(part.l2, loss)
            within = gaussian_accuracy(scale, beta)
        else:
            loss = as_float(request.loss[0] / len(parts))
            scale = laplace_scale(part.l1, loss)
            within = laplace_accuracy(scale, beta)
        if n * part.l1 + 40 * scale >= MAX_SUM:
            raise ReleaseError(
                "high", "The bounds are too far apart for exact sums. Choose narrower ones."
            )
        noises.append(
            Noise(
                part=part,
                gaussian=request.mechanism == GAUSSIAN,
                loss=loss,
                scale=scale,
                within=within,
            )
        )
    return noises


def totals_within(noise: Noise) -> list[int]:
    """The error bounds of the first figure, of the sum of the first two, and so on.

    All of them together hold with a probability of 95 %.
    """
    accuracy = gaussian_total_accuracy if noise.gaussian else laplace_total_accuracy
    size = noise.part.size
    return [accuracy(noise.scale, terms, BETA / size) for terms in range(1, size + 1)]
