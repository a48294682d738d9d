"""The finite population correction of a covariance, without that of the randomisation.

A stratum of N people, n of whom were sampled without replacement, has the sampling fraction
f = n / N. Scores of reports vary because people differ in their answers, and because the reports
are random. The first part of the variance shrinks by 1 - f, as in any survey (Cochran, "Sampling
Techniques" (1977), ch. 2). The second one does not: it is there even if everyone was asked. With V
the usual covariance of a stratum and R its randomisation part, the corrected one is

    (1 - f) V + f R.

R follows from the tables. Let d be the scores of a combination of reports, and x one of answers.
Then R is the weighted sum of Cov(d | x) = E(d d' | x) - E(d | x) E(d | x)' over the shares of the
answers in the stratum. These are estimated without bias, set to zero if they are negative, and
scaled to a sum of one. So R is never negative. Where scores of all answers vary equally, as with
two coins, R is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.scores import Array
from survey.core.translate import translate_number


@dataclass(frozen=True, kw_only=True)
class FiniteCorrection:
    """The correction for some columns, whose combinations of reports are a grid.

    Attributes
    ----------
    fractions : ndarray, shape (strata,)
        The sampled share of each stratum, above 0 and at most 1.
    tables : tuple of (ndarray or None)
        Pr(report | answer) of each column, shape (k, codes); None for a non-private one.
    shape : tuple of int
        The number of codes of each column.
    reports, answers : ndarray, shape (combinations,) and (cells,)
        Weights of the combinations of reports and of answers, for the sum of f R over the strata.
    places : ndarray of int, shape (combinations,), or None
        The row of the deviations of each combination, if several share one: in a sum of questions.
    """

    fractions: Array
    tables: tuple[Array | None, ...]
    shape: tuple[int, ...]
    reports: Array
    answers: Array
    places: Codes | None = None

    def noise(self, deviations: Array) -> Array:
        """The sum of f R over the strata, shape (t, t), for deviations of shape (m, t)."""
        if all(table is None for table in self.tables):
            return np.zeros((deviations.shape[1], deviations.shape[1]))
        width = deviations.shape[1]
        if self.places is not None:
            deviations = deviations[self.places]
        expected = contract(deviations.reshape(*self.shape, width), self.tables).reshape(-1, width)
        within = (deviations.T * self.reports) @ deviations
        return np.asarray(within - (expected.T * self.answers) @ expected)


def contract(values: Array, matrices: Sequence[Array | None]) -> Array:
    """Sum over each axis of `values` with the rows of a matrix; None leaves the axis as it is."""
    for axis, matrix in enumerate(matrices):
        if matrix is not None:
            values = np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)
    return values


def finite_correction(
    columns: Sequence[AnalysisColumn],
    shape: tuple[int, ...],
    codes: Codes,
    weights: Array | None,
    strata: Codes | None,
    populations: npt.NDArray[np.float64],
    names: Sequence[str],
) -> FiniteCorrection:
    """The correction for a sample of n people without clusters.

    Parameters
    ----------
    shape : the number of codes of each column; the combinations are a grid, or no column is private
    codes : ndarray of int, shape (n,), the combination of each response
    weights : ndarray, shape (n,), which add up to one, or None
    strata : ndarray of int, shape (n,), or None
    populations : ndarray, shape (n,), the size of the stratum of each response
    names : of the strata

    Raises
    ------
    UnanswerableQuestion
        If a stratum has several sizes or more responses than people, if the reports of a private
        column have no table, or if nothing is random.
    """
    n = len(codes)
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    fractions = sampling_fractions(strata, populations, names)
    private = [column for column in columns if column.private]
    if not private and fractions.min() == 1:
        raise UnanswerableQuestion(
            "Everyone in the population answered, and these answers are not randomised, so "
            "nothing is random. Leave out the population sizes."
        )
    for column in private:
        require_table(column)
    tables = tuple(column.chances if column.private else None for column in columns)
    if not private:
        return FiniteCorrection(
            fractions=fractions,
            tables=tables,
            shape=shape,
            reports=np.zeros(0),
            answers=np.zeros(0),
        )
    squares = np.full(n, 1 / n**2) if weights is None else weights**2
    back = tuple(
        column.scores.T if column.private and column.scores is not None else None
        for column in columns
    )
    of_answers: Array = np.zeros(0)
    for stratum, fraction in enumerate(fractions):
        require_time()
        inside = strata == stratum
        counted = np.bincount(codes[inside], squares[inside], int(np.prod(shape)))
        mass = counted.astype(np.float64).reshape(shape)
        shares = np.maximum(contract(mass, back), 0.0)
        part = shares * (fraction * mass.sum() / shares.sum())
        of_answers = part if not of_answers.size else of_answers + part
    turned = tuple(None if table is None else table.T for table in tables)
    reports = contract(of_answers, turned).ravel()
    return FiniteCorrection(
        fractions=fractions, tables=tables, shape=shape, reports=reports, answers=of_answers.ravel()
    )


def sampling_fractions(
    strata: Codes, populations: npt.NDArray[np.float64], names: Sequence[str]
) -> Array:
    """The sampled share of each stratum. Raises UnanswerableQuestion if its size is not valid."""
    fractions = []
    for stratum, name in enumerate(names):
        sizes = np.unique(populations[strata == stratum])
        count = int((strata == stratum).sum())
        if len(sizes) > 1:
            raise UnanswerableQuestion(
                "Stratum %(stratum)s has the population sizes %(one)s and %(other)s. Write the "
                "same size in all lines of a stratum. Without strata, this is the size of the "
                "whole population.",
                stratum=f"“{name}”",
                one=translate_number(f"{sizes[0]:,.0f}"),
                other=translate_number(f"{sizes[1]:,.0f}"),
            )
        if count > sizes[0]:
            raise UnanswerableQuestion(
                "Stratum %(stratum)s has %(n)s responses but a population of %(size)s. Correct "
                "its size, or leave out the population sizes.",
                stratum=f"“{name}”",
                n=count,
                size=translate_number(f"{sizes[0]:,.0f}"),
            )
        fractions.append(count / float(sizes[0]))
    return np.array(fractions)


def correctable(column: AnalysisColumn) -> bool:
    """Whether the randomisation part of a column follows from a table of its own."""
    of_table = column.tabled and column.all_listed and column.scores is not None
    return not column.private or (
        of_table and column.combinations is None and not len(column.designs)
    )


def require_table(column: AnalysisColumn) -> None:
    """Require a column that is `correctable`. Raises UnanswerableQuestion."""
    if not correctable(column):
        raise UnanswerableQuestion(
            "The part of the variance that comes from the randomisation of “%(question)s” "
            "cannot be estimated, because its reports have no single table. Leave out the "
            "population sizes.",
            question=column.label,
        )
