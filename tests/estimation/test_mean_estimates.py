"""Mean, deviation and quantiles, compared with simple formulas and enumerated outcomes."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetSelection, UnaryEncoding
from survey.core.mechanisms import build_randomizer
from survey.core.scores import probabilities
from survey.estimation.mean_estimates import (
    deviation,
    mean,
    mean_of_bits,
    noise_of_bits,
    rounding_adds,
    seen_as_given,
    seen_through,
)
from survey.estimation.quantile_estimates import estimate_quantile

pytestmark = pytest.mark.fast

VALUES = np.arange(11.0)
WINDOW = build_randomizer({"mechanism": "window", "epsilon": 1}, "numbers", 11)
NEARLY_PLAIN = build_randomizer({"mechanism": "window", "epsilon": 12, "reach": 0}, "numbers", 11)


def plainly(numbers, outside=0, values=VALUES):
    """Non-private numbers with their counts: values that occur, and both ends of the range."""
    kept = [v for v in values if v in numbers or v in (values[0], values[-1])]
    counts = [numbers.count(v) for v in kept]
    declined = [outside] if outside else []
    return seen_as_given(np.array([*counts, *declined], float), np.array(kept), len(declined))


def expected(table, shares, n):
    """The expected counts of reports from n people with these answers."""
    return n * np.asarray(shares) @ probabilities(table)


NUMBERS = [3, 3, 4, 7, 1, 9, 3, 0, 5, 5, 6, 10]


def test_a_non_private_mean_is_the_mean():
    found = mean(plainly(NUMBERS))
    assert found.value == pytest.approx(np.mean(NUMBERS))
    assert found.standard_error == pytest.approx(np.std(NUMBERS, ddof=1) / math.sqrt(12))
    assert found.interval.low < found.value < found.interval.high


def test_those_who_decline_count_in_no_mean_deviation_or_quantile():
    with_them, without = plainly(NUMBERS, outside=30), plainly(NUMBERS)
    assert mean(with_them).value == pytest.approx(np.mean(NUMBERS))
    # The share who answered is estimated too, which hardly changes the mean of its own answers.
    assert mean(with_them).standard_error == pytest.approx(mean(without).standard_error, rel=0.05)
    assert deviation(with_them).value == pytest.approx(deviation(without).value, rel=0.01)
    for share in (0.25, 0.5, 0.75):
        assert (
            estimate_quantile(with_them, share).interval
            == estimate_quantile(without, share).interval
        )
        assert estimate_quantile(with_them, share).value == estimate_quantile(without, share).value


def test_a_non_private_deviation_is_that_of_the_sample():
    found = deviation(plainly(NUMBERS))
    assert found.value == pytest.approx(np.std(NUMBERS, ddof=1))
    squares = (np.array(NUMBERS) - np.mean(NUMBERS)) ** 2
    error = np.std(squares, ddof=1) / math.sqrt(12) / (2 * found.value)
    assert found.standard_error == pytest.approx(error)
    assert 0 <= found.interval.low < found.value < found.interval.high <= 5


@pytest.mark.slow
def test_the_square_of_a_non_private_deviation_is_unbiased():
    shares = {0.0: 0.2, 1.0: 0.5, 10.0: 0.3}
    centre = sum(value * share for value, share in shares.items())
    square = sum((value - centre) ** 2 * share for value, share in shares.items())
    for n in (2, 3, 5):
        found = 0.0
        for numbers in product(shares, repeat=n):
            chance = math.prod(shares[value] for value in numbers)
            found += chance * deviation(plainly(list(numbers))).value ** 2
        assert found == pytest.approx(square)


def test_the_deviation_of_answers_all_alike_or_of_one_answer():
    alike = deviation(plainly([4] * 50))
    assert (alike.value, alike.standard_error) == (0, None)
    assert alike.interval.low == 0 < alike.interval.high < 2
    one = deviation(plainly([4]))
    assert (one.value, one.interval.low) == (0, 0)
    assert one.interval.high > 4


def test_answers_at_both_ends_do_not_prove_that_none_lie_between():
    """Regression: (x - m)^2 is equal at both ends, and the interval was that single number."""
    found = deviation(plainly([0] * 5 + [10] * 5))
    assert found.value == pytest.approx(np.std([0, 10] * 5, ddof=1))
    assert found.interval.low < 4.5 < found.interval.high == 5


@pytest.mark.parametrize(("width", "step"), [(10, 1), (3, 1), (1, 0.5), (5, 5), (7, 1)])
def test_rounding_adds_what_it_adds(width, step):
    usual, most = rounding_adds(width, step)
    # Evenly spread between two points.
    places = np.arange(0, width, step) / width
    variances = width**2 * places * (1 - places)
    assert usual == pytest.approx(variances.mean())
    assert most == pytest.approx(variances.max())
    assert rounding_adds(0.0, step) == (0, 0)


def test_rounded_answers_have_their_own_spread_back():
    """0 to 100 by ones, on points 10 apart: the variance of the rounding is subtracted."""
    points, answers = np.arange(0.0, 101, 10), np.arange(0, 100)
    shares = np.zeros(11)
    for answer in answers:
        shares[answer // 10] += (1 - answer % 10 / 10) / 100
        shares[answer // 10 + 1] += answer % 10 / 10 / 100
    counts = expected(WINDOW, shares, 1e9).round()
    found = deviation(seen_through(WINDOW, counts, points, 0, 10.0, 1.0))
    assert found.value == pytest.approx(np.std(answers), abs=0.01)
    assert found.interval.low < np.std(answers) < found.interval.high
    # The interval does not assume how the answers are distributed between the points.
    adds = rounding_adds(10, 1)
    assert found.interval.high**2 - found.interval.low**2 > adds[1]


@pytest.mark.parametrize("privacy", ["window", "discrete_laplace", "discrete_gaussian"])
def test_a_private_mean_and_deviation_are_right_on_average(privacy):
    parameters = {"epsilon": 1, **({"delta": "1e-5"} if privacy == "discrete_gaussian" else {})}
    table = build_randomizer({"mechanism": privacy, **parameters}, "numbers", 11)
    shares = np.exp(-VALUES / 3)
    shares /= shares.sum()
    counts = expected(table, shares, 1e9).round()
    centre = shares @ VALUES
    spread = math.sqrt(shares @ (VALUES - centre) ** 2)
    seen = seen_through(table, counts, VALUES, 0)
    assert mean(seen).value == pytest.approx(centre, abs=1e-6)
    assert deviation(seen).value == pytest.approx(spread, abs=1e-6)
    for found, true in ((mean(seen), centre), (deviation(seen), spread)):
        assert found.interval.low < true < found.interval.high
        # With a billion responses, the ends of the mean are normal quantiles; the deviation's are a
        # little wider.
        ends = np.array([found.interval.low, found.interval.high]) - found.value
        np.testing.assert_allclose(ends / found.standard_error, [-1.96, 1.96], atol=0.03)


def test_the_variance_of_a_private_mean_is_unbiased():
    """All outcomes of three reports, with a table of three answers."""
    table = build_randomizer({"mechanism": "window", "epsilon": 1}, "numbers", 3)
    shares, values = np.array([0.2, 0.5, 0.3]), np.array([0.0, 5.0, 10.0])
    chances = shares @ probabilities(table)
    found, squares = [], []
    for reports in product(range(table.reports), repeat=3):
        counts = np.bincount(reports, minlength=table.reports).astype(float)
        estimate = mean(seen_through(table, counts, values, 0))
        chance = chances[list(reports)].prod()
        found.append((chance, estimate.value))
        squares.append(chance * estimate.standard_error**2)
    average = sum(chance * value for chance, value in found)
    assert average == pytest.approx(shares @ values)
    variance = sum(chance * (value - average) ** 2 for chance, value in found)
    assert sum(squares) == pytest.approx(variance)


def test_a_table_that_tells_the_mean_alone_tells_that():
    """Regression: the code asked for maximum-likelihood shares, which it does not determine."""
    table = build_randomizer({"mechanism": "one_bit", "odds": 3}, "numbers", 11)
    seen = seen_through(table, np.array([400.0, 600.0]), VALUES, 0)
    # The high report has probability 1/4 + m / 20.
    assert mean(seen).value == pytest.approx((0.6 - 0.25) * 20)
    for question in (deviation, lambda seen: estimate_quantile(seen, 0.5)):
        with pytest.raises(UnanswerableQuestion):
            question(seen)


def test_nobody_who_answers_is_said_so():
    with pytest.raises(UnanswerableQuestion, match="Too few people gave a number"):
        mean(seen_as_given(np.array([0.0, 0.0, 7.0]), np.array([0.0, 10.0]), 1))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 0.9])
def test_a_non_private_quantile_is_the_smallest_value_that_enough_do_not_exceed(share):
    found = estimate_quantile(plainly(NUMBERS), share)
    assert found.value == np.quantile(NUMBERS, share, method="inverted_cdf")
    assert found.standard_error is None


@pytest.mark.parametrize(
    ("n", "low", "high"), [(10, 2, 9), (20, 6, 15), (50, 18, 33), (100, 40, 61)]
)
def test_a_non_private_medians_interval_is_that_of_order_statistics(n, low, high):
    """The published distribution-free 95 % interval for a median: places in the sorted sample."""
    values = np.arange(0.0, 1001)
    numbers = sorted(np.random.default_rng(n).choice(values[1:-1], n, replace=False).tolist())
    found = estimate_quantile(plainly(numbers, values=values), 0.5)
    assert (found.interval.low, found.interval.high) == (numbers[low - 1], numbers[high - 1])


def test_few_answers_leave_a_quantile_open_to_the_ends():
    assert estimate_quantile(plainly([4, 5]), 0.5).interval.low == 0
    assert estimate_quantile(plainly([4, 5]), 0.5).interval.high == 10


def test_a_quantile_through_a_table_that_hardly_lies_is_nearly_the_non_private_one():
    shares = np.bincount(NUMBERS, minlength=11) / 12
    counts = expected(NEARLY_PLAIN, shares, 12).round()
    for share in (0.25, 0.5, 0.75):
        through = estimate_quantile(seen_through(NEARLY_PLAIN, counts, VALUES, 0), share)
        given = estimate_quantile(plainly(NUMBERS), share)
        assert through.value == given.value
        # Intervals of non-private numbers end at values that occur, those of reports at any value.
        assert through.interval.low <= given.interval.low
        assert given.interval.low - through.interval.low <= 1
        assert abs(through.interval.high - given.interval.high) <= 1


def test_a_private_quantile_is_right_on_average_and_its_interval_shrinks():
    shares = np.array([5, 10, 20, 30, 15, 8, 5, 3, 2, 1, 1]) / 100
    lengths = []
    for n in (200, 20_000, 2_000_000):
        seen = seen_through(WINDOW, expected(WINDOW, shares, n).round(), VALUES, 0)
        found = estimate_quantile(seen, 0.5)
        assert found.value == 3
        assert found.interval.low <= 3 <= found.interval.high
        lengths.append(found.interval.high - found.interval.low)
    # One of eleven values, known for certain.
    assert lengths[0] > lengths[1] >= lengths[2] == 0


def test_a_rounded_quantile_lies_between_points_and_its_interval_reaches_beyond():
    shares = np.array([5, 10, 20, 30, 15, 8, 5, 3, 2, 1, 1]) / 100
    points = 10 * VALUES
    seen = seen_through(WINDOW, expected(WINDOW, shares, 2e6).round(), points, 0, 10.0, 1.0)
    found = estimate_quantile(seen, 0.5)
    # 35 % are below 30, and 30 % at it. It represents 25 to 35, so half of these are needed.
    assert found.value == pytest.approx(25 + 10 * 0.5, abs=0.01)
    # 30 plus or minus the width minus one step.
    assert (found.interval.low, found.interval.high) == (21, 39)


def every_report(randomizer):
    """All reports of bits, and the probability of each given each answer."""
    k, p, q = randomizer.answers, float(randomizer.p), float(randomizer.q)
    bits = np.array(list(product((0, 1), repeat=k)))
    if isinstance(randomizer, SubsetSelection):
        bits = bits[bits.sum(axis=1) == randomizer.size]
        own = bits == 1
        chances = np.where(own, p / own.sum(axis=0), (1 - p) / (~own).sum(axis=0)).T
    else:
        chances = np.array(
            [
                np.where(bits == 1, rates, 1 - rates).prod(axis=1)
                for rates in np.where(np.eye(k) == 1, p, q)
            ]
        )
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    return bits, chances


OF_BITS = [
    pytest.param(SubsetSelection(5, 2, 3, 1), id="subsets"),
    pytest.param(UnaryEncoding(4, ((2, 2), (1, 3))), id="optimised unary"),
    pytest.param(UnaryEncoding(4, ((3, 1), (1, 3))), id="symmetric unary"),
]


@pytest.mark.parametrize("randomizer", OF_BITS)
def test_the_noise_of_bits_is_what_enumeration_gives(randomizer):
    bits, chances = every_report(randomizer)
    weights = np.array([-2.0, 0.5, 1.0, 7.0, 3.0])[: randomizer.answers]
    p, q = float(randomizer.p), float(randomizer.q)
    sums = ((bits - q) / (p - q)) @ weights
    np.testing.assert_allclose(chances @ sums, weights)
    np.testing.assert_allclose(chances @ sums**2 - weights**2, noise_of_bits(randomizer, weights))


@pytest.mark.parametrize("randomizer", OF_BITS)
def test_the_mean_from_bits_is_unbiased_and_its_error_not_too_small(randomizer):
    bits, chances = every_report(randomizer)
    k = randomizer.answers
    shares = np.array([0.1, 0.4, 0.3, 0.2, 0.0])[:k]
    values, reports = np.arange(1.0, k + 1), shares @ chances
    average = square = errors = 0.0
    for one, other in combinations(range(len(bits)), 2):
        found = mean_of_bits(randomizer, counted(bits[one] + bits[other], 2), values)
        chance = 2 * reports[one] * reports[other]
        average += chance * found.value
        square += chance * found.value**2
        errors += chance * found.standard_error**2
    for same in range(len(bits)):
        found = mean_of_bits(randomizer, counted(2 * bits[same], 2), values)
        average += reports[same] ** 2 * found.value
        square += reports[same] ** 2 * found.value**2
        errors += reports[same] ** 2 * found.standard_error**2
    assert average == pytest.approx(values @ shares)
    # It stays within what is possible. With two responses this makes the error too large, never too
    # small.
    assert 1 < errors / (square - average**2) < 2


def counted(ones, n):
    return np.stack([ones, n - ones], axis=1).ravel().tolist()


def test_the_mean_from_bits_takes_those_who_chose_a_level():
    """Expected counts give the true mean. "Prefer not to say" is the last answer."""
    randomizer = build_randomizer({"mechanism": "subset_selection", "epsilon": 1}, "ordered", 7, 1)
    shares = np.array([10, 10, 20, 20, 10, 5, 5, 20]) / 100
    chances = float(randomizer.q) + shares * float(randomizer.p - randomizer.q)
    n = 10**9
    counts = counted((n * chances).round().astype(int), n)
    found = mean_of_bits(randomizer, counts, np.arange(1.0, 8))
    true = shares[:7] @ np.arange(1.0, 8) / 0.8
    assert found.value == pytest.approx(true, abs=1e-6)
    assert found.interval.low < true < found.interval.high
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(1.96 * found.standard_error, rel=1e-3)


def test_the_mean_from_bits_that_hardly_lie_is_the_non_private_one():
    randomizer = UnaryEncoding(5, ((10**6, 1), (1, 10**6)))
    # The last one is "prefer not to say".
    counts = counted(np.array([10, 25, 5, 2, 8]), 50)
    found = mean_of_bits(randomizer, counts, np.arange(1.0, 5))
    numbers = [1] * 10 + [2] * 25 + [3] * 5 + [4] * 2
    assert found.value == pytest.approx(np.mean(numbers), abs=1e-4)
    assert found.standard_error == pytest.approx(np.std(numbers, ddof=1) / math.sqrt(42), rel=0.02)


def test_the_mean_from_bits_of_one_response_and_of_nobody_who_answers():
    randomizer = UnaryEncoding(4, ((3, 1), (1, 3)))
    one = mean_of_bits(randomizer, [1, 0, 0, 1, 0, 1, 0, 1], np.arange(1.0, 5))
    assert one.standard_error is None
    assert (one.interval.low, one.interval.high) == (1, 4)
    with pytest.raises(UnanswerableQuestion, match="chose an answer"):
        mean_of_bits(randomizer, [3, 7, 3, 7, 3, 7, 9, 1], np.arange(1.0, 4))


@pytest.mark.parametrize("randomizer", OF_BITS)
def test_no_interval_from_bits_is_empty(randomizer):
    k = randomizer.answers
    generator = np.random.default_rng(1)
    for n in (2, 3, 10):
        for _ in range(200):
            ones = generator.integers(0, n + 1, size=k)
            found = mean_of_bits(randomizer, counted(ones, n), np.arange(1.0, k + 1))
            assert 1 <= found.interval.low < found.interval.high <= k
            assert found.interval.high - found.interval.low > 0.3
            assert found.standard_error > 0
