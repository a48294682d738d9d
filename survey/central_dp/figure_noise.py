"""The distribution of the noise in a released figure: its standard deviation, and its tails.

A figure here is a whole number with noise, times a unit that is known before the draw. The noise is
a whole number too, from the discrete Laplace or Gaussian distribution with the scale b or sigma.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from survey.central_dp.bounded_sums import count_is_known
from survey.central_dp.dp_request import SELECTED, Request, Statistic, question_of
from survey.central_dp.noisy_sums import noises_of, unit_of_sum
from survey.central_dp.tree import tree_of
from survey.core.languages import Words
from survey.definition.survey import Survey
from survey.estimation.findings.public_sentences import percentage
from survey.estimation.number_text import percent, significant

# Chebyshev: any distribution has at least 1 - 1/2^2 within two standard deviations of its mean.
CHEBYSHEV_WITHIN_TWO = Fraction(3, 4)
# A discrete Gaussian distribution has the standard deviation sigma from here on. By the Poisson
# summation formula, the relative difference is below exp(-2 pi^2 sigma^2) times a polynomial.
WIDE_SIGMA = 10.0
# Up to this sigma, probabilities are added up one by one.
MAX_ADDED_SIGMA = 1_000.0
# Below this standard deviation, Pr(noise is not 0) <= variance < 1 / 1,000,000.
ALMOST_ZERO = 0.001
# A larger probability, rounded to one decimal of a percentage, is 100 %.
ALMOST_CERTAIN = 0.9995


def discrete_laplace_deviation(scale: float) -> float:
    """The standard deviation of the discrete Laplace distribution with scale b > 0.

    With q = exp(-1/b), the variance is 2q / (1 - q)^2 = 1 / (2 sinh(1/(2b))^2). This is slightly
    less than 2b^2, the variance of the continuous distribution.
    """
    return 1 / (math.sqrt(2) * math.sinh(1 / (2 * scale)))


def discrete_gaussian_deviation(scale: float) -> float:
    """The standard deviation of the discrete Gaussian distribution with parameter sigma > 0."""
    if scale >= WIDE_SIGMA:
        return scale
    weights = gaussian_weights(scale, 40 * math.ceil(scale))
    squares = math.fsum(x * x * weight for x, weight in enumerate(weights))
    return math.sqrt(2 * squares / gaussian_total(scale))


def laplace_within(scale: float, distance: int) -> float:
    """Pr(|noise| <= t) = 1 - 2 exp(-(t + 1)/b) / (1 + exp(-1/b))."""
    return 1 - 2 * math.exp(-(distance + 1) / scale) / (1 + math.exp(-1 / scale))


def gaussian_within(scale: float, distance: int) -> float:
    """Pr(|noise| <= t) of the discrete Gaussian distribution, to eight digits or more.

    For a large sigma, it is that of the normal distribution within t + 1/2. The Euler-Maclaurin
    formula bounds the difference by 1 / (100 sigma^2).
    """
    if scale > MAX_ADDED_SIGMA:
        return 2 * NormalDist().cdf((distance + 0.5) / scale) - 1
    weights = gaussian_weights(scale, distance)
    return (2 * math.fsum(weights) - 1) / gaussian_total(scale)


def gaussian_weights(scale: float, most: int) -> list[float]:
    """exp(-x^2 / (2 sigma^2)) for x from 0 to `most`."""
    return [math.exp(-((x / scale) ** 2) / 2) for x in range(most + 1)]


def gaussian_total(scale: float) -> float:
    """The sum of the weights of all whole numbers."""
    if scale >= WIDE_SIGMA:
        return scale * math.sqrt(2 * math.pi)
    return 2 * math.fsum(gaussian_weights(scale, 40 * math.ceil(scale))) - 1


@dataclass(frozen=True)
class FigureNoise:
    """The noise of one figure: `unit` times a whole number of the distribution with this scale."""

    gaussian: bool
    scale: float
    unit: Fraction

    @property
    def whole_deviation(self) -> float:
        """The standard deviation of the whole number."""
        return (
            discrete_gaussian_deviation(self.scale)
            if self.gaussian
            else discrete_laplace_deviation(self.scale)
        )

    @property
    def deviation(self) -> float:
        """The standard deviation, in the unit of the figure."""
        return float(self.unit) * self.whole_deviation

    @property
    def is_almost_zero(self) -> bool:
        """Whether the noise is 0 except with a probability below one in a million."""
        return self.whole_deviation < ALMOST_ZERO

    @property
    def within_two(self) -> float:
        """The probability that the noise is at most two standard deviations from 0."""
        distance = math.floor(2 * self.whole_deviation)
        within = gaussian_within if self.gaussian else laplace_within
        return within(self.scale, distance)

    def within_two_text(self, words: Words) -> str:
        """This probability in percent, with one decimal. It is never shown as 100 %."""
        if self.within_two < ALMOST_CERTAIN:
            return percentage(words, percent(self.within_two))
        return words.say("more than %(share)s", share=percentage(words, percent(0.999)))

    @property
    def deviation_text(self) -> str:
        """The standard deviation with four significant digits."""
        return significant(self.deviation, 4)

    def relative_probability(self, whole: float) -> float:
        """The probability of a whole number as a multiple of the probability of 0."""
        if self.gaussian:
            return math.exp(-((whole / self.scale) ** 2) / 2)
        return math.exp(-abs(whole) / self.scale)


def figure_noise(survey: Survey, request: Request, n: int) -> FigureNoise | None:
    """The noise of each figure of a release of n responses.

    For sums at several bounds, it is the noise of the first; each further sum has one more. None
    for a selected answer, which has no added noise. None also for a variance, and for a mean of an
    unknown number of answers. These depend on several noisy numbers, and not in proportion.
    """
    if request.statistic in (*SELECTED, Statistic.VARIANCE):
        return None
    if request.statistic == Statistic.TREE:
        return FigureNoise(False, tree_of(survey, request, n).leaf, Fraction(1))
    if request.statistic == Statistic.MEAN and (n == 0 or not count_is_known(survey, request)):
        return None
    noise = noises_of(survey, request, n)[0]
    return FigureNoise(noise.gaussian, noise.scale, unit_of_figure(survey, request, n))


def common_noise(survey: Survey, request: Request, n: int) -> FigureNoise | None:
    """The noise of each figure, if all figures have noise of the same distribution; else None."""
    if request.statistic == Statistic.CURVE:
        return None
    return figure_noise(survey, request, n)


def unit_of_figure(survey: Survey, request: Request, n: int) -> Fraction:
    """The change of the figure when its noisy whole number changes by 1."""
    grid = question_of(survey, request.question).grid
    if grid is None or request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        return Fraction(1)
    if request.statistic == Statistic.SUM:
        return unit_of_sum(grid)
    # The sum of a mean counts half steps.
    return grid.step / (2 * n) if request.statistic == Statistic.MEAN else grid.step
