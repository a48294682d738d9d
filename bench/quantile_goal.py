"""Measures the goal "quantiles": variances in closed form, bias and coverage by simulation.

It writes docs/evidence/quantiles.md and the data of this page. Run it with
`.venv/bin/python -m bench.quantile_goal`. With `--page`, it only writes the page.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import cast

import numpy as np
import numpy.typing as npt

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from bench.median_bounds import MOST_ANSWERS, bound, largest_variance
from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, unbiased_scores
from survey.estimation.quantile_estimates import (
    PART_OF_MISSES,
    QUANTILES,
    places_in_mean,
    places_of_quantile,
)

Array = npt.NDArray[np.float64]
PAGE = EVIDENCE / "quantiles.md"
SEED, DRAWS, LEVEL = 20_261_130, 2_000, 0.95
HIGHEST = 100
SIZES, EPSILONS = (200, 1_000, 5_000, 50_000), ("0.5", "1", "2", "4")
TITLES = {0.25: "first quartile", 0.5: "median", 0.75: "third quartile"}


def true_distributions() -> dict[str, Array]:
    """Distributions of the whole numbers from 0 to 100."""
    x = np.arange(HIGHEST + 1.0)
    bell = np.exp(-(((x - 45) / 15) ** 2) / 2)
    bell /= bell.sum()
    weights = {
        "uniform": np.ones_like(x),
        "bell-shaped": np.exp(-(((x - 50) / 15) ** 2) / 2),
        "skewed": np.exp(-((np.log((x + 0.5) / 7) / 0.8) ** 2) / 2) / (x + 0.5),
        "half at 0": np.exp(-x / 15) + (x == 0) * np.exp(-x / 15).sum(),
        "multiples of 5": bell * (x % 5 == 0),
        "multiples of 10": bell * (x % 10 == 0),
        "60 % gave 40": 0.6 * (x == 40) + 0.4 * bell,
        "all gave 45": np.asarray(x == 45, dtype=np.float64),
        "half gave 20, half 80": np.asarray((x == 20) | (x == 80), dtype=np.float64),
    }
    return {name: each / each.sum() for name, each in weights.items()}


@lru_cache
def table_of(goal: str, epsilon: str, answers: int = HIGHEST + 1) -> Randomizer:
    built = build_randomizer({"epsilon": epsilon, "goal": goal}, "numbers", answers)
    return cast(Randomizer, built)


@lru_cache
def known_scores(epsilon: str) -> tuple[Array, Array]:
    """The probabilities of the reports, and the scores of the cumulative shares."""
    table = table_of("quantiles", epsilon)
    return probabilities(table), unbiased_scores(table, np.triu(np.ones((HIGHEST + 1,) * 2)))


def quantile_of(truth: Array, share: float) -> int:
    return int(np.argmax(np.cumsum(truth) >= share - 1e-12))


@dataclass(frozen=True)
class Measured:
    """What the interval and the estimate of one quantile did in simulated surveys.

    Attributes
    ----------
    coverage : the part of the surveys whose interval contains the quantile
    error : the mean error of the estimate
    length : the median length of the interval
    wide : the part of the surveys whose interval is longer than half of the range
    """

    coverage: float
    error: float
    length: float
    wide: float


def measure(
    truth: Array, epsilon: str, n: int, share: float, draws: int, seed: int = SEED
) -> Measured:
    """Simulate surveys, and analyse all of them at once with the functions of Candor."""
    rng = np.random.default_rng([seed, n, round(100 * share)])
    chances, upto = known_scores(epsilon)
    excess = upto - share
    counts = rng.multinomial(n, truth @ chances, size=draws).astype(np.float64)
    more = places_in_mean(excess, chances, n)
    value, low, high = places_of_quantile(counts, excess, more, LEVEL)
    correct = quantile_of(truth, share)
    return Measured(
        float(np.mean((low <= correct) & (correct <= high))),
        float(np.mean(value - correct)),
        float(np.median(high - low)),
        float(np.mean(high - low > HIGHEST / 2)),
    )


def necessary_coverage(truth: Array, epsilon: str, n: int, share: float) -> float:
    """The coverage with exact tests, which is above the level because answers are whole.

    Let v be the true quantile, and F the true distribution function. An interval excludes v only if
    a test rejects "F(v) is at least the share", or "F(v - 1) is less". Both are true. The tests
    reject with a probability of exactly 4 % if the difference from the share is 0. Let s be the
    standard deviation of the estimate of F. If F(v) exceeds the share by d, its test rejects with
    the probability Phi(-1.75 - d / s), and likewise for v - 1.
    """
    limit = NormalDist().inv_cdf(1 - (1 - LEVEL) * PART_OF_MISSES)
    chances, upto = known_scores(epsilon)
    reached, quantile = np.cumsum(truth), quantile_of(truth, share)
    deviations = np.sqrt(np.maximum(truth @ chances @ upto**2 - reached**2, 1e-12) / n)
    missed = 0.0
    for answer, sign in ((quantile, 1), (quantile - 1, -1)):
        if 0 <= answer < HIGHEST:
            gap = sign * (float(reached[answer]) - share)
            missed += NormalDist().cdf(-limit - gap / float(deviations[answer]))
    return 1 - missed


def variance_rows(
    sizes: Sequence[int] = (5, 11, 21, 51, 101), epsilons: Sequence[str] = EPSILONS
) -> list[dict[str, object]]:
    """n times the largest variances, their bound, and the size of the table."""
    rows: list[dict[str, object]] = []
    for answers in sizes:
        for epsilon in epsilons:
            table = table_of("quantiles", epsilon, answers)
            rows.append(
                {
                    "answers": answers,
                    "epsilon": epsilon,
                    "reports": table.reports,
                    "variance": f"{largest_variance(table):.3g}",
                    "bound": f"{bound(table, float(np.exp(float(epsilon)))):.3g}",
                }
            )
    return rows


def measured_row(name: str, truth: Array, share: float, epsilon: str, n: int) -> dict[str, object]:
    """A row of the data. Coverages and “wide” are parts of the surveys."""
    found = measure(truth, epsilon, n, share, DRAWS)
    return {
        "true answers": name,
        "quantile": TITLES[share],
        "epsilon": epsilon,
        "n": n,
        "coverage": f"{found.coverage:.4f}",
        "necessary coverage": f"{necessary_coverage(truth, epsilon, n, share):.4f}",
        "mean error": f"{found.error:+.2f}",
        "length": f"{found.length:g}",
        "wide": f"{found.wide:.4f}",
    }


def measured_rows() -> list[dict[str, object]]:
    return [
        measured_row(name, truth, share, epsilon, n)
        for name, truth in true_distributions().items()
        for share in QUANTILES
        for epsilon in EPSILONS
        for n in SIZES
    ]


def span(numbers: Iterable[float], digits: int = 0) -> str:
    """The smallest and the largest number, or one if they look the same."""
    texts = [f"{number:.{digits}f}" for number in sorted(numbers)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]}–{texts[-1]}"


def variance_table(rows: Sequence[Row]) -> str:
    epsilons = list(dict.fromkeys(row["epsilon"] for row in rows))
    lines = []
    for answers in dict.fromkeys(row["answers"] for row in rows):
        found = [row for row in rows if row["answers"] == answers]
        ratios = (float(row["variance"]) / float(row["bound"]) for row in found)
        cells = (f"{row['variance']} ({each:.2f})" for row, each in zip(found, ratios, strict=True))
        lines.append([answers, span(float(row["reports"]) for row in found), *cells])
    return markdown_table(["answers", "reports", *(f"ε = {each}" for each in epsilons)], lines)


def coverage_table(rows: Sequence[Row]) -> str:
    """For each distribution, ε and n, the coverages and the longest length of all quantiles."""
    lines = []
    for name in true_distributions():
        for epsilon in EPSILONS:
            cells = []
            for n in map(str, SIZES):
                found = [
                    row for row in rows
                    if (row["true answers"], row["epsilon"], row["n"]) == (name, epsilon, n)
                ]  # fmt: skip
                covered = span((float(row["coverage"]) for row in found), 3)
                cells.append(f"{covered} ({max(float(row['length']) for row in found):.0f})")
            lines.append([name, epsilon, *cells])
    return markdown_table(["true answers", "ε", *(f"n = {n:,}" for n in SIZES)], lines)


def page_parts(variances: Sequence[Row], measured: Sequence[Row]) -> Iterator[str]:
    coverages = [float(row["coverage"]) for row in measured]
    gaps = [float(row["coverage"]) - float(row["necessary coverage"]) for row in measured]
    searched, others = (
        [
            float(row["variance"]) / float(row["bound"])
            for row in variances
            if (int(row["answers"]) <= MOST_ANSWERS) is few
        ]
        for few in (True, False)
    )
    yield f"""
# Quantiles

This page is for researchers who want to know how accurate `"goal": "quantiles"` is. [Optimal
quantiles](../explanation/mathematics.md#optimal-quantiles) describes the method.
`.venv/bin/python -m bench.quantile_goal` repeats the study with a fixed seed, and writes this page
and its data: [quantiles.csv](data/quantiles.csv) and
[quantile-variances.csv](data/quantile-variances.csv).

## Variance

The share of people with at most a certain number is a cumulative share. The table has n times the
largest variance of an estimated cumulative share, if all answers are equally common. In brackets
is its ratio to a lower bound. No table with this ε in which each respondent sends one report has a
smaller variance. `bench/median_bounds.py` proves two bounds, of which the table uses the larger
one. The first follows from eigenvalues. The second, for up to {MOST_ANSWERS} answers, needs a
search over all sets of answers that a report can name.

{variance_table(variances)}

For a median, the best design needs fewer respondents by about this factor at most. It is at most
{max(searched):.2f} for up to {MOST_ANSWERS} answers. With more answers, it is at most
{max(others):.2f}. At ε = 4, the first bound is too small, because it does not use that most of the
variance is that of the sample. Column generation found tables with 9 % less variance for 51
answers.

## Coverage

The true answers are whole numbers from 0 to 100. There are {DRAWS:,} simulated surveys for each
quantile, so the standard error of a coverage of 0.95 is 0.005. “Bell-shaped” has a mean of 50 and a
standard deviation of 15. “Skewed” is log-normal with a median of about 7. In “half at 0”, somewhat
more than half of the answers are 0, and the others are exponential with a mean of about 15. In
“multiples of 5”, “multiples of 10” and “60 % gave 40”, the other answers are bell-shaped with a
mean of 45 and a standard deviation of 15.

An entry such as 0.950–0.981 (20) has the coverages of the median and both quartiles, and the
longest median length of their intervals. In the data, “wide” is the part of the surveys whose
interval is longer than 50. For such intervals, pages show no estimate.

{coverage_table(measured)}

## Why the coverage is high

The smallest coverage is {min(coverages):.3f}. {sum(each > 0.985 for each in coverages)} of the
{len(coverages)} combinations have more than 0.985. There are two causes.

Answers are whole numbers, so even exact tests would cover more than 95 %. Let v be the true
quantile, and F the distribution function. An interval excludes v only if a test rejects “F(v) is at
least the share” or “F(v − 1) is less”. If F(v) differs from the share by d₁, F(v − 1) by d₂, and
the standard deviations of their estimates are s₁ and s₂, the necessary coverage is

    1 − Φ(−1.75 − d₁/s₁) − Φ(−1.75 − d₂/s₂)

With more responses, s₁ and s₂ become smaller, and this approaches 1.

The interval also has all answers between accepted ones. If F rises slowly compared with its
standard error, many answers are nearly accepted, and random error accepts one that is far away. So
the measured coverage is {np.mean(gaps):.3f} above the necessary one on average. It is at most
{-min(gaps):.3f} below it.
"""


def page(*rows: Sequence[Row]) -> str:
    return wrapped("".join(page_parts(*rows)).lstrip("\n"))


PARTS = {
    "quantile-variances": variance_rows,
    "quantiles": measured_rows,
}


def main() -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in sys.argv:
        for name, part in PARTS.items():
            write_rows(name, part())
    PAGE.write_text(page(*map(read_rows, PARTS)), encoding="utf-8")


if __name__ == "__main__":
    main()
