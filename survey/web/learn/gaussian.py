"""Gaussian noise for (ε, δ): the formula of the course text, and the exact calibration."""

import math


def normal_below(x: float) -> float:
    """Φ(x), also precise where it is tiny."""
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """The smallest δ at this ε of Gaussian noise σ > 0 on a query with the l2 sensitivity 1.

    It is Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ) (Balle and Wang 2018, theorem 8).
    """
    half = 1 / (2 * sigma)
    return normal_below(half - epsilon * sigma) - math.exp(epsilon) * normal_below(
        -half - epsilon * sigma
    )


def textbook_factor(delta: float) -> float:
    """c = √(2 ln(1.25/δ)). The text wants a c above it, for 0 < δ < 1."""
    return math.sqrt(2 * math.log(1.25 / delta))


def exact_sigma(epsilon: float, delta: float) -> float:
    """The smallest σ with (ε, δ) for the l2 sensitivity 1, to 60 bisections of 0 to 1000/ε."""
    low, high = 0.0, 1000 / epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if gaussian_delta(epsilon, middle) <= delta else (middle, high)
    return high
