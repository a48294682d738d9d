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
    chapter 3)."""
    return sensitivity / epsilon * OUTWARD


def gaussian_scale(sensitivity: float, rho: float) -> float:
    """sigma of the discrete Gaussian distribution that is rho-zCDP on vectors of integers of this
    L2 sensitivity: rho = sensitivity^2 / (2 sigma^2) (Canonne, Kamath and Steinke 2020)."""
    return sensitivity / math.sqrt(2 * rho) * OUTWARD


def selection_scale(sensitivity: float, epsilon: float, monotonic: bool) -> float:
    """The scale of the exponential mechanism, which selects candidate c with Pr ~ exp(score / s):
    s = 2 sensitivity / epsilon, or half of it where one respondent more never lowers a score
    (McSherry and Talwar 2007; Dwork and Roth 2014, chapter 3)."""
    return (1 if monotonic else 2) * sensitivity / epsilon * OUTWARD


def log_delta(rho: float, epsilon: float) -> float:
    """ln of a delta for which rho-zCDP is (epsilon, delta)-DP: the least over some orders a of
    exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a, each of which is one (Canonne, Kamath
    and Steinke 2020, subsection 2.3)."""
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
    Steinke 2020, on tail bounds)."""
    return math.ceil(scale * NormalDist().inv_cdf(1 - beta / 2))


def laplace_total_accuracy(scale: float, terms: int, beta: float) -> int:
    """A t with Pr(|sum of so many noises| > t) <= beta: the least over some u in (0, 1) of
    (terms ln M(u/b) + ln(2/beta)) b/u, where M is the moment generating function of the discrete
    Laplace distribution (Chernoff's bound, for each side beta/2)."""

    def log_moment(u: float) -> float:
        spread = math.log(-math.expm1(-(1 - u) / scale)) + math.log(-math.expm1(-(1 + u) / scale))
        return 2 * math.log(-math.expm1(-1 / scale)) - spread

    tilts = [k / 100 for k in range(1, 100)]
    bounds = ((terms * log_moment(u) + math.log(2 / beta)) * scale / u for u in tilts)
    return math.ceil(min(bounds))


def gaussian_total_accuracy(scale: float, terms: int, beta: float) -> int:
    """The same for the discrete Gaussian distribution, whose moment generating function is at most
    exp(sigma^2 u^2 / 2) (Canonne, Kamath and Steinke 2020)."""
    return math.ceil(scale * math.sqrt(2 * terms * math.log(2 / beta)))


def selection_accuracy(scale: float, candidates: int, beta: float) -> float:
    """With a probability of at least 1 - beta the score of what is selected is less than this much
    below the best: scale * ln(candidates / beta) (Dwork and Roth 2014, chapter 3). OpenDP
    permutes and flips, which is never further off (McKenna and Sheldon 2020)."""
    return scale * math.log(candidates / beta)


def as_float(value: Fraction) -> float:
    """The nearest float that is not above it."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, 0)
