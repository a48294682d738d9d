"""The likelihood of reports, given predictors that are known.

Nothing is imputed: a report enters through its column of the table, Pr(report | each answer). A
non-private question has an identity table. Respondents are processed in blocks, so a million of
them need little memory in addition to their predictors.

A penalised likelihood has half the logarithm of the determinant of Fisher's information that the
answers themselves would have. This is Jeffreys' prior, as if nothing were randomised. For direct
answers the fit is that of Firth, Biometrika 80 (1993) 27, as in Heinze & Schemper, Stat. Med. 21
(2002) 2409. For randomised answers, Firth's penalty would be another one, with the information of
the reports. With the penalty, every likelihood has a finite maximum. The information of the reports
would move rare shares too far towards one half (docs/decisions/0082-penalised-regression.md).

Even this penalty moves a rare share towards one half, and more so with more predictors (Puhr,
Heinze, Nold, Lusa & Geroldinger, Stat. Med. 36 (2017) 2302). With `constants_share`, the penalty
therefore keeps only a share s of that of the constants. With I the whole information and C its
block of the constants, the penalty is

    ln det(I) / 2 - (1 - s) ln det(C) / 2.

It is half the log-determinant of the Schur complement of C (the information about the slopes if the
constants are unknown), plus s times half that of C. With at least one predictor, it still makes
every maximum finite.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from survey.analysis.columns.reported_variable import ReportedVariable, starting_shares
from survey.analysis.regression.models import Array, Model
from survey.analysis.regression.standardise import (
    BLOCK,
    Product,
    StandardisedPredictors,
    add_curvature,
    natural,
)
from survey.core.processor_time import require_time

# Up to this size, 192 MB, blocks are kept and not computed again.
MAX_KEPT_NUMBERS = 24_000_000
# What an evaluation takes in addition, in multiplications.
FIXED_WORK = 100_000
# Of the diagonal of a Cholesky factor. With less, the matrix is singular except for rounding.
MIN_RELATIVE_ROOT = 1e-7


@dataclass(frozen=True)
class LikelihoodEvaluation:
    """The log likelihood at some parameters.

    Attributes
    ----------
    height : with the penalty, if there is one
    slope : its first derivatives
    curve : computes the curvature: the observed information of the reports, plus that of the
        pseudo-data to which the penalty is equivalent. For two answers, respondent i has
        pseudo-data of h_i further answers, with h_i the leverage. With logits, half of them are
        Yes.
    log_likelihood : without the penalty
    """

    height: float
    slope: Array
    curve: Callable[[], Array]
    log_likelihood: float

    @cached_property
    def curvature(self) -> Array:
        """Many steps do not need it, and with private predictors it takes long."""
        return self.curve()


@dataclass(frozen=True, kw_only=True)
class PredictorSetting:
    """Columns of the design with hypothetical values: set to `values`, or moved by them.

    Products of these columns change with them. `scaling` has the means and scales of all columns
    without the constant, which products need.
    """

    columns: tuple[int, ...]
    values: Array
    moved: bool = False
    products: tuple[Product, ...] = ()
    scaling: tuple[Array, Array] | None = None

    def put(self, block: Array) -> Array:
        """A block of the design, shape (m, columns), with these columns changed."""
        columns, changed = list(self.columns), block.T.copy().T
        changed[:, columns] = self.values + (block[:, columns] if self.moved else 0)
        if self.scaling is None:
            return changed
        means, scales = self.scaling
        for column, factors in self.products:
            if not set(factors) & set(columns):
                continue
            places = np.array(factors) - 1
            value = (changed[:, factors] * scales[places] + means[places]).prod(axis=1)
            changed[:, column] = (value - means[column - 1]) / scales[column - 1]
        return changed


# Rows, their predictors (m, columns), Pr(report | answer), (K, m), and their weights.
Block = tuple[slice, Array, Array, Array | float]


@dataclass(frozen=True, kw_only=True)
class Likelihood(ABC):
    """The likelihood of parameters theta, shape (size,), for standardised predictors.

    The first parameters are those of the model. Those after them only describe the predictors.

    Parameters
    ----------
    model : over the k answers of `outcome`
    outcome : its reports; no code is -1
    non_private : float array (n, p), the predictors that are known, without the constant
    weights : float array (n,) or None; they are scaled to a mean of one
    is_penalised : whether Jeffreys' prior is added
    """

    model: Model
    outcome: ReportedVariable
    non_private: Array
    weights: Array | None = None
    is_penalised: bool = True

    @property
    def n(self) -> int:
        return len(self.non_private)

    @property
    def columns(self) -> int:
        """The number of the design's columns, including the constant."""
        return 1 + int(self.non_private.shape[1])

    @cached_property
    def spread(self) -> Array:
        """A of the model (`Model.spread`)."""
        return self.model.spread(self.columns)

    @property
    def of_model(self) -> int:
        """The number of the model's parameters."""
        return int(self.spread.shape[1])

    @property
    def size(self) -> int:
        """The number of all parameters."""
        return self.of_model

    @property
    def multiplications(self) -> int:
        """About how many one evaluation takes, or what takes as long."""
        return self.n * self.size**2 + FIXED_WORK

    @cached_property
    def predictors(self) -> StandardisedPredictors:
        return StandardisedPredictors(self.non_private)

    @cached_property
    def weight(self) -> Array | None:
        return None if self.weights is None else self.weights / self.weights.mean()

    @property
    def scaling(self) -> tuple[Array, Array]:
        """Means and scales of the design's columns without the constant."""
        return self.predictors.means, self.predictors.scales

    def start(self) -> Array:
        """Parameters under which no predictor matters."""
        return self.model.start(starting_shares(self.outcome, self.weights), self.columns)

    @abstractmethod
    def evaluate(self, theta: Array) -> LikelihoodEvaluation: ...

    @abstractmethod
    def jeffreys(self, theta: Array) -> LikelihoodEvaluation | None:
        """Jeffreys' prior as if the answers were known, or None at its edge."""

    def penalty(self, theta: Array) -> LikelihoodEvaluation | None:
        """What is added to the log likelihood, or None where it is minus infinity."""
        if self.is_penalised:
            return self.jeffreys(theta)
        size = len(theta)
        return LikelihoodEvaluation(0.0, np.zeros(size), lambda: np.zeros((size, size)), 0.0)

    @abstractmethod
    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        """First derivatives by respondent, shape (size, m), in blocks, times the weight."""

    @abstractmethod
    def average(self, theta: Array, setting: PredictorSetting | None = None) -> tuple[Array, Array]:
        """Shares of the answers, averaged over the respondents, shape (K,).

        Everyone's predictors are as in the setting. The second array has their derivatives, shape
        (K, size).
        """


@dataclass(frozen=True, kw_only=True)
class KnownPredictorLikelihood(Likelihood):
    """The likelihood if all predictors are known.

    With a `constants_share` below 1, the penalty of the constants is only this share of Jeffreys'
    prior, which only a multinomial model allows.
    """

    constants_share: float = 1.0

    def some(self, rows: slice) -> "KnownPredictorLikelihood":
        """The likelihood of some of the respondents."""
        return replace(
            self,
            outcome=replace(self.outcome, codes=self.outcome.codes[rows]),
            non_private=self.non_private[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def coefficients(self, theta: Array) -> Array:
        return np.asarray(self.spread @ theta).reshape(self.model.answers - 1, -1)

    @cached_property
    def kept(self) -> list[Block] | None:
        """The blocks, if they need little memory. A fit reads them about forty times."""
        width = self.columns + self.model.answers
        return list(self.make_blocks()) if self.n * width <= MAX_KEPT_NUMBERS else None

    def blocks(self) -> Iterable[Block]:
        for block in self.make_blocks() if self.kept is None else self.kept:
            require_time()
            yield block

    def make_blocks(self) -> Iterator[Block]:
        for first in range(0, self.n, BLOCK):
            rows = slice(first, min(first + BLOCK, self.n))
            yield (
                rows,
                self.predictors.block(rows),
                self.outcome.chances.take(self.outcome.codes[rows], axis=1),
                1.0 if self.weight is None else self.weight[rows],
            )

    def evaluate(self, theta: Array) -> LikelihoodEvaluation:
        coefficients = self.coefficients(theta)
        penalty = self.penalty(theta) if self.model.possible(coefficients) else None
        if penalty is None:
            return impossible(len(theta))
        height, slope = 0.0, np.zeros(coefficients.size)
        curvature = np.zeros((slope.size, slope.size))
        for _, block, report_chances, weight in self.blocks():
            chance, first, second = self.model.respond(coefficients @ block.T, report_chances)
            height += float((np.log(chance) * weight).sum())
            slope += ((first * weight) @ block).ravel()
            add_curvature(curvature, block, second * weight)
        return LikelihoodEvaluation(
            height + penalty.height,
            self.spread.T @ slope + penalty.slope,
            lambda: self.spread.T @ curvature @ self.spread + penalty.curvature,
            height,
        )

    @cached_property
    def penalty_parts(self) -> list[tuple[float, Array]]:
        """The parts of the penalty: a factor, and columns of A (`Model.spread`)."""
        parts = [(1.0, self.spread)]
        if self.constants_share < 1:
            constants = self.spread[:, self.model.parameters((0,), self.columns)]
            parts.append((self.constants_share - 1, constants))
        return parts

    def jeffreys(self, theta: Array) -> LikelihoodEvaluation | None:
        coefficients = self.coefficients(theta)
        slope = np.zeros(coefficients.size)
        curvature, information = (np.zeros((slope.size, slope.size)) for _ in range(2))
        for _, block, _, weight in self.blocks():
            add_curvature(
                information, block, self.model.information(coefficients @ block.T) * weight
            )
        height, inverse = 0.0, np.zeros_like(information)
        for factor, spread in self.penalty_parts:
            half, part = half_log_determinant(spread.T @ information @ spread)
            if part is None:
                return None
            height += factor * half
            inverse += factor * spread @ part @ spread.T
        for _, block, _, weight in self.blocks():
            squares = leverage(block, inverse)
            first, second, _ = penalty_derivatives(self.model, coefficients @ block.T, squares)
            slope += ((first * weight) @ block).ravel()
            add_curvature(curvature, block, second * weight)
        volume, of_volume, bend_of_volume = self.model.log_volume(theta)
        return LikelihoodEvaluation(
            height + volume,
            self.spread.T @ slope + of_volume,
            lambda: self.spread.T @ curvature @ self.spread + bend_of_volume,
            0.0,
        )

    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        coefficients = self.coefficients(theta)
        for rows, block, report_chances, weight in self.blocks():
            first = self.model.respond(coefficients @ block.T, report_chances)[1] * weight
            each = (first[:, np.newaxis] * block.T).reshape(coefficients.size, -1)
            yield rows, self.spread.T @ each

    def expected_information(self, theta: Array) -> Array:
        """The expected information, without weights, plus that of the penalty's pseudo-data.

        It is the mean of the observed information over all possible reports: sum_y P_y (d ln P_y)(d
        ln P_y)', with P_y the probability of report y.
        """
        coefficients = self.coefficients(theta)
        curvature = np.zeros((coefficients.size, coefficients.size))
        part_of_code = self.outcome.part_of_code
        for rows, block, _, _ in self.blocks():
            eta = coefficients @ block.T
            asked = part_of_code[self.outcome.codes[rows]]
            for code, part in enumerate(part_of_code):
                column = self.outcome.chances[:, code, np.newaxis]
                chance, first, _ = self.model.respond(eta, column)
                mass = np.where(asked == part, chance, 0.0)
                add_curvature(curvature, block, np.einsum("am,bm,m->abm", first, first, mass))
        of_reports = np.asarray(self.spread.T @ curvature @ self.spread)
        penalty = self.penalty(theta)
        return of_reports if penalty is None else of_reports + penalty.curvature

    def average(self, theta: Array, setting: PredictorSetting | None = None) -> tuple[Array, Array]:
        coefficients = self.coefficients(theta)
        total, change = np.zeros(self.model.answers), np.zeros((self.model.answers, len(theta)))
        for _, block, _, weight in self.blocks():
            if setting is not None:
                block = setting.put(block)
            shares, slopes = self.model.shares(coefficients @ block.T)
            total += (shares * weight).sum(axis=1)
            change += (
                np.tensordot(slopes * weight, block, axes=1).reshape(len(total), -1) @ self.spread
            )
        return total / self.n, change / self.n


def impossible(size: int) -> LikelihoodEvaluation:
    """At parameters that give no valid probabilities."""
    return LikelihoodEvaluation(-np.inf, np.zeros(size), lambda: np.zeros((size, size)), -np.inf)


def half_log_determinant(information: Array) -> tuple[float, Array | None]:
    """Half the logarithm of the determinant, and the inverse; None if it is not definite."""
    root, failed = scipy.linalg.lapack.dpotrf(information, lower=True)
    diagonal = root.diagonal()
    if failed or diagonal.min() < MIN_RELATIVE_ROOT * diagonal.max():
        return -np.inf, None
    inverse = scipy.linalg.lapack.dpotri(root, lower=True)[0]
    inverse = inverse + inverse.T - np.diag(inverse.diagonal())
    return float(np.log(diagonal).sum()), np.asarray(inverse)


def leverage(block: Array, inverse: Array) -> Array:
    """x_i' V_ab x_i, shape (K - 1, K - 1, m), with V_ab the blocks of `inverse`."""
    columns = block.shape[1]
    equations = len(inverse) // columns
    squares = np.empty((equations, equations, len(block)))
    for a in range(equations):
        for b in range(a + 1):
            part = inverse[a * columns : (a + 1) * columns, b * columns : (b + 1) * columns]
            squares[a, b] = squares[b, a] = ((block @ part) * block).sum(axis=1)
    return squares


def penalty_derivatives(model: Model, eta: Array, squares: Array) -> tuple[Array, Array, Array]:
    """Derivatives of the penalty in eta, and the leverage of each respondent, shape (m,).

    The first derivatives have shape (K - 1, m). The second ones, with the sign changed and with the
    leverage held fixed, are those of pseudo-data.
    """
    information = model.information(eta)
    total = (information * squares).sum(axis=(0, 1))
    first = model.information_slope(eta, squares) / 2
    return first, information * (total / len(eta)), total


def to_natural(likelihood: Likelihood) -> Array:
    """The matrix from parameters of standardised predictors to those of the predictors."""
    scaled = np.kron(np.eye(likelihood.model.answers - 1), natural(*likelihood.scaling).T)
    return np.asarray(np.linalg.pinv(likelihood.spread) @ scaled @ likelihood.spread)
