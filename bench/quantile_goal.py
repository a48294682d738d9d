"""Measures the goal "quantiles": variances in closed form, bias and coverage by simulation.

It writes docs/evidence/quantiles.md and the data of this page. Run it with
`.venv/bin/python -m bench.quantile_goal`. With `--page`, it only writes the page.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import cast

import numpy as np
import numpy.typing as npt

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
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
PAGE = EVIDENCE / "quantiles.md"
SEED, DRAWS = 20_261_126, 2_000
HIGHEST, LEVELS = 100, 11
LN_3 = "1.0986122886681098"
SIZES, EPSILONS = (200, 1_000, 5_000), ("1", LN_3, "2")
NAMES = {LN_3: "ln 3"}
# Surveys whose coverage the page explains.
EXPLAINED = (
    ("uniform", "1", 200),
    ("uniform", "1", 5_000),
    ("bell-shaped", "1", 5_000),
    ("bell-shaped", "2", 5_000),
    ("narrow", "2", 5_000),
    ("half at 0", "2", 5_000),
)
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


def variance_rows(sizes: Sequence[int] = (5, 11, 16)) -> list[dict[str, object]]:
    """n times the variances of the window and of the new table, at the median."""
    rows: list[dict[str, object]] = []
    for levels in sizes:
        for name in ("uniform", "bell-shaped", "skewed"):
            truth = true_distributions()[name] @ rounding_to(levels)
            for epsilon in ("0.5", "1", LN_3, "2", "4"):
                window, new = (
                    variance_at_median(table_of(goal, epsilon, levels), truth)
                    for goal in ("distribution", "quantiles")
                )
                rows.append(
                    {
                        "levels": levels,
                        "true answers": name,
                        "epsilon": NAMES.get(epsilon, epsilon),
                        "window": f"{window:.3g}",
                        "optimal_quantiles": f"{new:.3g}",
                    }
                )
    return rows


def rounding_to(levels: int) -> Array:
    """Random rounding of the answers to evenly spaced levels, which need not be answers."""
    at = np.arange(HIGHEST + 1) * (levels - 1) / HIGHEST
    return np.asarray(np.maximum(0, 1 - np.abs(np.subtract.outer(at, np.arange(levels)))))


def measured_row(name: str, truth: Array, share: float, epsilon: str, n: int) -> dict[str, object]:
    """A row of the data. Coverages and “wide” are parts of the surveys."""
    found = measure(truth, epsilon, n, share, DRAWS)
    return {
        "true answers": name,
        "quantile": TITLES[share],
        "epsilon": NAMES.get(epsilon, epsilon),
        "n": n,
        "coverage": f"{found.coverage:.4f}",
        "necessary coverage": f"{necessary_coverage(truth, epsilon, n, share):.4f}",
        "mean error": f"{found.error:+.2f}",
        "length": f"{found.length:g}",
        "wide": f"{found.wide:.4f}",
        "second coverage": f"{found.heaped_coverage:.4f}",
        "second length": f"{found.heaped_length:g}",
    }


def measured_rows() -> list[dict[str, object]]:
    return [
        measured_row(name, truth, share, epsilon, n)
        for name, truth in (true_distributions() | heaped_distributions()).items()
        for share in QUANTILES
        for epsilon in EPSILONS
        for n in SIZES
    ]


def step_rows() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, epsilon, n in EXPLAINED:
        steps = coverage_by_step(true_distributions()[name], epsilon, n, DRAWS)
        figures = zip(("1", "2", "3", "4"), (f"{each:.3f}" for each in steps), strict=True)
        rows.append({"true answers": name, "epsilon": epsilon, "n": n, **dict(figures)})
    return rows


def span(numbers: Iterable[float], digits: int = 0) -> str:
    """The smallest and the largest number, or one if they look the same."""
    texts = [f"{number:.{digits}f}" for number in sorted(numbers)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]}–{texts[-1]}"


def variance_table(rows: Sequence[Row]) -> str:
    epsilons = list(dict.fromkeys(row["epsilon"] for row in rows))
    lines = []
    for levels in dict.fromkeys(row["levels"] for row in rows):
        cells = [
            span(
                100 * float(row["optimal_quantiles"]) / float(row["window"])
                for row in rows
                if (row["levels"], row["epsilon"]) == (levels, epsilon)
            )
            for epsilon in epsilons
        ]
        lines.append([levels, *(f"{cell} %" for cell in cells)])
    return markdown_table(["levels", *(f"ε = {each}" for each in epsilons)], lines)


def coverage_table(rows: Sequence[Row]) -> str:
    """For each distribution, ε and n, the least favourable numbers of all quantiles."""
    lines = []
    for name in true_distributions():
        for epsilon in dict.fromkeys(row["epsilon"] for row in rows):
            cells = []
            for n in map(str, SIZES):
                found = [
                    row for row in rows
                    if (row["true answers"], row["epsilon"], row["n"]) == (name, epsilon, n)
                ]  # fmt: skip
                least = min(float(row["coverage"]) for row in found)
                error = max(abs(float(row["mean error"])) for row in found)
                length = max(float(row["length"]) for row in found)
                wide = max(float(row["wide"]) for row in found)
                cells.append(f"{least:.3f} ({error:.1f} : {length:.0f} : {100 * wide:.0f} %)")
            lines.append([name, epsilon, *cells])
    return markdown_table(["true answers", "ε", *(f"n = {n:,}" for n in SIZES)], lines)


def both_intervals(numbers: Iterable[float], digits: int = 0) -> str:
    """The numbers of the first and of the second interval."""
    return " → ".join(f"{number:.{digits}f}" for number in numbers)


def heaped_table(rows: Sequence[Row]) -> str:
    """For each distribution and n, the smallest coverages and longest lengths of both intervals."""
    lines = []
    for name in heaped_distributions():
        cells = []
        for n in map(str, SIZES):
            found = [row for row in rows if (row["true answers"], row["n"]) == (name, n)]
            coverages = (
                min(float(row[each]) for row in found) for each in ("coverage", "second coverage")
            )
            lengths = (
                max(float(row[each]) for row in found) for each in ("length", "second length")
            )
            covered, long = both_intervals(coverages, 3), both_intervals(lengths)
            cells.append(f"{covered} ({long})")
        lines.append([name, *cells])
    return markdown_table(["true answers", *(f"n = {n:,}" for n in SIZES)], lines)


def page(variances: Sequence[Row], measured: Sequence[Row], steps: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    smooth = [row for row in measured if row["true answers"] in true_distributions()]
    heaped = [row for row in measured if row["true answers"] in heaped_distributions()]
    covered = np.array([float(row["coverage"]) for row in smooth])
    necessary = np.array([float(row["necessary coverage"]) for row in smooth])
    excess = covered - necessary
    step_heads = ("true answers", "epsilon", "n", "1", "2", "3", "4")
    return wrapped(f"""# Quantiles

This page is for researchers who want to know how accurate `"goal": "quantiles"` is. [Optimal
quantiles](../explanation/mathematics.md#optimal-quantiles) describes the method. `.venv/bin/python
-m bench.quantile_goal` repeats the study with a fixed seed, and writes this page and its data:
[quantiles.csv](data/quantiles.csv), [quantile-variances.csv](data/quantile-variances.csv) and
[quantile-steps.csv](data/quantile-steps.csv).

## Variance at the median

The table has the variance of the estimated share of rounded answers up to the median, in percent of
the variance with the mechanism `window`. It is calculated with a closed formula, for uniform,
bell-shaped and skewed answers from 0 to 100.

{variance_table(variances)}

## Coverage

The true answers are whole numbers from 0 to 100, rounded at random to {LEVELS} levels. There are
{DRAWS:,} simulated surveys for each quantile, so the standard error of a coverage of 0.95 is
{np.sqrt(0.95 * 0.05 / DRAWS):.3f}. “Bell-shaped” has a mean of 50 and a standard deviation of 15,
and “narrow” of 37 and 6. “Skewed” is exponential with a mean of about 20. In “half at 0”, somewhat
more than half of the answers are 0, and the others are exponential with a mean of about 15.

An entry such as 0.968 (0.6 : 56 : 62 %) has the least favourable numbers of the median and both
quartiles. The first is the smallest coverage of the 95 % interval. In brackets are the largest mean
error, the longest median length, and the largest percentage of surveys whose interval is longer
than 50. For
such intervals, pages show no estimate. In the data, “wide” is this share, and “second” the interval
for heaped answers.

{coverage_table(smooth)}

## Why the coverage is high

The smallest coverage is {covered.min():.3f}, and {(covered >= 0.98).sum()} of the {len(covered)}
combinations have 0.98 or more. Answers are whole numbers, so even exact tests would cover more than
95 %. Let m be the true median, and F the distribution function. An interval excludes m only if a
test rejects “F(m) is at least one half” or “F(m − 1) is less”. If F(m) differs from one half by d₁,
F(m − 1) by d₂, and the standard deviations of their estimates are s₁ and s₂, the necessary coverage
is

    1 − Φ(−1.96 − d₁/s₁) − Φ(−1.96 − d₂/s₂)

With more responses, s₁ and s₂ become smaller, and this approaches 1. The measured coverage is
{excess.mean():.3f} above the necessary one on average, at most {excess.max():.3f} above and
{-excess.min():.3f} below it. This is due to the steps in which Candor constructs the interval:

1. a test of each possible value of the median, with the frequency of accepting the true one
2. the removal of falls of the test statistic
3. the allowance for the unknown shape between two levels
4. the rounding of the ends to whole numbers

With few responses, step 2 increases the coverage most. Where intervals are short, steps 3 and 4 do.
In “half at 0”, the test often rejects the true median 0, because F(0) is above one half. No smaller
answer is possible, so the interval then starts at 0.

{markdown_table(step_heads, [[row[head] for head in step_heads] for row in steps])}

## Heaped answers

If many people give the same number, the distribution function jumps. The reports do not show
whether it jumps or rises smoothly between two levels, so pages and files have a second interval,
whose tests hold for all answers. An entry has the smallest coverage of the first and of the second
interval over all quantiles and ε (1, ln 3, 2), and in brackets their longest median lengths. In
“multiples of 10”, the answers are bell-shaped with a mean of 45 and a standard deviation of 15. In
the rows with “60 %”, the other answers have the same shape. “Very narrow” has a mean of 35 and a
standard deviation of 1.5.

{heaped_table(heaped)}

Many distributions lead to the same reports. The second interval has to contain the quantile of each
of them, so it is long. If you expect multiples of 10, set the `step` of the question to 10. If at
most {LEVELS} answers are possible, Candor does not round at random, and there is only one interval.
""")


PARTS = {
    "quantile-variances": variance_rows,
    "quantiles": measured_rows,
    "quantile-steps": step_rows,
}


def main() -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in sys.argv:
        for name, part in PARTS.items():
            write_rows(name, part())
    PAGE.write_text(page(*map(read_rows, PARTS)), encoding="utf-8")


if __name__ == "__main__":
    main()
