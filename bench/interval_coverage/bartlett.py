"""Would a Bartlett correction give intervals of regressions a coverage nearer to 95 %?

The likelihood ratio statistic of a coefficient has the chi-squared distribution only with many
responses. Bartlett's correction divides it by its mean under the hypothesis. This module compares
three statistics, by the code of `regressions`:

* the statistic itself, which Candor uses,
* the statistic divided by its mean over all simulated surveys. Nobody knows this mean, because it
  depends on the true coefficients,
* the statistic divided by its mean over surveys that are simulated under the hypothesis (a
  parametric bootstrap). The coefficient then has the true value, and the others have their
  estimates in this survey.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np
from scipy.special import expit

from bench.interval_coverage.regressions import (
    LIMIT,
    NO_SLOPES,
    Cell,
    Surveys,
)
from survey.analysis.regression.models import Array

SEED, SURVEYS, COPIES = 20261127, 600, 40
# Estimated coefficients of the simulated surveys are limited to this, so that reports vary.
MAX_SIMULATED = 5.0
# The first two and the last two have some of the highest coverages, the third one of the lowest.
CELLS = (
    Cell(100, "1", 0.05),
    Cell(100, "ln 3", 0.1),
    Cell(100, "2", 0.5),
    Cell(200, "1", 0.05, NO_SLOPES),
    Cell(200, "ln 3", 0.05, NO_SLOPES),
)


def copies_of(surveys: Surveys, coefficients: Array, generator: np.random.Generator) -> Surveys:
    """COPIES surveys with the predictors of each survey, simulated from its coefficients."""
    copies = copy(surveys)
    copies.number = np.repeat(surveys.number, COPIES, axis=0)
    yes = expit(copies.eta(coefficients))
    kept = surveys.cell.kept
    copies.yes = generator.random(yes.shape) < 1 - kept + (2 * kept - 1) * yes
    return copies


def coverages(surveys: Surveys, coefficients: Sequence[int], seed: int) -> Array:
    """The mean of the statistic, and the coverage with each of the three: (coefficients, 4)."""
    truth = np.tile(surveys.cell.truth, (len(surveys), 1))
    ratios, held = surveys.ratios(coefficients, truth)
    means = []
    for place, j in enumerate(coefficients):
        known = np.repeat(np.clip(held[place], -MAX_SIMULATED, MAX_SIMULATED), COPIES, axis=0)
        copies = copies_of(surveys, known, np.random.default_rng([SEED, seed, place]))
        means.append(copies.ratios([j], known)[0].reshape(len(surveys), COPIES).mean(axis=1))
    statistics = ratios, ratios / ratios.mean(axis=0), ratios / np.transpose(means)
    rates = [(each <= LIMIT).mean(axis=0) for each in statistics]
    return np.transpose([ratios.mean(axis=0), *rates])


def simulated_coverages() -> dict[Cell, Array]:
    """For each cell, the figures of `coverages` for the three coefficients, shape (3, 4)."""
    rates = {}
    for place, cell in enumerate(CELLS):
        surveys = Surveys(cell, SURVEYS)
        free = copy(surveys)
        free.free_constant = True
        constant, slopes = (
            coverages(free, [0], 2 * place),
            coverages(surveys, [1, 2], 2 * place + 1),
        )
        rates[cell] = np.vstack([constant, slopes])
    return rates
