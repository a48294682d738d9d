"""Estimates compared with closed forms, published numbers, and enumerated outcomes."""

import math
from itertools import product

import numpy as np
import pytest

from bench.interval_coverage.enumerated import binomial
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import (
    Boxes,
    FactoredRandomizer,
    SubsetSelection,
    UnaryEncoding,
)
from survey.core.mechanisms import MECHANISMS, build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import most_likely_shares, unbiased_scores
from survey.estimation.share_estimates import (
    estimate_boxes,
    estimate_one_hot,
    estimate_shares,
    gamma_of,
    nearest_shares,
    variance_at_observed,
    variance_bound,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def built(privacy, answers=2, kind="choices"):
    return build_randomizer(privacy, kind, answers)


COIN_FLIP = built({"mechanism": "coin_flip"}, 2)
FIVE = built(
    {"mechanism": "forced_response", "p_truth": 0.65, "p_forced": [0.1, 0.1, 0.05, 0.05, 0.05]}, 5
)
FIVE_COUNTS = [412, 301, 155, 92, 40]
MANY_REPORTS = built({"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}, 2)


def test_the_coin_flip_is_2p_minus_one_half():
    result = estimate_shares(COIN_FLIP, [412, 588])
    assert result.shares[0].value == pytest.approx(2 * 0.412 - 1 / 2, abs=1e-12)
    assert result.shares[1].value == pytest.approx(1 - result.shares[0].value, abs=1e-12)
    # The variance of the mean of 2y - 1/2, divided by n - 1.
    assert result.shares[0].standard_error == pytest.approx(
        2 * math.sqrt(0.412 * 0.588 / 999), abs=1e-12
    )


@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.25, 0.3, 0.49])
def test_the_general_gamma_formula(gamma):
    table = built({"mechanism": "randomized_response", "gamma": gamma}, 2)
    p = 37 / 120
    value = estimate_shares(table, [37, 83]).shares[0].value
    assert value == pytest.approx((p - 1 / 2 + gamma) / (2 * gamma), abs=1e-10)


@pytest.mark.parametrize(
    ("same", "estimate", "standard_error"), [(198, 0.222581, 0.0547), (230, 0.016129, 0.0498)]
)
def test_published_crosswise_data(same, estimate, standard_error):
    """Plagiarism, Jann, Jerke & Krumpal (2012): n = 310, p = 0.25, standard errors with n - 1."""
    result = estimate_shares(built({"mechanism": "warner", "p": 0.25}, 2), [same, 310 - same])
    share = result.shares[0]
    assert share.value == pytest.approx(estimate, abs=5e-7)
    assert share.standard_error == pytest.approx(standard_error, abs=5e-5)
    closed = (same / 310 + 0.25 - 1) / (2 * 0.25 - 1)
    assert share.value == pytest.approx(closed, abs=1e-10)
    p = same / 310
    assert share.standard_error == pytest.approx(math.sqrt(p * (1 - p) / 309) / 0.5, abs=1e-10)


def test_published_five_category_forced_response():
    """Counts from research on RRreg's FR design: moments, and the constrained maximum."""
    result = estimate_shares(FIVE, FIVE_COUNTS)
    values = [share.value for share in result.shares]
    assert [round(value, 4) for value in values] == [0.4800, 0.3092, 0.1615, 0.0646, -0.0154]
    most_likely = [share.possible for share in result.shares]
    assert [round(value, 4) for value in most_likely] == [0.4734, 0.3044, 0.1591, 0.0631, 0]
    forced = [0.1, 0.1, 0.05, 0.05, 0.05]
    closed = [(count / 1000 - f) / 0.65 for count, f in zip(FIVE_COUNTS, forced, strict=True)]
    assert values == pytest.approx(closed, abs=1e-10)


def test_k_ary_closed_forms_of_value_and_variance():
    """Wang et al. (2017): (c/n - q) / (p - q), variance P (1 - P) / (p - q)^2."""
    table = built({"mechanism": "k_randomized_response", "odds": 3}, 5)
    counts = [200, 150, 100, 90, 60]
    result = estimate_shares(table, counts)
    p, q, n = 3 / 7, 1 / 7, 600
    for count, share in zip(counts, result.shares, strict=True):
        seen = count / n
        assert share.value == pytest.approx((seen - q) / (p - q), abs=1e-10)
        error = math.sqrt(seen * (1 - seen) / (n - 1)) / (p - q)
        assert share.standard_error == pytest.approx(error, abs=1e-10)


def test_covariance_is_the_multinomial_one_carried_through_the_scores():
    result = estimate_shares(FIVE, FIVE_COUNTS)
    seen = np.array(FIVE_COUNTS) / 1000
    multinomial = (np.diag(seen) - np.outer(seen, seen)) / 999
    expected = multinomial / 0.65**2
    np.testing.assert_allclose(np.array(result.covariance), expected, atol=1e-14)
    # Shares add up to one, so their covariances with their sum are zero.
    np.testing.assert_allclose(np.sum(result.covariance, axis=1), 0, atol=1e-15)


def test_an_estimate_below_zero_is_not_clipped():
    share = estimate_shares(COIN_FLIP, [20, 80]).shares[0]
    assert share.value == pytest.approx(-0.1, abs=1e-12)
    assert share.possible == pytest.approx(0, abs=1e-9)
    assert share.interval.low == 0 < share.interval.high


def test_a_non_private_question_has_ordinary_shares():
    share = estimate_shares(Randomizer.identity(3), [20, 30, 50]).shares[0]
    assert share.value == share.possible == pytest.approx(0.2, abs=1e-15)
    assert share.standard_error == pytest.approx(math.sqrt(0.2 * 0.8 / 99), abs=1e-12)


def test_one_response_has_no_standard_error_and_still_an_interval():
    result = estimate_shares(COIN_FLIP, [1, 0])
    assert result.shares[0].standard_error is None
    assert result.covariance is None
    assert result.shares[0].value == pytest.approx(1.5)
    assert 0 <= result.shares[0].interval.low < result.shares[0].interval.high == 1


def test_no_responses_and_uninformative_tables_are_refused():
    with pytest.raises(UnanswerableQuestion, match="no responses"):
        estimate_shares(COIN_FLIP, [0, 0])
    with pytest.raises(UnanswerableQuestion, match="do not determine"):
        estimate_shares(Randomizer(((1, 1), (1, 1))), [3, 4])
    three_answers_two_reports = Randomizer(((3, 1), (2, 2), (1, 3)))
    with pytest.raises(UnanswerableQuestion):
        unbiased_scores(three_answers_two_reports, np.eye(3))
    # The mean of 0, 1, 2 is determined (Duchi's one-bit design).
    scores = unbiased_scores(three_answers_two_reports, [[0.0], [1.0], [2.0]])
    np.testing.assert_allclose(scores[:, 0], [-1, 3], atol=1e-12)


def test_gamma_and_the_variance_bound():
    assert gamma_of(COIN_FLIP) == 0.25
    assert gamma_of(FIVE) is None
    assert gamma_of(built({"mechanism": "table", "rows": [[3, 1], [2, 2]]}, 2)) is None
    assert variance_bound(COIN_FLIP, 100) == pytest.approx(1 / (16 * 0.25**2 * 100))
    assert variance_bound(FIVE, 100) is None
    observed = np.linspace(0, 1, 101)
    exact = [variance_at_observed(COIN_FLIP, p, 100) for p in observed]
    # The maximum is at one half.
    assert max(exact) == pytest.approx(variance_bound(COIN_FLIP, 100))


@check_each("share", [0, 0.1, 0.5, 0.93, 1])
@check_each("n", [1, 2, 15])
def test_value_and_squared_standard_error_are_unbiased_by_enumeration(share, n):
    chance = 0.25 + 0.5 * share
    outcomes = [estimate_shares(COIN_FLIP, [y, n - y]).shares[0] for y in range(n + 1)]
    weights = binomial(n, chance)
    assert weights @ [o.value for o in outcomes] == pytest.approx(share, abs=1e-12)
    if n > 1:
        expected = weights @ [o.standard_error**2 for o in outcomes]
        assert expected == pytest.approx(chance * (1 - chance) / 0.25 / n, abs=1e-12)


def test_reports_that_never_came_do_no_harm():
    one_sided = Randomizer(((1, 1, 0), (0, 1, 1)))
    assert most_likely_shares(one_sided, [3, 0, 0]) == pytest.approx([1, 0])
    assert estimate_shares(one_sided, [3, 0, 0]).shares[0].possible == pytest.approx(1)


# These tables do not determine every share.
MEAN_ONLY = {"one_bit", "optimal_mean"}
TABLES = [
    pytest.param(m.name, m.serves[0], k, dict(p), id=f"{m.name}-{k}-{number}")
    for m in MECHANISMS.values()
    for number, (k, p) in enumerate(m.examples)
    if m.name not in MEAN_ONLY
]


@pytest.mark.parametrize(("name", "kind", "answers", "parameters"), TABLES)
def test_exact_shares_of_reports_give_back_the_true_shares(name, kind, answers, parameters):
    table = built({"mechanism": name, **parameters}, answers, kind)
    if isinstance(table, FactoredRandomizer):
        # Their reports are counted bit by bit, in the tests below.
        return
    # With this number of respondents, every expected count is a whole number.
    people = np.arange(1, table.answers + 1)
    truth = people / people.sum()
    counts = [sum(int(people[x]) * row[y] for x, row in enumerate(table.rows))
              for y in range(table.reports)]  # fmt: skip
    result = estimate_shares(table, counts)
    np.testing.assert_allclose([s.value for s in result.shares], truth, atol=1e-7)
    np.testing.assert_allclose([s.possible for s in result.shares], truth, atol=1e-4)
    for share, true in zip(result.shares, truth, strict=True):
        assert share.interval.low <= true <= share.interval.high


ONE_HOT = [
    UnaryEncoding(4, ((2, 2), (1, 3))),
    UnaryEncoding(5, ((3, 1), (1, 3))),
    SubsetSelection(5, 2, 3, 1),
    SubsetSelection(2, 1, 3, 1),
    SubsetSelection(7, 3, 8, 3),
]


def bits_of(randomizer):
    """Every report of bits with its probability for each answer, by enumeration."""
    k = randomizer.answers
    for bits in product([0, 1], repeat=k):
        chances = []
        for x in range(k):
            if isinstance(randomizer, UnaryEncoding):
                rows = [randomizer.rows[int(x != j)] for j in range(k)]
                chance = math.prod(row[1 - b] / sum(row) for row, b in zip(rows, bits, strict=True))
            elif sum(bits) != randomizer.size:
                chance = 0.0
            else:
                sets = math.comb(k - 1, randomizer.size - 1), math.comb(k - 1, randomizer.size)
                inside = randomizer.near * sets[0], randomizer.far * sets[1]
                chance = (randomizer.near if bits[x] else randomizer.far) / sum(inside)
            chances.append(chance)
        yield bits, np.array(chances)


@pytest.mark.parametrize("randomizer", ONE_HOT, ids=str)
def test_one_hot_chances_are_those_of_all_reports_added_up(randomizer):
    own = other = both_own = both_other = 0.0
    for bits, chances in bits_of(randomizer):
        own += bits[0] * chances[0]
        other += bits[0] * chances[1]
        both_own += bits[0] * bits[1] * chances[0]
        if randomizer.answers > 2:
            both_other += bits[0] * bits[1] * chances[2]
    assert own == pytest.approx(float(randomizer.p), abs=1e-12)
    assert other == pytest.approx(float(randomizer.q), abs=1e-12)
    assert both_own == pytest.approx(float(randomizer.both_own), abs=1e-12)
    assert both_other == pytest.approx(float(randomizer.both_other), abs=1e-12)


@check_each("randomizer", ONE_HOT[:4], ids=str)
def test_one_hot_values_and_covariances_are_unbiased_by_enumeration(randomizer):
    """All pairs of reports that two respondents can send."""
    k = randomizer.answers
    truth = np.arange(1, k + 1) / (k * (k + 1) / 2)
    reports = [(np.array(bits), float(chances @ truth)) for bits, chances in bits_of(randomizer)]
    values, covariances = np.zeros(k), np.zeros((k, k))
    exact_mean = sum(chance * bits for bits, chance in reports)
    exact = sum(chance * np.outer(bits, bits) for bits, chance in reports)
    gap = float(randomizer.p - randomizer.q)
    for (one, chance), (two, other) in product(reports, repeat=2):
        if chance * other:
            ones = one + two
            counts = [c for j in range(k) for c in (int(ones[j]), 2 - int(ones[j]))]
            result = estimate_one_hot(randomizer, counts)
            values += chance * other * np.array([share.value for share in result.shares])
            covariances += chance * other * np.array(result.covariance)
    np.testing.assert_allclose(values, truth, atol=1e-10)
    expected = (exact - np.outer(exact_mean, exact_mean)) / gap**2 / 2
    np.testing.assert_allclose(covariances, expected, atol=1e-10)


def test_one_hot_shares_within_0_to_1_are_the_nearest_ones():
    randomizer = SubsetSelection(4, 2, 3, 1)
    result = estimate_one_hot(randomizer, [90, 10, 60, 40, 40, 60, 10, 90])
    possible = [share.possible for share in result.shares]
    assert min(possible) == 0
    assert sum(possible) == pytest.approx(1)
    assert result.shares[3].value < 0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([0.5, 0.7], [0.4, 0.6]),
        ([1.2, -0.2, 0.0], [1, 0, 0]),
        ([0.6, 0.6, -0.5], [0.5, 0.5, 0]),
    ],
)
def test_the_nearest_shares(values, expected):
    assert nearest_shares(np.array(values)) == pytest.approx(expected)


def test_boxes_are_estimated_one_by_one_from_those_who_report_on_them():
    boxes = Boxes(3, 1, ((3, 1), (1, 3)))
    first, second, third = estimate_boxes(boxes, [412, 588, 20, 80, 0, 0])
    assert first[0] == 1000
    assert first[1].value == pytest.approx(2 * 0.412 - 1 / 2)
    assert second[1].value == pytest.approx(-0.1)
    assert second[1].possible == pytest.approx(0, abs=1e-9)
    assert third is None


def test_a_target_adds_up_answers():
    table = built({"mechanism": "joint_boxes", "odds": 8}, 2, "boxes")
    # None, first, second, both.
    people = np.array([4, 3, 2, 1])
    counts = [int(people @ np.array([row[y] for row in table.rows])) for y in range(4)]
    target = [[0, 0], [1, 0], [0, 1], [1, 1]]
    result = estimate_shares(table, counts, target=target)
    assert [share.value for share in result.shares] == pytest.approx([0.4, 0.3])
    # A box's scores take two values, so its interval is binomial.
    assert "exact" in result.shares[0].interval.method
