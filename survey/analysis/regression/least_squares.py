"""Linear regression on unbiased scores.

The score of a private number's report has the answer as its mean, given the answer. Regression on
the scores is therefore unbiased for every distribution of the answers. Maximum likelihood would
need a distribution that is unknown, and that reports on a few points cannot check. If it were
known, regression on scores would lose some precision. Scores have unequal variances, which requires
sandwich errors.

Private predictors enter the normal equations by unbiased scores of the terms. This is the corrected
score of Nakamura, Biometrika 77 (1990) 127: products within one draw have scores of their own, and
different draws are independent.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn, Codes, SurveyDesign
from survey.analysis.regression.maximum_likelihood import definite
from survey.analysis.regression.models import Array
from survey.analysis.regression.predictors import Predictors
from survey.analysis.regression.standard_errors import (
    Errors,
    independent_units,
    sandwich_errors,
    spread_of_totals,
)
from survey.analysis.regression.standardise import BLOCK, StandardisedPredictors, natural
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.scores import scores_of_table


@dataclass(frozen=True, kw_only=True)
class NormalEquations:
    """The normal equations G b = h.

    Given the answers, each respondent's part has the mean a (x y - x x' b). Here a is 1 for
    respondents who gave one of the listed answers, else 0.

    Parameters
    ----------
    worth, listed : float arrays (codes,), unbiased scores of a y and of a, by report of the outcome
    reports : int array (n,), the outcome's reports, none missing
    predictors : none of their reports is missing, and no draw is the outcome's
    """

    worth: Array
    listed: Array
    reports: Codes
    predictors: Predictors
    weights: Array | None = None

    def blocks(
        self, standard: StandardisedPredictors, parts: "list[PrivateTermScores]"
    ) -> Iterator[tuple[slice, Array, Codes]]:
        """Rows, scores of their design (m, columns), reports of the outcome."""
        private = sum(part.once.shape[1] for part in parts)
        for first in range(0, len(self.reports), BLOCK):
            require_time()
            rows = slice(first, min(first + BLOCK, len(self.reports)))
            non_private = standard.block(rows)
            block = np.concatenate([non_private, np.empty((len(non_private), private))], axis=1)
            for part in parts:
                block[:, part.columns] = part.once[part.codes[rows]]
            yield rows, block, self.reports[rows]

    def parts(self) -> "list[PrivateTermScores]":
        """The scores of each private draw's reports, and the places of its columns."""
        cells = self.predictors.private
        return [
            PrivateTermScores(
                list(draw.columns),
                draw.scores @ draw.levels,
                np.einsum("ck,ka,kb->cab", draw.scores, draw.levels, draw.levels),
                draw.reported.codes,
            )
            for draw in (cells.draws if cells is not None else ())
        ]


@dataclass(frozen=True)
class PrivateTermScores:
    """Unbiased scores by report for the private terms of one draw.

    They are of its columns, (codes, d), and of the products of columns, (codes, d, d).
    """

    columns: list[int]
    once: Array
    twice: Array
    codes: Codes


def least_squares(equations: NormalEquations, design: SurveyDesign | None) -> tuple[Array, Errors]:
    """Coefficients, the constant first, and their sandwich errors.

    Raises
    ------
    UnanswerableQuestion
        If G is not positive definite: the responses are then too few for these predictors.
    """
    standard, parts = StandardisedPredictors(equations.predictors.non_private), equations.parts()
    n, non_private = len(equations.reports), equations.predictors.non_private.shape[1]
    size = 1 + non_private + sum(part.once.shape[1] for part in parts)
    weight = np.ones(n) if equations.weights is None else equations.weights
    weight = weight / weight.mean()
    squares, moments = np.zeros((size, size)), np.zeros(size)
    for rows, block, reports in equations.blocks(standard, parts):
        listed_scores = weight[rows] * equations.listed[reports]
        squares += block.T @ (block * listed_scores[:, np.newaxis])
        moments += block.T @ (weight[rows] * equations.worth[reports])
        for part in parts:
            squares[np.ix_(part.columns, part.columns)] += np.tensordot(
                listed_scores, excess(part, rows), axes=1
            )
    if not definite(squares):
        raise UnanswerableQuestion(
            "There are too few responses (%(n)s) to estimate the covariance of the predictors. "
            "Choose fewer predictors, or wait for more responses.",
            n=n,
        )
    coefficients = np.linalg.solve(squares, moments)
    units, strata = independent_units(design, n)
    units = np.arange(n) if units is None else units
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    totals = np.zeros((size, len(strata)))
    for rows, block, reports in equations.blocks(standard, parts):
        listed_scores = equations.listed[reports]
        each = (
            block
            * (equations.worth[reports] - listed_scores * (block @ coefficients))[:, np.newaxis]
        )
        for part in parts:
            each[:, part.columns] -= listed_scores[:, np.newaxis] * (
                excess(part, rows) @ coefficients[part.columns]
            )
        for place, row in enumerate((each * weight[rows, np.newaxis]).T):
            totals[place] += np.bincount(units[rows], row, minlength=len(strata))
    spread, freedom = spread_of_totals(totals, strata)
    scales = np.concatenate([standard.scales, np.ones(size - 1 - non_private)])
    means = np.concatenate([standard.means, np.zeros(size - 1 - non_private)])
    back = natural(means, scales).T
    inverse = back @ np.linalg.inv(squares)
    return back @ coefficients, sandwich_errors(inverse @ spread @ inverse.T, freedom, design)


def excess(part: PrivateTermScores, rows: slice) -> Array:
    """The score of a product minus the product of the scores, by respondent (m, d, d)."""
    codes, once = part.codes[rows], part.once
    apart = part.twice - np.einsum("ca,cb->cab", once, once)
    return np.asarray(apart[codes])


def scores_of_listed(outcome: AnalysisColumn) -> Array:
    """Unbiased scores of having given one of the listed answers, by report.

    Raises UnanswerableQuestion if the reports do not determine this share.
    """
    if not outcome.special_answers or not outcome.private:
        return np.ones(1 + int(outcome.reports.max(initial=0)))
    if outcome.scores is not None:
        return np.asarray(outcome.scores[:, : outcome.listed].sum(axis=1))
    listed = (np.arange(len(outcome.answers)) < outcome.listed).astype(np.float64)
    try:
        return scores_of_table(outcome.chances, listed[:, np.newaxis])[:, 0]
    except UnanswerableQuestion as refusal:
        raise UnanswerableQuestion(
            "The reports on “%(question)s” do not show how many preferred not to say, so the "
            "mean of the others cannot be estimated.",
            question=outcome.label,
        ) from refusal
