"""How often the intervals of the automatic estimator contain the true coefficients.

Each cell has a sample size, a privacy loss ε and a prevalence. The predictors are a group (two
halves) and a number with seven values, so respondents who are alike are counted together. The
estimator is chosen as in `survey.analysis.regression.estimators`, written out for all surveys of a
cell. Some surveys are also fitted by Candor.
"""

from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from bench.interval_coverage.regressions import (
    EPSILONS,
    LIMIT,
    SEED,
    TINY,
    Cell,
    Surveys,
)
from survey.analysis.regression.estimators import AUTOMATIC, MAXIMUM_LIKELIHOOD, NEARLY_EQUAL
from survey.analysis.regression.maximum_likelihood import FLAT_RELATIVE_CURVATURE
from survey.analysis.regression.models import Array

AUTOMATIC_SIZES, AUTOMATIC_PREVALENCES = (200, 1_000, 5_000), (0.1, 0.4)
NUMBERS = np.arange(-3.0, 4.0) / 2
# Without a finite maximum, the search ends at a larger logit.
MAX_LOGIT = 12.0
# Logits from an estimate, on the way to an end that may be infinite.
FAR = (1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True)
class AutomaticCell(Cell):
    """A cell whose number has the values NUMBERS, all equally likely."""

    @property
    def quadrature(self) -> tuple[Array, Array]:
        return NUMBERS, np.full(len(NUMBERS), 1 / len(NUMBERS))


@dataclass(frozen=True)
class AutomaticResult:
    """What the surveys of a cell gave, in shares of the surveys.

    Attributes
    ----------
    covered : float array (3,), coverage of the automatic intervals
    penalised, likeliest : the same of the penalised estimator and of maximum likelihood, which has
        no interval where it is not finite
    chosen : how often the choice was maximum likelihood
    differences : intervals and choices by Candor that differ
    """

    covered: Array
    penalised: Array
    likeliest: Array
    chosen: float
    differences: int


class CountedSurveys(Surveys):
    """Surveys with a column for each combination of group, number and report."""

    estimator = AUTOMATIC

    def __init__(self, cell: AutomaticCell, count: int) -> None:
        key = [SEED, cell.n, list(EPSILONS).index(cell.epsilon), round(1_000 * cell.prevalence)]
        generator = np.random.default_rng([*key, len(NUMBERS)])
        self.cell = cell
        groups, numbers = (each.ravel() for each in np.meshgrid((0.0, 1.0), NUMBERS))
        sizes = [
            generator.multinomial(cell.n // 2, np.full(len(NUMBERS), 1 / len(NUMBERS)), count)
            for _ in range(2)
        ]
        asked = np.stack(sizes, axis=2).reshape(count, -1)
        constant, group, number = cell.truth
        share = expit(constant + group * groups + number * numbers)
        said = 1 - cell.kept + (2 * cell.kept - 1) * share
        yes = generator.binomial(asked, said)
        self.group, both = np.tile(groups, 2), np.tile(numbers, 2)
        self.number = np.tile(both, (count, 1))
        self.yes = np.tile(np.repeat([True, False], len(groups)), (count, 1))
        self.counts = np.hstack([yes, asked - yes])

    def observed(self, b: Array) -> Array:
        """The observed information, with pseudo-data, shape (surveys, 3, 3)."""
        yes = expit(self.eta(b))
        dense, share = yes * (1 - yes), 2 * self.cell.kept - 1
        said = 1 - self.cell.kept + share * yes
        slope = share * dense * np.where(self.yes, 1 / said, -1 / (1 - said))
        leverage = self.leverage(dense) if self.is_penalised else 0.0
        return self.moments(slope**2 - slope * (1 - 2 * yes) + leverage * dense)

    def automatic(self) -> tuple[Array, Array, Array, Array]:
        """Whether each interval contains the true coefficient, shape (surveys, 3), three times.

        The first is of the automatic estimator, the second of the penalised one, and the third of
        maximum likelihood, which has no interval if it is not finite. The last array, shape
        (surveys,), says whether the choice was maximum likelihood.
        """
        without = copy(self)
        without.is_penalised = False
        found, _ = without.best()
        finite = without.is_finite(found)
        found, part = found[finite], without.some(finite)
        whole = self.some(finite)
        penalised, _ = whole.fit(found)
        usual_errors, errors = (
            np.sqrt(np.maximum(np.diagonal(np.linalg.inv(each), axis1=1, axis2=2), TINY))
            for each in (whole.observed(penalised), part.observed(found))
        )
        moved = np.maximum(np.abs(found - penalised), np.abs(errors - usual_errors))
        chosen, likeliest = finite.copy(), np.zeros((len(self), 3), dtype=bool)
        chosen[finite] = (moved <= NEARLY_EQUAL * usual_errors).all(axis=1)
        kept = chosen[finite]
        chosen[chosen] = part.some(kept).has_limits(found[kept])
        truth = np.tile(self.cell.truth, (len(found), 1))
        likeliest[finite] = part.ratios([0, 1, 2], truth)[0] <= LIMIT
        usual, _, _ = self.covered()
        return np.where(chosen[:, np.newaxis], likeliest, usual), usual, likeliest, chosen

    def has_limits(self, found: Array) -> Array:
        """Whether all intervals are finite: far coefficients are less likely than their ends."""
        heights, limited = self.heights(found), np.ones(len(self), dtype=bool)
        for j in range(3):
            for side in (-1, 1):
                last, near = found, found
                for distance in FAR:
                    start = near + (near - last)
                    start[:, j] = found[:, j] + side * distance
                    last, (near, there) = near, self.fit(start, [j])
                limited &= 2 * (heights - there) > LIMIT
        return limited

    def is_finite(self, found: Array) -> Array:
        """Whether the search without penalty ended at a maximum."""
        curvatures = np.linalg.eigvalsh(self.observed(found))
        regular = curvatures[:, 0] > FLAT_RELATIVE_CURVATURE * curvatures[:, -1]
        return np.asarray(regular & (np.abs(self.eta(found)).max(axis=1) < MAX_LOGIT))


def simulate_automatic(cell: AutomaticCell, count: int, fitted: int) -> AutomaticResult:
    """Simulate a cell with `count` surveys, and fit the first ones by Candor, too."""
    surveys = CountedSurveys(cell, count)
    covered, usual, likeliest, chosen = surveys.automatic()
    differences = 0
    for place in range(fitted):
        found = surveys.regression(place)
        inside = [
            row.low <= true <= row.high
            for row, true in zip(found.coefficients, cell.truth, strict=True)
        ]
        is_same = (found.estimator == MAXIMUM_LIKELIHOOD) == chosen[place]
        differences += int(np.sum(inside != covered[place])) + (not is_same)
    rates = (each.mean(axis=0) for each in (covered, usual, likeliest))
    return AutomaticResult(*rates, float(chosen.mean()), differences)


def automatic_cells() -> list[AutomaticCell]:
    return [
        AutomaticCell(n, epsilon, prevalence)
        for n in AUTOMATIC_SIZES
        for epsilon in EPSILONS
        for prevalence in AUTOMATIC_PREVALENCES
    ]
