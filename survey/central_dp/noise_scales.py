"""The scale of the noise for a privacy loss, and the accuracy that follows."""

import math
from fractions import Fraction
from statistics import NormalDist

# A figure is within its error bound with a probability of at least 1 - BETA.
BETA = 0.05
# Scales are rounded up, so that OpenDP's bound on the loss does not exceed the charged loss.
OUTWARD = 1 + 1e-9
# Rényi orders from 1.01 to 100,001.
ORDERS = [1 + 10 ** (k / 20) for k in range(-40, 101)]


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """b of the discrete Laplace distribution, Pr(x) ~ exp(-|x| / b), for a loss of epsilon.

    For vectors of integers with this L1 sensitivity, b = sensitivity / epsilon (Dwork and Roth
    2014, chapter 3).
    """
    return sensitivity / epsilon * OUTWARD


def gaussian_scale(sensitivity: float, rho: float) -> float:
    """sigma of the discrete Gaussian distribution that is rho-zCDP.

    For vectors of integers with this L2 sensitivity, rho = sensitivity^2 / (2 sigma^2) (Canonne,
    Kamath and Steinke 2020).
    """
    return sensitivity / math.sqrt(2 * rho) * OUTWARD


def selection_scale(sensitivity: float, epsilon: float, monotonic: bool) -> float:
    """The scale s of a selection by permute-and-flip.

    It is that of the exponential mechanism, which selects candidate c with Pr ~ exp(score / s):

    s = 2 sensitivity / epsilon. It is half of that if an additional respondent never lowers a score
    (McSherry and Talwar 2007; Dwork and Roth 2014, chapter 3).
    """
    return (1 if monotonic else 2) * sensitivity / epsilon * OUTWARD


def log_delta(rho: float, epsilon: float) -> float:
    """ln of a delta for which rho-zCDP implies (epsilon, delta)-DP.

    It is the minimum over some orders a of exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a.
    Each of these is a valid delta (Canonne, Kamath and Steinke 2020, subsection 2.3).
    """
    return min(
        (a - 1) * (a * rho - epsilon) - math.log(a - 1) + a * math.log1p(-1 / a) for a in ORDERS
    )


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho, to nine digits, that implies (epsilon, delta)-DP."""
    low, high = 0.0, epsilon  # For each delta below 1/2, rho-zCDP implies an epsilon above rho.
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if log_delta(middle, epsilon) <= math.log(delta) else (low, middle)
        )
    return low / OUTWARD


def each_of(beta: float, figures: int) -> float:
    """The beta of each figure if independent figures together have 1 - beta."""
    return -math.expm1(math.log1p(-beta) / figures)


def laplace_accuracy(scale: float, beta: float) -> int:
    """The smallest t with Pr(|noise| > t) <= beta.

    For the discrete distribution this probability is 2 exp(-(t + 1)/b) / (1 + exp(-1/b)). So t is
    at most b ln(1/beta), rounded up.
    """
    beyond = math.log(2 / (beta * (1 + math.exp(-1 / scale))))
    return max(0, math.ceil(scale * beyond) - 1)


def gaussian_accuracy(scale: float, beta: float) -> int:
    """A t with Pr(|noise| > t) <= beta: sigma times the normal quantile, rounded up.

    For the discrete distribution, Pr(x >= m) <= Pr(N(0, sigma^2) >= m - 1) (Canonne, Kamath and
    Steinke 2020, on tail bounds).
    """
    return math.ceil(scale * NormalDist().inv_cdf(1 - beta / 2))


def laplace_total_accuracy(scale: float, terms: int, beta: float) -> int:
    """A t with Pr(|sum of `terms` noises| > t) <= beta, by Chernoff's bound with beta/2 per side.

    It is the minimum over some u in (0, 1) of (terms ln M(u/b) + ln(2/beta)) b/u, where M is the
    moment generating function of the discrete Laplace distribution.
    """

    def log_moment(u: float) -> float:
        spread = math.log(-math.expm1(-(1 - u) / scale)) + math.log(-math.expm1(-(1 + u) / scale))
        return 2 * math.log(-math.expm1(-1 / scale)) - spread

    tilts = [k / 100 for k in range(1, 100)]
    bounds = ((terms * log_moment(u) + math.log(2 / beta)) * scale / u for u in tilts)
    return math.ceil(min(bounds))


def gaussian_total_accuracy(scale: float, terms: int, beta: float) -> int:
    """The same for the discrete Gaussian distribution.

    Its moment generating function is at most exp(sigma^2 u^2 / 2) (Canonne, Kamath and Steinke
    2020).
    """
    return math.ceil(scale * math.sqrt(2 * terms * math.log(2 / beta)))


def selection_accuracy(scale: float, candidates: int, beta: float) -> float:
    """A bound on the score of the selected candidate below the best, with probability 1 - beta.

    It is scale * ln(candidates / beta) (Dwork and Roth 2014, chapter 3). OpenDP uses permute and
    flip, whose error is never larger (McKenna and Sheldon 2020).
    """
    return scale * math.log(candidates / beta)


def as_float(value: Fraction) -> float:
    """The nearest float that does not exceed the value."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, 0)
