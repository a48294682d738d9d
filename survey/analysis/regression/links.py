"""Models of two answers with other links than the logit: probit, complementary log-log, Cauchit.

The share of one answer is F(eta), with eta the linear predictor and F a distribution function with
density f. Everything follows from five functions of eta: F, 1 - F, the two ratios f / F and
f / (1 - F), and the slope of ln f. The ratios have formulas of their own, because F and 1 - F
underflow.

Jeffreys' penalty uses Fisher's information of one answer, f^2 / (F (1 - F)). It falls to zero in
both directions for each of these links, so every penalised estimate is finite (Kosmidis & Firth,
Biometrika 108 (2021) 71).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
import scipy

from survey.analysis.regression.models import MIN_CHANCE, Array, Multinomial

# Beyond it, exp(eta) and its square would not be finite.
MAX_LOG_HAZARD = 300.0


@dataclass(frozen=True, kw_only=True)
class LinkValues:
    """The functions of a link at eta, each of its shape.

    Attributes
    ----------
    share, rest : F and 1 - F
    of_share, of_rest : f / F and f / (1 - F)
    bend : the slope of ln f
    """

    share: Array
    rest: Array
    of_share: Array
    of_rest: Array
    bend: Array

    @property
    def information(self) -> Array:
        """Fisher's information of one answer about eta, f^2 / (F (1 - F))."""
        return self.of_share * self.of_rest

    @property
    def information_slope(self) -> Array:
        """Its derivative: d ln f^2 - d ln F - d ln(1 - F), times the information."""
        return self.information * (2 * self.bend - self.of_share + self.of_rest)


class Link(ABC):
    """A distribution function F. Subclasses have no state."""

    @abstractmethod
    def quantile(self, share: Array) -> Array:
        """The eta with F(eta) = share, for shares between 0 and 1."""

    @abstractmethod
    def at(self, eta: Array) -> LinkValues: ...


@dataclass(frozen=True)
class Probit(Link):
    """F is the standard normal distribution function (Bliss, Science 79 (1934) 38)."""

    def quantile(self, share: Array) -> Array:
        return np.asarray(scipy.special.ndtri(share))

    def at(self, eta: Array) -> LinkValues:
        # f / (1 - F) is the inverse of Mills' ratio.
        return LinkValues(
            share=scipy.special.ndtr(eta),
            rest=scipy.special.ndtr(-eta),
            of_share=inverse_mills_ratio(-eta),
            of_rest=inverse_mills_ratio(eta),
            bend=-eta,
        )


@dataclass(frozen=True)
class ComplementaryLogLog(Link):
    """F = 1 - exp(-exp(eta)), which is not symmetric: it nears 1 much faster than 0."""

    def quantile(self, share: Array) -> Array:
        return np.asarray(np.log(-np.log1p(-share)))

    def at(self, eta: Array) -> LinkValues:
        hazard = np.exp(np.clip(eta, -MAX_LOG_HAZARD, MAX_LOG_HAZARD))
        rest, share = np.exp(-hazard), -np.expm1(-hazard)
        return LinkValues(
            share=share, rest=rest, of_share=hazard * rest / share, of_rest=hazard, bend=1 - hazard
        )


@dataclass(frozen=True)
class Cauchit(Link):
    """F is the standard Cauchy distribution function, 1/2 + arctan(eta) / pi.

    Its tails are so heavy that even the likelihood of direct answers is not concave.

    With 30 to 500 randomised reports, intervals cover the true coefficients. With about 20, the
    profile of a coefficient can have several maxima, and an end of its interval can be too near
    (docs/explanation/regression.md).
    """

    def quantile(self, share: Array) -> Array:
        return np.asarray(np.tan(np.pi * (share - 0.5)))

    def at(self, eta: Array) -> LinkValues:
        share, rest = np.arctan2(1, -eta) / np.pi, np.arctan2(1, eta) / np.pi
        square = 1 + eta**2
        dense = 1 / (np.pi * square)
        return LinkValues(
            share=share,
            rest=rest,
            of_share=dense / share,
            of_rest=dense / rest,
            bend=-2 * eta / square,
        )


def inverse_mills_ratio(eta: Array) -> Array:
    """The normal density over its upper tail, without underflow in the tail."""
    return np.asarray(np.sqrt(2 / np.pi) / scipy.special.erfcx(eta / np.sqrt(2)))


@dataclass(frozen=True)
class LinkedAnswers(Multinomial):
    """Two answers, where that other than `reference` has the share F(eta).

    Given a report, this answer has the probability rho = F given / chance. The logarithm of the
    chance has the first derivative s = rho f / F - (1 - rho) f / (1 - F), and the second one
    s ((ln f)' - s).
    """

    answers: int = 2
    link: Link = field(kw_only=True)

    def start(self, shares: Array, columns: int) -> Array:
        coefficients = np.zeros(columns)
        coefficients[0] = self.link.quantile(shares[1 - self.reference])
        return coefficients

    def chances(self, eta: Array) -> Array:
        values = self.link.at(eta[0])
        pair = (values.rest, values.share)
        return np.stack(pair[::-1] if self.reference else pair)

    def respond(self, eta: Array, given: Array) -> tuple[Array, Array, Array]:
        values = self.link.at(eta[0])
        with_it, without = (
            values.share * given[1 - self.reference],
            values.rest * given[self.reference],
        )
        chance = np.maximum(with_it + without, MIN_CHANCE)
        slope = (with_it * values.of_share - without * values.of_rest) / chance
        bend = slope * (slope - values.bend)
        return chance, slope[np.newaxis], bend[np.newaxis, np.newaxis]

    def shares(self, eta: Array) -> tuple[Array, Array]:
        values = self.link.at(eta[0])
        dense = values.share * values.of_share
        change = np.stack((-dense, dense))[:, np.newaxis]
        return self.chances(eta), change[::-1] if self.reference else change

    def information(self, eta: Array) -> Array:
        return self.link.at(eta).information[np.newaxis]

    def information_slope(self, eta: Array, leverage: Array) -> Array:
        return np.asarray(leverage[0] * self.link.at(eta).information_slope)
