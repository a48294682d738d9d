"""Intervals hold their level, by enumerating all outcomes for true shares on and off the grid."""

import numpy as np
import pytest

from bench.interval_coverage.enumerated import binomial
from survey.estimation.share_intervals import EXACT_UP_TO, GRID, share_interval, wilson_bounds
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


def test_an_interval_that_is_too_short_would_be_caught():
    n, p, q = 20, 3 / 4, 1 / 4
    wilson = [wilson_bounds(y / n, n, 0.95) for y in range(n + 1)]
    chances = q + (p - q) * SHARES
    worst = min(
        binomial(n, chance) @ np.array([low <= chance <= high for low, high in wilson])
        for chance in chances
    )
    assert worst < 0.95


def test_exact_intervals_have_the_width_of_the_literature():
    """Mean widths for epsilon = ln 3: 0.45 at n = 50, 0.246 at n = 200 (weighted by outcomes)."""
    for n, expected in ((50, 0.45), (200, 0.246)):
        widths = [
            i.high - i.low for i in (share_interval(y, n, 3 / 4, 1 / 4) for y in range(n + 1))
        ]
        mean = np.mean([binomial(n, 1 / 4 + share / 2) @ widths for share in SHARES])
        assert mean == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n", [EXACT_UP_TO + 1, 1000])
def test_wilson_stays_near_its_level(n):
    p, q = 3 / 4, 1 / 4
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    assert intervals[0].method.startswith("Wilson")
    worst = least_coverage(intervals, n, p, q, SHARES)
    assert worst >= 0.945
    assert worst_coverage(intervals, n, p, q) >= 0.944


def test_wilson_stays_near_its_level_at_the_edge_of_where_it_is_used():
    # At least 100.2 reports of the rarer kind are expected.
    n, p, q = 501, 0.8, 0.2
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    assert intervals[0].method.startswith("Wilson")
    assert 0.944 <= worst_coverage(intervals, n, p, q) < 0.945


@pytest.mark.parametrize("n", [501, 1000])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        pytest.param(1.0, 0.0, id="plain"),
        pytest.param(0.999994, 0.000006, id="epsilon-12"),
        pytest.param(0.0067, 0.9933, id="epsilon-5-turned-round"),
        pytest.param(0.95, 0.05, id="gamma-0.45"),
    ],
)
def test_where_one_report_is_rare_the_level_holds_beyond_500_too(n, p, q):
    """Wilson's interval would cover only 0.84 here at worst."""
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    assert intervals[0].method.startswith("Clopper-Pearson")
    assert worst_coverage(intervals, n, p, q) >= 0.95 - 1e-12


@pytest.mark.parametrize("n", [1, 7, 500, 501, 100_000])
def test_no_interval_is_empty_or_leaves_zero_to_one(n):
    for y in {0, n // 4, n // 2, n}:
        interval = share_interval(y, n, 3 / 4, 1 / 4)
        assert 0 <= interval.low < interval.high <= 1


def test_the_exact_method_ends_where_it_says():
    assert share_interval(250, 500, 0.75, 0.25).method.startswith("exact")
    assert share_interval(250, 501, 0.75, 0.25).method.startswith("Wilson")


def test_exact_bounds_lie_on_the_grid_and_agree_with_mirror_images():
    for y in range(11):
        one, other = share_interval(y, 10, 3 / 4, 1 / 4), share_interval(10 - y, 10, 3 / 4, 1 / 4)
        assert one.low == pytest.approx(1 - other.high, abs=1e-12)
        assert one.low * (GRID - 1) == pytest.approx(round(one.low * (GRID - 1)), abs=1e-6)


def test_more_confidence_is_a_longer_interval():
    short, long = (share_interval(40, 100, 0.75, 0.25, level) for level in (0.9, 0.99))
    assert long.low <= short.low < short.high <= long.high
