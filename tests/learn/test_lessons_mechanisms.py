"""The numbers of "Two more mechanisms", against closed forms."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from survey.central_dp.figure_noise import discrete_gaussian_deviation
from survey.central_dp.noise_scales import ORDERS
from survey.learn.controls import read_values
from survey.learn.dp_draws import selection_chances
from survey.learn.lessons.mechanisms import (
    LOW_BID,
    MAX_PRICE,
    PRICES,
    REPEATS,
    Mechanisms,
    added_revenue,
    exponential_chances,
    largest_output_ratio,
    revenues,
)
from survey.learn.lessons.slips import SLIPS
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def numbers(**address: str) -> dict[str, float]:
    return dict(Mechanisms().show(read_values(Mechanisms.controls, address)).numbers)


@check_each(
    ("bidders", "epsilon"), [(n, e) for n in (4, 100, 400, 4_000) for e in ("0.1", "1", "3")]
)
def test_the_exponential_mechanism_by_its_definition(bidders, epsilon):
    found = numbers(bidders=str(bidders), epsilon=epsilon, highest="31")
    revenue = [
        price * bidders / 4 * ((3 if price <= 10 else 0) + (1 if price <= 31 else 0))
        for price in range(1, 61)
    ]
    weights = [math.exp(float(epsilon) * (u - max(revenue)) / 120) for u in revenue]
    expected = sum(u * w for u, w in zip(revenue, weights, strict=True)) / sum(weights)
    assert found["best"] == max(revenue) == 10 * bidders
    assert found["next"] == 11 * bidders / 4
    assert found["expected"] == pytest.approx(expected)
    assert found["expected"] <= found["expected_flip"] * (1 + 1e-12)
    assert found["expected_flip"] <= found["best"] * (1 + 1e-12)


def test_the_draws_are_near_their_expectation():
    """Means of 200 draws in 5 settings. Revenues lie between 0 and the best one, so their standard
    deviation is at most half of it: 4.5 standard errors are 4.5 · best / (2 √200) = 16 % of it."""
    for draw in range(1, 6):
        found = numbers(draw=str(draw), bidders="100", epsilon="1")
        reach = 4.5 * found["best"] / (2 * math.sqrt(REPEATS))
        assert abs(found["drawn"] - found["expected"]) < reach
        assert abs(found["drawn_flip"] - found["expected_flip"]) < reach
    assert numbers(draw="2") == numbers(draw="2") != numbers(draw="3")


def test_both_halves_and_their_product():
    for epsilon in (0.1, 1.0, 3.0):
        found = numbers(epsilon=f"{epsilon}")
        assert found["half"] == pytest.approx(math.exp(epsilon / 2))
        assert found["sums"] <= found["half"]
        assert found["ratio"] <= found["limit"] == pytest.approx(math.exp(epsilon))


def test_the_noise_on_counts_has_the_sensitivities_k_and_its_root():
    one, many = numbers(counts="1"), numbers(counts="49")
    for name in ("text", "exact", "candor"):
        assert many[name] == pytest.approx(7 * one[name])
    assert many["laplace"] == pytest.approx(49 * one["laplace"])
    assert one["laplace"] == pytest.approx(math.sqrt(2) / 0.5)
    assert one["text"] == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.5)
    assert one["exact"] < one["candor"] < one["text"]
    assert one["text_delta"] < 1e-5
    # σ is the standard deviation of Candor's whole numbers, too.
    assert discrete_gaussian_deviation(one["candor"]) == pytest.approx(one["candor"])


def test_the_exact_noise_gives_delta_by_simulation_free_quantiles():
    """δ of the exact σ: Pr(loss > ε) − e^ε Pr(loss′ > ε), with the losses' normal distributions."""
    sigma, epsilon = numbers(counts="1", one_in="100")["exact"], 0.5
    r = np.linspace(-12 * sigma, 12 * sigma, 200_001)
    step = r[1] - r[0]
    p, q = (np.exp(-((r - m) ** 2) / (2 * sigma**2)) for m in (0.0, 1.0))
    excess = np.maximum(0, p - math.exp(epsilon) * q).sum() * step / (sigma * 2.5066282746310002)
    assert float(excess) == pytest.approx(0.01, rel=1e-5)


def test_the_slip_about_gaussian_noise_leads_here():
    [slip] = [each for each in SLIPS if each.name == "gaussian"]
    assert slip.lesson == Mechanisms.address


def test_no_address_does_more_than_two_million_steps():
    """The draws, the exact probabilities at 30 nodes, one more bid of each size, and the orders."""
    drawn = REPEATS * (1 + len(PRICES))
    flips = 30 * len(PRICES) ** 2
    bids = 4 * len(PRICES) ** 2
    orders = 80 * len(ORDERS)
    assert drawn + flips + bids + orders < 200_000


def test_above_the_highest_price_nobody_buys():
    assert numbers(highest="60", bidders="4000")["best_price"] == 60
    assert numbers(highest="60", bidders="4000")["next"] == 0


@check_each("epsilon", ["0.1", "0.3", "1.0", "3.0"])
@check_each("one_in", ["100", "1000000"])
def test_the_picture_names_the_count_from_which_gaussian_noise_is_smaller(epsilon, one_in):
    """At δ = 1/100 and ε = 0.1 even a single count has less Gaussian noise."""

    def noise(counts: int) -> dict[str, float]:
        return numbers(epsilon=epsilon, one_in=one_in, counts=str(counts))

    address = {"epsilon": epsilon, "one_in": one_in}
    shown = Mechanisms().show(read_values(Mechanisms.controls, address))
    words = shown.pictures[2].description.removesuffix(" or more.")
    first = int(words.rsplit(" ", 1)[1])
    assert noise(first)["exact"] < noise(first)["laplace"]
    assert first == 1 or noise(first - 1)["exact"] >= noise(first - 1)["laplace"]
    assert (first == 1) == (one_in == "100" and float(epsilon) <= 0.3)
    assert noise(1)["candor"] > noise(1)["exact"]


# --- the auction


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
