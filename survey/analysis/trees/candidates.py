"""The ways in which a tree may split by a question: by all its answers, or a number at a cut point.

Cut points divide the possible range of a number into ten parts, so they are public. A non-private
number is replaced by the part in which it lies. A private number keeps its levels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.variables import MISSING, AnalysisColumn
from survey.core.scores import Array
from survey.core.translate import translate

# For each answer of a question, whether it leads to a branch.
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Candidate:
    """A possible split.

    Attributes
    ----------
    place : the place of the question among those that may split
    column : the question with one answer for each branch
    branches : which answers of the question lead to each branch
    cut : the largest number of the first branch; None for a question that is no number
    """

    place: int
    column: AnalysisColumn
    branches: tuple[Mask, ...]
    cut: float | None = None

    def scores(self, predictor: AnalysisColumn) -> Array:
        """The score of each report for each branch, shape (codes, branches)."""
        return np.asarray(coherent(predictor) @ np.array(self.branches, dtype=np.float64).T)


def in_parts(column: AnalysisColumn) -> AnalysisColumn:
    """A non-private number as the part of its range in which it lies. Other columns do not change.

    Parts without an answer are kept, so the parts are those of the question.
    """
    if column.private or not column.cuts or column.values is None:
        return column
    ends = np.array([cut for cut, _ in column.cuts])
    listed = column.listed
    part_of = np.append(
        np.searchsorted(ends, column.values[:listed]),
        len(ends) + 1 + np.arange(column.special_answers),
    ).astype(np.int64)
    reports = np.full(len(column.reports), MISSING, dtype=np.int64)
    reports[column.reported] = part_of[column.reports[column.reported]]
    k = len(ends) + 1 + column.special_answers
    names = (*(label for _, label in column.cuts), "", *column.answers[listed:])
    return replace(
        column,
        answers=names,
        # The last part has no end.
        values=np.concatenate([ends, [np.inf], np.full(column.special_answers, np.nan)]),
        chances=np.eye(k),
        scores=np.eye(k),
        value_scores=None,
        reports=reports,
        report_names=names,
    )


def candidates_of(place: int, column: AnalysisColumn, mask: Mask | None) -> Iterator[Candidate]:
    """The splits by a question in a branch.

    Parameters
    ----------
    column : the question, after `in_parts`
    mask : which of its answers the branch still has; None for all
    """
    if not column.cuts or column.values is None:
        if mask is None:
            branches = tuple(np.eye(len(column.answers), dtype=bool))
            yield Candidate(place, column, branches)
        return
    here = np.ones(len(column.answers), dtype=bool) if mask is None else mask
    for cut, label in column.cuts:
        listed = np.arange(len(column.answers)) < column.listed
        low = here & listed & (column.values <= cut)
        high = here & listed & (column.values > cut)
        if not low.any() or not high.any():
            continue
        specials = [
            np.arange(len(column.answers)) == answer
            for answer in range(column.listed, len(column.answers))
            if here[answer]
        ]
        answers = (
            translate("at most %(value)s", value=label),
            translate("more than %(value)s", value=label),
            *(column.answers[int(np.argmax(special))] for special in specials),
        )
        yield Candidate(
            place, shown_as(column, answers, len(specials)), (low, high, *specials), cut
        )


def shown_as(
    column: AnalysisColumn, answers: Sequence[str], special_answers: int
) -> AnalysisColumn:
    """The column as the picture shows it: with an answer for each branch, and no reports."""
    k = len(answers)
    return replace(
        column,
        answers=tuple(answers),
        values=None,
        chances=np.empty((k, 0)),
        scores=None,
        value_scores=None,
        special_answers=special_answers,
        cases=np.zeros((0, 0), dtype=bool),
    )
