"""Multinomial and ordered logit models.

Logistic regression is the multinomial model of two outcomes. `links` has its alternatives. A model
maps linear predictors eta, with one row for each answer but one, to the probabilities of the
answers. The data are reports, so the likelihood of a respondent is

    chance = sum_k pi_k(eta) given_k,    given_k = Pr(observed report | answer k).

Fitting needs only its derivatives in eta. Arrays have the respondents last, because sums over a few
answers are fast that way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
# It replaces a probability that is too small for a float.
MIN_CHANCE = 1e-300
# For a probability that is a difference. Smaller values would consist of rounding errors.
MIN_CHANCE_BY_DIFFERENCE = 1e-17


class Model(Protocol):
    """A model of K answers with K - 1 linear predictors."""

    @property
    def answers(self) -> int:
        """The number K of answers."""

    def spread(self, columns: int) -> Array:
        """The matrix A that maps the parameters to the coefficients of the linear predictors.

        Its shape is ((K - 1) * columns, parameters). Coefficient c of predictor j is row
        j * columns + c. Column 0 is the constant.
        """

    def parameters(self, places: Sequence[int], columns: int) -> Flags:
        """Which parameters belong to these columns."""

    def start(self, shares: Array, columns: int) -> Array:
        """Parameters that give everyone these shares."""

    def possible(self, coefficients: Array) -> bool:
        """Whether these coefficients, shape (K - 1, columns), give valid probabilities."""

    def respond(self, eta: Array, given: Array) -> tuple[Array, Array, Array]:
        """The probability of the observed report, with derivatives of its logarithm in eta.

        The probability has shape (m,), the first derivatives (K - 1, m). The second ones, with the
        sign changed, have shape (K - 1, K - 1, m). `eta` has shape (K - 1, m), `given` (K, m) or
        (K, 1).
        """

    def shares(self, eta: Array) -> tuple[Array, Array]:
        """The probabilities of the answers, shape (K, m), and derivatives, (K, K - 1, m)."""

    def information(self, eta: Array) -> Array:
        """Fisher's information of one answer about eta, shape (K - 1, K - 1, m)."""

    def information_slope(self, eta: Array, leverage: Array) -> Array:
        """sum_ab leverage_ab (d information_ab / d eta_c), shape (K - 1, m).

        `leverage` has shape (K - 1, K - 1, m) and is symmetric in a and b.
        """

    def log_volume(self, parameters: Array) -> tuple[float, Array, Array]:
        """The logarithm of the change of volume from unrestricted parameters to these.

        With its first derivatives, shape (parameters,), and second ones with the sign changed.
        """


@dataclass(frozen=True)
class Multinomial:
    """pi_k = exp(eta_k) / sum_l exp(eta_l), with eta = 0 for the answer `reference`.

    McFadden, "Conditional logit analysis of qualitative choice behavior" (1974). The probabilities
    given the report are rho_k = pi_k given_k / chance. The derivatives are rho - pi and
    (diag pi - pi pi') - (diag rho - rho rho').
    """

    answers: int
    reference: int = 0

    @property
    def others(self) -> list[int]:
        return [k for k in range(self.answers) if k != self.reference]

    def spread(self, columns: int) -> Array:
        return np.eye((self.answers - 1) * columns)

    def parameters(self, places: Sequence[int], columns: int) -> Flags:
        chosen = np.zeros((self.answers - 1, columns), dtype=bool)
        chosen[:, list(places)] = True
        return chosen.ravel()

    def start(self, shares: Array, columns: int) -> Array:
        coefficients = np.zeros((self.answers - 1, columns))
        coefficients[:, 0] = np.log(shares[self.others] / shares[self.reference])
        return coefficients.ravel()

    def possible(self, coefficients: Array) -> bool:
        return True

    def chances(self, eta: Array) -> Array:
        """The probabilities of the answers, shape (K, m)."""
        if self.answers == 2:
            one = scipy.special.expit(eta[0])
            other = 1 - one
            return np.stack((one, other) if self.reference else (other, one))
        weights = np.zeros((self.answers, eta.shape[1]))
        weights[self.others] = eta
        weights -= weights.max(axis=0)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=0)
        return weights

    def respond(self, eta: Array, given: Array) -> tuple[Array, Array, Array]:
        # The same formulas with fewer arrays.
        if self.answers == 2:
            one, one_report_chance = scipy.special.expit(eta[0]), given[1 - self.reference]
            chance = given[self.reference] + one * (one_report_chance - given[self.reference])
            chance = np.maximum(chance, MIN_CHANCE)
            after = one * one_report_chance / chance
            slope = after - one
            return chance, slope[np.newaxis], (slope * (after + one - 1))[np.newaxis, np.newaxis]
        before = self.chances(eta)
        after = before * given
        chance = np.maximum(after.sum(axis=0), MIN_CHANCE)
        after /= chance
        before, after = before[self.others], after[self.others]
        slope = after - before
        bend = np.einsum("am,bm->abm", after, after) - np.einsum("am,bm->abm", before, before)
        bend[np.diag_indices(self.answers - 1)] -= slope
        return chance, slope, bend

    def shares(self, eta: Array) -> tuple[Array, Array]:
        pi = self.chances(eta)
        change = -pi[:, np.newaxis] * pi[self.others]
        for place, k in enumerate(self.others):
            change[k, place] += pi[k]
        return pi, change

    def information(self, eta: Array) -> Array:
        if self.answers == 2:
            one = scipy.special.expit(eta)
            return np.asarray((one * (1 - one))[np.newaxis])
        pi = self.chances(eta)[self.others]
        information = -pi[:, np.newaxis] * pi
        information[np.diag_indices(self.answers - 1)] += pi
        return information

    def information_slope(self, eta: Array, leverage: Array) -> Array:
        if self.answers == 2:
            one = scipy.special.expit(eta)
            return np.asarray(leverage[0] * one * (1 - one) * (1 - 2 * one))
        pi = self.chances(eta)[self.others]
        each = leverage[np.diag_indices(self.answers - 1)]
        mixed = np.einsum("abm,bm->am", leverage, pi)
        rest = 2 * (mixed * pi).sum(axis=0) - (each * pi).sum(axis=0)
        return np.asarray(pi * (each - 2 * mixed + rest))

    def log_volume(self, parameters: Array) -> tuple[float, Array, Array]:
        size = len(parameters)
        return 0.0, np.zeros(size), np.zeros((size, size))


@dataclass(frozen=True)
class Ordered:
    """Pr(answer <= j) = F(a_j - x b), F the logistic function; a_1 < ... < a_{K-1}.

    McCullagh, "Regression models for ordinal data", JRSS B 42 (1980) 109. The parameters are the
    thresholds a, then the slopes b. A positive slope supports the later answers. The probability of
    a report is linear in the F_j, sum_j F_j (given_j - given_{j+1}) + given_K, which gives the
    derivatives.
    """

    answers: int

    def spread(self, columns: int) -> Array:
        thresholds, slopes = self.answers - 1, columns - 1
        matrix = np.zeros((thresholds, columns, thresholds + slopes))
        for j in range(thresholds):
            matrix[j, 0, j] = 1
            matrix[j, np.arange(1, columns), thresholds + np.arange(slopes)] = -1
        return matrix.reshape(thresholds * columns, thresholds + slopes)

    def parameters(self, places: Sequence[int], columns: int) -> Flags:
        chosen = np.zeros(self.answers - 2 + columns, dtype=bool)
        chosen[[self.answers - 2 + place for place in places]] = True
        return chosen

    def start(self, shares: Array, columns: int) -> Array:
        below = np.cumsum(shares)[:-1]
        return np.concatenate([np.log(below / (1 - below)), np.zeros(columns - 1)])

    def possible(self, coefficients: Array) -> bool:
        return bool(np.all(np.diff(coefficients[:, 0]) > 0))

    def respond(self, eta: Array, given: Array) -> tuple[Array, Array, Array]:
        below = scipy.special.expit(eta)
        fall = given[:-1] - given[1:]
        chance = np.maximum((below * fall).sum(axis=0) + given[-1], MIN_CHANCE_BY_DIFFERENCE)
        dense = below * (1 - below)
        slope = dense * fall / chance
        bend = np.einsum("am,bm->abm", slope, slope)
        bend[np.diag_indices(self.answers - 1)] -= slope * (1 - 2 * below)
        return chance, slope, bend

    def shares(self, eta: Array) -> tuple[Array, Array]:
        below = scipy.special.expit(eta)
        ends = np.zeros((1, eta.shape[1]))
        pi = np.diff(np.concatenate([ends, below, ends + 1]), axis=0)
        change = np.zeros((self.answers, self.answers - 1, eta.shape[1]))
        for j, dense in enumerate(below * (1 - below)):
            change[j, j], change[j + 1, j] = dense, -dense
        return pi, change

    def information(self, eta: Array) -> Array:
        pi, change = self.shares(eta)
        inverse = 1 / np.maximum(pi, MIN_CHANCE_BY_DIFFERENCE)
        return np.asarray(np.einsum("kam,kbm,km->abm", change, change, inverse))

    def information_slope(self, eta: Array, leverage: Array) -> Array:
        pi, change = self.shares(eta)
        below = scipy.special.expit(eta)
        # Each F_j depends on its own eta only, and F'' = F' (1 - 2 F).
        bend = change * (1 - 2 * below)
        inverse = 1 / np.maximum(pi, MIN_CHANCE_BY_DIFFERENCE)
        mixed = np.einsum("kbm,cbm->kcm", change, leverage)
        squares = (mixed * change).sum(axis=1) * inverse**2
        return np.asarray(
            2 * (bend * mixed * inverse[:, np.newaxis]).sum(axis=0)
            - (change * squares[:, np.newaxis]).sum(axis=0)
        )

    def log_volume(self, parameters: Array) -> tuple[float, Array, Array]:
        """Unrestricted parameters are the first threshold and the logarithms of the distances."""
        size, thresholds = len(parameters), self.answers - 1
        gaps = np.diff(parameters[:thresholds])
        slope, curvature = np.zeros(size), np.zeros((size, size))
        for j, gap in enumerate(gaps):
            slope[j] -= 1 / gap
            slope[j + 1] += 1 / gap
            curvature[j : j + 2, j : j + 2] += np.array([[1, -1], [-1, 1]]) / gap**2
        return float(np.log(gaps).sum()), slope, curvature
