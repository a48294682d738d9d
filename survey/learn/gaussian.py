"""Gaussian noise for (ε, δ): the formula of the course text, and the exact calibration."""

import math

from survey.central_dp.noise_scales import gaussian_scale, rho_of

# Python for a notebook: σ of Candor's discrete Gaussian noise on one count, from epsilon and delta.
CANDOR_SOURCE = (
    "orders = [1 + 10 ** (k / 20) for k in range(-40, 101)]\n"
    "low, high = 0.0, epsilon\nfor _ in range(80):\n    rho = (low + high) / 2\n"
    "    log_delta = min((a - 1) * (a * rho - epsilon) - math.log(a - 1)\n"
    "                    + a * math.log1p(-1 / a) for a in orders)\n"
    "    low, high = (rho, high) if log_delta <= math.log(delta) else (low, rho)\n"
    "# Candor rounds the noise up twice, by one part in a billion.\n"
    "sigma = (1 + 1e-9) / math.sqrt(2 * low / (1 + 1e-9))"
)


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


def candor_sigma(epsilon: float, delta: float) -> float:
    """σ of Candor's discrete Gaussian noise with (ε, δ) for the l2 sensitivity 1."""
    return gaussian_scale(1, rho_of(epsilon, delta))


def exact_sigma(epsilon: float, delta: float) -> float:
    """The smallest σ with (ε, δ) for the l2 sensitivity 1, to 60 bisections of 0 to 1000/ε."""
    low, high = 0.0, 1000 / epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if gaussian_delta(epsilon, middle) <= delta else (middle, high)
    return high
