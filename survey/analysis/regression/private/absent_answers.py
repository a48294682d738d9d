"""Special answers that nobody seems to have given.

If respondents could prefer not to say, each private question has a further answer, and each report
may come from it. If nearly nobody gave it, its coefficients cost degrees of freedom, and its share
would be estimated from noise alone. A special answer whose share is compatible with zero therefore
counts as one that nobody gave: the share is at its bound.

If some gave it after all, their reports count as those on other answers, and move coefficients
towards zero by about their share. The test finds shares that matter: an undetected one is at most
about 1.6 standard errors of the share above zero (docs/evidence/private-predictors.md).
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.formula import quote_labels
from survey.core.scores import scores_of_table
from survey.core.translate import translate, translate_list
from survey.estimation.findings.remarks import SPECIAL_ANSWERS, Remark

# The one-sided 95 % quantile of the normal distribution.
LIMIT = 1.645


def without_absent_answers(
    columns: Sequence[AnalysisColumn], rows: npt.NDArray[np.bool_], whole: Collection[str] = ()
) -> tuple[list[AnalysisColumn], list[Remark]]:
    """Columns without the special answers whose share is compatible with zero, and a remark.

    Columns with a name in `whole` stay as they are.
    """
    found = [
        column if column.name in whole else without_absent_answer(column, rows)
        for column in columns
    ]
    absent = [
        translate(
            "%(answers)s to “%(question)s”",
            answers=quote_labels([each for each in column.answers if each not in kept.answers]),
            question=column.label,
        )
        for column, kept in zip(columns, found, strict=True)
        if len(kept.answers) < len(column.answers)
    ]
    if not absent:
        return found, []
    sentence = translate(
        "The reports are compatible with nobody having answered %(answers)s. The analysis assumes "
        "that nobody did.",
        answers=translate_list(absent),
    )
    return found, [Remark(SPECIAL_ANSWERS, sentence)]


def without_absent_answer(column: AnalysisColumn, rows: npt.NDArray[np.bool_]) -> AnalysisColumn:
    """The column without the special answers whose share is compatible with zero.

    Parameters
    ----------
    rows : bool array (n,), the respondents in the regression

    Notes
    -----
    Items of a joint question, and questions that are not private, stay as they are.
    """
    reports = column.reports[rows & (column.reports >= 0)]
    known = column.private and column.tabled and column.scores is not None
    if (
        not column.special_answers
        or not known
        or column.combinations is not None
        or len(reports) < 2
    ):
        return column
    scores = np.asarray(column.scores)
    special = scores[reports, column.listed :]
    errors = special.std(axis=0, ddof=1) / np.sqrt(len(reports))
    seems_given = special.mean(axis=0) > LIMIT * errors
    if seems_given.all():
        return column
    kept = np.concatenate([np.ones(column.listed, dtype=bool), seems_given])
    chances = column.chances[kept]
    return replace(
        column,
        answers=tuple(a for a, is_kept in zip(column.answers, kept, strict=True) if is_kept),
        values=None if column.values is None else column.values[kept],
        chances=chances,
        scores=scores_of_table(chances, np.eye(len(chances)))
        if column.all_listed
        else scores[:, kept],
        special_answers=int(seems_given.sum()),
        cases=column.cases[kept] if len(column.cases) else column.cases,
    )
