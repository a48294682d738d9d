"""Factors: columns that come from one draw, such as boxes of a table of all combinations.

The reports on two questions are independent given the answers. Those on two boxes of one table are
not, so their scores must not be multiplied. The table's scores for both boxes together are used
instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.columns.variables import MISSING, AnalysisColumn, Codes
from survey.core.scores import Array, scores_of_table

# Probabilities, and scores relative to the largest, that differ less are equal.
SAME = 1e-12


@dataclass(frozen=True)
class Factor:
    """The reports of one draw, on one or several columns.

    Attributes
    ----------
    column : AnalysisColumn
        Its answers are all combinations of the columns' answers, in row-major order.
    axes : tuple of int
        The places of these columns among the analysed columns.
    names : for each code, its name in each of these columns
    """

    column: AnalysisColumn
    axes: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]


def factors_of(columns: Sequence[AnalysisColumn]) -> tuple[Factor, ...]:
    """One factor for each draw.

    Columns of one draw that is not a table of combinations stay separate, such as the same question
    twice.

    Raises UnanswerableQuestion if a table does not determine the combinations.
    """
    by_draw: dict[str, list[int]] = {}
    for axis, column in enumerate(columns):
        by_draw.setdefault(column.draw, []).append(axis)
    factors = []
    for axes in by_draw.values():
        own = [columns[axis] for axis in axes]
        apart = len({column.name for column in own}) == len(own)
        if len(own) > 1 and apart and all(column.combinations is not None for column in own):
            factors.append(together(own, tuple(axes)))
        else:
            for column, axis in zip(own, axes, strict=True):
                names = tuple((name,) for name in column.report_names)
                factors.append(Factor(column, (axis,), names))
    return tuple(factors)


def together(columns: Sequence[AnalysisColumn], axes: tuple[int, ...]) -> Factor:
    """The factor of several boxes of one table."""
    tables = [column.combinations for column in columns if column.combinations is not None]
    shape = tuple(len(column.answers) for column in columns)
    cells = math.prod(shape)
    sorts = np.ravel_multi_index([table.sorts for table in tables], shape)
    chances, reports = tables[0].chances, tables[0].reports
    scores = scores_of_table(chances, np.eye(cells)[sorts])
    by_sort = lumped(chances, scores, sorts)
    if by_sort is None:
        names = [(name,) * len(axes) for name in tables[0].report_names]
        chances = np.empty((cells, 0))
    else:
        names = []
        for cell in by_sort.cells:
            places = np.unravel_index(cell, shape)
            names.append(tuple(c.answers[int(p)] for c, p in zip(columns, places, strict=True)))
        chances, scores, reports = by_sort.chances, by_sort.scores, by_sort.codes(reports)
    merged = replace(
        columns[0], answers=("",) * cells, chances=chances, scores=scores, reports=reports
    )
    return Factor(merged, axes, tuple(names))


@dataclass(frozen=True)
class LumpedReports:
    """Reports grouped by the sort of answer that they support.

    Attributes
    ----------
    cells : ndarray of int, shape (codes,)
        The sort that each code supports.
    code_of : ndarray of int, shape (reports,)
    chances : ndarray, shape (sorts, codes)
    scores : ndarray, shape (codes, sorts)
    """

    cells: Codes
    code_of: Codes
    chances: Array
    scores: Array

    def codes(self, reports: Codes) -> Codes:
        """The codes of reports, including missing ones."""
        # MISSING is -1, which selects the last place.
        return np.asarray(np.append(self.code_of, MISSING)[reports])


def lumped(chances: Array, scores: Array, sorts: Codes) -> LumpedReports | None:
    """The table of sorts of answers; None if Pr(code | answer) depends on more than the sort.

    Parameters
    ----------
    chances : ndarray, shape (answers, reports)
    scores : ndarray, shape (reports, sorts)
        Unbiased for the shares of the sorts.
    sorts : ndarray of int, shape (answers,)
        The sort of each answer. Some sorts may have no answer.
    """
    cells = np.unique(sorts)
    code_of = scores[:, cells].argmax(axis=1)
    if len(np.unique(code_of)) < len(cells):
        return None
    of_code = scores[[int(np.argmax(code_of == code)) for code in range(len(cells))]]
    together = chances @ np.eye(len(cells))[code_of]
    of_sort = np.zeros((scores.shape[1], len(cells)))
    of_sort[cells] = together[[int(np.argmax(sorts == cell)) for cell in cells]]
    tells_as_much = np.abs(scores - of_code[code_of]).max() <= SAME * np.abs(scores).max()
    if not tells_as_much or np.abs(together - of_sort[sorts]).max() > SAME:
        return None
    return LumpedReports(cells, code_of, of_sort, of_code)
