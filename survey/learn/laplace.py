"""The continuous Laplace distribution of the course texts. Candor itself adds whole numbers."""

import math


def laplace_density(x: float, centre: float, scale: float) -> float:
    """The density exp(−|x − centre| / b) / (2b), for a scale b above 0."""
    return math.exp(-abs(x - centre) / scale) / (2 * scale)


def laplace_exceeds(distance: float, scale: float) -> float:
    """Pr(|noise| ≥ distance) = exp(−distance / b), for a distance of at least 0."""
    return math.exp(-distance / scale)


def laplace_reach(scale: float, beta: float) -> float:
    """The distance b ln(1/β) that the noise exceeds with probability β."""
    return scale * math.log(1 / beta)


def laplace_deviation(scale: float) -> float:
    """The standard deviation √2 b."""
    return math.sqrt(2) * scale
