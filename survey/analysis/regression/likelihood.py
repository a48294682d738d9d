"""The likelihood of reports, given predictors that are known.

Nothing is imputed: a report enters through its column of the table, Pr(report | each answer). A
non-private question has an identity table. Respondents are processed in blocks, so a million of
them need little memory in addition to their predictors.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from survey.analysis.columns.reported_variable import ReportedVariable, usual_shares
from survey.analysis.regression.models import Array, Flags, Model
from survey.analysis.regression.standardise import (
    BLOCK,
    StandardisedPredictors,
    add_curvature,
    natural,
)
from survey.core.processor_time import require_time

# Up to this size, 192 MB, blocks are kept and not computed again.
MAX_KEPT_NUMBERS = 24_000_000


@dataclass(frozen=True)
class LikelihoodEvaluation:
    """The log likelihood at some parameters, with its derivatives.

    `slope` has the first derivatives. `curvature` has the second ones with the sign changed: the
    observed information.
    """

    height: float
    slope: Array
    curvature: Array


@dataclass(frozen=True)
class PredictorSetting:
    """Columns of the design with hypothetical values: set to `values`, or moved by them."""

    columns: tuple[int, ...]
    values: Array
    moved: bool = False

    def put(self, block: Array) -> Array:
        """A block of the design, shape (m, columns), with these columns changed."""
        columns, changed = list(self.columns), block.T.copy().T
        changed[:, columns] = self.values + (block[:, columns] if self.moved else 0)
        return changed


# Rows, their predictors (m, columns), Pr(report | answer), (K, m), and their weights.
Block = tuple[slice, Array, Array, Array | float]


@dataclass(frozen=True)
class Likelihood(ABC):
    """The likelihood of parameters theta, shape (size,), for standardised predictors.

    The first parameters are those of the model. Those after them only describe the predictors.

    Parameters
    ----------
    model : over the k answers of `outcome`
    outcome : its reports; no code is -1
    plain : float array (n, p), the predictors that are known, without the constant
    weights : float array (n,) or None; they are scaled to a mean of one
    answers_aside, columns_aside : answers and columns whose coefficients are not of interest, such
        as "prefer not to say"
    """

    model: Model
    outcome: ReportedVariable
    plain: Array
    weights: Array | None = None
    answers_aside: tuple[int, ...] = ()
    columns_aside: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        return len(self.plain)

    @property
    def columns(self) -> int:
        """The number of the design's columns, including the constant."""
        return 1 + int(self.plain.shape[1])

    @cached_property
    def spread(self) -> Array:
        """A of the model (`Model.spread`)."""
        return self.model.spread(self.columns)

    @property
    def of_model(self) -> int:
        """The number of the model's parameters."""
        return int(self.spread.shape[1])

    @cached_property
    def aside(self) -> Flags:
        """Which parameters are not of interest, shape (size,)."""
        return self.model.parameters(self.answers_aside, self.columns_aside, self.columns)

    @cached_property
    def predictors(self) -> StandardisedPredictors:
        return StandardisedPredictors(self.plain)

    @cached_property
    def weight(self) -> Array | None:
        return None if self.weights is None else self.weights / self.weights.mean()

    @property
    def scaling(self) -> tuple[Array, Array]:
        """Means and scales of the design's columns without the constant."""
        return self.predictors.means, self.predictors.scales

    def start(self) -> Array:
        """Parameters under which no predictor matters."""
        return self.model.start(usual_shares(self.outcome, self.weights), self.columns)

    @abstractmethod
    def height(self, theta: Array) -> float: ...

    @abstractmethod
    def evaluate(self, theta: Array) -> LikelihoodEvaluation: ...

    @abstractmethod
    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        """First derivatives by respondent, shape (size, m), in blocks, times the weight."""

    @abstractmethod
    def average(self, theta: Array, setting: PredictorSetting | None = None) -> tuple[Array, Array]:
        """Shares of the answers, averaged over the respondents, shape (K,).

        Everyone's predictors are as in the setting. The second array has their derivatives, shape
        (K, size).
        """


class KnownPredictorLikelihood(Likelihood):
    """The likelihood if all predictors are known."""

    def some(self, rows: slice) -> "KnownPredictorLikelihood":
        """The likelihood of some of the respondents."""
        return replace(
            self,
            outcome=replace(self.outcome, codes=self.outcome.codes[rows]),
            plain=self.plain[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def coefficients(self, theta: Array) -> Array:
        return np.asarray(self.spread @ theta).reshape(self.model.answers - 1, -1)

    @cached_property
    def kept(self) -> list[Block] | None:
        """The blocks, if they need little memory. A fit reads them about forty times."""
        width = self.columns + self.model.answers
        return list(self.made()) if self.n * width <= MAX_KEPT_NUMBERS else None

    def blocks(self) -> Iterable[Block]:
        for block in self.made() if self.kept is None else self.kept:
            require_time()
            yield block

    def made(self) -> Iterator[Block]:
        for first in range(0, self.n, BLOCK):
            rows = slice(first, min(first + BLOCK, self.n))
            yield (
                rows,
                self.predictors.block(rows),
                self.outcome.chances.take(self.outcome.codes[rows], axis=1),
                1.0 if self.weight is None else self.weight[rows],
            )

    def height(self, theta: Array) -> float:
        coefficients = self.coefficients(theta)
        if not self.model.possible(coefficients):
            return -np.inf
        height = 0.0
        for _, block, report_chances, weight in self.blocks():
            chance = self.model.respond(coefficients @ block.T, report_chances)[0]
            height += float(np.sum(np.log(chance) * weight))
        return height

    def evaluate(self, theta: Array) -> LikelihoodEvaluation:
        coefficients = self.coefficients(theta)
        size = coefficients.size
        if not self.model.possible(coefficients):
            return LikelihoodEvaluation(
                -np.inf, np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
            )
        height, slope, curvature = 0.0, np.zeros(size), np.zeros((size, size))
        for _, block, report_chances, weight in self.blocks():
            chance, first, second = self.model.respond(coefficients @ block.T, report_chances)
            height += float((np.log(chance) * weight).sum())
            slope += ((first * weight) @ block).ravel()
            add_curvature(curvature, block, second * weight)
        return LikelihoodEvaluation(
            height, self.spread.T @ slope, self.spread.T @ curvature @ self.spread
        )

    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        coefficients = self.coefficients(theta)
        for rows, block, report_chances, weight in self.blocks():
            first = self.model.respond(coefficients @ block.T, report_chances)[1] * weight
            each = (first[:, np.newaxis] * block.T).reshape(coefficients.size, -1)
            yield rows, self.spread.T @ each

    def expected(self, theta: Array) -> Array:
        """The expected information, without weights.

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
        return np.asarray(self.spread.T @ curvature @ self.spread)

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


def to_natural(likelihood: Likelihood) -> Array:
    """The matrix from parameters of standardised predictors to those of the predictors."""
    scaled = np.kron(np.eye(likelihood.model.answers - 1), natural(*likelihood.scaling).T)
    return np.asarray(np.linalg.pinv(likelihood.spread) @ scaled @ likelihood.spread)
