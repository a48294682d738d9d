"""Factors: columns that come from one draw, such as boxes of a table of all combinations.

The reports on two questions are independent given the answers. Those on two boxes of one table are
not, so their scores must not be multiplied. The table's scores for both boxes together are used
instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn


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
    """The factor of several columns of one draw."""
    tables = [column.combinations for column in columns if column.combinations is not None]
    shape = tuple(len(column.answers) for column in columns)
    cells = math.prod(shape)
    sorts = np.ravel_multi_index([table.sorts for table in tables], shape)
    by_sort = tables[0].lump_reports(sorts, cells)
    if by_sort is None:
        names = [(name,) * len(axes) for name in tables[0].report_names]
        chances, reports = np.empty((cells, 0)), tables[0].reports
        scores = tables[0].scores(sorts, cells)
    else:
        places = np.unravel_index(np.arange(cells), shape)
        in_columns = [
            by_sort.names([column.answers[place] for place in own])
            for column, own in zip(columns, places, strict=True)
        ]
        names = list(zip(*in_columns, strict=True))
        chances, scores = by_sort.chances, by_sort.scores
        reports = by_sort.codes(tables[0].reports)
    merged = replace(
        columns[0],
        answers=("",) * cells,
        chances=chances,
        scores=scores,
        reports=reports,
        combinations=replace(tables[0], sorts=sorts),
    )
    return Factor(merged, axes, tuple(names))
