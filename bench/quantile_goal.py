"""Measures the goal "quantiles": variances in closed form, bias and coverage by simulation.

It writes docs/evidence/quantiles.md. Run it with `.venv/bin/python -m bench.quantile_goal`.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import cast

import numpy as np
import numpy.typing as npt

from survey.core.mechanisms import build_randomizer
from survey.core.mechanisms.optimal_quantiles import cumulative_targets
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, scores_of_table, unbiased_scores
from survey.estimation.mean_estimates import NumericReports
from survey.estimation.quantile_estimates import (
    FALLS_OF_HIGH,
    FALLS_OF_LOW,
    QUANTILES,
    SHAPE_ERROR,
    cumulative_curve,
    estimate_quantile,
    first_reached,
    last_reached,
    remove_falls,
)

Array = npt.NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "quantiles.md"
SEED, DRAWS = 20_261_126, 2_000
HIGHEST, LEVELS = 100, 11
SIZES, EPSILONS = (200, 1_000, 5_000), ("1", "1.0986122886681098", "2")
NAMES = {"1.0986122886681098": "ln 3"}
# Surveys whose coverage the page explains.
EXPLAINED = (
    ("uniform", "1", 200),
    ("uniform", "1", 5_000),
    ("bell-shaped", "1", 5_000),
    ("bell-shaped", "2", 5_000),
    ("narrow", "2", 5_000),
    ("half at 0", "2", 5_000),
)
# A coverage is called higher than necessary if it exceeds the necessary one by two standard errors.
EXCESS = 0.01
TITLES = {0.25: "first quartile", 0.5: "median", 0.75: "third quartile"}


def true_distributions() -> dict[str, Array]:
    """Distributions of the whole numbers from 0 to 100."""
    x = np.arange(HIGHEST + 1.0)
    weights = {
        "uniform": np.ones_like(x),
        "bell-shaped": np.exp(-(((x - 50) / 15) ** 2) / 2),
        "skewed": np.exp(-x / 20),
        "narrow": np.exp(-(((x - 37) / 6) ** 2) / 2),
        "half at 0": np.exp(-x / 15) + (x == 0) * np.exp(-x / 15).sum(),
    }
    return {name: each / each.sum() for name, each in weights.items()}


def heaped_distributions() -> dict[str, Array]:
    """Distributions of the whole numbers from 0 to 100 in which many people gave one number."""
    x = np.arange(HIGHEST + 1.0)
    bell, narrow = np.exp(-(((x - 45) / 15) ** 2) / 2), np.exp(-(((x - 35) / 1.5) ** 2) / 2)
    bell /= bell.sum()
    weights = {
        "multiples of 10": bell * (x % 10 == 0),
        "60 % gave 40": 0.6 * (x == 40) + 0.4 * bell,
        "60 % gave 37": 0.6 * (x == 37) + 0.4 * bell,
        "60 % gave 45": 0.6 * (x == 45) + 0.4 * bell,
        "all gave 45": np.asarray(x == 45, dtype=np.float64),
        "very narrow": narrow,
        "half gave 20, half 80": np.asarray((x == 20) | (x == 80), dtype=np.float64),
    }
    return {name: each / each.sum() for name, each in weights.items()}


@lru_cache
def table_of(goal: str, epsilon: str, levels: int = LEVELS) -> Randomizer:
    built = build_randomizer({"epsilon": epsilon, "goal": goal}, "numbers", levels)
    return cast(Randomizer, built)


def variance_at_median(table: Randomizer, truth: Array) -> float:
    """n times the variance of the estimated share up to the level of the median."""
    targets, chances = cumulative_targets(table.answers), probabilities(table)
    shares = truth @ targets
    median = int(np.argmax(shares >= 0.5))
    scores = scores_of_table(chances, targets)[:, median]
    return float(truth @ chances @ scores**2 - shares[median] ** 2)


def rounding(levels: int) -> Array:
    """The probability of each level for each answer."""
    width = HIGHEST // (levels - 1)
    below, rest = np.divmod(np.arange(HIGHEST + 1), width)
    chances = np.zeros((HIGHEST + 1, levels))
    chances[np.arange(HIGHEST + 1), below] = 1 - rest / width
    inner = rest > 0
    chances[np.flatnonzero(inner), below[inner] + 1] = rest[inner] / width
    return chances


@dataclass(frozen=True)
class Measured:
    """What the intervals of one quantile did in simulated surveys.

    Attributes
    ----------
    coverage, length : of the interval for smoothly spread answers; the length is the median
    error : the mean error of the estimate
    wide : the share of surveys whose interval is longer than half of the range
    heaped_coverage, heaped_length : of the interval if many people may have given the same number
    """

    coverage: float
    error: float
    length: float
    wide: float
    heaped_coverage: float
    heaped_length: float


def measure(
    truth: Array, epsilon: str, n: int, share: float, draws: int, seed: int = SEED
) -> Measured:
    """Simulate surveys, and analyse them by Candor."""
    rng = np.random.default_rng([seed, n, round(100 * share)])
    table = table_of("quantiles", epsilon)
    correct = float(np.argmax(np.cumsum(truth) >= share - 1e-12))
    values = np.linspace(0, HIGHEST, LEVELS)
    chances = truth @ rounding(LEVELS) @ probabilities(table)
    ends, errors = [], []
    known: dict[bytes, Array] = {}

    def scores(target: Array) -> Array:
        """The scores, which are the same in every survey."""
        if target.tobytes() not in known:
            known[target.tobytes()] = unbiased_scores(table, target)
        return known[target.tobytes()]

    for counts in rng.multinomial(n, chances, size=draws):
        seen = NumericReports(
            counts.astype(float), values, 0, scores, None, 10.0, 1.0, for_quantiles=True
        )
        found = estimate_quantile(seen, share)
        alone = found.interval.low, found.interval.high
        ends.append((*alone, *(found.heaped or alone)))
        errors.append(found.value - correct)
    low, high, lowest, highest = np.transpose(ends)
    return Measured(
        float(np.mean((low <= correct) & (correct <= high))),
        float(np.mean(errors)),
        float(np.median(high - low)),
        float(np.mean(high - low > HIGHEST / 2)),
        float(np.mean((lowest <= correct) & (correct <= highest))),
        float(np.median(highest - lowest)),
    )


def necessary_coverage(truth: Array, epsilon: str, n: int, share: float) -> float:
    """The coverage with exact one-sided tests, which is above the level because answers are whole.

    Let m be the true quantile, and F the true distribution function. An interval with whole ends
    excludes m only if a test rejects "F(m) is at least the share", or "F(m - 1) is less". Both are
    true. The tests reject with a probability of exactly 2.5 % if the difference from the share is
    0. The estimate of F is that of Candor, with its true standard deviation s. If F(m) exceeds the
    share by d, its test rejects with the probability Phi(-1.96 - d / s), and likewise for m - 1.
    """
    table, limit = table_of("quantiles", epsilon), NormalDist().inv_cdf(0.975)
    reached = np.cumsum(truth)
    quantile = int(np.argmax(reached >= share - 1e-12))
    chances = truth @ rounding(LEVELS) @ probabilities(table)
    places, weights = cumulative_curve(np.linspace(0, HIGHEST, LEVELS), HIGHEST / (LEVELS - 1))
    excess = unbiased_scores(table, np.triu(np.ones((LEVELS, LEVELS)))) @ weights.T - share
    deviations = np.sqrt((chances @ excess**2 - (chances @ excess) ** 2) / n)
    missed = 0.0
    # The curve reaches F of a whole number half a step later.
    for answer, sign in ((quantile, 1), (quantile - 1, -1)):
        if answer >= 0:
            gap = sign * (float(reached[answer]) - share)
            deviation = float(np.interp(answer + 0.5, places, deviations))
            missed += NormalDist().cdf(-limit - gap / deviation)
    return 1 - missed


def coverage_by_step(truth: Array, epsilon: str, n: int, draws: int) -> list[float]:
    """How often the interval of the median contains it, after each step of its construction.

    These are the test of the true median alone, the removal of falls, the allowance for the shape
    of the curve, and the ends that are whole numbers.
    """
    rng = np.random.default_rng([SEED, n, 50])
    table, limit = table_of("quantiles", epsilon), NormalDist().inv_cdf(0.975)
    correct = float(np.argmax(np.cumsum(truth) >= 0.5 - 1e-12))
    chances = truth @ rounding(LEVELS) @ probabilities(table)
    width = HIGHEST / (LEVELS - 1)
    places, weights = cumulative_curve(np.linspace(0, HIGHEST, LEVELS), width)
    upto = unbiased_scores(table, np.triu(np.ones((LEVELS, LEVELS))))
    excess = upto @ weights.T - 0.5
    # The curve of the expected reports reaches one half here.
    median = first_reached(places, chances @ excess)
    hits = np.zeros(4)
    for counts in rng.multinomial(n, chances, size=draws).astype(float):
        means = counts @ excess / n
        signals = means / (np.sqrt(counts @ excess**2) / n)
        low = first_reached(places, remove_falls(signals, FALLS_OF_LOW) + limit)
        high = last_reached(places, remove_falls(signals, FALLS_OF_HIGH) - limit)
        value = first_reached(places, remove_falls(means))
        longer = [
            value + side * math.hypot(max(0.0, side * (end - value)), SHAPE_ERROR * width)
            for end, side in ((low, -1), (high, 1))
        ]
        whole = [min(max(math.ceil(end - 0.5 - 1e-9), 0), HIGHEST) for end in longer]
        hits += (
            abs(float(np.interp(median, places, signals))) <= limit,
            low <= median <= high,
            longer[0] <= median <= longer[1],
            whole[0] <= correct <= whole[1],
        )
    return [float(each) for each in hits / draws]


def step_rows(draws: int) -> list[str]:
    rows = []
    for name, epsilon, n in EXPLAINED:
        steps = coverage_by_step(true_distributions()[name], epsilon, n, draws)
        cells = " | ".join(f"{each:.3f}" for each in steps)
        rows.append(f"| {name} | {epsilon} | {n:,} | {cells} |")
    return rows


def variance_rows() -> list[str]:
    """One row for each number of levels and distribution: the window, and the new table."""
    rows = []
    for levels in (5, 11, 16):
        truths = {
            name: truth @ rounding_to(levels)
            for name, truth in true_distributions().items()
            if name in ("uniform", "bell-shaped", "skewed")
        }
        for name, truth in truths.items():
            cells = []
            for epsilon in ("0.5", "1", "1.0986122886681098", "2", "4"):
                old = variance_at_median(table_of("distribution", epsilon, levels), truth)
                new = variance_at_median(table_of("quantiles", epsilon, levels), truth)
                cells.append(f"{old:.3g} → {new:.3g} ({100 * new / old:.0f} %)")
            rows.append(f"| {levels} | {name} | {' | '.join(cells)} |")
    return rows


def rounding_to(levels: int) -> Array:
    """Random rounding of the answers to evenly spaced levels, which need not be answers."""
    at = np.arange(HIGHEST + 1) * (levels - 1) / HIGHEST
    return np.asarray(np.maximum(0, 1 - np.abs(np.subtract.outer(at, np.arange(levels)))))


def coverage_rows(draws: int) -> tuple[list[str], Array]:
    """The rows, and for each entry three coverages, shape (entries, 3).

    These are the measured and the necessary one, and the one of the interval for heaped answers.
    """
    rows, rates = [], []
    for name, truth in true_distributions().items():
        for share in QUANTILES:
            for epsilon in EPSILONS:
                cells = []
                for n in SIZES:
                    found = measure(truth, epsilon, n, share, draws)
                    least = necessary_coverage(truth, epsilon, n, share)
                    rates.append((found.coverage, least, found.heaped_coverage))
                    wide = f"{100 * found.wide:.0f} %"
                    figures = f"{found.error:+.1f} : {found.length:.0f} : {wide}"
                    cells.append(f"{found.coverage:.3f}, {least:.3f} ({figures})")
                named = NAMES.get(epsilon, epsilon)
                rows.append(f"| {name} | {TITLES[share]} | {named} | {' | '.join(cells)} |")
    return rows, np.array(rates)


def heaped_rows(draws: int) -> tuple[list[str], Array]:
    """The rows, and the coverages of the interval for heaped answers, shape (entries,)."""
    rows, rates = [], []
    for name, truth in heaped_distributions().items():
        for share in QUANTILES:
            for epsilon in EPSILONS:
                cells = []
                for n in SIZES:
                    found = measure(truth, epsilon, n, share, draws)
                    rates.append(found.heaped_coverage)
                    lengths = f"{found.length:.0f} → {found.heaped_length:.0f}"
                    cells.append(f"{found.coverage:.3f} → {found.heaped_coverage:.3f} ({lengths})")
                named = NAMES.get(epsilon, epsilon)
                rows.append(f"| {name} | {TITLES[share]} | {named} | {' | '.join(cells)} |")
    return rows, np.array(rates)


def page(draws: int = DRAWS) -> str:
    rows, rates = coverage_rows(draws)
    heaped, heaped_rates = heaped_rows(draws)
    variances, coverage = "\n".join(variance_rows()), "\n".join(rows)
    steps = "\n".join(step_rows(draws))
    covered, necessary, safe = rates.T
    heaped_table = "\n".join(heaped)
    high, forced = int((covered >= 0.98).sum()), int((necessary >= 0.98).sum())
    unforced = int(((covered >= 0.98) & (necessary < 0.98)).sum())
    excess = covered - necessary
    longer, lower = excess > EXCESS, int((excess < 0).sum())
    return f"""# Quantiles

This page is for researchers who want to know how accurate `"goal": "quantiles"` is. [Optimal
quantiles](../explanation/mathematics.md#optimal-quantiles) describes the method. The command
`.venv/bin/python -m bench.quantile_goal` writes this page, with a fixed seed.

## Variance at the median

The table compares the precision of an estimated share. It is the share of rounded answers up to
the level at which their cumulative share reaches one half. Each entry is the variance of the
estimate, times the number n of responses, calculated with a closed formula. The first number is
for the mechanism `window`, the second for `optimal_quantiles`. The percentage is the second number
divided by the first. The true answers are from 0 to 100, and are rounded at random to the levels.
With 5 levels and ε = 4, both mechanisms have the same randomizer.

| levels | true answers | ε = 0.5 | ε = 1 | ε = ln 3 | ε = 2 | ε = 4 |
|---|---|---|---|---|---|---|
{variances}

## Coverage

The true answers are whole numbers from 0 to 100, rounded at random to {LEVELS} levels. Everyone
gives a number. Each entry is based on {draws:,} simulated surveys, and has three parts:

1. the share of the 95 % intervals that contain the true quantile (their coverage)
2. the necessary coverage, [explained below](#why-the-coverage-is-high)
3. in brackets: the mean error of the estimate, the median length of the interval, and the
   percentage of surveys whose interval is longer than 50. For such intervals, pages show no
   estimate.

The standard error of a coverage of 0.95 is {np.sqrt(0.95 * 0.05 / draws):.3f}. “Bell-shaped” has a
mean of 50 and a standard deviation of 15. “Skewed” is exponential with a mean of about 20.
“Narrow” is bell-shaped with a mean of 37 and a standard deviation of 6. In “half at 0”, somewhat
more than half of the answers are 0, and the others are exponential with a mean of about 15. The
study simulates no other number of levels, ε or n, and no special answers. The section [Heaped
answers](#heaped-answers) has other distributions.

| true answers | quantile | ε | n = 200 | n = 1,000 | n = 5,000 |
|---|---|---|---|---|---|
{coverage}

## Why the coverage is high

The smallest coverage in the table is {covered.min():.3f}, and {high} of its {len(covered)} entries
are at least 0.98. In {forced} entries, even the necessary coverage is at least 0.98. Of the other
entries, {unforced} are at least 0.98, and at most {covered[necessary < 0.98].max():.3f}. The
necessary
coverage is that of exact tests. It is above 0.95 because answers are whole numbers. Let m be the
true quantile, and F(m) the share of answers up to m. For the median, F(m − 1) is less than one
half, and F(m) is at least one half. An interval excludes m only if a test rejects one of these two
true statements. Each test rejects with a probability of 2.5 % if the share is exactly one half, and
less often if the share is farther from one half. If the share differs from one half by d, and the
standard deviation of its estimate is s, the probability is Φ(−1.96 − d/s). Here Φ is the standard
normal distribution function. The necessary coverage is therefore

    1 − Φ(−1.96 − d₁/s₁) − Φ(−1.96 − d₂/s₂)

The first d and s are those of F(m), the second those of F(m − 1). With more responses, s becomes
smaller, and the necessary coverage approaches 1. With exact tests of the same estimates, an
interval with whole ends that contains all accepted values would have at least this coverage.
Candor's tests are approximate, and the second step below makes the interval shorter. In {lower}
entries, its coverage is therefore lower, by at most {-excess.min():.3f}.

The measured coverage exceeds the necessary one by {excess.mean():.3f} on average. In
{longer.sum()} entries, it does so by more than two standard errors ({EXCESS}), and the interval is
longer than necessary. These are {longer[0::3].sum()} of the 45 entries with {SIZES[0]} responses,
{longer[1::3].sum()} of those with {SIZES[1]:,}, and {longer[2::3].sum()} of those with
{SIZES[2]:,}. All numbers in this section are calculated from coverages that are not rounded.

Candor constructs the interval of the median in four steps. The next table has the coverage after
each step. Each row is based on {draws:,} surveys. The steps are:

1. A test accepts or rejects each possible value of the median. The coverage is how often it
   accepts the true median.
2. With few responses, the test can reject values between accepted ones, because the estimated
   distribution function can cross one half several times. The test statistic should rise with the
   value. Where it falls, Candor replaces it by a weighted mean of two curves. One is the largest
   statistic at this or a smaller value. The other is the smallest statistic at this or a larger
   value. At each end of the interval, the curve that makes the interval shorter has the weight
   0.7. With equal weights, intervals would be longer, and their coverage higher.
3. The interval becomes longer, because the shape of the distribution function between two levels is
   unknown. Let w be the distance between levels. Candor replaces the distance L from the estimate
   to each end by √(L² + (w/10)²).
4. The ends are rounded to whole numbers. The true median is a whole number, too.

In the row with 200 responses, the second step increases the coverage most. In the next four rows,
the intervals are short, and the third and fourth steps increase it most. In “half at 0”, the test
often rejects the true median 0, because F(0) is above one half. No smaller answer is possible, so
the interval then starts at 0.

| true answers | ε | n | 1 | 2 | 3 | 4 |
|---|---|---|---|---|---|---|
{steps}

## Heaped answers

People often give round numbers, and sometimes most people give the same number. Then the
distribution function jumps. Because answers are rounded at random, the reports do not show whether
it jumps or rises smoothly between two levels: both have the same probabilities of reports. The
intervals above are for smoothly spread answers. For other answers, pages and files have a second
interval, whose tests use only [bounds of the distribution
function](../explanation/mathematics.md#optimal-quantiles) that hold for all answers. The next
table has the coverage of both intervals, and in brackets their median lengths. In “multiples of
10”, the answers are bell-shaped with a mean of 45 and a standard deviation of 15, and rounded to
multiples of 10. In the rows with “60 %”, the other answers have the same bell shape. “Very narrow”
is bell-shaped with a mean of 35 and a standard deviation of 1.5.

| true answers | quantile | ε | n = 200 | n = 1,000 | n = 5,000 |
|---|---|---|---|---|---|
{heaped_table}

In this table, the smallest coverage of the second interval is {heaped_rates.min():.3f}. In the
surveys of the section [Coverage](#coverage), whose table does not contain it, it is
{safe.min():.3f}. Many distributions of answers lead to the same reports. The second interval has
to contain the quantile of each of them, so it is long. If you expect multiples of 10, set the
`step` of the question to 10. By default, Candor does not round answers at random if at most
{LEVELS} answers are possible. Then there is only one interval.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
