"""Intervals hold their level, by enumerating all outcomes for true shares on and off the grid."""

import math
from bisect import bisect_left
from time import process_time

import numpy as np
import pytest
from scipy.stats import binom

from bench.interval_coverage.enumerated import binomial
from bench.interval_coverage.rare import blaker_bounds
from survey.estimation.share_intervals import METHOD, Search, exact_bounds, share_interval
from tests.support.check_each import check_each
from tests.support.share_coverage import least_coverage, worst_coverage

pytestmark = pytest.mark.fast

# 200 shares on the test's own grid, and as many between its points.
SHARES = np.sort(np.concatenate([np.linspace(0, 1, 201), np.linspace(0, 1, 202)[1:-1] + 1.234e-4]))


@pytest.mark.parametrize("n", [1, 2, 10, 20, 50, 200])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        pytest.param(3 / 4, 1 / 4, id="coin-flip-epsilon-ln-3"),
        pytest.param(1 / 4, 3 / 4, id="crosswise-a-quarter"),
        pytest.param(0.75, 0.05, id="forced-response"),
        pytest.param(1.0, 0.0, id="plain"),
    ],
)
def test_the_exact_interval_covers_at_least_its_level_for_every_share(n, p, q):
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    worst = least_coverage(intervals, n, p, q, SHARES)
    # The only tolerance is for the rounding of sums of up to 200 probabilities.
    assert worst >= 0.95 - 1e-12
    assert worst_coverage(intervals, n, p, q) >= 0.95 - 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 4, 11])
def test_shares_of_zero_and_one_are_covered_whatever_the_rounding(epsilon):
    kept = math.exp(epsilon) / (1 + math.exp(epsilon))
    for p, q in ((kept, 1 - kept), (1 - kept, kept), (0.5, 1 - kept)):
        intervals = [share_interval(y, 20, p, q) for y in range(21)]
        assert least_coverage(intervals, 20, p, q, [0.0, 1.0]) >= 0.95 - 1e-12


def test_an_interval_that_is_too_short_would_be_caught():
    """Wald's interval, mapped through the table."""
    n, p, q = 20, 3 / 4, 1 / 4
    seen = np.arange(n + 1) / n
    half = 1.96 * np.sqrt(seen * (1 - seen) / n)
    chances = q + (p - q) * SHARES
    worst = min(
        binomial(n, chance) @ ((seen - half <= chance) & (chance <= seen + half))
        for chance in chances
    )
    assert worst < 0.95


def accepted(share, n, p, q, level):
    """Whether the test accepts a share, for each outcome: the definition, written out."""
    chance, outcomes = q + (p - q) * share, np.arange(n + 1)

    def log_likelihood(chance):
        with np.errstate(divide="ignore", invalid="ignore"):
            hits = np.where(outcomes > 0, outcomes * np.log(chance), 0.0)
            misses = np.where(outcomes < n, (n - outcomes) * np.log1p(-chance), 0.0)
        return hits + misses

    best = np.clip(outcomes / n, min(p, q), max(p, q))
    ratio, density = log_likelihood(chance) - log_likelihood(best), binomial(n, chance)
    likelier = ratio[np.newaxis, :] > ratio[:, np.newaxis] + 1e-9
    return (likelier * density).sum(axis=1) < level


@check_each("level", [0.8, 0.95, 1 - 0.05 / 16])
@check_each(
    ("n", "p", "q"),
    [(7, 0.75, 0.25), (40, 0.75, 0.25), (40, 1, 0), (60, 0.2, 0.5), (90, 0.9, 0.02)],
)
def test_an_interval_has_all_accepted_shares_and_ends_at_some(n, p, q, level):
    ends = np.array([exact_bounds(y, n, p, q, level) for y in range(n + 1)])
    shares = np.linspace(0, 1, 2001)
    held = np.array([accepted(share, n, p, q, level) for share in shares])
    inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    assert (held <= inside.T).all()
    for y, (low, high) in enumerate(ends):
        for end, inwards in ((low, 1), (high, -1)):
            # The test accepts the end, or shares next to it on the inner side.
            near = [np.clip(end + inwards * step, 0, 1) for step in (0, 1e-10, 1e-8)]
            assert any(accepted(share, n, p, q, level)[y] for share in near), (y, end)


@pytest.mark.parametrize(("p", "q"), [(0.75, 0.25), (1.0, 0.0), (0.2, 0.5)])
def test_accepted_crossings_follow_each_other_without_a_gap(p, q):
    """The bounds that exclude earlier crossings have never found one. They need no luck."""
    for n in (1, 2, 30, 101):
        for y in range(n + 1):
            search = Search(successes=y, n=n, least=min(p, q), most=max(p, q), miss=0.05)
            if y <= n * search.least:
                continue
            outcomes = np.arange(-1, y)
            crossings = search.crossings(outcomes)
            found = search.outside(outcomes, crossings, crossings) > 0.05
            assert (np.diff(found.astype(int)) >= 0).all()
            assert outcomes[found][0] == search.first_accepted()
            assert search.first_within(np.append(outcomes, y)) == search.first_accepted()
            assert search.first_within(np.array([-1, y])) == search.first_accepted()


def test_exact_intervals_have_the_width_of_the_literature():
    """Mean widths for epsilon = ln 3: 0.45 at n = 50, 0.246 at n = 200 (weighted by outcomes)."""
    for n, expected in ((50, 0.45), (200, 0.246)):
        widths = [
            i.high - i.low for i in (share_interval(y, n, 3 / 4, 1 / 4) for y in range(n + 1))
        ]
        mean = np.mean([binomial(n, 1 / 4 + share / 2) @ widths for share in SHARES])
        assert mean == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n", [500, 501, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        pytest.param(0.75, 0.25, id="coin-flip-epsilon-ln-3"),
        pytest.param(0.8, 0.2, id="epsilon-ln-4"),
        pytest.param(1.0, 0.0, id="plain"),
        pytest.param(0.999994, 0.000006, id="epsilon-12"),
        pytest.param(0.0067, 0.9933, id="epsilon-5-turned-round"),
        pytest.param(0.95, 0.05, id="gamma-0.45"),
    ],
)
def test_the_level_holds_beyond_500_too(n, p, q):
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    assert worst_coverage(intervals, n, p, q) >= 0.95 - 1e-12


def coverage_at(share, n, p, q):
    """The exact coverage of a share. The outcomes that cover it follow each other."""

    def first(condition):
        return bisect_left(range(n + 1), True, key=condition)

    sign = 1 if p > q else -1
    ends = [0, 1][::sign]
    low = first(lambda y: sign * exact_bounds(y, n, p, q, 0.95)[ends[1]] >= sign * share)
    high = first(lambda y: sign * exact_bounds(y, n, p, q, 0.95)[ends[0]] > sign * share)
    chance = q + (p - q) * share
    return float(binom.cdf(high - 1, n, chance) - binom.cdf(low - 1, n, chance))


@pytest.mark.parametrize(("p", "q"), [(0.75, 0.25), (1.0, 0.0), (0.2, 0.3)])
@pytest.mark.parametrize("n", [30_000, 1_000_000])
def test_the_level_holds_for_many_respondents(n, p, q):
    """At shares and next to the ends of their own intervals, where coverage is smallest."""
    for share in (0.00001, 0.01, 0.3, 0.99):
        low, high = exact_bounds(round(n * (q + (p - q) * share)), n, p, q, 0.95)
        for end in (low, high):
            for at in np.clip([end - 1e-9, end, end + 1e-9], 0, 1):
                assert coverage_at(at, n, p, q) >= 0.95 - 1e-9


def test_the_coverage_of_many_respondents_is_that_of_few():
    n, p, q = 50, 0.2, 0.5
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    for share in (0.0, 0.123, 0.77, 1.0):
        found = least_coverage(intervals, n, p, q, [share])
        assert coverage_at(share, n, p, q) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("n", [1, 7, 500, 501, 100_000])
def test_no_interval_is_empty_or_leaves_zero_to_one(n):
    for y in {0, n // 4, n // 2, n}:
        interval = share_interval(y, n, 3 / 4, 1 / 4)
        assert 0 <= interval.low < interval.high <= 1


def test_there_is_no_jump_at_any_number_of_respondents():
    """A tenth of the reports are for the answer: the width falls steadily with n."""
    for p, q in ((0.75, 0.25), (1.0, 0.0)):
        widths = []
        for n in range(480, 530, 10):
            low, high = exact_bounds(round(n * (q + (p - q) / 10)), n, p, q, 0.95)
            widths.append((high - low) * math.sqrt(n))
        assert max(widths) < 1.03 * min(widths)
    assert share_interval(250, 500, 0.75, 0.25).method == METHOD
    assert share_interval(250, 501, 0.75, 0.25).method == METHOD
    assert share_interval(500_000, 1_000_000, 0.75, 0.25).method == METHOD


@pytest.mark.parametrize("n", [10, 501, 100_000])
def test_exact_bounds_agree_with_mirror_images(n):
    for y in {0, 1, n // 3, n // 2, n}:
        one, other = share_interval(y, n, 3 / 4, 1 / 4), share_interval(n - y, n, 3 / 4, 1 / 4)
        turned = share_interval(n - y, n, 1 / 4, 3 / 4)
        assert one.low == pytest.approx(1 - other.high, abs=1e-10)
        assert (one.low, one.high) == pytest.approx((turned.low, turned.high), abs=1e-10)


@pytest.mark.parametrize("n", [1_000, 100_000, 1_000_000])
def test_of_rare_traits_an_interval_is_about_as_long_as_blakers(n):
    """Blaker, Can. J. Stat. 28 (2000) 783. Clopper and Pearson's is up to a fifth longer."""
    for y in (0, 1, 2, 3, 5, 10, 20):
        low, high = exact_bounds(y, n, 1.0, 0.0, 0.95)
        bottom, top = blaker_bounds(y, n, 0.95)
        assert high - low <= 1.05 * (top - bottom)


def test_an_interval_takes_milliseconds_at_any_number_of_respondents():
    begun, n = process_time(), 1_000_000
    for y in range(1_000, n, 20_000):
        exact_bounds(y, n, 0.9, 0.05, 0.951)
    assert process_time() - begun < 50 * 0.02


def test_more_confidence_is_a_longer_interval():
    short, long = (share_interval(40, 100, 0.75, 0.25, level) for level in (0.9, 0.99))
    assert long.low <= short.low < short.high <= long.high
