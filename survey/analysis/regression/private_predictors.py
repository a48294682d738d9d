"""The likelihood of reports if predictors are private too.

For a private predictor there is only a report, so every combination z of the private predictors'
answers (a cell) is possible:

    L_i = sum_z lambda_z(u_i) Q_iz sum_k pi_k(x_i, z) Pr(outcome's report | k).

Q_iz is the product of Pr(report | answer in z) over the private predictors, because each is
randomised separately. Items of a joint question are one draw, so they have one factor in Q, of all
their answers together. If the outcome comes from one draw with some predictors, the last
probability is Pr(report | k, z), and Q has the other predictors only.

Lambda is the joint distribution of the predictors' answers, which is estimated together with the
coefficients. It is a multinomial logit on the non-private predictors u, or constant without any.
The estimate uses the information of the outcome on the predictors, and the reverse.

Carroll, Ruppert, Stefanski & Crainiceanu, "Measurement error in nonlinear models" (2006), ch. 8;
for randomised response van den Hout & Kooiman, Comput. Stat. Data Anal. 50 (2006) 3311. The second
derivatives use the missing information of Louis, JRSS B 44 (1982) 226.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.reported_variable import usual_shares
from survey.analysis.regression.likelihood import (
    FIXED_WORK,
    Likelihood,
    LikelihoodEvaluation,
    PredictorSetting,
    half_log_determinant,
    impossible,
    leverage,
    penalty_derivatives,
)
from survey.analysis.regression.models import MIN_CHANCE, Array, Multinomial
from survey.analysis.regression.predictors import Cells
from survey.analysis.regression.standardise import StandardisedPredictors, add_curvature
from survey.core.processor_time import require_time

# The number of respondents at once. Each has a row for each cell.
BLOCK = 4_096


@dataclass(frozen=True)
class RespondentBlock:
    """A block of respondents.

    Rows, non-private predictors (m, 1 + p), Pr(outcome's report | answer) (K, m) of each cell, Q
    (cells, m), weights.
    """

    rows: slice
    block: Array
    given: Sequence[Array]
    cells: Array
    weight: Array | float


@dataclass(frozen=True)
class PrivatePredictorLikelihood(Likelihood):
    """As `KnownPredictorLikelihood`, with private predictors in addition to the known ones.

    The design of the outcome has the constant, the non-private predictors and the cells' columns.
    The parameters are those of the model, then the cells' logits against the last cell, a row of 1
    + p for each.
    """

    private: Cells = field(kw_only=True)

    @property
    def columns(self) -> int:
        return super().columns + int(self.private.design.shape[1])

    @property
    def size(self) -> int:
        cells = (len(self.private.answers) - 1) * (1 + self.plain.shape[1])
        return self.of_model + int(cells)

    @property
    def multiplications(self) -> int:
        # The scores of each cell have all parameters, and there are two models.
        return len(self.private.answers) * (super().multiplications + FIXED_WORK)

    @cached_property
    def of_cells(self) -> StandardisedPredictors:
        """The standardised columns of the cells.

        Columns of an answer stay 0 and 1, so each coefficient refers to its answer only.
        """
        design = self.private.design
        as_they_are: npt.NDArray[np.bool_] = np.asarray(np.isin(design, (0, 1)).all(axis=0))
        return StandardisedPredictors(design, as_they_are)

    @cached_property
    def cell_model(self) -> Multinomial:
        cells = len(self.private.answers)
        return Multinomial(cells, reference=cells - 1)

    @property
    def scaling(self) -> tuple[Array, Array]:
        one, other = self.predictors, self.of_cells
        means, scales = (one.means, other.means), (one.scales, other.scales)
        return np.concatenate(means), np.concatenate(scales)

    def start(self) -> Array:
        """Parameters under which no predictor matters.

        Private predictors are then independent of everything.
        """
        private = self.private
        shares = np.ones(len(private.answers))
        if private.shared is not None:
            shares = private.shared.shares(self.weights)
        for place, draw in enumerate(private.draws):
            of_draw = usual_shares(draw.reported, self.weights)
            shares = shares * of_draw[private.answers[:, place]]
        of_cells = self.cell_model.start(shares / shares.sum(), 1 + self.plain.shape[1])
        return np.concatenate([super().start(), of_cells])

    def parts(self) -> Iterator[RespondentBlock]:
        for first in range(0, self.n, BLOCK):
            require_time()
            rows = slice(first, min(first + BLOCK, self.n))
            yield RespondentBlock(
                rows,
                self.predictors.block(rows),
                self.given(rows),
                self.private.chances(rows),
                1.0 if self.weight is None else self.weight[rows],
            )

    def given(self, rows: slice) -> list[Array]:
        """Pr(outcome's report | answer) in each cell."""
        if self.private.shared is not None:
            return self.private.shared.given(rows)
        chances = self.outcome.chances[:, self.outcome.codes[rows]]
        return [chances] * len(self.private.answers)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the outcome (K - 1, columns), and of the cells (cells - 1, 1 + p)."""
        of_outcome = (self.spread @ theta[: self.of_model]).reshape(self.model.answers - 1, -1)
        return of_outcome, theta[self.of_model :].reshape(-1, 1 + self.plain.shape[1])

    def etas(self, coefficients: Array, block: Array, cells: Array) -> list[Array]:
        """Linear predictors of the outcome in each cell, (K - 1, m) each."""
        plain = block.shape[1]
        common = coefficients[:, :plain] @ block.T
        apart = coefficients[:, plain:] @ cells.T
        return [common + apart[:, z, np.newaxis] for z in range(len(cells))]

    def likely(
        self, theta: Array, part: RespondentBlock
    ) -> tuple[Array, Array, list[tuple[Array, Array]]]:
        """The likelihood of each respondent (m,), and Pr(cell | reports), (cells, m).

        The last item has the first and second derivatives of the outcome's likelihood in each cell.
        """
        coefficients, of_cells = self.split(theta)
        before = self.cell_model.chances(of_cells @ part.block.T) * part.cells
        slopes = []
        etas = self.etas(coefficients, part.block, self.of_cells.block(slice(None))[:, 1:])
        for z, eta in enumerate(etas):
            chance, first, second = self.model.respond(eta, part.given[z])
            before[z] *= chance
            slopes.append((first, second))
        whole = np.maximum(before.sum(axis=0), MIN_CHANCE)
        return whole, before / whole, slopes

    def cell_scores(
        self, theta: Array, part: RespondentBlock, slopes: list[tuple[Array, Array]]
    ) -> Iterator[Array]:
        """First derivatives of ln(lambda_z pi_z) for each cell, shape (size, m)."""
        across, m = part.block.T, len(part.block)
        shares = self.cell_model.chances(self.split(theta)[1] @ across)
        for z, design in enumerate(self.of_cells.block(slice(None))[:, 1:]):
            columns = np.concatenate([across, np.repeat(design[:, np.newaxis], m, axis=1)])
            of_outcome = (slopes[z][0][:, np.newaxis] * columns).reshape(-1, m)
            apart = -shares[:-1]
            if z < len(apart):
                apart[z] += 1
            of_cells = (apart[:, np.newaxis] * across).reshape(-1, m)
            yield np.concatenate([self.spread.T @ of_outcome, of_cells])

    def evaluate(self, theta: Array) -> LikelihoodEvaluation:
        size, height = len(theta), 0.0
        slope, curvature = np.zeros(size), np.zeros((size, size))
        if not self.model.possible(self.split(theta)[0]):
            return impossible(size)
        for part in self.parts():
            whole, after, slopes = self.likely(theta, part)
            height += float(np.sum(np.log(whole) * part.weight))
            mean = np.zeros((size, len(part.block)))
            for z, scores in enumerate(self.cell_scores(theta, part, slopes)):
                weighted = scores * after[z]
                mean += weighted
                curvature -= (weighted * part.weight) @ scores.T
            slope += (mean * part.weight).sum(axis=1)
            curvature += (mean * part.weight) @ mean.T
            curvature += self.complete(theta, part, after, slopes)
        penalty = self.penalty(theta)
        if penalty is None:
            return impossible(size)
        return LikelihoodEvaluation(
            height + penalty.height, slope + penalty.slope, curvature + penalty.curvature, height
        )

    def blocks_of_cells(
        self, theta: Array, part: RespondentBlock
    ) -> Iterator[tuple[Array, Array, Array]]:
        """For each cell its share (m,), the outcome's design (m, columns), and eta (K - 1, m)."""
        coefficients, of_cells = self.split(theta)
        shares = self.cell_model.chances(of_cells @ part.block.T)
        for z, design in enumerate(self.of_cells.block(slice(None))[:, 1:]):
            block = np.column_stack([part.block, np.tile(design, (len(part.block), 1))])
            yield shares[z], block, coefficients @ block.T

    def jeffreys(self, theta: Array) -> LikelihoodEvaluation | None:
        """Jeffreys' prior as if the answers to all questions were known, or None at its edge.

        The information is that of the outcome, averaged over the cells, and that of the cells.
        """
        inside, size = self.of_model, len(theta)
        spread, of_cells = self.spread, self.split(theta)[1]
        of_outcome = np.zeros((len(spread), len(spread)))
        of_shares = np.zeros((size - inside, size - inside))
        for part in self.parts():
            for share, block, eta in self.blocks_of_cells(theta, part):
                add_curvature(of_outcome, block, self.model.information(eta) * share * part.weight)
            information = self.cell_model.information(of_cells @ part.block.T)
            add_curvature(of_shares, part.block, information * part.weight)
        height, inverse = half_log_determinant(spread.T @ of_outcome @ spread)
        of_shares_height, of_shares_inverse = half_log_determinant(of_shares)
        if inverse is None or of_shares_inverse is None:
            return None
        inverse = spread @ inverse @ spread.T
        slope, curvature = np.zeros(len(spread)), np.zeros((len(spread), len(spread)))
        slope_of_shares, curvature_of_shares = np.zeros(size - inside), np.zeros_like(of_shares)
        for part in self.parts():
            totals, shares = [], []
            for share, block, eta in self.blocks_of_cells(theta, part):
                squares = leverage(block, inverse)
                first, second, total = penalty_derivatives(self.model, eta, squares)
                slope += ((first * share * part.weight) @ block).ravel()
                add_curvature(curvature, block, second * share * part.weight)
                totals.append(total)
                shares.append(share)
            first, second, _ = penalty_derivatives(
                self.cell_model,
                of_cells @ part.block.T,
                leverage(part.block, of_shares_inverse),
            )
            mean = np.sum(np.multiply(shares, totals), axis=0)
            # The share of a cell also changes the information of the outcome.
            first = first + np.multiply(shares, totals - mean)[:-1] / 2
            slope_of_shares += ((first * part.weight) @ part.block).ravel()
            add_curvature(curvature_of_shares, part.block, second * part.weight)
        volume, of_volume, bend_of_volume = self.model.log_volume(theta[:inside])
        whole = np.zeros((size, size))
        whole[:inside, :inside] = spread.T @ curvature @ spread + bend_of_volume
        whole[inside:, inside:] = curvature_of_shares
        slopes = np.concatenate([spread.T @ slope + of_volume, slope_of_shares])
        return LikelihoodEvaluation(height + of_shares_height + volume, slopes, whole, 0.0)

    def complete(
        self, theta: Array, part: RespondentBlock, after: Array, slopes: list[tuple[Array, Array]]
    ) -> Array:
        """The information if the cells were known, averaged given the reports."""
        inside, size = self.of_model, len(theta)
        of_outcome = np.zeros((len(self.spread), len(self.spread)))
        for z, design in enumerate(self.of_cells.block(slice(None))[:, 1:]):
            block = np.column_stack([part.block, np.tile(design, (len(part.block), 1))])
            add_curvature(of_outcome, block, slopes[z][1] * (after[z] * part.weight))
        shares = self.cell_model.chances(self.split(theta)[1] @ part.block.T)[:-1]
        bend = -np.einsum("am,bm->abm", shares, shares)
        bend[np.diag_indices(len(shares))] += shares
        of_cells = np.zeros((size - inside, size - inside))
        add_curvature(of_cells, part.block, bend * part.weight)
        whole = np.zeros((size, size))
        whole[:inside, :inside] = self.spread.T @ of_outcome @ self.spread
        whole[inside:, inside:] = of_cells
        return whole

    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        for part in self.parts():
            _, after, slopes = self.likely(theta, part)
            mean = np.zeros((len(theta), len(part.block)))
            for z, scores in enumerate(self.cell_scores(theta, part, slopes)):
                mean += scores * after[z]
            yield part.rows, mean * part.weight

    def average(self, theta: Array, setting: PredictorSetting | None = None) -> tuple[Array, Array]:
        """As in `KnownPredictorLikelihood`, averaged over the cells.

        Their distribution is that given the non-private predictors.
        """
        coefficients, of_cells = self.split(theta)
        answers, inside = self.model.answers, self.of_model
        total, change = np.zeros(answers), np.zeros((answers, len(theta)))
        for part in self.parts():
            across = part.block.T
            shares, moves = self.cell_model.shares(of_cells @ across)
            for z, design in enumerate(self.of_cells.block(slice(None))[:, 1:]):
                block = np.column_stack([part.block, np.tile(design, (len(part.block), 1))])
                if setting is not None:
                    block = setting.put(block)
                pi, slopes = self.model.shares(coefficients @ block.T)
                mass = shares[z] * part.weight
                total += (pi * mass).sum(axis=1)
                of_outcome = np.tensordot(slopes * mass, block, axes=1).reshape(answers, -1)
                change[:, :inside] += of_outcome @ self.spread
                for k in range(answers):
                    change[k, inside:] += ((moves[z] * pi[k] * part.weight) @ part.block).ravel()
        return total / self.n, change / self.n
