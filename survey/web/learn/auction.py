"""An auction with one price for all: revenues, and the private selection of a price."""

import math

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

MAX_PRICE = 60  # Prices and bids are whole numbers from 1.
PRICES: tuple[int, ...] = tuple(range(1, MAX_PRICE + 1))
LOW_BID = 10
LOW_SHARE = 3  # of four bidders


def revenues(bidders: int, highest: int) -> Numbers:
    """The revenue at each price: the price times the number of bids of at least the price.

    Of every four bidders, three bid 10 and one bids `highest`, which is above 10.
    """
    prices = np.array(PRICES, dtype=np.float64)
    groups = bidders / 4
    return prices * groups * (LOW_SHARE * (prices <= LOW_BID) + (prices <= highest))


def added_revenue(bid: int) -> Numbers:
    """How much one more bidder adds to the revenue at each price: at most the sensitivity, 60."""
    prices = np.array(PRICES, dtype=np.float64)
    added: Numbers = prices * (prices <= bid)
    return added


def exponential_chances(scores: Numbers, epsilon: float, sensitivity: float) -> Numbers:
    """Pr(candidate) ~ exp(ε score / (2 sensitivity)) (McSherry and Talwar 2007)."""
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    chances: Numbers = weights / weights.sum()
    return chances


def flip_chances(scores: Numbers, epsilon: float, sensitivity: float) -> Numbers:
    """The probability with which permute-and-flip selects each candidate, exactly.

    Give each candidate a random time from 0 to 1; the candidates are tried in this order. Candidate
    c is accepted with a probability a_c = exp(ε (score − best score) / (2 sensitivity)), if none of
    the others is accepted before. So Pr(c) is the integral of a_c Π (1 − a_j t) over t from 0 to 1,
    with the product over all others j. Gauss and Legendre's rule with n nodes is exact for these
    polynomials of degree 2n − 1 or less.
    """
    accepted = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    nodes, weights = np.polynomial.legendre.leggauss(math.ceil(len(scores) / 2))
    times = (nodes + 1) / 2
    factors = 1 - np.outer(times, accepted)
    before = np.stack(
        [np.delete(factors, place, axis=1).prod(axis=1) for place in range(len(scores))]
    )
    chances: Numbers = accepted * (before @ weights) / 2
    return chances


def largest_output_ratio(scores: Numbers, epsilon: float) -> tuple[float, float]:
    """How one more bidder, with any bid, changes the exponential mechanism's probabilities.

    A further bid multiplies the weight of each price by `growth`. Returns the largest ratio of the
    sums of all weights, and the largest ratio of the probabilities of a price in either direction.
    """
    before = exponential_chances(scores, epsilon, MAX_PRICE)
    sums, ratios = 1.0, 1.0
    for bid in PRICES:
        growth = np.exp(epsilon * added_revenue(bid) / (2 * MAX_PRICE))
        total = float(before @ growth)
        sums = max(sums, total)
        ratios = max(ratios, float(growth.max()) / total, total / float(growth.min()))
    return sums, ratios


def draw_exponential(
    chances: Numbers, repeats: int, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The places of the candidates that are selected, each with its probability."""
    places = np.searchsorted(np.cumsum(chances), generator.random(repeats), side="right")
    drawn: npt.NDArray[np.int64] = np.minimum(places, len(chances) - 1)
    return drawn
