"""Measures the goal "quantiles": variances in closed form, bias and coverage by simulation.

It writes docs/evidence/quantiles.md. Run it with `.venv/bin/python -m bench.quantile_goal`.
"""

from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from survey.core.mechanisms import build_randomizer
from survey.core.mechanisms.optimal_quantiles import cumulative_targets
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, scores_of_table, unbiased_scores
from survey.estimation.mean_estimates import NumericReports
from survey.estimation.quantile_estimates import estimate_quantile

Array = npt.NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "quantiles.md"
SEED, DRAWS = 20_261_126, 300
HIGHEST, LEVELS = 100, 11
SIZES, EPSILONS, SHARES = (200, 1_000, 5_000), ("1", "2"), (0.5,)
NAMES = {"1.0986122886681098": "ln 3"}
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


def measure(
    truth: Array, epsilon: str, n: int, share: float, draws: int, seed: int = SEED
) -> tuple[float, float, float, float]:
    """Coverage, mean error of the estimate, median length, and the share of lengths above 50."""
    rng = np.random.default_rng([seed, n, round(100 * share)])
    table = table_of("quantiles", epsilon)
    correct = float(np.argmax(np.cumsum(truth) >= share - 1e-12))
    values = np.linspace(0, HIGHEST, LEVELS)
    chances = truth @ rounding(LEVELS) @ probabilities(table)
    hits, errors, lengths = 0, [], []
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
        hits += found.interval.low <= correct <= found.interval.high
        errors.append(found.value - correct)
        lengths.append(found.interval.high - found.interval.low)
    wide = float(np.mean(np.array(lengths) > HIGHEST / 2))
    return hits / draws, float(np.mean(errors)), float(np.median(lengths)), wide


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
    return np.maximum(0, 1 - np.abs(np.subtract.outer(at, np.arange(levels))))


def coverage_rows(draws: int) -> list[str]:
    rows = []
    for name, truth in true_distributions().items():
        for share in SHARES:
            for epsilon in EPSILONS:
                cells = []
                for n in SIZES:
                    hit, error, length, wide = measure(truth, epsilon, n, share, draws)
                    cells.append(f"{hit:.3f} ({error:+.1f} : {length:.0f} : {100 * wide:.0f} %)")
                named = NAMES.get(epsilon, epsilon)
                rows.append(f"| {name} | {TITLES[share]} | {named} | {' | '.join(cells)} |")
    return rows


def page(draws: int = DRAWS) -> str:
    variances, coverage = "\n".join(variance_rows()), "\n".join(coverage_rows(draws))
    return f"""# Quantiles

This page is for researchers who want to know how accurate `"goal": "quantiles"` is. The method
is in [Optimal quantiles](../explanation/mathematics.md#optimal-quantiles). The command
`.venv/bin/python -m bench.quantile_goal` writes this page, with a fixed seed.

## Variance at the median

Each entry is n times the variance of an estimated share, from its closed form. It is the share of
answers up to the level of the median. The first number is for the mechanism `window`, the second
for `optimal_quantiles`. The percentage is their ratio. The true answers are from 0 to 100, and are
rounded at random to the levels. With as few levels as 5 and ε = 4, both tables are the same.

| levels | true answers | ε = 0.5 | ε = 1 | ε = ln 3 | ε = 2 | ε = 4 |
|---|---|---|---|---|---|---|
{variances}

## Coverage

The true answers are whole numbers from 0 to 100, rounded at random to {LEVELS} levels. Each entry
has, for {draws:,} simulated surveys:

1. the share of the 95 % intervals that contain the true quantile
2. in brackets: the mean error of the estimate : the median length of the interval : the percentage
   of surveys whose interval is longer than 50, so that pages show no estimate.

The standard error of a coverage of 0.95 is {np.sqrt(0.95 * 0.05 / draws):.3f}. True quantiles and
ends of intervals are whole numbers. If an interval is only a few numbers long, this alone raises
the coverage. "Skewed" is exponential with a mean of about 20. "Narrow" is bell-shaped, with a
standard deviation that is 0.6 times the distance between levels. "Half at 0" has half of its
answers at 0, and the others are exponential.

| true answers | quantile | ε | n = 200 | n = 1,000 | n = 5,000 |
|---|---|---|---|---|---|
{coverage}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
