"""How much noise a loss asks for, and how far it may take a figure."""

import math
from fractions import Fraction
from statistics import NormalDist

BETA = 0.05  # a figure is within its accuracy with a probability of at least 1 - BETA
OUTWARD = 1 + 1e-9  # scales are rounded up, so that OpenDP's bounds on them stay within the loss
ORDERS = [1 + 10 ** (k / 20) for k in range(-40, 101)]  # Rényi orders, from 1.01 to 100,001


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """b of the discrete Laplace distribution, Pr(x) ~ exp(-|x| / b), that has a loss of epsilon on
    vectors of integers of this L1 sensitivity: b = sensitivity / epsilon (Dwork and Roth 2014,
    theorem 3.6)."""
    return sensitivity / epsilon * OUTWARD


def gaussian_scale(sensitivity: float, rho: float) -> float:
    """sigma of the discrete Gaussian distribution that is rho-zCDP on vectors of integers of this
    L2 sensitivity: rho = sensitivity^2 / (2 sigma^2) (Canonne, Kamath and Steinke 2020)."""
    return sensitivity / math.sqrt(2 * rho) * OUTWARD


def selection_scale(sensitivity: float, epsilon: float, monotonic: bool) -> float:
    """The scale of the exponential mechanism, which selects candidate c with Pr ~ exp(score / s):
    s = 2 sensitivity / epsilon, or half of it where one respondent more never lowers a score
    (Dwork and Roth 2014, theorem 3.10 and after it)."""
    return (1 if monotonic else 2) * sensitivity / epsilon * OUTWARD


def log_delta(rho: float, epsilon: float) -> float:
    """ln of a delta for which rho-zCDP is (epsilon, delta)-DP: the least over some orders a of
    exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a, each of which is one (Canonne, Kamath
    and Steinke 2020, corollary 13)."""
    return min(
        (a - 1) * (a * rho - epsilon) - math.log(a - 1) + a * math.log1p(-1 / a) for a in ORDERS
    )


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho, to nine digits, whose conversion keeps within epsilon and delta."""
    low, high = 0.0, epsilon  # rho-zCDP has an epsilon above rho for each delta below 1/2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if log_delta(middle, epsilon) <= math.log(delta) else (low, middle)
        )
    return low / OUTWARD


def each_of(beta: float, figures: int) -> float:
    """The beta of each of some independent figures that are all accurate with 1 - beta."""
    return -math.expm1(math.log1p(-beta) / figures)


def laplace_accuracy(scale: float, beta: float) -> int:
    """The least t with Pr(|noise| > t) <= beta. Of the discrete distribution that probability is
    2 exp(-(t + 1)/b) / (1 + exp(-1/b)); t is at most b ln(1/beta), rounded up."""
    beyond = math.log(2 / (beta * (1 + math.exp(-1 / scale))))
    return max(0, math.ceil(scale * beyond) - 1)


def gaussian_accuracy(scale: float, beta: float) -> int:
    """A t with Pr(|noise| > t) <= beta: sigma times the normal quantile, rounded up, since
    Pr(x >= m) <= Pr(N(0, sigma^2) >= m - 1) for the discrete distribution (Canonne, Kamath and
    Steinke 2020, proposition 25)."""
    return math.ceil(scale * NormalDist().inv_cdf(1 - beta / 2))


def selection_accuracy(scale: float, candidates: int, beta: float) -> float:
    """With a probability of at least 1 - beta the score of what is selected is less than this much
    below the best: scale * ln(candidates / beta) (Dwork and Roth 2014, corollary 3.12). OpenDP
    permutes and flips, which is never further off (McKenna and Sheldon 2020)."""
    return scale * math.log(candidates / beta)


def as_float(value: Fraction) -> float:
    """The nearest float that is not above it."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, 0)
