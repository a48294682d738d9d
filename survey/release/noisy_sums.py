"""Sums with the noise that their loss asks for."""

from dataclasses import dataclass
from fractions import Fraction

from ..definition import Survey
from ..errors import ReleaseError
from ..grid import Grid
from .asking import GAUSSIAN, Request
from .noise import (
    BETA,
    as_float,
    each_of,
    gaussian_accuracy,
    gaussian_scale,
    laplace_accuracy,
    laplace_scale,
    rho_of,
)
from .sums import Part, parts_of

MOST_SUM = 2**62  # what OpenDP adds noise to is a signed integer of 64 bits


@dataclass(frozen=True)
class Noise:
    """A part with its noise.

    Attributes
    ----------
    loss : its epsilon, or its rho where the noise is Gaussian
    within : each of its figures is so close, all of the release with a probability of 95 %
    """

    part: Part
    gaussian: bool
    loss: float
    scale: float
    within: int


def unit_of_sum(grid: Grid) -> Fraction:
    """What 1 stands for in a sum: a step, or the part of one by which its values differ from 0."""
    return grid.step / (grid.low / grid.step).denominator


def noises_of(survey: Survey, request: Request, n: int) -> list[Noise]:
    """Each part with its noise: the loss is split evenly among them.

    Raises ReleaseError where n responses could add up to more than fits.
    """
    parts = parts_of(survey, request)
    epsilon, delta = (as_float(each) for each in request.loss)
    beta = each_of(BETA, sum(part.size for part in parts))
    found = []
    for part in parts:
        if request.mechanism == GAUSSIAN:
            loss = rho_of(epsilon, delta) / len(parts)
            scale = gaussian_scale(part.l2, loss)
            within = gaussian_accuracy(scale, beta)
        else:
            loss = as_float(request.loss[0] / len(parts))
            scale = laplace_scale(part.l1, loss)
            within = laplace_accuracy(scale, beta)
        if n * part.l1 + 40 * scale >= MOST_SUM:
            raise ReleaseError("high", "The bounds are too far apart for exact sums; narrow them.")
        found.append(Noise(part, request.mechanism == GAUSSIAN, loss, scale, within))
    return found
