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
from survey.core.mechanisms import build_randomizer
from survey.core.mechanisms.optimal_quantiles import cumulative_targets
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, score_variances, unbiased_scores
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
# Steps of the search for the weights of the bound.
BOUND_STEPS, BISECTIONS = 60, 60


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


def largest_variance(table: Randomizer) -> float:
    """n times the largest variance of a cumulative share, for equally common answers."""
    targets = cumulative_targets(table.answers)
    shares = targets.mean(axis=0)
    variances = score_variances(table, targets).mean(axis=0) + shares * (1 - shares)
    return float(variances.max())


def bound(answers: int, odds: float) -> float:
    """A lower bound of `largest_variance` for every table with this likelihood ratio.

    Notes
    -----
    For a report y, let u_y be its probabilities for all answers, divided by their mean q_y. The
    mean of u_y u_y' over the reports is M. For a target t with the mean zero over the answers, the
    variance of the least-variance scores is t' M^-1 t. The mean of u_y is the vector of ones, so M
    has this eigenvector with the eigenvalue k, the number of answers. A report can be split into
    several ones for which u has only two values, l and odds l, without a loss of information. If s
    answers have the larger value, the mean of u² is
    (1 + (odds² - 1) s / k) / (1 + (odds - 1) s / k)². So k times the largest such mean over s, less
    k, limits the sum of the other eigenvalues. None is above k, because reports say no more than
    answers. Let W be the weighted sum of t t' over the cumulative shares. The weighted mean of
    their variances, trace(M^-1 W), is at least the sum of w / m over the eigenvalues w of W. Here m
    is proportional to sqrt(w) and at most k. The largest variance is at least this mean, for any
    weights. The weights are improved in a few steps.
    """
    targets = cumulative_targets(answers)
    targets = targets - targets.mean(axis=0)
    parts = np.arange(1, answers) / answers
    squares = (1 + (odds**2 - 1) * parts) / (1 + (odds - 1) * parts) ** 2
    most = answers * float(squares.max() - 1)
    weights, best = np.full(answers - 1, 1 / (answers - 1)), 0.0
    for _ in range(BOUND_STEPS):
        values, vectors = np.linalg.eigh((targets * weights) @ targets.T)
        values, vectors = np.maximum(values[1:], 1e-15), vectors[:, 1:]
        low, high = 0.0, 1e9
        for _ in range(BISECTIONS * 3):
            scale = (low + high) / 2
            spent = np.minimum(answers, scale * np.sqrt(values)).sum()
            low, high = (low, scale) if spent > most else (scale, high)
        information = np.minimum(answers, high * np.sqrt(values))
        best = max(best, float((values / information).sum()))
        variances = ((vectors.T @ targets) ** 2 / information[:, np.newaxis]).sum(axis=0)
        weights = weights * (variances / variances.max()) ** 0.3
        weights = (weights + weights[::-1]) / (2 * weights.sum())
    return best


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
                    "bound": f"{bound(answers, float(np.exp(float(epsilon)))):.3g}",
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
    ratios = [
        float(row["variance"]) / float(row["bound"])
        for row in variances
        if row["epsilon"] in ("0.5", "1", "2")
    ]
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
smaller variance. The bound is the sum over eigenvalues in `bound` of bench/quantile_goal.py.

{variance_table(variances)}

For a median, the best design needs fewer respondents by about this factor at most. Up to ε = 2, it
is at most {max(ratios):.2f}. At ε = 4, the bound is too small, because most of the variance is that
of the sample. Column generation, a search over all sets, found tables with 7 % less variance for 21
answers, and with 9 % less for 51.

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
