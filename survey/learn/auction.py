"""An auction with one price for all: revenues, and the private selection of a price."""

import numpy as np

from survey.learn.dp_draws import Reals

MAX_PRICE = 60  # Prices and bids are whole numbers from 1.
PRICES: tuple[int, ...] = tuple(range(1, MAX_PRICE + 1))
LOW_BID = 10
LOW_SHARE = 3  # of four bidders


def revenues(bidders: int, highest: int) -> Reals:
    """The revenue at each price: the price times the number of bids of at least the price.

    Of every four bidders, three bid 10 and one bids `highest`, which is above 10.
    """
    prices = np.array(PRICES, dtype=np.float64)
    groups = bidders / 4
    return prices * groups * (LOW_SHARE * (prices <= LOW_BID) + (prices <= highest))


def added_revenue(bid: int) -> Reals:
    """How much one more bidder adds to the revenue at each price: at most the sensitivity, 60."""
    prices = np.array(PRICES, dtype=np.float64)
    added: Reals = prices * (prices <= bid)
    return added


def exponential_chances(scores: Reals, epsilon: float, sensitivity: float) -> Reals:
    """Pr(candidate) ~ exp(ε score / (2 sensitivity)) (McSherry and Talwar 2007)."""
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    chances: Reals = weights / weights.sum()
    return chances


def largest_output_ratio(scores: Reals, epsilon: float) -> tuple[float, float]:
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
