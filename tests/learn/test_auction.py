"""The auction's mechanisms, against enumeration and exact polynomials."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from survey.learn.auction import (
    LOW_BID,
    MAX_PRICE,
    PRICES,
    added_revenue,
    exponential_chances,
    largest_output_ratio,
    revenues,
)
from survey.learn.dp_draws import selection_chances
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def flip_chances(scores: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
    return selection_chances(scores.tolist(), 2 * sensitivity / epsilon)


def flips_by_enumeration(accepted: list[float]) -> list[float]:
    """Permute-and-flip in every order of the candidates."""
    chances = [0.0] * len(accepted)
    orders = list(itertools.permutations(range(len(accepted))))
    for order in orders:
        reached = 1.0
        for place in order:
            chances[place] += reached * accepted[place] / len(orders)
            reached *= 1 - accepted[place]
    return chances


def test_revenues_by_hand():
    found = revenues(4, 31).tolist()
    assert found[LOW_BID - 1] == 40
    assert found[LOW_BID] == 11
    assert found[31 - 1] == 31
    assert found[31] == 0
    assert revenues(400, 45)[45 - 1] == 4_500


@check_each("scores", [[0, -1, -2], [3, 3, 0, 1], [5, 0, 4, 4, 2], [0, -50, -1, -1, -7, 0]])
def test_permute_and_flip_is_that_of_all_orders(scores):
    chances = selection_chances(scores, 2 / 1.5)
    accepted = [math.exp(1.5 * (each - max(scores)) / 2) for each in scores]
    assert chances.tolist() == pytest.approx(flips_by_enumeration(accepted), rel=1e-12)


def test_the_rule_for_sixty_prices_is_exact():
    """The integral of a_c Π (1 − a_j t), with the coefficients as fractions."""
    utility = revenues(40, 31)
    chances = selection_chances(utility.tolist(), 2 * MAX_PRICE)
    accepted = [
        Fraction(math.exp((each - float(utility.max())) / (2 * MAX_PRICE)))
        for each in utility.tolist()
    ]
    for place in (0, 9, 30, 59):
        polynomial = [Fraction(1)]
        for other, a in enumerate(accepted):
            if other != place:
                shifted = [Fraction(0), *(-a * each for each in polynomial)]
                polynomial = [
                    u + v for u, v in zip([*polynomial, Fraction(0)], shifted, strict=True)
                ]
        integral = sum(each / (power + 1) for power, each in enumerate(polynomial))
        assert chances[place] == pytest.approx(float(accepted[place] * integral), rel=1e-9)


@check_each(
    ("bidders", "highest", "epsilon"),
    [(n, h, e) for n in (4, 40, 400, 4_000) for h in (11, 31, 60) for e in (0.1, 0.5, 3.0)],
)
def test_permute_and_flip_never_expects_less_and_both_keep_epsilon(bidders, highest, epsilon):
    utility = revenues(bidders, highest)
    one, other = (
        select(utility, epsilon, MAX_PRICE) for select in (exponential_chances, flip_chances)
    )
    assert one.sum() == pytest.approx(1)
    assert other.sum() == pytest.approx(1)
    assert other @ utility >= one @ utility * (1 - 1e-12)
    limit = math.exp(epsilon) * (1 + 1e-9)
    for bid in (1, 10, 35, 60):
        assert added_revenue(bid).max() <= MAX_PRICE
        for select in (exponential_chances, flip_chances):
            before, after = (
                select(u, epsilon, MAX_PRICE) for u in (utility, utility + added_revenue(bid))
            )
            both = (before > 1e-250) & (after > 1e-250)
            assert (before[both] <= limit * after[both]).all()
            assert (after[both] <= limit * before[both]).all()


@check_each(("bidders", "epsilon"), [(4, 3.0), (40, 1.0), (400, 0.5)])
def test_both_halves_are_at_most_half_of_epsilon(bidders, epsilon):
    """Weights and sums by their definition, for one more bidder with any bid."""
    utility, scale = revenues(bidders, 31), 2 * MAX_PRICE / epsilon
    weights = np.exp((utility - utility.max()) / scale)
    sums, ratio = [], []
    for bid in PRICES:
        more = np.exp((utility + added_revenue(bid) - utility.max()) / scale)
        assert (more <= math.exp(epsilon / 2) * weights * (1 + 1e-12)).all()
        sums.append(more.sum() / weights.sum())
        chances = weights / weights.sum(), more / more.sum()
        ratio.append(max((chances[0] / chances[1]).max(), (chances[1] / chances[0]).max()))
    assert largest_output_ratio(utility, epsilon) == pytest.approx((max(sums), max(ratio)))
    assert max(sums) <= math.exp(epsilon / 2)
    # A further bid lowers no revenue, so both halves never work together.
    assert max(ratio) <= math.exp(epsilon / 2)
