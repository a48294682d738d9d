"""The likelihood of reports if predictors are private too.

For a private predictor there is only a report, so every combination z of the private predictors'
answers (a cell) is possible:

    L_i = sum_z lambda_z(u_i) Q_iz sum_k pi_k(x_i, z) Pr(outcome's report | k).

Q_iz is the product of Pr(report | answer in z) over the private predictors, because each is
randomised separately. Items of a joint question are one draw, so they have one factor in Q, of all
their answers together. If the outcome comes from one draw with some predictors, the last
probability is Pr(report | k, z), and Q has the other predictors only.

Lambda is the joint distribution of the predictors' answers, which is estimated together with the
coefficients. Its logarithm is a sum of terms of one answer and of two answers
(`associations.associations_of`), and depends on the non-private predictors u. The estimate uses the
information of the outcome on the predictors, and the reverse.

Carroll, Ruppert, Stefanski & Crainiceanu, "Measurement error in nonlinear models" (2006), ch. 8;
for randomised response van den Hout & Kooiman, Comput. Stat. Data Anal. 50 (2006) 3311. The second
derivatives use the missing information of Louis, JRSS B 44 (1982) 226.

Respondents with equal non-private predictors are a group. A group and a report on the outcome make
a kind. Most arrays have a row for each group or kind, and only Q has one for each different set of
reports. So without non-private predictors, an evaluation needs little more than the product of Q
with a matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.reported_variable import starting_shares
from survey.analysis.columns.variables import Codes
from survey.analysis.regression.likelihood import (
    FIXED_WORK,
    MAX_KEPT_NUMBERS,
    Likelihood,
    LikelihoodEvaluation,
    PredictorSetting,
    half_log_determinant,
    impossible,
    penalty_derivatives,
)
from survey.analysis.regression.models import MIN_CHANCE, Array
from survey.analysis.regression.predictors import Cells
from survey.analysis.regression.standardise import StandardisedPredictors
from survey.core.processor_time import require_time

# The numbers in one array of a block: those of its groups or respondents for all cells.
BLOCK_NUMBERS = 2_000_000
# The penalty of the distribution is equivalent to this many respondents for each parameter.
RESPONDENTS_PER_PARAMETER = 0.5


@dataclass(frozen=True, kw_only=True)
class DifferentRows:
    """Respondents who differ in what the likelihood depends on, ordered by group.

    Attributes
    ----------
    of_respondent : int array (n,), the row of each respondent
    weight : float array (rows,), the sum of the respondents' weights
    kind : int array (rows,), the group and report on the outcome
    codes : int array (rows, draws), the reports on the private predictors
    kind_group, kind_code : int arrays (kinds,)
    """

    of_respondent: Codes
    weight: Array
    kind: Codes
    codes: Codes
    kind_group: Codes
    kind_code: Codes


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some groups, with their kinds and their rows, as places in the whole arrays.

    `kind_group` and `row_kind` count from the first group and kind of the block.
    """

    groups: slice
    kinds: slice
    rows: slice
    kind_group: Codes
    row_kind: Codes


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a block of respondents is expected to have, given their reports.

    Attributes
    ----------
    height : the sum of ln L
    shares : float array (groups, cells), lambda
    cells : float array (kinds, cells), the expected number of respondents
    first, second : of ln Pr(outcome's report) in eta, (K - 1, kinds, cells) and (K - 1, K - 1, ...)
    chances : float array (kinds, cells), lambda Pr(outcome's report)
    whole : float array (rows,), L
    """

    height: float
    shares: Array
    cells: Array
    first: Array
    second: Array
    chances: Array
    whole: Array


@dataclass(frozen=True, kw_only=True)
class PrivatePredictorLikelihood(Likelihood):
    """As `KnownPredictorLikelihood`, with private predictors in addition to the known ones.

    The design of the outcome has the constant, the non-private predictors and the cells' columns.
    The parameters are those of the model, then those of the distribution of the cells. These have
    one for each association. Each non-private predictor has one more for each of the associations
    that depend on it.

    If the likelihood is penalised, this distribution has a penalty, too. It is equivalent to
    additional respondents, whose answers to the private predictors are independent and have the
    usual shares. So every share stays above zero.
    """

    private: Cells = field(kw_only=True)

    @property
    def columns(self) -> int:
        return super().columns + int(self.private.design.shape[1])

    @property
    def size(self) -> int:
        with_non_private = int(self.private.with_non_private.sum() * self.non_private.shape[1])
        return self.of_model + int(self.private.associations.shape[1]) + with_non_private

    @property
    def multiplications(self) -> int:
        rows, cells = len(self.different.weight), len(self.private.answers)
        kinds = len(self.different.kind_code)
        return (rows + 40 * kinds) * cells + FIXED_WORK

    @cached_property
    def of_cells(self) -> StandardisedPredictors:
        """The standardised columns of the cells.

        Columns of an answer stay 0 and 1, so each coefficient refers to its answer only.
        """
        design = self.private.design
        as_they_are: npt.NDArray[np.bool_] = np.asarray(np.isin(design, (0, 1)).all(axis=0))
        return StandardisedPredictors(design, as_they_are)

    @cached_property
    def cell_columns(self) -> Array:
        """The standardised columns of the cells, shape (cells, d)."""
        return np.ascontiguousarray(self.of_cells.block(slice(None))[:, 1:])

    @property
    def scaling(self) -> tuple[Array, Array]:
        one, other = self.predictors, self.of_cells
        means, scales = (one.means, other.means), (one.scales, other.scales)
        return np.concatenate(means), np.concatenate(scales)

    @cached_property
    def groups(self) -> tuple[Array, Codes]:
        """The non-private predictors of each group with the constant, and everyone's group."""
        if not self.non_private.shape[1]:
            return np.ones((1, 1)), np.zeros(self.n, dtype=np.int64)
        block = self.predictors.block(slice(None))
        different, places = np.unique(block, axis=0, return_inverse=True)
        return np.ascontiguousarray(different), places.reshape(-1).astype(np.int64)

    @cached_property
    def different(self) -> DifferentRows:
        shared = self.private.shared
        outcome = self.outcome.codes if shared is None else shared.codes
        reports = [draw.reported.codes for draw in self.private.draws]
        every = np.column_stack([self.groups[1], outcome, *reports])
        rows, of_respondent = np.unique(every, axis=0, return_inverse=True)
        of_respondent = of_respondent.reshape(-1).astype(np.int64)
        weight = np.bincount(of_respondent, self.weight, minlength=len(rows)).astype(np.float64)
        kinds, kind = np.unique(rows[:, :2], axis=0, return_inverse=True)
        return DifferentRows(
            of_respondent=of_respondent,
            weight=weight,
            kind=kind.reshape(-1).astype(np.int64),
            codes=rows[:, 2:],
            kind_group=kinds[:, 0],
            kind_code=kinds[:, 1],
        )

    @cached_property
    def group_weight(self) -> Array:
        """The sum of the weights of each group."""
        groups, of_respondent = self.groups
        return np.bincount(of_respondent, self.weight, minlength=len(groups)).astype(np.float64)

    @cached_property
    def blocks(self) -> list[Block]:
        """Blocks of groups. A group has few rows, or is the only one of its block."""
        rows, groups = self.different, len(self.groups[0])
        row_group = rows.kind_group[rows.kind]
        most = max(1, BLOCK_NUMBERS // len(self.private.answers))
        blocks, first = [], 0
        row_ends = np.searchsorted(row_group, np.arange(groups + 1))
        kind_ends = np.searchsorted(rows.kind_group, np.arange(groups + 1))
        while first < groups:
            last = int(np.searchsorted(row_ends, row_ends[first] + most, side="right")) - 1
            last = min(max(last, first + 1), groups)
            kinds = slice(int(kind_ends[first]), int(kind_ends[last]))
            inside = slice(int(row_ends[first]), int(row_ends[last]))
            blocks.append(
                Block(
                    groups=slice(first, last),
                    kinds=kinds,
                    rows=inside,
                    kind_group=rows.kind_group[kinds] - first,
                    row_kind=rows.kind[inside] - kinds.start,
                )
            )
            first = last
        return blocks

    @cached_property
    def chances_by_code(self) -> list[Array]:
        """Pr(report | cell) of each draw, shape (codes + 1, cells); the last is of no report."""
        answers = self.private.answers
        return [
            np.vstack([draw.reported.chances.T[:, answers[:, place]], np.ones(len(answers))])
            for place, draw in enumerate(self.private.draws)
        ]

    @cached_property
    def kept(self) -> list[list[Array]] | None:
        """Q of all rows, if it needs little memory."""
        if len(self.different.weight) * len(self.private.answers) > MAX_KEPT_NUMBERS:
            return None
        return [list(self.make_rows(block)) for block in self.blocks]

    def make_rows(self, block: Block) -> Iterator[Array]:
        """Q of the rows of a block, in parts of shape (m, cells)."""
        cells = len(self.private.answers)
        most = max(1, BLOCK_NUMBERS // cells)
        for first in range(block.rows.start, block.rows.stop, most):
            require_time()
            codes = self.different.codes[first : min(first + most, block.rows.stop)]
            chances = np.ones((len(codes), cells))
            for place, table in enumerate(self.chances_by_code):
                # The code -1 of a missing report selects the last row.
                chances *= table[codes[:, place]]
            yield chances

    def parts(self, place: int, block: Block) -> Iterator[tuple[slice, Array]]:
        """The rows of a block, counted from its first, and their Q."""
        first = 0
        for chances in self.make_rows(block) if self.kept is None else self.kept[place]:
            require_time()
            yield slice(first, first + len(chances)), chances
            first += len(chances)

    def start(self) -> Array:
        """Parameters under which no predictor matters.

        Private predictors are then independent of everything.
        """
        associations = self.private.associations
        with_constant = np.column_stack([np.ones(len(associations)), associations])
        own = np.linalg.lstsq(with_constant, np.log(self.usual), rcond=None)[0][1:]
        rest = self.size - self.of_model - len(own)
        return np.concatenate([super().start(), own, np.zeros(rest)])

    @cached_property
    def usual(self) -> Array:
        """Shares of the cells if the private predictors were independent, shape (cells,)."""
        private = self.private
        shares = np.ones(len(private.answers))
        if private.shared is not None:
            shares = private.shared.shares(self.weights)
        for place, draw in enumerate(private.draws):
            of_draw = starting_shares(draw.reported, self.weights)
            shares = shares * of_draw[private.answers[:, place]]
        return np.asarray(shares / shares.sum())

    @property
    def additional(self) -> float:
        """How many respondents the penalty of the distribution adds for each one."""
        if not self.is_penalised:
            return 0.0
        parameters = int(self.private.associations.shape[1])
        return RESPONDENTS_PER_PARAMETER * parameters / float(self.group_weight.sum())

    def split(self, theta: Array) -> tuple[Array, Array, Array]:
        """Coefficients of the outcome (K - 1, columns), and of the associations.

        The latter are those without non-private predictors, shape (r,), and those of each of them,
        shape (p, associations that depend on it).
        """
        of_outcome = (self.spread @ theta[: self.of_model]).reshape(self.model.answers - 1, -1)
        last = self.of_model + self.private.associations.shape[1]
        return (
            of_outcome,
            theta[self.of_model : last],
            theta[last:].reshape(
                self.non_private.shape[1], int(self.private.with_non_private.sum())
            ),
        )

    def shares_of(self, theta: Array, groups: slice) -> Array:
        """Lambda, shape (groups, cells)."""
        _, own, of_non_private = self.split(theta)
        associations, block = self.private.associations, self.groups[0][groups]
        logits = (associations @ own)[np.newaxis]
        if of_non_private.size:
            dependent = associations[:, self.private.with_non_private]
            logits = logits + block[:, 1:] @ (of_non_private @ dependent.T)
        return np.asarray(
            scipy.special.softmax(np.broadcast_to(logits, (len(block), len(associations))), axis=1)
        )

    def etas(self, theta: Array, groups: slice) -> Array:
        """Linear predictors of the outcome, shape (K - 1, groups, cells)."""
        return self.linear(self.split(theta)[0], self.groups[0][groups], self.cell_columns)

    def linear(self, coefficients: Array, non_private: Array, cells: Array) -> Array:
        width = non_private.shape[1]
        common = coefficients[:, :width] @ non_private.T
        apart = coefficients[:, width:] @ cells.T
        return np.asarray(common[:, :, np.newaxis] + apart[:, np.newaxis])

    def chances_of_outcome(self, codes: Codes) -> Array:
        """Pr(outcome's report | answer, cell), shape (K, kinds, cells or 1)."""
        if self.private.shared is None:
            return np.asarray(self.outcome.chances[:, codes, np.newaxis])
        shared = self.private.shared
        return np.asarray(shared.chances[:, shared.answers][:, :, codes].transpose(0, 2, 1))

    def expected_numbers(self, theta: Array, place: int, block: Block) -> Expected:
        """The expected numbers in a block of respondents."""
        shares, eta = self.shares_of(theta, block.groups), self.etas(theta, block.groups)
        of_kind = eta[:, block.kind_group]
        shape = of_kind.shape[1:]
        given = np.broadcast_to(
            self.chances_of_outcome(self.different.kind_code[block.kinds]),
            (self.model.answers, *shape),
        )
        chance, first, second = self.model.respond(
            of_kind.reshape(len(eta), -1), given.reshape(self.model.answers, -1)
        )
        chances = shares[block.kind_group] * chance.reshape(shape)
        weight = self.different.weight[block.rows]
        whole, seen = np.empty(len(weight)), np.zeros(shape)
        for rows, part in self.parts(place, block):
            for kind, ours in runs(block.row_kind[rows], rows.start):
                own = part[ours.start - rows.start : ours.stop - rows.start]
                whole[ours] = np.maximum(own @ chances[kind], MIN_CHANCE)
                seen[kind] += (weight[ours] / whole[ours]) @ own
        return Expected(
            height=float(np.log(whole) @ weight),
            shares=shares,
            cells=seen * chances,
            first=first.reshape(len(eta), *shape),
            second=second.reshape(len(eta), len(eta), *shape),
            chances=chances,
            whole=whole,
        )

    def evaluate(self, theta: Array) -> LikelihoodEvaluation:
        if not self.model.possible(self.split(theta)[0]):
            return impossible(len(theta))
        penalty = self.penalty(theta)
        if penalty is None:
            return impossible(len(theta))
        slope, height, added = penalty.slope.copy(), 0.0, 0.0
        usual = self.usual
        for place, block in enumerate(self.blocks):
            found = self.expected_numbers(theta, place, block)
            height += found.height
            slope += self.slope_of(found, block)
            if self.additional:
                logs = np.log(np.maximum(found.shares, MIN_CHANCE)) @ usual
                added += self.additional * float(logs @ self.group_weight[block.groups])
        return LikelihoodEvaluation(
            height + added + penalty.height,
            slope,
            lambda: self.information(theta) + penalty.curvature,
            height,
        )

    def slope_of(self, found: Expected, block: Block) -> Array:
        """The slope of ln L, and of the penalty of the distribution, in a block."""
        non_private = self.groups[0][block.groups]
        of_kind = non_private[block.kind_group]
        weighted = found.first * found.cells
        of_outcome = np.concatenate(
            [weighted.sum(axis=2) @ of_kind, weighted.sum(axis=1) @ self.cell_columns], axis=1
        )
        size = self.group_weight[block.groups][:, np.newaxis]
        rest = np.zeros_like(found.shares)
        np.add.at(rest, block.kind_group, found.cells)
        rest += size * (self.additional * self.usual - (1 + self.additional) * found.shares)
        return np.concatenate(
            [self.spread.T @ of_outcome.ravel(), self.of_distribution(rest, non_private)]
        )

    def of_distribution(self, weights: Array, non_private: Array) -> Array:
        """sum over groups and cells of weights times the slopes of the logits of the cells."""
        private = self.private
        own = weights.sum(axis=0) @ private.associations
        dependent = private.associations[:, private.with_non_private]
        return np.concatenate([own, (non_private[:, 1:].T @ weights @ dependent).ravel()])

    @cached_property
    def features(self) -> list[Array]:
        """The matrices (cells, f) that belong to each column of the non-private predictors.

        For the outcome: the constant and the columns of the cells for the constant, the constant
        for the others. For the distribution: all associations, and those that depend on it.
        """
        ones, p = np.ones((len(self.cell_columns), 1)), self.non_private.shape[1]
        dependent = self.private.associations[:, self.private.with_non_private]
        of_outcome = [np.hstack([ones, self.cell_columns]), *[ones] * p]
        of_cells = [self.private.associations, *[dependent] * p]
        return [*of_outcome, *of_cells]

    @cached_property
    def places(self) -> tuple[list[Codes], list[Codes]]:
        """For each column of the non-private predictors, the places of its parameters.

        Those in a row of the outcome's coefficients, and those in the distribution's parameters.
        """
        p, columns = self.non_private.shape[1], self.columns
        own = self.private.associations.shape[1]
        step = int(self.private.with_non_private.sum())
        of_outcome = [np.concatenate([[0], np.arange(1 + p, columns)])]
        of_outcome += [np.array([1 + each]) for each in range(p)]
        of_cells = [np.arange(own)]
        of_cells += [own + step * each + np.arange(step) for each in range(p)]
        return of_outcome, of_cells

    def information(self, theta: Array) -> Array:
        """The observed information of the reports, and of the penalty of the distribution."""
        equations, inside = self.model.answers - 1, len(self.spread)
        size = inside + len(theta) - self.of_model
        whole = np.zeros((size, size))
        for place, block in enumerate(self.blocks):
            found = self.expected_numbers(theta, place, block)
            self.add_of_kinds(whole, found, block, equations)
            scores = self.row_scores(found, place, block)
            weight = self.different.weight[block.rows]
            whole += (scores * weight[:, np.newaxis]).T @ scores
            means = self.mean_slopes(found.shares, self.groups[0][block.groups])
            size_of = (1 + self.additional) * self.group_weight[block.groups]
            whole[inside:, inside:] -= (means * size_of[:, np.newaxis]).T @ means
        back = scipy.linalg.block_diag(self.spread, np.eye(size - inside))
        return np.asarray(back.T @ whole @ back)

    def mean_slopes(self, shares: Array, non_private: Array) -> Array:
        """The mean of the slopes of the cells' logits in each group, (groups, parameters).

        `shares` are those of the cells, and `non_private` the non-private predictors.
        """
        own = shares @ self.private.associations
        dependent = own[:, np.newaxis, self.private.with_non_private]
        products = non_private[:, 1:, np.newaxis] * dependent
        return np.concatenate([own, products.reshape(len(own), products[0].size)], axis=1)

    def add_of_kinds(self, whole: Array, found: Expected, block: Block, equations: int) -> None:
        """Add what the expected numbers of the kinds contribute to the information.

        It is the information of complete data, less the mean squares of its slopes.
        """
        non_private = self.groups[0][block.groups]
        of_kind = non_private[block.kind_group]
        _, of_cells = self.places
        p, first_cell = non_private.shape[1], equations * self.columns
        size = self.group_weight[block.groups][:, np.newaxis]
        slopes = found.first * found.cells
        for a in range(equations):
            for b in range(a + 1):
                weights = (found.second[a, b] * found.cells) - slopes[a] * found.first[b]
                self.add_outcome(whole, weights, of_kind, a, b)
            for i in range(p):
                for j in range(p):
                    v = -(slopes[a] * (of_kind[:, i] * of_kind[:, j])[:, np.newaxis]).sum(axis=0)
                    part = self.features[i].T @ (v[:, np.newaxis] * self.features[p + j])
                    rows = a * self.columns + self.places[0][i]
                    columns = first_cell + of_cells[j]
                    whole[np.ix_(rows, columns)] += part
                    whole[np.ix_(columns, rows)] += part.T
        rest = (1 + self.additional) * size * found.shares
        np.subtract.at(rest, block.kind_group, found.cells)
        for i in range(p):
            for j in range(p):
                v = (rest * (non_private[:, i] * non_private[:, j])[:, np.newaxis]).sum(axis=0)
                part = self.features[p + i].T @ (v[:, np.newaxis] * self.features[p + j])
                whole[np.ix_(first_cell + of_cells[i], first_cell + of_cells[j])] += part

    def add_outcome(self, whole: Array, weights: Array, non_private: Array, a: int, b: int) -> None:
        """Add sum of weights x x' to the blocks (a, b) and (b, a) of the outcome's coefficients.

        `weights` has shape (rows of non_private, cells), and x is the row of both in the design.
        """
        p, width = non_private.shape[1], self.columns
        of_outcome, _ = self.places
        for i in range(p):
            for j in range(p):
                v = (weights * (non_private[:, i] * non_private[:, j])[:, np.newaxis]).sum(axis=0)
                part = self.features[i].T @ (v[:, np.newaxis] * self.features[j])
                rows, columns = a * width + of_outcome[i], b * width + of_outcome[j]
                whole[np.ix_(rows, columns)] += part
                if a != b:
                    whole[np.ix_(columns, rows)] += part.T

    def row_scores(self, found: Expected, place: int, block: Block) -> Array:
        """The slopes of ln L of each row of a block, shape (rows, parameters), not centred.

        The mean slope of the group has to be subtracted from those of the distribution.
        """
        non_private, equations = self.groups[0][block.groups], len(found.first)
        scores = np.empty((len(found.whole), equations * self.columns + self.size - self.of_model))
        for rows, part in self.parts(place, block):
            kinds = block.row_kind[rows]
            after = part * found.chances[kinds]
            after /= found.whole[rows, np.newaxis]
            row, made = non_private[block.kind_group[kinds]], []
            for of_answer in found.first:
                apart = after * of_answer[kinds]
                made += [apart.sum(axis=1, keepdims=True) * row, apart @ self.cell_columns]
            scores[rows] = np.hstack([*made, self.mean_slopes(after, row)])
        return scores

    def jeffreys(self, theta: Array) -> LikelihoodEvaluation | None:
        """Jeffreys' prior as if the answers to all questions were known, or None at its edge.

        The information is that of the outcome, averaged over the cells.
        """
        inside, size, equations = self.of_model, len(theta), self.model.answers - 1
        information = np.zeros((len(self.spread), len(self.spread)))
        for block in self.blocks:
            weights, eta = self.numbers(theta, block.groups), self.etas(theta, block.groups)
            of_answers = self.model.information(eta.reshape(equations, -1))
            of_answers = of_answers.reshape(equations, *eta.shape)
            for a in range(equations):
                for b in range(a + 1):
                    self.add_outcome(
                        information, of_answers[a, b] * weights, self.groups[0][block.groups], a, b
                    )
        height, inverse = half_log_determinant(self.spread.T @ information @ self.spread)
        if inverse is None:
            return None
        inverse = self.spread @ inverse @ self.spread.T
        slope, curvature = np.zeros(len(self.spread)), np.zeros_like(information)
        of_cells = np.zeros(size - inside)
        for block in self.blocks:
            non_private = self.groups[0][block.groups]
            weights, eta = self.numbers(theta, block.groups), self.etas(theta, block.groups)
            squares = self.leverage(inverse, non_private).reshape(equations, equations, -1)
            first, second, total = penalty_derivatives(
                self.model, eta.reshape(equations, -1), squares
            )
            total = total.reshape(weights.shape)
            weighted = first.reshape(eta.shape) * weights
            slope += np.concatenate(
                [weighted.sum(axis=2) @ non_private, weighted.sum(axis=1) @ self.cell_columns],
                axis=1,
            ).ravel()
            for a in range(equations):
                for b in range(a + 1):
                    pseudo = second[a, b].reshape(weights.shape) * weights
                    self.add_outcome(curvature, pseudo, non_private, a, b)
            # The share of a cell also changes the information of the outcome.
            shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), MIN_CHANCE)
            mean = (shares * total).sum(axis=1, keepdims=True)
            of_cells += self.of_distribution(weights * (total - mean) / 2, non_private)
        volume, of_volume, bend_of_volume = self.model.log_volume(theta[:inside])
        whole = np.zeros((size, size))
        whole[:inside, :inside] = self.spread.T @ curvature @ self.spread + bend_of_volume
        slopes = np.concatenate([self.spread.T @ slope + of_volume, of_cells])
        return LikelihoodEvaluation(height + volume, slopes, lambda: whole, 0.0)

    def numbers(self, theta: Array, groups: slice) -> Array:
        """The expected number of respondents in each cell, shape (groups, cells)."""
        return self.shares_of(theta, groups) * self.group_weight[groups][:, np.newaxis]

    def leverage(self, inverse: Array, non_private: Array) -> Array:
        """x' V_ab x of each group and cell, shape (K - 1, K - 1, groups, cells)."""
        width, p, cells = self.columns, non_private.shape[1], self.cell_columns
        equations = len(inverse) // width
        squares = np.empty((equations, equations, len(non_private), len(cells)))
        for a in range(equations):
            for b in range(a + 1):
                part = inverse[a * width : (a + 1) * width, b * width : (b + 1) * width]
                mixed = (part[:p, p:] + part[p:, :p].T) @ cells.T
                squares[a, b] = squares[b, a] = (
                    ((non_private @ part[:p, :p]) * non_private).sum(axis=1)[:, np.newaxis]
                    + ((cells @ part[p:, p:]) * cells).sum(axis=1)
                    + non_private @ mixed
                )
        return squares

    def of_rows(self, theta: Array) -> tuple[Array, Array]:
        """L, and the slopes of ln L, of the different rows: shapes (rows,) and (rows, size)."""
        back = scipy.linalg.block_diag(self.spread, np.eye(len(theta) - self.of_model))
        inside = len(self.spread)
        likelihoods, slopes = [], []
        for place, block in enumerate(self.blocks):
            found = self.expected_numbers(theta, place, block)
            scores = self.row_scores(found, place, block)
            means = self.mean_slopes(found.shares, self.groups[0][block.groups])
            scores[:, inside:] -= means[block.kind_group[block.row_kind]]
            likelihoods.append(found.whole)
            slopes.append(scores @ back)
        return np.concatenate(likelihoods), np.concatenate(slopes)

    def scores(self, theta: Array) -> Iterator[tuple[slice, Array]]:
        _, whole = self.of_rows(theta)
        step = max(1, BLOCK_NUMBERS // len(theta))
        for first in range(0, self.n, step):
            rows = slice(first, min(first + step, self.n))
            each = whole[self.different.of_respondent[rows]].T
            yield rows, each * (1.0 if self.weight is None else self.weight[rows])

    def average(self, theta: Array, setting: PredictorSetting | None = None) -> tuple[Array, Array]:
        """As in `KnownPredictorLikelihood`, averaged over the cells.

        Their distribution is that given the non-private predictors.
        """
        answers, inside = self.model.answers, self.of_model
        total, change = np.zeros(answers), np.zeros((answers, len(theta)))
        for block in self.blocks:
            non_private, cells = self.groups[0][block.groups], self.cell_columns
            own = non_private
            if setting is not None:
                empty = np.zeros((len(non_private), cells.shape[1]))
                own = setting.put(np.hstack([non_private, empty]))[:, : non_private.shape[1]]
                empty = np.zeros((len(cells), non_private.shape[1]))
                cells = setting.put(np.hstack([empty, cells]))[:, non_private.shape[1] :]
            eta = self.linear(self.split(theta)[0], own, cells)
            pi, slopes = self.model.shares(eta.reshape(len(eta), -1))
            pi = pi.reshape(answers, *eta.shape[1:])
            slopes = slopes.reshape(answers, len(eta), *eta.shape[1:])
            weights = self.numbers(theta, block.groups)
            for k in range(answers):
                mass = pi[k] * weights
                total[k] += mass.sum()
                moved = slopes[k] * weights
                of_outcome = np.concatenate(
                    [moved.sum(axis=2) @ own, moved.sum(axis=1) @ cells], axis=1
                )
                change[k, :inside] += of_outcome.ravel() @ self.spread
                of_group = (
                    mass.sum(axis=1, keepdims=True) / self.group_weight[block.groups][:, np.newaxis]
                )
                change[k, inside:] += self.of_distribution(mass - weights * of_group, non_private)
        return total / self.n, change / self.n


def runs(places: Codes, offset: int) -> Iterator[tuple[int, slice]]:
    """The equal numbers in a sorted array: each, and where it is, counted from the offset."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(places)) + 1, [len(places)]])
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        yield int(places[first]), slice(offset + first, offset + last)
